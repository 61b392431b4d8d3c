"""The types and flags of abigen's own system headers are as they are on the systems."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from abigen.headers.preprocessor.environment import STAND_INS, stand_in_folders
from abigen.headers.reader import read_headers
from abigen.model.api import Api
from abigen.model.ctype import Array
from abigen.model.layout import Layouts
from abigen.model.target import find_target
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions, SourceFile
from tests.tools import require

SYSTEMS = (
    ("x86_64-linux-gnu", "gcc -m64"),
    ("i686-linux-gnu", "gcc -m32"),
    ("i686-linux-gnu", "gcc -m32 -D_FILE_OFFSET_BITS=64"),
    ("x86_64-windows-gnu", "x86_64-w64-mingw32-gcc"),
    ("i686-windows-gnu", "i686-w64-mingw32-gcc"),
)
SPECIAL = {"tgmath.h", "complex.h", "stdnoreturn.h", "threads.h", "stdatomic.h", "stdalign.h", "sys/cdefs.h"}
"""Headers that redefine words, that mingw does not have, or that stand for the next one of their name."""
OTHERWISE = {"max_align_t", "__time64_t", "fpos_t", "DIR", "FILE", "siginfo_t", "jmp_buf", "PCVOID"}
"""Types that mingw does not have or has otherwise, or of which only pointers are used."""


def _includes(target: str) -> str:
    """Lines that include all of abigen's own system headers for a target."""
    folders = [Path(each) for each in stand_in_folders(find_target(target))]
    names = {each.relative_to(folder).as_posix() for folder in folders for each in folder.rglob("*.h")}
    ordered = sorted(names - SPECIAL, key=lambda name: (name != "winsock2.h", name))  # <windows.h> comes after it
    return "".join(f"#include <{each}>\n" for each in ordered)


def _declared(target: str) -> Api:
    """Return the declarations of those headers."""
    source = SourceFile("<system headers>", f"{os.devnull}/system.h", _includes(target))
    reading = ReadOptions(targets=(target,), own=(f"{STAND_INS}/*",), cc="none", files=Files())
    return read_headers([source], reading).groups[0].api


def _measures(api: Api) -> Iterator[str]:
    """C expressions for the sizes of all complete types, and for the offsets and sizes of public members."""
    for key, struct in api.structs.items():
        name = key if key in struct.typedef_names else f"{struct.kind} {struct.tag}"
        if key.startswith("_") or "." in key or struct.fields is None or key in OTHERWISE:
            continue
        yield f"sizeof({name}) * 1000 + _Alignof({name})"
        for field in struct.fields:
            if field.name and not field.name.startswith("_") and not isinstance(field.type, Array):
                yield f"__builtin_offsetof({name}, {field.name}) * 1000 + sizeof((({name} *)0)->{field.name})"
    opaque = {key for key, each in api.structs.items() if each.fields is None}
    for key in api.typedefs.keys() - OTHERWISE - opaque:
        if not key.startswith("_"):
            yield f"sizeof({key}) * 1000 + _Alignof({key})"


def _command(compiler: str) -> list[str]:
    """Return a compiler that has headers of its system, and its options."""
    _, *options = compiler.split()
    return [*require(f"{compiler} -S"), *options, "-D_GNU_SOURCE", "-D_WIN32_WINNT=0x0600"]


def _measured(command: list[str], target: str, measures: list[str]) -> dict[str, str]:
    """Return a compiler's value of each expression."""
    lines = [f"unsigned long long v{number} = {each};\n" for number, each in enumerate(measures)]
    text = _includes(target) + "".join(lines)
    result = subprocess.run([*command, "-S", "-o", "-", "-x", "c", "-"], input=text, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    values = re.findall(r"^_?v(\d+):\n\s*\.(?:quad|long)\s+(\d+)", result.stdout, re.MULTILINE)
    return {measures[int(number)]: value for number, value in values}


@pytest.mark.ci
@pytest.mark.parametrize(("target", "compiler"), SYSTEMS)
def test_system_types_have_the_layout_that_the_system_gives_them(target: str, compiler: str) -> None:
    command = _command(compiler)
    # Where time_t has 32 bits depends on the C library that mingw was made for.
    left_out = "time" if target == "i686-windows-gnu" else "\n"
    measures = sorted({each for each in _measures(_declared(target)) if left_out not in each})
    folders = [f"-isystem{each}" for each in stand_in_folders(find_target(target))]
    theirs, ours = (_measured([*command, *more], target, measures) for more in ([], ["-nostdinc", *folders]))
    assert len(theirs) == len(measures)
    assert {each: (ours[each], theirs[each]) for each in theirs if ours[each] != theirs[each]} == {}


@pytest.mark.ci
@pytest.mark.parametrize(("target", "compiler"), SYSTEMS)
def test_flags_for_opening_files_have_the_values_that_the_system_gives_them(target: str, compiler: str) -> None:
    command = _command(compiler)
    flags = sorted(name for name in _declared(target).constants if name.startswith("O_"))
    folders = [f"-isystem{each}" for each in stand_in_folders(find_target(target))]
    theirs, ours = (_measured([*command, *more], target, flags) for more in ([], ["-nostdinc", *folders]))
    assert "O_APPEND" in theirs
    assert ours == theirs


MACOS = {
    "struct stat": 144,
    "struct dirent": 1048,
    "struct termios": 72,
    "struct sockaddr_storage": 128,
    "struct sockaddr_un": 106,
    "struct sockaddr_in": 16,
    "struct sockaddr_in6": 28,
    "struct addrinfo": 48,
    "struct msghdr": 48,
    "struct passwd": 72,
    "struct statvfs": 64,
    "struct rusage": 144,
    "struct sigaction": 16,
    "fd_set": 128,
    "sem_t": 4,
    "semaphore_t": 4,
    "pthread_mutex_t": 64,
    "pthread_cond_t": 48,
    "pthread_rwlock_t": 200,
}
"""The sizes that Apple's headers give to types on 64-bit machines."""


@pytest.mark.parametrize("target", ["x86_64-apple-darwin", "aarch64-apple-darwin"])
def test_system_types_have_the_sizes_that_macos_gives_them(target: str) -> None:
    members = "".join(f"{name} m{number};\n" for number, name in enumerate(MACOS))
    source = SourceFile("x.h", f"{os.devnull}/x.h", f"{_includes(target)}struct all {{\n{members}}};\n")
    reading = ReadOptions(targets=(target,), cc="none", files=Files())
    api = read_headers([source], reading).groups[0].api
    fields = Layouts(api, find_target(target)).of("all").fields
    assert {name: each.size for name, each in zip(MACOS, fields, strict=True)} == MACOS


@pytest.mark.parametrize("target", ["x86_64-apple-darwin", "x86_64-windows-msvc"])
@pytest.mark.parametrize("name", ["sys/epoll.h", "linux/types.h", "bits/types.h", "features.h"])
def test_headers_of_this_machine_do_not_stand_for_those_of_another_system(name: str, target: str) -> None:
    text = f"#include <{name}>\n#if __has_include(<{name}>)\nint found;\n#endif\n"
    source = SourceFile("x.h", f"{os.devnull}/x.h", text)
    api = read_headers([source], ReadOptions(targets=(target,), cc="none", files=Files())).groups[0].api
    assert not api.variables
    assert [each.message.partition(",")[0] for each in api.warnings] == [f"'{name}' not found"]
