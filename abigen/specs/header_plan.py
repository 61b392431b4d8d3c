"""Plan of the header that a spec publishes: file name, macros, includes, order of declarations."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from abigen.headers.preprocessor.environment import STAND_INS, stand_in_folders
from abigen.headers.preprocessor.lexemes import folded
from abigen.headers.reader import read_headers
from abigen.model.api import Api, ApiGroup, Header, HostProgram
from abigen.model.ctype import (
    Array,
    CType,
    EnumType,
    Expression,
    FunctionType,
    Name,
    NamedType,
    Parameter,
    Pointer,
    RecordType,
    parts,
    types_in,
)
from abigen.model.entities import Constant, Entity, Function, Macro, Struct, Typedef, VersionDeclaration
from abigen.model.releases import releases_of
from abigen.model.span import AbigenError, IncludedFile, Span, words_of_command
from abigen.model.spelling import ALSO_DECLARED, STANDARD_TYPES, include_guard
from abigen.model.target import find_target
from abigen.specs.spec_names import (
    RELEASE_MACRO,
    VERSION_PARTS,
    DeclaredName,
    SpecNames,
    StructPlan,
    defined_items,
    since_macros,
    text_key,
)
from abigen.workspace.document.tree import Item, Problems, parse_version
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions, SourceFile

SYSTEM_HEADERS = re.compile(
    r"(assert|complex|ctype|dirent|dlfcn|errno|fcntl|fenv|float|inttypes|iso646|limits|locale|malloc|math|memory|poll"
    r"|process|pthread|sched|setjmp|signal|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings|tgmath"
    r"|threads|time|uchar|unistd|wchar|wctype|windows)\.h"
)
"""Headers that others would find ours in place of, if ours had such a path."""


def plan_header(
    root: Item, plans: Sequence[StructPlan], used: SpecNames, problems: Problems
) -> tuple[Header, dict[str, DeclaredName]]:
    """Decide what the header is called and which macros it defines of its own.

    Args:
        root: the spec.
        plans: its structs.
        used: the names of the specs that this one uses.
        problems: receives what is wrong.

    Returns:
        The header without what follows from types, and the macros in it that the spec does not list.
    """
    item, conventions = root.item("header"), root.item("conventions")
    api = root.text("api", "api")
    path, prefix = item.text("path", f"{api}.h"), root.text("prefix", api.upper())
    guard = item.text("guard", include_guard(path))
    guarded, version_macros = [*_flagged(root, "guarded")], _version_macros(root, prefix, problems)
    generated = _stated(root, version_macros)
    generated[guard] = DeclaredName("include guard", _first_span((item, "guard"), (item, "path"), (root, "api")))
    offset_of_end = ""
    if any(plan.size_macro for plan in plans):
        offset_of_end = conventions.text("offset_of_end", f"{prefix}_OFFSET_OF_END")
        own = next((each for each in root.items("macros") if each.name == offset_of_end), None)
        if own is None and offset_of_end not in used.ordinary:
            span = _first_span((conventions, "offset_of_end"), (root, "prefix"), (root, "api"))
            generated[offset_of_end] = DeclaredName("macro", span)
            guarded.append(offset_of_end)
        elif own and len(own.scalars("parameters")) != 2:
            message = f"'{offset_of_end}' computes where a member ends, so it takes a type and a member"
            problems.error(own.place("parameters"), message)
    _check_published(root, used, path, problems)
    has_exports = any(each.flag("export", default=True) for each in _of_plugins(root))
    plugin_export = f"{prefix}_PLUGIN_EXPORT" if has_exports else ""
    place = _first_span((root, "prefix"), (root, "api"))
    generated |= {plugin_export: DeclaredName("macro", place)} if plugin_export else {}
    header = Header(
        api=api,
        path=path,
        guard=guard,
        prefix=prefix,
        export=item.text("export"),
        plugin_export=plugin_export,
        extern=item.flag("extern"),
        cases=dict(_cases(root)) | ({offset_of_end: _OFFSET_OF_END} if offset_of_end in generated else {}),
        release_macro=_release_macro(root, generated, problems),
        version_macros=tuple(version_macros),
        size_macros={plan.item.name: plan.size_macro for plan in plans if plan.size_macro},
        size_form=conventions.text("size_form", "macro"),
        offset_of_end=offset_of_end,
        guarded=tuple(guarded),
        before_includes=_flagged(root, "before_includes"),
        unexported=_unexported(root),
        uses=root.texts("uses"),
        banner=Path(root.source.file).name,
    )
    return _of_vendor(header, item, root.item("host"), problems), generated


def _of_vendor(header: Header, item: Item, host: Item, problems: Problems) -> Header:
    """Return a header with what a spec says of its vendor's, and of the program that loads plugins."""
    needs = item.texts("includes") if item.has("vendor") else ()
    program = _host_program(host, problems)
    return replace(header, vendor=item.text("vendor"), needs=needs, extern_c=item.flag("extern_c"), host=program)


def _flagged(root: Item, flag: str) -> tuple[str, ...]:
    """Return the macros and constants that have a flag."""
    return tuple(each.name for key in ("macros", "constants") for each in root.items(key) if each.flag(flag))


def _unexported(root: Item) -> tuple[str, ...]:
    """Return the functions that no macro exports."""
    return tuple(each.name for each in root.items("functions") if not each.flag("export", default=True))


def _host_program(item: Item, problems: Problems) -> HostProgram:
    """Return what a spec says of the program that loads plugins."""
    try:
        words_of_command(item.text("command"), "the command")
    except AbigenError as error:
        problems.add(error.placed(item.place("command")).diagnostics)
    return HostProgram(
        library=item.text("library"),
        files=item.item("files").table(),
        command=item.text("command"),
        environment=item.item("environment").table(),
    )


def _cases(root: Item) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield the macros and constants that stand for several texts, with the condition and the text of each case."""
    for item in defined_items(root):
        if cases := item.items(text_key(item)):
            yield item.name, tuple((case.text("if"), folded(case.text("text"))) for case in cases)


def _release_macro(root: Item, generated: dict[str, DeclaredName], problems: Problems) -> str:
    """Return the macro that stands for a release, with two digits for minor and patch; empty for none."""
    conventions = root.item("conventions")
    name, place = conventions.text("release_macro"), conventions.place("release_macro")
    if not name:
        return ""
    scalars = [each for each in (*root.scalars("releases"), root.scalar("version")) if each]
    versions = {version: each for each in scalars if (version := parse_version(each.text))}
    range = f" from {min(versions)} to {max(versions)}" if versions else ""
    generated[name] = DeclaredName(f"{RELEASE_MACRO}{range}", place)
    if not root.has("releases") or not root.has("version"):
        problems.error(place, "'release_macro' needs to know the first release", "state version, and list releases")
    for version, scalar in versions.items():
        if max(version.minor, version.patch) > 99:
            message = f"'release_macro' has no value for {version}: it has two digits for minor and patch each"
            problems.error(scalar.span, message)
    return name


def _stated(root: Item, version_macros: Mapping[str, Span]) -> dict[str, DeclaredName]:
    """Return the constants that follow from versions: the API's own, and those that say what came later."""
    versions = {name: DeclaredName("version macro", span) for name, span in version_macros.items()}
    return versions | {name: DeclaredName("constant", each.place("since")) for name, each in since_macros(root)}


def publish(
    api: Api, root: Item, header: Header, generated: Mapping[str, DeclaredName], *, exports: bool
) -> tuple[Api, Header]:
    """Add the version and the header to an API, and mark the functions that the header exports.

    Args:
        api: the API with all its entities.
        root: the spec.
        header: the header.
        generated: the macros in it that the spec does not list.
        exports: whether the macro before functions exports them.
    """
    version = root.version("version")
    if version is not None:
        stated = root.has("version_macros")
        spans = [(name, generated[name].span if stated else root.place("version")) for name in header.version_macros]
        declaration = VersionDeclaration(version=version, macros=tuple(spans), parts=len(spans) or 3, is_chosen=True)
        api = replace(api, version=declaration)
    releases = {*map(parse_version, root.texts("releases")), *releases_of(api)}
    header = replace(header, releases=tuple(sorted(releases)))
    files = {f'"{used.path}"': file for file, (used, _) in api.used.items()}
    including = [(each, header) for each in api.files] + [(file, used) for file, (used, _) in api.used.items()]
    included = {
        name: IncludedFile(name, files.get(name, name), Span(file, 1, 1), name[0] == "<")
        for file, each in including
        for name in each.includes
    }
    functions = _exported(api, header, exports=exports)
    return replace(api, header=header, functions=functions, included=tuple(included.values())), header


def _first_span(*keys: tuple[Item, str]) -> Span:
    """Return the place of the first key that is there, of what a name follows from."""
    return next((item.place(key) for item, key in keys if item.has(key)), keys[-1][0].span)


def _check_published(root: Item, used: SpecNames, path: str, problems: Problems) -> None:
    """A header has a name of its own; a macro that exports functions comes from somewhere, and has functions."""
    if SYSTEM_HEADERS.fullmatch(path):
        hint = f"choose another with header.path, as {path.removesuffix('.h')}_api.h, or in a folder of your own"
        place = _first_span((root.item("header"), "path"), (root, "api"))
        problems.error(place, f"<{path}> is a header of the system's", hint)
    header = root.item("header")
    name = header.text("export")
    taking = [item.name for item in root.items("macros") if len(item.scalars("parameters")) == 1]
    known = [*(item.name for item in root.items("constants")), *taking, *used.of_kinds("constant", "macro")]
    if name and name not in known and not any(each.startswith('"') for each in header.texts("includes")):
        otherwise = "declare it among the constants, or include the header that does"
        problems.unknown(header.place("export"), f"the macro '{name}' is not declared", name, known, otherwise)

    elif name and root.items("functions") and len(_of_plugins(root)) == len(root.items("functions")):
        message = f"'{name}' would be unused: it is for functions of the core, and plugins implement all of these"
        hint = "leave it out: the header itself exports what plugins implement, with a macro that it defines"
        problems.error(header.place("export"), message, hint)


def _of_plugins(root: Item) -> list[Item]:
    """Return the functions of a spec that plugins implement, and that its header declares."""
    declared = (each for each in root.items("functions") if not each.has("declared_by"))
    return [
        each
        for each in declared
        if each.text("implemented_by") == "plugin" or (each.flag("entry_point") and not each.has("implemented_by"))
    ]


def _version_macros(root: Item, prefix: str, problems: Problems) -> dict[str, Span]:
    stated = root.scalars("version_macros")
    if not root.has("version"):
        if stated:
            problems.error(stated[0].span, "there is no version for this macro to state", "add 'version: 1.0.0'")
        return {}
    if root.has("version_macros"):
        return {scalar.text: scalar.span for scalar in stated}
    return dict.fromkeys(
        (f"{prefix}_{part}" for part in VERSION_PARTS), _first_span((root, "prefix"), (root, "version"))
    )


_OFFSET_OF_END = (
    (
        "defined(__cplusplus) && __cplusplus >= 201103L",
        "(offsetof(TYPE, MEMBER) + sizeof(static_cast<TYPE *>(nullptr)->MEMBER))",
    ),
    ("", "(offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))"),
)
"""The bodies of the macro by condition. Compilers of C++ can be told to refuse casts in the style of C."""


def offset_of_end_macro(name: str) -> Macro:
    """Return the macro that size macros are made with, where the spec leaves it to abigen."""
    return Macro(
        name=name,
        parameters=("TYPE", "MEMBER"),
        body=_OFFSET_OF_END[-1][1],
        doc="The offset of the first byte behind MEMBER of TYPE, in bytes.",
    )


def _exported(api: Api, header: Header, *, exports: bool) -> dict[str, Function]:
    """Return the functions, and mark those that the header makes visible."""
    known = {header.plugin_export, header.export if exports else ""} - {""}
    return {
        name: replace(each, exported=True) if each.in_api and header.export_of(each) in known else each
        for name, each in api.functions.items()
    }


def all_includes(
    root: Item, header: Header, types: Iterable[CType], used_headers: Sequence[str], provided: frozenset[str]
) -> tuple[str, ...]:
    """Return the includes of the header: those of the spec, those that its types need, and headers of used specs.

    Args:
        root: the spec.
        header: tells whether `offsetof` is needed.
        types: all types in the API.
        used_headers: headers of the specs in `uses`, in order.
        provided: everything that those include in turn.
    """
    stated = root.item("header").texts("includes")
    present = {*stated, *provided}
    names = {name for each in types for name in _standard_names(each)}
    needed = {STANDARD_TYPES[name] for name in names}
    if header.offset_of_end:
        needed.add("<stddef.h>")
    alone = {STANDARD_TYPES[name] for name in names & {"ptrdiff_t"}}  # the other headers do not declare it
    missing = [
        each
        for each in sorted(needed)
        if not present & {each, *(ALSO_DECLARED.get(each, ()) if each not in alone else ())}
    ]
    return tuple(dict.fromkeys([*missing, *stated, *(f'"{path}"' for path in used_headers)]))


def _standard_names(type: CType) -> Iterable[str]:
    for each in types_in(type):
        if isinstance(each, NamedType) and each.name in STANDARD_TYPES:
            yield each.name


class OrderedDeclaration(msgspec.Struct, frozen=True):
    """An entity in the header, and the entities that have to stand before it."""

    kind: str
    name: str
    span: Span
    needs: Mapping[str, Span]
    """Name to the place of the use that needs it."""


def order_declarations(
    root: Item, declarations: Sequence[OrderedDeclaration], problems: Problems
) -> tuple[tuple[str, str], ...]:
    """Put declarations in order.

    Args:
        root: the spec, whose `order` counts when there is one.
        declarations: all entities, in the order of the spec, kind by kind.
        problems: receives cycles, and an `order` that C does not accept.

    Returns:
        (kind, name) of each: `order` as it stands, else the given order with what is needed moved to the front.
    """
    by_name = {each.name: each for each in declarations}
    found = False
    for path, place in _cycles(by_name):
        found = True
        by_value = all(by_name[name].kind == "struct" for name in path)
        way = "" if len(path) == 2 else f": {' -> '.join(path)}"
        hint = "hold it by pointer" if by_value else "a struct can be named before it is declared, by pointer"
        problems.error(place, f"'{path[0]}' {'contains' if by_value else 'is made of'} itself{way}", hint)
    if found:
        return ()
    if root.has("order"):
        return _check_order(root, by_name, problems)
    ordered = needs_first({each.name: tuple(each.needs) for each in declarations})
    return tuple((by_name[name].kind, name) for name in ordered)


def needs_first(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Put names in order so that each stands behind those that it needs, and otherwise as they come.

    Args:
        needs: name to the names that it needs; names that are no keys are left out.

    Returns:
        All keys; where they need one another in a circle, the first of them comes last.
    """
    placed: dict[str, None] = {}
    met: set[str] = set()
    for start in needs:
        pending = [start]
        while pending:
            name = pending[-1]
            if name not in met:
                met.add(name)
                pending += [each for each in reversed(needs[name]) if each in needs and each not in met]
            else:
                placed[pending.pop()] = None
    return list(placed)


def _cycles(by_name: Mapping[str, OrderedDeclaration]) -> Iterator[tuple[list[str], Span]]:
    """Declarations that need themselves: the way around, and the place of the use that closes it."""
    needs = {name: {need for need in each.needs if need in by_name} for name, each in by_name.items()}
    position = {name: number for number, name in enumerate(by_name)}
    while True:
        try:
            return TopologicalSorter(needs).prepare()
        except CycleError as error:
            *path, _ = reversed(error.args[1])
        first = min(range(len(path)), key=lambda index: position[path[index]])
        path = path[first:] + path[:first]
        yield [*path, path[0]], by_name[path[-1]].needs[path[0]]
        needs[path[-1]].discard(path[0])


def _check_order(
    root: Item, by_name: Mapping[str, OrderedDeclaration], problems: Problems
) -> tuple[tuple[str, str], ...]:
    """Return the order that the spec states, with errors for what is missing, unknown or too early."""
    # What has no name goes by its first enumerator.
    nameless = {name.removeprefix("<anonymous ").rstrip(">"): name for name in by_name if name[:1] == "<"}
    also = {item.name: item.texts("also") for key in ("structs", "enums") for item in root.items(key)}
    scalars = root.scalars("order")
    stated = {each.text for each in scalars}
    following = ((more, each.span) for each in scalars for more in (each.text, *also.get(each.text, ())))
    listed = enumerate((name, span) for name, span in following if name in stated or name in by_name)
    places = {nameless.get(name, name): (position, span) for position, (name, span) in listed}
    for name, (position, span) in places.items():
        if name not in by_name:
            problems.unknown(span, f"'{name}' is none of this spec's entities", name, by_name)
            continue
        for need in by_name[name].needs:
            if need in places and places[need][0] > position:
                problems.error(span, f"'{name}' has to come after '{need}', which it is made of")
    implied = {name: (0, by_name[name].span) for name, _ in since_macros(root) if name in by_name}
    places = implied | places
    for name, declaration in by_name.items():
        if name not in places:
            shown = next((each for each, key in nameless.items() if key == name), name)
            problems.error(declaration.span, f"'{shown}' is missing from 'order'", "name every entity there")
    return tuple((by_name[name].kind, name) for name in places if name in by_name)


def needs_of(
    node: CType | Expression, forward: frozenset[str], enum_of: Callable[[str], str | None], *, by_value: bool = True
) -> Iterator[str]:
    """Yield names that have to be declared before something of a type, or with an expression, is declared.

    Args:
        node: the type of a member, a typedef, a callback or a function; or an expression.
        forward: structs that a forward declaration makes known, so that only a use by value needs their definition.
        enum_of: finds the enumeration that declares an enumerator.
        by_value: whether a value of the type is needed, not only a pointer to one.

    Returns:
        Names of entities; some may be declared elsewhere.
    """
    if isinstance(node, (NamedType, RecordType)):
        name = node.name if isinstance(node, NamedType) else node.key
        if by_value or name not in forward:
            yield name
    elif isinstance(node, EnumType):
        yield node.key
    elif isinstance(node, Name) and (enum := enum_of(node.name)):
        yield enum
    # Even behind a pointer, the element of an array has to be complete (C 6.7.6.2 paragraph 1), and so has the type in
    # an expression such as sizeof.
    by_value = isinstance(node, (Array, Expression)) or (by_value and not isinstance(node, (Pointer, FunctionType)))
    for part in parts(node):
        inner = part.type if isinstance(part, Parameter) else part
        yield from needs_of(inner, forward, enum_of, by_value=by_value)


def named_in(node: CType | Expression) -> Iterator[str]:
    """Return names of all types that a type is made of, behind pointers too."""
    return needs_of(node, frozenset(), lambda name: None)


_KNOWN_WITHOUT = frozenset({"<stddef.h>", "<stdint.h>", "<stdbool.h>", "<stdarg.h>", "<inttypes.h>", "<limits.h>"})
"""Headers of whose types all readers of specs know as much as there is to know."""
_LIMIT = re.compile(
    r"\b(?:U?(?:CHAR|SHRT|INT|LONG|LLONG|INT\w*)|[A-Z_]*CHAR|SIZE|PTRDIFF|SIG_ATOMIC|WINT)_(?:MAX|MIN)\b"
)
"""A macro of those headers that says how large numbers can be."""
_FALLBACK = "x86_64-linux-gnu"
"""The target whose types are used for targets without a header."""
_UNLIKE = ("x86_64-linux-gnu", "i686-linux-gnu", "x86_64-windows-msvc", "x86_64-apple-darwin")
"""Targets on which types have different sizes, and systems different constants."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_E = TypeVar("_E", bound=Entity)


class SystemTypes(msgspec.Struct, frozen=True):
    """The types and macros that system headers declare for some targets."""

    targets: tuple[str, ...]
    types: Api
    """Typedefs, structs and enumerations that the spec names, and those that these are made of; and its macros."""


def system_types(
    includes: Iterable[str], text: str, options: ReadOptions, defined: Mapping[str, str] | None = None
) -> tuple[SystemTypes, ...]:
    """Read the system headers that a spec includes, abigen's own versions of them.

    Args:
        includes: `<time.h>`; those that abigen has no version of are passed over.
        text: the spec, which says what types and macros are wanted.
        options: the targets.
        defined: what the spec defines before it includes the headers.

    Returns:
        For groups of targets, together all of them, what is declared there.
    """
    words, has_limits = _words_of(text)
    known = frozenset() if has_limits else _KNOWN_WITHOUT
    wanted = sorted(each for each in set(includes) - known if each[0] == "<")
    if not wanted:
        return (SystemTypes(options.targets, Api(name="")),)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for target in dict.fromkeys((*options.targets, _FALLBACK)):
        folders = stand_in_folders(find_target(target))
        paths = (f"{folder}/{each[1:-1]}" for each in wanted for folder in folders)
        kinds.setdefault(tuple(each for each in paths if options.files.is_file(each)), []).append(target)
    lines = "".join(f"#define {name} {each}\n" for name, each in (defined or {}).items())
    found: list[SystemTypes] = []
    for files, targets in kinds.items():
        groups = _groups(files, tuple(targets), lines)
        found += [SystemTypes(each.targets, _named(each.api, words)) for each in groups]
    return tuple(found)


@lru_cache(maxsize=16)
def _words_of(text: str) -> tuple[frozenset[str], bool]:
    """Return the names in a spec or header, and whether macros are among them that say how large numbers can be."""
    return frozenset(_WORD.findall(text)) - STANDARD_TYPES.keys(), _LIMIT.search(text) is not None


@lru_cache(maxsize=256)
def _groups(files: tuple[str, ...], targets: tuple[str, ...], lines: str) -> tuple[ApiGroup, ...]:
    """Read abigen's own versions of system headers. They stay the same while the program runs.

    Args:
        files: the headers.
        targets: those that have these headers.
        lines: what stands before the headers.
    """
    if not files:
        return (ApiGroup(targets, Api(name="")),)
    lines += "".join(f'#include "{each}"\n' for each in files)
    reading = ReadOptions(targets=targets, own=(f"{STAND_INS}/*",), cc="none", files=Files())
    return read_headers([SourceFile("<system headers>", f"{os.devnull}/system.h", lines)], reading).groups


def system_names(includes: Iterable[str], text: str, options: ReadOptions) -> tuple[list[Api], set[str]]:
    """Return what system headers declare, and the macros that do not have the same value everywhere: `SIZE_MAX`.

    Args:
        includes: as for `system_types`.
        text: says what types and macros are wanted.
        options: how to read; other targets count for macros, too.
    """
    found = system_types(includes, text, replace(options, targets=tuple(dict.fromkeys((*options.targets, *_UNLIKE)))))
    shared = set[str].intersection(*({*each.types.constants} for each in found))
    varying = {name for name in shared if len({each.types.constants[name].expression for each in found}) > 1}
    asked = {*options.targets, _FALLBACK}
    return [each.types for each in found if not asked.isdisjoint(each.targets)], varying


def with_system_types(context: Api, system: Iterable[SystemTypes]) -> Api:
    """Return an API with the types of system headers; of several declarations the last counts.

    So are the macros that have a value. The others stay out: a spec that writes `stdin` keeps the word.
    """
    for each in system:
        context = replace(
            context,
            typedefs={**context.typedefs, **each.types.typedefs},
            structs={**context.structs, **each.types.structs},
            enums={**context.enums, **each.types.enums},
            constants={
                **context.constants,
                **{name: one for name, one in each.types.constants.items() if one.expression is not None},
            },
        )
    return context


def _named(api: Api, words: Collection[str]) -> Api:
    """Return the types and macros that are named, and those that they are made of."""
    types: Mapping[str, Entity] = {**api.constants, **api.enums, **api.structs, **api.typedefs}
    found: set[str] = set()
    left = [name for name in types if name in words]
    while left:
        name = left.pop()
        if name in types and name not in found:
            found.add(name)
            left += _uses(types[name])

    def outside(entities: Mapping[str, _E]) -> dict[str, _E]:
        return {name: _outside(each) for name, each in entities.items() if name in found}

    typedefs = {name: Typedef(name=name, span=each.span, type=each.type) for name, each in api.typedefs.items()}
    return Api(
        name="",
        typedefs=outside(typedefs),
        structs=outside(api.structs),
        enums=outside(api.enums),
        constants=outside(api.constants),
    )


def _outside(entity: _E) -> _E:
    """Return an entity as what a system header declares: its place is `<sys/types.h>`."""
    if entity.span is None:
        return replace(entity, in_api=False)
    name = entity.span.file.rpartition("/preprocessor/include/")[2].partition("/")[2]
    return replace(entity, in_api=False, span=replace(entity.span, file=f"<{name}>"))


def _uses(entity: Entity) -> Iterator[str]:
    """Yield the types, or the macros, that one is made of."""
    if isinstance(entity, Constant):
        yield from _WORD.findall(entity.text)
    if isinstance(entity, Typedef):
        yield from named_in(entity.type)
    for each in (entity.fields or ()) if isinstance(entity, Struct) else ():
        yield from named_in(each.type)
