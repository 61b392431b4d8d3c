"""Run mutated shared libraries by number, and stop at the first that fails.

`python -m tests.security.fuzz.libraries 0 2000` runs the mutants 0 to 1999; `--show` prints the seed of each.
"""

from __future__ import annotations

import argparse
import hashlib
import struct
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import msgspec
from elftools.elf.elffile import ELFFile

from tests.security.fuzz.__main__ import limit, run_limited
from tests.tools import works

HEADER = """#pragma once
enum xy_kind { XY_A, XY_B = 5 };
typedef struct xy_box { enum xy_kind kind; int width; int many[3]; const char *name; } xy_box;
typedef struct xy_bits { unsigned a : 3, b : 5; union { struct { int h : 4; char j; }; double k; }; } xy_bits;
int xy_open(const char *name, xy_box *box);
int xy_sum(xy_bits *bits, double scale, ...);
"""
SOURCE = """#include "api.h"
#ifdef _WIN32
#define XY_EXPORT __declspec(dllexport)
#else
#define XY_EXPORT
#endif
XY_EXPORT int xy_open(const char *name, xy_box *box) { return name && box; }
XY_EXPORT int xy_sum(xy_bits *bits, double scale, ...) { return bits->a; }
"""
MAX_SECONDS = 12.0
"""The time limit of one run: ten seconds for the library, and the rest of the command."""
_DWARF = (2, 3, 4, 5)
_GCC = "gcc"
_OBJCOPY = "objcopy"
_MINGW = "x86_64-w64-mingw32-gcc"
_CLANG = "clang --target=arm64-apple-macos11 -fsyntax-only"
_NUMBERS = (
    0,
    1,
    2,
    0x7F,
    0x80,
    0xFF,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    1 << 40,
    (1 << 63) - 1,
    (1 << 64) - 1,
)
_INTERESTING = (".debug", ".zdebug", ".dyn", ".gnu", ".note", ".hash")


class Seed(msgspec.Struct, frozen=True):
    """A library that mutations start from."""

    name: str
    target: str
    content: bytes
    parts: tuple[tuple[int, int], ...]
    """Start and end of the parts that abigen reads."""
    debug: bytes = b""
    """The debug file; empty if the library has none."""


def seeds(folder: Path) -> list[Seed]:
    """Build the libraries for which this machine has tools.

    Args:
        folder: has the files meanwhile.
    """
    (folder / "api.h").write_text(HEADER)
    (folder / "library.c").write_text(SOURCE)
    found: list[Seed] = []
    if works(_GCC) and works(_OBJCOPY):
        for dwarf in _DWARF:
            found += [_elf(folder, f"dwarf {dwarf}", f"-gdwarf-{dwarf}"), _old_compressed(folder, dwarf)]
            found.append(_elf(folder, f"compressed dwarf {dwarf}", f"-gdwarf-{dwarf}", "-gz=zlib"))
        found.append(_separate(folder))
    if works(_MINGW):
        found.append(_foreign(folder, "windows", "x86_64-windows-gnu", _windows))
    if works(_CLANG) and works("ld.lld"):
        found.append(_foreign(folder, "macos", "aarch64-apple-darwin", _mac))
    return found


def _options(folder: Path) -> list[str]:
    """Return options for a library that does not depend on the name of the folder."""
    return ["-shared", "-fPIC", "-w", f"-fdebug-prefix-map={folder}=."]


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def _elf(folder: Path, name: str, *options: str) -> Seed:
    _run(folder, _GCC, *_options(folder), *options, "library.c", "-o", "seed.so")
    return _seed(folder, name)


def _old_compressed(folder: Path, dwarf: int) -> Seed:
    """Return a library that has each section of debugging information twice: also as `.zdebug_*`.

    `objcopy --compress-debug-sections=zlib-gnu` compresses large sections only, and renames these.
    """
    _run(folder, _GCC, *_options(folder), f"-gdwarf-{dwarf}", "library.c", "-o", "plain.so")
    arguments = []
    with (folder / "plain.so").open("rb") as stream:
        for number, section in enumerate(ELFFile(stream).iter_sections()):
            if section.name.startswith(".debug"):
                content = section.data()
                compressed = b"ZLIB" + struct.pack(">Q", len(content)) + zlib.compress(content)
                (folder / f"section{number}").write_bytes(compressed)
                arguments += ["--add-section", f".z{section.name[1:]}=section{number}"]
    _run(folder, _OBJCOPY, *arguments, "plain.so", "seed.so")
    return _seed(folder, f"compressed dwarf {dwarf} of GNU")


def _separate(folder: Path) -> Seed:
    """Return a library with a separate debug file."""
    _run(folder, _GCC, *_options(folder), "-g", "library.c", "-o", "seed.so")
    _run(folder, _OBJCOPY, "--only-keep-debug", "seed.so", "libxy.debug")
    _run(folder, _OBJCOPY, "--strip-debug", "--add-gnu-debuglink=libxy.debug", "seed.so")
    debug = folder / "libxy.debug"
    seed = msgspec.structs.replace(_seed(folder, "debug file"), debug=debug.read_bytes())
    debug.unlink()
    return seed


def _seed(folder: Path, name: str) -> Seed:
    """Return the library in a folder, with the places of the sections that abigen reads."""
    path = folder / "seed.so"
    with path.open("rb") as stream:
        file = ELFFile(stream)
        target = {"EM_AARCH64": "aarch64-linux-gnu"}.get(file["e_machine"], "x86_64-linux-gnu")
        sections = [each for each in file.iter_sections() if each.name.startswith(_INTERESTING)]
        parts = [(each["sh_offset"], each["sh_offset"] + each["sh_size"]) for each in sections]
        table = file["e_shoff"]
        parts += [(16, 64), (table, table + file["e_shnum"] * file["e_shentsize"])]
    return Seed(name, target, path.read_bytes(), tuple(part for part in parts if part[0] < part[1]))


def _foreign(folder: Path, name: str, target: str, build: Callable[[Path], None]) -> Seed:
    build(folder)
    content = (folder / "seed.so").read_bytes()
    return Seed(name, target, content, ((0, min(len(content), 4096)), (0, len(content))))


def _windows(folder: Path) -> None:
    _run(folder, _MINGW, "-shared", "-s", "-Wl,--no-insert-timestamp", "library.c", "-o", "seed.so")


def _mac(folder: Path) -> None:
    _run(folder, "clang", "--target=arm64-apple-macos11", "-w", "-c", "library.c", "-o", "library.o")
    lld = str(Path(subprocess.run(["which", "ld.lld"], capture_output=True, text=True, check=True).stdout.strip()))
    lld = str(Path(lld).resolve().with_name("lld"))
    _run(folder, lld, "-flavor", "darwin", "-dylib", "-arch", "arm64", "-platform_version", "macos", "11", "11",
         "library.o", "-o", "seed.so")  # fmt: skip


def mutated(content: bytes, parts: Sequence[tuple[int, int]], random: Random) -> bytes:
    """Return a library with mistakes: mostly in the parts that abigen reads."""
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 3, 5, 12))):
        start, end = random.choice(parts) if random.random() < 0.9 else (0, len(changed))
        place = random.randrange(start, end)
        action = random.random()
        if action < 0.4:
            changed[place : place + 1] = bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))])
        elif action < 0.65:
            size = random.choice((2, 4, 8))
            changed[place : place + size] = struct.pack("<Q", random.choice(_NUMBERS))[:size]
        elif action < 0.8:
            size = random.randrange(1, 64)
            changed[place : place + size] = random.choice((b"\0", b"\xff", b"\x80", b"\1")) * size
        elif action < 0.95:
            size, source = random.randrange(1, 64), random.randrange(start, end)
            changed[place : place + size] = changed[source : source + size]
        else:
            changed[place:place] = random.randbytes(random.randrange(1, 16))
        changed = changed[: max(len(content), 4)]
        changed += bytes(len(content) - len(changed))
    return bytes(changed if random.random() < 0.93 else changed[: random.randrange(len(changed))])


def mutant(known: Sequence[Seed], number: int) -> tuple[Seed, bytes, bytes]:
    """Return the seed, the library and the debug file of a number; always the same for the same seeds."""
    random = Random(f"library {number}")
    seed = known[number % len(known)]
    if not seed.debug:
        return seed, mutated(seed.content, seed.parts, random), b""
    library = mutated(seed.content, seed.parts, random) if random.random() < 0.3 else seed.content
    return seed, library, mutated(seed.debug, ((0, len(seed.debug)),), random)


def run(
    known: Sequence[Seed], numbers: range, folder: Path, *, is_loud: bool = False
) -> tuple[list[str], Counter[str]]:
    """Run the whole command for mutants.

    Args:
        known: the seeds.
        numbers: of the mutants.
        folder: has the header and, one after another, the mutants.
        is_loud: print the number of each mutant before it runs.

    Returns:
        The faults, and how often each seed had each exit code.
    """
    (folder / "api.h").write_text(HEADER)
    path, debug = folder / "libxy.so", folder / "libxy.debug"
    faults, codes = [], Counter[str]()
    for number in numbers:
        seed, content, separate = mutant(known, number)
        if is_loud:
            print(f"\rlibrary {number}", end="", flush=True)
        path.write_bytes(content)
        debug.unlink(missing_ok=True)
        if separate:
            debug.write_bytes(separate)
        start = time.monotonic()
        ended = run_limited(["lint", str(folder / "api.h"), "--library", str(path), "--abi", seed.target, "--no-cache"])
        seconds = time.monotonic() - start
        codes[f"{seed.name}: exit code {ended.code}"] += 1
        if ended.complaint or seconds > MAX_SECONDS:
            faults.append(f"{number} ({seed.name}): {seconds:.1f} s\n{ended.complaint}")
    return faults, codes


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.security.fuzz.libraries", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--show", action="store_true", help="show a hash of each mutant, and run nothing")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.end)
    with TemporaryDirectory(prefix="abigen-fuzz-") as directory:
        known = seeds(Path(directory))
        if arguments.show:
            for number in numbers:
                seed, content, separate = mutant(known, number)
                print(f"{number} {seed.name} {hashlib.sha256(content + separate).hexdigest()}")
            return 0
        limit()
        faults, codes = run(known, numbers, Path(directory), is_loud=True)
    print("".join(f"\n{name}: {count}" for name, count in sorted(codes.items())))
    print("".join(f"\n{fault}" for fault in faults))
    return int(bool(faults) or not known)


if __name__ == "__main__":
    sys.exit(main())
