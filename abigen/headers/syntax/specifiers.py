"""The words of declarations, what specifiers and attributes mean, and what compilers add: attributes and pragmas.

The basic types are those of C 6.7.2; attributes may change layout or calls.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from abigen.headers.literals import integer
from abigen.headers.syntax.trees import Attribute, Stream
from abigen.headers.unit import Token
from abigen.model.ctype import (
    Basic,
    Binary,
    CType,
    EnumType,
    Expression,
    Literal,
    NamedType,
    Pointer,
    RecordType,
    SizeOf,
)
from abigen.model.span import Diagnostic

_SIMPLE_C = (
    "void _Bool char short int long float double signed unsigned _Complex __int128 _Decimal32 _Decimal64 _Decimal128"
)
OTHER_TYPES = frozenset(
    """
    _Float16 _Float32 _Float32x _Float64 _Float64x _Float128 __float128 __fp16 __bf16 __builtin_va_list
    __int128_t __uint128_t __int8 __int16 __int32 __int64 __auto_type
    """.split()  # noqa: SIM905
)
"""Types of compilers that pycparser does not know."""
SIMPLE_TYPES = OTHER_TYPES | frozenset(_SIMPLE_C.split())

TYPEDEF = "typedef:"
"""Stands for `typedef` in a flattened declaration; see `abigen.headers.syntax.parser` for it and those below."""
PLAIN_NAME = "$"
"""Stands for any identifier that is not the name of a type."""
TYPE_NAME = "@"
"""Stands for the name of a typedef."""
INTEGER = "0"
FLOATING = "0."
CHARACTER = "' '"
STRING = '""'

STORAGE = frozenset((TYPEDEF, "extern", "static", "auto", "register", "_Thread_local", "constexpr"))
FUNCTION_SPECIFIERS = frozenset(("inline", "_Noreturn"))
QUALIFIERS = frozenset(("const", "volatile", "restrict", "_Atomic"))
TAG_WORDS = frozenset(("struct", "union", "enum"))

_OTHER = "sizeof _Alignof _Alignas _Static_assert _Generic _BitInt typeof offsetof default"
_STATEMENTS = "break case continue do else for goto if return switch while asm __builtin_va_arg"
_SPELLINGS = {
    "const": "__const __const__",
    "volatile": "__volatile __volatile__",
    "restrict": "__restrict __restrict__ _restrict",
    "inline": "__inline __inline__ __forceinline",
    "signed": "__signed __signed__",
    "_Complex": "__complex __complex__",
    "_Alignof": "__alignof __alignof__",
    "typeof": "__typeof __typeof__ typeof_unqual __typeof_unqual__",
    "_Thread_local": "__thread",
    "asm": "__asm __asm__",
    "offsetof": "__builtin_offsetof",
    "__builtin_va_list": "__builtin_ms_va_list __builtin_sysv_va_list",
    TYPEDEF: "typedef",
}
"""Keyword -> other spellings of it in GNU's and Microsoft's dialects."""

KEYWORDS: dict[str, str] = {
    word: word
    for word in (*SIMPLE_TYPES, *STORAGE, *FUNCTION_SPECIFIERS, *QUALIFIERS, *TAG_WORDS, *_OTHER.split(),
                 *_STATEMENTS.split())
    if word not in ("constexpr", TYPEDEF)
}  # fmt: skip
KEYWORDS |= {spelling: word for word, spellings in _SPELLINGS.items() for spelling in spellings.split()}
"""Word as it is written -> keyword that it means, for C17 with GNU's and Microsoft's extensions."""

_KEYWORDS_C23 = KEYWORDS | {
    "bool": "_Bool",
    "alignas": "_Alignas",
    "alignof": "_Alignof",
    "static_assert": "_Static_assert",
    "thread_local": "_Thread_local",
    "constexpr": "constexpr",
}

IGNORED_WORDS = frozenset(
    """
    __extension__ _Nonnull _Nullable _Null_unspecified __nonnull __nullable __unaligned __w64 __sptr __uptr
    """.split()  # noqa: SIM905
)
"""Keywords of compilers that change neither layout nor calls."""

CALLING_CONVENTIONS = {
    f"__{name}": name
    for name in ("cdecl", "stdcall", "fastcall", "thiscall", "vectorcall", "regcall", "pascal", "clrcall")
} | {f"_{name}": name for name in ("cdecl", "stdcall", "fastcall", "vectorcall")}
"""Microsoft's keywords -> the attribute that GCC has for them."""


def is_c23(std: str) -> bool:
    """True if a C standard, as compilers name it (`gnu17`, `c2x`), is C23 or later."""
    return std.removeprefix("gnu").removeprefix("c") in ("23", "2x", "2y", "26")


def keywords_of(std: str) -> dict[str, str]:
    """Return the keywords that a header's declarations can use under a C standard; `offsetof` is a macro there."""
    table = dict(_KEYWORDS_C23 if is_c23(std) else KEYWORDS)
    del table["offsetof"]
    return table


_TABLES = tomllib.loads(Path(__file__).with_name("specifiers.toml").read_text(encoding="utf-8"))
_KINDS: dict[str, frozenset[str]] = {kind: frozenset(names) for kind, names in _TABLES["attributes"].items()}
CALLS = _KINDS["calls"]
"""Attributes that choose a calling convention."""
FLAGS = _KINDS["flags"]
"""Attributes that are kept by name in an entity's flags."""
NOT_MODELLED = _KINDS["not_modelled"]
"""Attributes that change layout or meaning of bytes in a way that the model cannot express."""
KNOWN = frozenset().union(*_KINDS.values()) - NOT_MODELLED
"""Attributes that the model can express, or that change nothing."""
_VECTOR_ELEMENTS: dict[str, int] = _TABLES["vector_elements"]
_ALIASES: dict[str, str] = _TABLES["aliases"]
_MODES: dict[str, str] = _TABLES["modes"]
_FLOATING = frozenset(("_Float16", "float", "double", "long double", "__float128"))
_shared = cache(Basic)
"""Makes each basic type once: thousands of members have the same."""
_WHOLE = frozenset(("void", "_Bool", "_Float16", "__bf16", "__float128", "__builtin_va_list"))


def basic_type(words: Sequence[str], attributes: Iterable[Attribute] = ()) -> Basic | None:
    """Tell which basic type a list of specifiers names.

    Args:
        words: the specifiers in any order (`long unsigned int`).
        attributes: those of the declaration; `mode(DI)` chooses another size.

    Returns:
        The type by its canonical name, None when the words do not go together.
    """
    name = _canonical(list(words))
    if name is None:
        return None
    for each in attributes:
        if each.name == "mode" and each.arguments:
            name = _with_mode(name, _mode_of(each)) or name
    return _shared(name)


def unknown_mode(attributes: Iterable[Attribute]) -> Attribute | None:
    """Return the `mode` among attributes that no basic type has; None when there is none such."""
    return next((each for each in attributes if each.name == "mode" and _mode_of(each) not in _MODES), None)


def _mode_of(attribute: Attribute) -> str:
    """Return the name of a mode, without the underscores that may decorate it."""
    return attribute.arguments[0].text.strip("_") if attribute.arguments else ""


def _canonical(words: Sequence[str]) -> str | None:
    """Return the canonical name of a list of specifiers."""
    if len(words) == 1:
        return _names().get(words[0])
    return _names().get(_key(part for word in words for part in _ALIASES.get(word, word).split()))


@cache
def _names() -> dict[str, str]:
    """Return the type's name for every sorted list of specifiers that names a basic type (C 6.7.2 paragraph 2)."""
    names = {word: word for word in (*_WHOLE, "char", "float", "double", "__int128")}
    names |= _ALIASES
    for sign, prefix in (("", ""), ("signed", ""), ("unsigned", "unsigned ")):
        for size in ("short", "", "long", "long long"):
            for word in ("", "int"):
                words = [*size.split(), *sign.split(), *word.split()]
                if words:
                    names[_key(words)] = f"{prefix}{size or 'int'}"
        names[_key(["__int128", *sign.split()])] = f"{prefix}__int128"
        names[_key(["char", *sign.split()])] = f"{sign} char".strip()
    names[_key(["long", "double"])] = "long double"
    for name in ("_Float16", "float", "double", "long double", "__float128"):
        names[_key([*name.split(), "_Complex"])] = f"{name} _Complex"
    names["_Complex"] = "double _Complex"
    return names


def _key(words: Iterable[str]) -> str:
    """Specifiers in the order in which `_names` has them."""
    return " ".join(sorted(words))


def _with_mode(name: str, mode: str) -> str | None:
    """Return the type that `mode` makes of another (GCC manual, "Common Type Attributes")."""
    chosen = _MODES.get(mode)
    if chosen is None:
        return None
    if chosen == "char":
        return "unsigned char" if name.startswith("unsigned") else "signed char"
    return f"unsigned {chosen}" if name.startswith("unsigned") and chosen not in _FLOATING else chosen


def number_argument(attribute: Attribute) -> int | None:
    """Return the attribute's argument when it is one integer constant."""
    if len(attribute.arguments) != 1:
        return None
    literal = integer(attribute.arguments[0].text)
    return None if literal is None else literal.value


def vector_bytes(attribute: Attribute, number: int, element: CType) -> Expression | int:
    """Return the size in bytes of the vector that an attribute makes of a type.

    Args:
        attribute: `vector_size`, which counts bytes, or `ext_vector_type`, which counts elements.
        number: its argument.
        element: the type of the elements, typedefs resolved.

    Returns:
        The size, an expression where it depends on the target (`long`); 0 when it makes none.
    """
    if isinstance(element, (Pointer, RecordType, EnumType)):
        return 0
    if attribute.name == "vector_size":
        return number
    is_standard = isinstance(element, NamedType)  # `size_t`, `int64_t`: the target knows what it is
    if number > 0 and (is_standard or element in (Basic("long"), Basic("unsigned long"))):
        return Binary("*", Literal(number), SizeOf(element))
    return number * _VECTOR_ELEMENTS.get(element.name, 0) if isinstance(element, Basic) else 0


_GNU_WORDS = ("__attribute__", "__attribute")
_DECLSPEC_WORDS = ("__declspec", "_declspec")


def take_attributes(
    stream: Stream, index: int, end: int, report: Callable[[Diagnostic], None]
) -> tuple[list[Attribute], int]:
    """Read the run of attributes that begins at a token.

    Args:
        stream: the tokens.
        index: where to begin.
        end: where the declaration ends.
        report: where errors in the list of attributes go.

    Returns:
        The attributes (none when no attribute begins there), and the index of the token behind them.
    """
    attributes: list[Attribute] = []
    tokens, partners = stream.tokens, stream.partners
    while index < end and starts_attribute(tokens[index]):
        token = tokens[index]
        if token.text in CALLING_CONVENTIONS:
            attributes.append(Attribute(CALLING_CONVENTIONS[token.text], (), token.span))
            index += 1
            continue
        is_standard = token.text == "["
        opening = index if is_standard else index + 1
        close = partners[opening] if opening < end and tokens[opening].text in "([" else -1
        if close <= opening:
            break
        is_double = partners[opening + 1] == close - 1 and tokens[opening + 1].text == tokens[opening].text
        if is_standard and not is_double:
            break
        inner = 1 + (is_double and token.text not in _DECLSPEC_WORDS)
        if not is_double and token.text in _GNU_WORDS:
            report(Diagnostic(token.span, f"the list behind '{token.text}' is in two pairs of parentheses"))
        vendor = "standard" if is_standard else "gnu" if token.text in _GNU_WORDS else "declspec"
        attributes += _read_list(stream, opening + inner, close + 1 - inner, vendor, report)
        index = close + 1
    return attributes, index


def starts_attribute(token: Token) -> bool:
    """True if a token may begin a run of attributes (`[` may)."""
    text = token.text
    return text == "[" or text in _GNU_WORDS or text in CALLING_CONVENTIONS or text in _DECLSPEC_WORDS


def _read_list(
    stream: Stream, index: int, end: int, vendor: str, report: Callable[[Diagnostic], None]
) -> list[Attribute]:
    """Attributes between brackets, separated by commas (GNU, C23) or by nothing (declspec)."""
    attributes: list[Attribute] = []
    tokens, partners = stream.tokens, stream.partners
    separated = True
    while index < end:
        token = tokens[index]
        index += 1
        if token.text == ",":
            separated = True
            continue
        if token.kind != "id" or (not separated and vendor != "declspec"):
            where = "attributes are separated by commas" if token.kind == "id" else ""
            report(Diagnostic(token.span, f"unexpected '{token.text}' among attributes", where))
            return attributes
        separated = False
        prefix = vendor
        if vendor == "standard" and index + 1 < end and tokens[index].text == "::":
            prefix = _plain(token.text)
            token = tokens[index + 1]
            index += 2
        arguments: tuple[Token, ...] = ()
        if index < end and tokens[index].text == "(" and partners[index] > 0:
            arguments = tuple(tokens[index + 1 : partners[index]])
            index = partners[index] + 1
        attributes.append(Attribute(_plain(token.text), arguments, token.span, prefix))
    return attributes


def _plain(name: str) -> str:
    """`__packed__` is `packed`."""
    return name[2:-2] if len(name) > 4 and name.startswith("__") and name.endswith("__") else name


_PACK = re.compile(r"pack\s*\((?P<arguments>[^)]*)\)")
_VISIBILITY = re.compile(r"GCC\s+visibility\s+(?:push\s*\(\s*(?P<kind>\w+)\s*\)|pop)")
_SYMBOL = re.compile(r"redefine_extname\s+(?P<name>\w+)\s+(?P<symbol>\w+)")
_NUMBERS = frozenset((1, 2, 4, 8, 16))
_LAYOUT_PRAGMAS = frozenset(("scalar_storage_order", "options", "align", "struct"))


class PragmaState:
    """The state of `#pragma pack` and others, after the pragmas so far."""

    def __init__(self, report: Callable[[Diagnostic], None]) -> None:
        """Begin with nothing packed; `report` hears of pragmas that cannot be obeyed."""
        self.pack: int | None = None
        """In bytes; None when nothing is packed."""
        self.bitfield_rule = ""
        self.visibility: list[str] = []
        """The visibilities that `#pragma GCC visibility push` has set; the last one counts."""
        self.renamed: dict[str, str] = {}
        """The effects of `#pragma redefine_extname`: names of functions and objects to their symbols."""
        self._report = report
        self._stack: list[tuple[str, int | None]] = []

    def apply(self, token: Token) -> None:
        """Obey a pragma (GCC manual, "Structure-Layout Pragmas").

        Args:
            token: of kind `pragma`; what is no pragma about layout is ignored, what cannot be modelled is reported.
        """
        words = token.text.split()
        if not words:
            return
        match = _PACK.match(token.text)
        if match is not None:
            self._pack(token, [each.strip() for each in match["arguments"].split(",") if each.strip()])
        elif (match := _VISIBILITY.match(token.text)) is not None:
            self.visibility = [*self.visibility, match["kind"]] if match["kind"] else self.visibility[:-1]
        elif (match := _SYMBOL.match(token.text)) is not None:
            self.renamed[match["name"]] = match["symbol"]
        elif words[0] == "ms_struct":
            self.bitfield_rule = "ms" if "on" in words[1:2] else ""
        elif words[0] in _LAYOUT_PRAGMAS or words[:2] == ["pack", "("]:
            message = f"#pragma {words[0]} may change the layout of structs in a way that abigen does not know"
            self._report(Diagnostic(token.span, message, severity="warning"))

    def _pack(self, token: Token, arguments: list[str]) -> None:
        """`pack(...)` with push, pop, a label and a number in any of the orders that compilers take."""
        action = arguments.pop(0) if arguments and arguments[0] in ("push", "pop", "show", "reset") else ""
        label = arguments.pop(0) if arguments and not arguments[0][0].isdigit() else ""
        number: int | None = None
        if arguments:
            try:
                number = int(arguments[0], 0)
            except ValueError:
                number = -1
            if number == 0:
                number = None
            elif number not in _NUMBERS:
                message = f"#pragma pack takes 1, 2, 4, 8 or 16, not {arguments[0]}; it is ignored"
                self._report(Diagnostic(token.span, message, severity="warning"))
                return
        if action == "push":
            self._stack.append((label, self.pack))
            if arguments:
                self.pack = number
        elif action == "pop":
            self._pop(token, label)
            if arguments:
                self.pack = number
        elif action != "show":
            self.pack = number

    def _pop(self, token: Token, label: str) -> None:
        """Back to what was in force at the matching push."""
        if not self._stack or (label and label not in (each for each, _ in self._stack)):
            message = "#pragma pack(pop) without a matching push; it is ignored"
            self._report(Diagnostic(token.span, message, severity="warning"))
            return
        while self._stack:
            name, pack = self._stack.pop()
            if not label or name == label:
                self.pack = pack
                return
