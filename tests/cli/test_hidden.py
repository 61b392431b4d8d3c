"""Declarations below conditions that hold on no target: `diff` says that it has not compared them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program

Write = Callable[..., Path]

HEADER = """\
#ifndef API_H
#define API_H
typedef struct A {{ int x; }} A;
{}
#endif
"""


def _write(write: Write, old: str, new: str) -> None:
    for name, part in (("old.h", old), ("new.h", new)):
        write(name, HEADER.format(part))


@pytest.mark.parametrize(
    ("old", "new", "condition", "way"),
    [
        ("int f(int);", "int f(long);", "#ifdef X", "-D X compares it"),
        ("int f(int);", "int f(int); int g(void);", "#if defined(X)", "-D X compares it"),
        ("int f(int);", "int f(long);", "#if X > 2", "-D X=3 compares it"),
        ("int f(int);", "int f(long);", "#if X >= 10", "-D X=10 compares it"),
        ("int f(int);", "int f(long);", "#if X == 2", "-D X=2 compares it"),
        ("int f(int);", "int f(long);", "#if X > 2 && Y", "choose the text with --abi, -D or -U"),
        ("int f(int);", "int f(long);", "#ifdef _NOT_THERE", "choose the text with --abi, -D or -U"),
        (
            "int f(int);",
            "int f(long);",
            "#if defined(X) && !defined(__cplusplus)",
            "choose the text with --abi, -D or -U",
        ),
        ("#if A\nint f(int);\n#endif", "#if A\nint f(long);\n#endif", "#ifdef X", "-D X compares it"),
        ("#define N 1", "#define N 2", "#ifdef X", "-D X compares it"),
        ("", "#define N 2", "#ifdef X", "-D X compares it"),
        ('#include "a.h"', '#include "b.h"', "#ifdef X", "-D X compares it"),
    ],
)
def test_what_no_target_reads_is_said_not_to_be_compared(
    old: str, new: str, condition: str, way: str, write: Write, abigen: Program
) -> None:
    _write(write, f"{condition}\n{old}\n#endif", f"\n{condition}\n{new}\n#endif")
    expected = f"not compared: new.h:5: the text below {condition} differs, and no target reads it; {way}\n"
    for _ in range(2):  # the second answer comes out of what is stored
        result = abigen("diff", "old.h", "new.h")
        assert (result.code, result.remarks) == (0, "")
        assert expected in result.output
        assert result.output.endswith(
            "No change in what was compared. No new version is needed. No version is stated.\n"
        )


@pytest.mark.parametrize("condition", ["#ifdef __cplusplus", "#ifndef __cplusplus\n#else"])
def test_what_only_cpp_reads_is_said_not_to_be_compared(condition: str, write: Write, abigen: Program) -> None:
    _write(write, f"{condition}\nint f(int);\n#endif", f"{condition}\nint f(long);\n#endif")
    output = abigen("diff", "old.h", "new.h").output
    assert "differs, and only C++ reads it\nNo change in what was compared. " in output


@pytest.mark.parametrize("form", ["text", "github", "html", "json", "junit", "markdown", "sarif"])
def test_every_format_says_what_was_not_compared(form: str, write: Write, abigen: Program) -> None:
    _write(write, "#ifdef X\nint f(int);\n#endif", "#ifdef X\nint f(long);\n#endif")
    shown = abigen("diff", "old.h", "new.h", "--format", form).output
    assert "new.h:4: the text below #ifdef X differs" in html.unescape(shown).replace("\\", "")
    summary = abigen("diff", "old.h", "new.h", "--format", form, "--summary").output
    assert re.search("No change in what was compared|not[ _]compared", summary)


def test_what_was_not_compared_is_said_beside_what_was(write: Write, abigen: Program) -> None:
    _write(write, "#ifdef X\nint f(int);\n#endif", "#ifdef X\nint f(long);\n#endif\nint g(void);")
    assert abigen("diff", "old.h", "new.h", "--summary").output.startswith("1 addition, not all compared. ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#ifdef X\nint f(int);\n#endif", "\n#ifdef X\nint f(\n    int); /* one */\n#endif"),
        ("#if 0\nint f(int);\n#endif", "#if 0\nint f(long);\n#endif"),
        ("#if 1\n#else\nint f(int);\n#endif", "#if 1\n#else\nint f(long);\n#endif"),
        ("#ifdef X\n#define N 1\n#endif", "#ifdef X\n#define  N 1 // one\n#endif"),
        ("#if 0\n#define N 1\n#endif", "#if 0\n#define N 2\n#endif"),
        ("", '#ifdef X\nextern "C" {\n#endif\n#ifdef X\n}\n#endif'),
    ],
)
def test_what_nobody_misses_is_not_mentioned(old: str, new: str, write: Write, abigen: Program) -> None:
    _write(write, old, new)
    result = abigen("diff", "old.h", "new.h")
    assert result.code == 0
    assert "not compared" not in result.output


def test_what_one_target_reads_is_compared(write: Write, abigen: Program) -> None:
    part = "#ifdef _WIN32\nint f({});\n#else\nint g(int);\n#endif"
    _write(write, part.format("int"), part.format("long"))
    result = abigen("diff", "old.h", "new.h", "--abi", "x86_64-linux-gnu", "--abi", "x86_64-windows-gnu")
    assert "not compared" not in result.output
    assert ": f" in result.output
    only = abigen("diff", "old.h", "new.h", "--abi", "x86_64-linux-gnu")
    assert "not compared: new.h:4: the text below #ifdef _WIN32 differs" in only.output


def test_what_another_inclusion_reads_is_compared(write: Write, abigen: Program) -> None:
    for name, of in (("old", "int"), ("new", "long")):
        write(f"{name}/api.h", '#include "part.h"\n#define X 1\n#include "part.h"\n')
        write(f"{name}/part.h", f"#ifdef X\nint f({of});\n#endif\n")
    result = abigen("diff", "old", "new", "--fail-on", "never")
    assert ": f" in result.output
    assert "not compared" not in result.output


def test_what_is_hidden_on_one_side_only_is_said_too(write: Write, abigen: Program) -> None:
    part = "#ifdef X\nint f(int);\n#endif"
    _write(write, "", part)
    assert "not compared: new.h:4: the text below #ifdef X" in abigen("diff", "old.h", "new.h").output
    assert "not compared: new.h:4: the text below #ifdef X" in abigen("diff", "new.h", "old.h").output


def test_five_parts_are_listed_and_the_others_are_counted(write: Write, abigen: Program) -> None:
    parts = "\n".join(f"#ifdef X{number}\nint f{number}(int);\n#endif" for number in range(7))
    _write(write, "", parts)
    result = abigen("diff", "old.h", "new.h")
    assert result.output.count("not compared: new.h:") == 5
    assert "not compared: 2 more parts of which no target reads the text\n" in result.output


@pytest.mark.parametrize("name", ["json", "html", "markdown"])
def test_every_format_with_a_page_says_it(name: str, write: Write, abigen: Program) -> None:
    _write(write, "", "#ifdef X\nint f(int);\n#endif")
    output = abigen("diff", "old.h", "new.h", "--format", name).output
    assert "new.h:4: the text below" in output.replace("\\", "")
    if name == "json":
        assert len(json.loads(output)["not_compared"]) == 1


UMBRELLA = '#pragma once\n#include "types.h"\nconst char* api_name(void);\n'


@pytest.mark.parametrize("remark", ["", " /* the first */"])
def test_an_included_file_that_is_not_judged_is_said_to_differ_only_where_it_does(
    remark: str, write: Write, abigen: Program
) -> None:
    for side in ("old", "new"):
        write(f"{side}/api.h", UMBRELLA)
        write(f"{side}/types.h", f"#pragma once\nstruct a {{ int x;{remark if side == 'new' else ''} int y; }};\n")
    assert (
        abigen("diff", "old/api.h", "new/api.h", "--summary").output
        == "No change. No new version is needed. No version is stated.\n"
    )
    write("new/types.h", "#pragma once\nstruct a { int y; int x; };\nstruct b { int z; };\n")
    result = abigen("diff", "old/api.h", "new/api.h")
    assert result.output == (
        "not compared: types.h: 1 of its declarations differs, but it is only included; --own types.h compares it\n"
        "No change in what was compared. No new version is needed. No version is stated.\n"
    )
    assert abigen("diff", "old/api.h", "new/api.h", "--own", "types.h").code == 1


HIDDEN_TYPE = """\
#ifdef __APPLE__
#include <apart/lock.h>
typedef apart_t toy_lock;
#endif
typedef struct Toy { int a; %s} Toy;
"""
MEMBER = "\n#ifdef __APPLE__\nint b;\n#endif\n"
TWO_TARGETS = ("--abi", "x86_64-linux-gnu", "--abi", "x86_64-apple-darwin")


@pytest.mark.parametrize("format_name", ["text", "markdown", "github", "json", "sarif", "junit", "html"])
def test_a_target_that_cannot_be_read_is_told_in_every_format(abigen: Program, write: Write, format_name: str) -> None:
    write("old.h", HIDDEN_TYPE % "")
    write("new.h", HIDDEN_TYPE % MEMBER)
    result = abigen("diff", "old.h", "new.h", *TWO_TARGETS, "--format", format_name)
    said = html.unescape(result.output)
    assert "x86_64-apple-darwin: 'apart/lock.h' not found (new.h:2:10)" in said
    assert format_name in ("json", "sarif", "junit") or "No change in what was compared" in said


def test_the_side_that_cannot_be_read_is_named(abigen: Program, write: Write) -> None:
    write("old.h", "typedef struct Toy { int a; } Toy;\n")
    write("new.h", HIDDEN_TYPE % "")
    line = "not compared: x86_64-apple-darwin: {} cannot be read: 'apart/lock.h' not found (new.h:2:10)\n"
    assert line.format("NEW") in abigen("diff", "old.h", "new.h", *TWO_TARGETS).output
    assert line.format("OLD") in abigen("diff", "new.h", "old.h", *TWO_TARGETS).output


def test_all_files_that_a_target_lacks_are_told_in_one_line(abigen: Program, write: Write) -> None:
    missing = "".join(f"#include <apart/{name}.h>\n" for name in "abcde")
    for side in ("old.h", "new.h"):
        write(side, f"#ifdef __APPLE__\n{missing}{missing}unknown_t f(void);\n#endif\nint g(void);\n")
    told = "'apart/a.h' not found (new.h:2:10), nor 'apart/b.h' (new.h:3:10), nor 'apart/c.h' (new.h:4:10), nor 2 more"
    result = abigen("diff", "old.h", "new.h", *TWO_TARGETS)
    assert f"not compared: x86_64-apple-darwin: {told}\n" in result.output


def test_a_target_that_lacks_no_file_is_told_with_its_first_error(abigen: Program, write: Write) -> None:
    for side in ("old.h", "new.h"):
        write(side, "#ifdef __APPLE__\nunknown_t f(void);\nother_t h(void);\n#endif\nint g(void);\n")
    result = abigen("diff", "old.h", "new.h", *TWO_TARGETS)
    assert "not compared: x86_64-apple-darwin: unknown type name 'unknown_t' (new.h:2:1)\n" in result.output


SYSTEM_TYPES = """\
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#ifdef _WIN32
#include <winsock2.h>
#include <mswsock.h>
#include <ws2tcpip.h>
#include <windows.h>
typedef CRITICAL_SECTION toy_lock;
typedef WIN32_FIND_DATAW toy_entry;
typedef HANDLE toy_semaphore;
#else
#include <arpa/inet.h>
#include <dirent.h>
#include <iconv.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <sys/param.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/un.h>
#include <termios.h>
#include <utime.h>
typedef pthread_mutex_t toy_lock;
typedef struct dirent toy_entry;
struct toy_terminal { struct termios before; struct stat file; struct passwd *who; struct utimbuf times;
  iconv_t texts; };
#ifdef __APPLE__
#include <mach/mach.h>
#include <mach/semaphore.h>
typedef semaphore_t toy_semaphore;
#else
typedef sem_t toy_semaphore;
#endif
#endif
typedef struct Toy {%s
  struct sockaddr_in6 address;
  struct sockaddr_storage peer;
  struct addrinfo *found;
  toy_lock lock;
  toy_semaphore semaphore;
  toy_entry entry;
  fd_set ready;
} Toy;
"""


@pytest.mark.ci
def test_headers_that_use_the_types_of_systems_are_compared_for_all_of_them(abigen: Program, write: Write) -> None:
    write("old.h", SYSTEM_TYPES % "")
    write("new.h", SYSTEM_TYPES % " int first;")
    targets = ("x86_64-linux-gnu", "x86_64-apple-darwin", "x86_64-windows-msvc")
    result = abigen("diff", "old.h", "new.h", *(each for name in targets for each in ("--abi", name)))
    assert (result.code, result.remarks) == (1, "")
    assert "not compared" not in result.output
    assert "field-inserted" in result.output


@pytest.mark.skipif(not Path("/usr/include/features.h").is_file(), reason="the C library is not glibc")
def test_headers_of_this_machine_do_not_stand_for_those_of_another_system(abigen: Program) -> None:
    header = "/usr/include/libintl.h"  # which includes <features.h>, in its own folder
    result = abigen("diff", header, header, "--abi", "x86_64-linux-gnu", "--abi", "x86_64-windows-msvc")
    assert "'features.h' not found" in result.remarks
    assert "features-time64.h" not in result.output + result.remarks
