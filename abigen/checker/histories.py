"""Judges many comparisons, in several processes if there are many.

These are the revisions of a history, each against the one before it, and the headers of two folders.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace

from abigen.checker.compare import compare_with
from abigen.checker.configuration import Configuration
from abigen.checker.release import with_agreed_versions
from abigen.model.api import Api, ApiGroup, ApiSet
from abigen.model.finding import Bump, RevisionName, RevisionState, Step, Verdict
from abigen.model.span import AbigenError, Diagnostic
from abigen.specs.load import load_each
from abigen.workspace.files import Files
from abigen.workspace.operand import EmptyOperand, Operand, parse_operand
from abigen.workspace.python_children import process_pool

if TYPE_CHECKING:
    from abigen.checker.policy import Policy
    from abigen.model.api import ApiSet
    from abigen.workspace.files import Answers
    from abigen.workspace.options import ReadOptions


_Side: TypeAlias = Operand | EmptyOperand

_REFUSED_BY_COMPILERS = re.compile(
    r"#error\b|unknown type name|is not declared|is never defined|incomplete type|not found|declares nothing"
)
"""Errors that a compiler reports as well, for a header that expects others to be included before it."""


_COLLECTED = 40
"""After how many headers the memory of syntax trees is given back: they refer to each other, and nobody else does."""


class HeaderComparison(msgspec.Struct, frozen=True):
    """The comparison of one header of two folders."""

    operand: str
    """The name in the report."""
    old: ApiSet
    new: ApiSet
    """The two APIs without their entities: only text and version are kept, for reports."""
    verdict: Verdict
    errors: tuple[Diagnostic, ...] = ()
    """The reason why it cannot be read; then it was not compared."""

    @property
    def is_silent(self) -> bool:
        """True if there is nothing to show of it."""
        verdict = self.verdict
        return not (verdict.findings or verdict.not_compared or verdict.accepted)

    @property
    def is_unread(self) -> bool:
        """True if abigen cannot read it, and a compiler might."""
        return any(_REFUSED_BY_COMPILERS.search(each.message) is None for each in self.errors)


class _Job(msgspec.Struct, frozen=True):
    """A header of both folders, and the options for its comparison."""

    pair: tuple[_Side, _Side]
    options: tuple[ReadOptions, ReadOptions]
    configuration: Configuration
    policy: Policy


def compare_headers(
    pairs: Sequence[tuple[_Side, _Side]],
    options: tuple[ReadOptions, ReadOptions],
    configuration: Configuration,
    policy: Policy,
    announce: Callable[[str], None],
    jobs: int = 1,
) -> Iterator[HeaderComparison]:
    """Read and compare each header of two folders by itself.

    Args:
        pairs: the headers, as operands of OLD and NEW.
        options: how to read OLD's, and NEW's.
        configuration: of the project.
        policy: to judge by.
        announce: is told which header is compared.
        jobs: how many processes may read and compare at a time.

    Yields:
        One result for each pair, in their order.
    """
    files = options[0].files
    with ExitStack() as stack:
        if jobs > 1:
            apart = (replace(options[0], files=Files()), replace(options[1], files=Files()))
            elsewhere = replace(configuration, options=replace(configuration.options, files=Files()))
            pool = stack.enter_context(process_pool(jobs, _begin_comparing))
            begun = [
                pool.submit(_compare_apart, _Job(pair, apart, elsewhere, policy), collects=not number % _COLLECTED)
                for number, pair in enumerate(pairs)
            ]
            results: list[Callable[[], tuple[HeaderComparison, Answers | None]]] = [each.result for each in begun]
        else:
            gc.collect()
            gc.freeze()  # so that a collection looks at what is new alone
            results = [partial(_compare_here, _Job(pair, options, configuration, policy)) for pair in pairs]
        for number, ((_, new), result) in enumerate(zip(pairs, results, strict=True), 1):
            announce(f"comparing {new} ({number} of {len(pairs)})")
            found, answers = result()
            if jobs == 1 and number % _COLLECTED == 0:
                gc.collect()
            if answers is not None:
                files.note(answers)
            yield found


def _compare_here(job: _Job) -> tuple[HeaderComparison, None]:
    return _compare(job), None


_of_process: list[Files] = []
"""The files that a process of the pool has read; headers include the same ones again and again."""


def _begin_comparing() -> None:
    """Prepare a process of the pool."""
    gc.freeze()
    _of_process.append(Files())


def _compare_apart(job: _Job, *, collects: bool) -> tuple[HeaderComparison, Answers]:
    """Compare a header in a process of its own, and note all that was asked of the file system."""
    if collects:
        gc.collect()
    files = _of_process[0]
    old, new = (replace(each, files=files) for each in job.options)
    with files.noted() as answers:
        found = _compare(replace(job, options=(old, new)))
    return found, answers


def _compare(job: _Job) -> HeaderComparison:
    old, new = job.pair
    loaded, refused = load_each([old, new], job.options)
    if refused:
        errors = tuple(dict.fromkeys(each for error in refused.values() for each in error.diagnostics))
        return _refused(job, errors)
    try:
        before, after = with_agreed_versions(*job.configuration.agreed([loaded[0], loaded[1]]))
        verdict = compare_with(before, after, job.policy, is_first=isinstance(old, EmptyOperand))
    except AbigenError as error:
        return _refused(job, tuple(error.diagnostics))
    is_shown = bool(verdict.findings or verdict.not_compared)
    return HeaderComparison(str(new), _shell(before, has_text=is_shown), _shell(after, has_text=is_shown), verdict)


def _refused(job: _Job, errors: tuple[Diagnostic, ...]) -> HeaderComparison:
    """Return the result for a header that cannot be read."""
    name = str(job.pair[1])
    return HeaderComparison(name, _FOR_NO_TARGET, _FOR_NO_TARGET, _not_read(name, errors), errors)


_FOR_NO_TARGET = ApiSet((ApiGroup((), Api(name="")),))
"""Takes the place of a header that cannot be read."""


def _not_read(name: str, errors: Sequence[Diagnostic]) -> Verdict:
    """Return the verdict on a header that cannot be read: why, and nothing else."""
    first = errors[0]
    place = f" ({first.place})" if first.place else ""
    return Verdict(
        required=Bump.NONE,
        declared="unknown",
        ok=True,
        findings=(),
        not_compared=(f"{name} cannot be read by itself: {first.message}{place}",),
    )


def _shell(api: ApiSet, *, has_text: bool) -> ApiSet:
    """Return the parts of an API that reports need: its files, its version, and its warnings."""
    groups = tuple(
        replace(
            each,
            api=Api(
                name=each.api.name,
                files=each.api.files,
                version=each.api.version,
                header=each.api.header,
                warnings=each.api.warnings,
            ),
        )
        for each in api.groups
    )
    return replace(api, groups=groups, sources=api.sources if has_text else {}, dependencies=(), hidden=())


_WORTH_A_PROCESS = 8
"""The number of revisions that justifies the start of a process."""
_LEAST_PART = 4
"""The number of revisions that justifies a part of its own, which costs one more reading."""
_USUAL_JOBS = 2


def named_revisions(
    operands: Sequence[str], since: str | None, configuration: Configuration
) -> tuple[list[RevisionName], str]:
    """Return the revisions that a command line names, the oldest first, and a remark about them.

    Args:
        operands: one file, of which git knows the history, or several that follow each other.
        since: the git revision to begin with; None for the oldest.
        configuration: shows the files.

    Raises:
        AbigenError: git knows no such file or revision.
    """
    from abigen.workspace.git_history import commits_of, remark_on_history

    if len(operands) > 1:
        return [RevisionName(label, each) for label, each in zip(_labels(operands), operands, strict=True)], ""
    commits = commits_of(operands[0], since, configuration.options.files)
    names = [
        RevisionName(
            label=commit.label,
            operand=str(commit.operand),
            commit=commit.name,
            path=commit.path,
            date=commit.date,
            title=commit.title,
        )
        for commit in commits
        if commit.path
    ]
    return names, remark_on_history()


def _labels(operands: Sequence[str]) -> list[str]:
    """Return short names of the operands: `v1` and `v2` for `sdk/v1/api.h` and `sdk/v2/api.h`."""
    paths = [each.split("/") for each in operands]
    while all(len(path) > 1 for path in paths) and len({path[0] for path in paths}) == 1:
        paths = [path[1:] for path in paths]
    while all(len(path) > 1 for path in paths) and len({path[-1] for path in paths}) == 1:
        paths = [path[:-1] for path in paths]
    return ["/".join(path) for path in paths]


def judged_steps(
    names: Sequence[RevisionName],
    configuration: Configuration,
    policy: str | None,
    announce: Callable[[str], None],
    jobs: int | None = None,
) -> tuple[Step, ...]:
    """Judge every revision; many of them in several processes, each of which takes small parts until none is left.

    Args:
        names: the revisions, the oldest first.
        configuration: how to read them.
        policy: what to judge by; None for what the configuration says.
        announce: is told what is being judged.
        jobs: how many processes there may be; None for two.

    Raises:
        AbigenError: none of them can be read.
    """
    processes = max(1, min(jobs or _USUAL_JOBS, len(names) // _WORTH_A_PROCESS))
    parts = _parts(len(names), processes)
    # The other processes have looked at no file yet. They begin with the last part, and this one with the first.
    other = replace(configuration, options=replace(configuration.options, files=Files()))
    reader = _Reader(configuration, policy)
    states: list[RevisionState] = []
    with process_pool(max(1, processes - 1), _begin_judging, other, policy) as pool:
        given = {part: pool.submit(_judge_as_other, names, *part) for part in parts[:0:-1]}
        for part in parts:
            if part not in given or given[part].cancel():  # no other process has begun with it
                states += reader.judge(names, *part, announce)
            else:
                announce("waiting for the other processes")
                states += given[part].result()
    if names and all(state.error for state in states):
        raise AbigenError.at(None, f"no revision of it can be read; the last: {states[-1].error}")
    firsts = [number for number, state in enumerate(states) if not state.error][:1]
    return tuple(
        Step(name, state, is_first=number in firsts)
        for number, (name, state) in enumerate(zip(names, states, strict=True))
    )


def _parts(number: int, processes: int) -> list[tuple[int, int]]:
    """Divide revisions into parts, the first and last of them large, those in the middle small.

    One process takes parts from the beginning, and the others from the end. Some revisions take much longer than
    others; with small parts at last, all processes end at about the same time.

    Args:
        number: of revisions.
        processes: how many judge them.

    Returns:
        The number of the first revision of each part, and the one behind its last, in order.
    """
    if processes == 1:
        return [(0, number)]
    early: list[tuple[int, int]] = []
    late: list[tuple[int, int]] = []
    start, end = 0, number
    while start < end:
        size = min(end - start, max(_LEAST_PART, (end - start) // (2 * processes)))
        if len(early) * (processes - 1) <= len(late):
            early.append((start, start + size))
            start += size
        else:
            late.append((end - size, end))
            end -= size
    return early + late[::-1]


_OF_OTHERS: list[_Reader] = []
"""The reader of a process that judges parts; it keeps its results from one part to the next."""


def _begin_judging(configuration: Configuration, policy: str | None) -> None:
    """Begin a process that judges parts."""
    _OF_OTHERS[:] = [_Reader(configuration, policy)]


def _judge_as_other(names: Sequence[RevisionName], start: int, end: int) -> list[RevisionState]:
    """Judge a part in such a process."""
    return _OF_OTHERS[0].judge(names, start, end)


class _Reader:
    """Reads revisions, and judges neighbours; what earlier runs found is taken from the cache."""

    def __init__(self, configuration: Configuration, policy: str | None) -> None:
        """Begin without having read anything."""
        self._configuration = configuration
        self._options = configuration.options
        self._policy = configuration.policy(policy)
        self._last: dict[tuple[Operand, ReadOptions], ApiSet] = {}
        self._known: dict[str, RevisionState] = {}

    def judge(
        self,
        names: Sequence[RevisionName],
        start: int,
        end: int,
        announce: Callable[[str], None] | None = None,
    ) -> list[RevisionState]:
        """Judge the revisions from one number up to another, each against the one before it that can be read."""
        before = next((name for name in reversed(names[:start]) if self._can_read(name)), None)
        states = []
        for number in range(start, end):
            if announce is not None:
                announce(f"judging {names[number].label} ({number + 1} of {len(names)})")
            states.append(self._state(before, names[number]))
            if not states[-1].error:
                before = names[number]
        return states

    def _can_read(self, name: RevisionName) -> bool:
        """True if the API can be read at a revision."""
        return not (self._known.get(name.operand) or self._state(None, name)).error

    def _state(self, before: RevisionName | None, name: RevisionName) -> RevisionState:
        """Return the effect of a revision on the one before it; one that could not be read is not read again."""
        known = self._known.get(name.operand)
        if known is None or not known.error:
            known = self._known[name.operand] = self._stored(before, name)
        return known

    def _stored(self, before: RevisionName | None, name: RevisionName) -> RevisionState:
        """Return the same, as earlier runs found it, or found now."""
        from abigen.workspace.result_cache import remember

        if not self._options.cache:
            return self._computed_state(before, name)
        what = [before.operand if before else "", name.operand, repr(self._configuration), repr(self._policy)]
        return remember(
            ["history", *what], lambda: self._computed_state(before, name), RevisionState, self._options.files
        )

    def _computed_state(self, before: RevisionName | None, name: RevisionName) -> RevisionState:
        from abigen.checker.compare import state_of
        from abigen.workspace.operand import options_of_sides

        try:
            operands = [self._operand(revision) for revision in (before, name) if revision is not None]
            options = [self._options] * len(operands)
            if len(operands) > 1 and not name.commit:  # at revisions of one repository there is one tree
                options = options_of_sides(operands, self._options, ((), ()))
            *olds, new = map(self._read, operands, options)
            return state_of(olds[0] if olds else None, new, self._policy)
        except AbigenError as error:
            first = error.diagnostics[0]
            place = f"{first.place}: " if first.place else ""
            return RevisionState(error=(place + first.message).replace(name.commit or name.label, name.label))

    def _operand(self, name: RevisionName) -> Operand:
        """Return the operand of a revision; a file with the name of a commit's operand is not read in its place."""
        if name.commit:
            return Operand.at_revision(name.commit, name.path)
        return parse_operand(name.operand, self._options.files)

    def _read(self, operand: Operand, options: ReadOptions) -> ApiSet:
        """Return the API at a revision; the last two are kept for this run, since each is compared twice.

        They are not stored: what became of them is, in a thousandth of the space.
        """
        from abigen.specs.load import load

        options = replace(options, cache=False)
        key = operand, options
        if key not in self._last:
            (api,) = self._configuration.agreed([load(operand, options)])
            self._last = {**dict(list(self._last.items())[-1:]), key: api}
        return self._last[key]
