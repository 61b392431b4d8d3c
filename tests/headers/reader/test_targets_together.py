"""Tests that reading for several targets at once gives the same as reading for each alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.model.api import Api
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.spelling import spell
from abigen.model.target import find_target
from abigen.specs.load import load
from abigen.workspace.options import ReadOptions

TARGETS = (
    "x86_64-linux-gnu",
    "i686-linux-gnu",
    "x86_64-windows-msvc",
    "x86_64-apple-darwin",
    "aarch64-linux-gnu",
)
ROOT = Path(__file__).parents[2]
FIXTURES = sorted((ROOT / "rules").glob("*/*/new.h"))
EXPORTS = """\
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#ifdef _WIN32
#define TOY_API __declspec(dllexport)
#define TOY_CALL __stdcall
#else
#define TOY_API __attribute__((visibility("default")))
#define TOY_CALL
#endif
"""
CONDITIONAL = {
    "exports": EXPORTS + "typedef struct Toy { size_t struct_size; uint64_t mass; long age; } Toy;\n"
    "TOY_API int toy_make(Toy *toy);\n#define TOY_SIZE (offsetof(Toy, age) + sizeof(((Toy *)0)->age))\n",
    "system types": EXPORTS + "typedef struct Toy { time_t made; uint8_t kind; wchar_t sign; } Toy;\n"
    "TOY_API time_t toy_age(const Toy *toy);\n",
    "calls": EXPORTS + "typedef int (TOY_CALL *toy_fn)(long, void *);\ntypedef struct Toy { toy_fn play; } Toy;\n",
    "members": EXPORTS + "#ifdef _WIN32\ntypedef void *toy_file;\n#else\ntypedef int toy_file;\n#endif\n"
    "typedef struct Toy { toy_file file; int kind; } Toy;\nTOY_API void toy_open(Toy *toy, toy_file file);\n",
    "values": "#ifdef __APPLE__\n#define MOST 8\n#elif defined _WIN32\n#define MOST 4\n#else\n#define MOST 2\n#endif\n"
    "typedef struct Toy { int part[MOST]; enum { NONE, SOME = MOST } kind; } Toy;\n",
    "architectures": "#if defined __aarch64__ || defined __x86_64__\ntypedef long long toy_word;\n#else\n"
    "typedef int toy_word;\n#endif\ntypedef struct Toy { char sign; toy_word word; } Toy;\n",
    "hidden functions": "int toy_a(void);\n#ifndef _WIN32\nint toy_b(void);\n#endif\n"
    "#ifdef __APPLE__\nint toy_c(void);\n#endif\n",
}


def _seen(api: Api, target: str) -> dict[str, object]:
    """Return all of an API that binaries on a target notice, by what it is about."""
    layouts = Layouts(api, find_target(target))
    seen: dict[str, object] = {}
    for key, struct in api.structs.items():
        if struct.in_api and struct.fields is not None:
            layout = layouts.of(key)
            seen[f"struct {key}"] = layout.size, layout.alignment, [(each.offset, each.size) for each in layout.fields]
    for name, function in api.functions.items():
        if function.in_api:
            seen[f"function {name}"] = spell(function.type), function.exported, function.symbol
    for key, enum in api.enums.items():
        if enum.in_api:
            seen[f"enum {key}"] = (
                layouts.underlying_type(key),
                [(each.name, each.value) for each in enum.enumerators or ()],
            )
    for name, constant in api.constants.items():
        if constant.in_api:
            seen[f"constant {name}"] = constant.text
    for name, size in api.size_constants.items():
        seen[f"size {name}"] = layouts.evaluate(size.expression)
    return seen


def _check(path: Path) -> None:
    together = load(str(path), ReadOptions(targets=TARGETS, cache=False))
    for target in together.targets:
        alone = load(str(path), ReadOptions(targets=(target,), cache=False))
        try:
            expected = _seen(alone.groups[0].api, target)
        except AbigenError:
            continue  # a layout that cannot be computed
        assert _seen(together.for_target(target), target) == expected, target


@pytest.mark.first_case
@pytest.mark.parametrize("name", CONDITIONAL)
def test_headers_that_ask_for_the_target_say_to_each_what_they_say_to_it_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / "toy.h"
    path.write_text(CONDITIONAL[name])
    _check(path)


@pytest.mark.first_case
@pytest.mark.parametrize("path", FIXTURES[::17], ids=lambda path: f"{path.parts[-3]}-{path.parts[-2]}")
def test_fixtures_say_to_each_target_what_they_say_to_it_alone(path: Path) -> None:
    _check(path)


@pytest.mark.slow
def test_all_fixtures_say_to_each_target_what_they_say_to_it_alone() -> None:
    for path in FIXTURES:
        try:
            _check(path)
        except AbigenError:
            continue  # one that is wrong on purpose
