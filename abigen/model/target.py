"""Targets: what a platform's C compiler makes of the basic types, and which macros it predefines.

What is particular to a platform stands in `targets.toml`; what follows from it is computed here.
"""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from abigen.model.ctype import INTEGER_SUFFIXES
from abigen.model.record import Compared
from abigen.model.span import AbigenError, did_you_mean

_ONLY_X86_32 = ("stdcall", "fastcall", "thiscall", "pascal", "sseregparm", "regparm")
_X86_32 = ("i386", "i486", "i586", "i686")
_SIZED = ("short", "int", "long", "long long", "__int128", "float", "double", "long double", "__float128")
"""Types whose size a macro states: `__SIZEOF_LONG_LONG__`."""
C_STANDARDS = {"c99": 199901, "c11": 201112, "c17": 201710, "c23": 202311}
"""Each C standard to the value of `__STDC_VERSION__` (C23 6.10.10.2 and its predecessors)."""
_LIMITED = {"SCHAR": "signed char", "SHRT": "short", "INT": "int", "LONG": "long", "LONG_LONG": "long long"}
"""Types whose largest value a macro states: `__SCHAR_MAX__`."""


class Target(Compared, frozen=True, kw_only=True, dict=True):
    """A platform as the layout of types sees it. Sizes and alignments are in bytes."""

    NOT_COMPARED = frozenset(("types", "typedefs", "declared_macros"))

    name: str
    """`x86_64-linux-gnu`: architecture, vendor or system, C library or compiler."""
    architecture: str
    system: str
    """`linux`, `darwin`, `windows-msvc`, `windows-gnu`, `wasi`, `none`, ..."""
    data_model: str
    """`LP64`, `LLP64`, `ILP32` or `IP16L32`: which of int, long, long long and pointers have how many bits."""
    endianness: str
    """`little` or `big`."""
    types: Mapping[str, tuple[int, int]]
    """Canonical name of a basic type to its size and its alignment as a member of a struct."""
    pointer: tuple[int, int]
    """Size and alignment of every pointer."""
    typedefs: Mapping[str, str]
    """The standard library's names for basic types (`size_t`, ...) to the canonical name of the basic type."""
    char_signed: bool
    wchar_signed: bool
    bitfield_rule: str
    """`sysv`, `aapcs`, `ms` or `bits`; `targets.toml` says what each means."""
    zero_width_boundary: int
    enum_rule: str
    """`gnu`, `short` or `int`; `targets.toml` says what each means."""
    compiler: str
    """Whose reading of the ABI counts where compilers differ: `gcc`, `clang` or `msvc`."""
    biggest_alignment: int
    """What `__attribute__((aligned))` without an argument asks for."""
    suitable_alignment: int
    """What the macro `__BIGGEST_ALIGNMENT__` says."""
    vector_limit: int
    atomic_limit: int
    user_label_prefix: str
    declared_macros: Mapping[str, str]
    """The macros that `targets.toml` lists: name to body."""

    @cached_property
    def macros(self) -> Mapping[str, str]:
        """The macros that the compiler predefines and headers ask about: name (with parameters) to body.

        `__STDC_VERSION__` is not among them: it follows from the standard that is asked for.
        """
        return {**self.declared_macros, **_model_macros(self), **_type_macros(self)}

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

    def convention(self, name: str) -> str:
        """What a calling convention that was asked for amounts to.

        Args:
            name: as in `FunctionType.calling_convention`.

        Returns:
            The convention; empty when calls are made as without it: it is the usual one, or compilers accept and ignore
            it. C's own (`cdecl`) is usual everywhere.

        Source:
            GCC, "x86 Function Attributes" (all but `ms_abi` and `sysv_abi` are for 32-bit targets); Microsoft,
            "Argument passing and naming conventions" (x64 and ARM accept and ignore `__stdcall`, `__fastcall`,
            `__thiscall`).
        """
        word = name.partition("(")[0]
        if word == "cdecl" or (word in _ONLY_X86_32 and self.architecture not in _X86_32):
            return ""
        if word in ("ms_abi", "sysv_abi"):
            usual = "ms_abi" if self.system.startswith("windows") else "sysv_abi"
            return "" if self.architecture == "x86_64" and word == usual else name
        return name


def target_names() -> tuple[str, ...]:
    """Names of all targets, in the order of the table."""
    return tuple(_table()["target"])


def default_targets() -> tuple[str, ...]:
    """The usual three: Linux, macOS, Windows on the host's 64-bit architecture, the host's own system first."""
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
    names = target_names()
    known = name if name in names else _usual_name(name)
    if known not in names:
        hint = did_you_mean(known, names, f"known targets: {', '.join(names)}", most=3)
        raise AbigenError.at(None, f"unknown target '{name}'", hint)
    return _make(known) if known == name else find_target(known)


def annotation_macros() -> dict[str, str]:
    """Microsoft's source annotations as macros without a body: name, with its parameters, to the empty string."""
    annotations = _table()["annotations"]
    plain = {f"_{name}_": "" for name in annotations["plain"].split()}
    return {**plain, **{f"_{name}_(...)": "" for name in annotations["with_arguments"].split()}}


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("targets.toml").read_text(encoding="utf-8"))


def _usual_name(name: str) -> str:
    """Another spelling of a triple as the table spells it; the vendors that say nothing go."""
    aliases = _table()["alias"]
    architecture, *rest = name.lower().split("-")
    if len(rest) > 1 and rest[0] in ("pc", "unknown", "none", "w64"):
        rest = rest[1:]
    system = "-".join(rest)
    architecture = aliases["architecture"].get(architecture, architecture)
    for candidate in (f"{architecture}-{aliases['system'].get(system, system)}", f"{architecture}-unknown-{system}"):
        for each in (candidate, candidate.replace("i686", "i386")):
            if each in _table()["target"]:
                return each
    return name


def _make(name: str) -> Target:
    table = _table()
    own = table["target"][name]
    levels = [table["base"], table["architecture"][own["architecture"]], table["system"][own["system"]], own]
    properties: dict[str, Any] = {}
    for level in levels:
        for group in level.get("like", ()):
            properties |= table["group"][group]
        properties |= level
    levels.insert(1, table["compiler"][properties["compiler"]])
    macros = (each.partition("=") for level in levels for each in level.get("macros", "").split())
    pointer = tuple(properties.get("pointer", 2 * [properties["word"]]))
    types = _basic_types(properties, pointer)
    typedefs = _standard_typedefs(properties, types, pointer[0])
    sizes = (types["int"][0], types["long"][0], pointer[0])
    given = {name: properties[name] for name in Target.__struct_fields__ if name in properties}
    given |= {
        "name": name,
        "data_model": {(4, 8, 8): "LP64", (4, 4, 8): "LLP64", (4, 4, 4): "ILP32", (2, 4, 2): "IP16L32"}[sizes],
        "types": types,
        "pointer": pointer,
        "typedefs": typedefs,
        "wchar_signed": not typedefs["wchar_t"].startswith("unsigned"),
        "suitable_alignment": properties.get("suitable_alignment", properties["biggest_alignment"]),
        "declared_macros": {macro: body or "1" for macro, _, body in macros},
    }
    return Target(**given)


def _basic_types(properties: Mapping[str, Any], pointer: tuple[int, int]) -> dict[str, tuple[int, int]]:
    """Size and alignment of every basic type that the target has."""
    types: dict[str, tuple[int, int]] = dict.fromkeys(("void", "_Bool", "char", "signed char", "unsigned char"), (1, 1))
    properties = {"long": 2 * [properties["word"]], **properties}
    for name in ("short", "int", "long", "long long", "__int128"):
        if properties[name]:
            types[name] = types[f"unsigned {name}"] = tuple(properties[name])
    for name in ("float", "double", "long double", "__float128"):
        if properties[name]:
            size, alignment = types[name] = tuple(properties[name])
            types[f"{name} _Complex"] = (2 * size, alignment)
    size, alignment = types["_Float16"] = types["__bf16"] = types["short"]
    types["_Float16 _Complex"] = (2 * size, alignment)
    types["__builtin_va_list"] = tuple(properties.get("va_list", pointer))
    return types


def _standard_typedefs(
    properties: Mapping[str, Any], types: Mapping[str, tuple[int, int]], pointer: int
) -> dict[str, str]:
    """The names of <stddef.h>, <stdint.h> and <wchar.h>, to the basic types that the target's C library gives them."""

    def named(name: str, default: str = "") -> str:
        return str(properties.get(name, default))

    size, difference = named("size_t"), named("ptrdiff_t")
    signed = {
        8: "signed char",
        16: "short" if types["short"][0] == 2 and types["int"][0] != 2 else "int",
        32: named("int32_t"),
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
        "wchar_t": named("wchar_t"),
        "wint_t": named("wint_t"),
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


def _model_macros(target: Target) -> dict[str, str]:
    """What follows from the data model, the byte order and the signedness of characters."""
    order = "LITTLE" if target.endianness == "little" else "BIG"
    macros = {
        f"__{order}_ENDIAN__": "1",
        "__BYTE_ORDER__": f"__ORDER_{order}_ENDIAN__",
        "__FLOAT_WORD_ORDER__": f"__ORDER_{order}_ENDIAN__",
        "__BIGGEST_ALIGNMENT__": str(target.suitable_alignment),
        "__USER_LABEL_PREFIX__": target.user_label_prefix,
        "__SIZEOF_POINTER__": str(target.pointer[0]),
    }
    if target.data_model in ("LP64", "ILP32"):
        macros |= {f"__{target.data_model}__": "1", f"_{target.data_model}": "1"}
    if target.architecture == "aarch64":
        macros["__AARCH64EB__" if target.endianness == "big" else "__AARCH64EL__"] = "1"
    if not target.char_signed:
        macros["__CHAR_UNSIGNED__"] = "1"
    if not target.wchar_signed:
        macros["__WCHAR_UNSIGNED__"] = "1"
    for type in _SIZED:
        if type in target.types:
            macros[f"__SIZEOF_{type.strip('_').replace(' ', '_').upper()}__"] = str(target.types[type][0])
    for name, type in _LIMITED.items():
        macros[f"__{name}_MAX__"] = _maximum(target, type)
        macros[f"__{'LLONG' if name == 'LONG_LONG' else name}_WIDTH__"] = str(target.width_of(type))
    double = {8: "53", 4: "24"}[target.types["double"][0]]
    macros["__DBL_MANT_DIG__"] = double
    macros["__LDBL_MANT_DIG__"] = _long_double_precision(target, double)
    return macros


def _long_double_precision(target: Target, double: str) -> str:
    """Bits of the significand of long double: x87's 64, IEEE quadruple's 113, IBM's pair of doubles, or double's."""
    if target.types["long double"][0] <= 8:
        return double
    if target.architecture in ("x86_64", "x32", "i686", "m68k"):
        return "64"
    return "106" if target.architecture.startswith("powerpc") else "113"


def _type_macros(target: Target) -> dict[str, str]:
    """What follows from the standard library's names: `__SIZE_TYPE__`, `__INT64_MAX__`, ..."""
    macros: dict[str, str] = {}
    for name, type in target.typedefs.items():
        if name == "ssize_t":
            continue
        stem = name.removesuffix("_t").upper()
        width = str(target.width_of(type))
        macros[f"__{stem}_TYPE__"] = _spelled(type)
        if name.startswith("char"):
            continue
        macros[f"__{stem}_MAX__"] = _maximum(target, type)
        if name in ("size_t", "ptrdiff_t", "wchar_t", "wint_t"):
            macros[f"__SIZEOF_{stem}_T__"] = str(target.types[type][0])
            macros[f"__{stem}_WIDTH__"] = width
        elif "int_" in name or name in ("intmax_t", "intptr_t"):
            macros[f"__{stem}_WIDTH__"] = width
        if name.removeprefix("u")[:4] in ("int8", "int1", "int3", "int6", "intm"):
            suffix = INTEGER_SUFFIXES.get(type, "")
            if target.compiler == "gcc":
                macros[f"__{stem}_C(c)"] = f"c ## {suffix}" if suffix else "c"
            else:
                macros[f"__{stem}_C_SUFFIX__"] = suffix
    macros["__WINT_MIN__"] = f"(-{macros['__WINT_MAX__']} - 1)" if target.is_signed(target.typedefs["wint_t"]) else "0U"
    macros["__WCHAR_MIN__"] = f"(-{macros['__WCHAR_MAX__']} - 1)" if target.wchar_signed else "0U"
    macros["__SIG_ATOMIC_TYPE__"] = "int"
    macros["__SIG_ATOMIC_MAX__"] = _maximum(target, "int")
    return macros


def _maximum(target: Target, type: str) -> str:
    width = target.width_of(type) - target.is_signed(type)
    return f"{(1 << width) - 1}{INTEGER_SUFFIXES.get(type, '')}"


def _spelled(type: str) -> str:
    """A basic type as GCC spells it in macros: `long unsigned int`."""
    base = type.removeprefix("unsigned ")
    return f"{base} {'' if base == type else 'unsigned '}int" if base.endswith(("short", "long")) else type
