"""Commits, trees and objects that are made to hide a break, to hang, or to take all memory."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program
from tests.cli.samples import FIRST, INSERTED

Commit = Callable[[str], None]
Git = Callable[..., str]
Write = Callable[..., Path]

BREAK = "1 breaking change."


def _stored(git: Git, kind: str, content: bytes, abigen: Program) -> str:
    """Write an object, well-formed or not, and return its name."""
    command = ["git", "hash-object", "-t", kind, "-w", "--stdin", "--literally"]
    return (
        subprocess.run(command, input=content, cwd=abigen.directory, capture_output=True, check=True)
        .stdout.decode()
        .strip()
    )


def _entry(mode: str, name: str, digits: str) -> bytes:
    return f"{mode} {name}\0".encode() + bytes.fromhex(digits)


def test_the_message_of_a_commit_hides_no_commit(abigen: Program, repository: Commit, write: Write, git: Git) -> None:
    first = git("rev-parse", "HEAD").strip()
    write("include/toy.h", INSERTED)
    git("add", "-A")
    git("commit", "-q", "-m", f"two\x01{first}\x022024-01-01\x02\x02fine")
    result = abigen("history", "include/toy.h")
    assert "ABI103 field-inserted" in result.output
    assert "2024-01-01  " not in result.output
    write("include/toy.h", FIRST)
    git("commit", "-q", "-a", "-m", "bad \x01 \x02")
    assert abigen("history", "include/toy.h").code == 0
    assert "depth" in abigen("changelog", "include/toy.h").output


def test_a_file_that_git_is_told_to_skip_is_compared_if_it_is_there(
    abigen: Program, repository: Commit, write: Write, git: Git
) -> None:
    git("update-index", "--skip-worktree", "include/toy.h")
    write("include/toy.h", INSERTED)
    assert abigen("diff", "--against", "HEAD", "--summary").output.startswith(BREAK)
    (abigen.directory / "include/toy.h").unlink()
    assert "no header or spec has changed" in abigen("diff", "--against", "HEAD").remarks


def test_an_object_that_replaces_another_does_not_count(
    abigen: Program, repository: Commit, write: Write, git: Git
) -> None:
    write("include/toy.h", INSERTED)
    blob = git("hash-object", "-w", "include/toy.h").strip()
    git("replace", git("rev-parse", "HEAD:include/toy.h").strip(), blob)
    for arguments in (("--against", "HEAD"), ("include/toy.h", "--against", "HEAD")):
        assert abigen("diff", *arguments, "--summary").output.startswith(BREAK), arguments


def test_a_tree_with_padded_modes_has_its_folders(abigen: Program, repository: Commit, write: Write, git: Git) -> None:
    inner = git("rev-parse", "HEAD:include").strip()
    tree = _stored(git, "tree", _entry("040000", "include", inner), abigen)
    write("include/toy.h", INSERTED)
    result = abigen("diff", "include/toy.h", "--against", tree, "--summary")
    assert (result.code, result.output[: len(BREAK)]) == (1, BREAK)


def test_a_tree_with_two_files_of_one_name_is_refused(
    abigen: Program, repository: Commit, write: Write, git: Git
) -> None:
    old = git("rev-parse", "HEAD:include/toy.h").strip()
    new = git("hash-object", "-w", str(write("new.h", INSERTED))).strip()
    tree = _stored(git, "tree", _entry("100644", "toy.h", new) + _entry("100644", "toy.h", old), abigen)
    result = abigen("diff", "HEAD:include/toy.h", f"{tree}:toy.h")
    assert (result.code, result.output) == (2, "")
    assert "cannot be read: git does not have all of it, or it is corrupt" in result.remarks


@pytest.mark.parametrize("content", [b"100644 toy.h", b"\xff\xfe toy.h\0" + b"a" * 20, b"\0"])
def test_a_malformed_tree_is_refused(abigen: Program, repository: Commit, git: Git, content: bytes) -> None:
    tree = _stored(git, "tree", content, abigen)
    result = abigen("diff", f"{tree}:toy.h", "include/toy.h")
    assert result.code == 2
    assert "Traceback" not in result.remarks


def test_a_name_of_several_references_is_refused(abigen: Program, repository: Commit, write: Write, git: Git) -> None:
    write("include/toy.h", INSERTED)
    repository("second")
    write(".git/v1.0", git("rev-parse", "HEAD"))
    for arguments in (("include/toy.h",), ("include/toy.h", "--against", "v1.0")):
        result = abigen("diff", *arguments)
        assert (result.code, result.output) == (2, ""), arguments
        assert "`v1.0` names several references of git" in result.remarks
    assert abigen("diff", "include/toy.h", "--against", "refs/tags/v1.0").code == 1


def test_alternates_of_alternates_are_told(abigen: Program, repository: Commit, git: Git, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git("clone", "-q", "--bare", str(abigen.directory), str(other))
    inner = abigen.directory / ".git/objects/inner/info"
    inner.mkdir(parents=True)
    (inner / "alternates").write_text(f"{other}/objects\n")
    (abigen.directory / ".git/objects/info/alternates").write_text("inner\n")
    result = abigen("lint", "HEAD:include/toy.h")
    assert f"git also reads objects from {other.resolve()}/objects" in result.output + result.remarks


@pytest.mark.parametrize("name", ["objects/pack", "refs/heads", "refs/tags"])
def test_links_deep_in_a_repository_are_refused(
    abigen: Program, repository: Commit, git: Git, tmp_path: Path, name: str
) -> None:
    other = tmp_path / "other"
    git("clone", "-q", "--bare", str(abigen.directory), str(other))
    folder = abigen.directory / ".git" / name
    folder.rename(tmp_path / "moved")
    folder.symlink_to(other / name)
    result = abigen("lint", "HEAD:include/toy.h")
    assert (result.code, result.output) == (2, "")
    assert f".git/{name} leads to" in result.remarks or "there is no git revision" in result.remarks


def test_comments_that_do_not_end_are_passed_over_at_once(
    abigen: Program, repository: Commit, write: Write, git: Git
) -> None:
    write("include/new.h", "int h(void);\n" + "/* " * 200_000)
    git("rm", "-q", "--cached", "include/toy.h")
    (abigen.directory / "include/toy.h").unlink()
    begin = time.monotonic()
    result = abigen("diff", "include/new.h", "--against", "HEAD")
    assert result.code == 2
    assert time.monotonic() - begin < 10


def test_a_huge_object_is_refused_before_it_is_read(abigen: Program, repository: Commit, git: Git) -> None:
    with (abigen.directory / "huge.h").open("wb") as file:
        file.truncate(200 << 20)
    repository("huge")
    result = abigen("lint", "HEAD:huge.h")
    assert (result.code, result.output) == (2, "")
    assert "huge.h at HEAD is too long" in result.remarks


def test_folders_that_contain_each_other_are_not_listed_for_ever(abigen: Program, repository: Commit, git: Git) -> None:
    name = git("rev-parse", "HEAD:include/toy.h").strip()
    content = b"".join(_entry("100644", f"f{number}.h", name) for number in range(10))
    for _ in range(8):
        name = _stored(git, "tree", content, abigen)
        content = b"".join(_entry("40000", f"d{number}", name) for number in range(10))
    result = abigen("lint", f"{name}:.")
    assert (result.code, result.output) == (2, "")
    assert "has more than 500000 files" in result.remarks


def test_an_object_that_never_answers_is_not_waited_for(
    abigen: Program, repository: Commit, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abigen.workspace.git_process.LONGEST", 1.0)
    digits = git("rev-parse", "HEAD:include/toy.h").strip()
    path = abigen.directory / ".git/objects" / digits[:2] / digits[2:]
    path.unlink()
    os.mkfifo(path)
    result = abigen("lint", "HEAD:include/toy.h")
    assert (result.code, result.output) == (2, "")
    assert "include/toy.h at HEAD cannot be read" in result.remarks


def test_paths_with_line_ends_are_read(abigen: Program, repository: Commit, write: Write, tmp_path: Path) -> None:
    write("include/a\nb.h", FIRST)
    repository("line end")
    write("include/a\nb.h", INSERTED)
    assert abigen("diff", "--against", "HEAD", "--summary").output.startswith(BREAK)
    moved = tmp_path / "d\nl"
    abigen.directory.rename(moved)
    assert Program(moved, abigen.cache)("diff", "--against", "HEAD", "--summary").output.startswith(BREAK)


def test_the_history_of_a_repository_without_a_commit_is_none(abigen: Program, write: Write, git: Git) -> None:
    write("api.h", FIRST)
    for command in "history", "changelog":
        result = abigen(command, "api.h")
        assert result.code == 2
        assert "the repository has no commit yet" in result.remarks
