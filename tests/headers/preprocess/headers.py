"""Small headers that hold what real ones hold and preprocessors stumble over. Bytes, because line ends count."""

from __future__ import annotations

TRAPS: dict[str, bytes] = {
    "carriage returns": (
        b"#ifndef A\r\n#define A\r\nint a; \\\r\nint b;\r\n#define M(x) \\\r\n  x\r\nM(int c;)\r\n#endif\r\n"
    ),
    "byte order mark": b"\xef\xbb\xbf#ifndef A\n#define A\nint a;\n#endif",
    "latin-1": b'/* caf\xe9 */ int a; // \xfc\n#define S "x"\nconst char *s = S;\n',
    "no final newline": b"int a;\n#define X 1",
    "comment at the end": b"int a; // c",
    "empty": b"",
    "only a comment": b"/* x */",
    "apostrophe in skipped text": b"#if 0\ndon't do /* this\n*/ \"x\n#endif\nint a;\n",
    "directives in comments": b"/*\n#define X 1\n*/\n// \\\n#define Y 2\nint x = X + Y;\n",
    "directive in a string": b'char *s = "\\\n#define Q 4";\nint q = Q;\n',
    "nested conditionals": (
        b"#if 1\n#if 0\nA\n#elif 1\nB\n#else\nC\n#endif\n#elif nonsense (\nD\n#else\nE\n#endif\n"
        b'#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n'
    ),
    "comments in directives": b"/* a */ # /* b */ define /* c */ X /* d */ 1 /* e\nf */ + 2 // g\nint x = X;\n",
    "directives without a name": b"#\n# \n#/*x*/\nint a;\n",
    "line directives": b'# 12 "foo.h"\nint a;\n#line 30\nint b;\n',
    "digraphs": b"%:define X 1\nint a<:X:> = <%X%>;\n%:ifdef X\nint b;\n%:endif\n",
    "pragmas": (
        b"#pragma pack(push, 4)\nstruct S { int a; };\n#pragma pack(pop)\n"
        b'_Pragma("pack(2)") int b;\n#define P(x) _Pragma(#x) int z;\nP(pack(8))\n#pragma something else\n'
    ),
    "questions about headers": (
        b'#if __has_include(<stdio.h>) && !__has_include("nope.h")\nint a;\n#endif\n'
        b"#ifdef __has_include\nint b;\n#endif\n#define H <stdint.h>\n#if __has_include(H)\nint c;\n#endif\n"
    ),
    "questions about attributes": (
        b"#ifdef __has_attribute\n#if __has_attribute(__packed__)\nint a;\n#endif\n"
        b"#if __has_attribute(nonsense)\nint b;\n#endif\n#endif\n"
        b"#ifdef __has_builtin\n#if __has_builtin(__builtin_expect)\nint c;\n#endif\n#endif\n"
    ),
    "defined in a macro": b"#define FOO\n#define HAS defined(FOO) && !defined BAR\n#if HAS\nint a;\n#endif\n",
    "include by macro": b'#define HEADER <stddef.h>\n#include HEADER\n#define Q "sub.h"\n#include Q\nsize_t x;\n',
    "joined lines": (
        b"int lo\\\nng_name;\nint x\\\n\\\n;\n/\\\n* comment *\\\n/ int y; /\\\n/ c\nint z; // one \\\n two\nint w;\n"
    ),
    "form feeds": b"\x0c#define X 1\n\x0bint a = X;\n",
    "tabs": b"\tint\ta;\t/* x */\tint\tb;\n",
    "numbers": b"1.e+5 0x1p-3 .5 1..2 0x1e+1 a1.2 1_000 100ull\n",
    "characters in conditions": (
        b"#if 'a' == 97 && '\\n' == 10 && '\\x41' == 65 && '\\0' == 0 && L'a' == 97 && 'ab' == 24930 && '\\377' < 0\n"
        b"int ok;\n#endif\n"
    ),
    "arithmetic in conditions": (
        b"#if 0xFFFFFFFFFFFFFFFF == -1 && 1u > -1 == 0 && (2 || 1/0) && -1 >> 1 == -1 && 5 % 3 == 2 && -5 / 2 == -2\n"
        b"int a;\n#endif\n"
        b"#if (1 ? 2 : 0u) == 2 && -5 % 3 == -2 && ~0 == -1 && !0 && 1 << 3 == 8 && 0b11 == 3 && 010 == 8\n"
        b"int b;\n#endif\n#if (0 ? 1 : -1u) > 0 && (-1 < 0u) == 0 && (1, 2) == 2\nint c;\n#endif\n"
    ),
    "defined again the same": b"#define X  1   +  2\n#define X 1 + 2 /* same */\nint a = X;\n",
    "undefined": b"#define X 1\n#undef X // gone\n#ifdef X\nint bad;\n#endif\nint X;\n",
    "include guard": b'#ifndef G_H\n#define G_H\n#include "self.h"\nint a;\n#endif /* G_H */\n',
    "once": b'#pragma once\n#include "self.h"\nint a;\n',
    "text behind endif": b"#if 1 // yes\nint a;\n#else junk\n#endif junk\n",
    "strings with prefixes": b'L"a" u8"b" u\'c\' U"d" L\'e\' R\n',
    "operators": b"a+++b ->* <<= >>= ... .. :: == !=\n",
    "dollar": b"int $x, y$z;\n",
    "extended questions": b"#if 0\n#elifdef X\nA\n#elifndef X\nB\n#endif\n",
}
"""Name to content. A header may include `self.h`, which is itself, and `sub.h`."""

SIZE_MACROS = b"""\
/* Copyright */
#ifndef TOY_H_
#define TOY_H_
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#define TOY_MAJOR 1
#define TOY_MINOR 2

#ifdef SHARED_LIBRARY
#define TOY_EXPORT __attribute__((visibility("default")))
#else
#define TOY_EXPORT
#endif

// Where a member ends.
#define TOY_OFFSET_OF_END(TYPE, MEMBER) \\
  (offsetof(TYPE, MEMBER) + sizeof(((TYPE*)0)->MEMBER))
#define TOY_DEFINE_STRUCT(name, last) \\
  typedef struct name name;           \\
  enum { name##_STRUCT_SIZE = TOY_OFFSET_OF_END(name, last) }

/// A device.
typedef struct Toy_Device {
  size_t struct_size;
  void* ext;        // free for use
  int32_t ordinal;  /* Device index.
                       0 is no-op. */
  bool ready;
} Toy_Device;
#define TOY_DEVICE_STRUCT_SIZE TOY_OFFSET_OF_END(Toy_Device, ready)

struct Toy_Args { size_t struct_size; const char* name; };
TOY_DEFINE_STRUCT(Toy_Args, name);

#ifdef __cplusplus
extern "C" {
#endif
TOY_EXPORT void Toy_Init(Toy_Device* device, /* in */ const Toy_Args* args);
#ifdef __cplusplus
}
#endif
#endif  // TOY_H_
"""
"""A header of the kind that abigen is for."""
