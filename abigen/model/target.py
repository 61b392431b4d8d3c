"""Targets: basic types and predefined macros of a platform's C compiler, and its rules for placing members.

`targets.toml` has the facts of each platform; this module computes the consequences.

Placement counts in bits. By Microsoft's rules bit-fields are in storage units of their declared types: neighbours
share a unit only if their types have one size. MSVC does so; GCC imitates it for all structs of MinGW, GCC and clang
for structs with the attribute `ms_struct`. The three agree on structs without attributes and differ on packed ones.
"""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from abigen.model.ctype import INTEGER_SUFFIXES
from abigen.model.span import AbigenError, Compared, did_you_mean

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
    """The compiler whose ABI counts where compilers differ: `gcc`, `clang` or `msvc`."""
    biggest_alignment: int
    """The alignment that `__attribute__((aligned))` without an argument asks for."""
    suitable_alignment: int
    """The value of the macro `__BIGGEST_ALIGNMENT__`."""
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
        """True if members of eight bytes that fit an integer register pair are aligned to four (GCC on i386)."""
        return self.compiler == "gcc" and self.types["long long"] == (8, 4)

    def width_of(self, name: str) -> int:
        """Return width in bits of the values of a basic integer type; 1 for `_Bool`."""
        return 1 if name == "_Bool" else self.types[name][0] * 8

    def is_signed(self, name: str) -> bool:
        """True if a basic integer type has negative values."""
        if name == "char":
            return self.char_signed
        return name != "_Bool" and not name.startswith("unsigned")

    def convention(self, name: str) -> str:
        """Return the effective calling convention for one that was asked for.

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
    """Return names of all targets, in the order of the table."""
    return tuple(_table()["target"])


def default_targets() -> tuple[str, ...]:
    """Return the usual three: Linux, macOS, Windows on the host's 64-bit architecture, the host's own system first."""
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
    """Return another spelling of a triple as the table spells it; the vendors that say nothing go."""
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
    """Return size and alignment of every basic type that the target has."""
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
    """Return the typedefs of <stddef.h>, <stdint.h> and <wchar.h>, with the types of the target's C library."""

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
    """Return the macros that follow from the data model, the byte order and the signedness of characters."""
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
    """Return the macros that follow from the standard library's types: `__SIZE_TYPE__`, `__INT64_MAX__`, ..."""
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
    """Return a basic type as GCC spells it in macros: `long unsigned int`."""
    base = type.removeprefix("unsigned ")
    return f"{base} {'' if base == type else 'unsigned '}int" if base.endswith(("short", "long")) else type


class Placeable(msgspec.Struct, frozen=True):
    """A member, reduced to what its placement depends on. Sizes and alignments in bits."""

    size: int
    """Of its type; for a flexible array 0."""
    alignment: int
    """Of its type."""
    required: int
    """The alignment that attributes on its type ask for; 0 when there are none."""
    width: int | None
    """Of a bit-field, None for other members."""
    explicit: int
    """The alignment that attributes on the member ask for; 0 when there are none."""
    packed: bool
    """The attribute stands on the member itself."""
    named: bool
    natural: int = 0
    """Size of the basic type that it is, or is an array of; 0 for other types. Only clang's `ms_struct` asks."""


class Aggregate(msgspec.Struct, frozen=True):
    """The attributes of a struct or union that affect all of its members. Alignments in bits, 0 when absent."""

    is_union: bool
    packed: bool
    pack: int
    """The limit that `#pragma pack` sets."""
    explicit: int
    """The alignment that attributes on the type ask for."""


class Placement(msgspec.Struct, frozen=True):
    """The result, in bits: the position and the effective alignment of each member, and the whole."""

    members: list[tuple[int, int]]
    size: int
    alignment: int
    required: int = 0
    """The least alignment of this type in another struct, even in a packed one (MSVC); 0 for none."""


PlacementRules: TypeAlias = Callable[[list[Placeable], Aggregate, Target], Placement]
"""Places members by the rules of one compiler, or of several that agree."""


def rules_of(asked: str, target: Target) -> PlacementRules:
    """Return the rules that a struct follows: the target's, unless an attribute asks for the other ones.

    Args:
        asked: `ms` or `sysv`, as `Struct.bitfield_rule`; empty when no attribute asks.
        target: for which it is compiled.

    Returns:
        What places the members of a struct or union, given in order of declaration, unnamed bit-fields included.
    """
    if target.compiler == "msvc":
        return place_msvc
    rule = target.bitfield_rule
    # GCC knows the attributes on x86 only.
    if asked and (target.compiler == "clang" or target.architecture in ("x86_64", "x32", "i686")):
        rule = asked
    if rule != "ms":
        return _place_sysv
    return _place_ms_struct_gcc if target.compiler == "gcc" else place_ms_struct_clang


def round_up(value: int, alignment: int) -> int:
    """Return the next multiple of an alignment."""
    return -(-value // alignment) * alignment


def _place_sysv(members: list[Placeable], aggregate: Aggregate, target: Target) -> Placement:
    """Place members by the System V psABI (chapter 3, "Aggregates and Unions", "Bit-Fields") and its variants."""
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    end = size = 0
    for member in members:
        if aggregate.is_union:
            end = 0
        if member.width is None:
            alignment = _ordinary_alignment(member, aggregate)
            start = round_up(end, alignment)
            end = start + member.size
            whole_alignment = max(whole_alignment, alignment)
        else:
            start, alignment = _sysv_bitfield(member, aggregate, target, end)
            end = start + member.width
            if member.named or target.bitfield_rule in ("aapcs", "bits"):
                whole_alignment = max(whole_alignment, alignment)
        placed.append((start, alignment))
        size = max(size, end)
    return Placement(placed, round_up(size, whole_alignment), whole_alignment)


def _ordinary_alignment(member: Placeable, aggregate: Aggregate) -> int:
    """Return the alignment of a member that is no bit-field: its type's unless packed, or its own, up to the pragma."""
    alignment = max(8 if aggregate.packed or member.packed else member.alignment, member.explicit)
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def _sysv_bitfield(member: Placeable, aggregate: Aggregate, target: Target, start: int) -> tuple[int, int]:
    """Position of a bit-field that may start at `start`, and what it asks of the whole struct's alignment."""
    width = member.width or 0
    alignment = member.alignment
    if target.bitfield_rule == "bits":
        # These targets ignore the declared type, but not where a zero-width bit-field ends a run.
        boundary = target.zero_width_boundary * 8
        alignment = 1 if width else boundary if target.compiler == "gcc" else max(alignment, boundary)
    if width == 0:
        return round_up(start, alignment), alignment
    packed = aggregate.packed or member.packed
    explicit = member.explicit
    if aggregate.pack:
        # The pragma alone limits a bit-field, and the attribute says nothing more.
        alignment = max(alignment, explicit)
        if target.compiler == "gcc" or explicit <= aggregate.pack:
            start = round_up(start, max(min(explicit, aggregate.pack), 1))
        return start, min(alignment, aggregate.pack)
    if packed:
        alignment = 1
    earliest, start = start, round_up(start, explicit or 1)
    if not packed and not (target.compiler == "gcc" and _is_ordinary(width, earliest, target)):
        start = _within_units(member, alignment, start, aggregate, target)
    return start, max(alignment, explicit)


def _is_ordinary(width: int, start: int, target: Target) -> bool:
    """True if GCC treats a bit-field as an ordinary member: it has the width of an integer and is aligned as one."""
    return width in (8, 16, 32, 64, 128) and start % min(width, target.biggest_alignment * 8) == 0


def _within_units(member: Placeable, alignment: int, start: int, aggregate: Aggregate, target: Target) -> int:
    """Move a bit-field to the next unit if it would span more units of its type than the type itself does."""
    width = member.width or 0
    if target.compiler != "gcc":
        alignment = max(alignment, member.explicit)
        return round_up(start, alignment) if start % alignment + width > member.size else start
    if target.bitfield_rule == "bits" or -(-(start % alignment + width) // alignment) <= member.size // alignment:
        return start
    # GCC rounds up within the block that it counts offsets in; of a type aligned to more, that leaves a gap.
    block = max(aggregate.explicit, target.biggest_alignment * 8)
    base = start // block * block
    return base + round_up(start - base, alignment)


def place_msvc(members: list[Placeable], aggregate: Aggregate, target: Target) -> Placement:
    """Place members as MSVC does: storage units of the declared type, and alignments that packing cannot lower.

    Source: the `align`, `pack` and "C Bit Fields" pages of Microsoft's C reference, and what
    `clang --target=x86_64-windows-msvc` does.
    """
    placed: list[tuple[int, int]] = []
    pointer = target.pointer[0] * 8
    limit = 8 if aggregate.packed else aggregate.pack if aggregate.pack <= pointer else 0
    whole_alignment = 8
    size = unit = free = 0
    in_run = False
    for member in members:
        alignment = _msvc_alignment(member, limit)
        start = 0
        opens = member.width is None or not aggregate.is_union
        if aggregate.is_union:
            if member.width != 0 or in_run:
                size = max(size, member.size)
        elif in_run and member.width and unit == member.size and member.width <= free:
            start, free, opens = size - free, free - member.width, False
        elif member.width == 0:
            # A zero-width bit-field that follows no bit-field is ignored.
            opens = in_run
            start = size = round_up(size, alignment) if in_run else size
        else:
            start = round_up(size, alignment)
            size, unit, free = start + member.size, member.size, member.size - (member.width or 0)
        if opens:
            whole_alignment = max(whole_alignment, alignment)
        in_run = bool(member.width)
        placed.append((start, alignment))
    size = round_up(size, whole_alignment)
    asked = [max(each.explicit, each.required) for each in members if each.width is None]
    required = max([8 if pointer == 64 else 0, aggregate.explicit, *asked])
    if required:
        whole_alignment = max(whole_alignment, required)
        rounding = min(whole_alignment, limit) if limit else whole_alignment
        size = round_up(size, max(rounding, required))
    if size == 0:
        # C has no empty structs; Microsoft gives them the size of an int.
        size = whole_alignment if required >= 32 else 32
    return Placement(placed, size, whole_alignment, required if required > 8 else 0)


def _msvc_alignment(member: Placeable, limit: int) -> int:
    """Return the alignment of a member: neither the limit nor packing lowers the alignment that attributes ask for."""
    required = max(member.explicit, member.required)
    alignment = min(member.alignment, limit) if limit else member.alignment
    if member.width is not None and not limit:
        alignment = max(alignment, required)
    return max(8 if member.packed else alignment, required)


def _place_ms_struct_gcc(members: list[Placeable], aggregate: Aggregate, target: Target) -> Placement:
    """Place members as GCC does where `-mms-bitfields` or `ms_struct` holds; all structs of MinGW.

    Source: GCC's manual, "x86 Variable Attributes", and what its MinGW port does.
    """
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    block = max(aggregate.explicit, target.biggest_alignment * 8)
    position = size = rest = 0
    # The bit-field that opened the current storage unit, of which `rest` bits are free; None outside of a run.
    run: Placeable | None = None
    for index, member in enumerate(members):
        own_alignment = _gcc_alignment(member, aggregate)
        whole_alignment = max(whole_alignment, _gcc_contribution(member, aggregate, own_alignment, run))
        width = member.width
        if aggregate.is_union:
            placed.append((0, own_alignment))
            size = max(size, round_up(member.size if width is None else width, 8))
            continue
        before = run
        if run is None:
            position = round_up(position, own_alignment)
        else:
            misaligned = position % own_alignment != 0
            if width and run.width and member.size == run.size:
                if rest < width:
                    position += rest
                    run, rest = member, member.size
                else:
                    misaligned = False
                rest -= width
            else:
                if run.width:
                    position += rest
                else:
                    before = None
                if not width:
                    run = None
            if misaligned:
                position = round_up(position, own_alignment)
        if width is None or (member.size != before.size if before is not None else width != 0):
            rest = member.size - (width if width is not None else member.size)
            alignment = 8 if aggregate.packed or member.packed else member.alignment
            if aggregate.pack:
                alignment = min(alignment, aggregate.pack)
            base = position // block * block
            position = base + round_up(position - base, alignment)
            run = None
        placed.append((position, own_alignment))
        if run is None and width is not None:
            run = member
        position += member.size if width is None else width
        if width and index == len(members) - 1:
            position += rest
        size = position
    return Placement(placed, round_up(size, whole_alignment), whole_alignment)


def _gcc_contribution(member: Placeable, aggregate: Aggregate, own_alignment: int, run: Placeable | None) -> int:
    """Return a member's part in the struct's alignment; a zero-width bit-field counts only if it ends a run."""
    packed = aggregate.packed or member.packed
    if member.width is None:
        alignment = own_alignment if packed else max(member.alignment, own_alignment)
    elif (member.width and not packed) or (member.width == 0 and run is not None and run.width):
        alignment = max(member.alignment, own_alignment)
    else:
        return 8
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def _gcc_alignment(member: Placeable, aggregate: Aggregate) -> int:
    if member.width is None:
        return _ordinary_alignment(member, aggregate)
    alignment = max(member.explicit, 1)
    return min(alignment, aggregate.pack) if aggregate.pack else alignment


def place_ms_struct_clang(members: list[Placeable], aggregate: Aggregate, _target: Target) -> Placement:
    """Place members as clang does for the attribute `ms_struct` where Microsoft's rules are not the target's own."""
    placed: list[tuple[int, int]] = []
    whole_alignment = max(aggregate.explicit, 8)
    # `end` is where an ordinary member may start; `free` bits before it belong to the open storage unit of size `unit`.
    end = unit = free = 0
    for member in members:
        if member.width is None:
            # Basic types are aligned to their size, even where the target's own rules ask for less.
            natural = replace(member, alignment=max(member.alignment, member.natural))
            alignment = _ordinary_alignment(natural, aggregate)
            start = 0 if aggregate.is_union else round_up(end, alignment)
            end = max(end, start + member.size) if aggregate.is_union else start + member.size
            unit = free = 0
        else:
            start, alignment, unit, free = _clang_unit(member, aggregate, 0 if aggregate.is_union else end, unit, free)
            if aggregate.is_union:
                end, free = max(end, member.size if member.width else 8), 0
            elif not member.width:
                end, unit, free = start, 0, 0
            else:
                if not free:
                    end, free = start + member.size, member.size
                free -= member.width
                unit = member.size
        whole_alignment = max(whole_alignment, alignment)
        placed.append((start, alignment))
    return Placement(placed, round_up(end, whole_alignment), whole_alignment)


def _clang_unit(member: Placeable, aggregate: Aggregate, end: int, unit: int, free: int) -> tuple[int, int, int, int]:
    """Position and alignment of a bit-field, and the storage unit that is still open when it is placed."""
    alignment = member.size
    if unit != member.size or free < (member.width or 0):
        if not unit and not member.width:
            alignment = 8
        unit = free = 0
    start = end - free
    alignment = max(alignment, member.explicit)
    if aggregate.pack and member.width:
        alignment = min(alignment, aggregate.pack)
    if aggregate.is_union:
        alignment = 8
    if not member.width or member.width > free:
        start, free = round_up(start, alignment), 0
    return start, alignment, unit, free
