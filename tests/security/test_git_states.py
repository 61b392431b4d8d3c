"""Repositories that lack objects, or hold corrupt ones: nothing in them reads as absent that a tree names."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.cli.samples import FIRST
from tests.sampling import short_form

Commit = Callable[[str], None]
Git = Callable[..., str]
Write = Callable[..., Path]

FRESH = "int fresh(void);\n"
ADDED = (
    "1 addition. Raise TOY_MINOR: next version 1.1.0. The version is still 1.0.0 (TOY_MAJOR, TOY_MINOR, TOY_PATCH).\n"
)
"""The finding about it when it is new in a header that declares a version."""


def _object(git: Git, directory: Path, name: str) -> Path:
    """Return the file of a loose object."""
    digits = git("rev-parse", name, cwd=directory).strip()
    path = directory / ".git/objects" / digits[:2] / digits[2:]
    path.chmod(0o644)
    return path


def _delete(path: Path) -> None:
    path.unlink()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8])


def _overwrite(path: Path) -> None:
    path.write_bytes(b"no object at all")


DAMAGES = [_delete, _empty, _truncate, _overwrite]


@pytest.mark.first_case
@pytest.mark.parametrize("damage", short_form(DAMAGES, 4, in_ci=True))
@pytest.mark.parametrize("name", ["HEAD:include/toy.h", "HEAD:include", "HEAD^{tree}", "HEAD"])
def test_what_git_cannot_read_is_not_new(
    abigen: Program, repository: Commit, git: Git, name: str, damage: Callable[[Path], None]
) -> None:
    damage(_object(git, abigen.directory, name))
    for operands in ["include/toy.h", "--against", "HEAD"], ["include", "--against", "HEAD"]:
        result = abigen("diff", *operands)
        assert (result.code, result.output) == (2, ""), result.remarks
        assert "cannot be read: git does not have all of it, or it is corrupt" in result.remarks
        assert "hint: the repository is damaged: `git fsck`" in result.remarks
        assert "Traceback" not in result.remarks
    assert abigen("lint", "HEAD:include/toy.h").code == 2


@pytest.mark.first_case
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_git_can_read_beside_it_is_compared(
    abigen: Program, repository: Commit, write: Write, git: Git, damage: Callable[[Path], None]
) -> None:
    write("other/other.h", "int other(void);\n")
    repository("other")
    damage(_object(git, abigen.directory, "HEAD:other/other.h"))
    write("include/fresh.h", FRESH)
    assert abigen("diff", "include/toy.h", "--against", "HEAD").code == 0
    result = abigen("diff", "include/fresh.h", "--against", "HEAD", "--summary")
    assert (result.code, result.output) == (0, "1 addition. A new MINOR version is advised. No version is stated.\n")
    assert "include/fresh.h does not exist at HEAD: all of its declarations are new" in result.remarks


def test_an_include_that_git_cannot_read_is_not_passed_over(
    abigen: Program, repository: Commit, write: Write, git: Git
) -> None:
    write("include/user.h", '#if __has_include("toy.h")\n#include "toy.h"\n#endif\n')
    repository("user")
    _delete(_object(git, abigen.directory, "HEAD:include/toy.h"))
    result = abigen("diff", "include/user.h", "--against", "HEAD")
    assert (result.code, result.output) == (2, "")
    assert "include/toy.h at HEAD cannot be read" in result.remarks


def test_what_would_tell_of_a_rename_is_needed(abigen: Program, repository: Commit, write: Write, git: Git) -> None:
    git("mv", "include/toy.h", "include/toys.h")
    write("include/toys.h", FIRST + FRESH)
    git("add", "-A")
    near = abigen("diff", "include/toys.h", "--against", "HEAD")
    assert "include/toys.h was include/toy.h at HEAD" in near.remarks
    _delete(_object(git, abigen.directory, "HEAD:include/toy.h"))
    result = abigen("diff", "include/toys.h", "--against", "HEAD")
    assert (result.code, result.output) == (2, "")
    assert "the renaming of include/toys.h since HEAD cannot be read" in result.remarks


@pytest.fixture
def partial(abigen: Program, repository: Commit, write: Write, git: Git, tmp_path: Path) -> Path:
    """A clone without files at HEAD~1, whose origin can be moved."""
    write("include/toy.h", FIRST + FRESH)
    repository("second")
    git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git("clone", "-q", "--filter=blob:none", abigen.directory.as_uri(), str(clone))
    return clone


def _allowing_files(folder: Path) -> dict[str, str]:
    """Return the environment of a user whose own configuration of git allows to fetch from folders."""
    config = folder / "gitconfig"
    config.write_text('[protocol "file"]\n\tallow = always\n')
    return {"GIT_CONFIG_GLOBAL": str(config)}


@pytest.mark.ci
def test_a_partial_clone_fetches_what_it_lacks_if_the_user_says_so(
    abigen: Program, partial: Path, tmp_path: Path
) -> None:
    question = ("diff", "include/toy.h", "--against", "HEAD~1", "--summary", "--no-cache")
    program = Program(partial, abigen.cache)
    assert program(*question).code == 2
    result = program(*question, "--fetch", **_allowing_files(tmp_path))
    assert (result.output, result.remarks) == (ADDED, "")
    assert program(*question).code == 2, "the clone itself is not changed"
    refused = program(*question, "--fetch")
    assert (refused.code, refused.output) == (2, "")
    assert "git reports: transport 'file' not allowed" in refused.remarks


@pytest.mark.ci
def test_a_partial_clone_fetches_what_tells_of_renames(
    abigen: Program, repository: Commit, write: Write, git: Git, tmp_path: Path
) -> None:
    git("mv", "include/toy.h", "include/toys.h")
    write("include/toys.h", FIRST + FRESH)
    repository("second")
    write("include/toys.h", FIRST + FRESH + "int third(void);\n")
    repository("third")
    git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git("clone", "-q", "--filter=blob:none", abigen.directory.as_uri(), str(clone))
    program = Program(clone, abigen.cache)
    question = ("history", "include/toys.h", "--summary", "--no-cache")
    assert program(*question).code == 2
    result = program(*question, "--fetch", **_allowing_files(tmp_path))
    assert result.output.startswith("The version was right in 0 of 2 steps"), result


@pytest.mark.ci
def test_a_partial_clone_without_its_origin_says_so(abigen: Program, partial: Path, git: Git, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    abigen.directory.rename(moved)
    program = Program(partial, abigen.cache)
    for path in "include/toy.h", "include":
        result = program("diff", path, "--against", "HEAD~1")
        assert (result.code, result.output) == (2, ""), result.remarks
        assert "include/toy.h at HEAD~1 cannot be read" in result.remarks
        assert "hint: this clone is partial: add --fetch, or run `git fetch --refetch --no-filter`" in result.remarks
    assert program("lint", "HEAD~1:include/toy.h").code == 2
    (partial / "fresh.h").write_text(FRESH)
    assert "all of its declarations are new" in program("diff", "fresh.h", "--against", "HEAD~1").remarks
    moved.rename(abigen.directory)
    git("fetch", "-q", "--refetch", "--no-filter", cwd=partial)
    abigen.directory.rename(moved)
    result = program("diff", "include/toy.h", "--against", "HEAD~1", "--summary")
    assert result.output == ADDED


def test_a_shallow_clone_says_so(abigen: Program, repository: Commit, write: Write, git: Git, tmp_path: Path) -> None:
    write("include/toy.h", FIRST + FRESH)
    repository("second")
    clone = tmp_path / "clone"
    git("clone", "-q", "--depth=1", "--no-local", str(abigen.directory), str(clone))
    program = Program(clone, abigen.cache)
    result = program("diff", "include/toy.h", "--against", "HEAD~1")
    assert (result.code, result.output) == (2, "")
    assert "`git fetch --unshallow`" in result.remarks
    assert "`fetch-depth: 0`" in result.remarks
    assert program("diff", "include/toy.h", "--against", "HEAD").code == 0
    (clone / "fresh.h").write_text(FRESH)
    assert "all of its declarations are new" in program("diff", "fresh.h", "--against", "HEAD").remarks
    shutil.rmtree(clone / ".git/objects/pack")
    result = program("diff", "include/toy.h", "--against", "HEAD")
    assert result.code == 2
    assert "`git fetch --unshallow`" in result.remarks


@pytest.mark.parametrize(
    "revision",
    short_form(
        ["^HEAD", "HEAD^@", "HEAD..main", "^v1.0", "HEAD^!", "HEAD^-", "HEAD^-1", "main..", "..main", "HEAD@{0}..main"],
        3,
        in_ci=True,
    ),
)
def test_what_names_several_commits_is_refused(abigen: Program, repository: Commit, revision: str) -> None:
    for arguments in ["include/toy.h", "--against", revision], [f"{revision}:include/toy.h", "include/toy.h"]:
        result = abigen("diff", *arguments)
        assert (result.code, result.output) == (2, "")
        assert f"`{revision}` is not a single git revision" in result.remarks


@pytest.mark.first_case
@pytest.mark.parametrize("revision", ["HEAD", "HEAD^0", "HEAD^{/fi..t}", "main...", "HEAD@{0}...main", "v1.0^{}"])
def test_what_names_one_commit_is_taken(abigen: Program, repository: Commit, revision: str) -> None:
    result = abigen("diff", "include/toy.h", "--against", revision)
    assert (result.code, "is new" in result.remarks) == (0, False), result.remarks


@pytest.fixture
def submodule(abigen: Program, repository: Commit, git: Git, write: Write) -> Path:
    """A submodule `deps/inner` with a header in it, checked out."""
    commit = git("rev-parse", "HEAD").strip()
    write("deps/outer.h", FRESH)
    git("add", "-A")
    git("update-index", "--add", "--cacheinfo", f"160000,{commit},deps/inner")
    git("commit", "-q", "-m", "submodule")
    return write("deps/inner/inner.h", FIRST)


def test_a_submodule_below_a_folder_is_not_absent(abigen: Program, submodule: Path, git: Git) -> None:
    said = "deps/inner is a submodule at HEAD: its files are in another repository"
    for arguments in (
        ["diff", "deps", "--against", "HEAD"],
        ["diff", ".", "--against", "HEAD"],
        ["diff", "HEAD:deps", "deps"],
        ["lint", "HEAD:deps"],
        ["lint", "HEAD:deps/inner"],
        ["lint", "HEAD:deps/inner/inner.h"],
        ["diff", "deps/inner", "--against", "HEAD"],
        ["diff", "deps/inner/inner.h", "--against", "HEAD"],
    ):
        result = abigen(*arguments)
        assert (result.code, result.output) == (2, ""), arguments
        assert said in result.remarks, arguments


def test_a_submodule_elsewhere_does_not_matter(abigen: Program, submodule: Path) -> None:
    for path in "include", "include/toy.h", "deps/outer.h":
        result = abigen("diff", path, "--against", "HEAD")
        assert (result.code, "is new" in result.remarks) == (0, False), result.remarks
    assert abigen("lint", "HEAD:include").code == 0


def test_a_link_is_followed_by_what_trees_say(abigen: Program, repository: Commit, write: Write) -> None:
    (abigen.directory / "link.h").symlink_to("include/../include/toy.h")
    (abigen.directory / "folder").symlink_to("include")
    (abigen.directory / "loop.h").symlink_to("loop.h")
    (abigen.directory / "out.h").symlink_to("../../out.h")
    repository("links")
    for operand in "HEAD:link.h", "HEAD:folder/toy.h", "HEAD:folder":
        assert abigen("diff", operand, "include/toy.h").code == 0
    for operand in "HEAD:loop.h", "HEAD:out.h", "HEAD:link.h/toy.h":
        result = abigen("lint", operand)
        assert result.code == 2
        assert "does not exist at HEAD" in result.remarks
