"""`abigen diff PATH... --against REV`: files and directories compared with their own past."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.cli.program import Program
from tests.cli.samples import APPENDED, FIRST, INSERTED, RELEASED
from tests.tools import require

Git = Callable[..., str]
Write = Callable[..., Path]
Commit = Callable[[str], None]

SPEC = "abigen: 1\napi: toy\nversion: {version}\nfunctions:\n  - {{name: toy_play, type: 'int (int a{more})'}}\n"

STILL = "The version is still 1.0.0 (TOY_MAJOR, TOY_MINOR, TOY_PATCH)."


def spec(version: str = "1.0.0", more: str = "") -> str:
    return SPEC.format(version=version, more=more)


@pytest.mark.ci
def test_a_header_is_compared_with_what_it_was(abigen: Program, repository: Commit, write: Write) -> None:
    assert abigen("diff", "include/toy.h", "--against", "v1.0").code == 0
    write("include/toy.h", INSERTED)
    result = abigen("diff", "include/toy.h", "--against", "v1.0", "--summary")
    assert (result.output, result.code) == (
        f"1 breaking change. Raise TOY_MAJOR: next version 2.0.0. {STILL}\n",
        1,
    )
    assert result.remarks == ""
    write("include/toy.h", RELEASED)
    assert abigen("diff", "include/toy.h", "--against", "v1.0", "--summary").code == 0


def test_what_is_committed_can_be_compared_too(abigen: Program, repository: Commit, write: Write) -> None:
    write("include/toy.h", APPENDED)
    repository("second")
    write("include/toy.h", INSERTED)
    result = abigen("diff", "HEAD:include/toy.h", "--against", "v1.0", "--summary")
    assert result.output.startswith(("1 addition. ", "2 additions. ", "4 additions. "))


def test_paths_start_from_the_current_directory(
    abigen: Program, repository: Commit, write: Write, tmp_path: Path
) -> None:
    write("include/toy.h", INSERTED)
    inside = Program(abigen.directory / "include", abigen.cache)
    (tmp_path / "link").symlink_to(abigen.directory)
    for path in (
        "toy.h",
        "../include/toy.h",
        str(abigen.directory / "include/toy.h"),
        str(tmp_path / "link/include/toy.h"),
    ):
        result = inside("diff", path, "--against", "HEAD")
        assert "= old        HEAD:include/toy.h:" in result.output, path


def test_what_a_header_includes_is_compared_in_its_old_state(abigen: Program, repository: Commit, write: Write) -> None:
    write("base/base.h", "struct Base { int a; };\n")
    write("include/toy.h", "#include <base.h>\nstruct Toy { struct Base base; int b; };\n")
    repository("second")
    write("base/base.h", "struct Base { int a; long long c; };\n")
    result = abigen("diff", "include/toy.h", "--against", "HEAD", "-I", "base", "--format", "json")
    (finding,) = json.loads(result.output)["findings"]
    assert (finding["entity"], finding["bump"]) == ("Toy.base", "major")


@pytest.fixture
def branches(git: Git, repository: Commit, write: Write) -> None:
    """`topic` has left main, which has gone on; the working tree is topic's."""
    git("checkout", "-q", "-b", "topic")
    write("include/toy.h", APPENDED)
    repository("append")
    git("checkout", "-q", "main")
    write("include/toy.h", FIRST + "int main_only(void);\n")
    repository("main goes on")
    git("checkout", "-q", "topic")


@pytest.mark.ci
@pytest.mark.usefixtures("branches")
def test_three_dots_mean_the_commit_at_which_a_branch_was_left(abigen: Program) -> None:
    assert "main_only was removed" in abigen("diff", "include/toy.h", "--against", "main").output
    for revision in "main...", "main...topic", "main...HEAD":
        result = abigen("diff", "include/toy.h", "--against", revision, "--summary")
        assert result.output == f"1 addition. Raise TOY_MINOR: next version 1.1.0. {STILL}\n"


@pytest.mark.usefixtures("branches")
def test_branches_tags_and_remote_branches_are_revisions(abigen: Program, git: Git, tmp_path: Path) -> None:
    git("clone", "-q", str(abigen.directory), str(tmp_path / "clone"))
    clone = Program(tmp_path / "clone", abigen.cache)
    assert "main_only was removed" in clone("diff", "include/toy.h", "--against", "origin/main").output
    assert clone("diff", "include/toy.h", "--against", "v1.0", "--summary").output.startswith(
        ("1 addition. ", "2 additions. ", "4 additions. ")
    )
    missing = clone("diff", "include/toy.h", "--against", "main")
    assert missing.code == 2
    assert missing.remarks == "abigen: error: there is no git revision `main`\n  hint: did you mean `origin/main`?\n"


@pytest.mark.first_case
@pytest.mark.usefixtures("branches")
@pytest.mark.parametrize("revision", ["v1.0", "main...", "origin/main..."])
def test_a_shallow_clone_is_told_how_to_get_its_past(abigen: Program, git: Git, tmp_path: Path, revision: str) -> None:
    git("clone", "-q", "--depth=1", f"file://{abigen.directory}", str(tmp_path / "clone"))
    git("fetch", "-q", "--depth=1", "origin", "main:main", cwd=tmp_path / "clone")
    result = Program(tmp_path / "clone", abigen.cache)("diff", "include/toy.h", "--against", revision)
    assert result.code == 2
    assert "this clone is shallow: run `git fetch --unshallow`" in result.remarks
    assert "fetch-depth: 0" in result.remarks


def test_histories_without_a_common_commit_are_named(abigen: Program, repository: Commit, git: Git) -> None:
    git("checkout", "-q", "--orphan", "other")
    git("commit", "-q", "-m", "another beginning")
    result = abigen("diff", "include/toy.h", "--against", "main...")
    assert (result.code, result.remarks) == (2, "abigen: error: `main` and `HEAD` have no commit in common\n")


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("mian", "there is no git revision `mian`\n  hint: did you mean `main`?"),
        ("mian...", "there is no git revision `mian`\n  hint: did you mean `main`?"),
        ("main...mian", "there is no git revision `mian`\n  hint: did you mean `main`?"),
        ("main..topic", "`main..topic` is not a single git revision\n  hint: name one revision, or `main...` for"),
        ("upstream/topic", "there is no git revision `upstream/topic`\n  hint: run `git fetch upstream topic`"),
        ("", "there is no git revision ``"),
        ("--upload-pack=touch stolen", "`--upload-pack=touch stolen` is not a git revision"),
        ("main...--output=stolen", "`main...--output=stolen` is not a single git revision"),
        ("ext::sh -c touch% stolen", "there is no git revision `ext::sh -c touch% stolen`"),
        ("$(touch stolen)", "there is no git revision `$(touch stolen)`"),
    ],
)
def test_a_revision_that_does_not_exist_is_named(
    abigen: Program, repository: Commit, git: Git, revision: str, message: str
) -> None:
    git("remote", "add", "upstream", "/nowhere")
    result = abigen("diff", "include/toy.h", f"--against={revision}")
    assert result.code == 2
    assert result.remarks.startswith(f"abigen: error: {message}")
    assert not (abigen.directory / "stolen").exists()


def test_a_file_that_the_revision_lacks_is_new(abigen: Program, repository: Commit, write: Write) -> None:
    write("include/fresh.h", "int fresh(void);\n")
    result = abigen("diff", "include/fresh.h", "--against", "HEAD", "--summary")
    assert result.output == "1 addition. A new MINOR version is advised. No version is stated.\n"
    assert result.remarks == "abigen: include/fresh.h does not exist at HEAD: all of its declarations are new\n"
    assert result.code == 0


def test_what_is_new_as_a_whole_breaks_nobody(abigen: Program, repository: Commit, write: Write) -> None:
    write("new.yaml", spec() + "  - {name: toy_init, type: 'void (void)', implemented_by: plugin, entry_point: true}\n")
    result = abigen("diff", "new.yaml", "--against", "HEAD", "--format", "json")
    found = json.loads(result.output)
    assert (found["required_bump"], found["ok"], result.code) == ("minor", True, 0)
    assert {each["entity"] for each in found["findings"]} >= {"toy_play", "toy_init"}
    assert {each["bump"] for each in found["findings"]} == {"minor"}
    assert {answer for each in found["findings"] for answer in each["axes"].values()} == {"ok"}
    assert abigen("diff", "new.yaml", "--against", "HEAD", "--fail-on", "minor").code == 1


STALE = """#pragma once
#include <stddef.h>
typedef struct Fresh { size_t struct_size; int a; int b; } Fresh;
#define FRESH_STRUCT_SIZE (offsetof(Fresh, a) + sizeof(((Fresh*)0)->a))
"""


def test_what_is_new_shows_its_flaws_of_form(abigen: Program, repository: Commit, write: Write) -> None:
    write("include/fresh.h", STALE)
    for path in "include/fresh.h", "include":
        result = abigen("diff", path, "--against", "HEAD")
        assert (
            "error ABI806 size-macro-stale: FRESH_STRUCT_SIZE is 12, but Fresh ends at byte 16: it leaves out b"
            in result.output
        )
        assert result.code == 1
    write("include/fresh.h", "int fresh(void);\n")
    write("include/toy.h", (abigen.directory / "include/toy.h").read_text())
    result = abigen("diff", "include", "--against", "HEAD", "--format", "json")
    flaws = [each for each in json.loads(result.output)["findings"] if each["rule"] == "missing-guard"]
    assert [each["entity"] for each in flaws] == ["fresh.h"]  # whatever other files have


def test_a_file_that_is_gone_is_removed(abigen: Program, repository: Commit) -> None:
    (abigen.directory / "include/toy.h").unlink()
    for path in "include/toy.h", "include":
        result = abigen("diff", path, "--against", "HEAD", "--summary")
        assert ("breaking change" in result.output, result.code) == (True, 1)
    assert "all of its declarations were removed" in abigen("diff", "include/toy.h", "--against", "HEAD").remarks


def test_a_file_that_exists_on_neither_side_is_an_error(abigen: Program, repository: Commit) -> None:
    result = abigen("diff", "include/toi.h", "nowhere/toy.h", "--against", "HEAD")
    assert result.code == 2
    assert result.remarks == (
        "abigen: error: there is no file include/toi.h, now or at HEAD\n  hint: did you mean `include/toy.h`?\n"
        "abigen: error: there is no directory nowhere, now or at HEAD\n"
    )


def test_a_renamed_file_is_compared_with_what_it_was(
    abigen: Program, repository: Commit, git: Git, write: Write
) -> None:
    git("mv", "include/toy.h", "include/game.h")
    write("include/game.h", INSERTED)
    expected = f"1 breaking change. Raise TOY_MAJOR: next version 2.0.0. {STILL}\n"
    new = abigen("diff", "include/game.h", "--against", "HEAD", "--summary")
    assert (new.output, new.remarks) == (expected, "abigen: include/game.h was include/toy.h at HEAD\n")
    old = abigen("diff", "include/toy.h", "--against", "HEAD", "--summary")
    assert (old.output, old.remarks) == (expected, "abigen: include/toy.h was renamed to include/game.h\n")
    both = abigen("diff", "include/toy.h", "include/game.h", "--against", "HEAD", "--summary")
    assert both.output == expected


def test_a_new_file_is_compared_with_the_one_that_is_gone_and_whose_names_it_has(
    abigen: Program, repository: Commit, write: Write
) -> None:
    (abigen.directory / "include/toy.h").unlink()
    write("include/game.h", "// Written anew.\n" + INSERTED.replace(";", " ;").replace(",", " ,"))
    new = abigen("diff", "include/game.h", "--against", "HEAD", "--summary")
    assert new.remarks == "abigen: include/game.h was include/toy.h at HEAD\n"
    assert new.output == f"1 breaking change. Raise TOY_MAJOR: next version 2.0.0. {STILL}\n"


def test_a_new_file_with_names_of_its_own_is_new(abigen: Program, repository: Commit, write: Write) -> None:
    (abigen.directory / "include/toy.h").unlink()
    write("include/other.h", "int other_start(int level);\n")
    new = abigen("diff", "include/other.h", "--against", "HEAD", "--summary")
    assert new.remarks == "abigen: include/other.h does not exist at HEAD: all of its declarations are new\n"


def test_a_directory_is_compared_as_a_whole(abigen: Program, repository: Commit, write: Write) -> None:
    write("include/part.h", "int part(void);\n")
    write("include/toy.h", FIRST + "int more(void);\n")
    result = abigen("diff", "include", "--against", "HEAD", "--format", "json")
    found = json.loads(result.output)
    assert {each["entity"] for each in found["findings"] if each["bump"] == "minor"} == {"part", "more"}
    assert found["old"]["files"] == ["HEAD:include/toy.h"]
    empty = abigen("diff", ".", "--against", "HEAD", "--summary")
    assert empty.output.startswith(("1 addition. ", "2 additions. ", "4 additions. "))


def test_a_directory_of_specs_is_one_api_each(abigen: Program, repository: Commit, write: Write) -> None:
    write("spec/a.yaml", spec())
    write("spec/b.yaml", spec())
    write("spec/c.yaml", spec())
    repository("specs")
    write("spec/a.yaml", spec("2.0.0", ", int b"))
    write("spec/b.yaml", spec("1.0.1", ", int b"))
    (abigen.directory / "spec/c.yaml").unlink()
    write("spec/sub/d.yaml", spec("3.0.0"))
    result = abigen("diff", "spec", "--against", "HEAD", "--summary")
    assert result.output.splitlines() == [
        "spec/a.yaml: 1 breaking change. Version 2.0.0 is enough for breaks. The version moved from 1.0.0 to 2.0.0.",
        "spec/b.yaml: 1 breaking change. Raise MAJOR: next version 2.0.0. The version moved from 1.0.0 to 1.0.1.",
        "spec/c.yaml: 2 breaking changes. This needs a new MAJOR version. OLD states version 1.0.0, NEW states none.",
        "spec/sub/d.yaml: 4 additions. A new MINOR version is advised. NEW states version 3.0.0, OLD states none.",
    ]
    assert result.code == 1
    assert abigen("diff", "spec/a.yaml", "spec/sub", "--against", "HEAD").code == 0


def test_a_release_of_a_spec_is_compared_with_what_it_was_then(
    abigen: Program, repository: Commit, write: Write
) -> None:
    write("toy.yaml", spec())
    repository("spec")
    later = spec("1.1.0") + "  - {name: toy_stop, type: 'void (void)', since: 1.1.0}\n"
    write("toy.yaml", later)
    assert abigen("diff", "toy.yaml@1.0.0", "--against", "HEAD", "--summary").output.startswith("No change.")
    write("toy.yaml", later.replace("int a", "long a"))
    assert abigen("diff", "toy.yaml@1.0.0", "--against", "HEAD").code == 1


def test_a_path_outside_of_the_repository_is_an_error(
    abigen: Program, repository: Commit, git: Git, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.h").write_text(FIRST)
    result = abigen("diff", str(other / "x.h"), "--against", "HEAD")
    assert f"{other / 'x.h'} is outside of the repository {abigen.directory}" in result.remarks
    assert "it is not in a repository" in result.remarks
    git("init", "-q", cwd=other)
    result = abigen("diff", str(other / "x.h"), "--against", "HEAD")
    assert (result.code, f"run abigen in {other}" in result.remarks) == (2, True)


def test_a_path_in_a_submodule_is_an_error_that_says_where_to_go(
    abigen: Program, repository: Commit, git: Git, tmp_path: Path
) -> None:
    git("clone", "-q", str(abigen.directory), str(tmp_path / "inner"))
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "inner"), "deps/inner")
    repository("submodule")
    for path in "deps/inner/include/toy.h", "deps/inner/include", "deps/inner":
        result = abigen("diff", path, "--against", "HEAD")
        assert result.code == 2
        assert result.remarks == (
            f"abigen: error: {path} is in deps/inner, a repository of its own\n"
            "  hint: run abigen in deps/inner, with one of its own revisions\n"
        )
    inside = Program(abigen.directory / "deps/inner", abigen.cache)
    assert inside("diff", "include/toy.h", "--against", "v1.0").code == 0


def test_another_repository_is_named_when_this_is_none(abigen: Program, repository: Commit, tmp_path: Path) -> None:
    outside = Program(tmp_path, abigen.cache, {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    result = outside("diff", str(abigen.directory / "include/toy.h"), "--against", "HEAD")
    assert result.code == 2
    assert result.remarks == (
        f"abigen: error: {tmp_path} is not inside a git repository\n  hint: run abigen in {abigen.directory}\n"
    )


def test_what_is_no_repository_is_an_error(abigen: Program, write: Write, tmp_path: Path) -> None:
    require("git")
    write("toy.h", FIRST)
    result = abigen("diff", "toy.h", "--against", "HEAD", GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert result.code == 2
    assert "is not inside a git repository" in result.remarks


def test_a_bare_repository_compares_what_it_has(abigen: Program, repository: Commit, git: Git, tmp_path: Path) -> None:
    git("clone", "-q", "--bare", str(abigen.directory), str(tmp_path / "bare.git"))
    bare = Program(tmp_path / "bare.git", abigen.cache, {"GIT_DIR": "."})
    assert bare("diff", "main:include/toy.h", "--against", "v1.0").code == 0
    result = bare("diff", "include/toy.h", "--against", "v1.0")
    assert (result.code, "write `HEAD:include/toy.h`" in result.remarks) == (2, True)


def test_standard_input_has_no_past(abigen: Program, repository: Commit) -> None:
    assert "standard input has no older version" in abigen("diff", "-", "--against", "HEAD", text=FIRST).remarks


@pytest.mark.ci
def test_a_file_with_a_peculiar_name_is_only_a_file(abigen: Program, repository: Commit, write: Write) -> None:
    names = ["-n.h", "a b.h", "$(touch stolen).h", "'q'.h", "é.h", "x;touch stolen;.h", "--output=stolen.h", "a:b.h"]
    for name in names:
        write(name, FIRST)
    repository("names")
    for name in names:
        write(name, INSERTED)
        result = abigen("diff", "--against", "HEAD", "--summary", "--", f"./{name}")
        assert result.output.startswith("1 breaking change"), (name, result)
        assert abigen("diff", "--against", "HEAD", "--summary", "--", name).output == result.output, name
    assert not list(abigen.directory.glob("stolen*"))


def test_several_apis_in_json_are_a_list(abigen: Program, repository: Commit, write: Write) -> None:
    write("other.h", "int other(void);\n")
    result = abigen("diff", "include/toy.h", "other.h", "--against", "HEAD", "--format", "json")
    found = json.loads(result.output)
    assert (found["schema"], found["ok"]) == ("abigen-diffs/1", True)
    assert [each["new"]["operand"] for each in found["diffs"]] == ["include/toy.h", "other.h"]
    assert [each["schema"] for each in found["diffs"]] == ["abigen-diff/1"] * 2
    one, several = (
        json.loads(files("abigen.checker.report").joinpath(f"{name}.schema.json").read_text("utf-8"))
        for name in ("diff", "diffs")
    )
    registry = Registry().with_resource("diff.schema.json", Resource.from_contents(one))
    Draft202012Validator(several, registry=registry).validate(found)


def test_two_directories_are_compared_without_git(abigen: Program, write: Write) -> None:
    write("old/toy.h", FIRST)
    write("new/toy.h", INSERTED)
    write("new/more.h", "int more(void);\n")
    result = abigen("diff", "old", "new", "--summary")
    assert result.output == f"1 breaking change, 1 addition. Raise TOY_MAJOR: next version 2.0.0. {STILL}\n"


def test_one_operand_is_compared_with_the_last_release(
    abigen: Program, repository: Commit, write: Write, git: Git
) -> None:
    for tag in ("v0.9.9", "nightly", "v1.1.0-rc1"):
        git("tag", tag)
    git("checkout", "-q", "-b", "later")
    write("include/toy.h", INSERTED)
    repository("second")
    git("tag", "v2.0.0")
    git("checkout", "-q", "main")
    write("include/toy.h", RELEASED)
    result = abigen("diff", "include/toy.h", "--summary")
    assert result.remarks == "abigen: compared with v1.0, the last release by git's tags\n"
    assert result.output.startswith("1 addition. Version 1.1.0 is enough for additions.")
    assert abigen("diff", "include/toy.h", "--against", "v2.0.0", "--summary").remarks == ""


@pytest.mark.parametrize("operands", [["a.h"], ["a.h", "b.h", "c.h"]])
def test_without_a_revision_two_apis_are_needed(abigen: Program, operands: list[str]) -> None:
    result = abigen("diff", *operands)
    assert (result.code, "name OLD and NEW" in result.remarks) == (2, True)


def test_without_git_no_release_is_known_and_two_apis_are_needed(abigen: Program, write: Write, tmp_path: Path) -> None:
    write("a.h", RELEASED)
    result = abigen("diff", "a.h", PATH=str(tmp_path))
    assert (result.code, result.output) == (2, "")
    assert "there is nothing to compare a.h with: git, whose tags name releases, is not installed" in result.remarks
    assert "hint: install git; or name OLD and NEW" in " ".join(result.remarks.split())


def test_a_header_in_no_repository_has_no_release_to_be_compared_with(abigen: Program, write: Write) -> None:
    require("git")
    write("a.h", RELEASED)
    result = abigen("diff", "a.h", GIT_CEILING_DIRECTORIES=str(abigen.directory.parent))
    assert result.code == 2
    assert "there is nothing to compare a.h with: " in result.remarks
    assert " is not inside a git repository\n" in result.remarks


def test_without_a_tag_that_names_a_release_the_message_says_so_and_what_to_do(
    abigen: Program, write: Write, git: Git
) -> None:
    write("include/toy.h", RELEASED)
    (git("add", "-A"), git("commit", "-q", "--allow-empty", "-m", "begin"))
    git("tag", "nightly")
    result = abigen("diff", "include/toy.h")
    assert result.code == 2
    assert result.remarks == (
        "abigen: error: there is nothing to compare include/toy.h with: git has no tag here that names a release\n"
        "  hint: tag a release: `git tag v1.0.0 COMMIT`, or name a revision: --against REV; or name OLD and NEW\n"
    )
    git("checkout", "-q", "--orphan", "other")
    git("commit", "-q", "--allow-empty", "-m", "another root")
    git("tag", "v3.0.0")
    git("checkout", "-q", "main")
    assert "compare with that tag: --against v3.0.0" in abigen("diff", "include/toy.h").remarks


@pytest.mark.ci
def test_without_a_path_all_that_has_changed_is_compared(
    abigen: Program, repository: Commit, write: Write, git: Git
) -> None:
    write("include/gone.h", "int gone(void);\n")
    write("include/old.h", FIRST.replace("toy", "old").replace("Toy", "Old").replace("TOY", "OLD"))
    write("spec/api.yaml", spec())
    write("spec/lost.yaml", spec())
    write("ci.yaml", "steps: [build]\n")
    repository("second")
    for name in ("include/gone.h", "spec/lost.yaml"):
        (abigen.directory / name).unlink()
    git("mv", "include/old.h", "include/new.h")
    write("include/toy.h", INSERTED)
    write("spec/api.yaml", spec("1.1.0", ", int b"))
    write("ci.yaml", "steps: [build, test]\n")
    write("untracked.h", "int untracked(void);\n")
    for program in (abigen, Program(abigen.directory / "include", abigen.cache)):
        result = program("diff", "--against", "HEAD", "--format", "json")
        found = {
            Path(each["new"]["operand"]).name: each["required_bump"] for each in json.loads(result.output)["diffs"]
        }
        expected = {"gone.h": "major", "lost.yaml": "major", "toy.h": "major", "api.yaml": "major", "new.h": "none"}
        assert (found, result.code) == (expected, 1)
        assert "include/gone.h" in result.remarks or "gone.h no longer exists" in result.remarks


@pytest.mark.parametrize("format", ["text", "json", "markdown", "github", "sarif", "junit", "html"])
def test_when_nothing_has_changed_every_format_says_nothing(
    abigen: Program, repository: Commit, write: Write, format: str
) -> None:
    write("include/toy.h", FIRST)
    result = abigen("diff", "--against", "HEAD", "--format", format)
    assert (result.code, result.remarks) == (0, "abigen: no header or spec has changed since HEAD\n")
    assert "ABI" not in result.output


def test_a_directory_of_specs_is_linted_spec_by_spec(abigen: Program, write: Write) -> None:
    write("spec/a.yaml", spec())
    found = json.loads(abigen("lint", "spec", "--format", "json").output)
    assert found["files"] == ["spec/a.yaml"]
    write("spec/b.yaml", spec())
    write("spec/x.h", FIRST)
    found = json.loads(abigen("lint", "spec", "--format", "json").output)
    assert found["files"] == ["spec/x.h", "spec/a.yaml", "spec/b.yaml"]


def test_two_directories_of_specs_are_compared_spec_by_spec(abigen: Program, write: Write) -> None:
    for name in "old/a.yaml", "old/b.yaml", "new/a.yaml", "new/sub/c.yaml":
        write(name, spec())
    write("new/a.yaml", spec("1.1.0", ", int b"))
    for _ in range(2):
        lines = abigen("diff", "old", "new", "--summary").output.splitlines()
        assert [line.partition(":")[0] for line in lines] == ["new/a.yaml", "new/b.yaml", "new/sub/c.yaml"]
        assert ["breaking change" in line for line in lines] == [True, True, False]
    write("new/d.yaml", spec())
    write("old/x.h", FIRST)
    lines = abigen("diff", "old", "new", "--summary").output.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "new",
        "new/a.yaml",
        "new/b.yaml",
        "new/d.yaml",
        "new/sub/c.yaml",
    ]
