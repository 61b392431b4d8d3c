"""Tests of a project's settings: they apply, they name their source, and errors in them are reported apart."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from abigen.checker.policy import LEVELS, MAJOR_ZERO, POLICIES
from abigen.checker.policy import Options as PolicyOptions
from abigen.model.finding import Bump
from abigen.workspace.config.settings import config_keys
from tests.cli.program import Program, Result
from tests.cli.samples import FIRST, INSERTED

Write = Callable[..., Path]


EXPLAINED = """\
configuration file: sub/abigen.toml

policy                       strict                                    sub/abigen.toml:1:1
baseline                     the last release                          default
targets                      i686-linux-gnu                            command line
includes                     x, sub/include                            command line and sub/abigen.toml:2:1
defines                                                                default
undefines                                                              default
preincludes                                                            default
own                                                                    default
exclude                                                                default
std                          gnu17                                     default
cc                           found on PATH                             default
build.specs                  spec                                      default
build.out                    generated                                 default
build.targets                                                          default
build.only                                                             default
options.major-zero           none                                      sub/abigen.toml:4:1
options.source-counts        true                                      policy strict
options.patch-counts         true                                      policy strict
options.macro-body-bump      major                                     policy strict
options.repurposed-bump      major                                     policy strict
options.strict-padding       true                                      policy strict
rules.field-removed          note                                      sub/abigen.toml:6:1
conventions.size-field       struct_size                               default
conventions.extension-field                                            default
conventions.max-alignment    8                                         default
conventions.sentinels        *_COUNT, *_MAX, *_LAST                    default
conventions.counts                                                     default
conventions.size-macro                                                 default
conventions.filled-by        SE_=core, SP_=plugin                      default
conventions.unmarked                                                   default
conventions.size-member                                                default
conventions.version-member                                             default
conventions.mask-member                                                default
conventions.allocated-by                                               default
conventions.version                                                    default
conventions.version-split                                              default
exception field-inserted     Toy.*: accepted until 2999-01-31 (never shipped)  sub/abigen.toml:7:1
"""


@pytest.fixture
def broken(write: Write) -> None:
    """Two headers with a break between them."""
    write("old.h", FIRST)
    write("new.h", INSERTED)


def rules(abigen: Program, *arguments: str) -> list[str]:
    """Return the rules that a comparison reports."""
    shown = abigen("diff", "old.h", "new.h", "--format", "json", *arguments)
    assert shown.code in (0, 1), shown.remarks
    return [each["rule"] for each in json.loads(shown.output)["findings"]]


def setting(abigen: Program, name: str, *arguments: str) -> tuple[object, str]:
    """Return the value of a setting and where it comes from."""
    shown = abigen("diff", "--explain-config", "--format", "json", *arguments)
    assert shown.code == 0, shown.remarks
    (row,) = (each for each in json.loads(shown.output)["settings"] if each["name"] == name)
    origins = [
        "{file}:{line}:{column}".format(**each) if each["source"] == "file" else each["source"]
        for each in row["origins"]
    ]
    return row["value"], " and ".join(origins)


def settings_in_force(abigen: Program) -> dict[str, object]:
    """Return the value of every setting."""
    shown = abigen("lint", "--explain-config", "--format", "json")
    assert shown.code == 0, shown.remarks
    return {each["name"]: each["value"] for each in json.loads(shown.output)["settings"]}


@pytest.mark.usefixtures("broken")
def test_an_accepted_finding_is_not_reported_and_needs_no_bump(abigen: Program, write: Write) -> None:
    assert "field-inserted" in rules(abigen)
    write("abigen.toml", '[[exceptions]]\nrule = "field-ins*"\nentity = "*.depth"\nreason = "nobody has it"\n')
    assert "field-inserted" not in rules(abigen)
    assert "field-inserted" in rules(abigen, "--no-config")


@pytest.mark.usefixtures("broken")
def test_findings_that_are_accepted_are_counted_in_the_verdict(abigen: Program, write: Write) -> None:
    write("abigen.toml", '[[exceptions]]\nrule = "*"\nreason = "nobody has it"\n')
    shown = abigen("diff", "old.h", "new.h", "--summary")
    assert (
        shown.output == "1 finding accepted. No new version is needed. "
        "The version is still 1.0.0 (TOY_MAJOR, TOY_MINOR, TOY_PATCH).\n"
    )
    assert json.loads(abigen("diff", "old.h", "new.h", "--format", "json").output)["accepted"] == 1


@pytest.mark.usefixtures("broken")
def test_an_exception_that_has_expired_or_matches_nothing_is_reported_at_its_place(
    abigen: Program, write: Write
) -> None:
    write(
        "abigen.toml",
        '\n[[exceptions]]\nrule = "field-inserted"\nreason = "once"\nexpires = 2020-01-31\n'
        '[[exceptions]]\nrule = "ABI101"\nentity = "Nothing"\nreason = "never"\n',
    )
    shown = abigen("diff", "old.h", "new.h", "--all")
    assert "field-inserted" in shown.output
    assert " --> abigen.toml:2:1\n  |\n2 | [[exceptions]]\n  | ^^^^^^^^^^^^^^ here\n" in shown.output
    assert "--> abigen.toml:6:1" in shown.output
    assert {"exception-expired", "exception-unused"} <= set(rules(abigen))


def test_an_exception_that_one_of_several_apis_needs_is_not_called_unused(abigen: Program, write: Write) -> None:
    write("a.h", "struct A { int a; };\n")
    write("b.h", "struct B { int b; };\n")
    exception = '[[exceptions]]\nrule = "missing-*"\nentity = "{}"\nreason = "included once"\n'
    write("abigen.toml", exception.format("a.h") + exception.format("c.h"))
    shown = abigen("lint", "a.h", "b.h", "--format", "json")
    assert [(each["rule"], each["entity"]) for each in json.loads(shown.output)["findings"]] == [
        ("exception-unused", "missing-* of c.h"),
        ("missing-guard", "b.h"),
    ]


@pytest.mark.usefixtures("broken")
def test_an_answer_is_remembered_for_the_day_when_an_exception_has_a_last_one(abigen: Program, write: Write) -> None:
    text = '[[exceptions]]\nrule = "field-inserted"\nreason = "x"\nexpires = 2999-01-31\n'
    write("abigen.toml", text)
    first = abigen("diff", "old.h", "new.h")
    assert "error ABI103 field-inserted" not in first.output
    assert abigen("diff", "old.h", "new.h") == first
    write("abigen.toml", text.replace("2999", "2020"))
    assert "exception-expired" in abigen("diff", "old.h", "new.h").output


@pytest.mark.usefixtures("broken")
def test_a_repository_that_begins_below_a_configuration_is_noticed(abigen: Program, write: Write) -> None:
    write("abigen.toml", '[rules]\nfield-inserted = "off"\n')
    inner = Program(abigen.directory / "inner", abigen.cache)
    inner.directory.mkdir()
    first = inner("diff", "../old.h", "../new.h")
    assert "field-inserted" not in first.output
    assert inner("diff", "../old.h", "../new.h") == first
    (inner.directory / ".git").mkdir()
    assert "field-inserted" in inner("diff", "../old.h", "../new.h").output


@pytest.mark.usefixtures("broken")
def test_a_remembered_answer_is_given_up_when_the_configuration_changes(abigen: Program, write: Write) -> None:
    first = abigen("diff", "old.h", "new.h")
    assert abigen("diff", "old.h", "new.h") == first
    path = write("abigen.toml", '[rules]\nfield-inserted = "note"\n')
    second = abigen("diff", "old.h", "new.h")
    assert "note ABI103" in second.output
    assert abigen("diff", "old.h", "new.h") == second
    path.unlink()
    assert abigen("diff", "old.h", "new.h") == first


def test_the_command_line_goes_before_the_file_and_adds_to_its_lists(abigen: Program, write: Write) -> None:
    write("abigen.toml", 'policy = "strict"\nstd = "c99"\nincludes = ["a", "b/../c"]\ntargets = ["i686-linux-gnu"]\n')
    assert setting(abigen, "policy") == ("strict", "abigen.toml:1:1")
    assert setting(abigen, "policy", "--policy", "default") == ("default", "command line")
    assert setting(abigen, "std") == ("c99", "abigen.toml:2:1")
    assert setting(abigen, "std", "--std", "c11") == ("c11", "command line")
    assert setting(abigen, "includes", "-I", "x")[1] == "command line and abigen.toml:3:1"
    assert setting(abigen, "targets") == (["i686-linux-gnu"], "abigen.toml:4:1")
    assert setting(abigen, "targets", "--abi", "wasm32-wasi") == (["wasm32-wasi"], "command line")
    assert setting(abigen, "options.major-zero") == ("strict", "policy strict")
    assert setting(abigen, "options.major-zero", "--policy", "default") == ("cargo", "default")
    assert setting(abigen, "policy", "--no-config") == ("default", "default")


def test_an_empty_list_of_targets_stands_for_the_usual_ones(abigen: Program, write: Write) -> None:
    usual, _ = setting(abigen, "targets")
    write("abigen.toml", "targets = []\n")
    assert setting(abigen, "targets") == (usual, "abigen.toml:1:1")


def test_a_macro_of_the_command_line_takes_the_place_of_the_files(abigen: Program, write: Write) -> None:
    write("abigen.toml", 'defines = ["A=1", "B=1", "C=1"]\nundefines = ["D"]\n')
    write("api.h", "struct S { char a[A], b[B], d[D]; };\n#ifdef C\n#error C\n#endif\n")
    shown = abigen("layout", "api.h", "-DA=3", "-UC", "-DD=5", "--format", "json", "--abi", "x86_64-linux-gnu")
    assert shown.code == 0, shown.remarks
    assert json.loads(shown.output)["structs"]["S"]["size"] == 9


def test_directories_are_relative_to_the_file_that_names_them(abigen: Program, write: Write) -> None:
    write("abigen.toml", 'includes = ["include"]\n')
    write("include/types.h", "typedef int Number;\n")
    write("src/api.h", '#include "types.h"\nstruct S { Number n; };\n')
    below = Program(abigen.directory / "src", abigen.cache)
    assert below("layout", "api.h").code == 0
    assert below("layout", "api.h", "--no-config").code == 2


def test_the_nearest_file_counts_up_to_the_root_of_the_working_copy(abigen: Program, write: Write) -> None:
    write("abigen.toml", 'std = "c99"\n')
    write("inner/pyproject.toml", '[tool.abigen]\nstd = "c11"\n')
    write("inner/deep/file", "")
    write("other/pyproject.toml", "[tool.else]\n")
    write("repository/.git/HEAD", "")
    for folder, expected in {"inner/deep": "c11", "other": "c99", "repository": "gnu17"}.items():
        assert setting(Program(abigen.directory / folder, abigen.cache), "std")[0] == expected


def test_everything_that_is_wrong_is_said_at_once(abigen: Program, write: Write) -> None:
    write("old.h", FIRST)
    write("abigen.toml", 'polcy = "strict"\ntargets = ["x86_64-linx-gnu"]\n[rules]\nfield-remved = "off"\n')
    shown = abigen("diff", "old.h", "old.h")
    assert shown == Result(
        "",
        "abigen.toml:1:1: error: a configuration has no key 'polcy'\n  hint: did you mean 'policy'?\n"
        "abigen.toml:2:12: error: unknown target 'x86_64-linx-gnu'\n  hint: did you mean "
        "x86_64-linux-gnu or x86_64-linux-gnux32 or x86_64-linux-musl?\n"
        "abigen.toml:4:1: error: there is no rule 'field-remved'\n  hint: did you mean 'field-removed'?\n",
        2,
    )


def test_settings_are_explained_for_people(abigen: Program, write: Write) -> None:
    write(
        "sub/abigen.toml",
        'policy = "strict"\nincludes = ["include"]\n[options]\nmajor-zero = "none"\n[rules]\nABI101 = "note"\n'
        '[[exceptions]]\nrule = "ABI103"\nentity = "Toy.*"\nreason = "never shipped"\nexpires = 2999-01-31\n',
    )
    shown = abigen("lint", "--explain-config", "--config", "sub/abigen.toml", "-I", "x", "--abi", "i686-linux-gnu")
    assert (shown.code, shown.remarks) == (0, "")
    assert shown.output == EXPLAINED
    assert abigen("lint", "--explain-config", "--format", "sarif").code == 2


def test_conventions_that_the_file_states_hold_for_headers(abigen: Program, write: Write) -> None:
    write("old.h", "enum E { E_A, E_STOP };\n")
    write("new.h", "enum E { E_A, E_B, E_STOP };\n")
    assert "enumerator-inserted" in rules(abigen)
    write("abigen.toml", '[conventions]\nsentinels = ["*_STOP"]\n')
    assert rules(abigen) == ["enumerator-appended", "enumerator-value-changed"]
    assert "E_STOP, which ends the list, grew with E_B" in abigen("diff", "old.h", "new.h").output


def test_a_count_is_known_by_the_projects_own_pattern(abigen: Program, write: Write) -> None:
    text = (
        "#include <stddef.h>\ntypedef struct T { size_t struct_size; int a;%s } T;\nvoid f(T* list, size_t list_sz);\n"
    )
    write("old.h", text % "")
    write("new.h", text % " int b;")
    assert "append-shifts-embedder" not in rules(abigen)
    write("abigen.toml", '[conventions]\ncounts = ["*_sz"]\n')
    assert "append-shifts-embedder" in rules(abigen)


def test_size_constants_are_held_to_the_projects_own_pattern(abigen: Program, write: Write) -> None:
    write("api.h", "#include <stddef.h>\ntypedef struct Xy { size_t struct_size; } Xy;\n#define XY_SIZE sizeof(Xy)\n")
    assert "size-macro-name" not in abigen("lint", "api.h").output
    write("abigen.toml", '[conventions]\nsize-macro = "{WORDS}_STRUCT_SIZE"\n')
    assert "by {WORDS}_STRUCT_SIZE it is XY_STRUCT_SIZE" in abigen("lint", "api.h").output


def test_a_configuration_that_is_named_has_to_be_there(abigen: Program, write: Write) -> None:
    write("old.h", FIRST)
    assert abigen("diff", "old.h", "old.h", "--config", "none.toml").code == 2
    write("mine.toml", 'policy = "strict"\n')
    assert setting(abigen, "policy", "--config", "mine.toml") == ("strict", "mine.toml:1:1")


def test_init_writes_what_the_schema_allows(abigen: Program) -> None:
    assert abigen("init", "--spec", "toy").code == 0
    assert "python: {package: toy_api}\n" in (abigen.directory / "spec/toy.yaml").read_text()
    text = (abigen.directory / "abigen.toml").read_text()
    uncommented = re.sub(r"^#(?! )", "", text, flags=re.MULTILINE)
    schema = json.loads(abigen("schema", "config").output)
    assert schema["properties"] == config_keys()
    jsonschema.validate(tomllib.loads(text), schema)
    everything = tomllib.loads(uncommented, parse_float=str)
    jsonschema.validate(json.loads(json.dumps(everything, default=str)), schema)
    assert everything.keys() == schema["properties"].keys()
    for name, key in schema["properties"].items():
        value, inner = everything[name], key.get("items", key).get("properties")
        assert inner is None or (value[0] if isinstance(value, list) else value).keys() == inner.keys()
    examples = {
        "baseline",
        "build.targets",
        "build.only",
        "targets",
        "includes",
        "defines",
        "undefines",
        "preincludes",
        "own",
        "exclude",
        "cc",
        "conventions.counts",
        "conventions.extension-field",
        "conventions.unmarked",
        "conventions.size-member",
        "conventions.version-member",
        "conventions.mask-member",
        "conventions.allocated-by",
        "conventions.version",
        "conventions.version-split",
    }
    (abigen.directory / "include").mkdir()
    before = settings_in_force(abigen)
    (abigen.directory / "abigen.toml").write_text(uncommented)
    changed = {name for name, value in settings_in_force(abigen).items() if before.get(name) != value}
    assert changed <= examples | {"conventions.size-macro", "rules.implicit-padding"}
    assert abigen("build").code == 0
    assert abigen("lint", "spec/toy.yaml").code == 0


def test_init_never_overwrites(abigen: Program, write: Write) -> None:
    write("abigen.toml", 'std = "c99"\n')
    assert abigen("init") == Result(
        "", "abigen: error: abigen.toml exists already; nothing was written\n  hint: --force overwrites it\n", 2
    )
    assert abigen("init", "--spec", "toy").output == "wrote spec/toy.yaml\n"
    assert abigen("init", "--spec", "toy").code == 2
    assert abigen("init", "--spec", "../toy").code == 2
    assert setting(abigen, "std")[0] == "c99"
    assert abigen("init", "--force").output == "wrote abigen.toml\n"
    assert setting(abigen, "std")[0] == "gnu17"


def test_init_takes_the_place_of_no_pyproject(abigen: Program, write: Write) -> None:
    write("pyproject.toml", '[tool.abigen]\nstd = "c99"\n')
    refused = abigen("init")
    assert refused.code == 2
    assert "would replace" in refused.remarks
    assert abigen("init", "--spec", "toy").output == "wrote spec/toy.yaml\n"
    assert setting(abigen, "std")[0] == "c99"


def test_the_words_that_a_file_may_use_are_those_of_the_policies() -> None:
    properties = config_keys()
    options = properties["options"]["properties"]
    assert properties["rules"]["additionalProperties"]["enum"] == list(LEVELS)
    assert options["macro-body-bump"]["enum"] == [each.value for each in Bump]
    assert properties["policy"]["enum"] == list(POLICIES)
    assert options["major-zero"]["enum"] == list(MAJOR_ZERO)
    assert {name.replace("-", "_") for name in options} == set(PolicyOptions.__struct_fields__)


def test_strict_is_a_policy_by_a_shorter_name(abigen: Program, write: Write) -> None:
    write("one.h", "#pragma once\ntypedef struct T { unsigned long struct_size; int a; void* b; } T;\n")
    assert abigen("lint", "one.h").code == 0
    assert abigen("lint", "one.h", "--strict") == abigen("lint", "one.h", "--policy", "strict")
    assert "error ABI813 implicit-padding" in abigen("lint", "one.h", "--strict").output


@pytest.mark.ci
def test_init_from_a_header_writes_and_builds_its_spec(abigen: Program, write: Write) -> None:
    write("include/types.h", "#include <stdint.h>\ntypedef struct XY_Point { int32_t x; } XY_Point;\n")
    write("api.h", '#include "types.h"\ntypedef struct XP_Line { XY_Point ends[2]; } XP_Line;\n')
    result = abigen("init", "--from", "api.h", "-I", "include", "--filled-by", "XP_=plugin")
    assert result.code == 0, result.remarks
    assert "abigen diff api.h spec/api.yaml" in result.remarks
    assert "XP_: plugin" in (abigen.directory / "spec/api.yaml").read_text()
    assert setting(abigen, "includes")[0] == ["include"]
    assert abigen("build", "--check").code == 0
    assert abigen("diff", "api.h", "spec/api.yaml", "--summary").output.startswith("No change.")


def test_init_from_a_header_that_is_not_there_writes_nothing(abigen: Program, write: Write) -> None:
    assert abigen("init", "--from", "api.h").code == 2
    assert abigen("init", "-I", "include").code == 2
    assert not list(abigen.directory.iterdir())
    write("abigen.toml", 'std = "c99"\n')
    write("api.h", "typedef struct XY_Point { int x; } XY_Point;\n")
    assert abigen("init", "--from", "api.h").code == 0
    assert setting(abigen, "std")[0] == "c99"
    assert abigen("init", "--from", "api.h").code == 2


def test_the_project_says_which_macro_is_the_version(abigen: Program, write: Write) -> None:
    for name, api, result in (("old.h", 4, "int"), ("new.h", 5, "long")):
        write(name, f"#define T_ABI_VERSION 3\n#define T_API_VERSION {api}\n{result} f(void);\n")
    undecided = abigen("diff", "old.h", "new.h", "--summary")
    assert undecided.code == 1
    assert "T_API_VERSION (4 to 5) and T_ABI_VERSION (still 3) disagree." in undecided.output
    write("abigen.toml", '[conventions]\nversion = ["T_API_VERSION"]\n')
    decided = abigen("diff", "old.h", "new.h", "--summary")
    assert (decided.output, decided.code) == (
        "1 breaking change. Version 5 is enough for breaks. The version moved from 4 to 5 (T_API_VERSION).\n",
        0,
    )
    write("abigen.toml", '[conventions]\nversion = ["T_ABI_VERSION"]\n')
    assert "The version is still 3 (T_ABI_VERSION)" in abigen("diff", "old.h", "new.h", "--summary").output
    assert decided.remarks == ""
    write("abigen.toml", '[conventions]\nversion = ["T_APY_VERSION"]\n')
    message = "abigen.toml:2:1: warning: no header defines T_APY_VERSION, so the version is found by names of macros\n"
    assert abigen("diff", "old.h", "new.h", "--summary").remarks == message


def test_the_parts_of_a_version_may_have_any_names(abigen: Program, write: Write) -> None:
    for name, numbers in (("old.h", (1, 4)), ("new.h", (2, 0))):
        write(name, "#define T_ERA {}\n#define T_STEP {}\nint f(void);\n".format(*numbers))
    write("abigen.toml", '[conventions]\nversion = ["T_ERA", "T_STEP"]\n')
    assert (
        "The version moved from 1.4.0 to 2.0.0 (T_ERA, T_STEP)" in abigen("diff", "old.h", "new.h", "--summary").output
    )


def test_a_size_that_is_handed_over_beside_a_struct_lets_it_grow(abigen: Program, write: Write) -> None:
    function = "int run(const struct ops* op, unsigned long bytes);\n"
    write("old.h", "struct ops { int (*open)(void); };\n" + function)
    write("new.h", "struct ops { int (*open)(void); int (*close)(void); };\n" + function)
    assert rules(abigen) == ["append-to-frozen-struct"]
    write("abigen.toml", '[conventions]\nsize-member = ["bytes"]\n')
    assert rules(abigen) == ["field-appended"]


def test_a_first_member_that_counts_versions_may_have_any_name(abigen: Program, write: Write) -> None:
    write("old.h", "struct ops { int level; int (*open)(void); };\nint run(const struct ops* op);\n")
    write(
        "new.h", "struct ops { int level; int (*open)(void); int (*close)(void); };\nint run(const struct ops* op);\n"
    )
    assert rules(abigen) == ["append-to-frozen-struct"]
    write("abigen.toml", '[conventions]\nversion-member = ["level"]\n')
    assert rules(abigen) == ["field-appended"]


def test_the_project_says_how_a_version_of_one_number_is_made_up(abigen: Program, write: Write) -> None:
    for name, number, result in (("old.h", 0x01120600, "int"), ("new.h", 0x01130000, "long")):
        write(name, f"#define T_VERSION {number:#010x}\n{result} f(void);\n")
    write("abigen.toml", '[conventions]\nversion-split = "major << 24 | minor << 16 | patch << 8"\n')
    result = abigen("diff", "old.h", "new.h", "--summary")
    assert ("1.18.6" in result.output, "1.19.0" in result.output, result.code) == (True, True, 1)
    write("abigen.toml", '[conventions]\nversion-split = "by three"\n')
    refused = abigen("diff", "old.h", "new.h", "--summary")
    assert (refused.code, "name major and minor" in refused.remarks) == (2, True)
