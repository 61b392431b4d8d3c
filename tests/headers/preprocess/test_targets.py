"""A header that asks what its target is gets the target's answer."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from abigen.headers.preprocessor.environment import Environment, asks_target, serves, target_environment
from abigen.model.ctype import Basic, NamedType
from abigen.model.layout import Layouts
from abigen.model.target import default_targets, find_target
from abigen.specs.load import load
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions
from tests.headers.preprocess.compilers import HOST, own_tokens, system_tokens, unit_of
from tests.headers.preprocess.headers import SIZE_MACROS
from tests.tools import require, works

USUAL = default_targets()
TARGETS = (
    *("x86_64-linux-gnu", "i686-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf", "riscv64-linux-gnu"),
    *("s390x-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin", "x86_64-windows-msvc", "i686-windows-msvc"),
    *("x86_64-windows-gnu", "i686-windows-gnu", "wasm32-wasi"),
)


def _environment(target: str) -> Environment:
    """Return the environment of a target's own compiler."""
    return target_environment(find_target(target), "gnu17", None, Files())


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("#ifdef _WIN32\nint a;\n#endif", True),
        ("#if defined(__APPLE__) && 1\n#endif", True),
        ("#if __SIZEOF_POINTER__ == 8\n#endif", True),
        ("#ifdef __GNUC__\n#define A __attribute__((packed))\n#endif", True),
        ("#ifdef __has_attribute\n#endif", True),
        ("#define P __SIZEOF_LONG__", True),
        ("int a[__SIZEOF_LONG__];", True),
        ("#include <limits.h>\n#define M LONG_MAX", True),
        ("#include <stdio.h>\nchar a[BUFSIZ];", True),
        ("#if 0\n#ifdef _WIN32\n#endif\n#endif", False),
        ("#ifndef __cplusplus\nint a;\n#endif", False),
        ("#if __STDC_VERSION__ >= 201112L\n#endif", False),
        ("#ifdef MY_OWN\n#endif\n#define OTHER(x) x\nint OTHER(a);", False),
        ("#include <stdio.h>\n#include <stdlib.h>\nFILE *f(size_t);", False),
        (
            "#include <stdint.h>\n#include <stddef.h>\nint64_t a[INT8_MAX + offsetof(struct s, m)];\n#define N NULL",
            False,
        ),
        ("/* _WIN32 */ // __APPLE__", False),
    ],
)
@pytest.mark.parametrize("cc", ["gcc", "none"])
def test_a_header_asks_when_its_targets_answer_differently(tmp_path: Path, text: str, asks: bool, cc: str) -> None:
    require("gcc")
    path = tmp_path / "x.h"
    path.write_text(text)
    assert asks_target(unit_of(path, cc=cc), USUAL) == asks


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("#if defined(__GNUC__)\nint a;\n#endif", False),
        ("#if !defined __GNUC__ || 0\nint a;\n#endif", False),
        ("#ifdef __GNUC__\nint a;\n#endif", False),
        ("#elifdef __GNUC__", False),
        ("#if (__GNUC__) > 4\nint a;\n#endif", True),
        ("#if defined(__GNUC__) && __GNUC__ >= 4\nint a;\n#endif", True),
        ("#define OLD defined(__GNUC__)\n#if OLD\n#endif", True),
        ("#ifdef __GNUC__\nint a = __GNUC__;\n#endif", True),
        ("#ifdef __linux__\nint a;\n#endif", True),
    ],
)
def test_a_header_that_asks_whether_a_macro_is_defined_does_not_ask_for_its_value(
    tmp_path: Path, text: str, asks: bool
) -> None:
    path = tmp_path / "x.h"
    path.write_text(text.replace("#elifdef", "#if 0\n#elifdef") + ("\n#endif\n" if "#elifdef" in text else "\n"))
    assert asks_target(unit_of(path, cc="none"), ("x86_64-linux-gnu", "x86_64-apple-darwin")) == asks


def test_a_question_in_an_included_file_counts_unless_it_is_the_systems(tmp_path: Path) -> None:
    (tmp_path / "sub.h").write_text("#ifdef _WIN32\n#endif\n")
    path = tmp_path / "x.h"
    path.write_text('#include <stdio.h>\n#include "sub.h"\n')
    assert asks_target(unit_of(path), USUAL)
    assert not asks_target(unit_of(path), USUAL[:1])
    (tmp_path / "sub.h").write_text("")
    assert not asks_target(unit_of(path), USUAL)


ASKING = """\
#if defined _WIN32
int windows;
#elif defined __APPLE__
int apple;
#else
int others;
#endif
int pointer[__SIZEOF_POINTER__ + 0];
#ifdef __GNUC__
int gnu;
#endif
#ifdef _MSC_VER
int microsoft;
#endif
"""


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("x86_64-linux-gnu", "int others ; int pointer [ 8 + 0 ] ; int gnu ;"),
        ("i686-linux-gnu", "int others ; int pointer [ 4 + 0 ] ; int gnu ;"),
        ("aarch64-apple-darwin", "int apple ; int pointer [ 8 + 0 ] ; int gnu ;"),
        ("x86_64-windows-gnu", "int windows ; int pointer [ 8 + 0 ] ; int gnu ;"),
        ("x86_64-windows-msvc", "int windows ; int pointer [ __SIZEOF_POINTER__ + 0 ] ; int microsoft ;"),
    ],
)
@pytest.mark.parametrize("cc", [None, "none"])
def test_each_target_reads_its_own_text(tmp_path: Path, target: str, expected: str, cc: str | None) -> None:
    path = tmp_path / "x.h"
    path.write_text(ASKING)
    assert " ".join(own_tokens(unit_of(path, cc=cc, target=target))) == expected


def test_a_compiler_serves_the_targets_that_it_compiles_for(tmp_path: Path) -> None:
    require("gcc")
    path = tmp_path / "x.h"
    path.write_text("#ifdef __OPTIMIZE__\nint fast;\n#endif\nint a[__SIZEOF_POINTER__];\n")
    assert " ".join(own_tokens(unit_of(path, cc="gcc -O2"))) == "int fast ; int a [ 8 ] ;"
    if works("gcc -m32 -fsyntax-only"):
        found = unit_of(path, cc="gcc -m32 -O2", target="i686-linux-gnu")
        assert " ".join(own_tokens(found)) == "int fast ; int a [ 4 ] ;"
        assert found.compiler.endswith("gcc")
    assert unit_of(path, cc="gcc -O2", target="aarch64-linux-gnu").compiler == ""


def test_an_environment_serves_the_target_that_it_was_made_for() -> None:
    for name in TARGETS:
        target = find_target(name)
        if target.compiler != "msvc":
            assert serves(target_environment(target, "gnu17", None, Files()), target)
    assert not serves(_environment("i686-linux-gnu"), find_target("x86_64-linux-gnu"))


@pytest.mark.parametrize(
    ("std", "version"),
    [("c89", ""), ("c99", "199901L"), ("gnu11", "201112L"), ("iso9899:2018", "201710L"), ("c23", "20")],
)
def test_the_standard_is_the_one_that_was_asked_for(tmp_path: Path, std: str, version: str) -> None:
    require("gcc")
    path = tmp_path / "x.h"
    path.write_text(
        "#ifdef __STDC_VERSION__\n__STDC_VERSION__\n#endif\n"
        "#ifdef __STRICT_ANSI__\nstrict\n#endif\n#ifdef linux\ngnu\n#endif\n"
    )
    for cc in ("gcc", "none"):
        found = own_tokens(unit_of(path, cc=cc, std=std, target="x86_64-linux-gnu"))
        assert found[: bool(version)] == [] or found[0].startswith(version)
        assert ("strict" in found) != std.startswith("gnu")
        assert ("gnu" in found) == std.startswith("gnu")


def test_a_header_that_does_not_ask_gives_the_same_for_all_targets(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_bytes(SIZE_MACROS)
    units = [unit_of(path, target=target) for target in TARGETS]
    assert len({(unit.tokens, unit.comments) for unit in units}) == 1


def test_a_system_header_of_another_target_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text("#ifdef _WIN32\n#include <no_such_windows_header.h>\n#endif\nint a;\n")
    unit = unit_of(path, target="x86_64-windows-msvc")
    assert unit.missing == ("no_such_windows_header.h",)
    assert "x86_64-windows-msvc" in unit.diagnostics[0].message
    assert own_tokens(unit) == ["int", "a", ";"]


@pytest.mark.first_case
@pytest.mark.parametrize("target", TARGETS)
def test_own_standard_headers_compile_for_every_target(tmp_path: Path, target: str) -> None:
    (clang,) = require("clang")
    folders = [each for each in _environment(target).system_dirs if "abigen" in each]
    includes = [f"-isystem{folder}" for folder in folders]
    source = tmp_path / "x.c"
    names = sorted(str(path.relative_to(folder)) for folder in folders for path in Path(folder).rglob("*.h"))
    for text in (
        "".join(f"#include <{name}>\n" for name in names),
        "".join(f"#include <{name}>\n" for name in names[::-1]),
    ):
        source.write_text(text)
        command = [
            clang,
            f"--target={target}",
            "-nostdinc",
            *includes,
            "-Wall",
            "-Werror",
            "-fsyntax-only",
            "-std=gnu17",
        ]
        result = subprocess.run([*command, str(source)], capture_output=True, text=True)
        assert result.stderr == ""


@pytest.mark.ci
def test_each_of_the_own_standard_headers_can_be_read_alone(tmp_path: Path) -> None:
    for target in USUAL:
        folders = [each for each in _environment(target).system_dirs if "abigen" in each]
        for folder in folders:
            for header in Path(folder).rglob("*.h"):
                path = tmp_path / "x.h"
                path.write_text(f"#include <{header.relative_to(folder)}>\n")
                unit = unit_of(path, cc="none", target=target)
                assert not unit.diagnostics
                assert unit.dependencies[1] == str(header)


SIZED = (
    *("size_t", "ptrdiff_t", "wchar_t", "max_align_t", "int_fast16_t", "intmax_t", "uintptr_t", "va_list", "time_t"),
    *("clock_t", "off_t", "mode_t", "dev_t", "ino_t", "ssize_t", "pid_t", "struct tm", "struct timespec", "fpos_t"),
    *("struct timeval", "mbstate_t", "wint_t", "jmp_buf", "sigset_t", "pthread_t", "pthread_mutex_t", "pthread_cond_t"),
    *(
        "pthread_attr_t",
        "pthread_rwlock_t",
        "pthread_once_t",
        "pthread_key_t",
        "mtx_t",
        "cnd_t",
        "lldiv_t",
        "imaxdiv_t",
    ),
    *("atomic_int_fast16_t", "atomic_flag", "struct iovec", "struct sched_param", "wctype_t", "pthread_barrier_t"),
)
PROVIDERS = (
    *("stddef", "stdint", "stdarg", "time", "stdio", "sys/types", "sys/time", "wchar", "wctype", "setjmp", "signal"),
    *("pthread", "threads", "stdlib", "inttypes", "stdatomic", "sys/uio", "sched"),
)


@pytest.mark.parametrize(("target", "option"), [("x86_64-linux-gnu", "-m64"), ("i686-linux-gnu", "-m32")])
def test_own_standard_headers_give_types_the_sizes_of_the_system(target: str, option: str) -> None:
    (gcc,) = require(f"gcc {option} -S")
    text = "".join(f"#include <{name}.h>\n" for name in PROVIDERS)
    text += "".join(
        f"unsigned long long v{n} = sizeof({each}) * 1000 + _Alignof({each});\n" for n, each in enumerate(SIZED)
    )
    folders = [each for each in _environment(target).system_dirs if "abigen" in each]
    found = []
    for options in ([], ["-nostdinc", *(f"-isystem{folder}" for folder in folders)]):
        command = [gcc, option, "-D_GNU_SOURCE", "-S", "-o", "-", "-x", "c", "-", *options]
        result = subprocess.run(command, input=text, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        found.append(dict(re.findall(r"^v(\d+):\n\s*\.(?:quad|long)\s+(\d+)", result.stdout, re.MULTILINE)))
    assert len(found[0]) == len(SIZED)
    assert found[0] == found[1]


def test_windows_headers_are_found_in_any_case_and_only_there(tmp_path: Path) -> None:
    path = tmp_path / "x.h"
    path.write_text("#if __has_include(<Windows.h>)\n#include <Windows.h>\nHANDLE h;\n#endif\n")
    assert "HANDLE" in own_tokens(unit_of(path, target="x86_64-windows-msvc"))
    assert "FARPROC" in system_tokens(unit_of(path, target="x86_64-windows-msvc"))
    assert own_tokens(unit_of(path, target=HOST)) == []


@pytest.mark.parametrize("cc", [None, "none"])
@pytest.mark.parametrize(
    ("member", "sizes"),
    [
        ("time_t t", [8, 4, 8]),
        ("clock_t t", [8, 4, 4]),
        ("time_t t[2]", [16, 8, 16]),
        ("struct timespec t", [16, 8, 16]),
        ("void (*t)(time_t *when, FILE *to)", [8, 4, 8]),
    ],
)
def test_types_of_system_headers_are_those_of_each_target(
    member: str, sizes: list[int], cc: str | None, tmp_path: Path
) -> None:
    header = tmp_path / "x.h"
    header.write_text(f"#include <stdio.h>\n#include <time.h>\nstruct S {{ {member}; }};\n")
    targets = ("x86_64-linux-gnu", "i686-linux-gnu", "x86_64-windows-msvc")
    read = load(str(header), ReadOptions(targets=targets, cc=cc, cache=False))
    places = [Layouts(read.for_target(each), find_target(each)).of("S").fields[0] for each in targets]
    assert [each.size for each in places] == sizes
    if "(" in member:
        stands_for = [read.for_target(each).resolve(NamedType("time_t")) for each in targets]
        assert stands_for == [Basic("long"), Basic("long"), Basic("long long")]


def test_a_header_that_only_points_to_what_system_headers_declare_is_read_once(tmp_path: Path) -> None:
    header = tmp_path / "x.h"
    header.write_text("#include <stdio.h>\n#include <time.h>\nstruct S { FILE *to; const struct tm *at; size_t n; };\n")
    assert len(load(str(header), ReadOptions(targets=USUAL, cache=False)).groups) == 1
