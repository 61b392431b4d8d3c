"""Two large headers that have little in common are compared in time: nothing is tried with everything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.security.fuzz.test_fuzz import run

COUNT = 4000


def each(line: str, count: int = COUNT) -> Callable[[str], str]:
    """Return a text with a line for each number, `@` in it replaced by a prefix that OLD and NEW do not share."""
    return lambda prefix: "".join(line.replace("@", prefix).replace("#", str(number)) for number in range(count))


LARGE: dict[str, Callable[[str], str]] = {
    "functions": each("int @function_#(int a);\n"),
    "signatures": lambda prefix: each(f"int f#({'int a' if prefix == 'x' else 'long b, ...'});\n")(prefix),
    "constants": each("#define @_CONSTANT_# #\n"),
    "macros": each("#define @_MACRO_#(x) ((x) + 1)\n"),
    "variables": each("extern int @variable_#;\n"),
    "typedefs": each("typedef int @type_#;\n"),
    "handles": each("typedef struct @handle_# @handle_#;\n"),
    "structs": each("typedef struct @struct_# { int a; int @member_#; } @struct_#;\n", 2000),
    "like structs": each("typedef struct @struct_# { int one; long two; char three; void* four; } @struct_#;\n", 2000),
    "versioned structs": each("typedef struct @s_# { unsigned long struct_size; void* ext; int @a; } @s_#;\n", 2000),
    "structs in each other": lambda prefix: "struct S0 { int a; };\n"
    + "".join(f"struct S{n} {{ struct S{n - 1} s; int {prefix}; }};\n" for n in range(1, 300)),
    "enumerations": each("enum @enum_# { @enumerator_# };\n"),
    "enumerators": lambda prefix: f"enum E {{ {each('@enumerator_#, ')(prefix)} }};\n",
    "members": lambda prefix: f"struct S {{ {each('int @member_#; ')(prefix)} }};\n",
    "other types of members": lambda prefix: f"struct S {{ {each('@ m#; ')('int' if prefix == 'x' else 'long')} }};\n",
    "members the other way round": lambda prefix: "struct S { "
    + "".join(f"int m{number}; " for number in (range(COUNT) if prefix == "x" else reversed(range(COUNT))))
    + "};\n",
    "callbacks": lambda prefix: f"struct S {{ {each('void (*@member_#)(int @a, long b); ')(prefix)} }};\n",
    "comments": each("// @ says that it may be zero. Optional. NULL is no-op. Deprecated, use f.\nint f#(void);\n"),
}  # fmt: skip


@pytest.mark.fuzz
@pytest.mark.parametrize("what", LARGE)
def test_two_large_headers_are_compared_in_time(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "bomb"
    folder.mkdir()
    (tmp_path / "plain.h").write_text(LARGE[what]("x"))
    (folder / "bomb.h").write_text(LARGE[what]("y"))
    run("tests.security.fuzz.explode", str(folder / "bomb.h"), seconds=300)
