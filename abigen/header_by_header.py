"""Compares two folders header by header, where the headers of a folder cannot be read together."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace

from abigen.check.compare import begin, compare
from abigen.check.release import with_agreed_versions
from abigen.files import Files
from abigen.model.api import Api, ApiGroup, ApiSet
from abigen.model.finding import Bump, Verdict
from abigen.model.span import AbigenError, Diagnostic
from abigen.read.load import load_each
from abigen.read.operand import EmptyOperand

if TYPE_CHECKING:
    from abigen.check.policy import Policy
    from abigen.files import Answers
    from abigen.project import Configuration
    from abigen.read.options import ReadOptions

Operand: TypeAlias = str | EmptyOperand

_REFUSED_BY_COMPILERS = re.compile(
    r"#error\b|unknown type name|is not declared|is never defined|incomplete type|not found|declares nothing"
)
"""Errors that a compiler reports as well, for a header that expects others to be included before it."""


_COLLECTED = 40
"""After how many headers the memory of syntax trees is given back: they refer to each other, and nobody else does."""


class HeaderComparison(msgspec.Struct, frozen=True):
    """What was found out about one header of two folders."""

    operand: str
    """As the report names it."""
    old: ApiSet
    new: ApiSet
    """Both without their entities: of what was read only the text and the version are kept, for reports."""
    verdict: Verdict
    errors: tuple[Diagnostic, ...] = ()
    """Why it cannot be read; then it was not compared."""

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
    """One header of both folders, and all that is needed to compare it."""

    pair: tuple[Operand, Operand]
    options: tuple[ReadOptions, ReadOptions]
    configuration: Configuration
    policy: Policy


def compare_headers(
    pairs: Sequence[tuple[Operand, Operand]],
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
            pool = stack.enter_context(ProcessPoolExecutor(jobs, initializer=_begin))
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


def _begin() -> None:
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
        if isinstance(old, EmptyOperand):
            verdict = begin(before, after, job.policy)
        else:
            verdict = compare(before, after, job.policy, with_form=True)
    except AbigenError as error:
        return _refused(job, tuple(error.diagnostics))
    is_shown = bool(verdict.findings or verdict.not_compared)
    return HeaderComparison(str(new), _shell(before, has_text=is_shown), _shell(after, has_text=is_shown), verdict)


def _refused(job: _Job, errors: tuple[Diagnostic, ...]) -> HeaderComparison:
    """The result for a header that cannot be read."""
    name = str(job.pair[1])
    return HeaderComparison(name, _FOR_NO_TARGET, _FOR_NO_TARGET, _not_read(name, errors), errors)


_FOR_NO_TARGET = ApiSet((ApiGroup((), Api(name="")),))
"""Takes the place of a header that cannot be read."""


def _not_read(name: str, errors: Sequence[Diagnostic]) -> Verdict:
    """The verdict on a header that cannot be read: why, and nothing else."""
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
    """What reports need of an API that was read and compared: its files, its version, and what it has warned of."""
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
