"""Headers and specs made to hang the program, to fill its memory, or to have it read what is none of its business.

Each makes its files in an empty folder; `bomb.h` or `bomb.yaml` is the one to run on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

SECRET = "struct TheSecret { int of_this_machine; };\n"
"""Stands in a file that no input may read; nothing of it may appear in any output."""

Bomb = Callable[[Path], None]


def _header(text: Callable[[], str | bytes]) -> Bomb:
    return lambda folder: _write(folder / "bomb.h", text())


def _spec(text: Callable[[], str]) -> Bomb:
    return lambda folder: _write(folder / "bomb.yaml", text())


def _write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def _includes_itself(folder: Path) -> None:
    _write(folder / "bomb.h", '#include "bomb.h"\nint a;\n')


def _includes_in_a_circle(folder: Path) -> None:
    for number in range(10):
        _write(folder / f"h{number}.h", f'#include "h{(number + 1) % 10}.h"\n#include "h{(number + 3) % 10}.h"\n')
    _write(folder / "bomb.h", '#include "h0.h"\n')


def _includes_that_double(folder: Path) -> None:
    for number in range(40):
        _write(folder / f"h{number}.h", f'#include "h{number + 1}.h"\n' * 2)
    _write(folder / "h40.h", "int a(void);\n")
    _write(folder / "bomb.h", '#include "h0.h"\n')


def _includes_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.h")
    _write(folder / "bomb.h", '#include "pipe.h"\n')


def _is_among_pipes(folder: Path) -> None:
    os.mkfifo(folder / "pipe.h")
    (folder / "zero.h").symlink_to("/dev/zero")
    _write(folder / "bomb.h", "int a(void);\n")


def _is_a_link_to_itself(folder: Path) -> None:
    (folder / "bomb.h").symlink_to("bomb.h")


def _is_a_link_to_zeros(folder: Path) -> None:
    (folder / "bomb.h").symlink_to("/dev/zero")


def _includes_a_link_to_itself(folder: Path) -> None:
    (folder / "loop.h").symlink_to("loop.h")
    _write(folder / "bomb.h", '#include "loop.h"\n')


def _is_in_a_folder_that_holds_itself(folder: Path) -> None:
    (folder / "again").symlink_to(".")
    _write(folder / "bomb.h", "int a(void);\n" + "".join(f'#include "{"again/" * n}x.h"\n' for n in range(1, 60)))
    _write(folder / "x.h", "")


def _reads_a_secret(folder: Path) -> None:
    secret = folder.parent / "secret" / "secret.h"
    _write(secret, SECRET)
    (folder / "link").symlink_to(secret)  # a header in a folder that the user has named may be a link
    (folder / "way").symlink_to(secret.parent)
    names = ("../secret/secret.h", str(secret), "link", "way/secret.h", "./../secret/../secret/secret.h")
    includes = "".join(f'#if __has_include("{name}")\n#include "{name}"\n#endif\n' for name in names)
    _write(folder / "bomb.h", includes + "int a(void);\n")


def _uses_a_secret(folder: Path) -> None:
    _write(folder.parent / "secret" / "secret.yaml", "abigen: 1\napi: secret\nversion: 1.0.0\n# " + SECRET)
    _write(folder / "bomb.yaml", "abigen: 1\napi: toy\nversion: 1.0.0\nuses: [../secret/secret]\n")


def _doubling(count: int, first: str, line: str) -> str:
    return first + "".join(line.format(n=number, m=number - 1) for number in range(1, count))


DEEP = 10_000
_NUL = b"struct S {\n  int a;\n  int \0b;\n};\n"
_HEAD = "abigen: 1\napi: toy\nversion: 1.0.0\n"

BOMBS: dict[str, Bomb] = {
    "includes itself": _includes_itself,
    "includes in a circle": _includes_in_a_circle,
    "includes that double": _includes_that_double,
    "includes a pipe": _includes_a_pipe,
    "includes zeros": _header(lambda: '#include "/dev/zero"\n'),
    "includes a folder": _header(lambda: '#include "."\n#include "../"\n#include "/"\n'),
    "includes a link to itself": _includes_a_link_to_itself,
    "is a link to itself": _is_a_link_to_itself,
    "is a link to zeros": _is_a_link_to_zeros,
    "is in a folder that holds itself": _is_in_a_folder_that_holds_itself,
    "is among pipes": _is_among_pipes,
    "reads a secret": _reads_a_secret,
    "uses a secret": _uses_a_secret,
    "macros that double": _header(lambda: _doubling(41, "#define A0 int a;\n", "#define A{n} A{m} A{m}\n") + "A40\n"),
    "macros that are not used": _header(lambda: _doubling(41, "#define A0 1\n", "#define A{n} A{m} + A{m}\n")),
    "a constant that doubles": _header(
        lambda: _doubling(41, "#define A0 1\n", "#define A{n} (A{m} + A{m})\n") + "int x[A40];\n"
    ),
    "enumerators that refer to two others": _header(
        lambda: "enum E {" + _doubling(3000, "A0 = 1,", "A{n} = (A{m} & 1) + (A{m} & 2),") + "};\n"
    ),
    "arguments that double": _header(
        lambda: _doubling(30, "#define F0(x) x x\n", "#define F{n}(x) F{m}(F{m}(x))\n") + "F29(int a;)\n"
    ),
    "parentheses": _header(lambda: "int x[" + "(" * DEEP + "1" + ")" * DEEP + "];\n"),
    "parentheses in a macro": _header(lambda: "#define A " + "(" * DEEP + "1" + ")" * DEEP + "\n"),
    "parentheses in a condition": _header(lambda: "#if " + "(" * DEEP + "1" + ")" * DEEP + "\n#endif\n"),
    "braces": _header(lambda: "{" * DEEP + "}" * DEEP + "\n"),
    "structs in structs": _header(lambda: "struct {" * DEEP + "int a;" + "} s;" * DEEP),
    "a chain of structs": _header(
        lambda: _doubling(DEEP, "struct s0 { int a; };\n", "struct s{n} {{ struct s{m} m; }};\n")
    ),
    "structs that double": _header(
        lambda: _doubling(61, "struct s0 { int a; };\n", "struct s{n} {{ struct s{m} a, b; }};\n")
    ),
    "structs of a thousand others": _header(
        lambda: _doubling(31, "struct s0 { int a; };\n", "struct s{n} {{ struct s{m} p[1000]; }};\n")
    ),
    "a chain of typedefs": _header(
        lambda: _doubling(DEEP, "typedef int t0;\n", "typedef t{m} t{n};\n") + f"t{DEEP - 1} f(void);\n"
    ),
    "function types that double": _header(
        lambda: (
            _doubling(41, "typedef int (*t0)(void);\n", "typedef t{m} (*t{n})(t{m}, t{m});\n")
            + "struct S { t40 f; };\n"
        )
    ),
    "pointers": _header(lambda: "int " + "*" * DEEP + "x;\n"),
    "dimensions": _header(lambda: "struct S { int x" + "[2]" * DEEP + "; };\n"),
    "a huge array": _header(lambda: "struct S { int a[0x7fffffffffffffff]; char b[18446744073709551615u]; };\n"),
    "a huge shift": _header(
        lambda: "enum { A = 1 << 2147483647, B = 1ull << 9223372036854775807 };\nint x[1 << 1000000000];\n"
    ),
    "a huge number": _header(lambda: "#define A " + "9" * 1_000_000 + "\nint x[" + "9" * 1_000_000 + "];\n"),
    "a huge enumeration": _header(lambda: "enum E {\n" + "".join(f"  E_{n},\n" for n in range(50_000)) + "};\n"),
    "a huge struct": _header(lambda: "struct S {\n" + "".join(f"  int m{n};\n" for n in range(20_000)) + "};\n"),
    "many functions": _header(lambda: "".join(f"int f{n}(int a, int b);\n" for n in range(10_000))),
    "many constants": _header(lambda: "".join(f"#define A{n} {n}\n" for n in range(30_000))),
    "a long line": _header(lambda: "int a; " * 15_000_000),
    "a long comment": _header(lambda: "/*" + "x" * 60_000_000 + "*/ int a;\n"),
    "a long string": _header(lambda: '#define A "' + "x" * 60_000_000 + '"\n'),
    "a long name": _header(lambda: "int " + "x" * 10_000_000 + "(void);\n"),
    "a long white space": _header(lambda: "int" + " " * 60_000_000 + "a;\n"),
    "empty lines": _header(lambda: "\n" * 60_000_000),
    "no text": _header(lambda: bytes(range(256)) * 1000),
    "a NUL byte": _header(lambda: _NUL),
    "only NUL bytes": _header(lambda: b"\0" * 1_000_000),
    "an open comment": _header(lambda: "int a;\n/*" * 1_000_000),
    "an open string": _header(lambda: '#define A "\n' * 300_000),
    "a line for ever continued": _header(lambda: "#define A \\\n" * 500_000),
    "a doc of stars": _header(lambda: "/**" + " *" * 2_000_000 + "/\nint f(void);\n"),
    "a doc of words": _header(
        lambda: "// Deprecated. Use " + "x. Replaces x. Optional. NULL " * 100_000 + "\nint f(void);\n"
    ),
    "aliases that multiply": _spec(
        lambda: "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 20))
    ),
    "a spec in brackets": _spec(lambda: "[" * DEEP),
    "a spec of another tongue": _spec(lambda: "!!python/object/apply:os.system ['touch executed']\n"),
    "a spec whose constants double": _spec(
        lambda: (
            _HEAD
            + "constants:\n  - {name: A0, value: 1}\n"
            + _doubling(41, "", "  - {{name: A{n}, value: A{m} + A{m}}}\n")
        )
    ),
    "a spec whose structs double": _spec(
        lambda: (
            _HEAD
            + "structs:\n  - {name: s0, fields: [{name: a, type: int}]}\n"
            + _doubling(61, "", "  - {{name: s{n}, fields: [{{name: a, type: 's{m}[1000]'}}]}}\n")
        )
    ),
    "a spec that uses itself": _spec(lambda: _HEAD + "uses: [bomb]\n"),
    "a long spec": _spec(lambda: _HEAD + "doc: " + "x" * 30_000_000 + "\n"),
}
