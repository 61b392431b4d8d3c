"""Tests of linkage in C++, which abigen reads from the text, since C does not keep it."""

from __future__ import annotations

import pathlib

import pytest

from abigen.headers.reader import read_headers
from abigen.workspace.options import ReadOptions, SourceFile
from tests.headers.reader.reading import LINUX, read

BLOCK = '#ifdef __cplusplus\nextern "C" {\n#endif\n'
END = "#ifdef __cplusplus\n}\n#endif\n"


@pytest.mark.parametrize(
    ("text", "linkage"),
    [
        ("int f(void);", ""),
        (f"{BLOCK}int f(void);\n{END}", "C"),
        (f"{BLOCK}{END}int f(void);\n", "C++"),
        (f"int f(void);\n{BLOCK}{END}", "C++"),
        ("#ifdef __cplusplus\n#define X 1\n#endif\nint f(void);", "C++"),
        ('#if defined(__cplusplus)\nextern "C" {\n#endif\nint f(void);\n#if defined(__cplusplus)\n}\n#endif\n', "C"),
        ('#ifdef __cplusplus\nextern "C"\n#endif\nint f(void);', "C"),
        ('#ifdef __cplusplus\n#define API extern "C"\n#else\n#define API extern\n#endif\nAPI int f(void);', "C"),
        ('#ifdef __cplusplus\n#define API extern "C"\n#else\n#define API\n#endif\nint f(void);', "C++"),
        ('#ifdef __cplusplus\n#define API extern "C"\n#else\n#define API\n#endif\nAPI int f(void);', "C"),
        ('#ifdef __cplusplus\n#define API extern "C"\n#else\n#define API\n#endif\nAPI\nint f(void);', "C"),
        (
            '#ifdef __cplusplus\n#define API extern "C"\n#else\n#define API\n#endif\nAPI int g(void);\nint f(void);',
            "C++",
        ),
        (
            '#ifdef __cplusplus\n#define C_ONLY extern "C"\n#else\n#define C_ONLY\n#endif\n'
            '#define API C_ONLY __attribute__((visibility("default")))\nAPI int f(void);',
            "C",
        ),
        (
            '#ifdef __cplusplus\n#define BEGIN extern "C" {\n#define END }\n#else\n#define BEGIN\n#define END\n#endif\n'
            "BEGIN\nint f(void);\nEND\n",
            "C",
        ),
        (
            '#ifdef __cplusplus\n#define BEGIN extern "C" {\n#define END }\n#else\n#define BEGIN\n#define END\n#endif\n'
            "BEGIN\nEND\nint f(void);\n",
            "C++",
        ),
        (
            f'{BLOCK}#ifdef __cplusplus\n}} // extern "C"\nnamespace a {{ struct B {{ }}; }}\n'
            f'extern "C" {{\n#endif\nint f(void);\n{END}',
            "C",
        ),
        (f"{BLOCK}static inline int g(void) {{ if (1) {{ return 2; }} return 3; }}\nint f(void);\n{END}", "C"),
        ('/* extern "C" { */\nint f(void);', "C++"),
    ],
)
def test_the_linkage_of_a_function_follows_from_what_stands_around_it(text: str, linkage: str) -> None:
    assert read(text).functions["f"].linkage == linkage


def test_macros_of_another_header_can_open_and_close_the_block(tmp_path: pathlib.Path) -> None:
    (tmp_path / "macros.h").write_text(
        '#ifdef __cplusplus\n#define LIB_BEGIN_DECLS extern "C" {\n#define LIB_END_DECLS }\n'
        "#else\n#define LIB_BEGIN_DECLS\n#define LIB_END_DECLS\n#endif\n"
    )
    text = (
        '#include "macros.h"\nLIB_BEGIN_DECLS\nint f(void);\nLIB_END_DECLS\nint g(void);\n#ifdef __cplusplus\n#endif\n'
    )
    source = SourceFile("own.h", str(tmp_path / "own.h"), text)
    api = read_headers([source], ReadOptions(targets=LINUX)).groups[0].api
    assert (api.functions["f"].linkage, api.functions["g"].linkage) == ("C", "C++")


@pytest.mark.parametrize(
    ("text", "static"),
    [
        ("static inline int f(void) { return 1; }", True),
        ("static int f(void);", True),
        ("inline int f(void) { return 1; }", True),
        ("extern inline int f(void) { return 1; }", False),
        ("int f(void);", False),
        ("extern int f(void);", False),
    ],
)
def test_what_every_user_compiles_himself_is_static(text: str, static: bool) -> None:
    assert read(text).functions["f"].static is static


PART = "#pragma once\nint f(void);\n"


@pytest.mark.parametrize(
    ("files", "linkage"),
    [
        ({"api.h": f'{BLOCK}#include "p/one.h"\n{END}', "p/one.h": PART}, "C"),
        ({"api.h": f'#include "p/one.h"\n{BLOCK}{END}', "p/one.h": PART}, "C++"),
        ({"api.h": f'#include "p/one.h"\n{BLOCK}#include "p/one.h"\n{END}', "p/one.h": PART}, "C++"),
        ({"api.h": f'{BLOCK}#include "p/two.h"\n{END}', "p/two.h": '#include "one.h"\n', "p/one.h": PART}, "C"),
        (
            {"api.h": f'#include "p/two.h"\n{BLOCK}{END}', "p/two.h": '#include "one.h"\n', "p/one.h": PART},
            "C++",
        ),
    ],
)
def test_a_file_that_is_included_in_the_block_stands_in_it(
    files: dict[str, str], linkage: str, tmp_path: pathlib.Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    sources = [SourceFile(name, str(tmp_path / name), text, is_part=name != "api.h") for name, text in files.items()]
    assert read_headers(sources, ReadOptions(targets=LINUX)).groups[0].api.functions["f"].linkage == linkage
