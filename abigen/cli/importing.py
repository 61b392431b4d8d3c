"""What `abigen import` does before it writes: it builds the new specs, compiles them, and says what it has not read."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import cast

from msgspec.structs import replace

from abigen.cli.specs import load_specs, publication_of, templates_of
from abigen.files import Files
from abigen.model.api import ApiSet
from abigen.model.ctype import EnumType, RecordType, types_in
from abigen.model.entities import Struct
from abigen.model.span import AbigenError, Diagnostic, HiddenPart, Span
from abigen.read.options import ReadOptions

_SECONDS = 60.0
"""What compiling one header may take."""
_MOST_LINES = 3
"""What is shown of what a compiler says of one header."""
_ALONE, _SHOWN = 3, 8
"""How many of a kind are listed one by one, and of how many the names are shown."""
_UNDEFINED = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
_TAGGED = (RecordType, EnumType)
_LANGUAGES = {"c": "C", "c++": "C++"}


def try_out(folder: Path, headers: Mapping[str, str], options: ReadOptions) -> None:
    """Build specs and compile their headers, in C and in C++.

    A header need not compile where the one that it was made from does not compile either, nor where there is no
    compiler.

    Args:
        folder: holds the specs, and gets what is built.
        headers: name of a spec to the header that it was made from: an operand, or a path.
        options: how the headers were read.

    Raises:
        AbigenError: a spec cannot be read or built, or a compiler refuses what was built; nothing is to be written.
    """
    from abigen.emit.build import build, find_specs
    from abigen.emit.output_files import write_files

    disk, made = Files(), folder / "generated"
    try:
        loaded = load_specs(find_specs((), folder, disk), lambda _: None, disk, cache=False)
        publications = [publication_of(spec, each) for spec, each in loaded.items()]
        files = build(publications, ("c",), templates_of(None, disk))
    except AbigenError as error:
        raise _refusal([_without_folder(each) for each in error.diagnostics]) from None
    write_files(files, made, disk)
    problems: list[Diagnostic] = []
    compiler = _compiler(options)
    for each in publications if compiler else ():
        name = Path(each.spec).name
        original = headers[Path(name).stem]
        if not options.files.is_file(original):
            continue  # what it includes lies in a revision
        for language, called in _LANGUAGES.items():
            attempt = _attempt(compiler, language, options)
            said = attempt(made / "c" / each.header.path, (str(made / "c"),))
            if said and not attempt(Path(original), ()):
                lines = [line.replace(f"{made}/c/", "") for line in said if "error" in line][:_MOST_LINES]
                text = f"what {name} makes is no {called}: "
                problems += [Diagnostic(None, text + line) for line in lines or said]
    if problems:
        raise _refusal(problems)


def unread(parts: Iterable[HiddenPart]) -> Iterator[Diagnostic]:
    """Say which declarations a spec lacks because no target reads them.

    Args:
        parts: what conditions keep from all targets.
    """
    for each in parts:
        if each.declares:
            why = "only C++ reads it" if each.is_for_cpp else "no target reads it; --abi, -D and -U say what holds"
            yield Diagnostic(each.place, f"text below {each.condition}: {why}", severity="note")


def scoped_types(read: ApiSet) -> Iterator[Diagnostic]:
    """Say which types with tags stand in a struct that C++ knows them by, and before it in the spec.

    Args:
        read: the header; one that does not mention C++ is none for it.
    """
    api = read.groups[0].api
    if not any("__cplusplus" in text for text in read.sources.values()):
        return
    for outer in api.structs.values():
        before = outer.span
        for member in (outer.fields or ()) if outer.in_api else ():
            for type in types_in(member.type):
                is_enum = isinstance(type, EnumType)
                inner = (api.enums if is_enum else api.structs).get(type.key) if isinstance(type, _TAGGED) else None
                if inner is None or inner.anonymous or not (before and inner.span and member.span):
                    continue
                if before.file == inner.span.file == member.span.file and before < inner.span < member.span:
                    kind = inner.kind if isinstance(inner, Struct) else "enum"
                    text = (
                        f"{kind} {inner.name}: C++ calls it {outer.name}::{inner.name}; it stands by itself in the spec"
                    )
                    yield Diagnostic(inner.span, text, severity="note")
            before = member.span


def conditional_includes(read: ApiSet, includes: Iterable[str]) -> Iterator[Diagnostic]:
    """Say which headers the header includes below a condition, and the spec includes, or has the contents of, always.

    Args:
        read: the header, with those that are part of it.
        includes: of its spec.
    """
    from abigen.read.c.preprocessor.lexemes import outline_of

    api = read.groups[0].api
    outlines = {name: frozenset(outline_of(text).includes) for name, text in read.sources.items()}
    always = {*api.files[:1]}
    for each in api.included:  # what includes a file comes before it
        if any(each.name in outlines.get(by, ()) for by in always.intersection(each.by)):
            always.add(each.file)
    named = frozenset[str]().union(*(outlines.get(each, ()) for each in always))
    places = {each.name: each.place for each in api.included if each.place is not None and each.place.file in outlines}
    for each in api.included:
        if each.file in outlines and each.file not in always and each.place is not None:
            text = f"header {each.name[1:-1]}: it is included below a condition; the spec has its declarations anyway"
            yield Diagnostic(each.place, text, severity="note")
    for name in includes:
        place = places.get(name)
        if place is not None and name not in named:
            yield conditional_include(name, place)


def conditional_include(name: str, place: Span) -> Diagnostic:
    """Say that a spec includes always what the header includes below a condition."""
    text = f"include {name}: it depends on a condition; the spec has what holds here"
    return Diagnostic(place, text, severity="note")


def lost_macros(read: ApiSet, document: Mapping[str, object], used: Iterable[ApiSet]) -> Iterator[Diagnostic]:
    """Say which macros are there with a header and not with its spec, or the other way round.

    Args:
        read: the header, with those that are part of it.
        document: its spec.
        used: the headers that have specs of their own.
    """
    from abigen.read.c.preprocessor.lexemes import outline_of

    api = read.groups[0].api
    outlines = [outline_of(each) for each in read.sources.values()]
    constants = cast(list[dict[str, object]], document.get("constants", ()))
    kept = {outlines[0].guard, *(each["name"] for each in constants)}
    for guard in dict.fromkeys(guard for each in outlines for guard in (each.guard, *sorted(each.guards))):
        if not guard or guard in kept:
            continue
        text = f"include guard {guard}: its header is part of the spec, which defines no other guard than its own"
        yield Diagnostic(api.constants[guard].span if guard in api.constants else None, text, severity="note")
    undefined = {name for text in read.sources.values() for name in _UNDEFINED.findall(text)}
    undefined -= {*api.constants, *api.macros}
    for before in (each.groups[0].api for each in used):
        for macro in (*before.constants.values(), *before.macros.values()):
            if macro.in_api and macro.name in undefined:
                text = f"macro {macro.name}: the header undefines it, and the specs leave it defined"
                yield Diagnostic(macro.span, text, severity="note")


def grouped(gaps: Iterable[Diagnostic]) -> Iterator[str]:
    """What is not in a spec, by place; several of which the same is to be said in one line."""
    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for each in sorted(dict.fromkeys(gaps), key=lambda gap: (gap.place.file, gap.place.line) if gap.place else ("", 0)):
        what, _, text = each.message.partition(": ")
        kind, _, name = what.rpartition(" ")
        is_name = re.sub("[.<>/-]", "", name).isidentifier()
        groups.setdefault((kind if is_name else what, text), []).append(each)
    for (kind, text), found in groups.items():
        if len(found) <= _ALONE:
            yield from (f"{placed(each)}not in the spec as it is: {each.message}" for each in found)
        else:
            shown = [each.message.partition(": ")[0].rpartition(" ")[2] for each in found]
            rest = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN + 1 else ""
            names = ", ".join(shown[:_SHOWN] if rest else shown) + rest
            called = kind if found[0].message.startswith(f"{kind}: ") else f"{kind} ({names})"
            yield f"{placed(found[0])}not in the spec as they are: {len(found)} times {called}: {text}"


def placed(diagnostic: Diagnostic) -> str:
    """The place of something and a colon; empty where it has none."""
    return f"{diagnostic.place}: " if diagnostic.place else ""


def _compiler(options: ReadOptions) -> Sequence[str]:
    """The command of the compiler; empty for none."""
    from abigen.host.libraries import find_compiler

    if options.cc:
        command = () if options.cc == "none" else (options.cc,) if which(options.cc) else shlex.split(options.cc)
        return command if command and which(command[0]) else ()
    try:
        return find_compiler()
    except AbigenError:
        return ()


def _attempt(
    compiler: Sequence[str], language: str, options: ReadOptions
) -> Callable[[Path, Sequence[str]], Sequence[str]]:
    """A function that compiles a header, given further directories, and says what is wrong with it: lines."""

    def attempt(header: Path, folders: Sequence[str]) -> Sequence[str]:
        said = [f"-I{each}" for each in (*folders, *options.include_dirs)]
        said += [f"-D{each}" for each in options.defines] + [f"-U{each}" for each in options.undefines]
        said += [f"-include{each}" for each in options.preincludes]
        standard = [f"-std={options.std}"] if language == "c" else []
        command = [*compiler, "-x", language, *standard, "-w", "-fsyntax-only", *said, str(header)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return [str(error)]
        return (done.stderr.splitlines() or [f"exit {done.returncode}"]) if done.returncode else ()

    return attempt


def _without_folder(diagnostic: Diagnostic) -> Diagnostic:
    """What is wrong with a spec that was not written: it names the spec, not the folder where it was tried."""
    place = diagnostic.place
    if place is None:
        return diagnostic
    return replace(diagnostic, place=None, message=f"{Path(place.file).name}, line {place.line}: {diagnostic.message}")


def _refusal(problems: Sequence[Diagnostic]) -> AbigenError:
    """All that is wrong, and what becomes of it."""

    def each() -> Iterator[Diagnostic]:
        yield from dict.fromkeys(problems)
        hint = "name the headers that declare the rest as well (--own GLOB, -I DIR), or write this spec by hand"
        yield Diagnostic(None, "the spec of this header cannot be built, so nothing was written", hint)

    return AbigenError(tuple(each()))
