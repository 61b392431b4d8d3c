"""The targets as a table: what each architecture and each system adds to the base, and which pairs make a target.

Everything that is a fact of a platform stands here, and nothing else does. A target's properties are those of `BASE`,
overlaid with those of its architecture, then of its system, then with its own. Sizes and alignments are in bytes; an
alignment is the one that a member of the type gets in a struct, which on i386 is less than `__alignof__` says.

The properties:

- `pointer`, `short`, ..., `va_list`: (size, alignment). `long` and `pointer` may be absent: then they are `word`.
- `word`: size of pointers and of `long`, unless those say otherwise.
- `size_t`, `ptrdiff_t`, `intptr_t`, `wchar_t`, `wint_t`, `int32_t`, `int64_t`, `intmax_t`: the type behind the name.
- `int_fast8_t`, `int_fast16_t`, `int_fast32_t`: the same, as the platform's C library has it.
- `bitfields`: `sysv` (System V psABI: the alignment of the declared type counts), `aapcs` (unnamed ones count too),
  `ms` (storage units of the declared type), `bits` (only bits count).
- `zero_width_boundary`: for `bits`, what a zero-width bit-field aligns to, in bytes; clang takes its type's alignment
  if that is more.
- `enums`: `gnu` (int, else what fits), `short` (the smallest that fits), `int` (always int).
- `compiler`: whose reading of the ABI document counts where compilers differ: `gcc`, `clang` or `msvc`.
- `biggest_alignment`: what `aligned` without an argument means.
- `suitable_alignment`: what `__BIGGEST_ALIGNMENT__` says, when that is something else.
- `vector_limit`: the largest alignment of a vector.
- `atomic_limit`: the largest size that clang pads and aligns an `_Atomic` type to; GCC has one rule for all targets.
"""

from __future__ import annotations

from typing import Final, TypeAlias

Properties: TypeAlias = dict[str, "str | int | bool | tuple[int, int] | None"]

BASE: Final[Properties] = {
    "endianness": "little",
    "char_signed": True,
    "word": 8,
    "short": (2, 2),
    "int": (4, 4),
    "long long": (8, 8),
    "__int128": (16, 16),
    "float": (4, 4),
    "double": (8, 8),
    "long double": (16, 16),
    "__float128": None,
    "wchar_t": "int",
    "wint_t": "unsigned int",
    "int32_t": "int",
    "bitfields": "sysv",
    "zero_width_boundary": 0,
    "enums": "gnu",
    "compiler": "clang",
    "biggest_alignment": 16,
    "vector_limit": 1 << 20,
    "atomic_limit": 16,
}

_WORD_32: Final[Properties] = {"word": 4, "__int128": None, "size_t": "unsigned int", "ptrdiff_t": "int"}
_POWER: Final[Properties] = {"char_signed": False}

ARCHITECTURES: Final[dict[str, Properties]] = {
    "x86_64": {"va_list": (24, 8), "__float128": (16, 16)},
    "x32": {**_WORD_32, "__int128": (16, 16), "va_list": (16, 4), "__float128": (16, 16)},
    "i686": {
        **_WORD_32,
        "long long": (8, 4),
        "double": (8, 4),
        "long double": (12, 4),
        "__float128": (16, 16),
        "atomic_limit": 8,
    },
    "aarch64": {
        "char_signed": False,
        "bitfields": "aapcs",
        "wchar_t": "unsigned int",
        "va_list": (32, 8),
        "vector_limit": 16,
    },
    "arm": {
        **_WORD_32,
        "char_signed": False,
        "bitfields": "aapcs",
        "wchar_t": "unsigned int",
        "long double": (8, 8),
        "biggest_alignment": 8,
        "vector_limit": 8,
        "atomic_limit": 8,
    },
    "riscv64": {"char_signed": False},
    "riscv32": {**_WORD_32, "char_signed": False},
    "s390x": {
        "endianness": "big",
        "char_signed": False,
        "__int128": (16, 8),
        "long double": (16, 8),
        "va_list": (32, 8),
        "biggest_alignment": 8,
    },
    "s390": {
        **_WORD_32,
        "endianness": "big",
        "char_signed": False,
        "size_t": "unsigned long",
        "long double": (16, 8),
        "va_list": (16, 4),
        "biggest_alignment": 8,
    },
    "powerpc64le": {**_POWER, "__float128": (16, 16)},
    "powerpc64": {**_POWER, "endianness": "big"},
    "powerpc": {**_WORD_32, **_POWER, "endianness": "big", "va_list": (12, 4)},
    "sparc64": {"endianness": "big"},
    "sparc": {
        **_WORD_32,
        "endianness": "big",
        "long double": (16, 8),
        "biggest_alignment": 8,
    },
    "mips64": {"endianness": "big"},
    "mips64el": {},
    "mipsn32": {**_WORD_32, "endianness": "big", "__int128": (16, 16)},
    "mips": {**_WORD_32, "endianness": "big", "long double": (8, 8), "biggest_alignment": 8},
    "mipsel": {**_WORD_32, "long double": (8, 8), "biggest_alignment": 8},
    "m68k": {
        **_WORD_32,
        "endianness": "big",
        "pointer": (4, 2),
        "int": (4, 2),
        "long": (4, 2),
        "long long": (8, 2),
        "float": (4, 2),
        "double": (8, 2),
        "long double": (12, 2),
        "bitfields": "bits",
        "zero_width_boundary": 2,
        "biggest_alignment": 2,
    },
    "avr": {
        **_WORD_32,
        "word": 2,
        "pointer": (2, 1),
        "short": (2, 1),
        "int": (2, 1),
        "long": (4, 1),
        "long long": (8, 1),
        "float": (4, 1),
        "double": (4, 1),
        "long double": (4, 1),
        "wchar_t": "int",
        "wint_t": "int",
        "int32_t": "long",
        "bitfields": "bits",
        "zero_width_boundary": 1,
        "biggest_alignment": 1,
        "compiler": "gcc",
    },
    "msp430": {
        **_WORD_32,
        "word": 2,
        "int": (2, 2),
        "long": (4, 2),
        "long long": (8, 2),
        "float": (4, 2),
        "double": (8, 2),
        "long double": (8, 2),
        "int32_t": "long",
        "wint_t": "int",
        "suitable_alignment": 2,
        "atomic_limit": 0,
    },
    "wasm32": {
        **_WORD_32,
        "size_t": "unsigned long",
        "ptrdiff_t": "long",
        "__int128": (16, 16),
        "__float128": (16, 16),
        "atomic_limit": 8,
    },
    "wasm64": {"__float128": (16, 16), "atomic_limit": 8},
    "hexagon": {
        **_WORD_32,
        "char_signed": False,
        "long double": (8, 8),
        "enums": "short",
        "suitable_alignment": 8,
        "atomic_limit": 8,
    },
    "bpfel": {"long double": (8, 8), "suitable_alignment": 8},
    "nvptx64": {"long double": (8, 8), "suitable_alignment": 8, "atomic_limit": 0},
}

_APPLE: Final[Properties] = {
    "int64_t": "long long",
    "intmax_t": "long long",
    "intptr_t": "long",
    "wint_t": "int",
    "size_t": "unsigned long",
    "int_fast16_t": "short",
    "int_fast32_t": "int",
}
_WINDOWS: Final[Properties] = {
    "long": (4, 4),
    "wchar_t": "unsigned short",
    "wint_t": "unsigned short",
    "int64_t": "long long",
    "bitfields": "ms",
    "int_fast32_t": "int",
    "long long": (8, 8),
    "double": (8, 8),
}
_BARE: Final[Properties] = {"wint_t": "int", "int_fast16_t": "int", "int_fast32_t": "int"}

SYSTEMS: Final[dict[str, Properties]] = {
    "linux": {"compiler": "gcc"},
    "android": {"int64_t": "long", "int_fast16_t": "long", "int_fast32_t": "long"},
    "darwin": _APPLE,
    "ios": _APPLE,
    "watchos": _APPLE,
    "windows-msvc": {
        **_WINDOWS,
        "long double": (8, 8),
        "__float128": None,
        "enums": "int",
        "compiler": "msvc",
        "int_fast16_t": "int",
    },
    "windows-gnu": {**_WINDOWS, "compiler": "gcc", "int_fast16_t": "short"},
    "freebsd": {"wint_t": "int", "int_fast16_t": "int", "int_fast32_t": "int"},
    "wasi": {"int64_t": "long long", "wint_t": "int", **_BARE},
    "emscripten": {"int64_t": "long long", "wint_t": "int", "long double": (16, 8), **_BARE},
    "none": _BARE,
}

_WINDOWS_64: Final[Properties] = {
    "size_t": "unsigned long long",
    "ptrdiff_t": "long long",
    "va_list": (8, 8),
    "int64_t": "long long",
}
_SHORT_POINTER: Final[Properties] = {"va_list": (8, 8), "char_signed": True, "bitfields": "sysv", "wchar_t": "int"}

TARGETS: Final[dict[str, tuple[str, str, Properties]]] = {
    "x86_64-linux-gnu": ("x86_64", "linux", {}),
    "i686-linux-gnu": ("i686", "linux", {"wchar_t": "long"}),
    "x86_64-linux-gnux32": ("x32", "linux", {"wchar_t": "long"}),
    "aarch64-linux-gnu": ("aarch64", "linux", {}),
    "aarch64_be-linux-gnu": ("aarch64", "linux", {"endianness": "big"}),
    "armv7-linux-gnueabihf": ("arm", "linux", {}),
    "arm-linux-gnueabi": ("arm", "linux", {}),
    "riscv64-linux-gnu": ("riscv64", "linux", {}),
    "riscv32-linux-gnu": ("riscv32", "linux", {}),
    "s390x-linux-gnu": ("s390x", "linux", {}),
    "s390-linux-gnu": ("s390", "linux", {}),
    "powerpc64le-linux-gnu": ("powerpc64le", "linux", {}),
    "powerpc64-linux-gnu": ("powerpc64", "linux", {}),
    "powerpc-linux-gnu": ("powerpc", "linux", {"wchar_t": "long"}),
    "sparc64-linux-gnu": ("sparc64", "linux", {}),
    "sparc-linux-gnu": ("sparc", "linux", {}),
    "mips64-linux-gnuabi64": ("mips64", "linux", {}),
    "mips64el-linux-gnuabi64": ("mips64el", "linux", {}),
    "mips64-linux-gnuabin32": ("mipsn32", "linux", {}),
    "mips-linux-gnu": ("mips", "linux", {}),
    "mipsel-linux-gnu": ("mipsel", "linux", {}),
    "m68k-linux-gnu": ("m68k", "linux", {"wchar_t": "long"}),
    "x86_64-linux-musl": ("x86_64", "linux", {"int_fast16_t": "int", "int_fast32_t": "int"}),
    "aarch64-linux-musl": ("aarch64", "linux", {"int_fast16_t": "int", "int_fast32_t": "int"}),
    "aarch64-linux-android": ("aarch64", "android", {}),
    "i686-linux-android": ("i686", "android", {"long double": (8, 4), "suitable_alignment": 4, "int64_t": "long long"}),
    "x86_64-apple-darwin": ("x86_64", "darwin", {"__float128": None, "intmax_t": "long", "vector_limit": 16}),
    "aarch64-apple-darwin": (
        "aarch64",
        "darwin",
        {**_SHORT_POINTER, "long double": (8, 8), "intmax_t": "long", "suitable_alignment": 8},
    ),
    "i386-apple-darwin": ("i686", "darwin", {"long double": (16, 16), "__float128": None, "vector_limit": 16}),
    "armv7-apple-ios": (
        "arm",
        "ios",
        {
            "char_signed": True,
            "wchar_t": "int",
            "bitfields": "bits",
            "zero_width_boundary": 4,
            "long long": (8, 4),
            "double": (8, 4),
            "long double": (8, 4),
            "biggest_alignment": 16,
            "suitable_alignment": 4,
            "vector_limit": 1 << 20,
        },
    ),
    "armv7k-apple-watchos": (
        "arm",
        "watchos",
        {
            "char_signed": True,
            "wchar_t": "int",
            "ptrdiff_t": "long",
            "bitfields": "bits",
            "zero_width_boundary": 4,
            "vector_limit": 1 << 20,
            "biggest_alignment": 16,
            "suitable_alignment": 8,
        },
    ),
    "arm64_32-apple-watchos": (
        "aarch64",
        "watchos",
        {
            **_SHORT_POINTER,
            "word": 4,
            "ptrdiff_t": "long",
            "va_list": (4, 4),
            "long double": (8, 8),
            "bitfields": "bits",
            "zero_width_boundary": 4,
            "suitable_alignment": 8,
        },
    ),
    "x86_64-windows-msvc": ("x86_64", "windows-msvc", _WINDOWS_64),
    "i686-windows-msvc": ("i686", "windows-msvc", {}),
    "aarch64-windows-msvc": ("aarch64", "windows-msvc", {**_WINDOWS_64, "char_signed": True}),
    "x86_64-windows-gnu": ("x86_64", "windows-gnu", _WINDOWS_64),
    "i686-windows-gnu": ("i686", "windows-gnu", {}),
    "x86_64-unknown-freebsd": ("x86_64", "freebsd", {"__float128": None}),
    "i386-unknown-freebsd": ("i686", "freebsd", {"__float128": None}),
    "wasm32-wasi": ("wasm32", "wasi", {}),
    "wasm32-unknown-unknown": ("wasm32", "none", {"int64_t": "long long"}),
    "wasm32-unknown-emscripten": ("wasm32", "emscripten", {}),
    "wasm64-unknown-unknown": ("wasm64", "none", {"int64_t": "long long"}),
    "arm-none-eabi": (
        "arm",
        "none",
        {"enums": "short", "wint_t": "unsigned int", "int32_t": "long", "int_fast8_t": "int", "compiler": "gcc"},
    ),
    "riscv32-unknown-elf": ("riscv32", "none", {"wint_t": "unsigned int", "int32_t": "long", "compiler": "gcc"}),
    "hexagon-unknown-elf": ("hexagon", "none", {}),
    "avr-unknown-none": ("avr", "none", {"int_fast32_t": "long"}),
    "msp430-unknown-none": ("msp430", "none", {}),
    "bpfel-unknown-none": ("bpfel", "none", {}),
    "nvptx64-nvidia-cuda": ("nvptx64", "none", {"int64_t": "long long"}),
}
