"""A header that somebody made to break the reader gets an answer, and soon."""

from __future__ import annotations

import re
import time

import pytest

from abigen.model.span import AbigenError
from tests.headers.reader.reading import read
from tests.sampling import short_form

N = 5000
DEEP = {
    "parentheses": "int x = " + "(" * N + "1" + ")" * N + ";",
    "parentheses in a length": "int x[" + "(" * N + "1" + ")" * N + "];",
    "unary operators": "int x[" + "- " * N + "1];",
    "casts": "int x[" + "(int)" * N + "1];",
    "sizeof": "int x[" + "sizeof " * N + "1];",
    "conditionals": "enum { A = " + "1 ? 2 : " * N + "3 };",
    "stars": "int " + "*" * N + "x;",
    "dimensions": "int x" + "[1]" * N + ";",
    "function parameters": "void f(" + "void (*g)(" * N + ")" * N + ");",
    "structs": "struct {" * N + "int a;" + "} s;" * N,
    "typeof": "int x; " + "typeof(" * N + "x" + ")" * N + " y;",
    "_Generic": "int x[" + "_Generic(1, int: " * N + "1" + ")" * N + "];",
    "_Atomic": "_Atomic(" * N + "int" + ")" * N + " x;",
    "attribute arguments": "int x __attribute__(" + "(" * N + ")" * N + ");",
    "open braces": "{" * N,
    "open parentheses": "(" * N + ";",
    "open structs": "struct S {" * N,
}
LONG = {
    "closing braces": "}" * N,
    "comments before the first directive": "/* a */ // b\n\n" * 500
    + "#if defined(__cplusplus)\nint y;\n#endif\nint x;",
    "declarators": "int " + ",".join(f"a{number}" for number in range(N)) + ";",
    "parameters": "void f(" + ",".join(f"int a{number}" for number in range(N)) + ");",
    "enumerators": "enum {" + ",".join(f"a{number}" for number in range(N)) + "};",
    "enumerators that refer to others": "enum {a0," + ",".join(f"a{n + 1} = a{n} + 1" for n in range(N // 2)) + "};",
    "terms": "enum { A = " + " + ".join(["1"] * 900) + " };",
    "a chain of typedefs": "typedef int t0;" + "".join(f"typedef t{n} t{n + 1};" for n in range(N)) + f"t{N} x;",
    "a chain of structs": "struct s0 { int a; };"
    + "".join(f"struct s{n + 1} {{ struct s{n} m; }};" for n in range(N // 2)),
    "attributes": "int x " + "__attribute__((unused)) " * N + ";",
    "qualifiers": "const " * N + "int x;",
    "pragmas": "#pragma pack(push, 1)\n" * N + "int x;",
    "unknown types": "".join(f"foo{n} a{n};" for n in range(N // 5)),
    "duplicate members": "struct S {" + "int a;" * N + "};",
    "missing semicolons": "int a\n" * (N // 5),
    "missing semicolons in a struct": "struct S {" + "int a\n" * (N // 5) + "};",
    "commas": "enum {" + "," * N + "};",
    "comments": "int a; // x\n" * N,
    "a long comment": "/*" + "* x\n" * N + "*/ int a;",
    "a comment of one line": "/* " + "- " * N + "*/ int a;",
    "headings": "struct S {\n" + "".join(f"/*** H ***/\nint a{n};\n" for n in range(N // 2)) + "};",
    "macros": "".join(f"#define A{n + 1} (A{n} + 1)\n" for n in range(600)) + "#define A0 1\n",
    "digits": "int x[" + "9" * N + "];",
    "hexadecimal digits": "int x[0x" + "f" * N + "];",
    "anonymous structs": "struct S {" + "".join(f"struct {{ int a{n}; }};" for n in range(N // 2)) + "};",
    "compound literals": "int x[" + "sizeof((int[sizeof(" * 30 + "1" + ")]){0})" * 30 + "];",
    "linkage": '#ifdef __cplusplus\nextern "C" {\n#endif\n' * (N // 10) + "int f(void);",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_refused_or_read_but_never_a_crash(name: str) -> None:
    start = time.process_time()
    with pytest.raises(AbigenError) as caught:
        read(DEEP[name])
    assert len(str(caught.value)) < 100_000
    assert time.process_time() - start < 5


@pytest.mark.ci
@pytest.mark.parametrize("name", short_form(LONG, 3, in_ci=True))
def test_long_headers_take_time_in_proportion(name: str) -> None:
    start = time.process_time()
    try:
        read(LONG[name])
    except AbigenError as error:
        assert error.diagnostics
    assert time.process_time() - start < 5


@pytest.mark.parametrize("depth", [1, 30, 63])
def test_as_many_levels_of_structs_as_the_standard_asks_for_are_read(depth: int) -> None:
    """C 5.2.4.1: 63 levels of nested structure definitions."""
    text = (
        "".join(f"struct S{n} {{ " for n in range(depth))
        + "int a;"
        + "".join(f"}} m{n};" for n in range(depth - 1))
        + "};"
    )
    assert len(read(text).structs) == depth


def test_a_message_that_would_quote_a_monstrous_token_is_cut() -> None:
    with pytest.raises(AbigenError) as caught:
        read(f"struct S {{ {'x' * 100_000} a; }};")
    assert len(str(caught.value)) < 2000


def test_a_header_that_is_too_much_work_is_told_with_the_place_that_was_reached() -> None:
    with pytest.raises(AbigenError) as error:
        read("#define MANY " + ";" * 200 + "\n" + "\n".join(["MANY" + " MANY" * 999] * 20))
    place = error.value.diagnostics[0].place
    assert place is not None
    assert re.search(r"takes more than 1,\d{3},\d{3} steps", error.value.diagnostics[0].message)
    assert place.line > 2


@pytest.mark.parametrize("operator", [">>", "/"])
def test_a_version_that_is_shifted_out_of_every_type_states_nothing(operator: str) -> None:
    major = f"#define X_MAJOR(v) ((v) {operator} {'9' * 40})\n"
    api = read(f"#define X_VERSION 1\n{major}#define X_MINOR(v) ((v) & 0xff)\nint f(void);\n")
    assert set(api.functions) == {"f"}
