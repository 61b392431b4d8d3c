"""Rules: one small function each, registered by standing in a module of `abigen.check.rules`.

How to write one (`python -m tests.new_rule NAME` lays out a rule with its fixtures)::

    @change_rules.each("ABI102", lambda comparison: comparison.members(lambda fields: fields.moved), Bump.MAJOR)
    def field_reordered(moved: MemberPair) -> Iterator[RuleResult]:
        \"\"\"A member has another place among the members that stayed.

        What changed: ...

        What happens: ...

        Instead: ...

        Source: VS, "Conventions".
        \"\"\"
        yield RuleResult(f"{moved.entity} changed its place", source=f"code that names {moved.name} does not compile")

The public name follows from the function's (`field_removed` -> `field-removed`), the docstring is the manual page, and
the code never changes once it is published. A rule that is renamed keeps its old name in `former`.

The decorator says which pairs the rule is handed, one after the other; the rule says only what is its own. The engine
takes the rest from the pair and from the decorator: entity, places in OLD and in NEW, numbers before and after, target,
code, bump and level. It runs each rule once per target, merges what all targets have in common, and sorts.

There are four lists of rules, by what they look at:

- `change_rules` (`abigen.check.comparison`): OLD and NEW on one target;
- `release_rules` (`abigen.check.release`): all findings and the version numbers (`abigen diff`);
- `lint_rules` (`abigen.check.lint_context`): one API without a history (`abigen lint`);
- `policy_rules` (`abigen.check.policy`): what the project has decided and no longer needs.

Codes are grouped: ABI1xx members, ABI2xx whole types, ABI3xx enumerations, ABI4xx functions and variables, ABI5xx
macros and constants, ABI6xx deprecation, ABI7xx versions, ABI800 to ABI849 lint, ABI9xx the policy itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import cleandoc
from types import MappingProxyType
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec

from abigen.model.finding import Bump, Detail
from abigen.model.span import Span

Context = TypeVar("Context")

Numbers: TypeAlias = Mapping[str, int | str | None]


class AtRisk(str):
    """A reason why something works only if the other side makes a check; any other reason says why it breaks."""

    __slots__ = ()


class Subject(msgspec.Struct, frozen=True):
    """What a finding is about."""

    entity: str
    """`Struct.member`, a function's name, ...: with the rule's name it identifies the finding."""
    old: Span | None = None
    new: Span | None = None
    numbers: Numbers = MappingProxyType({})
    """Numbers on this target, in bytes: `old_offset`, `new_offset`, `old_size`, `new_size`, ..."""
    caret: str = ""
    """What to write behind the caret where the rule says nothing."""
    details: tuple[Detail, ...] = ()
    """What is said of it beside what the rule says."""


class Case(Protocol):
    """One pair (or addition, or removal) that a rule is handed."""

    @property
    def about(self) -> Subject:
        """What a finding about it says in any case."""


AnyCase = TypeVar("AnyCase", bound=Case)


class RuleResult(msgspec.Struct, frozen=True):
    """What a rule says of the pair that it was handed; the engine makes a `Finding` of it.

    A reason is a clause without a full stop: which side reads or writes what, and why that goes wrong. It is empty
    where nothing goes wrong, and `AtRisk` where it goes wrong unless a side makes a check.
    """

    message: str
    """One line that names the entity, what was and what is."""
    bump: Bump | None = None
    """What it requires, if that is not what the decorator says."""
    help: str = ""
    """What to do instead, one line."""
    caret: str = ""
    """What to write behind the caret: `new at offset 24`."""
    plugins: tuple[str, str] = ("", "")
    """Two reasons: why a plugin built against OLD does not work in a core built against NEW, and the reverse."""
    source: str = ""
    """Why code that compiled against OLD does not compile against NEW."""
    contract: str = ""
    """Why the two sides may disagree about what the same bytes mean."""
    details: Iterable[Detail] = ()
    numbers: Numbers | None = None
    """Instead of the pair's own."""
    level: str = ""
    """How loud it is where the policy says nothing, if that is not what the decorator says."""
    about: Subject | None = None
    """Instead of what the pair says; a rule that is handed the whole has to say it."""


Handed = TypeVar("Handed")
Look: TypeAlias = Callable[[Handed], Iterator[RuleResult]]
"""What a rule is: it is handed a pair, or the whole, and says what there is to say."""


class Rule(msgspec.Struct, frozen=True):
    """One rule: its stable code, its public name, and what holds for its findings unless it says otherwise."""

    code: str
    name: str
    """`field-inserted`."""
    subject: str
    """The module that it stands in, without the package: `fields`."""
    manual: str
    """What changed, what then happens, what to do instead, and the source; plain text, not indented."""
    bump: Bump | None
    """None: what a break of source code needs, as far as the policy counts that."""
    level: str
    """`error`, `warning`, `note`; empty: as the bump has it."""
    former: tuple[str, ...] = ()
    """Names that it had before, which users may still write."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What users may call it: its code, its name, and the names that it had."""
        return self.code, self.name, *self.former


class RuleList(Generic[Context]):
    """The rules that look at one kind of context, each with the functions that look."""

    def __init__(self) -> None:
        self._rules: dict[str, Rule] = {}
        self._looks: dict[str, list[Callable[[Context], Iterator[tuple[Subject, RuleResult]]]]] = {}

    def __iter__(self) -> Iterator[Rule]:
        """All rules, by code."""
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
        """Register a function as a rule that is handed the whole context; each result says what it is about."""

        def register(look: Look[Context]) -> Look[Context]:
            self._add(code, look, bump, level)
            told = self._looks.setdefault(code, [])
            told.append(lambda context: ((result.about or Subject(""), result) for result in look(context)))
            return look

        return register

    def run(self, rule: Rule, context: Context) -> Iterator[tuple[Subject, RuleResult]]:
        """All that one rule finds."""
        for look in self._looks[rule.code]:
            yield from look(context)

    def _add(
        self, code: str, look: Callable[..., object], bump: Bump | None, level: str, former: tuple[str, ...] = ()
    ) -> None:
        """Note what is known of a rule by its function."""
        name, module = look.__name__.replace("_", "-"), look.__module__.rpartition(".")[2]
        self._rules[code] = Rule(code, name, module, cleandoc(look.__doc__ or ""), bump, level, former)
