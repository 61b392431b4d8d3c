"""Targets: what a platform's C compiler makes of the basic types, and how it lays out bit-fields and enumerations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import cast

from abigen.model.span import AbigenError
from abigen.model.target_data import ARCHITECTURES, BASE, SYSTEMS, TARGETS, Properties


@dataclass(frozen=True, kw_only=True)
class Target:
    """A platform as the layout of types sees it. Sizes and alignments are in bytes."""

    name: str
    """`x86_64-linux-gnu`: architecture, vendor or system, C library or compiler."""
    architecture: str
    system: str
    """`linux`, `darwin`, `windows-msvc`, `windows-gnu`, `wasi`, `none`, ..."""
    data_model: str
    """`LP64`, `LLP64`, `ILP32` or `IP16L32`: which of int, long, long long and pointers have how many bits."""
    endianness: str
    """`little` or `big`."""
    types: Mapping[str, tuple[int, int]] = field(hash=False, compare=False)
    """Canonical name of a basic type to its size and its alignment as a member of a struct."""
    pointer: tuple[int, int]
    """Size and alignment of every pointer."""
    typedefs: Mapping[str, str] = field(hash=False, compare=False)
    """The standard library's names for basic types (`size_t`, ...) to the canonical name of the basic type."""
    char_signed: bool
    wchar_signed: bool
    bitfield_rule: str
    """`sysv`, `aapcs`, `ms` or `bits`; `abigen.model.target_data` says what each means."""
    zero_width_boundary: int
    enum_rule: str
    """`gnu`, `short` or `int`; `abigen.model.target_data` says what each means."""
    compiler: str
    """Whose reading of the ABI counts where compilers differ: `gcc`, `clang` or `msvc`."""
    biggest_alignment: int
    """What `__attribute__((aligned))` without an argument asks for."""
    suitable_alignment: int
    """What the macro `__BIGGEST_ALIGNMENT__` says."""
    vector_limit: int
    atomic_limit: int

    @cached_property
    def macros(self) -> Mapping[str, str]:
        """The macros that the target's compiler predefines and headers ask about: name (with parameters) to body.

        `__STDC_VERSION__` is not among them: it follows from the standard that is asked for.
        """
        from abigen.model.predefined import predefined_macros

        return predefined_macros(self)

    @property
    def aligns_words_by_mode(self) -> bool:
        """Whether members of eight bytes that fit an integer register pair are aligned to four (GCC on i386)."""
        return self.compiler == "gcc" and self.types["long long"] == (8, 4)

    def width_of(self, name: str) -> int:
        """Width in bits of the values of a basic integer type; 1 for `_Bool`."""
        return 1 if name == "_Bool" else self.types[name][0] * 8

    def is_signed(self, name: str) -> bool:
        """Whether a basic integer type has negative values."""
        if name == "char":
            return self.char_signed
        return name != "_Bool" and not name.startswith("unsigned")


def target_names() -> tuple[str, ...]:
    """Names of all targets, in the order of the table."""
    return tuple(TARGETS)


def default_targets() -> tuple[str, ...]:
    """The usual three: Linux, macOS, Windows on the host's 64-bit architecture, the host's own system first."""
    import platform

    architecture = "aarch64" if platform.machine().lower() in ("aarch64", "arm64") else "x86_64"
    usual = [f"{architecture}-{system}" for system in ("linux-gnu", "apple-darwin", "windows-msvc")]
    host = {"Darwin": 1, "Windows": 2}.get(platform.system(), 0)
    usual.insert(0, usual.pop(host))
    return tuple(usual)


@cache
def find_target(name: str) -> Target:
    """Find a target by its name; other usual spellings (`amd64`, `x86_64-pc-linux-gnu`, `arm64-macos`) are understood.

    Args:
        name: a triple.

    Returns:
        The target, the same object for the same name.

    Raises:
        AbigenError: there is no such target; the hint names near ones.
    """
    known = name if name in TARGETS else _usual_name(name)
    if known not in TARGETS:
        from difflib import get_close_matches

        near = get_close_matches(known, TARGETS, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known targets: {', '.join(TARGETS)}"
        raise AbigenError.at(None, f"unknown target '{name}'", hint)
    return _make(known) if known == name else find_target(known)


_ARCHITECTURES = {
    "amd64": "x86_64",
    "x64": "x86_64",
    "arm64": "aarch64",
    "armv7l": "armv7",
    "armhf": "armv7",
} | dict.fromkeys(("i386", "i486", "i586", "x86"), "i686")
_SYSTEMS = {
    "linux": "linux-gnu",
    "macos": "apple-darwin",
    "macosx": "apple-darwin",
    "darwin": "apple-darwin",
    "apple-macos": "apple-darwin",
    "apple-macosx": "apple-darwin",
    "windows": "windows-msvc",
    "win32": "windows-msvc",
    "mingw32": "windows-gnu",
    "freebsd": "unknown-freebsd",
    "emscripten": "unknown-emscripten",
    "elf": "unknown-elf",
    "": "unknown-none",
}


def _usual_name(name: str) -> str:
    """Another spelling of a triple as the table spells it; the vendors that say nothing go."""
    architecture, *rest = name.lower().split("-")
    if len(rest) > 1 and rest[0] in ("pc", "unknown", "none", "w64"):
        rest = rest[1:]
    system = "-".join(rest)
    architecture = _ARCHITECTURES.get(architecture, architecture)
    for candidate in (f"{architecture}-{_SYSTEMS.get(system, system)}", f"{architecture}-unknown-{system}"):
        if candidate in TARGETS:
            return candidate
        if candidate.replace("i686", "i386") in TARGETS:
            return candidate.replace("i686", "i386")
    return name


def _make(name: str) -> Target:
    architecture, system, own = TARGETS[name]
    properties: Properties = {**BASE, **ARCHITECTURES[architecture], **SYSTEMS[system], **own}
    word = cast(int, properties["word"])
    pointer = cast("tuple[int, int]", properties.get("pointer", (word, word)))
    types = _basic_types(properties, word, pointer)
    typedefs = _standard_typedefs(properties, types, pointer[0])
    sizes = (types["int"][0], types["long"][0], pointer[0])
    return Target(
        name=name,
        architecture=architecture,
        system=system,
        data_model={(4, 8, 8): "LP64", (4, 4, 8): "LLP64", (4, 4, 4): "ILP32", (2, 4, 2): "IP16L32"}[sizes],
        endianness=cast(str, properties["endianness"]),
        types=types,
        pointer=pointer,
        typedefs=typedefs,
        char_signed=cast(bool, properties["char_signed"]),
        wchar_signed=not typedefs["wchar_t"].startswith("unsigned"),
        bitfield_rule=cast(str, properties["bitfields"]),
        zero_width_boundary=cast(int, properties["zero_width_boundary"]),
        enum_rule=cast(str, properties["enums"]),
        compiler=cast(str, properties["compiler"]),
        biggest_alignment=cast(int, properties["biggest_alignment"]),
        suitable_alignment=cast(int, properties.get("suitable_alignment", properties["biggest_alignment"])),
        vector_limit=cast(int, properties["vector_limit"]),
        atomic_limit=cast(int, properties["atomic_limit"]),
    )


def _basic_types(properties: Properties, word: int, pointer: tuple[int, int]) -> dict[str, tuple[int, int]]:
    """Size and alignment of every basic type that the target has."""
    types: dict[str, tuple[int, int]] = {"void": (1, 1), "_Bool": (1, 1), "char": (1, 1)}
    types["signed char"] = types["unsigned char"] = (1, 1)
    properties = {"long": (word, word), **properties}
    for name in ("short", "int", "long", "long long", "__int128"):
        if properties[name] is not None:
            types[name] = types[f"unsigned {name}"] = cast("tuple[int, int]", properties[name])
    for name in ("float", "double", "long double", "__float128"):
        if properties[name] is not None:
            size, alignment = types[name] = cast("tuple[int, int]", properties[name])
            types[f"{name} _Complex"] = (2 * size, alignment)
    types["_Float16"] = types["__bf16"] = types["short"]
    types["__builtin_va_list"] = cast("tuple[int, int]", properties.get("va_list", pointer))
    return types


def _standard_typedefs(properties: Properties, types: Mapping[str, tuple[int, int]], pointer: int) -> dict[str, str]:
    """The names of <stddef.h>, <stdint.h> and <wchar.h>, to the basic types that the target's C library gives them."""

    def named(name: str, default: str) -> str:
        return cast(str, properties.get(name, default))

    size = named("size_t", "unsigned long")
    difference = named("ptrdiff_t", "long")
    signed = {
        8: "signed char",
        16: "short" if types["short"][0] == 2 and types["int"][0] != 2 else "int",
        32: named("int32_t", "int"),
        64: named("int64_t", "long" if types["long"][0] == 8 else "long long"),
    }
    fast = signed | {
        8: named("int_fast8_t", "signed char"),
        16: named("int_fast16_t", "long" if pointer == 8 else "int"),
        32: named("int_fast32_t", "long" if pointer == 8 else signed[32]),
    }
    pointer_sized = named("intptr_t", difference if types[difference][0] == pointer else signed[pointer * 8])
    largest = named("intmax_t", signed[64])
    typedefs = {
        "size_t": size,
        "ptrdiff_t": difference,
        "ssize_t": size.removeprefix("unsigned ") if types[size][0] == pointer else difference,
        "wchar_t": named("wchar_t", "int"),
        "wint_t": named("wint_t", "unsigned int"),
        "char16_t": _unsigned(signed[16]),
        "char32_t": _unsigned(signed[32]),
        "intptr_t": pointer_sized,
        "uintptr_t": _unsigned(pointer_sized),
        "intmax_t": largest,
        "uintmax_t": _unsigned(largest),
    }
    for bits in (8, 16, 32, 64):
        for name, basic in (("int", signed), ("int_least", signed), ("int_fast", fast)):
            typedefs[f"{name}{bits}_t"] = basic[bits]
            typedefs[f"u{name}{bits}_t"] = _unsigned(basic[bits])
    return typedefs


def _unsigned(name: str) -> str:
    return "unsigned char" if name == "signed char" else f"unsigned {name}"
