"""Rules: one small function each, registered by standing in a module of `abigen.checker.rules`.

How to write one (`python -m tests.new_rule NAME` lays out a rule with its fixtures)::

    @change_rules.each("ABI102", lambda comparison: comparison.members(lambda fields: fields.moved), Bump.MAJOR)
    def field_reordered(moved: MemberPair) -> Iterator[RuleResult]:
        \"\"\"A member has another place among the members that stayed.\"\"\"
        yield RuleResult(f"{moved.entity} changed its place", source=f"code that names {moved.name} does not compile")

The public name follows from the function's (`field_removed` -> `field-removed`). The manual page is
`rules/pages/MODULE/NAME.md`; it begins with the sentence of the docstring. The code never changes once it is published.
A rule that is renamed keeps its old name in `former`.

The decorator says which pairs the rule is handed, one after the other; the rule says only what is its own. The engine
takes the rest from the pair and from the decorator: entity, places in OLD and in NEW, numbers before and after, target,
code, bump and level. It runs each rule once per target, merges what all targets have in common, and sorts.

There are four lists of rules, by what they look at:

- `change_rules` (`abigen.checker.comparison`): OLD and NEW on one target;
- `release_rules` (`abigen.checker.release`): all findings and the version numbers (`abigen diff`);
- `lint_rules` (`abigen.checker.comparison`): one API without a history (`abigen lint`);
- `policy_rules` (`abigen.checker.policy`): what the project has decided and no longer needs.

Codes are grouped: ABI1xx members, ABI2xx whole types, ABI3xx enumerations, ABI4xx functions and variables, ABI5xx
macros and constants, ABI6xx deprecation, ABI7xx versions, ABI800 to ABI849 lint, ABI9xx the policy itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from abigen.model.contract import Party
from abigen.model.entities import Function, Variable
from abigen.model.finding import Bump, Detail, Finding
from abigen.model.span import Span

_RUN = 4
"""The number of members from which on the first and the last stand for all."""
_SHOWN = 6


def verbs(producer: Party) -> tuple[str, str]:
    """Return the verbs for the plugin's and the core's access to a member.

    Args:
        producer: the side that sets it.
    """
    return {Party.PLUGIN: ("stores", "reads"), Party.CORE: ("reads", "stores")}.get(producer, ("accesses", "accesses"))


def misplaced(what: str, old: str, new: str, producer: Party) -> tuple[str, str]:
    """Return both directions of a change that puts something elsewhere.

    Args:
        what: `depth`, `the members behind it`.
        old: where it was: `at offset 24`.
        new: where it is: `at offset 32`.
        producer: who fills it.

    Returns:
        What it does to a plugin built against OLD, and to one built against NEW.
    """
    plugin, core = verbs(producer)
    return (
        f"it {plugin} {what} {old}; a core built against NEW {core} it {new}",
        f"it {plugin} {what} {new}; a core built against OLD {core} it {old}",
    )


def missing_in_old(what: str, where: str, producer: Party) -> tuple[str, str]:
    """Return both directions of something that only NEW knows, at bytes that OLD has for nothing or for something else.

    Args:
        what: the new member.
        where: `at offset 20`.
        producer: who fills it.

    Returns:
        What it does to a plugin built against OLD, and to one built against NEW.
    """
    if producer not in (Party.CORE, Party.PLUGIN):
        return (
            f"it does not know {what}, which a core built against NEW accesses {where}",
            f"it accesses {what} {where}, where a core built against OLD has no such member",
        )
    if producer is Party.CORE:
        return (
            f"it does not know {what}, which a core built against NEW sets {where}",
            f"it reads {what} {where}, which a core built against OLD never sets",
        )
    return (
        f"it never sets {what}, which a core built against NEW reads {where}",
        f"it stores {what} {where}, where a core built against OLD has no such member",
    )


def missing_in_new(what: str, where: str, producer: Party) -> tuple[str, str]:
    """Return both directions of an entity that only OLD has; arguments and result are those of `missing_in_old`."""
    if producer is Party.CORE:
        return (
            f"it reads {what} {where}, which a core built against NEW no longer sets",
            f"it ignores {what}, which a core built against OLD sets {where}",
        )
    if producer is Party.PLUGIN:
        return (
            f"it stores {what} {where}, which a core built against NEW no longer reads",
            f"it no longer sets {what}, which a core built against OLD reads {where}",
        )
    return (
        f"it accesses {what} {where}, which a core built against NEW does not have",
        f"it does not have {what}, which a core built against OLD accesses {where}",
    )


def who_tells(filler: Party, is_spec: bool) -> tuple[Detail, ...]:
    """Return a note that the setter of a member is unknown, with the way to state it; nothing where it is known.

    Args:
        filler: who fills it.
        is_spec: whether a spec declares it, and not a header.
    """
    keys = "`set_by` at it, or `conventions.filled_by`" if is_spec else "`Set by core.` in its comment, or `filled-by`"
    return () if filler else (Detail("set by", f"unknown; state it with {keys} for the prefix of the struct"),)


def gone(name: str) -> str:
    """Return the reason why code that names a removed entity no longer compiles."""
    return f"code that names {name} no longer compiles"


def count(number: int, noun: str) -> str:
    """`1 member`, `2 members`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(clauses: Sequence[str], total: int | None = None) -> str:
    """Return the first few, and how many more there are.

    Args:
        clauses: all of them, or the first few.
        total: how many there are, if these are not all.
    """
    rest = (len(clauses) if total is None else total) - _SHOWN
    return ", ".join(clauses[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def last_members(names: Sequence[str]) -> str:
    """Return members that stand behind one another, in short: `b, c`; `b to k (10 members)`."""
    return ", ".join(names) if len(names) < _RUN else f"{names[0]} to {names[-1]} ({count(len(names), 'member')})"


def where_they_differ(*texts: str, longest: int) -> list[str]:
    """Two texts, each on one line; cut when they are long, so that what differs is seen.

    Args:
        texts: the old one and the new one.
        longest: how many characters of each are shown at most.
    """
    lines = [text.split() for text in texts]
    same = next((at for at, words in enumerate(zip(*lines, strict=False)) if len(set(words)) > 1), min(map(len, lines)))
    shown = []
    for words in lines:
        is_late = len(" ".join(words[: same + 1])) > longest - 8
        line = " ".join(["...", *words[max(same - 3, 0) :]] if is_late else words)
        shown.append(line if len(line) <= longest else line[: longest - 4].rstrip() + " ...")
    return shown


HIDDEN = "it is no longer exported"
HIDDEN_NOW = "it became hidden"


def linkage_words(old: Function | Variable, new: Function | Variable) -> list[str]:
    """Return a clause for each difference that the linker sees."""
    was_static, is_static = (isinstance(each, Function) and each.static for each in (old, new))
    if was_static and is_static:
        return []
    if was_static or is_static:
        return ["it became static, so its symbol was removed" if is_static else "it was static, and got a symbol"]
    before, after = old.symbol or old.name, new.symbol or new.name
    is_own = old.in_api and new.in_api  # what other headers say to a C++ compiler is not looked at
    words = {
        '`extern "C"` was removed': is_own and old.linkage == "C" and new.linkage != "C",
        '`extern "C"` was added': is_own and old.linkage == "C++" and new.linkage == "C",
        HIDDEN: bool(old.exported and not new.exported),
        HIDDEN_NOW: new.exported is False and old.exported is None,
        f"its symbol was `{before}`, is `{after}`": before != after,
    }
    return [word for word, holds in words.items() if holds]


_MOST = 3
"""The number of targets that are named at most."""


def with_targets(finding: Finding, of_targets: Sequence[Finding], targets: Sequence[str]) -> Finding:
    """Return a finding whose sentences name their target where they differ between targets.

    Args:
        finding: the one that speaks for all targets.
        of_targets: the finding of each target.
        targets: all targets that were compared; none where findings are about no target.
    """
    is_on_some = not finding.targets.keys() >= set(targets)
    if not is_on_some and len(of_targets) < 2:
        return finding

    def named(text: str, others: Sequence[str], *, is_always: bool = False) -> str:
        """Add the targets to a sentence; `others` has the sentence of each target."""
        differs = any(text != each for each in others)
        if not text or not (differs or (is_on_some and (is_always or re.search(r"\d", text)))):
            return text
        same = [
            target for each, other in zip(of_targets, others, strict=True) if text == other for target in each.targets
        ]
        if not same:
            return text
        rest = f" and {len(same) - _MOST} more" if len(same) > _MOST else ""
        return f"{text} (on {', '.join(same[:_MOST])}{rest})"

    def texts(label: str) -> list[str]:
        """Return the detail of a label of each target; empty where a target has none."""
        return [next((each.text for each in other.details if each.label == label), "") for other in of_targets]

    reasons = {
        axis: named(reason, [other.axes.reasons.get(axis, "") for other in of_targets])
        for axis, reason in finding.axes.reasons.items()
    }
    return replace(
        finding,
        message=named(finding.message, [other.message for other in of_targets], is_always=True),
        caret=named(finding.caret, [other.caret for other in of_targets]),
        axes=replace(finding.axes, reasons=reasons),
        details=tuple(
            Detail(each.label, named(each.text, texts(each.label))) if _is_single(each, finding) else each
            for each in finding.details
        ),
    )


def _is_single(detail: Detail, finding: Finding) -> bool:
    """True if no other detail of the finding has this label."""
    return sum(each.label == detail.label for each in finding.details) == 1


Context = TypeVar("Context")

Numbers: TypeAlias = Mapping[str, int | str | None]


class AtRisk(str):
    """A reason why something works only if the other side makes a check; any other reason says why it breaks."""

    __slots__ = ()


class Subject(msgspec.Struct, frozen=True):
    """The subject of a finding."""

    entity: str
    """`Struct.member`, a function's name, ...: with the rule's name it identifies the finding."""
    old: Span | None = None
    new: Span | None = None
    numbers: Numbers = MappingProxyType({})
    """Numbers on this target, in bytes: `old_offset`, `new_offset`, `old_size`, `new_size`, ..."""
    caret: str = ""
    """The text after the caret where the rule states none."""
    details: tuple[Detail, ...] = ()
    """The details of it beside those of the rule."""


class Case(Protocol):
    """A pair (or addition, or removal) that a rule receives."""

    @property
    def about(self) -> Subject:
        """The subject of every finding about it."""


AnyCase = TypeVar("AnyCase", bound=Case)


class RuleResult(msgspec.Struct, frozen=True):
    """The result of a rule for a pair; the engine makes a `Finding` of it.

    A reason is a clause without a full stop: which side reads or writes what, and why that goes wrong. It is empty
    where nothing goes wrong, and `AtRisk` where it goes wrong unless a side makes a check.
    """

    message: str
    """The message: one line that names the entity, the old state and the new one."""
    bump: Bump | None = None
    """The required bump, if it is not the decorator's."""
    help: str = ""
    """The remedy, one line."""
    caret: str = ""
    """The text after the caret: `new at offset 24`."""
    plugins: tuple[str, str] = ("", "")
    """Two reasons: why a plugin built against OLD does not work in a core built against NEW, and the reverse."""
    source: str = ""
    """The reason why code that compiled against OLD does not compile against NEW."""
    contract: str = ""
    """The reason why the two sides may disagree about the meaning of the same bytes."""
    details: Iterable[Detail] = ()
    numbers: Numbers | None = None
    """Instead of the pair's own."""
    level: str = ""
    """The level where the policy states none, if it is not the decorator's."""
    about: Subject | None = None
    """Instead of what the pair says; a rule that is handed the whole has to say it."""


Handed = TypeVar("Handed")
Look: TypeAlias = Callable[[Handed], Iterator[RuleResult]]
"""The type of a rule: a function of a pair, or of the whole, that yields results."""


_PAGES = Path(__file__).parent / "rules" / "pages"
"""The manual: one page per rule, in a folder per module of rules."""


class Rule(msgspec.Struct, frozen=True):
    """A rule: its stable code, its public name, and the defaults of its findings."""

    code: str
    name: str
    """`field-inserted`."""
    subject: str
    """The module that it stands in, without the package: `fields`."""
    bump: Bump | None
    """The bump; None: that of a break of source code, as far as the policy counts it."""
    level: str
    """`error`, `warning`, `note`; empty: as the bump has it."""
    former: tuple[str, ...] = ()
    """Names that it had before, which users may still write."""

    @property
    def manual(self) -> str:
        """The text of its page: what changed, what then happens, what to do instead, and the source."""
        page = _PAGES / self.subject / f"{self.name}.md"
        return page.read_text(encoding="utf-8").partition("\n\n")[2].rstrip("\n") if page.is_file() else ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names that users may use: its code, its name, and its former names."""
        return self.code, self.name, *self.former


class RuleList(Generic[Context]):
    """The rules that look at one kind of context, each with the functions that look."""

    def __init__(self) -> None:
        self._rules: dict[str, Rule] = {}
        self._looks: dict[str, list[Callable[[Context], Iterator[tuple[Subject, RuleResult]]]]] = {}

    def __iter__(self) -> Iterator[Rule]:
        """Return the rules, by code."""
        return iter(sorted(self._rules.values(), key=lambda rule: rule.code))

    def each(
        self,
        code: str,
        over: Callable[[Context], Iterable[AnyCase]],
        bump: Bump | None = Bump.NONE,
        level: str = "",
        former: tuple[str, ...] = (),
    ) -> Callable[[Look[AnyCase]], Look[AnyCase]]:
        """Register a function as a rule that is handed one pair after the other.

        Args:
            code: stable, `ABI` and three digits.
            over: the pairs in a context.
            bump: what its findings require; None: what a break of source code needs, if that is what happens.
            level: how loud they are where the policy says nothing; empty: as their bump has it.
            former: names that the rule had before.
        """

        def register(look: Look[AnyCase]) -> Look[AnyCase]:
            self._add(code, look, bump, level, former)
            return self.also(code, over)(look)

        return register

    def also(self, code: str, over: Callable[[Context], Iterable[AnyCase]]) -> Callable[[Look[AnyCase]], Look[AnyCase]]:
        """Register a function that looks at another kind of pair for a rule that is registered already."""

        def register(look: Look[AnyCase]) -> Look[AnyCase]:
            def run(context: Context) -> Iterator[tuple[Subject, RuleResult]]:
                for case in over(context):
                    for result in look(case):
                        yield result.about or case.about, result

            self._looks.setdefault(code, []).append(run)
            return look

        return register

    def whole(
        self, code: str, bump: Bump | None = Bump.NONE, level: str = ""
    ) -> Callable[[Look[Context]], Look[Context]]:
        """Register a function as a rule that is handed the whole context; each result identifies it about."""

        def register(look: Look[Context]) -> Look[Context]:
            self._add(code, look, bump, level)
            told = self._looks.setdefault(code, [])
            told.append(lambda context: ((result.about or Subject(""), result) for result in look(context)))
            return look

        return register

    def run(self, rule: Rule, context: Context) -> Iterator[tuple[Subject, RuleResult]]:
        """Yield all that one rule finds."""
        for look in self._looks[rule.code]:
            yield from look(context)

    def _add(
        self, code: str, look: Callable[..., object], bump: Bump | None, level: str, former: tuple[str, ...] = ()
    ) -> None:
        """Note what is known of a rule by its function."""
        name, module = look.__name__.replace("_", "-"), look.__module__.rpartition(".")[2]
        self._rules[code] = Rule(code, name, module, bump, level, former)
