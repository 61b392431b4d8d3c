"""Reports on the history of an API: records, sentences, changelog and formats, and the lifetime of each struct.

A lifetime is a drawing: members in byte order as rows, and a column for each revision. A bar shows the revisions in
which a member existed. A mark shows where it was inserted, appended, moved, given another type or removed. A hatched
bar shows revisions whose size constant does not cover the member.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise

import msgspec

from abigen.checker.report import documents
from abigen.checker.report.formats.html import page_environment
from abigen.checker.report.formats.markdown import escape_text
from abigen.checker.report.subject import Style
from abigen.checker.report.wording import KINDS, count, kind_of
from abigen.model.finding import Bump, Finding, MemberShape, RevisionName, Step, StructShape
from abigen.model.span import printable, without_commands

_HEADINGS = dict(zip(KINDS, ("Breaking", "Added", "Deprecated", "Changed", "Fixed"), strict=True))


_UNRELEASED = "Unreleased"
"""The name that keepachangelog.com gives to changes that are in no release yet."""


def changelog(steps: Sequence[Step], *, without_first: bool = False) -> str:
    """Write Markdown in the order and with the headings of keepachangelog.com, and `Breaking` in front of them.

    Args:
        steps: in order of time; those that cannot be read are left out. Steps of one version become one entry.
        without_first: the first step is only what the second is compared with.

    Returns:
        The entries, with a line end at their end; empty when nothing can be read.
    """
    released = {each for step in steps if step.name.release for each in (step.state.version, step.name.release_version)}
    read = [step for step in steps[1 if without_first else 0 :] if not step.state.error]
    versions = groupby(read, lambda step: _heading(step, released))
    entries = ["\n".join(_entry(version, list(group))) for version, group in versions]
    return without_commands("\n".join(reversed([each for each in entries if each])))


def _heading(step: Step, released: Container[str]) -> str:
    """Return the heading of the entry of a step.

    A commit is called by the tag of its release. Without one, it is called by the version that it states, unless a
    release states that version, too, or its tag names it. Other revisions are called by their own name.
    """
    version, label = step.state.version, step.name.label
    if step.name.release:
        return step.name.release
    if step.name.commit and version in released:
        return _UNRELEASED
    if step.name.commit or version == label:
        return version or label
    return f"{version} ({label})" if version else label


def _entry(version: str, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the entry of one version; nothing for a revision without a version that changed nothing."""
    findings = [finding for step in steps for finding in (*step.state.breaks, *step.state.others)]
    if not findings and not steps[0].state.version and not steps[0].is_first:
        return
    last = steps[-1].name
    date = "" if version == _UNRELEASED else last.released or last.date
    yield f"## {escape_text(version)}{f' - {date}' if date else ''}\n"
    if steps[0].is_first:
        yield "- The first version.\n"
    elif not findings:
        yield "- No change that users of the API notice.\n"
    for kind, heading in _HEADINGS.items():
        lines = dict.fromkeys(_message(each) for each in findings if (kind_of(each) or KINDS[0]) == kind)
        if lines:
            yield f"### {heading}\n"
            yield "".join(f"- {escape_text(line)}\n" for line in lines)


def _message(finding: Finding) -> str:
    """Return the message of a finding, with the name of its subject as code."""
    before, name, after = finding.message.partition(finding.entity)
    return f"{before}`{name}`{after}" if name and not {"`", "."} & set(before[-1:] + after[:1]) else finding.message


class StalePeriod(msgspec.Struct, frozen=True):
    """A time in which a size constant left out members of its struct."""

    constant: str
    struct: str
    left_out: tuple[str, ...]
    """At its beginning."""
    since: RevisionName
    until: RevisionName | None
    """The revision that mended or removed it; None while it is stale."""

    def sentence(self) -> str:
        """Return the error with its first and last revision, without a full stop."""
        end = f" until {place(self.until)}" if self.until else " and still does"
        return f"{self.constant} left out {', '.join(self.left_out)} of {self.struct} since {place(self.since)}{end}"


class HistoryReport(msgspec.Struct, frozen=True, dict=True):
    """The findings of `abigen history`."""

    operand: str
    """The subject of the history, as the user wrote it."""
    steps: tuple[Step, ...]
    """In order of time."""
    targets: tuple[str, ...]
    policy: str

    @property
    def read(self) -> tuple[Step, ...]:
        """The revisions that can be read."""
        return tuple(step for step in self.steps if not step.state.error)

    @cached_property
    def stale_periods(self) -> tuple[StalePeriod, ...]:
        """The periods in which size constants were stale, by their beginnings."""
        return tuple(_stale_periods(self.read))

    def title(self) -> str:
        """Return the subject of the history, without a full stop."""
        dates = [step.name.date for step in self.steps if step.name.date]
        time = f", {dates[0]} to {dates[-1]}" if dates else ""
        return f"{self.operand}: {count(len(self.steps), 'revision')}{time}"

    def summary(self) -> list[str]:
        """Return the number of steps whose version was right, as sentences without a full stop."""
        changed = [step for step in self.read if step.changes]
        broken = [step for step in changed if not step.state.ok]
        said = [step for step in changed if step.state.ok and step.state.required is Bump.MAJOR]
        kept = len(changed) - len(broken)
        lines = [f"The version was right in {kept} of {count(len(changed), 'step')} that changed the API"]
        if broken:
            breaks = sum(map(unsaid, broken))
            lines.append(
                f"{count(len(broken), 'step')} broke it, with {count(breaks, 'break')} that no version declared"
            )
        if said:
            lines.append(f"{count(len(said), 'step')} broke the API and declared it")
        lines += [period.sentence() for period in self.stale_periods]
        unread = len(self.steps) - len(self.read)
        return lines + ([f"{count(unread, 'revision')} cannot be read"] if unread else [])


def place(name: RevisionName) -> str:
    """Return a revision in a sentence: its label and its date."""
    return f"{name.label} ({name.date})" if name.date else name.label


def unsaid(step: Step) -> int:
    """Return the number of breaks of a step that the version does not declare: only unrepairable flaws if it did."""
    state = step.state
    if {each.value: each.rank for each in Bump}.get(state.declared, 0) >= state.demanded.rank:
        return sum(each.bump is Bump.NONE for each in state.breaks)
    return len(state.breaks)


def verdict(step: Step) -> str:
    """Return the required and the declared bump of a step, in few words; empty for the first."""
    state = step.state
    if state.error:
        return "cannot be read"
    if step.is_first:
        return f"version {state.version}" if state.version else "no version"
    required = _bump_name(state.required)
    if state.demanded is not state.required:
        required += f" ({_bump_name(state.demanded)} is enough for this version)"
    declared = {"none": "nothing", "unknown": "no version", "backwards": "a version that goes back"}
    said = declared.get(state.declared, state.declared.upper())
    version = f" ({state.version})" if state.version else ""
    return f"{required} required, {said} declared{version}"


def _bump_name(bump: Bump) -> str:
    return "nothing" if bump is Bump.NONE else bump.value.upper()


def others(step: Step) -> str:
    """Return the other changes of a step, in few words: `2 field-appended, 1 function-added`."""
    return ", ".join(f"{number} {rule}" for rule, number in counted(step).items())


def counted(step: Step) -> dict[str, int]:
    """Return the number of other findings of a step by rule."""
    return dict(sorted(Counter(each.rule for each in step.state.others).items()))


def _stale_periods(steps: tuple[Step, ...]) -> Iterator[StalePeriod]:
    open_periods: dict[str, StalePeriod] = {}
    found: list[StalePeriod] = []
    for step in steps:
        stale = {each.name: each for each in step.state.stale}
        for name in [name for name in open_periods if name not in stale]:
            period = open_periods.pop(name)
            found.append(StalePeriod(name, period.struct, period.left_out, period.since, step.name))
        for name, each in stale.items():
            open_periods.setdefault(name, StalePeriod(name, each.struct, each.left_out, step.name, None))
    order = {step.name.operand: number for number, step in enumerate(steps)}
    yield from sorted([*found, *open_periods.values()], key=lambda each: (order[each.since.operand], each.constant))


_LABEL, _ROW, _TOP, _BAR = 248, 22, 44, 16
"""Width of the names on the left, height of a row, where rows begin, and height of a bar, in pixels."""
_WIDTH, _NARROWEST, _WIDEST = 720, 14, 180
"""The width that columns share if possible, and the least and the largest width of one, in pixels."""
_LETTER = 7
"""Width of a letter of a version's label, in pixels."""
_LONGEST = 30
"""Characters of a member's name that fit on the left."""


class Bar(msgspec.Struct, frozen=True):
    """A time in which a member stood at one offset with one type, or a size constant was stale."""

    left: int
    width: int
    """In pixels."""
    begins: str
    """The event at its start: `inserted`, `appended`, `moved`, `retyped`, `replaced` (it took the bytes of
    another), or empty for nothing."""
    is_removed: bool
    """True if the member is removed at its end."""
    title: str


class Row(msgspec.Struct, frozen=True):
    """A member, or a size constant, over time."""

    label: str
    title: str
    top: int
    """In pixels."""
    bars: tuple[Bar, ...]
    is_constant: bool = False

    @property
    def text(self) -> int:
        """The base line of the label, in pixels from the top."""
        return self.top + _BAR - 4


class Tick(msgspec.Struct, frozen=True):
    """A revision on the axis of time."""

    left: int
    """In pixels."""
    label: str
    """Empty where there is no room for one."""
    title: str
    is_version: bool
    """True if the version of the API changed there."""


class StructHistory(msgspec.Struct, frozen=True):
    """A struct over time."""

    name: str
    summary: str
    width: int
    height: int
    """In pixels."""
    ticks: tuple[Tick, ...]
    rows: tuple[Row, ...]


def struct_histories(report: HistoryReport) -> list[StructHistory]:
    """Draw every struct that changed after it first appeared, or had a stale size constant, by its name."""
    steps = [step for step in report.read if step.changes or step.is_first or step.state.stale]
    names = sorted({each.name for step in steps for each in step.state.structs})
    drawn = []
    for name in names:
        shapes = [_shape(step, name) for step in steps]
        stale = [period for period in report.stale_periods if period.struct == name]
        if stale or len({each.members for each in shapes if each is not None}) > 1 or _was_removed(shapes):
            drawn.append(_struct_history(name, steps, shapes, stale))
    return drawn


def _was_removed(shapes: Sequence[StructShape | None]) -> bool:
    return any(before is not None and after is None for before, after in pairwise(shapes))


def _shape(step: Step, name: str) -> StructShape | None:
    return next((each for each in step.state.structs if each.name == name), None)


def _struct_history(
    name: str, all_steps: Sequence[Step], all_shapes: Sequence[StructShape | None], stale: Sequence[StalePeriod]
) -> StructHistory:
    """Return a struct with a column for each revision at which it, its constants or the version differ."""
    kept = _worth_a_column(all_steps, all_shapes)
    steps, shapes = [all_steps[each] for each in kept], [all_shapes[each] for each in kept]
    column = max(_NARROWEST, min(_WIDEST, _WIDTH // len(steps)))
    rows = []
    for number, member in enumerate(_byte_order(shapes)):
        bars = tuple(_bars(member, steps, shapes, column))
        last = next(found for shape in reversed(shapes) if (found := _member(shape, member)))
        rows.append(Row(_short(member), f"{last.type} {member}", _TOP + number * _ROW, bars))
    order = {step.name: number for number, step in enumerate(steps)}
    for constant in dict.fromkeys(period.constant for period in stale):
        periods = [period for period in stale if period.constant == constant]
        bars = tuple(_stale_bar(period, all_steps, order, column) for period in periods)
        title = "; ".join(period.sentence() for period in periods)
        rows.append(Row(_short(constant), title, _TOP + len(rows) * _ROW, bars, is_constant=True))
    sizes = [each.size for each in shapes if each is not None]
    changes = len({each.members for each in shapes if each is not None}) - 1
    summary = f"{sizes[0]} to {sizes[-1]} bytes" if sizes[0] != sizes[-1] else f"{sizes[0]} bytes"
    summary += f", laid out in {changes + 1} ways" if changes else ""
    width, height = _LABEL + column * len(steps) + 8, _TOP + len(rows) * _ROW + 6
    return StructHistory(name, summary, width, height, tuple(_ticks(steps, column)), tuple(rows))


def _worth_a_column(steps: Sequence[Step], shapes: Sequence[StructShape | None]) -> list[int]:
    """Numbers of the revisions at which the struct, its stale constants or the version are not what they were."""
    kept = [0]
    for number in range(1, len(steps)):
        states = steps[number - 1].state, steps[number].state
        is_other = states[0].stale != states[1].stale or states[0].version != states[1].version
        if is_other or shapes[number] != shapes[number - 1]:
            kept.append(number)
    return kept


def _stale_bar(period: StalePeriod, steps: Sequence[Step], order: dict[RevisionName, int], column: int) -> Bar:
    """Return the bar of a time in which a size constant was stale."""
    start = _column_of(period.since, steps, order)
    end = len(order) if period.until is None else _column_of(period.until, steps, order)
    return Bar(_LABEL + start * column, max(1, end - start) * column - 2, "stale", False, period.sentence())


def _column_of(name: RevisionName, steps: Sequence[Step], order: dict[RevisionName, int]) -> int:
    """Return the column of a revision, or of the next one that has one."""
    names = [step.name for step in steps]
    later = names[names.index(name) :] if name in names else []
    return next((order[each] for each in later if each in order), len(order))


def _byte_order(shapes: Sequence[StructShape | None]) -> list[str]:
    """Return names of all members that ever were, each behind what stood before it when it came."""
    order: list[str] = []
    for shape in shapes:
        at = 0
        for member in shape.members if shape else ():
            if member.name in order:
                at = order.index(member.name) + 1
            else:
                order.insert(at, member.name)
                at += 1
    return order


def _member(shape: StructShape | None, name: str) -> MemberShape | None:
    return next((each for each in shape.members if each.name == name), None) if shape else None


def _bars(name: str, steps: Sequence[Step], shapes: Sequence[StructShape | None], column: int) -> Iterator[Bar]:
    """Yield the times in which a member stood at one place with one type."""
    start = 0
    members = [_member(shape, name) for shape in shapes]
    while start < len(steps):
        member = members[start]
        if member is None:
            start += 1
            continue
        end = start + 1
        while end < len(steps) and members[end] is not None and members[end] == member:
            end += 1
        begins = _beginning(member, shapes[start - 1] if start else None, shapes[start])
        is_removed = end < len(steps) and members[end] is None
        said = [f"{member.type} {name}: offset {member.offset}, {member.size} bytes"]
        said.append(f"{begins or 'there'} at {place(steps[start].name)}")
        said += [f"removed at {place(steps[end].name)}"] if is_removed else []
        yield Bar(_LABEL + start * column, (end - start) * column - 2, begins, is_removed, "; ".join(said))
        start = end


def _beginning(member: MemberShape, shape: StructShape | None, now: StructShape | None) -> str:
    """Return the event at the start of a bar: between the struct before it and the struct as it is now."""
    if shape is None:
        return ""
    before = _member(shape, member.name)
    if before is not None:
        return "moved" if before.offset != member.offset else "retyped"
    if any(each.offset == member.offset and _member(now, each.name) is None for each in shape.members):
        return "replaced"
    end = max((each.offset + each.size for each in shape.members), default=0)
    return "appended" if member.offset >= end else "inserted"


def _ticks(steps: Sequence[Step], column: int) -> Iterator[Tick]:
    """Yield the axis: a tick for each column, labelled with changed versions, else with revisions, if it fits."""
    free = 0
    version = ""
    for number, step in enumerate(steps):
        left = _LABEL + number * column
        is_version = bool(step.state.version) and step.state.version != version
        version = step.state.version
        label = version if is_version else ("" if version else step.name.label)
        fits = left >= free and (is_version or column >= len(label) * _LETTER)
        if label and fits:
            free = left + len(label) * _LETTER + 4
        title = f"{place(step.name)}{': ' + step.name.title if step.name.title else ''}"
        yield Tick(left, label if fits else "", f"{title}; version {version}" if version else title, is_version)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


_MOST = 10
"""The number of breaks of a step that are shown."""
_RED, _GREEN, _DIM, _RESET = "\x1b[1;31m", "\x1b[1;32m", "\x1b[2m", "\x1b[0m"


def _text(report: HistoryReport, style: Style) -> str:
    """For people at a terminal: a paragraph for each step that changed something, and how often the promise held."""
    summary = [f"{printable(line)}." for line in report.summary()]
    if style.summary:
        return "\n".join(summary) + "\n"
    return "\n".join([printable(report.title()), "", *_steps(report, style), "", *summary]) + "\n"


def _steps(report: HistoryReport, style: Style) -> Iterator[str]:
    width = max((len(step.name.label) for step in report.steps), default=0)
    silent = 0
    for step in report.steps:
        if style.everything or step.changes or step.is_first or step.state.error:
            yield from _silent(silent, style)
            silent = 0
            yield from _step(step, width, style)
        else:
            silent += 1
    yield from _silent(silent, style)


def _silent(number: int, style: Style) -> Iterator[str]:
    if number:
        yield _paint(f"{count(number, 'revision')} without a change to the API", _DIM, style)


def _step(step: Step, width: int, style: Style) -> Iterator[str]:
    state, name = step.state, step.name
    colour = _RED if state.error or not state.ok else "" if step.is_first else _GREEN
    date = f"{name.date}  " if name.date else ""
    yield f"{date}{name.label:<{width}}  {_paint(printable(verdict(step)), colour, style)}"
    if name.title:
        yield _paint(f'    "{printable(name.title)}"', _DIM, style)
    lines = _shown([f"{each.code} {each.rule}: {each.message}" for each in state.breaks], style)
    if others(step):
        lines.append(_paint(f"also: {others(step)}", _DIM, style))
    if state.error:
        lines.append(state.error)
    yield from (f"    {printable(line) if not line.startswith(chr(27)) else line}" for line in lines)


def _shown(breaks: list[str], style: Style) -> list[str]:
    """Return as many breaks of a step as are wanted, and the number of further ones."""
    if style.everything or len(breaks) <= _MOST:
        return breaks
    return [*breaks[:_MOST], f"and {len(breaks) - _MOST} more"]


def _paint(text: str, colour: str, style: Style) -> str:
    return f"{colour}{text}{_RESET}" if style.colour and colour else text


def _markdown(report: HistoryReport, style: Style) -> str:
    """For a comment or a page of documentation: a table with a row for each step that changed something."""
    lines = [f"### {escape_text(report.title())}", ""]
    lines += [f"- {escape_text(line)}." for line in report.summary()]
    if style.summary:
        return "\n".join(lines) + "\n"
    shown = [step for step in report.steps if style.everything or step.changes or step.is_first or step.state.error]
    dates = ["date"] if any(step.name.date for step in shown) else []
    columns = ["revision", *dates, "verdict", "what broke", "what else changed"]
    lines += ["", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    lines += [_row(step, style, is_dated=bool(dates)) for step in shown]
    return "\n".join(lines) + "\n"


def _row(step: Step, style: Style, *, is_dated: bool) -> str:
    state, name = step.state, step.name
    mark = "" if step.is_first or state.ok else "**broken** "
    shown = _shown([f"{each.rule}: {escape_text(each.message)}" for each in state.breaks], style)
    if state.error:
        shown.append(escape_text(state.error))
    dates = [name.date] if is_dated else []
    cells = (escape_text(name.label), *dates, mark + escape_text(verdict(step)), "<br>".join(shown), others(step))
    return f"| {' | '.join(cells)} |"


def _json(report: HistoryReport, style: Style) -> str:
    """For programs: one JSON object."""
    return documents.written(
        documents.History(
            of=report.operand,
            policy=report.policy,
            targets=report.targets,
            summary=tuple(report.summary()),
            steps=tuple(map(_history_step, report.steps)),
            stale=tuple(
                documents.StaleTime(
                    constant=each.constant,
                    struct=each.struct,
                    left_out=each.left_out,
                    since=each.since.label,
                    until=each.until.label if each.until else None,
                )
                for each in report.stale_periods
            ),
        )
    )


def _history_step(step: Step) -> documents.HistoryStep:
    state, name = step.state, step.name
    return documents.HistoryStep(
        revision=name.label,
        commit=name.commit or None,
        operand=name.operand,
        date=name.date or None,
        title=name.title or None,
        version=state.version or None,
        error=state.error or None,
        is_first=step.is_first,
        required_bump=state.required,
        demanded_bump=state.demanded,
        declared_bump=state.declared,
        ok=state.ok and not state.error,
        breaks=tuple(documents.Break(each.code, each.rule, each.entity, each.message) for each in state.breaks),
        others=counted(step),
        stale=state.stale,
        structs=state.structs,
    )


def _html(report: HistoryReport, style: Style) -> str:
    """Return a self-contained page: each step, and the life of each struct; all text from headers is escaped."""
    environment = page_environment()
    environment.globals |= {each.__name__: each for each in (others, place, verdict)}
    template = environment.get_template("report/history.html.j2")
    return template.render(report=report, histories=() if style.summary else struct_histories(report)).strip() + "\n"


_WRITERS = {"text": _text, "html": _html, "json": _json, "markdown": _markdown}
FORMATS = tuple(_WRITERS)


def render(format: str, report: HistoryReport, style: Style) -> str:
    """Write a report, with a line end at its end.

    Args:
        format: one of `FORMATS`.
        report: what it is about.
        style: how it looks.
    """
    text = _WRITERS[format](report, style)
    return text if format == "json" else without_commands(text)
