"""`abigen history` in real repositories, and over lists of files."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from abigen.checker.histories import _parts, _Reader
from abigen.model.finding import RevisionName, RevisionState
from tests.cli.program import Program, Result
from tests.runner.skew.toys import TOY
from tests.tools import require

Git = Callable[..., str]
Write = Callable[..., Path]

HEADER = """
#include <stddef.h>
#define API_MAJOR {major}
#define API_MINOR {minor}
#define API_PATCH 0
typedef struct Api {{
  size_t struct_size;
{members}
}} Api;
#define API_STRUCT_SIZE (offsetof(Api, {last}) + sizeof(((Api*)0)->{last}))
"""


def _header(members: str, last: str, major: int = 1, minor: int = 0) -> str:
    lines = "\n".join(f"  int {name};" for name in members.split())
    return HEADER.format(major=major, minor=minor, members=lines, last=last)


@pytest.fixture
def commit(git: Git, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Commits everything, one day after the commit before."""
    days = iter(range(1, 29))

    def run(message: str, tag: str = "") -> None:
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2024-02-{next(days):02} 12:00:00 +0000")
        git("add", "-A")
        git("commit", "-q", "-m", message)
        if tag:
            git("tag", tag)

    return run


@pytest.fixture
def life(write: Write, git: Git, commit: Callable[..., None]) -> None:
    """A header that grows, breaks, is moved, has a stale constant, and cannot be read once."""
    write("api.h", _header("a b", "b"))
    commit("begin", "v1.0")
    write("api.h", _header("a b c", "c", minor=1))
    commit("append c", "v1.1")
    write("other.txt", "nothing of the API\n")
    commit("elsewhere")
    write("api.h", _header("a x b c", "c", minor=1))
    commit("insert x")
    (git("mv", "api.h", "interface.h"), write("interface.h", _header("a x b c", "c", minor=1) + "\n"))
    commit("rename the file")
    write("interface.h", "struct {\n")
    commit("a mistake")
    write("interface.h", _header("a x b c d", "c", minor=2))
    commit("append d, forget the constant", "v1.2")
    write("interface.h", _header("a x b c d", "d", minor=2))
    commit("mend the constant")


def _report(result: Result) -> dict[str, object]:
    assert result.code == 0, result.remarks
    document: dict[str, object] = json.loads(result.output)
    schema = json.loads(files("abigen.checker.report").joinpath("history.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(document)
    return document


def _headings(result: Result) -> list[str]:
    """Return the headings of the entries of a changelog."""
    assert result.code == 0, result.remarks
    return [line.removeprefix("## ") for line in result.output.splitlines() if line.startswith("## ")]


@pytest.mark.usefixtures("life")
def test_each_commit_that_changed_a_file_is_judged_by_the_one_before(abigen: Program, git: Git) -> None:
    names = git("log", "--reverse", "--format=%h", "--abbrev=10", "--", "api.h", "interface.h").split()
    result = abigen("history", "interface.h")
    assert (result.code, result.remarks) == (0, "")
    assert result.output == (
        "interface.h: 7 revisions, 2024-02-01 to 2024-02-08\n"
        "\n"
        "2024-02-01  v1.0        version 1.0.0\n"
        '    "begin"\n'
        "2024-02-02  v1.1        MINOR required, MINOR declared (1.1.0)\n"
        '    "append c"\n'
        "    also: 1 field-appended\n"
        f"2024-02-04  {names[2]}  MAJOR required, nothing declared (1.1.0)\n"
        '    "insert x"\n'
        "    ABI103 field-inserted: Api.x was inserted at offset 12, not at the end of the struct\n"
        "1 revision without a change to the API\n"
        f"2024-02-06  {names[4]}  cannot be read\n"
        '    "a mistake"\n'
        f"    {names[4]}:interface.h:1:8: this '{{' is never closed\n"
        "2024-02-07  v1.2        MINOR required, MINOR declared (1.2.0)\n"
        '    "append d, forget the constant"\n'
        "    ABI806 size-macro-stale: API_STRUCT_SIZE is 24, but Api ends at byte 28: it leaves out d\n"
        "    also: 1 field-appended\n"
        f"2024-02-08  {names[6]}  PATCH required, nothing declared (1.2.0)\n"
        '    "mend the constant"\n'
        "    also: 1 size-macro-changed\n"
        "\n"
        "The version was right in 2 of 4 steps that changed the API.\n"
        "2 steps broke it, with 2 breaks that no version declared.\n"
        f"API_STRUCT_SIZE left out d of Api since v1.2 (2024-02-07) until {names[6]} (2024-02-08).\n"
        "1 revision cannot be read.\n"
    )


@pytest.mark.ci
@pytest.mark.usefixtures("life")
def test_asked_again_it_answers_the_same_from_the_cache_and_without_one(abigen: Program) -> None:
    first = abigen("history", "interface.h", "--format", "json")
    assert abigen("history", "interface.h", "--format", "json") == first
    assert abigen("history", "interface.h", "--format", "json", "--no-cache") == first


@pytest.mark.usefixtures("life")
def test_asked_again_it_judges_no_revision_anew(
    abigen: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("ABIGEN_CACHE_DIR", str(cache))
    abigen("history", "interface.h")
    stored = {each.name for each in cache.iterdir()}
    abigen("history", "interface.h", "--all")
    assert {each.name for each in cache.iterdir()} == stored


@pytest.mark.usefixtures("life")
def test_since_begins_with_the_file_as_it_was_called_at_the_revision(abigen: Program) -> None:
    document = _report(abigen("history", "interface.h", "--since", "v1.1", "--format", "json"))
    steps = document["steps"]
    assert isinstance(steps, list)
    assert steps[0]["revision"] == "v1.1"
    assert steps[0]["is_first"]
    assert steps[0]["operand"].endswith(":api.h")
    assert [each["rule"] for each in steps[1]["breaks"]] == ["field-inserted"]


@pytest.mark.usefixtures("life")
def test_json_has_every_member_with_its_bytes_at_each_revision(abigen: Program) -> None:
    steps = _report(abigen("history", "interface.h", "--format", "json"))["steps"]
    assert isinstance(steps, list)
    (struct,) = steps[-1]["structs"]
    assert (struct["name"], struct["size"]) == ("Api", 32)
    assert [(each["name"], each["offset"]) for each in struct["members"]] == [
        ("struct_size", 0), ("a", 8), ("x", 12), ("b", 16), ("c", 20), ("d", 24),
    ]  # fmt: skip


@pytest.mark.ci
@pytest.mark.usefixtures("life")
def test_the_page_draws_each_member_and_the_time_in_which_a_constant_was_stale(abigen: Program) -> None:
    assert "<svg" not in abigen("history", "interface.h", "--format", "html", "--summary").output
    page = abigen("history", "interface.h", "--format", "html").output
    assert "<script" not in page
    assert "int x: offset 12, 4 bytes; inserted at" in page
    assert "int b: offset 16, 4 bytes; moved at" in page
    assert 'class="bar stale"' in page


def test_what_stands_in_a_header_is_text_in_the_page(abigen: Program, write: Write) -> None:
    write("1.h", "struct A { int a; };\n")
    write("2.h", "struct A { int a; int b; };\n")
    page = abigen("history", "1.h", "2.h", "1.h", "--format", "html").output
    write("<b>.h", "struct A { int b; };\n")
    page = abigen("history", "1.h", "<b>.h", "--format", "html").output
    assert "<b>.h" not in page
    assert "&lt;b&gt;.h" in page


def test_files_are_compared_in_turn(abigen: Program, write: Write) -> None:
    for number, members in enumerate(("a", "a b", "b"), 1):
        write(f"{number}.h", _header(members, members.split()[-1]))
    steps = _report(abigen("history", "1.h", "2.h", "3.h", "--format", "json"))["steps"]
    assert isinstance(steps, list)
    assert [step["required_bump"] for step in steps] == ["none", "minor", "major"]


@pytest.mark.ci
def test_many_revisions_are_judged_by_two_processes_as_by_one(
    abigen: Program, write: Write, git: Git, commit: Callable[..., None]
) -> None:
    for number in range(20):
        members = " ".join(f"m{each}" for each in range(number + 1) if each % 5 or number < 15)
        write("api.h", f"struct {{  // {number}\n" if number in (9, 10) else _header(members, members.split()[-1]))
        commit(f"step {number}")
    steps = _report(abigen("history", "api.h", "--format", "json"))["steps"]
    assert isinstance(steps, list)
    assert [bool(step["error"]) for step in steps] == [number in (9, 10) for number in range(20)]
    late = _report(abigen("history", "api.h", "--format", "json", "--since", "HEAD~9"))["steps"]
    assert isinstance(late, list)
    assert [step["breaks"] for step in late[2:]] == [step["breaks"] for step in steps[12:]]


def test_all_shows_every_revision_and_everything_that_it_broke(abigen: Program, write: Write) -> None:
    members = "".join(f" int m{number};" for number in range(14))
    write("1.h", f"struct Toy {{{members} }};\n")
    write("2.h", f"struct Toy {{{members} }};\n// the same\n")
    write("3.h", "struct Toy { int other; };\n")
    usual = abigen("history", "1.h", "2.h", "3.h")
    assert "1 revision without a change to the API" in usual.output
    assert "    and 4 more\n" in usual.output
    for form in ("text", "markdown"):
        whole = abigen("history", "1.h", "2.h", "3.h", "--all", "--format", form).output
        assert "without a change" not in whole
        assert all(f"Toy.m{number} was removed" in whole for number in range(1, 14))


@pytest.mark.ci
def test_as_many_processes_as_are_wanted_find_the_same(abigen: Program, write: Write) -> None:
    for number in range(26):
        write(f"{number:02}.h", f"struct Toy {{ int m{number // 3}; }};\n" if number != 17 else "struct {")
    files = [f"{number:02}.h" for number in range(26)]
    one, three = (abigen("history", *files, "--jobs", jobs, "--no-cache") for jobs in ("1", "3"))
    assert one == three


def test_parts_hold_every_revision_once_and_are_small_where_processes_meet() -> None:
    for number, processes in itertools.product((0, 1, 7, 16, 60, 236, 1000), (1, 2, 3, 8)):
        parts = _parts(number, processes)
        assert [each for start, end in parts for each in range(start, end)] == list(range(number))
    for processes in (2, 3, 8):
        sizes = [end - start for start, end in _parts(236, processes)]
        smallest = sizes.index(min(sizes))
        assert sizes[:smallest] == sorted(sizes[:smallest], reverse=True)
        assert max(sizes) <= 236 // (2 * processes)
        assert min(sizes) <= 4


@pytest.mark.ci
def test_revisions_that_take_longer_than_others_are_judged_the_same_by_two_processes(
    abigen: Program, write: Write, git: Git, commit: Callable[..., None]
) -> None:
    for number in range(24):
        structs = range(12 if number < 12 else 1)
        members = " ".join(f"int m{each};" for each in range(number + 1))
        write("api.h", "".join(f"struct S{each} {{ {members} }};\n" for each in structs))
        commit(f"step {number}")
    one, two = (abigen("history", "api.h", "--jobs", jobs, "--no-cache", "--all") for jobs in ("1", "2"))
    assert one == two
    assert one.code == 0


@pytest.mark.ci
def test_no_process_reads_twice_what_cannot_be_read(
    abigen: Program, write: Write, git: Git, commit: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(28):
        write("api.h", f"int a{number}{';' if not 4 < number < 24 else ''}\n")
        commit(f"step {number}")
    log = abigen.directory / "log"
    log.touch()
    stored = _Reader._stored

    def noted(reader: _Reader, before: RevisionName | None, name: RevisionName) -> RevisionState:
        state = stored(reader, before, name)
        with log.open("a") as file:  # processes that are forked write here, too
            file.write(f"{os.getpid()} {name.title}\n" if state.error else "")
        return state

    one = abigen("history", "api.h", "--jobs", "1", "--no-cache", "--all")
    monkeypatch.setattr(_Reader, "_stored", noted)
    assert abigen("history", "api.h", "--jobs", "2", "--no-cache", "--all") == one
    read = log.read_text().splitlines()
    assert len(read) >= 4
    assert len(read) == len(set(read))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.h",), "there is no file missing.h"),
        (("new.h",), "git's log has no commit that changed new.h"),
        (("api.h", "--since", "nowhere"), "there is no git revision `nowhere`"),
        (("api.h", "new.h", "--since", "HEAD"), "--since goes with one file"),
        (("../outside.h",), "is not in a repository, or in another one"),
        (("api.h", "--output", "pdf=x"), "'pdf' is not one of"),
        ((), "Missing argument"),
    ],
)
def test_what_cannot_be_answered_is_said_in_one_message(
    abigen: Program, write: Write, commit: Callable[..., None], arguments: tuple[str, ...], message: str
) -> None:
    write("api.h", "int a;\n")
    commit("begin")
    write("new.h", "int a;\n")
    write("../outside.h", "int a;\n")
    result = abigen("history", *arguments)
    assert result.code == 2
    assert message in result.remarks
    assert "Traceback" not in result.remarks


def test_outside_of_a_repository_it_says_so(abigen: Program, write: Write) -> None:
    require("git")
    write("api.h", "int a;\n")
    result = abigen("history", "api.h", GIT_CEILING_DIRECTORIES=str(abigen.directory.parent))
    assert result.code == 2
    assert "is not inside a git repository" in result.remarks


@pytest.mark.usefixtures("life")
def test_the_page_shows_the_subject_of_each_commit(abigen: Program) -> None:
    page = abigen("history", "interface.h", "--format", "html").output
    for subject in ("begin", "append c", "insert x", "append d, forget the constant", "mend the constant"):
        assert f": {subject}</summary>" in page


@pytest.mark.ci
@pytest.mark.usefixtures("life")
@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_a_summary_on_stdout_leaves_files_whole(abigen: Program, form: str) -> None:
    assert abigen("history", "interface.h", "--output", f"{form}=whole").code == 0
    result = abigen("history", "interface.h", "--summary", "--output", f"{form}=beside")
    assert result.output.startswith("The version was right in 2 of 4 steps")
    assert (abigen.directory / "beside").read_text() == (abigen.directory / "whole").read_text()


@pytest.mark.usefixtures("life")
def test_a_changelog_gathers_commits_by_the_tag_of_their_release_the_newest_first(abigen: Program) -> None:
    result = abigen("changelog", "interface.h")
    assert _headings(result) == [
        "Unreleased",
        "v1.2 - 2024-02-07",
        "v1.1 - 2024-02-02",
        "v1.0 - 2024-02-01",
    ]
    assert "Api.x" in result.output.partition("## v1.2")[2].partition("## v1.1")[0]
    assert "### Breaking\n\n- `Api.x` was inserted at offset 12, not at the end of the struct\n" in result.output
    assert "### Added\n\n- `Api.d` was appended at offset 24\n" in result.output
    assert result.output.endswith("- The first version.\n")


@pytest.mark.ci
@pytest.mark.usefixtures("life")
def test_a_changelog_without_tags_gathers_commits_by_the_version_that_they_state(abigen: Program, git: Git) -> None:
    git("tag", "--delete", "v1.0", "v1.1", "v1.2")
    assert _headings(abigen("changelog", "interface.h")) == [
        "1.2.0 - 2024-02-08",
        "1.1.0 - 2024-02-05",
        "1.0.0 - 2024-02-01",
    ]


def test_a_tag_on_another_commit_and_on_another_branch_names_a_release_of_a_changelog(
    abigen: Program, write: Write, git: Git, commit: Callable[..., None]
) -> None:
    write("api.h", _header("a", "a"))
    commit("begin")
    git("switch", "-q", "-c", "release")
    write("notes.txt", "the first release\n")
    commit("nothing of the API", "v1.0.0")
    git("switch", "-q", "main")
    write("api.h", _header("a b", "b"))
    commit("append b", "v1.1.0-rc1")
    write("notes.txt", "the second release\n")
    commit("nothing of the API", "v1.1.0")
    write("api.h", _header("a b c", "c", minor=2))
    commit("append c, and state 1.2.0")
    assert _headings(abigen("changelog", "api.h")) == [
        "1.2.0 - 2024-02-05",
        "v1.1.0 - 2024-02-04",
        "v1.0.0 - 2024-02-02",
    ]
    assert _headings(abigen("changelog", "api.h", "--since", "v1.0.0")) == [
        "1.2.0 - 2024-02-05",
        "v1.1.0 - 2024-02-04",
    ]


def test_commits_that_state_the_version_of_a_tag_that_they_are_not_in_are_unreleased(
    abigen: Program, write: Write, commit: Callable[..., None]
) -> None:
    write("api.h", _header("a", "a"))
    commit("begin", "v1.0.0")
    write("api.h", _header("a b", "b"))
    commit("append b, and forget to state 1.2.0", "v1.2.0")
    write("api.h", _header("a b c", "c", minor=2))
    commit("append c, and state 1.2.0 at last")
    assert _headings(abigen("changelog", "api.h")) == ["Unreleased", "v1.2.0 - 2024-02-02", "v1.0.0 - 2024-02-01"]


@pytest.mark.usefixtures("life")
def test_a_changelog_can_begin_behind_a_tag(abigen: Program) -> None:
    result = abigen("changelog", "interface.h", "--since", "v1.1")
    assert "Api.x" in result.output
    assert "Api.c" not in result.output


def test_a_changelog_of_a_spec_has_an_entry_for_each_release(abigen: Program, write: Write) -> None:
    write("toy.yaml", TOY)
    result = abigen("changelog", "toy.yaml")
    assert result.output.endswith("## 1.0.0\n\n- The first version.\n")
    assert "## 1.2.0\n\n### Added\n\n- `TB_Mood.TB_SILLY` = 2 was added\n" in result.output
    assert "1.0.0" not in abigen("changelog", "toy.yaml", "--since", "1.0.0").output


def test_a_changelog_of_a_release_that_is_not_there_names_those_that_are(abigen: Program, write: Write) -> None:
    write("toy.yaml", TOY)
    result = abigen("changelog", "toy.yaml", "--since", "3.0.0")
    assert result.code == 2
    assert "toy.yaml has no release 3.0.0" in result.remarks
    assert "it has 1.0.0, 1.1.0, 1.2.0" in result.remarks


def test_files_in_folders_of_releases_are_called_by_their_release(abigen: Program, write: Write) -> None:
    for release in ("1.0", "1.1"):
        write(f"sdk/{release}/include/api.h", _header("a b", "b", minor=int(release[-1])))
    steps = _report(abigen("history", "sdk/1.0/include/api.h", "sdk/1.1/include/api.h", "--format", "json"))["steps"]
    assert [step["revision"] for step in steps] == ["1.0", "1.1"]  # type: ignore[attr-defined]
