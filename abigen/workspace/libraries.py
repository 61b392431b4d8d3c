"""Finds shared libraries in directories, builds them from C, and reads their symbols."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import shlex
import stat
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from shutil import which
from typing import BinaryIO

import msgspec

from abigen.model.compiled_library import SymbolVersions
from abigen.model.span import AbigenError, Diagnostic, Span, printable
from abigen.workspace.symbol_versions import read_versions

_SUFFIXES = {"win32": (".dll",), "darwin": (".dylib", ".so")}


def plugin_suffixes(platform: str = sys.platform) -> tuple[str, ...]:
    """Return the endings of the names of shared libraries on a platform."""
    return _SUFFIXES.get(platform, (".so",))


def default_directories(folder: str) -> tuple[Path, ...]:
    """Return the folders of this name in all directories of Python packages.

    Args:
        folder: as the API's documents name it.
    """
    import site
    import sysconfig

    paths = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]
    if site.ENABLE_USER_SITE:
        paths.append(site.getusersitepackages())
    found = (Path(path) / folder for path in dict.fromkeys(paths))
    return tuple(path for path in found if path.is_dir())


def find_plugins(directories: Iterable[Path]) -> tuple[Path, ...]:
    """Find the plugins in directories.

    A plugin is a shared library in a directory, or in a folder below it, as packages install theirs. Symlinks and hard
    links to one file are one plugin, under the first of its names.

    Args:
        directories: in the order in which their plugins are to be loaded.

    Returns:
        Paths below the directories, those of one directory sorted by their names.

    Raises:
        AbigenError: there is no such directory.
    """
    found: dict[tuple[int, int], Path] = {}
    for directory in directories:
        if not directory.is_dir():
            raise AbigenError.at(None, f"there is no directory {directory} to look for plugins in")
        for path in _libraries(directory):
            status = path.stat()
            found.setdefault((status.st_dev, status.st_ino), path)
    return tuple(found.values())


def _libraries(directory: Path) -> Iterator[Path]:
    """Yield the shared libraries below a directory, sorted, without hidden files, caches and dangling links."""
    suffixes = plugin_suffixes()
    for path in sorted(directory.rglob("*"), key=lambda path: path.relative_to(directory).parts):
        parts = path.relative_to(directory).parts
        hidden = any(part.startswith((".", "__pycache__")) for part in parts)
        if not hidden and path.name.endswith(suffixes) and path.is_file():
            yield path


def identity(path: Path) -> tuple[int, int]:
    """Return the device and inode numbers of a file, which are equal for two paths to one file.

    Raises:
        AbigenError: there is no such file.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise AbigenError.at(None, f"{path}: {error.strerror}") from error
    return status.st_dev, status.st_ino


_COMPILERS = ("cc", "gcc", "clang")
"""Names of C compilers, in the order in which they are tried when the environment names none in CC."""


def find_compiler() -> list[str]:
    """Return the C compiler and its first arguments: the environment's CC, or the first on PATH.

    Raises:
        AbigenError: there is none; with how to get one.
    """
    chosen = shlex.split(os.environ.get("CC", ""))
    if chosen and which(chosen[0]) is None:
        message = f"CC names `{chosen[0]}`, which does not exist"
        raise AbigenError.at(None, message, "set CC to an installed compiler")
    found = chosen or [name for name in _COMPILERS if which(name)][:1]
    if not found:
        mac = sys.platform == "darwin"
        package = "the command line tools by `xcode-select --install`" if mac else "gcc or clang"
        message = "a C compiler is needed to build the library that plugins link against, and none is installed"
        raise AbigenError.at(None, message, f"install {package}, or name one in the environment as CC")
    return found


def compile_library(arguments: Sequence[str], output: Path, *, source: str = "") -> None:
    """Compile and link a shared library.

    Args:
        arguments: for the compiler: options, and the sources that are files.
        output: the library; it is put in place whole, or not at all.
        source: a further source, as text; empty for none.

    Raises:
        AbigenError: there is no compiler, or it refuses; with what it said.
    """
    import subprocess

    temporary = output.with_name(f".{output.name}.{os.getpid()}")
    kind = "-dynamiclib" if sys.platform == "darwin" else "-shared"
    given = ["-x", "c", "-"] if source else []
    command = [*find_compiler(), kind, "-fPIC", "-O1", *arguments, *given, "-o", str(temporary)]
    result = subprocess.run(command, input=source, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode:
        temporary.unlink(missing_ok=True)
        said = (result.stderr or result.stdout).strip()
        lines = (f"{command[0]} cannot build the core's library:", *said.splitlines())
        raise AbigenError([Diagnostic(None, line) for line in lines])
    temporary.replace(output)


def source_places(library: Path, offsets: Sequence[int]) -> tuple[Span | None, ...]:
    """Return the places in source of the functions at some offsets; None without debug information or `addr2line`."""
    program = which("addr2line") or which("llvm-addr2line")
    if program is None or not offsets:
        return (None,) * len(offsets)
    command = [program, "-e", str(library), *map(hex, offsets)]
    told = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout.splitlines()
    return tuple(map(_source_place, told)) if len(told) == len(offsets) else (None,) * len(offsets)


def _source_place(told: str) -> Span | None:
    """Read the place in a line of `addr2line`: `plugin.c:12 (discriminator 3)`; None for `??:0`."""
    file, _, rest = told.rpartition(":")
    line = rest.split(" ")[0]
    if file in ("", "??") or not line.isdigit() or line == "0":
        return None
    path = Path(file)
    return Span(str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path), int(line), 1)


def kept_library(source: str, options: Sequence[str], folder: Path) -> Path:
    """Compile a shared library from one text, unless that has been done before.

    Args:
        source: in C.
        options: for the compiler.
        folder: the folder of such libraries; it need not exist.

    Returns:
        The library.

    Raises:
        AbigenError: there is no compiler, or it refuses.
    """
    key = hashlib.sha256("\0".join((*find_compiler(), source, *options)).encode()).hexdigest()[:32]
    path = folder / f"{key}.so"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        compile_library(["-w", "-fno-builtin", *options], path, source=source)
    return path


_KINDS = (
    (b"!<arch>", "an archive of objects (a static library): link it with -shared"),
    (b"!<thin>", "an archive of objects (a static library): link it with -shared"),
    (b"MZ", "a program or library for Windows"),
    (b"\xcf\xfa\xed\xfe", "a program or library for macOS"),
    (b"\xca\xfe\xba\xbe", "a program or library for macOS"),
    (b"PK", "a zip file, such as a Python wheel: unpack it, and name the library in it"),
    (b"\x1f\x8b", "a compressed file: unpack it"),
    (b"#!", "a script"),
    (b"/* GNU ld", "a script for the linker, which names the library"),
)
"""The first bytes of files that are often mistaken for shared libraries, and the kind of file."""


def kind_of_file(content: bytes) -> str:
    """Return the kind of a file that is no library of this system, as the end of a sentence; empty if unknown.

    Args:
        content: the first 512 bytes.
    """
    if not content:
        return ": it is empty"
    kind = next((kind for magic, kind in _KINDS if content.startswith(magic)), "")
    is_text = not kind and all(each >= 32 or each in b"\t\n\r\f" for each in content)
    return f": it is {kind or 'a text file'}" if kind or is_text else ""


def refuse_other_files(path: Path) -> None:
    """Refuse a file that the loader cannot load, before it is opened in a way that waits, or loaded.

    The loader maps the segments that the file's header names. Where these go on after the end of the file, it ends the
    process with SIGBUS, for which the plugin's author is not to blame.

    Args:
        path: names a plugin's library.

    Raises:
        AbigenError: there is no such file; it is a folder, a pipe or a device; it is no shared library of this system,
            or is not whole.
    """
    name = printable(str(path))
    try:
        with open_file(path, "the plugin's library") as file:
            begin = file.read(512)
            if begin[:4] == b"\x7fELF":
                _check_machine(path, begin[:20])
                _check_segments(path, begin[:64], file)
                return
    except OSError as error:
        reason = f"there is no file {name}" if isinstance(error, FileNotFoundError) else ""
        raise AbigenError.at(None, reason or f"cannot read {name}: {error.strerror}") from None
    if sys.platform == "linux":
        hint = "a plugin is a shared library, in the ELF format on this system"
        raise AbigenError.at(None, f"{name} is not a shared library{kind_of_file(begin)}", hint)


def open_file(path: Path, subject: str, most: int = sys.maxsize, real: str = "") -> BinaryIO:
    """Open a file once, without waiting for a writer of a pipe.

    Args:
        path: names the file.
        subject: the use of the file, for the hint: `the plugin's library`.
        most: the largest size, in bytes.
        real: the path without links, if the caller has checked it; a link that is there now is not followed.

    Raises:
        OSError: there is no such file, or it cannot be read.
        AbigenError: it is a folder, a pipe, a socket or a device, or is too large.
    """
    name = printable(str(path))
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(real or path, flags | (getattr(os, "O_NOFOLLOW", 0) if real else 0))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise AbigenError.at(None, f"{name} is not a file: it is a socket or a device", f"name {subject}") from None
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_size <= most:
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISREG(status.st_mode):
        raise AbigenError.at(None, f"{name} is too large: it has more than {most >> 20} MB")
    if stat.S_ISDIR(status.st_mode):
        raise AbigenError.at(None, f"{name} is a folder", f"name {subject} in it")
    kind = "a pipe" if stat.S_ISFIFO(status.st_mode) else "a device"
    raise AbigenError.at(None, f"{name} is not a file: it is {kind}", f"name the file of {subject}")


def _check_segments(path: Path, header: bytes, file: BinaryIO) -> None:
    """Compare the program headers and segments of an ELF file with its length (System V ABI, chapters 4 and 5).

    Raises:
        AbigenError: the file ends before they do.
    """
    length = file.seek(0, os.SEEK_END)
    order = ">" if header[5:6] == b"\2" else "<"
    is_wide = header[4:5] == b"\2"
    try:
        (table,) = struct.unpack_from(order + ("Q" if is_wide else "I"), header, 32 if is_wide else 28)
        size, count = struct.unpack_from(order + "HH", header, 54 if is_wide else 42)
        ends = [table + size * count]
        file.seek(min(table, length))
        headers = file.read(size * count)
        for start in range(0, len(headers) - size + 1, size or len(headers) + 1):
            form, places = ("QQ", (8, 32)) if is_wide else ("II", (4, 16))
            offset, stored = (struct.unpack_from(order + each, headers, start + at)[0]
                              for each, at in zip(form, places, strict=True))  # fmt: skip
            (kind,) = struct.unpack_from(order + "I", headers, start)
            if kind in _MAPPED:
                ends.append(offset + stored)
    except struct.error:
        ends = [length + 1]
    if max(ends) > length:
        message = f"{printable(str(path))} is incomplete: the file ends after {length} bytes, before its segments do"
        raise AbigenError.at(None, message, "build or copy it again")


_MAPPED = (1, 2)
"""Kinds of segments that the loader needs: PT_LOAD and PT_DYNAMIC."""


_SECTIONS = {1: ((32, 4), (48, 4)), 2: ((40, 8), (60, 4))}
"""By class of file, where its header says where the sections are and how many: offset and size in bytes of each."""


class SharedLibrary(msgspec.Struct, frozen=True):
    """The dynamic symbols of a shared library."""

    exports: frozenset[str]
    """Symbols that others find in it."""
    needs: tuple[str, ...]
    """Symbols that it must find elsewhere, in the order of its table; weak ones are not among them."""
    libraries: tuple[str, ...]
    """Libraries that it names, as the loader looks for them."""
    functions: frozenset[str] = frozenset()
    """The exported symbols that are functions."""
    objects: Mapping[str, int] = msgspec.field(default_factory=dict)
    """The exported data objects, with their sizes in bytes; thread-local ones are not among them."""
    versions: Mapping[str, SymbolVersions] = msgspec.field(default_factory=dict)
    """The versions of exported symbols that have one."""
    defined_versions: frozenset[str] = frozenset()
    """The names of all versions that the library defines."""
    soname: str = ""
    """The name by which the loader looks for it; empty if it states none."""


DAMAGED = (
    struct.error, zlib.error, LookupError, ValueError, AttributeError, TypeError, AssertionError, OSError, EOFError,
    ArithmeticError, RuntimeError,
)  # fmt: skip
"""The errors that pyelftools raises for damaged tables, besides its own: it checks few of them, and asserts others."""


def read_library(path: Path) -> SharedLibrary | None:
    """Read a shared library's dynamic symbols, by way of the program headers, as the loader does.

    Args:
        path: the library, which is to be loaded.

    Returns:
        None for a file in another format than ELF, such as those of macOS and Windows.

    Raises:
        AbigenError: the file cannot be read, is for another machine, or is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise AbigenError.at(None, f"cannot read {path}: {error.strerror}") from None
    if content[:4] != b"\x7fELF":
        return None
    _check_machine(path, content[:20])
    return read_symbols(path, content)


def read_symbols(path: Path, content: bytes) -> SharedLibrary:
    """Read the dynamic symbols in the content of an ELF file, for any machine.

    Args:
        path: the file, for messages.
        content: the whole of it.

    Raises:
        AbigenError: it is damaged.
    """
    from elftools.common.exceptions import ELFError
    from elftools.construct import ConstructError

    shown = printable(str(path))
    _check_segments(path, content[:64], BytesIO(content))
    try:
        changed = bytearray(content)
        for start, size in _SECTIONS[content[4]]:  # sections may be stripped or wrong: the loader ignores them
            changed[start : start + size] = bytes(size)
        return _read(bytes(changed))
    except UnicodeDecodeError:
        raise AbigenError.at(None, f"{shown} has a name that is not UTF-8") from None
    except (ELFError, ConstructError, *DAMAGED):
        raise AbigenError.at(None, f"{shown} is damaged: its tables are outside of the file") from None


_TYPES = {1: "an object file: link it with -shared", 2: "a program", 4: "a memory dump of a process"}
_CLASSES = {1: "32 bits", 2: "64 bits"}


def _check_machine(path: Path, header: bytes) -> None:
    """Compare the machine that a file is made for with that of this program.

    Raises:
        AbigenError: it is for another class of machine, or is no library.
    """
    own = _CLASSES[2 if sys.maxsize > 1 << 32 else 1]
    if len(header) == 20 and header[4] in _CLASSES and _CLASSES[header[4]] != own:
        hint = f"build it for machines of {own}"
        raise AbigenError.at(None, f"{path} is for machines of {_CLASSES[header[4]]}, this one has {own}", hint)
    _check_processor(path, header)
    type = int.from_bytes(header[16:18], "little" if header[5:6] == b"\1" else "big")
    if type in _TYPES:
        raise AbigenError.at(None, f"{path} is not a shared library: it is {_TYPES[type]}", "name the plugin's library")


def _check_processor(path: Path, header: bytes) -> None:
    """Compare the processor that a file is made for with that of this very program.

    Raises:
        AbigenError: it is another one.
    """
    from elftools.elf.descriptions import describe_e_machine
    from elftools.elf.enums import ENUM_E_MACHINE

    with Path(sys.executable).open("rb") as program:
        own = program.read(20)
    if len(header) == 20 and own[:4] == header[:4] and header[18:20] != own[18:20]:
        names = {number: describe_e_machine(name) for name, number in ENUM_E_MACHINE.items() if name != "_default_"}
        made, here = (
            names.get(int.from_bytes(each[18:20], "little"), "an unknown processor") for each in (header, own)
        )
        raise AbigenError.at(None, f"{path} is for {made}, this machine is {here}", "build it for this machine")


def _read(content: bytes) -> SharedLibrary:
    from elftools.common.exceptions import ELFError
    from elftools.elf.dynamic import DynamicSegment
    from elftools.elf.elffile import ELFFile

    file = ELFFile(BytesIO(content))
    if not file.num_segments():
        raise ELFError("there are no segments")
    dynamic = next((each for each in file.iter_segments() if isinstance(each, DynamicSegment)), None)
    if dynamic is None or None in (dynamic.get_table_offset(tag)[0] for tag in ("DT_SYMTAB", "DT_STRTAB")):
        return SharedLibrary(frozenset(), (), ())
    if None in (dynamic.get_table_offset(tag)[1] for tag in ("DT_SYMTAB", "DT_STRTAB")):
        raise ELFError("a table is in no segment")
    code = [each for each in file.iter_segments("PT_LOAD") if each["p_flags"] & 1]
    exports, functions, objects, needs, places = set(), set(), {}, [], []
    for place, symbol in list(enumerate(dynamic.iter_symbols()))[1:]:
        binding, visibility = symbol["st_info"]["bind"], symbol["st_other"]["visibility"]
        if symbol["st_shndx"] != "SHN_UNDEF":
            if binding != "STB_LOCAL" and visibility not in ("STV_HIDDEN", "STV_INTERNAL"):
                exports.add(symbol.name)
                places.append((place, symbol.name))
                kind, at = symbol["st_info"]["type"], symbol["st_value"]
                in_code = any(each["p_vaddr"] <= at < each["p_vaddr"] + each["p_filesz"] for each in code)
                if kind in _FUNCTION_KINDS or (kind == "STT_NOTYPE" and in_code):
                    functions.add(symbol.name)
                elif kind in ("STT_OBJECT", "STT_COMMON"):
                    objects[symbol.name] = symbol["st_size"]
        elif symbol.name and binding not in ("STB_LOCAL", "STB_WEAK"):
            needs.append(symbol.name)
    libraries = tuple(str(getattr(tag, "needed", "")) for tag in dynamic.iter_tags("DT_NEEDED"))
    soname = next((str(getattr(tag, "soname", "")) for tag in dynamic.iter_tags("DT_SONAME")), "")
    versions, defined = read_versions(content, dynamic, places, is_little=file.little_endian)
    return SharedLibrary(
        exports=frozenset(exports),
        needs=tuple(needs),
        libraries=libraries,
        functions=frozenset(functions),
        objects=objects,
        versions=versions,
        defined_versions=defined,
        soname=soname,
    )


_FUNCTION_KINDS = ("STT_FUNC", "STT_LOOS")
"""Types of symbols that are functions; the second is STT_GNU_IFUNC, which the loader resolves by a call."""

_AGAIN = "ABIGEN_SANITIZED"
"""In the environment of a run whose first library is the runtime."""
_RUNTIME = re.compile(r"lib(clang_rt\.)?(asan|tsan)\b.*\.so")
_SIGNALS = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0"
_OPTIONS = {
    "ASAN_OPTIONS": f"detect_leaks=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:{_SIGNALS}",
    "TSAN_OPTIONS": _SIGNALS,
}
"""The checks report crashes and leaks themselves; to find leaks, they need an allocator that reuses freed memory."""


def environment_for(binary: SharedLibrary | None) -> Mapping[str, str] | None:
    """Return the environment in which a plugin that is built with a sanitizer can be loaded.

    Args:
        binary: the plugin.

    Returns:
        None where the plugin needs no runtime, where there is none, and where this process has it.
    """
    if binary is None or sys.platform != "linux" or _AGAIN in os.environ:
        return None
    named = next((each for each in binary.libraries if _RUNTIME.match(each)), "")
    kind = next((each for each in ("asan", "tsan") if any(need.startswith(f"__{each}_") for need in binary.needs)), "")
    runtime = named or (_runtime_of_clang(kind) if kind else "")
    if not runtime:
        return None
    options = {name: ":".join(filter(None, (text, os.environ.get(name)))) for name, text in _OPTIONS.items()}
    return {**os.environ, **options, "LD_PRELOAD": runtime, _AGAIN: "1"}


def _runtime_of_clang(kind: str) -> str:
    """Return the path of the runtime, which clang does not link to libraries; empty if there is no clang."""
    clang = which("clang")
    if clang is None:
        return ""
    name = f"libclang_rt.{kind}-{platform.machine()}.so"
    found = subprocess.run([clang, f"-print-file-name={name}"], capture_output=True, text=True, check=False).stdout
    return found.strip() if Path(found.strip()).is_file() else ""
