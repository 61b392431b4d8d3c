"""An API: all of its entities, and one per group of targets when the header asks what the target is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import msgspec

from abigen.model import entities
from abigen.model.contract import (
    NOTHING_RETURNED,
    UNSAID,
    Errors,
    Party,
    Requirement,
    ResultKind,
    ResultMeaning,
    Returned,
)
from abigen.model.ctype import (
    Array,
    Basic,
    BitInt,
    CType,
    EnumType,
    FunctionType,
    NamedType,
    Pointer,
    Qualified,
    RecordType,
    unqualified,
)
from abigen.model.span import Compared, Diagnostic, HiddenPart, IncludedFile
from abigen.model.version import Version

_WORD = re.compile(r"[A-Za-z_]\w*")
_OF_NO_INTEGER = ("float", "double", "void", "_Bool", "va_list", "bf16", "Float")
"""The words in the names of basic types that are no integers."""
_STATUS_NAME = re.compile(r"(?i:status|error)|(?<![A-Za-z])[Ee]rr(?![a-z])")
"""The words in the name of a parameter that receives errors."""


class Conventions(msgspec.Struct, frozen=True, kw_only=True):
    """The conventions of the API's owners; a header states them by prefixes, a spec by keys."""

    size_field: str = "struct_size"
    extension_field: str = ""
    """The name of the second member that every versioned struct has (`ext`); empty when there is none."""
    size_member: tuple[str, ...] = ()
    """The other names of a struct's size: its first member, or a parameter after the pointer to it."""
    version_member: tuple[str, ...] = ()
    """Names of first members that count the versions of their struct, besides those that say so."""
    mask_member: tuple[str, ...] = ()
    """Names of members whose bits tell which other members of their struct are set, besides those that say so."""
    allocated_by: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Patterns for names of structs to the only side that allocates them: `core` or `plugin`."""
    filled_by: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Prefix of a struct's name to who fills it: `core` or `plugin`."""
    max_alignment: int = 8
    """The largest alignment of a member of a versioned struct, in bytes (versioning strategy, "Limitations")."""
    sentinels: tuple[str, ...] = ("*_COUNT", "*_MAX", "*_LAST")
    """Patterns for names of enumerators that follow the last one, and may grow."""
    counts: tuple[str, ...] = ()
    """Patterns for names of members and parameters that count what a pointer points to, besides the usual ones; `*`
    stands for the pointer's name."""
    size_macro: str = ""
    """The pattern of the name of a size constant (see `naming.by_pattern`); empty: the usual one."""
    errors: Errors | None = None
    """The status object; None where the API has none."""
    returned: Returned = NOTHING_RETURNED
    """The meaning of the results of functions."""
    first_call: str = ""
    """The function that a core calls before all others but entry points: a name, or `Struct.member`."""
    last_call: str = ""
    """The function that a core calls when all objects are gone."""
    unmarked: Requirement = Requirement.UNSAID
    """`REQUIRED` where members that nobody has marked are required all the same."""
    cpp_namespace: str = ""
    """Namespace of what is generated for C++; empty: as the prefix has it."""
    cpp_names: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Name of a handle, struct or function to its name in C++, where that does not follow from it."""
    python_package: str = ""
    """The package that those of target `python` stand in; empty: `plugin_api`, behind the group of the spec."""

    @property
    def says_nothing_of_errors(self) -> bool:
        """True if neither a status nor any result tells that a function has failed."""
        return self.errors is None and not self.returned


class HostProgram(msgspec.Struct, frozen=True, kw_only=True):
    """The program that loads plugins: what it wants their files to be called, and how it is run.

    In all texts `{name}` stands for the plugin's name, `{library}` for the path of its library, and `{folder}` for the
    folder with the library.
    """

    library: str = ""
    """The name of the library's file; empty for any."""
    files: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Files that tell the host of the plugin: name to text."""
    command: str = ""
    """Runs the host with the plugin; empty where nothing is said."""
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Variables that the command needs."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The file that target `c` writes for an API."""

    path: str
    """Relative to the output directory; the path that users include it by."""
    api: str = ""
    """The name that the spec gives the API (`api:`)."""
    vendor: str = ""
    """The header of the API's owner, which is included in place of a generated one: `<ladspa.h>`; empty for none."""
    includes: tuple[str, ...] = ()
    """`<stddef.h>` or `"other.h"`, in order, brackets or quotes included."""
    guard: str = ""
    """Name of the include guard."""
    prefix: str = ""
    """The prefix of the names of version macros and helpers (`SE`)."""
    export: str = ""
    """A macro put before each function that the core exports (`TF_CAPI_EXPORT`); empty for none."""
    plugin_export: str = ""
    """The macro that the header defines and puts before each function that plugins implement; empty for none."""
    extern: bool = False
    """Exported functions are declared with an explicit `extern`."""
    cases: Mapping[str, tuple[tuple[str, str], ...]] = msgspec.field(default_factory=dict)
    """Constant whose text depends on the target or on how it is compiled to its (condition, text), as `#if` reads them;
    the condition of what holds otherwise is empty."""
    release_macro: str = ""
    """The macro that hides what came later than the release that it stands for (`XY_API`); empty for none."""
    version_macros: tuple[str, ...] = ()
    """Names of the macros for major, minor, patch; empty when the header states no version."""
    size_macros: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Struct to the name of its size macro; a struct that is not versioned has none."""
    size_form: str = "macro"
    """The form of these sizes: `macro` or `enumerator`."""
    offset_of_end: str = ""
    """Name of the macro that computes where a member ends; empty when no size macro needs it."""
    guarded: tuple[str, ...] = ()
    """Macros and constants that are defined only where nothing has defined them before."""
    before_includes: tuple[str, ...] = ()
    """Constants that are defined before the header includes others."""
    unexported: tuple[str, ...] = ()
    """Functions that `export` does not stand before."""
    uses: tuple[str, ...] = ()
    """Paths of specs whose types this one uses, relative to this spec."""
    releases: tuple[Version, ...] = ()
    """The releases that any `since` or `deprecated` names, and the current one, in rising order."""
    order: tuple[tuple[str, str], ...] = ()
    """The order of declarations in the spec: (kind, name) with kind `macro`, `constant`, `handle`, `callback`,
    `typedef`, `enum`, `struct`, `function`."""
    banner: str = ""
    """The spec's name as the file's banner states it."""

    extern_c: bool = False
    """True if extern "C" has to stand around the vendor's header in C++."""
    host: HostProgram = HostProgram()

    needs: tuple[str, ...] = ()
    """The headers that users have to include before the vendor's header, which does not include them itself."""

    @property
    def published(self) -> tuple[str, ...]:
        """The include directive's argument for users, with brackets or quotes."""
        return (*self.needs, self.vendor) if self.vendor else (f'"{self.path}"',)

    def hidden_below(self, since: Version | None) -> int:
        """Return the value of the release macro from which on something is there; 0 where no value hides it."""
        return since.number if since is not None and self.release_macro and since > self.releases[0] else 0

    def export_of(self, function: entities.Function) -> str:
        """Return the macro that stands before a function, so that a library exports it; empty for none."""
        if function.name in self.unexported or function.static:
            return ""
        return self.plugin_export if function.implemented_by is Party.PLUGIN else self.export


_RELEASE = re.compile(
    r"_(?:v(?:er(?:sion)?)?_?)?(?P<release>\d+(?:_\d+)*)(?P<end>_(?:struct_?)?(?:size|length|len))?$", re.IGNORECASE
)
"""The names of size constants that state the size of one release: they end in `_1_0_0`, `_VER1`, `_1_0_0_SIZE`."""
_SIZE_WORD = re.compile(r"(?:_?struct)?_?(?:size(?:of)?|length|len)$", re.IGNORECASE)


class ReleaseOfSize(NamedTuple):
    """The parts of a name that states the size of a struct in one release: `FOO_SIZE_V1`, `FOO_1_0_0_SIZE`."""

    release: tuple[int, ...]
    name: str
    """The same name without the release: `FOO_SIZE`."""
    stem: str
    """The same without the word for the size, the name of a struct: `FOO`; empty if the name has no such word."""


def release_of_size(name: str) -> ReleaseOfSize | None:
    """Return the release and the other parts of the name of a size constant; None where it names no release."""
    found = _RELEASE.search(name)
    if found is None:
        return None
    rest = name[: found.start()] + (found["end"] or "")
    word = _SIZE_WORD.search(rest)
    return ReleaseOfSize(tuple(map(int, found["release"].split("_"))), rest, rest[: word.start()] if word else "")


class Api(Compared, frozen=True, kw_only=True, dict=True):
    """An API as one group of targets sees it.

    The mappings keep the order of declaration. Keys are names. What came with an #include is here too (`in_api` False).
    """

    NOT_COMPARED = frozenset(("folder", "included", "named_in", "samples"))

    name: str
    """The operand it was read from, as the user would write it."""
    structs: Mapping[str, entities.Struct] = msgspec.field(default_factory=dict)
    enums: Mapping[str, entities.Enum] = msgspec.field(default_factory=dict)
    typedefs: Mapping[str, entities.AnyTypedef] = msgspec.field(default_factory=dict)
    functions: Mapping[str, entities.Function] = msgspec.field(default_factory=dict)
    variables: Mapping[str, entities.Variable] = msgspec.field(default_factory=dict)
    constants: Mapping[str, entities.Constant] = msgspec.field(default_factory=dict)
    macros: Mapping[str, entities.Macro] = msgspec.field(default_factory=dict)
    size_constants: Mapping[str, entities.SizeConstant] = msgspec.field(default_factory=dict)
    version: entities.VersionDeclaration | None = None
    conventions: Conventions = msgspec.field(default_factory=Conventions)
    doc: str = ""
    """The purpose of the API: the comment at the top of the header, or the spec's `doc`."""
    header: Header | None = None
    """The header that a spec publishes; None for an API that was read from a header."""
    files: tuple[str, ...] = ()
    """The files whose declarations are the API's own."""
    folder: str = ""
    """The common beginning of the names of all these files, where all headers below a directory are the API."""
    included: tuple[IncludedFile, ...] = ()
    """The files that these include, directly or not."""
    named_in: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Of several files: each to the API's names that it declares, defines or uses."""
    warnings: tuple[Diagnostic, ...] = ()
    """The constructs that could not be understood, to be shown to the user."""
    samples: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)
    """Functions, `Struct.member` or the name, to parameters and arguments with which `verify` calls them."""
    used: Mapping[str, tuple[Header, Conventions]] = msgspec.field(default_factory=dict)
    """The headers and conventions of the specs that this one uses, directly or not; by file."""

    @cached_property
    def sizes_of_earlier_releases(self) -> frozenset[str]:
        """The size constants that tell by their names how large a struct was in an earlier release.

        Beside a constant without a release these are all that have one; otherwise all but the newest.
        """
        releases: dict[tuple[str, str], list[tuple[tuple[int, ...], str]]] = {}
        for each in self.size_constants.values():
            if found := release_of_size(each.name):
                releases.setdefault((each.struct, found.name), []).append((found.release, each.name))
        earlier: set[str] = set()
        for (struct, stem), named in releases.items():
            current = self.size_constants.get(stem)
            has_current = current is not None and current.struct == struct
            earlier |= {name for _, name in (sorted(named) if has_current else sorted(named)[:-1])}
        return frozenset(earlier)

    @property
    def declares(self) -> bool:
        """True if it has anything of its own, and not only what came with an #include."""
        kinds = (self.structs, self.enums, self.typedefs, self.functions, self.variables, self.constants, self.macros)
        known: Iterable[entities.Entity] = (each for kind in kinds for each in kind.values())
        return self.version is not None or bool(self.size_constants) or any(each.in_api for each in known)

    @property
    def is_vendors(self) -> bool:
        """True if the header is its vendor's: then only what the spec says is agreed on, and nothing by names."""
        return self.header is not None and bool(self.header.vendor)

    def resolve(self, type: CType) -> CType:
        """Follow typedefs at the top of a type; qualifiers met on the way are dropped.

        Returns:
            A type that is neither a `NamedType` nor a `Qualified`; a `NamedType` only when the API has no such typedef.
        """
        if isinstance(type, NamedType):
            if known := self._ends.get(type.name):
                return known
        elif not isinstance(type, Qualified):
            return type
        passed: list[str] = []
        for step in self.unfolded(type):
            if isinstance(step, NamedType):
                if known := self._ends.get(step.name):
                    step = known
                    break
                passed.append(step.name)
        self._ends.update(dict.fromkeys(passed, step))
        return step

    @cached_property
    def _ends(self) -> dict[str, CType]:
        """The types that typedefs stand for, as far as they were asked for: chains of them can be long."""
        return {}

    def element_of(self, type: CType) -> CType:
        """Return the element type of an array, through typedefs and further arrays; for other types as `resolve`."""
        resolved = self.resolve(type)
        while isinstance(resolved, Array):
            resolved = self.resolve(resolved.element)
        return resolved

    def struct_of(self, type: CType) -> entities.Struct | None:
        """Return the struct or union of a type, through typedefs and qualifiers; None for other types."""
        resolved = self.resolve(type)
        return self.structs.get(resolved.key) if isinstance(resolved, RecordType) else None

    def unnamed_struct(self, type: CType) -> entities.Struct | None:
        """Return the unnamed struct or union that a member is declared with; None for other members."""
        while isinstance(type, Array):
            type = type.element
        struct = self.structs.get(type.key) if isinstance(type, RecordType) else None
        return struct if struct is not None and struct.anonymous and struct.fields is not None else None

    @cached_property
    def enumerators(self) -> Mapping[str, entities.Enumerator]:
        """The enumerators of all enumerations, by name, in the order of declaration."""
        return {each.name: each for enum in self.enums.values() for each in enum.enumerators or ()}

    @cached_property
    def enums_of_enumerators(self) -> Mapping[str, entities.Enum]:
        """The enumeration of each enumerator, by the enumerator's name."""
        return {each.name: enum for enum in self.enums.values() for each in enum.enumerators or ()}

    def enum_of(self, type: CType) -> entities.Enum | None:
        """Return the enumeration that a type is, through typedefs and qualifiers; None when it is something else."""
        resolved = self.resolve(type)
        return self.enums.get(resolved.key) if isinstance(resolved, EnumType) else None

    def pointee(self, type: CType) -> entities.Struct | None:
        """Return the struct or union with known members that a type points to; None for other types."""
        resolved = self.resolve(type)
        struct = self.struct_of(resolved.target) if isinstance(resolved, Pointer) else None
        return struct if struct is not None and struct.fields else None

    def unfolded(self, type: CType) -> Iterator[CType]:
        """Yield a type, and what it is without the qualifiers or the typedef at its top, step by step."""
        while True:
            yield type
            if isinstance(type, Qualified):
                type = type.type
            elif isinstance(type, NamedType) and type.name in self.typedefs:
                type = self.typedefs[type.name].type
            else:
                return

    def handle_of(self, type: CType) -> entities.Handle | None:
        """Return the handle of a type, or of its pointee when the handle's name is the struct; None for other types.

        The first handle on the way through typedefs counts; what names the struct by its tag is the first that has it.
        """
        behind_pointer = False
        while True:
            *_, type = steps = list(self.unfolded(type))
            named = (self.typedefs.get(each.name) for each in steps if isinstance(each, NamedType))
            handle = next((each for each in named if isinstance(each, entities.Handle)), None)
            if handle is not None:
                return handle if handle.by_pointer != behind_pointer else None
            if behind_pointer or not isinstance(type, Pointer):
                break
            behind_pointer, type = True, type.target
        if not behind_pointer or not isinstance(type, RecordType):
            return None
        handles = [each for each in self.typedefs.values() if isinstance(each, entities.Handle)]
        tagged = [each for each in handles if each.tag == self.structs[type.key].tag]
        return min(tagged, key=lambda each: not each.by_pointer, default=None)

    def object_of(self, type: CType) -> entities.Typedef | None:
        """Return the handle of a type, or the typedef of a pointer for which the spec names create or use functions.

        Args:
            type: of a parameter, a member or a result.
        """
        handle = self.handle_of(type)
        if handle is not None:
            return handle
        named = (self.typedefs.get(each.name) for each in self.unfolded(type) if isinstance(each, NamedType))
        return next((each for each in named if each is not None and (each.create or each.calls)), None)

    def callback(self, type: CType) -> FunctionType | None:
        """Return the function that a type points to, through typedefs; None for other types, blocks among them."""
        resolved = self.resolve(type)
        return None if isinstance(resolved, Pointer) and resolved.block else self.function_behind(resolved)

    def function_behind(self, type: CType) -> FunctionType | None:
        """Return the function that a type points to or a block consists of, through typedefs; None for other types."""
        resolved = self.resolve(type)
        target = self.resolve(resolved.target) if isinstance(resolved, Pointer) else None
        return target if isinstance(target, FunctionType) else None

    def is_const(self, type: CType) -> bool:
        """True if a type is const, by itself or by a typedef on the way."""
        return any(isinstance(each, Qualified) and "const" in each.qualifiers for each in self.unfolded(type))

    def is_const_pointer(self, type: CType) -> bool:
        """True if a type points to something const, through typedefs."""
        resolved = self.resolve(type)
        return isinstance(resolved, Pointer) and self.is_const(resolved.target)

    def is_of_system(self, type: CType) -> bool:
        """True if a value of a type holds what a system header declares, which a C library may change (`time_t`)."""
        for each in self.unfolded(type):
            if isinstance(each, NamedType) and each.name in self.typedefs and self.typedefs[each.name].of_system:
                return True
            if isinstance(each, Array):
                return self.is_of_system(each.element)
            if isinstance(each, RecordType) and each.key in self.structs:
                struct = self.structs[each.key]
                return struct.of_system or any(self.is_of_system(member.type) for member in struct.fields or ())
        return False

    def has_value_of_system(self, constant: entities.Constant) -> bool:
        """True if a macro of a system header is part of a constant's value, so that each system has its own."""
        return any(each.of_system for each in (constant, *self.constants_in(constant.text)))

    def constants_in(self, text: str) -> tuple[entities.Constant, ...]:
        """Return the constants that a text names, and those that stand in their values, to any depth."""
        found: dict[str, entities.Constant] = {}
        texts = [text]
        for each in texts:
            new = [word for word in _WORD.findall(each) if word in self.constants and word not in found]
            found |= {word: self.constants[word] for word in new}
            texts += [self.constants[word].text for word in dict.fromkeys(new)]
        return tuple(found.values())

    def is_integer(self, type: CType) -> bool:
        """True if a type holds whole numbers: an integer type that the language or a standard header names."""
        resolved = self.resolve(type)
        if isinstance(resolved, NamedType):
            return resolved.name.endswith("_t")
        return isinstance(resolved, Basic) and not any(word in resolved.name for word in _OF_NO_INTEGER)

    def holds_whole_numbers(self, type: CType) -> bool:
        """True if a type is one of integers, a truth value or an enumeration, so that a bit-field can have it."""
        resolved = self.resolve(type)
        return isinstance(resolved, (EnumType, BitInt)) or resolved == Basic("_Bool") or self.is_integer(resolved)

    def is_status(self, type: CType) -> bool:
        """True if a parameter of this type receives errors: it points to the API's status object, which is not const.

        A status that is a handle of its own (`typedef struct S* S_Status;`) is passed as it is.
        """
        if self.conventions.errors is None:
            return False
        status, found = self.resolve(NamedType(self.conventions.errors.status)), self.resolve(type)
        if isinstance(status, Pointer):
            return found == status
        return isinstance(found, Pointer) and not self.is_const(found.target) and self.resolve(found.target) == status

    def status_position(self, function: FunctionType, name: str = "") -> int | None:
        """Return the position of the parameter that receives errors: the last that can; None when there is none.

        The first of several parameters is what a function is about, unless its name says that it receives errors.

        Args:
            function: its type.
            name: its name; functions that are about statuses themselves report errors in none.
        """
        if name in self.about_statuses:
            return None
        found = [at for at, each in enumerate(function.parameters) if self.is_status(each.type)]
        first = function.parameters[0].name or "status" if found else ""
        is_subject = found == [0] and len(function.parameters) > 1 and not _STATUS_NAME.search(first)
        return found[-1] if found and not is_subject else None

    def outcome(self, function: FunctionType, key: str = "", *, entry_point: bool = False) -> ResultMeaning:
        """Return the meaning of a function's result: success, failure and codes.

        Args:
            function: its type.
            key: its name, or `Struct.member` of one in a struct.
            entry_point: whether the core asks what it returns even if the API has not agreed on anything.
        """
        said, result = self.conventions.returned, unqualified(function.result)
        resolved, errors = self.resolve(result), self.conventions.errors
        if resolved == Basic("void") or key in said.exempt:
            return UNSAID
        if said.result is not None and self.is_named(result, said.result.type):
            return said.result.outcome
        reports = self.status_position(function, key) is not None
        if errors is not None and not reports and key not in self.about_statuses:
            code = self.functions[errors.code].type.result if errors.code in self.functions else None
            if code is not None and result == unqualified(code) and (entry_point or self.enum_of(result)):
                ok, failed, other = errors.codes["ok"], errors.code_for("internal"), errors.code_for("unimplemented")
                return ResultMeaning(kind=ResultKind.CODE, ok=ok, failed=failed, unsupported=other)
        if said.negative is not None and self.is_named(result, said.negative):
            return ResultMeaning(kind=ResultKind.NEGATIVE, ok="0", failed="-EIO", unsupported="-ENOTSUP")
        if (
            said.error
            and isinstance(resolved, Pointer)
            and self.is_named(unqualified(resolved.target), said.error_type)
        ):
            return ResultMeaning(kind=ResultKind.COMPLAINT, ok="NULL")
        if said.null and isinstance(resolved, Pointer):
            return ResultMeaning(kind=ResultKind.NULL, failed="NULL", unsupported="NULL")
        return self._usual_outcome(result) if entry_point and not self.is_vendors else UNSAID

    def codes_of(self, function: FunctionType) -> tuple[str, ...]:
        """Return the names of the codes that a function may return, one for each number; empty for other functions."""
        said, enum = self.conventions.returned.result, self.enum_of(function.result)
        if enum is not None:
            values = {each.value: each.name for each in reversed(enum.enumerators or ())}
            return tuple(each.name for each in enum.enumerators or () if values[each.value] == each.name)
        if said is None or not self.is_named(unqualified(function.result), said.type):
            return ()
        names = (said.ok, said.failed, said.unsupported, *said.codes)
        return tuple(dict.fromkeys(each for each in names if each in self.constants))

    def _usual_outcome(self, result: CType) -> ResultMeaning:
        """Return the meaning of the result of an entry point where the API states none."""
        resolved, enum = self.resolve(result), self.enum_of(result)
        if isinstance(resolved, Pointer):
            is_table = self.pointee(result) is not None
            return ResultMeaning(kind=ResultKind.NULL if is_table else ResultKind.COMPLAINT, failed="NULL")
        if self.struct_of(result) is not None:
            return UNSAID
        if resolved == Basic("_Bool"):
            return ResultMeaning(kind=ResultKind.TRUTH, ok="true", failed="false", unsupported="false")
        codes = enum.enumerators or () if enum else ()
        ok = next((each.name for each in codes if not each.value), "0")
        failed = next((each.name for each in codes if each.value), "1")
        return ResultMeaning(kind=ResultKind.CODE, ok=ok, failed=failed, unsupported=failed)

    def is_named(self, type: CType, name: CType) -> bool:
        """True if a type is a named one, by itself or, where the API has named it, through typedefs."""
        is_own = isinstance(name, EnumType) or (isinstance(name, NamedType) and name.name in self.typedefs)
        steps = self.unfolded(type) if is_own else (type,)
        return any(unqualified(each) == name for each in steps)

    @property
    def status_handle(self) -> entities.Handle | None:
        """The handle that status objects are; None when the API does not say what they are, or how one is made."""
        handle = self.typedefs.get(self.conventions.errors.status) if self.conventions.errors is not None else None
        return handle if isinstance(handle, entities.Handle) and handle.create and handle.destroy else None

    @cached_property
    def status_functions(self) -> frozenset[str]:
        """Names of the functions that make, read, set and destroy status objects."""
        errors = self.conventions.errors
        if errors is None:
            return frozenset()
        handle = self.typedefs.get(errors.status)
        ends = (handle.create, handle.destroy) if isinstance(handle, entities.Handle) else ()
        return frozenset({errors.set, errors.code, errors.message, *ends} - {""})

    @cached_property
    def about_statuses(self) -> frozenset[str]:
        """Names of the same functions, and of those that pass a status on."""
        handles = (each for each in self.typedefs.values() if isinstance(each, entities.Handle) and each.failure)
        return self.status_functions | {each.failure for each in handles if self.conventions.errors is not None}


class ApiGroup(msgspec.Struct, frozen=True):
    """An API and the names of the targets that see it so."""

    targets: tuple[str, ...]
    api: Api


class UnreadTarget(msgspec.Struct, frozen=True):
    """A target for which an API cannot be read, though it can be for others."""

    name: str
    reason: Diagnostic
    """The first error."""
    missing: tuple[Diagnostic, ...] = ()
    """The included files that were not found, each once; they are most likely the cause of the error."""
    warnings: tuple[Diagnostic, ...] = ()
    """The other warnings about what was read; they may be the cause."""


class ApiSet(msgspec.Struct, frozen=True):
    """An operand that was read: one group for all targets, or several when the header depends on the target."""

    groups: tuple[ApiGroup, ...]
    sources: Mapping[str, str] = msgspec.field(default_factory=dict)
    """The text of each of the API's own files, by the name that spans use; what reports quote."""
    dependencies: tuple[str, ...] = ()
    """Paths on disk of all files that were read to make this, own files, included ones and used specs; for caches."""
    hidden: tuple[HiddenPart, ...] = ()
    """The declarations that conditions exclude on all targets."""
    unread: tuple[UnreadTarget, ...] = ()
    """Targets that were asked for, and are in no group."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Names of all targets, in the order that was asked for."""
        return tuple(target for group in self.groups for target in group.targets)

    def for_target(self, target: str) -> Api:
        """Return the API as one target sees it.

        Raises:
            KeyError: the operand was not read for this target.
        """
        for group in self.groups:
            if target in group.targets:
                return group.api
        raise KeyError(target)
