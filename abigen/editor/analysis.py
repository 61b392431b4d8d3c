"""Reads and judges the API in an editor's window, and compares it with its baseline."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from abigen.checker.compare import begin, compare, judge_form
from abigen.checker.configuration import Configuration, baseline_of, configure
from abigen.checker.fixes import with_fixes
from abigen.checker.release import with_agreed_versions
from abigen.checker.report.subject import ReportedApi, diff_report
from abigen.checker.report.wording import last_line
from abigen.model.finding import Finding, Verdict
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.target import find_target
from abigen.specs.load import load
from abigen.workspace.against import pairs_against
from abigen.workspace.config.settings import find_configuration
from abigen.workspace.files import Files, absolute
from abigen.workspace.git import open_revision
from abigen.workspace.git_history import why_no_release
from abigen.workspace.operand import EmptyOperand, Operand, baseline_names, options_of_sides

if TYPE_CHECKING:
    from abigen.checker.policy import Policy
    from abigen.model.api import Api, ApiSet
    from abigen.workspace.options import ReadOptions


class OutdatedError(Exception):
    """The text has changed since the analysis began, so its result is of no use."""


class Baseline(msgspec.Struct, frozen=True):
    """The API that a file is compared with."""

    name: str
    """The git revision: `v1.2.0`."""
    old: Operand | EmptyOperand
    """The operand; empty if the file did not exist then."""
    options: tuple[ReadOptions, ReadOptions]
    """The options for reading OLD, and NEW."""
    api: ApiSet


class Examination(msgspec.Struct, frozen=True, dict=True, kw_only=True):
    """An API that could be read, and its flaws."""

    folder: str
    """The folder in which abigen runs; names of files are relative to it."""
    name: str
    """The file, relative to that folder."""
    text: str
    """The text that was read."""
    api: ApiSet
    configuration: Configuration
    findings: tuple[Finding, ...]
    """The flaws of form, with fixes."""
    remarks: tuple[Diagnostic, ...] = ()
    """The reason why it cannot be compared with its baseline."""

    @cached_property
    def dependencies(self) -> frozenset[str]:
        """The absolute paths of the files that it includes, or of the specs that it uses."""
        return frozenset(os.path.normpath(os.path.join(self.folder, each)) for each in self.api.dependencies)  # noqa: PTH118

    @cached_property
    def layouts(self) -> tuple[Layouts, ...]:
        """The layouts of its types on each target."""
        return tuple(Layouts(self.api.for_target(name), find_target(name)) for name in self.api.targets)

    @property
    def first(self) -> Api:
        """The API as the first targets see it."""
        return self.api.groups[0].api


class Comparison(msgspec.Struct, frozen=True):
    """An API against its baseline."""

    baseline: Baseline
    verdict: Verdict
    """The verdict; its findings have fixes."""
    summary: str
    """The last line of the report."""


class Analyst:
    """Analyses open files. One thread uses it, since it changes the folder of the process."""

    def __init__(self) -> None:
        """Begin without anything that is known from earlier analyses."""
        self._files = Files()
        """The files of the last analysis: what the compiler answered is asked once."""
        self._folders: dict[str, str] = {}
        self._configurations: dict[tuple[str, str], Configuration] = {}
        self._baselines: dict[str, Baseline | None] = {}
        self._remarks: dict[str, tuple[Diagnostic, ...]] = {}
        self._old: dict[tuple[str, str, str], ApiSet] = {}

    def examine(self, path: str, texts: Mapping[str, str], check: Callable[[], None]) -> Examination:
        """Read a header or spec, and judge its form.

        Args:
            path: the absolute path of an open file.
            texts: the texts of open files, by absolute path.
            check: raises `OutdatedError` if the result is no longer wanted.

        Raises:
            AbigenError: the file cannot be read, or a type has no layout.
            OutdatedError: see `check`.
        """
        folder = self._folders[path] = project_folder(path)
        with _in_folder(folder):
            files = self._files.renewed({name: text.encode("utf-8", "replace") for name, text in texts.items()})
            self._files = files
            configuration = self._configuration(folder, files)
            baseline = self._baseline(path, folder, configuration)
            check()
            name = _relative(path, folder)
            options = baseline.options[1] if baseline is not None else configuration.options
            api = load(Operand.of_file(name), replace(options, files=files, cache=False))
            check()
            (api,) = configuration.agreed([api])
            findings, _ = judge_form(api, configuration.policy(None).for_baseline())
            check()
            return Examination(
                folder=folder,
                name=name,
                text=texts[path],
                api=api,
                configuration=configuration,
                findings=with_fixes(findings, api),
                remarks=self._remarks.get(path, ()),
            )

    def compare(self, path: str, examined: Examination, check: Callable[[], None]) -> Comparison | None:
        """Compare an API with its baseline.

        Args:
            path: the absolute path of the file.
            examined: the file, as it was read.
            check: raises `OutdatedError` if the result is no longer wanted.

        Returns:
            None if there is no baseline: the file is in no repository, or no tag names a release.

        Raises:
            AbigenError: a type has no layout, or both sides have no target in common.
            OutdatedError: see `check`.
        """
        baseline = self._baselines.get(path)
        if baseline is None:
            return None
        with _in_folder(examined.folder):
            policy = self._policy(examined.configuration, baseline)
            (before,) = examined.configuration.agreed([baseline.api])
            old, new = with_agreed_versions(before, examined.api)
            check()
            is_first = isinstance(baseline.old, EmptyOperand)
            # Flaws are left out: the examination has them.
            verdict = begin(old, new, policy) if is_first else compare(old, new, policy)
            check()
            verdict = replace(verdict, findings=with_fixes(verdict.findings, new, old, verdict.demanded))
            sides = (ReportedApi(str(baseline.old), old), ReportedApi(examined.name, new))
            return Comparison(baseline, verdict, last_line(diff_report(*sides, verdict)))

    def folder_of(self, path: str) -> str:
        """Return the folder in which abigen ran last for a file."""
        return self._folders.get(path) or str(Path(path).parent)

    def forget_baseline(self, path: str) -> None:
        """Look for the baseline of a file again: there may be a new commit, tag or setting."""
        self._baselines.pop(path, None)

    def _policy(self, configuration: Configuration, baseline: Baseline) -> Policy:
        return configuration.policy(None).for_baseline(baseline.name, *baseline_names(baseline.old))

    def _configuration(self, folder: str, files: Files) -> Configuration:
        """Return the configuration of a folder, read again only if its text has changed.

        Raises:
            AbigenError: something is wrong with it.
        """
        source = find_configuration(folder, files)
        key = (source.path, source.text)
        if key not in self._configurations:
            self._configurations[key] = configure({}, None, files, ignored=False, cache=False)
        known = self._configurations[key]
        return replace(known, options=replace(known.options, files=files))

    def _baseline(self, path: str, folder: str, configuration: Configuration) -> Baseline | None:
        """Return the baseline of a file, which is looked for once until `forget_baseline`."""
        if path not in self._baselines:
            self._remarks.pop(path, None)
            try:
                self._baselines[path] = self._find_baseline(path, folder, configuration)
            except AbigenError as error:
                self._baselines[path] = None
                first = error.diagnostics[0]
                place = f" ({first.place})" if first.place else ""
                message = f"not compared with the baseline: {first.message}{place}"
                self._remarks[path] = (Diagnostic(None, message, first.hint, severity="note"),)
        return self._baselines[path]

    def _find_baseline(self, path: str, folder: str, configuration: Configuration) -> Baseline | None:
        """Find and read the baseline of a file; None if there is none.

        Raises:
            AbigenError: git or OLD cannot be read.
        """
        revision, _ = baseline_of(configuration)
        if not revision:
            _refuse_without_git(path)
            return None
        (pair,) = pairs_against([Operand.of_file(_relative(path, folder))], revision, configuration.options)
        old, new = options_of_sides((pair.old, pair.new), configuration.options, ((), ()))
        with closing(open_revision(revision, configuration.options.files)) as opened:
            key = (opened.tree, str(pair.old), repr(old))
        if key not in self._old:
            from abigen.specs.load import load_each

            loaded, refused = load_each([pair.old], [replace(old, cache=True)])
            if refused:
                raise refused[0]
            self._old[key] = loaded[0]
        return Baseline(revision, pair.old, (old, new), self._old[key])


def is_in_repository(path: str) -> bool:
    """True if a file is in a working copy of git."""
    return any((each / ".git").exists() for each in Path(path).parents)


def _refuse_without_git(path: str) -> None:
    """Refuse a file of a working copy that git cannot read; a repository without a release has no baseline.

    Raises:
        AbigenError: git is not installed, or does not take the folder for a repository.
    """
    if not is_in_repository(path):
        return
    if which("git") is None:
        raise AbigenError.at(None, "git is not installed", "install git")
    reason, remedy = why_no_release()
    if "not inside a git repository" in reason:
        raise AbigenError.at(None, reason, remedy)


def project_folder(path: str) -> str:
    """Return the folder in which abigen runs for a file.

    That is the folder of its configuration, else the root of its repository, else its own folder.

    Args:
        path: the absolute path of the file.

    Raises:
        AbigenError: a configuration file cannot be read.
    """
    own, files = Path(path).parent, Files()  # not those of the analysis, which is in another folder
    configured = find_configuration(str(own), files).path
    if configured:
        return str(Path(absolute(configured)).parent)
    return str(next((each for each in (own, *own.parents) if files.exists(each / ".git")), own))


def _relative(path: str, folder: str) -> str:
    whole = Path(path)
    return str(whole.relative_to(folder)) if whole.is_relative_to(folder) else path


@contextlib.contextmanager
def _in_folder(folder: str) -> Iterator[None]:
    """Run in a folder, as the command line does.

    Raises:
        AbigenError: the folder was removed.
    """
    if not Path(folder).is_dir():
        raise AbigenError.at(None, f"there is no directory {folder}")
    with contextlib.chdir(folder):
        yield
