"""Mistakes and malice: how a seed becomes an input."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random

Words = list[str]

_WORD = re.compile(r'\w+|"[^"\n]*"|\n|[^\S\n]+|//[^\n]*|/\*.*?\*/|[^\w\s]', re.DOTALL)
_NUMBERS = (
    "0", "1", "-1", "2", "7", "8", "31", "32", "33", "63", "64", "65", "255", "256", "65536", "0x7fffffff",
    "2147483648", "0xffffffffu", "4294967296", "9223372036854775807", "18446744073709551615u", "18446744073709551616",
    "1e9", "010", "08", "0b101", "1'000", "0x", "1.5f", "'a'", "(1 << 31)", "(1 << 64)", "(1 / 0)", "(-1 % 0)",
    "sizeof(int)", "sizeof(void)", "(~0ull)", "-9223372036854775808", "L'x'", "'abcd'", "99999999999999999999999999",
)  # fmt: skip
_TYPES = (
    "int", "char", "unsigned", "signed char", "long", "long long", "short", "float", "double", "long double", "void",
    "_Bool", "size_t", "int32_t", "uint64_t", "const char*", "void*", "_Complex double", "__int128", "struct S",
    "enum E", "union U", "_Atomic int", "wchar_t", "va_list", "bool", "int (*)(void)", "typeof(int)",
)  # fmt: skip
_LINES = (
    "  int extra;", "  void* ext;", "  size_t struct_size;", "  unsigned flag : 3;", "  int : 0;", "  int tail[];",
    "  int big[1073741824];", "  int many[0x7fffffffffffffff];", "  int none[0];", "  struct { int inner; };",
    "  union { int a; double b; } choice;", "  void (*callback)(int a, ...);", "  char name[16];  // Deprecated.",
    "  int reserved[4];", "  struct Self* self;", "#pragma pack(push, 1)", "#pragma pack(pop)", "#pragma pack(3)",
    "#if 0", "#if 1", "#else", "#elif defined(X)", "#endif", "#define X X X", "#define Y(a) a##a", "#undef NULL",
    "#error no", "#include <stddef.h>", '#include "old.h"', '#include "new.h"', "#include <nothing.h>",
    '#line 7 "other.h"', 'extern "C" {', "}", "};", '_Static_assert(sizeof(int) == 4, "");',
    '_Static_assert(0, "no");', "int f(void);", "typedef int T;", "typedef struct S S;", "struct S { int a; };",
    "enum E { A, B = 7, C };", "enum E { A_MAX };", "#define TOY_STRUCT_SIZE sizeof(struct S)", "#define API_MAJOR 1",
    "#define API_MINOR -1", "#define API_PATCH 99999999999",
    "enum { S_STRUCT_SIZE = offsetof(struct S, a) + sizeof(((struct S*)0)->a) };",
    "static inline int g(void) { return 1; }", "__attribute__((packed))", "_Alignas(16)", "_Alignas(3)",
    "__declspec(dllexport)", "extern int v;", "const int k = 3;", "// Use nothing. Replaces nothing. Since 9.9.9.",
    "/* Optional. NULL is no-op. */", "    since: 1.0.0", "    deprecated: {since: 9.0.0}",
    "[rules]", "[[exceptions]]", 'rule = "*"', 'reason = ""', "expires = 0001-01-01", "policy = 3", "targets = [1]",
    'cc = "/bin/sh"', 'includes = ["/"]', "[conventions.filled-by]", "rules.x.y = 1",
    "  - {name: extra, type: int}", "  - name: other", '    type: "void (*)(int)"', "uses: [nothing]", "abigen: 2",
)  # fmt: skip
_NASTY = (
    "{", "}", "(", ")", "[", "]", "<", ">", ";", ",", ":", "?", "*", "&", "=", ".", "...", "#", "##", "@", "`", "$",
    "\\", '"', "'", "/*", "*/", "//", "\\\n", "??/", "\r", "\r\n", "\t", "\x0b", "\x0c", "\x00", "\x1b[31m", "\ufeff",
    "\u202e", "\u2028", "\ud800", "\xe9", "\xe9", "\U0001f600", "__attribute__((", "))", "__attribute__", "[[", "]]",
    "::", 'asm("x")', "%s", "%n", "{{", "}}", "{%", "</script>", "<!--", "]]>", "|", "\x7f", "_Generic(", "offsetof(",
    "defined", "__VA_OPT__(", "__COUNTER__", "__FILE__", "&a", "*a", "<<", "!!python/object:os.system",
    "1979-05-27T07:32:00Z", "inf",
    "- ", "? ",
    "~", "null", "a" * 5000,
)  # fmt: skip


def mutated(text: str, other: str, random: Random) -> bytes:
    """Return an input made of a seed: mostly a header as people might write it, now and then something else.

    Args:
        text: the seed.
        other: another seed, which parts are taken from.
        random: decides.
    """
    words, others = _WORD.findall(text), _WORD.findall(other)
    actions = _GENTLE if random.random() < 0.7 else _GENTLE + _HARSH
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 6))):
        if not words:
            break
        random.choice(actions)(words, others, random)
    content = "".join(words).encode("utf-8", "surrogatepass")
    return _damaged(content, random) if random.random() < 0.05 else content


def _damaged(content: bytes, random: Random) -> bytes:
    """Return bytes that no editor would leave behind."""
    data = bytearray(content)
    for _ in range(random.choice((1, 3, 20))):
        place = random.randrange(len(data) + 1)
        kind = random.randrange(4)
        if kind == 0:
            data[place : place + 1] = bytes([random.randrange(256)])
        elif kind == 1:
            data[place:place] = random.randbytes(random.randint(1, 20))
        elif kind == 2:
            del data[place : place + random.randint(1, 200)]
        else:
            del data[place:]
    return bytes(data)


def _places(words: Words, wanted: Callable[[str], bool]) -> list[int]:
    return [index for index, word in enumerate(words) if wanted(word)]


def _lines(words: Words) -> list[Words]:
    """Return the lines, each with its line end."""
    lines: list[Words] = [[]]
    for word in words:
        lines[-1].append(word)
        if word == "\n":
            lines.append([])
    return lines if lines[-1] else lines[:-1]


def _joined(lines: Iterable[Words]) -> Words:
    return [word for line in lines for word in line]


def _pick(lines: list[Words], random: Random) -> int:
    """Return a line; directives seldom, because a header without its `#endif` is refused whatever else it holds."""
    for _ in range(20):
        index = random.randrange(len(lines))
        if lines[index][0] not in ("#", "\n"):
            break
    return index


def _insert(lines: list[Words], new: Words, random: Random) -> None:
    """Put a line before one of the same indentation, where it is likelier to mean something."""
    for _ in range(20):
        place = _pick(lines, random)
        if _indentation(lines[place]) == _indentation(new):
            break
    lines.insert(place, new)


def _indentation(line: Words) -> int:
    return len(line[0]) - len(line[0].lstrip(" "))


def _change_number(words: Words, others: Words, random: Random) -> None:
    places = _places(words, str.isdecimal)
    if places:
        words[random.choice(places)] = random.choice(_NUMBERS)


def _change_name(words: Words, others: Words, random: Random) -> None:
    places = _places(words, str.isidentifier)
    if places:
        words[random.choice(places)] = words[random.choice(places)]


def _take_name(words: Words, others: Words, random: Random) -> None:
    places, from_places = _places(words, str.isidentifier), _places(others, str.isidentifier)
    if places and from_places:
        words[random.choice(places)] = others[random.choice(from_places)]


def _change_type(words: Words, others: Words, random: Random) -> None:
    known = {"int", "char", "void", "size_t", "int32_t", "uint64_t", "float", "double", "unsigned", "long", "int64_t"}
    places = _places(words, known.__contains__)
    if places:
        words[random.choice(places)] = random.choice(_TYPES)


def _delete_line(words: Words, others: Words, random: Random) -> None:
    lines = _lines(words)
    del lines[_pick(lines, random)]
    words[:] = _joined(lines)


def _double_line(words: Words, others: Words, random: Random) -> None:
    lines = _lines(words)
    place = _pick(lines, random)
    lines.insert(place, lines[place])
    words[:] = _joined(lines)


def _move_line(words: Words, others: Words, random: Random) -> None:
    lines = _lines(words)
    if len(lines) > 1:
        line = lines.pop(_pick(lines, random))
        _insert(lines, line, random)
        words[:] = _joined(lines)


def _insert_line(words: Words, others: Words, random: Random) -> None:
    lines = _lines(words)
    _insert(lines, [random.choice(_LINES), "\n"], random)
    words[:] = _joined(lines)


def _take_line(words: Words, others: Words, random: Random) -> None:
    if others:
        lines, taken = _lines(words), _lines(others)
        _insert(lines, taken[_pick(taken, random)], random)
        words[:] = _joined(lines)


def _delete_word(words: Words, others: Words, random: Random) -> None:
    del words[random.randrange(len(words))]


def _insert_nasty(words: Words, others: Words, random: Random) -> None:
    words.insert(random.randrange(len(words) + 1), random.choice(_NASTY))


def _replace_with_nasty(words: Words, others: Words, random: Random) -> None:
    words[random.randrange(len(words))] = random.choice(_NASTY)


def _repeat(words: Words, others: Words, random: Random) -> None:
    place = random.randrange(len(words))
    words[place:place] = words[place : place + random.randint(1, 4)] * random.choice((2, 20, 300))


def _delete_range(words: Words, others: Words, random: Random) -> None:
    place = random.randrange(len(words))
    del words[place : place + random.randint(2, 40)]


def _exchange(words: Words, others: Words, random: Random) -> None:
    one, two = random.randrange(len(words)), random.randrange(len(words))
    words[one], words[two] = words[two], words[one]


def _splice(words: Words, others: Words, random: Random) -> None:
    if others:
        words[random.randrange(len(words)) :] = others[random.randrange(len(others)) :]


def _wrap(words: Words, others: Words, random: Random) -> None:
    open_, close = random.choice((("(", ")"), ("{", "}"), ("[", "]"), ("#if 1\n", "\n#endif\n"), ("/*", "*/")))
    count = random.choice((1, 3, 100, 2000))
    place = random.randrange(len(words))
    words[place] = open_ * count + words[place] + close * count


_GENTLE = (
    _change_number, _change_name, _take_name, _change_type, _delete_line, _move_line, _insert_line,
    _take_line,
)  # fmt: skip
_HARSH = (
    _double_line,
    _delete_word,
    _insert_nasty,
    _replace_with_nasty,
    _repeat,
    _delete_range,
    _exchange,
    _splice,
    _wrap,
)
