"""The search for included files (C 6.10.2): the include path, the allowed folders, and each file that was found."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path

import msgspec
from msgspec.structs import replace

from abigen.headers.preprocessor.environment import Environment, is_of_system, stand_in_name
from abigen.headers.preprocessor.expansion import ErrorCollector
from abigen.headers.preprocessor.lexemes import MAX_FILE_CHARACTERS, File, Lexeme, Scan, scan
from abigen.model.span import IncludedFile, Span, did_you_mean
from abigen.workspace.files import absolute, is_below, typed
from abigen.workspace.options import ReadOptions, SourceFile

MAX_FILE_BYTES = 4 * MAX_FILE_CHARACTERS
_MAX_LISTED = 5000
_MAX_BESIDE = 100
HEADER_NAME = re.compile(r'[ \t]*(?P<name><[^>\n]+>|"[^"\n]+")')
"""The text after `#include` when it is not a macro (C 6.4.7)."""


_CPP_NAMES = """
algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes
ciso646 climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal
cstdalign cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque
exception execution expected filesystem flat_map flat_set format forward_list fstream functional future generator
initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map mdspan memory
memory_resource mutex new numbers numeric optional ostream print queue random ranges ratio regex scoped_allocator
semaphore set shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stdfloat stop_token
streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo
unordered_map unordered_set utility valarray variant vector version bits/stdc++.h cxxabi.h
"""
_CPP_HEADERS = frozenset(_CPP_NAMES.split())
"""The standard headers of C++ up to C++23 (ISO C++ 16.4.2.3), and two that compilers add."""
_CPP_SUFFIXES = (".hpp", ".hxx", ".hh", ".h++", ".ipp", ".tpp", ".tcc", ".inl.hpp")


def is_cpp_header(name: str) -> bool:
    """True if an `#include` of this name means a header that only C++ compilers read: `vector`, `api.hpp`."""
    return name in _CPP_HEADERS or name.endswith(_CPP_SUFFIXES)


class Found(msgspec.Struct, frozen=True):
    """An included file: its path, the index of the directory in the include path that it is in (-1: none of them), and
    whether that is one of the system's."""

    path: str
    found_in: int
    system: bool


class ForbiddenError(Exception):
    """The file exists, but lies outside of every directory that a header may include from."""


class Inclusion:
    """The files of one translation unit, and the directories in which included ones are looked for, in order.

    A header may include what lies below a *root*, links followed: the working copy that the source is in, else the
    current directory if the source is below it, else the source's own directory; and what lies below a directory of
    the include path. Links in such a directory may lead anywhere, since the user has named it, unless it is below a
    root itself: its links come from the same hands as the header. Anything else (`"/etc/passwd"`,
    `"../../../secret.h"`) is refused before it is opened.

    Directories named with `-I` go first, as compilers have it. The tree that an includer is in goes behind them and
    before the system's directories: the nearest folder above it from which a name leads to a file. It goes after these
    for what the system has, and for a bare name, which a folder far above may have by chance.

    Where a side of a comparison is a git revision, nobody can name its folders with `-I` one by one. So a file that is
    found nowhere else is looked for in the includer's whole tree: the nearest folder above with exactly one such file.
    """

    def __init__(
        self, report: ErrorCollector, options: ReadOptions, environment: Environment, roots: Sequence[str]
    ) -> None:
        """Begin with no file.

        Args:
            report: where errors go.
            options: name directories (`-I`), show the files, and say what messages call them.
            environment: has the directories of the compiler and the system, searched after those.
            roots: directories below which relative includes may lead.
        """
        self.report = report
        self._options = options
        self._files = files = options.files
        system = environment.system_dirs
        known = {files.real(each) for each in system}
        # As compilers do: such a directory stays the system's.
        named = [each for each in options.include_dirs if files.real(each) not in known]
        self._directories = (*named, *system)
        self._first_system = len(named)
        self._ignores_case = environment.ignores_case
        self._foreign = environment.foreign
        self._is_other_system = environment.is_other_system
        self._borrowed = len(named) + environment.borrowed if environment.borrowed >= 0 else sys.maxsize
        self._trusted = [files.real(each) for each in (*self._directories, *roots) if each]
        below_roots = [files.real(each) for each in roots if each]
        self._roots = below_roots
        self._vouched = [
            absolute(each)
            for each in self._directories
            if not any(is_below(files.real(each), root) for root in below_roots)
        ]
        self.files: dict[str, File] = {}
        """The known files, by their real path."""
        self.entered: dict[str, File] = {}
        """The known files that have been read, in order."""
        self.not_found: set[str] = set()
        """Headers that the user has been told of."""
        self.missing: dict[str, None] = {}
        """Headers of another target's system that are not on this machine."""
        self.included: dict[str, IncludedFile] = {}
        """The files that `#include` found, by real path; the user's count before those of the system's."""
        self.once: set[str] = set()
        """Files that are not read again, by their real path."""

    def add_source(self, source: SourceFile) -> File | None:
        """Take a file of the API's own as it is given, also where others include it.

        Returns:
            The file; None when it is there already, or cannot be read, which is reported.
        """
        real = self._files.real(source.path)
        try:
            file = File(source.name, source.path, _checked_scan(source.text), real, own=True, system=False)
        except UnreadableError as error:
            self.report.error(Span(source.name, *error.place), str(error), error.hint)
            return None
        return None if self.files.setdefault(real, file) is not file else file

    def enter(self, file: File) -> bool:
        """Note that a file is being read; whether that is the first time."""
        if not file.real or file.real not in self.entered:
            self.entered[file.real] = file
            return True
        return False

    def exists(self, name: str, file: File, *, is_next: bool) -> bool:
        """True if an `#include` would find a file.

        Args:
            name: in quotes or brackets.
            file: the file that asks.
            is_next: whether it would be `#include_next`.
        """
        match = HEADER_NAME.match(name)
        try:
            return match is not None and self._find(match["name"], file, is_next=is_next, asks=True) is not None
        except ForbiddenError:
            return False

    def include(self, name: str, file: File, place: Span, *, directive: str) -> File | None:
        """Find and read an included file.

        Args:
            name: in quotes or brackets.
            file: the file that includes it.
            place: where it does.
            directive: `include`, `include_next` or `import`.

        Returns:
            The file; None when it is not to be read again, or when it cannot be read and that has been reported.
        """
        bare = name[1:-1]
        try:
            found = self._find(name, file, is_next=directive == "include_next")
        except ForbiddenError:
            hint = "add -I for a directory that it is below, if that is meant"
            self.report.error(place, f"'{bare}' is outside of the directories that may be read", hint)
            return None
        if found is None:
            self._report_missing(name, file, place)
            return None
        if self._is_of_other_side(found, place):
            return None
        if found.found_in >= self._borrowed and not file.system:
            message = f"'{bare}' was read from this machine, which is not {self._foreign}"
            self.report.warning(place, message, "add -I for a directory that has it for that target")
        real = self._files.real(found.path)
        included = self.files.get(real) or self._read(found, real, place)
        if included is not None:
            self._note(IncludedFile(name, included.name, None if file.system else place, included.system), real, file)
        if real in self.once or (directive == "import" and real in self.entered):
            return None
        if directive == "import":
            self.once.add(real)
        return included

    def _note(self, included: IncludedFile, real: str, file: File) -> None:
        """Keep what is known of an included file: the first place, and all of the user's files that include it."""
        known = self.included.get(real)
        by = known.by if known is not None else ()
        if known is None or (known.place is None and not file.system):
            known = included
        self.included[real] = replace(known, by=by if file.system or file.name in by else (*by, file.name))

    def _find(self, name: str, file: File, *, is_next: bool, asks: bool = False) -> Found | None:
        """Return the place of an included file.

        Args:
            name: in quotes or brackets.
            file: the file that includes it.
            is_next: whether it does so by `#include_next`.
            asks: True for `__has_include`, whose answer must be the one that compilers give.

        Raises:
            ForbiddenError: it may not be read.
        """
        candidates = self._candidates(name, file, is_next=is_next)
        side = self._options.side
        wide = side is not None and side.in_git and not (asks or is_next or file.system)
        for path, number in chain(candidates, self._in_whole_tree(name[1:-1], file.path) if wide else ()):
            if "\0" not in path and self._files.is_file(path):
                whole = absolute(path)
                if not any(is_below(whole, each) for each in self._vouched) and not self._may_read(path):
                    raise ForbiddenError(path)
                return Found(path, number, file.system if number < 0 else number >= self._first_system)
        return None

    def _candidates(self, name: str, file: File, *, is_next: bool) -> Iterator[tuple[str, int]]:
        """Yield the possible places of an included file, each with the index of the directory in the include path."""
        bare = name[1:-1]
        if os.path.isabs(bare):
            yield bare, -1
            return
        if name[0] == '"' and not is_next:
            yield os.path.join(os.path.dirname(file.path), bare), -1
        is_in_tree = not (is_next or file.system or file.found_in >= 0 or ".." in bare.split("/"))
        first = file.found_in + 1 if is_next else 0
        last = min(self._borrowed if self._has_its_own(bare) else sys.maxsize, len(self._directories))
        for number in range(first, min(last, self._first_system)):
            yield os.path.join(self._directories[number], bare), number
        if is_in_tree and file.path:
            yield from self._in_tree(bare, file.path, far=False)
        for number in range(max(first, self._first_system), last):
            yield os.path.join(self._directories[number], bare.lower() if self._ignores_case else bare), number
        if is_in_tree and file.path:
            yield from self._in_tree(bare, file.path, far=True)

    def _in_tree(self, name: str, source: str, *, far: bool) -> Iterator[tuple[str, int]]:
        """Yield the place of a file in the tree of the including file, if it exists and may be read.

        Args:
            name: as it is written between the quotes or brackets.
            source: path of the file that includes it.
            far: whether a name that the system has may be meant, too, and a bare one in a folder above.
        """
        first, slash, _ = name.partition("/")
        start = Path(absolute(source)).parent
        for folder in (start, *start.parents) if far or slash else (start,):
            path = os.path.join(folder, name)
            if self._has_its_own(name) and str(folder) in self._directories[self._borrowed :]:
                return
            if self._files.is_file(path):
                is_shared = bool(slash) and is_below(str(start), os.path.join(folder, first))
                if self._may_read(path) and (far or is_shared or not self._is_of_system(name)):
                    yield path, -1
                return

    def _in_whole_tree(self, name: str, source: str) -> Iterator[tuple[str, int]]:
        """Yield the file of this name in the nearest folder above the includer below which there is just one."""
        start = self._files.real(os.path.dirname(source) or os.curdir)
        root = min((each for each in self._roots if is_below(start, each)), key=len, default="")
        wanted = os.path.normpath(name)
        if not root or not source or self._has_its_own(name) or wanted.startswith(os.pardir) or os.path.isabs(wanted):
            return
        try:
            found = [each for each in self._files.below(root) if f"/{each}".endswith(f"/{wanted}")]
        except OSError:
            return
        for folder in (start, *map(str, Path(start).parents)):
            near = [whole for each in found if is_below(whole := os.path.join(root, each), folder)]
            if near:
                yield from ((each, -1) for each in near if len(near) == 1)
                return

    def _has_its_own(self, name: str) -> bool:
        """True if the target's system has a header of this name otherwise than this machine, or has none."""
        return self._is_other_system and is_of_system(name)

    def _may_read(self, path: str) -> bool:
        """True if a path, links followed, is below a directory that a header may include from."""
        real = self._files.real(path)
        return any(is_below(real, each) for each in self._trusted)

    def _is_of_system(self, name: str) -> bool:
        """True if the system has a header of this name."""
        return any(self._files.is_file(os.path.join(each, name)) for each in self._directories[self._first_system :])

    def _is_of_other_side(self, found: Found, place: Span) -> bool:
        """True if a file is in the tree of the other side of a comparison, which is then reported."""
        side = self._options.side
        if side is None or not side.foreign or found.system:
            return False
        path, real = absolute(found.path), self._files.real(found.path)
        is_foreign = is_below(path, side.foreign)
        if found.found_in >= 0:  # through a link that no file of this side's tree is
            is_foreign |= is_below(real, self._files.real(side.foreign))
        if not is_foreign or any(is_below(real, self._files.real(each)) for each in side.include_dirs):
            return False
        option, other = f"--{side.name}-include", "OLD" if side.name == "new" else "NEW"
        message = f"{side.name.upper()} reads {typed(path)}, which belongs to {other}"
        folder = typed(os.path.dirname(path))
        hint = f"add {option} DIR for the directory with its own or, if that one is meant, {option} {folder}"
        self.report.error(place, message, hint)
        return True

    def _report_missing(self, name: str, file: File, place: Span) -> None:
        bare = name[1:-1]
        if is_cpp_header(bare):
            if bare not in self.not_found:
                self.not_found.add(bare)
                hint = "put it, and what needs it, inside #ifdef __cplusplus"
                self.report.error(place, f"'{bare}' is a header of C++, a C compiler cannot read it", hint)
        elif self._foreign and (name[0] == "<" or file.system):
            self.missing[bare] = None
            message = f"'{bare}' not found, and skipped; it may be one of {self._foreign}'s own headers"
            self.report.warning(place, message, "add -I for a directory that has it for that target")
        elif bare not in self.not_found:
            self.not_found.add(bare)
            self.report.error(place, f"'{bare}' not found", self._advice(bare, file.path))

    def _near(self, directory: str) -> list[str]:
        """Return a directory, and, where it may be read, those in it."""
        below: list[str] = []
        if self._may_read(directory):
            with suppress(OSError):
                below = [each for each in self._files.names(directory)[:_MAX_BESIDE] if not each.startswith(".")]
        return [directory, *(os.path.join(directory, each) for each in below)]

    def _advice(self, name: str, source: str) -> str:
        """Return the remedy for a missing include, one line; `source` is the file that includes it."""
        option = f"--{self._options.side.name}-include" if self._options.side else "-I"
        start = Path(absolute(source)).parent
        for above in (start, *start.parents):
            directory = next((each for each in self._near(str(above)) if self._files.is_file(f"{each}/{name}")), "")
            if directory:
                return f"add {option} {typed(self._options.place_on_disk(directory)) or 'DIR'}"
        folder, base = os.path.split(name)
        candidates: dict[str, str] = {}
        for directory in (os.path.dirname(source) or ".", *self._directories):
            try:
                entries = self._files.names(os.path.join(directory, folder))
            except OSError:
                continue
            for entry in entries[:_MAX_LISTED]:
                candidates.setdefault(entry, os.path.join(folder, entry))
        if base in candidates:
            return f"{candidates[base]} exists, and is not a file"
        otherwise = "add -I DIR for the directory that it is in"
        return did_you_mean(base, candidates, otherwise, shown=candidates.__getitem__, cutoff=0.8)

    def _read(self, found: Found, real: str, place: Span) -> File | None:
        try:
            text = _scan_content(self._files.read(found.path))
        except UnreadableError as error:
            self.report.error(place, f"{self._options.display_name(found.path)}: {error}", error.hint)
            return None
        except OSError as error:
            self.report.error(place, f"{self._options.display_name(found.path)}: {error.strerror}")
            return None
        name = stand_in_name(found.path) or self._options.display_name(found.path)
        file = File(name, found.path, text, real, own=False, system=found.system, found_in=found.found_in)
        self.files[real] = file
        return file


def spelled(lexemes: Sequence[Lexeme]) -> str:
    """Lexemes as text, with white space only where it was."""
    return "".join((" " if lexeme.spaced and number else "") + lexeme.text for number, lexeme in enumerate(lexemes))


class UnreadableError(Exception):
    """The file cannot be read as C."""

    def __init__(self, message: str, hint: str = "", place: tuple[int, int] = (1, 1)) -> None:
        """Say what is wrong, what to do about it, and at which line and column."""
        super().__init__(message)
        self.hint = hint
        self.place = place


@lru_cache(maxsize=256)
def _scan_content(content: bytes) -> Scan:
    """Return the scan of a file's content, made once for all targets: UTF-8, else Latin-1."""
    if len(content) > MAX_FILE_BYTES:
        message = f"the file has {len(content):,} bytes"
        raise UnreadableError(message, f"headers up to {MAX_FILE_BYTES:,} bytes are read")
    try:
        return _checked_scan(content.decode("utf-8"))
    except UnicodeDecodeError:
        return _checked_scan(content.decode("latin-1"))


def _checked_scan(text: str) -> Scan:
    if len(text) > MAX_FILE_CHARACTERS:
        hint = f"headers up to {MAX_FILE_CHARACTERS:,} characters are read"
        raise UnreadableError(f"the file has {len(text):,} characters", hint)
    result = scan(text)
    if "\0" in text:
        hint = "save it as UTF-8" if text.startswith(("\xff\xfe", "\xfe\xff")) or text[1:2] == "\0" else ""
        raise UnreadableError(
            "this is not text: it contains a null character", hint, result.place(result.text.index("\0"))
        )
    return result
