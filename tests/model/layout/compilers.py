"""The answers of compilers: the layout of every struct of a C source, member by member."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from abigen.model.target import find_target
from tests.tools import works

CLANG_TRIPLES = {
    "x86_64-windows-gnu": "x86_64-w64-mingw32",
    "i686-windows-gnu": "i686-w64-mingw32",
    "avr-unknown-none": "avr",
    "msp430-unknown-none": "msp430",
    "bpfel-unknown-none": "bpfel",
    "hexagon-unknown-elf": "hexagon",
}
"""Targets whose name clang does not take."""

GCC_COMMANDS = {
    "x86_64-linux-gnu": ("gcc", "-m64"),
    # Vectors of eight bytes are a matter of MMX; without it GCC treats them as integers.
    "i686-linux-gnu": ("gcc", "-m32", "-mmmx"),
    "aarch64-linux-gnu": ("aarch64-linux-gnu-gcc",),
    "armv7-linux-gnueabihf": ("arm-linux-gnueabihf-gcc",),
    "riscv64-linux-gnu": ("riscv64-linux-gnu-gcc",),
    "s390x-linux-gnu": ("s390x-linux-gnu-gcc",),
    "x86_64-windows-gnu": ("x86_64-w64-mingw32-gcc",),
    "i686-windows-gnu": ("i686-w64-mingw32-gcc", "-mmmx"),
    "x86_64-linux-gnux32": ("gcc", "-mx32"),
    "aarch64_be-linux-gnu": ("aarch64-linux-gnu-gcc", "-mbig-endian"),
    "arm-linux-gnueabi": ("arm-linux-gnueabi-gcc",),
    "arm-none-eabi": ("arm-none-eabi-gcc",),
    "riscv32-linux-gnu": ("riscv64-linux-gnu-gcc", "-march=rv32imafdc", "-mabi=ilp32d"),
    "s390-linux-gnu": ("s390x-linux-gnu-gcc", "-m31"),
    "powerpc-linux-gnu": ("powerpc-linux-gnu-gcc",),
    "powerpc64le-linux-gnu": ("powerpc64le-linux-gnu-gcc",),
    "powerpc64-linux-gnu": ("powerpc64le-linux-gnu-gcc", "-mbig"),
    "sparc64-linux-gnu": ("sparc64-linux-gnu-gcc",),
    "sparc-linux-gnu": ("sparc64-linux-gnu-gcc", "-m32"),
    "mips-linux-gnu": ("mips-linux-gnu-gcc",),
    "mipsel-linux-gnu": ("mips-linux-gnu-gcc", "-EL"),
    "mips64el-linux-gnuabi64": ("mips64el-linux-gnuabi64-gcc",),
    "mips64-linux-gnuabi64": ("mips64el-linux-gnuabi64-gcc", "-EB"),
    "mips64-linux-gnuabin32": ("mips64el-linux-gnuabi64-gcc", "-EB", "-mabi=n32"),
    "m68k-linux-gnu": ("m68k-linux-gnu-gcc",),
    "avr-unknown-none": ("avr-gcc",),
}
"""Targets that GCC may be installed for, and how to call it."""


class Answer(msgspec.Struct, frozen=True):
    """A struct as a compiler lays it out: bytes, and for bit-fields bits, by name; "" never appears."""

    size: int
    alignment: int
    offsets: Mapping[str, int] = msgspec.field(default_factory=dict)
    bit_offsets: Mapping[str, int] = msgspec.field(default_factory=dict)


def clang_triple(target: str) -> str:
    return CLANG_TRIPLES.get(target, target)


def has_gcc(target: str) -> bool:
    command = GCC_COMMANDS.get(target)
    return command is not None and works(shlex.join([*command, "-fsyntax-only"]))


def ask_clang(source: str, target: str, directory: Path) -> dict[str, Answer]:
    """Return the record layouts that clang computes for a target; anonymous members have no entry."""
    path = directory / "probe.c"
    path.write_text(source)
    command = ["clang", f"--target={clang_triple(target)}", "-std=gnu2x", "-w", "-fsyntax-only", "-Xclang"]
    result = subprocess.run(
        [*command, "-fdump-record-layouts-complete", str(path)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr + source
    return dict(_clang_records(result.stdout))


def _clang_records(dump: str) -> list[tuple[str, Answer]]:
    records = []
    for block in dump.split("*** Dumping AST Record Layout\n")[1:]:
        lines = [line for line in block.splitlines() if "|" in line]
        name = lines[0].partition("|")[2].split()[-1]
        offsets: dict[str, int] = {}
        bits: dict[str, int] = {}
        for line in lines[1:]:
            place, _, text = line.partition("|")
            if "sizeof=" in text:
                size, alignment = (int(number) for number in re.findall(r"=(\d+)", text)[:2])
                records.append((name, Answer(size, alignment, offsets, bits)))
                break
            if text.startswith("   ") and not text.startswith("    "):
                member = text.rpartition(" ")[2]
                byte, _, bit = place.strip().partition(":")
                if bit and member:
                    bits[member] = int(byte) * 8 + int(bit.partition("-")[0])
                elif member:
                    offsets[member] = int(byte)
    return records


def ask_gcc(
    source: str, structs: Mapping[str, tuple[Sequence[str], Sequence[str]]], target: str, directory: Path
) -> dict[str, Answer]:
    """Return the layouts that GCC computes: from constants and from the bytes of objects in which one bit-field is set.

    Args:
        source: defines the structs.
        structs: name to the names of the ordinary members, and those of the bit-fields.
        target: a target of `GCC_COMMANDS`.
        directory: for the object files.
    """
    numbers: list[str] = []
    objects: list[tuple[str, str]] = []
    for name, (members, bitfields) in structs.items():
        # Not _Alignof: GCC cuts its answer off at the largest alignment that malloc knows, though not the layout.
        numbers += [f"sizeof({name})", f"__alignof__({name})"]
        numbers += [f"__builtin_offsetof({name}, {member})" for member in members]
        objects += [(name, member) for member in bitfields]
    text = f'{source}\nunsigned long long numbers[] __attribute__((section(".num"))) = {{{", ".join(numbers)}}};\n'
    if objects:
        declared = " ".join(f"{name} o{index};" for index, (name, _) in enumerate(objects))
        values = ", ".join(f".o{index} = {{.{member} = -1}}" for index, (_, member) in enumerate(objects))
        text += (
            f'struct __attribute__((packed)) {{{declared}}} objects __attribute__((section(".bit"))) = {{{values}}};\n'
        )
    sections = _gcc_sections(text, target, directory, [".num", ".bit"] if objects else [".num"])
    order = find_target(target).endianness
    answers = iter(
        int.from_bytes(sections[0][start : start + 8], "little" if order == "little" else "big")
        for start in range(0, len(sections[0]), 8)
    )
    result: dict[str, Answer] = {}
    position = 0
    for name, (members, bitfields) in structs.items():
        size, alignment = next(answers), next(answers)
        offsets = {member: next(answers) for member in members}
        bits = {}
        for member in bitfields:
            bits[member] = _first_bit(sections[1][position : position + size], order)
            position += size
        result[name] = Answer(size, alignment, offsets, bits)
    return result


def _gcc_sections(text: str, target: str, directory: Path, names: Sequence[str]) -> list[bytes]:
    path, output = directory / "probe.c", directory / "probe.o"
    path.write_text(text)
    command = GCC_COMMANDS[target]
    result = subprocess.run(
        [*command, "-std=gnu11", "-w", "-c", "-o", str(output), str(path)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr + text
    objcopy = f"{command[0].removesuffix('gcc')}objcopy"
    contents = []
    for name in names:
        binary = directory / "section.bin"
        subprocess.run([objcopy, "-O", "binary", "-j", name, str(output), str(binary)], check=True)
        contents.append(binary.read_bytes())
    return contents


def _first_bit(data: bytes, order: str) -> int:
    """Return the first bit that is set, in the order in which bits are allocated."""
    for index, byte in enumerate(data):
        if byte:
            return index * 8 + ((byte & -byte).bit_length() - 1 if order == "little" else 8 - byte.bit_length())
    raise AssertionError("no bit is set")
