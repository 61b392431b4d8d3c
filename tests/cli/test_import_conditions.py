"""`abigen import`: what a header makes depend on conditions, and the system headers that it takes types from."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from abigen.headers.preprocessor.macros import conditional_macros
from tests.cli.program import Program
from tests.tools import require

Write = Callable[..., Path]

PORTABLE = """\
#ifndef PT_H
#define PT_H
#include <stddef.h>
#ifdef __cplusplus
#define PT_EXTERN_C extern "C"
#else
#define PT_EXTERN_C
#endif
#if defined(_WIN32)
#  if defined(PT_BUILDS) || defined(PT_STATIC)
#    define PT_API __declspec(dllexport)
#  else
#    define PT_API __declspec(dllimport)
#  endif
#else
#  define PT_API __attribute__((visibility("default")))
#endif
#ifndef PT_LEVEL
#  ifdef PT_DEBUG
#    define PT_LEVEL 9
#  else
#    define PT_LEVEL 1
#  endif
#endif
#if PT_LEVEL > 3
#define PT_SAY(text) pt_say(text)
#else
#define PT_SAY(text) ((void)(text))
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef struct pt_item { int a; } pt_item;
/* Says it. */
PT_API int
pt_say(const char *text);
PT_API pt_item *pt_new(size_t count);
int pt_hidden(void);
#ifdef __cplusplus
}
#endif
#endif
"""


def _values(header: Path, names: list[str], *options: str) -> str:
    lines = "".join(f"{each}=[{each}]\n" for each in names)
    text = f'#include "{header.name}"\n{lines}'
    command = ["gcc", *options, "-E", "-P", f"-I{header.parent}", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return "\n".join(line for line in done.stdout.splitlines() if "=" in line)


def test_macros_that_depend_on_conditions_are_the_same_in_the_rebuilt_header_whatever_holds(
    abigen: Program, write: Write
) -> None:
    require("gcc")
    original = write("portable.h", PORTABLE)
    result = abigen("import", "portable.h")
    assert (result.output, result.code) == ("wrote spec/portable.yaml\n", 0), result.remarks
    assert abigen("build", "--target", "c").code == 0
    rebuilt = abigen.directory / "generated/c/portable.h"
    names = ["PT_API", "PT_LEVEL", "PT_SAY(1)"]
    conditions: tuple[list[str], ...] = (
        [],
        ["-D_WIN32"],
        ["-D_WIN32", "-DPT_STATIC"],
        ["-DPT_DEBUG"],
        ["-DPT_LEVEL=4"],
    )
    for options in conditions:
        said = [_values(each, names, *options) for each in (original, rebuilt)]
        assert said[0] == said[1]
        assert said[0].count("=") == 3
    kept = abigen("diff", "portable.h", "generated/c/portable.h")
    assert kept.code == 0, kept.output


def test_the_macro_that_exports_stands_before_the_functions_that_had_it(abigen: Program, write: Write) -> None:
    write("portable.h", PORTABLE)
    abigen("import", "portable.h")
    document = yaml.safe_load((abigen.directory / "spec/portable.yaml").read_text())
    assert document["header"]["export"] == "PT_API"
    assert {each["name"]: each.get("export", True) for each in document["functions"]} == {
        "pt_say": True,
        "pt_new": True,
        "pt_hidden": False,
    }


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("#ifdef A\n#define X 1\n#else\n#define X 2\n#endif\n", (("defined(A)", "1"), ("", "2"))),
        ("#ifdef A\n#define X 1\n#endif\n#ifndef X\n#define X 2\n#endif\n", (("defined(A)", "1"), ("", "2"))),
        (
            "#if A || B\n#ifdef C\n#define X 1\n#else\n#define X 2\n#endif\n#else\n#define X 3\n#endif\n",
            (("(A || B) && defined(C)", "1"), ("A || B", "2"), ("", "3")),
        ),
        ("#ifdef A\n#define X 1\n#endif\n", None),
        ("#define X 1\n#ifndef X\n#define X 2\n#endif\n", None),
        ("#ifdef A\n#define X 1\n#else\n#define X(a) 2\n#endif\n", None),
        ("#ifdef A\n#define X 1\n#else\n#define X 2\n#endif\n#undef X\n", None),
        (
            "#ifdef A\n#define Y 1\n#endif\n#ifdef Y\n#define X 1\n#else\n#define X 2\n#endif\n",
            (("defined(Y) || defined(A)", "1"), ("", "2")),
        ),
        (
            "#if defined(A) && !defined(Y)\n#define Y\n#endif\n"
            "#if B && defined Y\n#define X 1\n#else\n#define X 2\n#endif\n",
            (("B && (defined(Y) || defined(A))", "1"), ("", "2")),
        ),
        ("#ifdef A\n#define Y 1\n#endif\n#if Y\n#define X 1\n#else\n#define X 2\n#endif\n", None),
        (
            "#ifdef A\n#define Y\n#endif\n#ifdef Y\n#define X 1\n#else\n#define X 2\n#endif\n#undef Y\n",
            None,
        ),
        (
            "#ifdef A\n#if B(1)\n#define X 1\n#endif\n#endif\n#ifndef X\n#define X 2\n#endif\n",
            (("defined(A) && B(1)", "1"), ("", "2")),
        ),
        (
            "#ifdef A\n#elif B\n#define X 1\n#endif\n#ifndef X\n#define X 2\n#endif\n",
            (("defined(A)", "2"), ("B", "1"), ("", "2")),
        ),
        ("#ifdef A\n#error no\n#else\n#define X 2\n#endif\n", None),
    ],
)
def test_the_cases_of_a_macro_are_those_of_its_conditions(text: str, cases: tuple[tuple[str, str], ...] | None) -> None:
    found = conditional_macros([text]).get("X")
    assert (found.cases if found else None) == cases


@pytest.mark.ci
def test_a_system_header_below_a_condition_is_included_when_a_member_has_its_type(
    abigen: Program, write: Write
) -> None:
    require("gcc")
    write(
        "wait.h",
        "#ifndef _WIN32\n#include <semaphore.h>\n#include <sys/socket.h>\n#include <dlfcn.h>\n#endif\n"
        "typedef struct WT_Wait { sem_t at; struct sockaddr_storage from; } WT_Wait;\n",
    )
    result = abigen("import", "wait.h", "--abi", "x86_64-linux-gnu")
    document = yaml.safe_load((abigen.directory / "spec/wait.yaml").read_text())
    assert document["header"]["includes"] == ["<semaphore.h>", "<sys/socket.h>"]
    assert "include <semaphore.h>: it depends on a condition" in result.output
    assert abigen("build", "--target", "c").code == 0
    assert abigen("diff", "wait.h", "generated/c/wait.h", "--abi", "x86_64-linux-gnu").code == 0


FLAGS = """\
#ifndef FL_H
#define FL_H
#include <fcntl.h>
#ifndef _WIN32
#include <sys/param.h>
#endif
#ifdef O_APPEND
#define FL_APPEND O_APPEND
#else
#define FL_APPEND 0
#endif
#ifdef MAXHOSTNAMELEN
#define FL_NAME (MAXHOSTNAMELEN + 1)
#else
#define FL_NAME 256
#endif
#endif
"""


def test_macros_that_ask_for_those_of_system_headers_have_the_values_that_they_had(
    abigen: Program, write: Write
) -> None:
    require("gcc")
    header = write("flags.h", FLAGS)
    result = abigen("import", "flags.h", "--abi", "x86_64-linux-gnu")
    lost = "flags.h:5:10: not in the spec as it is: include <sys/param.h>: it depends on a condition; "
    assert result.output == f"wrote spec/flags.yaml\n{lost}the spec has the result for this machine\n"
    assert abigen("build", "--target", "c").code == 0
    rebuilt = abigen.directory / "generated/c/flags.h"
    assert _values(rebuilt, ["FL_APPEND", "FL_NAME"]) == _values(header, ["FL_APPEND", "FL_NAME"])


def test_what_a_header_includes_at_its_end_becomes_part_of_it(abigen: Program, write: Write) -> None:
    write("more.h", "typedef struct MO_More { MO_Id id; } MO_More;\nMO_API int mo_more(MO_More *more);\n")
    write("all.h", '#define MO_API\ntypedef int MO_Id;\nMO_API int mo_first(MO_Id id);\n#include "more.h"\n')
    result = abigen("import", "all.h")
    assert "header more.h: it has no spec of its own" in result.output, result.remarks
    document = yaml.safe_load((abigen.directory / "spec/all.yaml").read_text())
    assert [each["name"] for each in document["functions"]] == ["mo_first", "mo_more"]
    assert "includes" not in document["header"]


def test_a_struct_that_a_system_header_declares_is_no_handle_of_the_spec(abigen: Program, write: Write) -> None:
    write(
        "spec/peer.yaml",
        "abigen: 1\napi: peer\nheader: {path: peer.h, includes: [<sys/socket.h>]}\n"
        "handles: [{name: sockaddr, typedef: false}]\n"
        "functions: [{name: peer_at, type: 'int (struct sockaddr *at)', implemented_by: core}]\n",
    )
    result = abigen("build", "--target", "c")
    assert result.code == 2
    assert "struct sockaddr is declared by <sys/socket.h> already" in result.remarks


def test_sizes_that_are_enumerators_stay_enumerators(abigen: Program, write: Write) -> None:
    require("gcc -x c -fsyntax-only", "gcc -x c++ -fsyntax-only")
    write(
        "sized.h",
        "#include <stddef.h>\n"
        "#define SZ_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))\n"
        "#define SZ_SIZED(type, last) enum { type##_STRUCT_SIZE = SZ_SIZE(type, last) }\n"
        "typedef struct SZ_One { size_t struct_size; int a; } SZ_One;\nSZ_SIZED(SZ_One, a);\n"
        "typedef struct SZ_Two { size_t struct_size; char b; } SZ_Two;\nSZ_SIZED(SZ_Two, b);\n",
    )
    result = abigen("import", "sized.h")
    assert (result.output, result.code) == ("wrote spec/sized.yaml\n", 0), result.output
    document = yaml.safe_load((abigen.directory / "spec/sized.yaml").read_text())
    assert document["conventions"]["size_form"] == "enumerator"
    assert abigen("build", "--target", "c").code == 0
    header = abigen.directory / "generated/c/sized.h"
    assert "enum { SZ_Two_STRUCT_SIZE = SZ_SIZE(SZ_Two, b) };" in header.read_text()
    for language in ("c", "c++"):
        text = f'#include "{header}"\nint all[SZ_One_STRUCT_SIZE == 12 && SZ_Two_STRUCT_SIZE == 9 ? 1 : -1];\n'
        command = ["gcc", "-x", language, "-Wall", "-Werror", "-pedantic", "-fsyntax-only", "-"]
        subprocess.run(command, input=text, text=True, check=True)
    assert abigen("diff", "sized.h", str(header)).code == 0


TAGGED = """\
#include <stddef.h>
enum tg_kind { TG_ONE, TG_TWO = 4 };
union tg_value { int whole; double real; };
struct tg_late;
struct tg_host { size_t struct_size; int (*call)(struct tg_late *late, enum tg_kind kind); };
struct tg_late { size_t struct_size; union tg_value value; struct tg_host *host; enum tg_kind kind; };
int tg_begin(struct tg_host *host, const struct tg_late *late);
"""


def test_structs_and_enumerations_without_a_typedef_get_none(abigen: Program, write: Write) -> None:
    for each in ("gcc", "g++"):
        require(each)
    write("tagged.h", TAGGED)
    result = abigen("import", "tagged.h", "--filled-by", "tg_=core")
    assert (result.output, result.code) == ("wrote spec/tagged.yaml\n", 0), result.output
    assert abigen("build").code == 0
    made = abigen.directory / "generated"
    assert "typedef" not in (made / "c/tagged.h").read_text()
    assert abigen("diff", "tagged.h", "generated/c/tagged.h").code == 0
    headers = sorted(made.glob("c*/**/*.h"))
    assert len(headers) > 1
    for header in headers:
        for language in (["gcc", "-std=c99", "-x", "c"], ["g++", "-x", "c++"]):
            command = [*language, "-Wall", "-fsyntax-only", *(f"-I{each}" for each in made.iterdir()), str(header)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def test_a_type_without_a_typedef_is_named_with_its_keyword_and_has_no_other_tag(abigen: Program, write: Write) -> None:
    write(
        "spec/tagged.yaml",
        "abigen: 1\napi: tagged\nstructs:\n- {name: tg_a, typedef: false, fields: [{name: a, type: int}]}\n"
        "- {name: tg_b, tag: tg_c, typedef: false, fields: [{name: a, type: tg_a}]}\n",
    )
    result = abigen("build")
    assert result.code == 2
    assert "unknown type name 'tg_a'" in result.remarks
    write("spec/tagged.yaml", (abigen.directory / "spec/tagged.yaml").read_text().replace("type: tg_a", "type: int"))
    assert "'tg_b' has no typedef, so its name is its tag" in abigen("build").remarks


UNREAD = """\
#ifndef UN_H
#define UN_H
#ifdef __cplusplus
extern "C" {
#define UN_NONE nullptr
#else
#define UN_NONE 0
#endif
enum un_kind
#ifdef __cplusplus
: int
#endif
{ UN_ONE, UN_TWO };
struct un_item {
  enum un_kind kind;
#ifdef __cplusplus
  bool is_one() const { return kind == UN_ONE; }
#endif
};
#ifdef UN_MORE
int un_more(struct un_item *item);
#endif
#if UN_LEVEL > 9
#error UN_LEVEL is too high
#endif
int un_any();
typedef int (*un_each)();
#ifdef __cplusplus
}
#endif
#endif
"""


def test_what_only_cpp_reads_or_nobody_is_listed_as_lost(abigen: Program, write: Write) -> None:
    require("gcc")
    write("un.h", UNREAD)
    result = abigen("import", "un.h", "--abi", "x86_64-linux-gnu")
    assert result.code == 1
    assert result.output.splitlines() == [
        "wrote spec/un.yaml",
        "un.h:16:1: not in the spec as it is: text below #ifdef __cplusplus: only C++ reads it",
        "un.h:20:1: not in the spec as it is: text below #ifdef UN_MORE: no target reads it; "
        "choose the text with --abi, -D or -U",
    ]
    assert abigen("build", "--target", "c").code == 0
    assert abigen("diff", "un.h", "generated/c/un.h", "--abi", "x86_64-linux-gnu").code == 0
    text = (abigen.directory / "generated/c/un.h").read_text()
    assert "int un_any();\n" in text
    assert "typedef int (*un_each)();\n" in text


def test_what_a_macro_hides_can_be_imported_with_it(abigen: Program, write: Write) -> None:
    write("un.h", UNREAD)
    result = abigen("import", "un.h", "--abi", "x86_64-linux-gnu", "-DUN_MORE")
    assert "UN_MORE" not in result.output
    assert "un_more" in (abigen.directory / "spec/un.yaml").read_text()


AROUND = """\
#ifndef AR_H
#define AR_H
#ifdef __cplusplus
#define AR_EXTERN_C extern "C"
#define AR_NOEXCEPT noexcept
#else
#define AR_EXTERN_C
#define AR_NOEXCEPT
#endif
#ifdef _WIN32
#define AR_CC __stdcall
#define AR_API(ret) AR_EXTERN_C __declspec(dllexport) ret AR_CC
#else
#define AR_CC
#define AR_API(ret) AR_EXTERN_C __attribute__((visibility("default"))) ret AR_CC
#endif
#define AR_SINCE(release) __attribute__((deprecated(#release)))
typedef struct ar_item { int a; } ar_item;
AR_API(const ar_item *) ar_find(int a) AR_NOEXCEPT;
AR_API(int) ar_count(void);
AR_EXTERN_C int AR_CC ar_hidden(void);
#endif
"""


def test_a_macro_around_the_types_that_functions_return_stays_there(abigen: Program, write: Write) -> None:
    require("gcc")
    write("ar.h", AROUND)
    result = abigen("import", "ar.h", "--abi", "x86_64-linux-gnu")
    lost = "is in its declaration, and states the calling convention in C++ or on some systems"
    assert result.output.splitlines() == [
        "wrote spec/ar.yaml",
        f"ar.h:19:25: not in the spec as it is: function ar_find: AR_NOEXCEPT {lost}",
        f"ar.h:21:23: not in the spec as it is: function ar_hidden: AR_CC {lost}",
    ]
    assert abigen("build", "--target", "c").code == 0
    rebuilt = (abigen.directory / "generated/c/ar.h").read_text()
    assert "\nAR_API(const ar_item*) ar_find(int a);\n" in rebuilt
    assert "\nAR_API(int) ar_count(void);\n" in rebuilt
    assert "\nint ar_hidden(void);\n" in rebuilt
    assert abigen("diff", "ar.h", "generated/c/ar.h", "--abi", "x86_64-linux-gnu").code == 0


def test_a_header_whose_name_begins_with_a_digit_gets_a_name_that_a_spec_may_have(
    abigen: Program, write: Write
) -> None:
    write("3d.h", "#pragma once\nint f(int a);\n")
    result = abigen("import", "3d.h")
    assert result.code in (0, 1), result.remarks
    assert "spec/api_3d.yaml" in result.output


def test_macros_that_say_how_callbacks_and_members_are_called_are_listed(abigen: Program, write: Write) -> None:
    conditions = "#ifdef _WIN32\n#define PC_CALL __stdcall\n#else\n#define PC_CALL\n#endif\n"
    write("types.h", f"#pragma once\n{conditions}typedef int pc_id;\n")
    members = "".join(f"  int (PC_CALL *{name})(pc_id id);\n" for name in ("open", "read", "tell", "close"))
    declared = f"typedef void (PC_CALL *pc_done)(pc_id id);\ntypedef struct pc_file {{\n{members}}} pc_file;\n"
    write("pc.h", f'#pragma once\n#include "types.h"\n{declared}int PC_CALL pc_start(pc_done done);\n')
    result = abigen("import", "pc.h")
    lost = "PC_CALL is in its declaration, and states the calling convention in C++ or on some systems"
    names = "pc_file.open, pc_file.read, pc_file.tell, pc_file.close"
    assert result.code == 1
    assert result.output.splitlines()[2:] == [
        f"pc.h:3:24: not in the spec as it is: callback pc_done: {lost}",
        f"pc.h:5:17: not in the spec as they are: 4 times member ({names}): {lost}",
        f"pc.h:10:13: not in the spec as it is: function pc_start: {lost}",
    ]


def test_conditions_that_hold_nowhere_are_counted_where_they_are_the_same(abigen: Program, write: Write) -> None:
    hidden = "".join(f"#if CN_VERSION >= 9\nint cn_later_{each}(void);\n#endif\n" for each in range(4))
    write("cn.h", f"#pragma once\n#ifndef CN_VERSION\n#define CN_VERSION 8\n#endif\nint cn_now(void);\n{hidden}")
    result = abigen("import", "cn.h")
    said = "not in the spec as they are: 4 times text below #if CN_VERSION >= 9: no target reads it;"
    assert said in result.output


@pytest.mark.ci
def test_constants_that_have_another_value_on_each_system_keep_their_text(abigen: Program, write: Write) -> None:
    constants = "#define KV_AUTO SIZE_MAX\n#define KV_LONG (LONG_MAX)\n#define KV_NONE UINT32_MAX\n"
    includes = "#include <limits.h>\n#include <stdint.h>\n"
    header = write("kv.h", f"#pragma once\n{includes}{constants}void kv_use(uint32_t a);\n")
    result = abigen("import", "kv.h")
    assert (result.output, result.code) == ("wrote spec/kv.yaml\n", 0), result.remarks
    document = yaml.safe_load((abigen.directory / "spec/kv.yaml").read_text())
    assert {each["name"]: each["value"] for each in document["constants"]} == {
        "KV_AUTO": "SIZE_MAX",
        "KV_LONG": "(LONG_MAX)",
        "KV_NONE": "4294967295U",
    }
    assert abigen("build", "--target", "c").code == 0
    for target in ("i686-linux-gnu", "x86_64-linux-gnu", "x86_64-windows-msvc"):
        for made in ("spec/kv.yaml", "generated/c/kv.h"):
            assert abigen("diff", str(header), made, "--abi", target, "--all").code == 0


EXPORTS = {
    "an operator of one compiler decides": """\
#ifndef __has_declspec_attribute
#define __has_declspec_attribute(x) 0
#endif
#ifdef EX_STATIC
#define EX_API
#elif defined(_WIN32) || (__has_declspec_attribute(dllexport) && __has_declspec_attribute(dllimport))
#ifdef EX_BUILDS
#define EX_API __declspec(dllexport)
#else
#define EX_API __declspec(dllimport)
#endif
#elif defined(EX_BUILDS)
#define EX_API __attribute__((visibility("default")))
#else
#define EX_API
#endif
EX_API int ex_make(int size);
""",
    "the macro is undefined at the end": """\
#if (defined _WIN32 || defined __CYGWIN__) && !defined EX_STATIC
#ifdef __GNUC__
#define EX_API
#else
#define EX_API __declspec(dllimport)
#endif
#else
#define EX_API __attribute__((visibility("default")))
#endif
EX_API int ex_make(int size);
#undef EX_API
""",
    "several conditions define it one after the other": """\
#if !defined(EX_STATIC) && !defined(EX_IMPORT)
#ifndef EX_BUILDS
#if defined(_MSC_EXTENSIONS) && !defined(__CYGWIN__)
#define EX_IMPORT __declspec(dllimport)
#endif
#endif
#endif
#ifndef EX_VISIBLE
#define EX_VISIBLE 0
#endif
#if !defined(EX_IMPORT) && EX_VISIBLE
#define EX_IMPORT __attribute__((visibility("default")))
#endif
#ifndef EX_IMPORT
#define EX_IMPORT
#endif
#if defined(__GNUC__)
#define EX_MALLOC __attribute__((__malloc__))
#define EX_SIZED(x) __attribute__((__alloc_size__(x)))
#else
#define EX_MALLOC
#define EX_SIZED(x)
#endif
#define EX_CALL
#define EX_API(type) EX_IMPORT type EX_CALL
EX_API(void *) EX_MALLOC EX_SIZED(1) ex_make(int size);
EX_API(void) ex_free(void *made);
""",
}


@pytest.mark.ci
@pytest.mark.parametrize("kind", EXPORTS)
def test_functions_stay_exported_where_the_header_exports_them(kind: str, abigen: Program, write: Write) -> None:
    write("ex.h", f"#ifndef EX_H\n#define EX_H\n{EXPORTS[kind]}#endif\n")
    result = abigen("import", "ex.h")
    assert "not the same" not in result.output
    assert abigen("diff", "ex.h", "spec/ex.yaml").code == 0
    assert abigen("build").code == 0
    assert abigen("diff", "ex.h", "generated/c/ex.h").code == 0


def test_conditions_that_define_a_macro_one_after_the_other_are_its_cases() -> None:
    text = (
        "#if !defined(X) && A\n#define X 1\n#endif\n#if !defined(X) && B\n#define X 2\n#endif\n"
        "#ifndef X\n#define X 3\n#endif\n"
    )
    found = conditional_macros([text])["X"]
    assert found.cases == (("A", "1"), ("B", "2"), ("", "3"))
    assert found.guarded


def test_targets_for_which_the_header_of_the_spec_cannot_be_read_are_one_line_each(
    abigen: Program, write: Write
) -> None:
    write(
        "os.h",
        "#ifndef OS_H\n#define OS_H\n#ifdef _WIN32\ntypedef void *os_thread;\ntypedef short os_number;\n#else\n"
        "#include <pthread.h>\ntypedef pthread_t os_thread;\ntypedef int os_number;\n#endif\n"
        "typedef struct os_pair { os_thread a; os_number b, c; } os_pair;\n#endif\n",
    )
    result = abigen("import", "os.h")
    lines = [line for line in result.output.splitlines() if "not the same" in line]
    assert (result.code, len(lines)) == (1, 1)
    assert "the header of the spec cannot be read for x86_64-windows-msvc: 'pthread.h' not found" in lines[0]
