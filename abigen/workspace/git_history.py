"""Reads the commits that changed a file, and the tags that name releases."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from secrets import token_hex

import msgspec

from abigen.model.span import AbigenError, printable
from abigen.model.version import Version
from abigen.workspace.files import Files
from abigen.workspace.git import open_revision
from abigen.workspace.git_process import run_git
from abigen.workspace.git_repository import SHALLOW, find_repository, is_shallow, unreadable
from abigen.workspace.operand import Operand

_RECORD, _PART = (f"{token_hex(16)}\n" for _ in range(2))
"""Separators that no message of a commit can contain, because nobody knows them before."""
_FORMAT = f"--format={_RECORD}%H{_PART}%cs{_PART}%D{_PART}%s"
_OPTIONS = ["--first-parent", "--diff-merges=first-parent", "--name-status", "-z", "--decorate-refs=refs/tags/*"]
_TAGGED = re.compile(r"(?:[A-Za-z_-]*[A-Za-z_/-])?(\d+)[._](\d+)(?:[._](\d+))?")
"""A tag that names a version, and nothing behind it: `v1.2`, `release-1.2.3`."""
_SHORT = 10
"""The number of digits of a commit's name that people see."""


class Commit(msgspec.Struct, frozen=True):
    """A commit that changed a file."""

    name: str
    """The full hexadecimal name."""
    date: str
    """The date of the commit, as `2024-12-31`."""
    tags: tuple[str, ...]
    title: str
    """The first line of its message."""
    path: str
    """The file from the top of the repository, as it was called then; empty where the commit removed it."""

    @property
    def label(self) -> str:
        """The name for people: the first tag, else the first digits of the commit's name."""
        return self.tags[0] if self.tags else self.name[:_SHORT]

    @property
    def operand(self) -> Operand:
        """The operand that names the file at this commit."""
        return Operand.at_revision(self.name, self.path)


def commits_of(path: str, since: str | None, files: Files) -> list[Commit]:
    """Find the commits that changed a file or directory, the oldest first; renames of a file are followed.

    Of a merge counts what it brought to the branch that it was merged into (its first parent).

    Args:
        path: in the working tree.
        since: a revision; what changed after it is wanted, and the file as it was there comes first.
        files: shows the working tree.

    Raises:
        AbigenError: there is no such revision, the path is in no repository, or it has no history there.
    """
    open_revision("HEAD", files, f"the history of {printable(path)} cannot be read: ").close()
    commits = "HEAD" if since is None else f"{_commit(since, files)}..HEAD"
    follow = [] if files.is_dir(path) else ["--follow", "--find-renames"]
    found = _log([*follow, commits], path)
    if since is not None:
        found[:0] = _state_at(since, found, path, files)
    if any(each.path for each in found):
        return found
    if since is None and not files.is_entry(path):
        raise AbigenError.at(None, f"there is no file {printable(path)}, and git's log names none that changed")
    hint = (
        "it names the commits of a file that git tracks; several files are compared in turn: `abigen history OLD NEW`"
    )
    raise AbigenError.at(None, f"git's log has no commit that changed {printable(path)}", hint)


def _commit(revision: str, files: Files) -> str:
    """Return the full name of the commit that a revision names."""
    open_revision(revision, files).close()  # says what is wrong with it
    result = run_git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"])
    if result.returncode:
        raise AbigenError.at(None, f"`{printable(revision)}` names no commit")
    return os.fsdecode(result.stdout).strip()


def _state_at(since: str, later: list[Commit], path: str, files: Files) -> Iterator[Commit]:
    """Yield the file as it was at a revision, when it was there."""
    commit = _commit(since, files)
    revision = open_revision(commit, files)
    try:
        before = _log(["--follow", "--find-renames", "HEAD"], path) if later else []
        later_names = {commit.name for commit in later}
        paths = [commit.path for commit in before if commit.name not in later_names and commit.path]
        place = paths[-1] if paths else revision.locate("./" + path)
        if revision.look(place) in ("file", "directory"):
            (about,) = _log(["--no-walk", commit], None)
            yield Commit(commit, about.date, about.tags, about.title, place)
    finally:
        revision.close()


def _log(options: list[str], path: str | None) -> list[Commit]:
    """Return the output of git's log, the oldest first."""
    where = [] if path is None else ["--", path]
    result = run_git(["--literal-pathspecs", "log", *_OPTIONS, _FORMAT, *options, *where], is_long=True)
    if result.returncode:
        said = os.fsdecode(result.stderr)
        outside = re.search(r"is outside repository at '(.*)'|not a git repository", said)
        if outside or "does not have any commits" in said:
            message = f"{printable(path or '')} is not in a repository, or in another one than this directory"
            raise AbigenError.at(None, message, "run abigen in the repository that the file is in")
        raise unreadable("the log of this repository", result.stderr)
    records = os.fsdecode(result.stdout).split(_RECORD)[1:]
    return [_read(record) for record in reversed(records)]


def _read(record: str) -> Commit:
    """Return one record of the log: its own line, then status and names of changed files, between zeros."""
    head, _, changes = record.partition("\0")
    name, date, decoration, title = head.split(_PART, 3)
    tags = tuple(each.removeprefix("tag: ") for each in decoration.split(", ") if each.startswith("tag: "))
    words = changes.strip("\n\0").split("\0")
    status, path = (words[0].strip("\n"), words[-1]) if len(words) > 1 else ("", "")
    return Commit(name, date, tags, title, "" if status == "D" else path)


def tagged_versions(pattern: str, path: str, files: Files) -> list[tuple[Version, Operand]]:
    """Return the releases at which a file existed, by tags that name a version, the oldest first.

    Args:
        pattern: which tags count, as `git tag --list` takes it: `v*`.
        path: of the file, in the working tree.
        files: shows the working tree.

    Returns:
        Version and operand; of several tags of one version the first by name. Tags of pre-releases do not count.

    Raises:
        AbigenError: no tag fits, or the file existed at none of them.
    """
    find_repository(files)
    found: dict[Version, Operand] = {}
    for tag in _tags():
        match = _TAGGED.fullmatch(tag)
        if match is None or not fnmatchcase(tag, pattern):
            continue
        revision = open_revision(tag, files)
        try:
            place = revision.locate(f"./{path}")
            if revision.look(place) == "file":
                found.setdefault(_version(match), Operand.at_revision(tag, place))
        finally:
            revision.close()
    if not found:
        message = f"no tag `{printable(pattern)}` that names a version has the file {printable(path)}"
        raise AbigenError.at(None, message, "name the releases one by one: --release 1.0.0=REV:path")
    return sorted(found.items())


def last_release() -> str:
    """Return the tag of the newest release that this commit contains, without pre-releases; empty for none."""
    return max(_release_tags("--merged=HEAD"), default=(None, ""))[1]


def why_no_release() -> tuple[str, str]:
    """Return the reason why `last_release` finds none, and the remedy, both without a full stop."""
    if run_git(["rev-parse", "--git-dir"]).returncode:
        return f"{printable(str(Path.cwd()))} is not inside a git repository", "run abigen inside a repository"
    against = "or name a revision: --against REV"
    elsewhere = _release_tags()
    if elsewhere:
        newest = printable(max(elsewhere)[1])
        reason = f"this commit contains no release that a git tag names (the newest such tag is {newest})"
        return reason, f"compare with that tag: --against {newest}, {against}"
    if is_shallow():
        return "git has no tag here that names a release, and this clone is shallow", SHALLOW
    return "git has no tag here that names a release", f"tag a release: `git tag v1.0.0 COMMIT`, {against}"


class ReleaseTag(msgspec.Struct, frozen=True):
    """A tag that names a version."""

    name: str
    version: Version
    date: str
    """The date of its commit, as `2024-12-31`."""


def releases_of_commits(commits: Sequence[str]) -> dict[str, ReleaseTag]:
    """Find the first release that contains each commit, by tags that name a version.

    Args:
        commits: full names, the oldest first.

    Returns:
        The releases by the names of the commits, without those that no release contains. The releases are tried in
        the order of their versions. Tags of pre-releases do not count.

    Raises:
        AbigenError: git cannot read the log.
    """
    found: dict[str, ReleaseTag] = {}
    tags: dict[Version, str] = {}
    for version, tag in sorted(_release_tags()) if commits else ():
        tags.setdefault(version, tag)
    earlier: list[str] = []
    for version, tag in tags.items():
        reference = f"refs/tags/{tag}"
        result = run_git(["rev-list", reference, "--not", *earlier, f"{commits[0]}^@", "--"], is_long=True)
        if result.returncode:
            raise unreadable(f"the log of the tag {printable(tag)}", result.stderr)
        reached = set(os.fsdecode(result.stdout).split())
        earlier.append(reference)
        if reached.isdisjoint(commits):
            continue
        dated = run_git(["log", "--no-walk", "--format=%cs", reference, "--"])
        release = ReleaseTag(tag, version, os.fsdecode(dated.stdout).strip())
        found.update((each, release) for each in commits if each in reached)
    return found


def _release_tags(*options: str) -> list[tuple[Version, str]]:
    """Return the tags that name a version, with it, by their names; options as `git for-each-ref` takes them."""
    return [(_version(match), tag) for tag in _tags(*options) if (match := _TAGGED.fullmatch(tag))]


def _tags(*options: str) -> list[str]:
    """Return the names of tags, sorted; options as `git for-each-ref` takes them.

    `git tag` prints them as the configuration of the repository says, in columns for example.
    """
    result = run_git(["for-each-ref", *options, "--format=%(refname)", "refs/tags"])
    return sorted(os.fsdecode(line).removeprefix("refs/tags/") for line in result.stdout.splitlines())


def _version(match: re.Match[str]) -> Version:
    return Version(int(match[1]), int(match[2]), int(match[3] or 0))


def remark_on_history() -> str:
    """Return a remark for a clone that lacks a part of its history; empty for a whole one."""
    return "this clone is shallow: older commits are not read\n" if is_shallow() else ""
