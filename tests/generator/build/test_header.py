"""Tests of generated headers that are read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.model.api import Api, ApiSet
from abigen.model.target import default_targets
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions
from tests.generator.build.building import REPOSITORY, SPEC, abigen, build

_SPECS = [each for each in sorted((REPOSITORY / "spec").rglob("*.yaml")) if each.parent.name != "vendor"]
_SPECS.insert(0, SPEC / "toy.yaml")


OF_THE_SHIPPED_HEADER = {"ffi.yaml": {"size-macro-stale", "version-went-back", "bump-not-reset", "bump-without-cause"}}
"""The places where a spec differs from the header that it describes, and states it: XLA's header has constants that are
too small, and a version that is not that of its releases."""


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("out"))


@pytest.mark.ci
@pytest.mark.parametrize("spec", _SPECS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_header_says_what_its_spec_says(include: Path, spec: Path) -> None:
    generated = REPOSITORY / "generated" / spec.parent.name / "c"
    root = generated if generated.is_dir() else include
    made = (path for path in root.rglob("*.h") if not path.name.endswith("_helpers.h"))
    (header,) = (path for path in made if f"/{spec.name}; do not edit." in path.read_text())
    options = ReadOptions(targets=default_targets(), include_dirs=(str(root),), cache=False)
    said, read = _in_comments(load(str(spec), options)), load(str(header), options)
    for old, new in ((said, read), (read, said)):
        found = {each.rule for each in compare(old, new, find_policy("default")).findings}
        assert found <= OF_THE_SHIPPED_HEADER.get(spec.name, set())


def _in_comments(apis: ApiSet) -> ApiSet:
    """Return the APIs without what comments have no words for: patterns, and what excludes a member."""
    return replace(apis, groups=tuple(replace(each, api=_without_words(each.api)) for each in apis.groups))


def _without_words(api: Api) -> Api:
    structs = {}
    for key, struct in api.structs.items():
        fields = struct.fields and tuple(replace(each, pattern="", excludes="") for each in struct.fields)
        structs[key] = replace(struct, fields=fields)
    return replace(api, structs=structs)


def test_a_constant_that_is_an_expression_stands_in_parentheses(include: Path) -> None:
    lines = (include / "zoo.h").read_text().splitlines()
    assert "#define ZOO_MASK ((1 << 4) - 1)" in lines
    assert "#define ZOO_CAGES 3" in lines


def test_a_struct_is_named_before_it_is_mentioned(include: Path) -> None:
    text = (include / "zoo.h").read_text()
    assert text.index("typedef struct zoo_animal zoo_animal;") < text.index("typedef void (*zoo_feed)(zoo_animal*")
    assert "\nstruct zoo_animal {" in text


def test_groups_have_headings(include: Path) -> None:
    text = (include / "zoo.h").read_text()
    assert "\n  /*** Chain ***/\n  zoo_animal* next;" in text
    assert text.count("/*** Contents ***/") == 1


def test_a_function_without_a_prototype_keeps_its_empty_parentheses(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/old.yaml").write_text("abigen: 1\napi: old\nfunctions: [{name: f, type: int ()}]\n")
    assert "\nint f();\n" in (build(tmp_path / "out", tmp_path / "spec") / "old.h").read_text()


AROUND = """\
abigen: 1
api: around
header: {path: around.h, export: AR_API, extern: true}
macros:
- {name: AR_API, parameters: [type], body: '__attribute__((visibility("default"))) type'}
callbacks:
- {name: ar_each, type: int (*)(int a)}
functions:
- {name: ar_find, implemented_by: core, type: const char *(int a)}
- {name: ar_take, implemented_by: core, type: ar_each (void)}
- {name: ar_hidden, implemented_by: core, export: false, type: int (*(void))(int a)}
"""


def test_a_macro_with_a_parameter_exports_around_the_type_that_a_function_returns(tmp_path: Path) -> None:
    (tmp_path / "around.yaml").write_text(AROUND)
    build(tmp_path / "out", tmp_path)
    header = (tmp_path / "out/c/around.h").read_text()
    assert "extern AR_API(const char*) ar_find(int a);" in header
    assert "extern AR_API(ar_each) ar_take(void);" in header
    read = load(str(tmp_path / "out/c/around.h"), ReadOptions(targets=("x86_64-linux-gnu",), cache=False))
    functions = read.groups[0].api.functions
    assert {name: each.exported for name, each in functions.items()} == {
        "ar_find": True,
        "ar_take": True,
        "ar_hidden": None,
    }


def test_such_a_macro_cannot_stand_around_a_type_that_ends_behind_the_name(tmp_path: Path) -> None:
    (tmp_path / "around.yaml").write_text(AROUND.replace("export: false, ", ""))
    run = abigen("build", "--spec-dir", tmp_path, "--out", tmp_path / "out")
    assert run.code == 2
    assert "'AR_API' needs the type that a function returns, and 'ar_hidden' returns 'int (*)(int a)'" in run.stderr
