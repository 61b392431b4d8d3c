"""Operands at a git revision, in real repositories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from abigen.model.api import ApiSet
from abigen.model.span import AbigenError
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.cli.program import Program

Git = Callable[..., str]
Write = Callable[..., Path]

OPTIONS = ReadOptions(targets=("x86_64-linux-gnu",))


@pytest.fixture(autouse=True)
def _here(abigen: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(abigen.directory)


@pytest.fixture
def commit(git: Git) -> Callable[[str], None]:
    """Commits everything, under a message that is also a tag."""

    def run(name: str) -> None:
        git("add", "-A")
        git("commit", "-q", "-m", name)
        git("tag", name)

    return run


def _read(text: str, *include_dirs: str) -> ApiSet:
    return load(text, ReadOptions(targets=OPTIONS.targets, include_dirs=include_dirs, cache=False))


def _names(text: str, *include_dirs: str) -> set[str]:
    """Return the variables that a header and all that it includes declare."""
    return set(_read(text, *include_dirs).groups[0].api.variables)


def test_a_header_is_read_as_it_was(write: Write, commit: Callable[[str], None]) -> None:
    write("api.h", "int old;\n")
    commit("one")
    write("api.h", "int new;\n")
    read = _read("one:api.h")
    assert read.sources == {"one:api.h": "int old;\n"}
    assert str(read.groups[0].api.variables["old"].span) == "one:api.h:1:5"


def test_a_path_may_start_from_here_and_a_bare_one_starts_from_the_top(
    write: Write, commit: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("api.h", "int top;\n")
    write("sub/api.h", "int below;\n")
    commit("one")
    monkeypatch.chdir("sub")
    assert _names("one:api.h") == {"top"}
    assert _names("one:../api.h") == {"top"}
    assert _read("one:./api.h").sources == {"one:sub/api.h": "int below;\n"}


def test_what_a_header_includes_comes_from_the_same_revision(write: Write, commit: Callable[[str], None]) -> None:
    write("api/api.h", '#include "near.h"\n#include <far/far.h>\n#include <stddef.h>\nextern ssize_t own;\n')
    write("api/near.h", '#include "../deep/deep.h"\ntypedef int ssize_t;\n')
    write("deep/deep.h", "int deep;\n")
    write("include/far/far.h", "int far;\n")
    commit("one")
    for name in ("include/far/far.h", "deep/deep.h", "include/near.h"):
        write(name, "int changed;\n")
    read = _read("one:api/api.h", "include", "/usr/include").groups[0].api
    assert set(read.variables) == {"deep", "far", "own"}
    assert str(read.variables["far"].span) == "one:include/far/far.h:1:5"


def test_an_include_directory_that_the_revision_lacks_stays_as_it_is(
    write: Write, commit: Callable[[str], None]
) -> None:
    write("api.h", "#include <made.h>\nint g;\n")
    commit("one")
    write("build/made.h", "int made;\n")
    assert _names("one:api.h", "build") == {"g", "made"}


def test_an_include_whose_name_is_a_macro_is_found(write: Write, commit: Callable[[str], None]) -> None:
    write("api.h", '#define WHICH "b.h"\n#/**/include WHICH\n%:include "c.h"\n#inc\\\nlude "d.h"\n')
    for name in "abcd":
        write(f"{name}.h", f"int {name};\n")
    commit("one")
    write("b.h", "int changed;\n")
    assert _names("one:api.h") == {"b", "c", "d"}


def test_a_header_that_is_only_on_disk_is_not_found_by_one_at_a_revision(
    write: Write, commit: Callable[[str], None]
) -> None:
    write("api.h", '#if __has_include("b.h")\nint b;\n#else\nint a;\n#endif\n')
    commit("one")
    write("b.h", "")
    assert _names("one:api.h") == {"a"}


def test_a_directory_at_a_revision_means_all_headers_below_it(write: Write, commit: Callable[[str], None]) -> None:
    for name in ("include/b.h", "include/a/c.h", "include/.x/d.h", "other.h", "include/readme.md"):
        write(name, "int x;\n")
    commit("one")
    assert list(_read("one:include").sources) == ["one:include/a/c.h", "one:include/b.h"]
    assert len(_read("one:.").sources) == 3


def test_specs_bring_the_specs_that_they_use(write: Write, commit: Callable[[str], None]) -> None:
    for name, uses in (
        ("spec/api", "uses: [status, ../base/types]\n"),
        ("spec/status", "uses:\n  # the basis\n  - more\n"),
        *(("spec/more", ""), ("base/types", ""), ("spec/prefix", "")),
    ):
        api = name.partition("/")[2]
        head = f"abigen: 1\napi: {api}\nversion: 1.0.0\ndoc: d\nprefix: {api.upper()}\n"
        write(f"{name}.yaml", f"{head}header: {{path: {api}.h}}\n{uses}")
    commit("one")
    write("spec/more.yaml", "changed\n")
    assert sorted(_read("one:spec/api.yaml").sources) == [
        "one:base/types.yaml",
        "one:spec/api.yaml",
        "one:spec/more.yaml",
        "one:spec/status.yaml",
    ]


def test_a_symbolic_link_is_followed_inside_the_revision(write: Write, commit: Callable[[str], None]) -> None:
    write("real/api.h", "int a;\n").parent.parent.joinpath("api.h").symlink_to("real/api.h")
    commit("one")
    assert _names("one:api.h") == {"a"}


def _error(text: str) -> AbigenError:
    with pytest.raises(AbigenError) as error:
        _read(text)
    return error.value


def _complaint(text: str) -> tuple[str, str]:
    (diagnostic,) = _error(text).diagnostics
    return diagnostic.message, diagnostic.hint


def test_an_unknown_revision_is_reported_with_what_is_close(
    git: Git, write: Write, commit: Callable[[str], None], tmp_path: Path
) -> None:
    write("api.h", "")
    commit("release-1.0")
    assert _complaint("relaese-1.0:api.h") == (
        "there is no git revision `relaese-1.0`",
        "did you mean `release-1.0`?",
    )
    git("update-ref", "refs/remotes/origin/next", "HEAD")
    assert _complaint("next:api.h")[1] == "did you mean `origin/next`?"


def test_a_path_that_does_not_exist_at_the_revision_is_reported_with_what_is_close(
    write: Write, commit: Callable[[str], None], tmp_path: Path
) -> None:
    write("include/api.h", "")
    commit("one")
    write("later.h", "")
    assert _complaint("one:include/apo.h") == (
        "include/apo.h does not exist at one",
        "did you mean `one:include/api.h`?",
    )
    assert _complaint("one:later.h") == (
        "later.h does not exist at one",
        "it exists in the working tree: was it added later?",
    )


def test_a_path_from_here_that_was_meant_is_offered(
    write: Write, commit: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("sub/api.h", "")
    commit("one")
    monkeypatch.chdir("sub")
    assert _complaint("one:api.h")[1] == ("paths start at the top of the repository; did you mean `one:./api.h`?")


@pytest.mark.parametrize("path", ["../api.h", "./../../x.h", "/etc/passwd", "a/../../b.h"])
def test_a_path_cannot_leave_the_repository(
    write: Write, commit: Callable[[str], None], tmp_path: Path, path: str
) -> None:
    write("api.h", "")
    commit("one")
    assert "is not a path inside the repository" in _complaint(f"one:{path}")[0]


def test_an_include_cannot_leave_the_repository(write: Write, commit: Callable[[str], None], tmp_path: Path) -> None:
    write("api.h", '#include "../../outside.h"\n#include "/etc/hostname"\n')
    commit("one")
    messages = [diagnostic.message for diagnostic in _error("one:api.h").diagnostics]
    assert messages == [
        "'../../outside.h' not found",
        "'/etc/hostname' is outside of the directories that may be read",
    ]


@pytest.mark.parametrize("revision", ["--help", "-n1", "--output=stolen"])
def test_a_revision_is_never_an_option_of_git(write: Write, commit: Callable[[str], None], revision: str) -> None:
    write("api.h", "")
    commit("one")
    with pytest.raises(AbigenError, match="is not a git revision"):
        _read(f"{revision}:api.h")
    assert not Path("stolen").exists()


def test_a_shallow_clone_is_named_as_the_reason(
    git: Git, write: Write, commit: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("api.h", "1")
    commit("one")
    write("api.h", "2")
    commit("two")
    git("clone", "-q", "--depth=1", f"file://{Path.cwd()}", str(tmp_path / "clone"))
    monkeypatch.chdir(tmp_path / "clone")
    message, hint = _complaint("HEAD~1:api.h")
    assert message == "there is no git revision `HEAD~1`"
    assert "git fetch --unshallow" in hint


def test_a_directory_that_is_no_repository_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    message, _ = _complaint("HEAD:api.h")
    assert message == f"`HEAD` cannot be read: {empty} is not inside a git repository"


def test_a_repository_without_commits_says_so(git: Git, tmp_path: Path) -> None:
    assert _complaint("HEAD:api.h")[1] == "the repository has no commit yet"


def test_an_object_that_is_no_tree_is_refused(
    git: Git, write: Write, commit: Callable[[str], None], tmp_path: Path
) -> None:
    write("api.h", "int a;\n")
    commit("one")
    blob = git("rev-parse", "one:api.h").strip()
    assert _complaint(f"{blob}:api.h")[0] == f"`{blob}` is neither a commit nor a tree"


def test_a_bare_repository_has_revisions_too(
    git: Git, write: Write, commit: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("api.h", "int a;\n")
    commit("one")
    git("clone", "-q", "--bare", str(Path.cwd()), str(tmp_path / "bare.git"))
    monkeypatch.chdir(tmp_path / "bare.git")
    monkeypatch.setenv("GIT_DIR", ".")
    assert _names("main:api.h") == {"a"}


def test_headers_below_a_directory_find_each_other_from_its_top(
    abigen: Program, write: Write, commit: Callable[[str], None]
) -> None:
    write("include/toy/part.h", "typedef struct Part { int a; } Part;\n")
    write("include/toy/api.h", "#include <toy/part.h>\ntypedef struct Api { Part part; } Api;\n")
    commit("one")
    write("include/toy/part.h", "typedef struct Part { int a, b; } Part;\n")
    result = abigen("diff", "one:include", "include", "--summary")
    assert (result.output.startswith("1 breaking change."), result.code) == (True, 1)


def test_places_at_a_revision_are_named_by_the_revision(
    abigen: Program, write: Write, commit: Callable[[str], None]
) -> None:
    write("api.h", '#include "part.h"\nint gone(void);\n')
    write("part.h", "typedef int Part;\n")
    commit("one")
    write("api.h", '#include "part.h"\n')
    result = abigen("diff", "one:api.h", "api.h")
    assert "--> one:api.h:2:5\n" in result.output
    assert "2 | int gone(void);\n" in result.output
    write("api.h", '#include "part.h"\nint gone(void) int;\n')
    write("part.h", "typedef Nothing Part;\n")
    commit("two")
    broken = abigen("diff", "two:api.h", "one:api.h")
    assert broken.code == 2
    assert "two:part.h:1:9: error: unknown type name 'Nothing'" in broken.remarks
    assert "abigen-" not in broken.remarks


def test_a_revision_is_read_once(abigen: Program, write: Write, commit: Callable[[str], None], tmp_path: Path) -> None:
    write("api.h", "int a(void);\n")
    commit("one")
    first = abigen("diff", "one:api.h", "HEAD:api.h", "--format", "json")
    kept = {path.name: path.stat().st_mtime_ns for path in abigen.cache.iterdir()}
    assert abigen("diff", "one:api.h", "HEAD:api.h", "--format", "json") == first
    assert {path.name for path in abigen.cache.iterdir()} == set(kept)
    write("api.h", "int a(int);\n")
    commit("two")
    assert abigen("diff", "one:api.h", "HEAD:api.h").code == 1


def test_a_diff_in_git_finds_includes_anywhere_in_the_same_tree(
    abigen: Program, write: Write, commit: Callable[[str], None]
) -> None:
    write("src/a/x.h", '#include "deep.h"\nint f(deep_t);\n')
    write("include/vendor/deep.h", "#include <deeper.h>\ntypedef deeper_t deep_t;\n")
    write("third/deeper.h", "typedef int deeper_t;\n")
    commit("one")
    write("third/deeper.h", "typedef long long deeper_t;\n")
    for arguments in (("--against", "one", "src/a/x.h"), ("one:src/a/x.h", "src/a/x.h"), ("--against", "one", "src")):
        done = abigen("diff", *arguments)
        assert "long long" in done.output, done
    below = replace(abigen, directory=abigen.directory / "src/a")
    assert "long long" in below("diff", "one:./x.h", "x.h").output


@pytest.mark.ci
def test_a_diff_of_generated_headers_finds_those_that_they_include(
    abigen: Program, write: Write, commit: Callable[[str], None]
) -> None:
    abigen("init", "--spec", "toybox")
    abigen("build")
    commit("one")
    spec = abigen.directory / "spec/toybox.yaml"
    write("spec/toybox.yaml", spec.read_text().replace("Does the work", "Does all the work"))
    abigen("build")
    for path in abigen.directory.glob("generated/c*/*.h"):
        path.write_text(f"{path.read_text()}// end\n")
    done = abigen("diff", "--against", "one")
    assert done.code == 0, done
    assert "not found" not in done.remarks


def test_no_hint_names_a_place_that_exists_only_inside_abigen(
    abigen: Program, write: Write, commit: Callable[[str], None]
) -> None:
    write("sub/a/x.h", '#include "twin.h"\nint f(twin_t);\n')
    write("sub/b/twin.h", "typedef int twin_t;\n")
    write("sub/c/twin.h", "typedef long twin_t;\n")
    commit("one")
    done = abigen("diff", "one:sub/a/x.h", "sub/a/x.h")
    assert done.code == 2
    assert done.remarks.splitlines()[:2] == [
        "one:sub/a/x.h:1:10: error: 'twin.h' not found",
        "  hint: add --old-include sub/b",
    ]
    assert abigen("diff", "one:sub/a/x.h", "sub/a/x.h", "--old-include", "sub/b", "--new-include", "sub/b").code == 0
    assert "  hint: add -I sub/b\n" in abigen("lint", "one:sub/a/x.h").remarks
