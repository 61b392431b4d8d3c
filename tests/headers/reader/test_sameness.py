"""Headers are read once for all targets to which they say the same, and only for those."""

from __future__ import annotations

from pathlib import Path

import pytest

from abigen.headers.preprocessor.preprocess import preprocess
from abigen.headers.targets import declares_the_same, means_the_same
from abigen.headers.unit import Unit
from abigen.model.target import find_target
from abigen.workspace.options import ReadOptions, SourceFile

_TARGETS = ("x86_64-linux-gnu", "x86_64-apple-darwin")


def _units(tmp_path: Path, text: str, targets: tuple[str, str] = _TARGETS) -> list[Unit]:
    """Return a header as two targets see it."""
    path = tmp_path / "api.h"
    path.write_text(text)
    options = ReadOptions(targets=targets, cache=False)
    source = SourceFile("api.h", str(path), text)
    return [preprocess([source], options, find_target(each)) for each in targets]


def _same(tmp_path: Path, text: str) -> bool:
    """True if the two targets need not be read apart."""
    return means_the_same(*_units(tmp_path, text))


def test_an_offsetof_that_systems_spell_differently_is_no_reason_to_read_twice(tmp_path: Path) -> None:
    assert _same(
        tmp_path,
        "#include <stddef.h>\n#include <stdint.h>\n"
        "typedef struct S { size_t struct_size; uint64_t last; } S;\n"
        "#define S_STRUCT_SIZE (offsetof(S, last) + sizeof(((S *)0)->last))\n",
    )


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef __APPLE__\n#define A 1\n#else\n#define A 2\n#endif\nint a[A];\n",
        '#ifdef __APPLE__\n#define A "x y"\n#else\n#define A "x  y"\n#endif\n',
        "#ifdef __APPLE__\n#define A(x, y) x\n#else\n#define A(x, y) y\n#endif\n",
        "#ifdef __APPLE__\n#define A(x) x\n#else\n#define A x\n#endif\n",
        "#ifdef __APPLE__\n// Deprecated.\nint f(void);\n#else\nint f(void);\n#endif\n",
    ],
)
def test_a_header_that_says_something_else_to_a_target_is_read_again(tmp_path: Path, text: str) -> None:
    assert not _same(tmp_path, text)


@pytest.mark.parametrize(
    ("linux", "windows", "same"),
    [
        ('__attribute__((visibility("default")))', "__declspec(dllexport)", True),
        ('__attribute__((visibility("default")))', "__declspec(dllimport)", True),
        ('__attribute__((visibility("hidden")))', "__declspec(dllexport)", False),
        ("", "__declspec(dllexport)", False),
    ],
)
def test_declarations_that_differ_in_how_they_are_exported_are_read_once(
    tmp_path: Path, linux: str, windows: str, *, same: bool
) -> None:
    text = f"#ifdef _WIN32\n#define API {windows}\n#else\n#define API {linux}\n#endif\nAPI int f(void);\n"
    first, second = _units(tmp_path, text, ("x86_64-linux-gnu", "x86_64-windows-msvc"))
    assert declares_the_same(first, second) is same
    assert not means_the_same(first, second)
