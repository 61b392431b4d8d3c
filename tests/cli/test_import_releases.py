"""`abigen import`: the version of a header, and the releases that it has had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.importing import HEADER, imported, spec_of
from tests.cli.program import Program

Write = Callable[..., Path]


def test_with_the_headers_of_releases_everything_says_since_when_it_is_there(abigen: Program, write: Write) -> None:
    old = HEADER.replace("#define FL_TITLE", "// #define FL_TITLE").replace("FL_LEVEL_HIGH = 7,", "")
    before = [line for line in old.splitlines() if "(*process)" not in line and "(*level)" not in line]
    text = "\n".join(before).replace("FL_Filter, process", "FL_Filter, name").replace("->process", "->name")
    write("1.0.h", text.replace("FL_MINOR 4", "FL_MINOR 0").replace("FL_PATCH 2", "FL_PATCH 0"))
    write("filter.h", HEADER.replace("Since 1.2. ", ""))
    result = imported(abigen, "filter.h", "--release", "1.0.0=1.0.h")
    spec = spec_of(abigen)
    assert spec["releases"] == ["1.0.0", "1.4.2"]
    structs, enums, constants = spec["structs"], spec["enums"], spec["constants"]
    assert isinstance(structs, list)
    assert isinstance(enums, list)
    assert isinstance(constants, list)
    since = {each["name"]: each.get("since") for each in structs[2]["fields"]}
    assert since == {"name": None, "loud": None, "rest": None, "level": "1.4.2", "process": "1.4.2"}
    assert [each.get("since") for each in enums[0]["enumerators"]] == [None, "1.4.2"]
    assert {each["name"]: each.get("since") for each in constants} == {"FL_LONGEST": None, "FL_TITLE": "1.4.2"}
    assert "at 1.0.0: not the same" not in result.output
    assert "FL_Filter.level: it was appended, and no comment states the meaning of 0; assumed: no-op" in result.output
    then = abigen("diff", "1.0.h", "spec/filter.yaml@1.0.0", "--fail-on", "major")
    assert then.code == 0, then.output


def test_tags_of_git_are_releases_when_they_name_versions(
    abigen: Program, write: Write, git: Callable[..., str]
) -> None:
    write("tag.h", "void first(void);\n")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    for tag in ("v1.0", "latest", "v1.0-rc1"):
        git("tag", tag)
    write("tag.h", "void first(void);\nvoid second(void);\n")
    git("commit", "-q", "-a", "-m", "two")
    git("tag", "v1.10")
    write("tag.h", "void first(void);\nvoid second(void);\nvoid third(void);\n")
    result = imported(abigen, "tag.h", "--since-tags", "*")
    assert result.code == 0, result.output + result.remarks
    spec = spec_of(abigen, "tag")
    assert (spec["version"], spec["releases"]) == ("1.11.0", ["1.0.0", "1.10.0", "1.11.0"])
    functions = spec["functions"]
    assert isinstance(functions, list)
    assert [each.get("since") for each in functions] == [None, "1.10.0", "1.11.0"]
    missing = imported(abigen, "tag.h", "--since-tags", "w*", "--force")
    assert missing.code == 2
    assert "no tag `w*` that names a version has the file tag.h" in missing.remarks


@pytest.mark.ci
def test_a_header_that_is_as_at_the_last_tag_is_that_release(
    abigen: Program, write: Write, git: Callable[..., str]
) -> None:
    write("tag.h", '#include "kind.h"\nvoid first(Kind kind);\n')
    write("kind.h", "#pragma once\ntypedef int Kind;\n")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    git("tag", "v1.0")
    write("tag.h", '#include "kind.h"\nvoid first(Kind kind);\nvoid second(void);\n')
    git("commit", "-q", "-a", "-m", "two")
    git("tag", "v1.1")
    write("README", "of no header")
    git("add", "-A")
    git("commit", "-q", "-m", "three")
    result = imported(abigen, "tag.h", "--since-tags", "v*")
    assert result.code == 0, result.output + result.remarks
    spec, used = spec_of(abigen, "tag"), spec_of(abigen, "kind")
    assert (spec["version"], spec["releases"]) == ("1.1.0", ["1.0.0", "1.1.0"])
    functions = spec["functions"]
    assert isinstance(functions, list)
    assert [each.get("since") for each in functions] == [None, "1.1.0"]
    assert (used["version"], used["releases"]) == ("1.1.0", ["1.0.0", "1.1.0"])
    assert used["typedefs"] == [{"name": "Kind", "type": "int"}]


def test_what_a_release_had_and_the_header_lacks_is_listed(abigen: Program, write: Write) -> None:
    write("old.h", "#define A_MAJOR 1\n#define A_MINOR 0\n#define A_PATCH 0\nvoid gone(void);\nvoid stays(void);\n")
    write("a.h", "#define A_MAJOR 2\n#define A_MINOR 0\n#define A_PATCH 0\nvoid stays(void);\n")
    result = imported(abigen, "a.h", "--release", "1.0.0=old.h")
    assert result.code == 1
    assert "old.h:4:6: not in the spec as it is: gone: 2.0.0 does not have it" in result.output


def test_what_came_in_front_of_older_members_is_as_old_as_they_are_and_listed(abigen: Program, write: Write) -> None:
    begin = "typedef struct A_Late { int number; } A_Late;\n"
    write("old.h", "typedef struct A_S { int b; } A_S;\n")
    write("api.h", f"{begin}typedef struct A_S {{ A_Late* late; int b; int c; }} A_S;\nint a_f();\n")
    releases = ("--release", "1.0.0=old.h", "--release", "1.2.0=api.h")
    result = imported(abigen, "api.h", "--name", "a", *releases)
    spec = spec_of(abigen, "a")
    assert (spec["api"], spec["version"], spec["releases"]) == ("a", "1.2.0", ["1.0.0", "1.2.0"])
    structs, functions = spec["structs"], spec["functions"]
    assert isinstance(structs, list)
    assert isinstance(functions, list)
    assert [each.get("since") for each in structs] == [None, None]
    assert [each.get("since") for each in structs[1]["fields"]] == [None, None, "1.2.0"]
    for name in ("A_S.late", "A_Late"):
        assert f"{name}: it is newer than later entities, or than entities that use it" in result.output
    assert functions == [{"name": "a_f", "type": "int ()", "implemented_by": "core", "since": "1.2.0"}]
    assert "api.yaml, line" not in result.output


def test_a_version_is_stated_by_the_spec_of_one_header_only(abigen: Program, write: Write) -> None:
    write("bs_version.h", "#pragma once\n#define BS_MAJOR 1\n#define BS_MINOR 2\n#define BS_PATCH 0\n")
    write("base.h", '#pragma once\n#include "bs_version.h"\ntypedef int BS_Id;\n')
    write("more.h", '#pragma once\n#include "base.h"\nBS_Id bs_more(void);\n')
    result = imported(abigen, "more.h")
    assert "yaml, line" not in result.output and "not the same" not in result.output, result.output
    versions = {name: spec_of(abigen, name).get("version_macros") for name in ("bs_version", "base", "more")}
    assert versions == {"bs_version": None, "base": [], "more": []}
    assert {spec_of(abigen, name)["version"] for name in versions} == {"1.2.0"}
    assert abigen("build", "--target", "c").code == 0


def test_a_version_that_the_spec_has_as_constants_is_not_lost(abigen: Program, write: Write) -> None:
    write("two.h", "#define TW_VERSION_MAJOR 1\n#define TW_VERSION_MINOR 2\nint tw_run(void);\n")
    result = imported(abigen, "two.h")
    text = "it is a constant in the spec, to be changed along with `version`"
    assert result.output == (
        "wrote spec/two.yaml\n"
        f"two.h:1:9: version macro TW_VERSION_MAJOR: {text}\ntwo.h:2:9: version macro TW_VERSION_MINOR: {text}\n"
    )
    assert result.code == 0


VERSIONS = {
    "a string": ('#define VS_VERSION "2.5"\n', {"VS_VERSION": '"2.5"'}),
    "strings for its parts": (
        '#define VS_VERSION_MAJOR "5"\n#define VS_VERSION_MINOR "6"\n#define VS_VERSION_PATCH "7"\n',
        {"VS_VERSION_MAJOR": '"5"', "VS_VERSION_MINOR": '"6"', "VS_VERSION_PATCH": '"7"'},
    ),
    "a macro that makes it up": (
        "#define VS_MAKE(a, b, c) (((a) << 16) | ((b) << 8) | (c))\n#define VS_API_VERSION VS_MAKE(1, 2, 3)\n",
        {"VS_API_VERSION": "VS_MAKE(1, 2, 3)"},
    ),
    "a number that another macro has": (
        "#define VS_V5 5\n#define VS_API_VERSION VS_V5\n",
        {"VS_API_VERSION": "VS_V5", "VS_V5": 5},
    ),
    "no minor": ("#define VS_MAJOR 2\n#define VS_PATCH 7\n", {"VS_MAJOR": 2, "VS_PATCH": 7}),
}


@pytest.mark.first_case
@pytest.mark.parametrize("case", VERSIONS)
def test_the_macros_of_a_version_stay_what_they_are(case: str, abigen: Program, write: Write) -> None:
    text, expected = VERSIONS[case]
    header = write("vs.h", f"#ifndef VS_H\n#define VS_H\n{text}int vs_run(void);\n#endif\n")
    assert imported(abigen, "vs.h").code == 0
    constants = spec_of(abigen, "vs")["constants"]
    assert isinstance(constants, list)
    assert {each["name"]: each["value"] for each in constants} == expected
    assert abigen("build", "--target", "c").code == 0
    done = abigen("diff", str(header), "generated/c/vs.h", "--strict")
    assert (done.code, "No change" in done.output) == (0, True), done.output
