"""Context of a translation unit while its entities are made: linkage, scoped enumerations, documentation.

The reader reads a header as C, and the preprocessor has removed text for C++. So linkage, and the colon and type of
an enumeration that only C++ sees, are found in the text itself.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypedDict

import msgspec
from msgspec.structs import replace

from abigen.headers.documentation import Commentary, read_contract
from abigen.headers.preprocessor.lexemes import lexemes_of
from abigen.headers.symbols import Symbols
from abigen.headers.syntax.parser import parse
from abigen.headers.syntax.specifiers import FLAGS, KNOWN, NOT_MODELLED, basic_type
from abigen.headers.syntax.trees import Attribute, TagBody, balance
from abigen.headers.types import DeclaredType, TypeBuilder
from abigen.headers.unit import HiddenText, MacroDefinition, Token
from abigen.model.api import Api
from abigen.model.contract import NO_CONTRACT, Contract
from abigen.model.ctype import Alignments, CType, Expression, Literal, NamedType
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic, Span
from abigen.model.spelling import STANDARD_TYPES
from abigen.model.target import Target

_COMMENT = re.compile(r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_MARK = re.compile(
    r"\n[ \t]*(?:#[ \t]*(?:(?P<condition>ifdef|ifndef|if|else|elif|endif)\b(?P<asked>[^\n]*)"
    r"|define[ \t]+(?P<macro>\w+)(?P<body>(?:[^\n\\]|\\.|\\\n)*))|(?!extern\b)(?P<word>\w+)\b(?![ \t]*\w))"
    r'|extern\s*"C(?:\+\+)?"\s*(?P<block>\{)|extern\s*(?P<single>"C")|\{(?P<brace>)|\}(?P<close>)',
    re.DOTALL,
)
"""The start and end of an `extern "C"`: conditions, macros, and the text itself."""
_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]""", re.MULTILINE)
_END = 1 << 30
_MOST_CHARACTERS = 2000
_BLOCK = re.compile(r'\bextern\s*"C"\s*\{')
_ABOUT_C = r"(?=.*(?:DECL|EXTERN|CPLUSPLUS|CPP|(?:^|_)C(?:_|$)))"
_OPENS = re.compile(rf"{_ABOUT_C}.*(?:BEGIN|START|OPEN|ENTER)", re.IGNORECASE)
_CLOSES = re.compile(rf"{_ABOUT_C}.*(?:END|STOP|CLOSE|LEAVE|EXIT)", re.IGNORECASE)

_NEVER_DEFINED = re.compile(r"INDENT|EMACS|EDITOR|NEVER|DUMMY|FAKE|BALANCE|BRACE", re.IGNORECASE)
"""Names in conditions that hold for no compiler; they hide a brace from editors."""
_PREFIXES = re.compile(r"(?:^|_)EXTERN_?C(?:_|$)")


class _File(msgspec.Struct):
    """The directives and marks of one file."""

    regions: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """First and last lines of what stands in an `extern "C" { }`."""
    singles: set[int] = msgspec.field(default_factory=set)
    """Lines with an `extern "C"` of their own."""


class Linkage:
    """Tells which functions keep their names when a C++ compiler reads the header."""

    def __init__(self, texts: Mapping[str, str], macros: Mapping[str, MacroDefinition]) -> None:
        """Look through the own files.

        Args:
            texts: their texts by name.
            macros: all definitions alive at the end, to recognise macros that stand for `extern "C" {` in C++ only.
        """
        self._prefixes: set[str] = set()
        self._openers: set[str] = set()
        self._closers: set[str] = set()
        self._macros = macros.keys()
        self._users: dict[str, set[str]] = {}
        """Words to the macros in whose definitions they occur."""
        for name, macro in macros.items():
            if not macro.body and macro.parameters is None:
                if _CLOSES.match(name):
                    self._closers.add(name)
                elif _OPENS.match(name):
                    self._openers.add(name)
                elif _PREFIXES.search(name):
                    self._prefixes.add(name)
        plain = {name: _without_comments(text) for name, text in texts.items()}
        self._files = {name: self._scan(text) for name, text in plain.items()}
        self._add_prefixes_of_prefixes()
        for name, text in plain.items():
            self._files[name].singles |= self._prefixed_lines(text)
        self._spread(plain)
        self._for_cpp = any(
            "__cplusplus" in text or 'extern "C"' in text or self._files[name].regions for name, text in texts.items()
        )

    def of(self, token: Token, macro: str) -> str:
        """`C` or `C++`; empty when the files say nothing of C++.

        Args:
            token: the function's name where it is declared.
            macro: the macro that the declaration begins with, empty when there is none.
        """
        file = self._files.get(token.file)
        if file is None or macro in self._prefixes or token.line in file.singles:
            return "C"
        if not self._for_cpp:
            return ""
        return "C" if any(first <= token.line <= last for first, last in file.regions) else "C++"

    def _scan(self, text: str) -> _File:
        """Find the regions of one text: what opens and closes them stands where only C++ looks, or in macros."""
        file = _File()
        line, position = 0, 0
        text = f"\n{text}"  # each line begins behind a line's end
        open_lines: list[int] = []
        braces = 0
        """The number of open braces of classes, structs and functions are open in the text that only C++ reads."""
        is_for_cpp: list[bool] = []
        """For each condition that is open: True if it asks for C++."""
        is_skipped: list[bool] = []
        """For each condition that is open: True if no compiler reads the group that follows it."""
        for match in _MARK.finditer(text):
            line += text.count("\n", position, match.start() + 1)
            position = match.start() + 1
            opens, closes = match["word"] in self._openers, match["word"] in self._closers
            if (condition := match["condition"]) is not None:
                if condition.startswith("if"):
                    is_for_cpp.append("__cplusplus" in match["asked"])
                    is_skipped.append(self._is_never(condition, match["asked"]))
                elif is_for_cpp:
                    is_for_cpp[-1:] = [] if condition == "endif" else [False]
                    is_skipped[-1:] = [] if condition == "endif" else [self._is_never(condition, match["asked"])]
            elif any(is_skipped):
                continue
            elif match["macro"]:
                self._define(match["macro"], match["body"], is_for_cpp=any(is_for_cpp))
            elif any(is_for_cpp):
                opens = opens or match["block"] is not None
                if match["brace"] is not None:
                    braces += 1
                elif match["close"] is not None and braces:
                    braces -= 1
                else:
                    closes = closes or match["close"] is not None
                if match["single"]:
                    file.singles |= {line, _next_code(text, match.end(), line)}
            if opens:
                open_lines.append(line)
            elif closes and open_lines:
                file.regions.append((open_lines.pop(), line))
        file.regions += [(line, _END) for line in open_lines]
        return file

    def _is_never(self, directive: str, asked: str) -> bool:
        """True if a condition never holds: `#if 0`, or `#ifdef` of a name that nothing defines."""
        text = asked.strip().strip("()").strip()
        if directive in ("if", "elif"):
            return text in ("0", "false") or text.startswith("0 &&")
        return directive == "ifdef" and text not in self._macros and _NEVER_DEFINED.search(text) is not None

    def _spread(self, texts: Mapping[str, str]) -> None:
        """Let a file that is included in `extern "C" { }` only stand in it as a whole."""
        includes: dict[str, set[tuple[str, bool]]] = {}
        for name, text in texts.items():
            for match in _INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                is_inside = any(first <= line <= last for first, last in self._files[name].regions)
                if included := _named(match[1], name, texts):
                    includes.setdefault(included, set()).add((name, is_inside))
        inside: set[str] = set()
        for _ in includes:
            inside |= {
                included
                for included, places in includes.items()
                if all(each[1] or each[0] in inside for each in places)
            }
        for name in inside:
            self._files[name].regions.append((1, _END))

    def _define(self, name: str, body: str, *, is_for_cpp: bool) -> None:
        """Note what a macro stands for."""
        for word in re.findall(r"\w+", body):
            self._users.setdefault(word, set()).add(name)
        if is_for_cpp and _BLOCK.search(body):
            self._openers.add(name)
        elif is_for_cpp and 'extern "C"' in body:
            self._prefixes.add(name)
        elif is_for_cpp and body.strip() == "}":
            self._closers.add(name)

    def _add_prefixes_of_prefixes(self) -> None:
        """Macros that expand to one which stands for `extern "C"`: `#define X_API X_EXTERN_C X_EXPORT`."""
        waiting = list(self._prefixes)
        while waiting:
            fresh = self._users.get(waiting.pop(), set()) - self._prefixes
            self._prefixes |= fresh
            waiting += fresh

    def _prefixed_lines(self, text: str) -> set[int]:
        """Return the lines of declarations that begin with a macro for `extern "C"`, which is empty in C."""
        found: set[int] = set()
        position = 0
        for number, line in enumerate(text.split("\n") if self._prefixes else (), 1):
            if not line.lstrip().startswith("#") and not self._prefixes.isdisjoint(re.findall(r"\w+", line)):
                end = position + len(line)
                found |= {number} if line.rstrip().endswith(";") else {number, _next_code(text, end + 1, number + 1)}
            position += len(line) + 1
        return found


def _named(include: str, includer: str, names: Collection[str]) -> str | None:
    """Return the file that an #include means, of given names; None for another file, or if two fit."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(includer), include))
    if beside in names:
        return beside
    found = [each for each in names if each.endswith(f"/{posixpath.normpath(include)}")]
    return found[0] if len(found) == 1 else None


def _without_comments(text: str) -> str:
    """Return a text with as many lines as it had."""
    return _COMMENT.sub(lambda match: match["text"] or "\n" * match[0].count("\n") or " ", text)


def _next_code(text: str, position: int, line: int) -> int:
    """Return the line of the first code behind a position, directives left out."""
    for offset, each in enumerate(text[position : position + _MOST_CHARACTERS].split("\n")):
        if each.strip() and not each.lstrip().startswith("#"):
            return line + offset
    return line


_MOST_LINES = 8
"""Between the keyword of an enumeration and its brace."""
_CONDITIONS = ("#ifdef __cplusplus", "#if defined(__cplusplus)", "#if defined __cplusplus")


class _Text(msgspec.Struct, frozen=True):
    """A text that only C++ reads, with the type that it states for an enumeration."""

    hidden: HiddenText
    tag: str | None
    """The tag after `enum`; None where the text is the type alone."""
    type: CType
    macro: str = ""
    """The macro that it is the body of."""


class CppEnums:
    """Finds those types in text that the C preprocessor has hidden, and remembers the texts that contain them."""

    def __init__(self, hidden: Iterable[HiddenText], texts: Mapping[str, str]) -> None:
        """Search the hidden text.

        Args:
            hidden: of one unit.
            texts: of the API's own files, by name.
        """
        self._sources = texts
        self._lines: dict[str, list[str]] = {}
        self.read: set[HiddenText] = set()
        """The hidden texts that have been read."""
        self._texts = [found for each in hidden if (found := _text(each)) is not None]

    def underlying(self, body: TagBody) -> CType | None:
        """Return the type of an enumeration in C++; None where it is the same as in C, or cannot be read."""
        if not self._texts or not body.is_complete:
            return None
        tokens, begin = body.stream.tokens, body.start
        if begin and tokens[begin - 1].text == "typedef":
            begin -= 1
        for text in self._texts:
            if text.macro and text.macro in self._words(tokens[body.start], tokens[body.opening]):
                self.read.add(text.hidden)
                return text.type
        for index in range(begin, body.opening + 1):
            before = tokens[index - 1] if index else None
            for text in self._texts:
                if text.macro:
                    continue
                if text.tag is None:
                    is_same = index > body.start
                else:
                    is_same = index <= body.start and text.tag == (body.name.text if body.name else "")
                if is_same and _stands_between(text.hidden, before, tokens[index]):
                    self.read.add(text.hidden)
                    return text.type
        return None

    def _words(self, keyword: Token, brace: Token) -> list[str]:
        """Return the words between two tokens of one file, including macros that expand to nothing in C."""
        if keyword.file not in self._lines:
            self._lines[keyword.file] = self._sources.get(keyword.file, "").splitlines()
        lines = self._lines[keyword.file][keyword.line - 1 : brace.line]
        return re.findall(r"\w+", " ".join(lines)) if len(lines) <= _MOST_LINES else []


def _stands_between(hidden: HiddenText, before: Token | None, after: Token) -> bool:
    """True if a hidden text stands between two tokens of the same file."""
    file, lines = hidden.place.file, hidden.lines
    is_behind = before is None or before.file != file or before.line < lines.start
    return is_behind and after.file == file and after.line >= lines.stop


def _text(hidden: HiddenText) -> _Text | None:
    """Return the type that a hidden text states for an enumeration; None where it states no type."""
    if hidden.condition not in _CONDITIONS:
        return None
    words = [each.text for each in lexemes_of(hidden.text)]
    macro = words[2] if words[:2] == ["#", "define"] and words[3:4] == [":"] else ""
    words = words[3 if macro else 0 :]
    has_brace = words[-1:] == ["{"]
    words = words[: len(words) - has_brace]
    if ":" not in words:
        return None
    colon = words.index(":")
    head, type = words[:colon], words[colon + 1 :]
    head = head[head[:1] == ["typedef"] :]
    is_standard = len(type) == 1 and type[0] in STANDARD_TYPES
    found = NamedType(type[0]) if is_standard else basic_type(type) if type else None
    if found is None or (head and head[0] != "enum") or len(head) > 2 or (has_brace and not head):
        return None
    return _Text(hidden, head[1] if len(head) == 2 else "" if head else None, found, macro)


class Question(msgspec.Struct, frozen=True):
    """An expression, and what its value must not be.

    `kind` is `length` (of an array), `assertion`, `alignment` (in bytes, as an attribute asks for it), or `alignas`,
    which may not ask for less than the type needs.
    """

    kind: str
    expression: Expression | int
    span: Span
    subject: str
    """The array's or the member's name; for an assertion its message."""
    type: CType | None = None


class Described(TypedDict):
    """The attributes that all entities have, by the names of `abigen.model.entities.Entity`."""

    name: str
    span: Span
    doc: str
    contract: Contract
    in_api: bool


class UnitContext(msgspec.Struct, frozen=True):
    """A translation unit whose names are known, and who helps to understand it."""

    symbols: Symbols
    types: TypeBuilder
    commentary: Commentary
    linkage: Linkage
    target: Target
    """For whom it was preprocessed."""
    own_files: frozenset[str]
    """The files whose declarations are the API's own."""
    report: Callable[[Diagnostic], None]
    """The receiver of errors and warnings."""
    cpp_enums: CppEnums
    """Finds what only C++ reads of enumerations."""
    questions: list[Question] = msgspec.field(default_factory=list)
    """The checks to make once the sizes of types are known."""
    _reported: set[tuple[str, Span]] = msgspec.field(default_factory=set)
    """Attributes that somebody has been told of."""

    def __post_init__(self) -> None:
        self.types.number_of = self._number_of

    def entity(
        self,
        name: str,
        token: Token,
        documentation: tuple[str, Contract] = ("", NO_CONTRACT),
        attributes: Sequence[Attribute] = (),
    ) -> Described:
        """Return the common attributes of an entity that is declared at a token, from its comments and attributes."""
        doc, contract = documentation
        contract = _with_deprecation(contract, attributes)
        return {
            "name": name,
            "span": token.span,
            "doc": doc,
            "contract": contract,
            "in_api": token.file in self.own_files,
        }

    def alignment(
        self, attributes: Sequence[Attribute], alignments: Sequence[Expression | int]
    ) -> Expression | int | None:
        """Return the alignment that `aligned`, `__declspec(align)` and `_Alignas` ask for.

        Args:
            attributes: all of a declaration's.
            alignments: the operands of its `_Alignas`.

        Returns:
            Bytes; 0 for `aligned` without a number, None when nothing is asked for.
        """
        if not attributes and not alignments:
            return None
        wanted = self._alignments(attributes, alignments)
        numbers = [each for each in wanted if isinstance(each, int) and each > 0]
        if len(set(wanted)) < 2 or (len(numbers) == len(wanted) and numbers[-1] == max(numbers)):
            return wanted[-1] if wanted else None
        return Alignments(tuple(Literal(each) if isinstance(each, int) else each for each in wanted))

    def _alignments(
        self, attributes: Sequence[Attribute], alignments: Sequence[Expression | int]
    ) -> list[Expression | int]:
        """Return all that a declaration asks for, in order; `_Alignas(0)` asks for nothing."""
        asked = [each for each in attributes if each.name in ("aligned", "align")]
        return [
            *(each for each in alignments if each != 0),
            *(self._argument(each) if each.arguments else 0 for each in asked),
        ]

    def ask(self, declared: DeclaredType) -> None:
        """Have the alignment that a declaration asks for checked."""
        if not declared.attributes and not declared.alignments:
            return
        wanted = self._alignments(declared.attributes, declared.alignments)
        largest = max((each for each in wanted if isinstance(each, int)), default=0)
        for each in dict.fromkeys(wanted):
            # Of several numbers the largest has to be enough for the type.
            is_enough = bool(declared.alignments) and (each == largest or not isinstance(each, int))
            if each != 0:
                kind = "alignas" if is_enough else "alignment"
                self.questions.append(Question(kind, each, declared.token.span, declared.name, declared.type))
        if declared.alignments and (declared.is_typedef or declared.bit_width is not None):
            what = "a typedef" if declared.is_typedef else "a bit-field"
            self.report(Diagnostic(declared.token.span, f"_Alignas on '{declared.name}', which is {what}"))

    def check(self, attributes: Sequence[Attribute], what: str, place: Token) -> None:
        """Warn of attributes that are not known; refuse those that change layout and cannot be modelled.

        Args:
            attributes: those of one declaration.
            what: how messages call what it declares.
            place: where that stands.
        """
        for each in attributes:
            name = each.name
            if name in KNOWN or place.file not in self.own_files:
                continue
            if (name, each.span) in self._reported:
                continue
            self._reported.add((name, each.span))
            if name in NOT_MODELLED:
                message = f"attribute '{name}' of {what} changes the layout in a way that abigen cannot model"
                self.report(Diagnostic(each.span, message))
            else:
                message = f"attribute '{name}' of {what} is not known; its effect on layout and calls is ignored"
                self.report(Diagnostic(each.span, message, severity="warning"))

    def _number_of(self, attribute: Attribute) -> int:
        """Return the value of an attribute's argument, in whatever unit it has; 0, and a report, when it has none."""
        value = self._argument(attribute)
        if isinstance(value, int):
            return value
        try:
            return Layouts(Api(name=""), self.target).evaluate(value)
        except AbigenError as error:
            message = f"the argument of '{attribute.name}' cannot be evaluated: {error.diagnostics[0].message}"
            self.report(Diagnostic(attribute.span, message))
            return 0

    def _argument(self, attribute: Attribute) -> Expression | int:
        """Return the argument of an attribute, as a constant expression."""
        stream, _ = balance(attribute.arguments)
        flat = self.symbols.flattener.flatten(stream, 0, len(stream.tokens))
        node = parse("expression", flat)
        if node is not None:
            return self.types.constant(flat, node)
        self.report(Diagnostic(attribute.span, f"the argument of '{attribute.name}' is not an expression"))
        return 1


def flags_of(attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """Return the attributes that an entity keeps by name, with their arguments where these tell what is meant."""
    return tuple(dict.fromkeys(_flag(each) for each in attributes if each.name in FLAGS))


_WITH_ARGUMENTS = frozenset(
    ("nonnull", "format", "format_arg", "alloc_size", "alloc_align", "assume_aligned", "sentinel")
)


def _flag(attribute: Attribute) -> str:
    """Return an attribute as a flag: `pure`, `nonnull(1, 2)`."""
    if attribute.name not in _WITH_ARGUMENTS or not attribute.arguments:
        return attribute.name
    words = (each.text.strip("_") or each.text for each in attribute.arguments)
    return f"{attribute.name}({''.join(words).replace(',', ', ')})"


def exported(attributes: Sequence[Attribute], visibility: str) -> bool | None:
    """Return the export of a symbol by its attributes, or else by a pragma; None when neither states it."""
    result = visibility in ("default", "protected") if visibility else None
    for each in attributes:
        if each.name in ("dllexport", "dllimport", "externally_visible"):
            result = True
        elif each.name == "visibility" and each.arguments:
            result = each.arguments[0].text.strip('"') in ("default", "protected")
    return result


def _with_deprecation(contract: Contract, attributes: Sequence[Attribute]) -> Contract:
    """Return the contract, deprecated when an attribute says so; its message may name the replacement."""
    for each in attributes:
        if each.name in ("deprecated", "unavailable") and not contract.lifecycle.deprecated:
            message = "".join(token.text.strip('"') for token in each.arguments if token.kind == "string")
            said = read_contract(f"Deprecated. {message}").lifecycle
            lifecycle = replace(
                said, deprecated=True, since=contract.lifecycle.since, replaces=contract.lifecycle.replaces
            )
            contract = replace(contract, lifecycle=lifecycle)
    return contract
