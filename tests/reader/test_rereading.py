"""An edited header is read as if nobody had read it before, though much of what was read is taken over."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from abigen.model.api import Api, ApiSet
from abigen.model.span import AbigenError
from abigen.read.c.reader import read_headers
from abigen.read.c.rereading.confirmation import is_confirmed
from abigen.read.c.rereading.plan import plan
from abigen.read.c.rereading.reread import reread_headers
from abigen.read.options import ReadOptions, SourceFile
from tests.benchmarks.headers import header
from tests.reader.headers import ACCEPTED

TARGETS = ("x86_64-linux-gnu", "x86_64-apple-darwin", "i686-w64-mingw32")
ROOT = Path(__file__).resolve().parents[2]
KINDS = ("structs", "enums", "typedefs", "functions", "variables", "constants", "macros", "size_constants")

BASE = """\
#ifndef API_H_
#define API_H_
#include <stddef.h>
#include <stdint.h>

#define LENGTH 4
#define NUMBER int32_t
#define HANDLE struct hidden*
#define CHECKED _Static_assert(sizeof(Inner) == 8, "");
#define END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

typedef int Int;
typedef enum Color { RED, GREEN = 5, BLUE } Color;

typedef struct Inner {
  int a;
  Int b;  // the other one
} Inner;

// Holds all kinds of things.
typedef struct Holder {
  size_t struct_size;
  Inner inner;
  NUMBER number;
  char name[LENGTH];  // Optional.
  Color color;
  Int (*call)(Int a, Inner* inner);
} Holder;
#define HOLDER_SIZE END(Holder, call)

union Either {
  int x;
  float y;
};

#if LENGTH > 3
struct Bits {
  Int one;
  unsigned two : 3;
  unsigned three : 5;
};
#endif

typedef struct Opaque Opaque;

struct Later {
  Opaque* opaque;
  Inner* inner;
  uint16_t only_here;
};
#define LATER_SIZE END(struct Later, only_here)

struct Hidden {
  HANDLE first;
};

struct Asserting {
  Int one;
  CHECKED
};

void use(Holder* holder, struct Later* later);
#endif
"""

ALL = {"Inner", "Holder", "Either", "Bits", "Later"}
"""The structs that are plain enough."""


def _options(*folders: Path) -> ReadOptions:
    return ReadOptions(targets=TARGETS, cache=False, include_dirs=tuple(map(str, folders)))


def _source(text: str, folder: Path) -> SourceFile:
    return SourceFile("api.h", str(folder / "api.h"), text)


def _read(text: str, options: ReadOptions, folder: Path) -> ApiSet | list[str]:
    """What a text is read as, or what is wrong with it."""
    try:
        return read_headers([_source(text, folder)], options)
    except AbigenError as error:
        return list(map(str, error.diagnostics))


def _described(read: ApiSet | list[str]) -> object:
    """Everything that was read, places included; the order of what system headers declare does not matter."""
    if isinstance(read, list):
        return read
    return [(group.targets, _described_api(group.api)) for group in read.groups], read.sources, read.dependencies


def _described_api(api: Api) -> object:
    tables = [getattr(api, kind) for kind in KINDS]
    own = [[key for key, each in table.items() if each.in_api] for table in tables]
    rest = repr((api.name, api.doc, api.files, api.warnings, api.version, api.conventions))
    return own, [sorted(map(repr, table.items())) for table in tables], rest


def _assert_the_same(old: str, new: str, options: ReadOptions, folder: Path) -> ApiSet | None:
    """Read a text, then another one again; that has to give what it gives when it is read for the first time."""
    previous = _read(old, options, folder)
    if isinstance(previous, list):
        return None
    again: ApiSet | list[str]
    try:
        again = reread_headers(previous, [_source(new, folder)], options)
    except AbigenError as error:
        again = list(map(str, error.diagnostics))
    assert _described(again) == _described(_read(new, options, folder))
    return previous


def _replaced(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


EDITS: dict[str, tuple[Callable[[str], str], set[str]]] = {
    "nothing": (lambda text: text, ALL),
    "a member more": (_replaced("  Color color;\n", "  Color color;\n  Int more;\n"), ALL - {"Holder"}),
    "another comment in a body": (_replaced("the other one", "another one"), ALL - {"Inner", "Holder"}),
    "another comment before a struct": (_replaced("all kinds of", "some"), ALL),
    "lines above all": (_replaced("#include <stddef.h>", "\n\n// Copyright\n\n#include <stddef.h>"), ALL),
    "a struct more": (_replaced("union Either", "struct More {\n  int a;\n};\n\nunion Either"), ALL),
    "a function more": (_replaced("void use", "Int ask(Holder* holder);\nvoid use"), ALL),
    "a value that nothing depends on": (_replaced("GREEN = 5", "GREEN = 6"), ALL),
    "the length of an array": (_replaced("LENGTH 4", "LENGTH 5"), set()),
    "a macro that is a type": (_replaced("NUMBER int32_t", "NUMBER int64_t"), ALL - {"Holder"}),
    "a macro by which sizes are told": (_replaced("sizeof(((T*)0)->m))", "sizeof(((T*)0)->m) + 0)"), ALL),
    "what is held by value": (_replaced("  int a;\n  Int b;", "  Int b;\n  int a;"), ALL - {"Inner", "Holder"}),
    "the name of a struct": (_replaced("struct Later {", "struct Late {"), ALL - {"Later"}),
    "a macro defined later": (
        lambda text: _replaced("union Either", "#define NUMBER int32_t\nunion Either")(
            _replaced("#define NUMBER int32_t\n", "typedef int32_t NUMBER;\n")(text)
        ),
        ALL - {"Holder"},
    ),
    "another condition": (_replaced("LENGTH > 3", "LENGTH > 2"), set()),
    "an include more": (_replaced("<stdint.h>", "<stdint.h>\n#include <stdbool.h>"), set()),
    "packed from here": (_replaced("union Either", "#pragma pack(1)\nunion Either"), set()),
    "code behind the brace": (
        _replaced("struct Inner {\n  int a;", "struct Inner { int a;"),
        ALL - {"Inner", "Holder"},
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_structs_that_an_edit_does_not_touch_are_taken_over(name: str, tmp_path: Path) -> None:
    edit, kept = EDITS[name]
    options, text = _options(), edit(BASE)
    previous = _assert_the_same(BASE, text, options, tmp_path)
    assert previous is not None
    proposed = plan(previous, [_source(text, tmp_path)])
    assert {each.struct.name for each in proposed.reused if each.struct.in_api} == kept if proposed else not kept
    if proposed is not None:
        read = read_headers(proposed.sources, options, proposed.known)
        assert is_confirmed(proposed, previous, read)


REFUSED: dict[str, Callable[[str], str]] = {
    "a typedef is another type": _replaced("typedef int Int;", "typedef long Int;"),
    "a typedef comes too late": lambda text: text.replace("typedef int Int;\n", "").replace(
        "union Either", "typedef int Int;\nunion Either"
    ),
    "a struct that is pointed to is defined now": _replaced(
        "typedef struct Opaque Opaque;", "typedef struct Opaque {\n  int a;\n} Opaque;"
    ),
    "an enumeration has become a number": _replaced(
        "typedef enum Color { RED, GREEN = 5, BLUE } Color;", "typedef int Color;"
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_turns_out_to_mean_something_else_is_read_again(name: str, tmp_path: Path) -> None:
    text = REFUSED[name](BASE)
    previous = _assert_the_same(BASE, text, _options(), tmp_path)
    assert previous is not None
    proposed = plan(previous, [_source(text, tmp_path)])
    assert proposed is not None
    try:
        read = read_headers(proposed.sources, _options(), proposed.known)
    except AbigenError:
        return
    assert not is_confirmed(proposed, previous, read)


def test_a_file_that_is_included_and_has_changed_makes_all_be_read_again(tmp_path: Path) -> None:
    for length in (3, 5):
        (tmp_path / "length.h").write_text(f"#define LENGTH {length}\n")
        (tmp_path / "api.h").write_text(
            f'#include "length.h"\nstruct S {{\n  char name[LENGTH];\n}};\nint edited_{length};\n'
        )
        printed = _layout(tmp_path, "api.h")
        assert f"char name[{length}]" in printed


def test_a_mistake_in_an_edited_header_is_told_at_its_place(tmp_path: Path) -> None:
    (tmp_path / "api.h").write_text(BASE)
    _layout(tmp_path, "api.h")
    (tmp_path / "api.h").write_text(BASE.replace("void use(Holder*", "void use(Unheard*"))
    line = BASE[: BASE.index("void use")].count("\n") + 1
    assert f"api.h:{line}:10: error:" in _layout(tmp_path, "api.h")


def _layout(folder: Path, *arguments: str) -> str:
    """What `abigen layout` prints, with a cache in the folder."""
    environment = os.environ | {"ABIGEN_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "abigen", "layout", *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return ended.stdout + ended.stderr


WORDS = (
    *("int", "Int", "LENGTH", "NUMBER", "Inner", "uint16_t", "*", "const", "RED", "7", "struct", "Opaque", "[LENGTH]"),
    *("/*x*/", "// y", "{", "}", ";", "#if 0", "#else", "#endif", "#define LENGTH 5", "#define NUMBER long"),
    *("#undef LENGTH", "typedef", "#pragma pack(1)", "#include <stdbool.h>", "Color", "[]", "\\", "HANDLE", "CHECKED"),
)


def _edited(text: str, chance: Random) -> str:
    """A text with one line that was added, removed, moved or changed."""
    lines = text.split("\n")
    here, there = chance.randrange(len(lines)), chance.randrange(len(lines))
    new = chance.randrange(99)
    match chance.randrange(10):
        case 0:
            del lines[here]
        case 1:
            lines.insert(here, lines[there])
        case 2:
            lines[here], lines[there] = lines[there], lines[here]
        case 3:
            lines.insert(here, chance.choice(WORDS))
        case 4:
            words = lines[here].split(" ")
            words[chance.randrange(len(words))] = chance.choice(WORDS)
            lines[here] = " ".join(words)
        case 5:
            first, last = sorted((here, min(there, here + 12)))
            block = lines[first:last]
            del lines[first:last]
            place = chance.randrange(len(lines) + 1)
            lines[place:place] = block
        case 6:
            lines[here:here] = [""] * chance.randrange(1, 4)
        case 7:
            lines.insert(here, f"typedef struct New{new} {{\n  int a;\n}} New{new};")
        case 8:
            lines.insert(here, f"  int extra{new};")
        case _:
            lines[here] = re.sub(r"\d+", lambda number: str(int(number[0]) + 1), lines[here], count=1)
    return "\n".join(lines)


def _texts() -> list[tuple[str, list[Path]]]:
    """Headers to edit, with where they find what they include."""
    shipped = ROOT / "generated" / "tensorflow" / "c"
    executor = shipped / "tensorflow" / "c" / "experimental" / "stream_executor" / "stream_executor.h"
    long = [text for text in ACCEPTED.values() if len(text) > 400 and "{\n" in text]
    return [
        (BASE, []),
        (BASE, []),
        (header(8, 4), []),
        (executor.read_text(), [shipped]),
        *((text, []) for text in long),
    ]


def _try(seed: int, rounds: int, folder: Path) -> int:
    """Edit headers by chance and read them again.

    Returns:
        How many of them could be read before the edit.
    """
    chance, texts, done = Random(seed), _texts(), 0
    for _ in range(rounds):
        text, folders = chance.choice(texts)
        for _ in range(chance.choice((0, 0, 1, 2))):
            text = _edited(text, chance)
        edited = text
        for _ in range(chance.choice((1, 1, 2, 4))):
            edited = _edited(edited, chance)
        done += _assert_the_same(text, edited, _options(*folders), folder) is not None
    return done


@pytest.mark.parametrize("seed", range(4))
def test_whatever_the_edit_it_is_read_as_for_the_first_time(seed: int, tmp_path: Path) -> None:
    assert _try(seed, 30, tmp_path) > 10


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_whatever_the_edits_they_are_read_as_for_the_first_time(seed: int, tmp_path: Path) -> None:
    assert _try(seed, 100, tmp_path) > 30
