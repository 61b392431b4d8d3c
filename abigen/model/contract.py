"""The contract of an entity beyond its layout (rulebook section 1), and spellings per target."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from abigen.model.ctype import CType, NamedType
from abigen.model.span import Compared
from abigen.model.version import Version

_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_ASKED = re.compile(r"\bdefined\s*\(?\s*(\w+)")
_MOST_NESTED = 6
"""The number of conditions of one macro that are split into two directives; each may repeat the cases after it."""

_Case = tuple[str, int]
"""A condition, empty for otherwise, and the number of its case."""


def directives(conditions: Sequence[str]) -> Iterator[str | int]:
    """Yield the lines of an `#if`, with the number of a case at each place where its text is to be defined.

    `defined(F) && F(x)` becomes two directives, one inside of the other: a preprocessor that does not know `F` refuses
    `F(x)` even behind `defined(F) &&`.

    Args:
        conditions: of all cases; an empty one holds always.
    """
    divided = sum(bool(_divided(each)[1]) for each in conditions)
    yield from _lines([(each, at) for at, each in enumerate(conditions)], can_divide=divided <= _MOST_NESTED)


def _lines(cases: Sequence[_Case], *, can_divide: bool) -> Iterator[str | int]:
    word, passed = "if", set[str]()
    for at, (condition, number) in enumerate(cases):
        if not condition:
            if at:
                yield "#else"
            yield number
            break
        outer, inner = _divided(condition) if can_divide else (condition, "")
        if outer in passed:
            continue
        yield f"#{word} {outer}"
        word = "elif"
        if inner:
            passed.add(outer)
            yield from _lines([*_where(outer, cases[at:])], can_divide=can_divide)
        else:
            yield number
    if word == "elif":
        yield "#endif"


def _where(outer: str, cases: Sequence[_Case]) -> Iterator[_Case]:
    """Yield the cases that remain where a condition holds."""
    for condition, number in cases:
        first, inner = _divided(condition)
        if condition in ("", outer):
            yield "", number
            return
        yield (inner if first == outer and inner else condition), number


def _divided(condition: str) -> tuple[str, str]:
    """Return the part of a condition that asks for a macro, and the part that calls it; the latter may be empty."""
    parts = operands(condition)
    for at in range(1, len(parts)):
        asked = {name for each in parts[:at] for name in _ASKED.findall(each)}
        if asked.intersection(_CALL.findall(parts[at])):
            return " && ".join(parts[:at]), " && ".join(parts[at:])
    return condition, ""


def operands(condition: str) -> list[str]:
    """Return what `&&` joins at the top of a condition; the condition alone if it has `||` or `?` there."""
    found, depth, start = list[str](), 0, 0
    for match in re.finditer(r"[()?]|&&|\|\|", condition):
        word = match[0]
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth or word == ")":
            continue
        if word != "&&":
            return [condition]
        found.append(condition[start : match.start()].strip())
        start = match.end()
    return [*found, condition[start:].strip()]


PAIRS = {"create": "destroy", "new": "delete", "make": "free", "open": "close", "acquire": "release", "init": "deinit"}
"""The verbs with which names of functions begin that create something, and of functions that destroy it."""

ENDS = (
    "deallocate", "unregister", "shutdown", "finalize", "stop", "end", "release", "dispose", "terminate", "finish",
    "unload", "unref", "discard", "teardown", "destruct", "uninit", "quit", "exit", "cancel", "disconnect", "detach",
)  # fmt: skip
"""The verbs with which names of other functions begin that destroy something."""

QUESTIONS = ("get", "is", "has", "query", "count", "list", "supports")
"""The verbs with which names of functions begin that only read."""

KEEPING = ("add", "attach", "install", "on", "register", "set", "subscribe", "watch")
"""Words in the names of functions that keep what they are given."""

ALLOCATES = frozenset({"alloc", "allocate", "malloc", "calloc"})
REALLOCATES = frozenset({"realloc", "reallocate"})
FREES = frozenset({"free", "release", "deallocate", "dealloc"})
"""Words in the names of functions that allocate, resize and free memory for others."""


FIXED_SIZE = "Its size never changes."
"""The sentence in a comment of a header for a struct without a size member, which never grows."""


class Party(StrEnum):
    """A side of the interface, or both, or nobody that we know of. False when unknown."""

    CORE = "core"
    PLUGIN = "plugin"
    BOTH = "both"
    UNKNOWN = ""

    @property
    def other(self) -> Party:
        """The opposite side; both and unknown stay as they are."""
        return {Party.CORE: Party.PLUGIN, Party.PLUGIN: Party.CORE}.get(self, self)


class Zero(StrEnum):
    """The meaning of zero as the value of a member. False when nothing is stated."""

    NO_OP = "no-op"
    """The same as if the member were not there."""
    MEANINGFUL = "meaningful"
    """A value like any other."""
    UNSAID = ""


class Requirement(StrEnum):
    """The duty of the producer to set a member. False when nothing is stated, which is not `REQUIRED`."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    CONDITIONAL = "conditional"
    """Required when the `Condition` holds."""
    UNSAID = ""


class Condition(msgspec.Struct, frozen=True):
    """The condition under which a member is required; with both paths, both have to hold.

    A path is the name of a sibling, or `Struct.member`.
    """

    when: str = ""
    """The member that must not be zero; empty for none."""
    unless: str = ""
    """The member that must be zero; empty for none."""

    def __bool__(self) -> bool:
        return bool(self.when or self.unless)

    def holds_whenever(self, other: Condition) -> bool:
        """True if it asks for nothing that another condition does not ask for, too."""
        return self.when in ("", other.when) and self.unless in ("", other.unless)


class Lifecycle(msgspec.Struct, frozen=True):
    """The release of an entity, its deprecation, and its successor."""

    since: Version | None = None
    """The release that brought it; None when nothing says so."""
    deprecated: bool = False
    deprecated_since: Version | None = None
    """The release that deprecated it; None when nothing says so."""
    replaced_by: str = ""
    """The replacement, as its mark states it (`Use x.`); empty for none."""
    replaces: str = ""
    """The entity that it replaces, as its mark states it (`Replaces x.`); empty for none."""

    @property
    def advice(self) -> str:
        """The advice for callers of a deprecated function; empty for one that is not deprecated."""
        return (f"use {self.replaced_by}" if self.replaced_by else "there is nothing in its place") * self.deprecated


class Contract(msgspec.Struct, frozen=True, omit_defaults=True):
    """The marks of one entity: comments in headers (`0 is no-op.`, `Optional.`, `Use x.`, ...), keys in specs."""

    zero: Zero = Zero.UNSAID
    requirement: Requirement = Requirement.UNSAID
    condition: Condition = Condition()
    set_by: Party = Party.UNKNOWN
    """Its own mark only. Who fills a struct or a member in the end is `Struct.filler` and `Field.filler`."""
    must_be_understood: bool = False
    reserved: bool = False
    lifecycle: Lifecycle = Lifecycle()

    @property
    def is_required(self) -> bool:
        """True if it has to be filled whatever else is filled."""
        return self.requirement is Requirement.REQUIRED

    @property
    def no_op(self) -> str:
        """The words for a zero that means nothing."""
        return "is not valid" if self.is_required else "is no-op"

    @property
    def is_optional(self) -> bool:
        """True if it is said that it may be left zero."""
        return self.requirement is Requirement.OPTIONAL


NO_CONTRACT = Contract()


class ResultKind(StrEnum):
    """The way in which a function's result reports success or failure. False when it reports neither."""

    CODE = "code"
    """A single value means success; every other one is an error."""
    NEGATIVE = "negative"
    """A negative value is an error number of <errno.h>, with its sign changed; every other value is a success."""
    NULL = "null"
    """NULL means failure."""
    TRUTH = "truth"
    """False means failure."""
    COMPLAINT = "complaint"
    """A pointer to an error; NULL means that there is none."""
    UNSAID = ""


class ResultMeaning(msgspec.Struct, frozen=True, kw_only=True):
    """The meaning of the results of one function for success and failure; `Api.outcome` decides it."""

    kind: ResultKind = ResultKind.UNSAID
    ok: str = ""
    """The result for success, as C writes it; empty where any value but an error means success."""
    failed: str = ""
    """The result for a failure that has no better code."""
    unsupported: str = ""
    """The result for an unsupported operation."""

    @property
    def number_for_failure(self) -> str:
        """The result for a failure, where that is a code or a number; empty otherwise."""
        return self.failed if self.kind in (ResultKind.CODE, ResultKind.NEGATIVE) else ""

    def __bool__(self) -> bool:
        """True if the result tells failure from success."""
        return bool(self.kind)


UNSAID = ResultMeaning()


class ResultCodes(msgspec.Struct, frozen=True, kw_only=True):
    """Codes that functions return: an enumeration's, or constants of an integer type."""

    type: CType
    """The type of the results of functions that report errors so, as the API names it."""
    ok: str
    """A code, or a number as C writes it; the other two as well."""
    failed: str
    unsupported: str
    codes: tuple[str, ...] = ()
    """The other codes, where no enumeration has them."""

    @property
    def outcome(self) -> ResultMeaning:
        """The meaning of the result of a function that returns such a code."""
        return ResultMeaning(kind=ResultKind.CODE, ok=self.ok, failed=self.failed, unsupported=self.unsupported)


class Errors(Compared, frozen=True, kw_only=True):
    """The status object by which functions of an API report errors: they receive a pointer to it and fill it."""

    NOT_COMPARED = frozenset(("file",))

    status: str
    """Name of the status object's type."""
    set: str
    """Function that stores a code and a message: `set(status, code, message)`."""
    code: str
    """Function that returns the code of a status."""
    message: str
    """Function that returns the message of a status."""
    codes: Mapping[str, str]
    """Meaning (`ok`, `failed_precondition`, `not_found`, ...) to the name of the code; these two are always there."""

    file: str = ""
    """The spec that says so, as spans name it: this one, or one that it uses."""

    def code_for(self, meaning: str) -> str:
        """Return the code with a meaning, or the one for a failed precondition where the API has none of its own."""
        return self.codes.get(meaning, self.codes["failed_precondition"])


class LastError(msgspec.Struct, frozen=True, kw_only=True):
    """Functions that tell of the last error, called after a function has failed; empty for those that are not there."""

    code: str = ""
    """Function that returns its code: `code()`."""
    message: str = ""
    """Function that returns its message: `message()`."""
    set: str = ""
    """Function by which whoever fails says why: `set(message)`, or `set(code, message)`."""


class ErrorRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A struct that a function which fails fills through a pointer, and that belongs to the caller afterwards."""

    struct: str = ""
    """Its key; empty for an API without one."""
    message: str = ""
    """The member that points to the text."""
    release: str = ""
    """The member that holds the function which frees what is in it; empty where nothing has to be freed."""

    def __bool__(self) -> bool:
        """True if the API has one."""
        return bool(self.struct)


class Returned(msgspec.Struct, frozen=True, kw_only=True):
    """The conventions by which the results of functions report errors."""

    result: ResultCodes | None = None
    negative: CType | None = None
    """The type of results of which negative ones are error numbers of <errno.h>."""
    null: bool = False
    """NULL as the result of a function that returns a pointer means failure."""
    error: str = ""
    """The type of errors: a function that returns a pointer to one has failed unless it is NULL."""
    last: LastError = LastError()
    record: ErrorRecord = ErrorRecord()
    exempt: tuple[str, ...] = ()
    """Functions and members (`Struct.member`) whose results are not about errors."""

    @property
    def error_type(self) -> NamedType:
        """The same as a type."""
        return NamedType(self.error)

    def __bool__(self) -> bool:
        """True if anything was agreed on."""
        says_something = self.result is not None or self.negative is not None or self.null or bool(self.error)
        return says_something or bool(self.record) or self.last != LastError()


NOTHING_RETURNED = Returned()
