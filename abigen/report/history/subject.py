"""What a report on a history is about, and the sentences that its formats share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from abigen.model.finding import Bump
from abigen.model.history import RevisionName, Step
from abigen.report.wording import count


@dataclass(frozen=True)
class StalePeriod:
    """A time in which a size constant left out members of its struct."""

    constant: str
    struct: str
    left_out: tuple[str, ...]
    """At its beginning."""
    since: RevisionName
    until: RevisionName | None
    """The revision that mended or removed it; None while it is stale."""

    def sentence(self) -> str:
        """What was wrong, since when and until when, without a full stop."""
        end = f" until {place(self.until)}" if self.until else " and still does"
        return f"{self.constant} left out {', '.join(self.left_out)} of {self.struct} since {place(self.since)}{end}"


@dataclass(frozen=True)
class HistoryReport:
    """What `abigen history` has found."""

    operand: str
    """What the history is of, as the user wrote it."""
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
        """When size constants were stale, by their beginnings."""
        return tuple(_stale_periods(self.read))

    def title(self) -> str:
        """What the history is of, without a full stop."""
        dates = [step.name.date for step in self.steps if step.name.date]
        time = f", {dates[0]} to {dates[-1]}" if dates else ""
        return f"{self.operand}: {count(len(self.steps), 'revision')}{time}"

    def summary(self) -> list[str]:
        """How often the promise of the version numbers held, as sentences without a full stop."""
        changed = [step for step in self.read if step.changes]
        broken = [step for step in changed if not step.state.ok]
        said = [step for step in changed if step.state.ok and step.state.required is Bump.MAJOR]
        kept = len(changed) - len(broken)
        lines = [f"The promise held in {kept} of {count(len(changed), 'step')} that changed the API"]
        if broken:
            breaks = sum(len(step.state.breaks) for step in broken)
            lines.append(f"{count(len(broken), 'step')} broke it, with {count(breaks, 'break')} that no version said")
        if said:
            lines.append(f"{count(len(said), 'step')} broke the API and said so")
        lines += [period.sentence() for period in self.stale_periods]
        unread = len(self.steps) - len(self.read)
        return lines + ([f"{count(unread, 'revision')} cannot be read"] if unread else [])


def place(name: RevisionName) -> str:
    """A revision in a sentence: its label and its date."""
    return f"{name.label} ({name.date})" if name.date else name.label


def verdict(step: Step) -> str:
    """What a step required and declared, in few words; empty for the first."""
    state = step.state
    if state.error:
        return "cannot be read"
    if step.is_first:
        return f"version {state.version}" if state.version else "no version"
    required = _shouted(state.required)
    if state.demanded is not state.required:
        required += f" ({_shouted(state.demanded)} is enough for this version)"
    declared = {"none": "nothing", "unknown": "no version", "backwards": "a version that goes back"}
    said = declared.get(state.declared, state.declared.upper())
    version = f" ({state.version})" if state.version else ""
    return f"{required} required, {said} declared{version}"


def _shouted(bump: Bump) -> str:
    return "nothing" if bump is Bump.NONE else bump.value.upper()


def others(step: Step) -> str:
    """What else a step changed, in few words: `2 field-appended, 1 function-added`."""
    return ", ".join(f"{number} {rule}" for rule, number in step.state.others)


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
