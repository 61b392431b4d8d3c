"""Baselines that a repository puts another text in place of: what is compared is what git has at the revision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.cli.samples import INSERTED

Commit = Callable[[str], None]
Git = Callable[..., str]
Write = Callable[..., Path]

BREAK = "1 breaking change."


@pytest.fixture
def broken(abigen: Program, repository: Commit, write: Write, git: Git) -> str:
    """Return the commit of a release and a branch before a break, with files that have the names of operands."""
    git("branch", "base")
    commit = git("rev-parse", "HEAD").strip()
    write("include/toy.h", INSERTED)
    for revision in ("base", "HEAD", "HEAD~1", "v1.0", commit):
        write(f"{revision}:include/toy.h", INSERTED)
        write(f"include/{revision}:./toy.h", INSERTED)
    repository("second")
    return commit


@pytest.mark.ci
def test_a_file_with_the_name_of_a_baseline_is_not_read(abigen: Program, broken: str) -> None:
    for arguments in (
        ("include/toy.h", "--against", "base"),
        ("include/toy.h",),
        ("include", "--against", "v1.0", "--exclude", "*:*"),
        ("include/toy.h", "--against", "HEAD~1"),
        ("include/toy.h", "--against", broken),
    ):
        result = abigen("diff", *arguments, "--summary")
        assert (result.code, result.output[: len(BREAK)]) == (1, BREAK), (arguments, result)


@pytest.mark.ci
def test_all_that_changed_is_compared_with_the_revision(abigen: Program, broken: str, write: Write) -> None:
    result = abigen("diff", "--against", "base", "--format", "json", "--exclude", "*:*")
    assert result.code == 1
    assert '"field-inserted"' in result.output
    whole = abigen("diff", "--against", "base", "--format", "concise")
    assert whole.code == 1
    assert "field-inserted" in whole.output


def test_a_history_reads_commits_and_no_files(abigen: Program, broken: str) -> None:
    result = abigen("history", "include/toy.h")
    assert "ABI103 field-inserted" in result.output


def test_releases_of_an_import_are_those_of_git(abigen: Program, broken: str) -> None:
    result = abigen("import", "include/toy.h", "--since-tags", "v*", "--out", "made")
    assert "SP_Toy.depth: it is newer than later entities" in result.output


@pytest.mark.first_case
@pytest.mark.parametrize("command", [["diff", "{}", "include/toy.h"], ["lint", "{}"], ["layout", "{}"]])
def test_what_is_a_file_and_a_revision_is_refused(abigen: Program, broken: str, git: Git, command: list[str]) -> None:
    result = abigen(*(word.format("base:include/toy.h") for word in command))
    tree = git("rev-parse", "base^{tree}").strip()
    assert (result.code, result.output) == (2, "")
    assert "`base:include/toy.h` names a file, and include/toy.h at the git revision base" in result.remarks
    assert f"write `./base:include/toy.h` for the file, or `{tree}:include/toy.h` for the revision" in result.remarks
    assert abigen("lint", "./base:include/toy.h").code == 0
    revision = abigen("diff", f"{tree}:include/toy.h", "include/toy.h", "--summary")
    assert revision.output.startswith(BREAK)


def test_what_is_a_file_and_a_release_is_refused(abigen: Program, write: Write) -> None:
    spec = "abigen: 1\napi: toy\nprefix: TOY\nversion: 1.0.0\nreleases: [1.0.0]\nconstants: [{name: TOY_A, value: 1}]\n"
    write("toy.yaml", spec)
    assert abigen("lint", "toy.yaml@1.0.0").code == 0
    write("toy.yaml@1.0.0", spec)
    result = abigen("diff", "toy.yaml@1.0.0", "toy.yaml")
    assert (result.code, result.output) == (2, "")
    assert "`toy.yaml@1.0.0` names a file, and release 1.0.0 of toy.yaml" in result.remarks


def test_fixes_are_not_written_to_a_file_with_the_name_of_a_revision(
    abigen: Program, broken: str, write: Write
) -> None:
    planted = abigen.directory / "HEAD:include/toy.h"
    tree = f"{broken}:include/toy.h"
    before = planted.read_bytes()
    abigen("diff", tree, "HEAD~0:include/toy.h", "--fix", "--unsafe-fixes")
    assert planted.read_bytes() == before
    abigen("diff", "--against", broken, "HEAD:./include/toy.h", "--fix", "--unsafe-fixes")
    assert planted.read_bytes() == before


@pytest.fixture
def other(tmp_path: Path, git: Git) -> Path:
    """Another repository of the user's, whose include/toy.h is the broken one already."""
    folder = tmp_path / "other"
    (folder / "include").mkdir(parents=True)
    (folder / "include/toy.h").write_text(INSERTED)
    git("init", "-q", "-b", "main", cwd=folder)
    git("add", "-A", cwd=folder)
    git("commit", "-q", "-m", "first", cwd=folder)
    git("tag", "v1.0", cwd=folder)
    return folder


def _refused(abigen: Program, reason: str) -> None:
    for arguments in (("include/toy.h", "--against", "v1.0"), ("include/toy.h",), ("v1.0:include/toy.h",) * 2):
        result = abigen("diff", *arguments)
        assert (result.code, result.output) == (2, ""), (arguments, result)
        assert "does not have a git repository of its own" in result.remarks, result.remarks
        assert reason in result.remarks
        assert "GIT_DIR=" in result.remarks
    assert abigen("history", "include/toy.h").code == 2


def test_a_git_file_that_names_another_repository_is_refused(
    abigen: Program, repository: Commit, write: Write, other: Path
) -> None:
    write("include/toy.h", INSERTED)
    (abigen.directory / ".git").rename(abigen.directory / "git")
    write(".git", f"gitdir: {other}/.git\n")
    _refused(abigen, ".git names")
    trusted = abigen("diff", "include/toy.h", "--against", "v1.0", GIT_DIR=f"{other}/.git")
    assert trusted.code == 0


def test_a_git_link_that_leads_to_another_repository_is_refused(
    abigen: Program, repository: Commit, write: Write, other: Path
) -> None:
    write("include/toy.h", INSERTED)
    (abigen.directory / ".git").rename(abigen.directory / "git")
    (abigen.directory / ".git").symlink_to(other / ".git")
    _refused(abigen, ".git names")


def test_a_common_folder_of_another_repository_is_refused(
    abigen: Program, repository: Commit, write: Write, other: Path
) -> None:
    write("include/toy.h", INSERTED)
    write(".git/commondir", f"{other}/.git\n")
    _refused(abigen, "the file commondir names")


@pytest.mark.parametrize("name", ["objects", "refs"])
def test_links_from_a_repository_to_another_are_refused(
    abigen: Program, repository: Commit, write: Write, other: Path, name: str
) -> None:
    write("include/toy.h", INSERTED)
    (abigen.directory / ".git" / name).rename(abigen.directory / ".git" / f"{name}.own")
    (abigen.directory / ".git" / name).symlink_to(other / ".git" / name)
    result = abigen("diff", "include/toy.h", "--against", "v1.0")
    assert (result.code, result.output) == (2, "")
    assert f".git/{name} leads to" in result.remarks


def test_a_working_tree_elsewhere_is_refused(
    abigen: Program, repository: Commit, write: Write, git: Git, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "toy.h").write_text("int secret;\n")
    git("config", "core.worktree", str(tmp_path))
    for arguments in (("--against", "HEAD"), ("../secret/toy.h", "--against", "HEAD")):
        result = abigen("diff", *arguments)
        assert (result.code, result.output) == (2, "")
        assert "core.worktree of" in result.remarks


@pytest.mark.ci
def test_a_linked_working_tree_and_a_submodule_have_repositories_of_their_own(
    abigen: Program, repository: Commit, git: Git, other: Path, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", str(tmp_path / "linked"))
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "inner")
    for folder in (tmp_path / "linked", abigen.directory / "inner"):
        (folder / "include/toy.h").write_text(INSERTED)
        result = Program(folder, abigen.cache)("diff", "include/toy.h", "--against", "v1.0", "--summary")
        assert (result.code, result.remarks) == (1 if folder.name == "linked" else 0, ""), result


def test_objects_of_another_repository_are_told(abigen: Program, repository: Commit, git: Git, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git("clone", "-q", "--shared", str(abigen.directory), str(clone))
    result = Program(clone, abigen.cache)("diff", "include/toy.h", "--against", "HEAD")
    assert result.code == 0
    told = f"git also reads objects from {abigen.directory.resolve()}/.git/objects"
    assert told in result.output + result.remarks
