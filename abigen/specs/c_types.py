"""Types and expressions in the scalars of a spec, and its error conventions, parsed like C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeVar

from msgspec.structs import replace

from abigen.headers.fragment import parse_expression, parse_type
from abigen.headers.preprocessor.lexemes import folded
from abigen.headers.preprocessor.macros import DefinedMacro
from abigen.headers.syntax.parser import BASIC_NAMES, UNKNOWN_TYPE, suggest
from abigen.headers.syntax.specifiers import CALLS, KEYWORDS, take_attributes
from abigen.headers.syntax.trees import KnownNames, TagBody, balance
from abigen.headers.unit import Token
from abigen.model.api import Api, Conventions
from abigen.model.contract import NOTHING_RETURNED, ErrorRecord, Errors, LastError, ResultCodes, Returned
from abigen.model.ctype import (
    Basic,
    BitInt,
    CType,
    EnumType,
    Expression,
    FunctionType,
    RecordType,
    types_in,
    unqualified,
)
from abigen.model.span import AbigenError, Span
from abigen.model.spelling import BUILT_IN, STANDARD_TYPES, reserved_word
from abigen.specs.spec_names import (
    KINDS,
    Choice,
    MacroExpander,
    SpecNames,
    allows_reserved_names,
    defined_items,
    enclosed,
    has_typedef,
    is_by_pointer,
    names_of,
    tag_of,
    tokens_of,
)
from abigen.workspace.document.tree import Item, Problems, Scalar, similar_word

_Result = TypeVar("_Result")
_KEPT_ATTRIBUTES = CALLS | {"vector_size", "ext_vector_type", "mode"}
"""Attributes that are part of a type in the model."""
_SPELLINGS = {type.name: name for name, type in BUILT_IN.items()}
"""The names that C++ does not know, by the name that both languages know."""


class TypeReader(KnownNames):
    """Parses the types of one spec, which may name what it declares itself and what the specs in `uses` declare."""

    def __init__(
        self, root: Item, context: Api, choice: Choice, problems: Problems, forgiven: frozenset[str] | None
    ) -> None:
        """Find out what types may name.

        Args:
            root: the spec.
            context: what the specs that it uses declare.
            choice: the cases of constants that hold.
            problems: receives what is wrong.
            forgiven: names that stand in the spec but were refused: using them is no second error; None for all names.
        """
        self.context = context
        self.choice = choice
        self.problems = problems
        self.forgiven = forgiven
        self.types: dict[str, CType | None] = {name: each.type for name, each in self.context.typedefs.items()}
        self.tags: dict[str, tuple[str, str]] = {}
        """Tag to the kind and the name of what it is the tag of."""
        self.type_constants: dict[str, CType] = {}
        """Constants that stand for a type."""
        self.used_macros: dict[str, Span] = {}
        """Macros that the last piece of C names, and where."""
        self._allows_reserved = allows_reserved_names(root)
        self._known: dict[str, CType] = {}
        """Types that have been read, by their text."""
        self._enumerators: set[str] = set()
        self.values: dict[str, int] = {}
        self.types |= dict.fromkeys(STANDARD_TYPES) | BUILT_IN
        self._know_context()
        self._know_types(root)
        definitions = _definitions(root, self.context, choice)
        self.macros = MacroExpander(definitions)
        self._find_type_constants(root)
        are_macros = definitions.keys() - self.type_constants
        self.macros = MacroExpander({name: definitions[name] for name in are_macros})
        # Which typedefs are arrays or functions has to be known before parameters of their types are adjusted.
        for item in (*root.items("typedefs"), *root.items("callbacks")):
            scalar = item.scalar("type")
            self.types[item.name] = self._try(scalar, parse_type, guess=False) if scalar else None

    def _know_context(self) -> None:
        """Know what the used specs declare."""
        for key, struct in self.context.structs.items():
            if struct.tag:
                self.tags[struct.tag] = (struct.kind, key)
        for key, enum in self.context.enums.items():
            if enum.tag:
                self.tags[enum.tag] = ("enum", key)
            for each in enum.enumerators or ():
                self.know_enumerator(each.name, self.fold(each.expression) if each.expression else each.value)

    def _know_types(self, root: Item) -> None:
        """Know the types and enumerators that the spec declares."""
        for key in ("structs", "enums"):
            for item in root.items(key):
                for name in names_of(item) if item.name else ():
                    if name != item.name or has_typedef(item):
                        self.types[name] = RecordType(item.name) if key == "structs" else EnumType(item.name)
                self.tags[tag_of(item, KINDS[key])] = (item.text("kind", KINDS[key]), item.name)
                for each in item.items("enumerators"):
                    self.know_enumerator(each.name, None)
        self.tags.pop("", None)
        # Several handles may stand for one opaque struct; its key is the first name that stands for the struct itself.
        for item in sorted(root.items("handles"), key=is_by_pointer):
            tag = tag_of(item, "handle")
            self.tags.setdefault(tag, ("struct", tag if is_by_pointer(item) else item.name))
        for key in ("handles", "typedefs", "callbacks"):
            self.types |= dict.fromkeys(item.name for item in root.items(key) if has_typedef(item))

    def _find_type_constants(self, root: Item) -> None:
        """Tell constants that stand for a type from the others: their names are types, not macros to expand."""
        for item in root.items("constants"):
            scalar = item.scalar("value")
            kinds = [token.kind for token in tokens_of(scalar)] if scalar else []
            is_type = kinds[:1] == ["id"] and not {"string", "number", "char"} & set(kinds)
            if scalar and is_type and (type := self._try(scalar, parse_type, guess=True)):
                self.type_constants[item.name] = self.types[item.name] = type

    def type(self, scalar: Scalar | None) -> CType | None:
        """Return the type that a scalar states; None, and an error, when it states none."""
        return self.type_of(tokens_of(scalar), scalar.span) if scalar else None

    def type_of(self, tokens: Sequence[Token], place: Span) -> CType | None:
        """Return the type that tokens state; None, and an error, when they state none.

        Args:
            tokens: as they stand in the spec.
            place: of the whole, for what has no place of its own.
        """
        text = " ".join(token.text for token in tokens)
        if text in self._known:
            self.used_macros = {}
            return self._known[text]
        try:
            prepared = self._prepared(tokens)
            _check_words(prepared)
            type = parse_type(prepared, self, place)
        except AbigenError as error:
            self._refuse(error, place)
            return None
        for function in types_in(type):
            for parameter in function.parameters if isinstance(function, FunctionType) else ():
                # Names of parameters have to be names in C++ too.
                name = parameter.name or ""
                if reason := reserved_word(name, file_scope=False, to_implementation=not self._allows_reserved):
                    self.problems.error(parameter.span, f"the parameter '{name}' {reason}")
        if "(" not in text and not self.used_macros:  # parameters have places, so functions are read each time
            self._known[text] = type
        return type

    def expression(self, scalar: Scalar | None) -> Expression | None:
        """Return the constant expression that a scalar states; None, and an error, when it states none."""
        if scalar is None:
            return None
        try:
            return parse_expression(self._prepared(tokens_of(scalar)), self, scalar.span)
        except AbigenError as error:
            self._refuse(error, scalar.span)
            return None

    def try_expression(self, scalar: Scalar) -> Expression | None:
        """Return the constant expression that a scalar states, None when it states something else."""
        return self._try(scalar, parse_expression, guess=True)

    def _try(
        self, scalar: Scalar, parse: Callable[[Sequence[Token], KnownNames, Span], _Result], *, guess: bool
    ) -> _Result | None:
        """Return the parsed content of a scalar; None when it is refused.

        A guess is given up when a word means nothing: the error would cost the search for what was meant.
        """
        try:
            tokens = self._prepared(tokens_of(scalar))
            known = (KEYWORDS, self.types, self.tags, self._enumerators, ("true", "false"))
            words = [token.text for token in tokens if token.kind == "id"] if guess else []
            if not all(any(word in each for each in known) for word in words):
                return None
            _check_words(tokens)
            return parse(tokens, self, scalar.span)
        except AbigenError:
            return None

    def know_enumerator(self, name: str, value: Expression | int | None) -> None:
        """Let expressions use an enumerator; it has no value when that depends on the target."""
        self._enumerators.add(name)
        if isinstance(value, int):
            self.values[name] = value

    # What types and expressions ask for while they are parsed

    def is_type(self, name: str) -> bool:
        """True if a name is a typedef's, the spec's or that of another type that it may use."""
        return name in self.types

    def type_of_typedef(self, name: str) -> CType | None:
        """Return the type that a typedef stands for; None when that is not known (yet)."""
        return self.types.get(name)

    def ordinary(self, name: str) -> str:
        """Return the kind of an identifier."""
        return "enumerator" if name in self._enumerators else ""

    def declare_tag(self, kind: str, keyword: Token, name: Token | None, body: TagBody | None) -> None:
        """Refuse a tag that the spec does not know, or that is another kind's."""
        if name is None or body is not None:
            return
        if name.text not in self.tags:
            hint = similar_word(name.text, self.tags) or "list it in 'handles' if only one side knows it"
            raise AbigenError.at(name.span, f"'{keyword.text} {name.text}' is not declared", hint)
        known, _ = self.tags[name.text]
        if known != kind:
            article = "an" if kind == "enum" else "a"
            message = f"'{name.text}' is {'an' if known == 'enum' else 'a'} {known}, not {article} {kind}"
            raise AbigenError.at(name.span, message, f"write '{known} {name.text}'")

    def key_of_reference(self, kind: str, token: Token) -> str:
        """Return the key of `struct X`."""
        return self.tags[token.text][1]

    def suggest_value(self, name: str) -> str:
        """Return a hint for an identifier that is not known."""
        return similar_word(name, self._enumerators)

    def suggest_type(self, name: str) -> str:
        """Return a hint for a name that should be a type."""
        if name in self.tags:
            return f"write '{self.tags[name][0]} {name}'"
        return suggest(name, [*BASIC_NAMES, *self.types])

    def _prepared(self, tokens: Sequence[Token]) -> list[Token]:
        """Tokens with all macros replaced; notes which ones."""
        self.used_macros = {each.text: each.span for each in tokens if each.kind == "id" and each.text in self.macros}
        return [
            replace(token, text=_SPELLINGS[token.text], width=token.width or len(token.text))
            if token.text in _SPELLINGS
            else token
            for token in self.macros.expand(tokens)
        ]

    def _refuse(self, error: AbigenError, place: Span) -> None:
        """Report why a piece of C was refused, unless that follows from another error."""
        for each in error.diagnostics:
            is_missing = each.message.startswith(UNKNOWN_TYPE) or each.message.endswith("is not declared")
            name = each.message.split("'")[1].rpartition(" ")[2] if is_missing else ""
            if not (is_missing and (self.forgiven is None or name in self.forgiven)):
                self.problems.error(each.place or place, each.message, each.hint)


def _definitions(root: Item, context: Api, choice: Choice) -> dict[str, DefinedMacro]:
    """Return the macros that types and expressions may use."""
    found: dict[str, DefinedMacro] = {}
    for name, constant in context.constants.items():
        if name not in context.typedefs:
            found[name] = DefinedMacro(name, None, enclosed(constant.text))
    for name, macro in context.macros.items():
        found[name] = DefinedMacro(name, macro.parameters, macro.body)
    for item in defined_items(root):
        scalar = choice.text(item)
        text = folded(scalar.text) if scalar else ""
        is_call = item.has("parameters")
        parameters = item.texts("parameters") if is_call else None
        found[item.name] = DefinedMacro(item.name, parameters, text if is_call else enclosed(text))
    return found


def _check_words(tokens: Sequence[Token]) -> None:
    """Refuse what a header may say in a type, and a spec says elsewhere; and attributes where a declaration's would be.

    Raises:
        AbigenError: there is one.
    """
    stream, _ = balance(tokens)
    index, end = 0, len(stream.tokens)
    while index < end:
        token = stream.tokens[index]
        if token.text in ("_Alignas", "alignas"):
            raise AbigenError.at(token.span, "an alignment is not allowed in a type", "use the key 'alignment'")
        # What is wrong with a list of attributes is told when the type is parsed.
        run, after = take_attributes(stream, index, end, lambda diagnostic: None)
        if run and after == end and index and stream.tokens[index - 1].text in (")", "]"):
            message = f"the attribute '{run[0].name}' is behind the type"
            raise AbigenError.at(run[0].span, message, "put it in front: void (__attribute__((stdcall)) *)(int a)")
        for each in run:
            if each.name not in _KEPT_ATTRIBUTES:
                hint = "use the key 'alignment'" if each.name in ("aligned", "align") else ""
                raise AbigenError.at(each.span, f"the attribute '{each.name}' is not allowed in a type", hint)
        index = max(after, index + 1)


_CODES = ("ok", "failed", "unsupported")
_LAST = ("code", "message", "set")


def read_errors(root: Item, context: Api, types: TypeReader) -> tuple[Errors | None, Returned]:
    """Return the way in which functions report errors: from the spec, or from the first used spec that states one.

    Args:
        root: the spec.
        context: what the used specs declare.
        types: reads the types of results.
    """
    conventions = [each for _, each in context.used.values()]
    item = root.item("conventions").item("errors")
    says_object = item.has("codes")
    errors = next((each.errors for each in conventions if each.errors), None)
    if says_object:
        keys = {key: item.text(key) for key in ("status", "set", "code", "message")}
        errors = Errors(**keys, codes=item.item("codes").table(), file=root.source.file)
    returned = _returned(item, types)
    if not returned and not says_object:
        inherited = next((each.returned for each in conventions if each.returned), NOTHING_RETURNED)
        returned = replace(inherited, exempt=(*inherited.exempt, *returned.exempt))
    return errors, returned


def _returned(item: Item, types: TypeReader) -> Returned:
    said, last = item.item("result"), item.item("last_error")
    type = types.type(said.scalar("type"))
    result = None
    if type is not None:
        ok, failed, unsupported = (_code(said.scalar(key)) for key in _CODES)
        others = tuple(map(_code, said.scalars("codes")))
        result = ResultCodes(type=type, ok=ok, failed=failed, unsupported=unsupported or failed, codes=others)
    number = item.scalar("negative_errno")
    negative: CType | None = None
    if number is not None:
        negative = types.type(number) if number.kind != "boolean" else Basic("int") if number.is_true else None
    return Returned(
        result=result,
        negative=negative,
        null=item.flag("null_fails"),
        error=item.text("returned_error"),
        last=LastError(**{key: last.text(key) for key in _LAST}),
        record=ErrorRecord(**{key: item.item("record").text(key) for key in ("struct", "message", "release")}),
        exempt=item.texts("except"),
    )


def _code(scalar: Scalar | None) -> str:
    """Return a code as C writes it."""
    if scalar is None or scalar.kind != "boolean":
        return scalar.text if scalar else ""
    return "true" if scalar.is_true else "false"


def check_error_names(errors: Item, names: SpecNames, problems: Problems) -> None:
    """Check that the names in the conventions of errors are declared, here or in a used spec.

    Args:
        errors: what the spec says of them.
        names: what is declared.
        problems: receives what is wrong.
    """
    result, last = errors.item("result"), errors.item("last_error")
    functions, codes = names.of_kinds("function"), names.of_kinds("constant", "enumerator")
    _check(errors, ("status", "returned_error"), "type", names.of_kinds("handle", "typedef", "struct"), problems)
    _check(errors, ("set", "code", "message"), "function", functions, problems)
    _check(errors.item("codes"), tuple(errors.item("codes").values), "code", codes, problems)
    _check(last, _LAST, "function", functions, problems)
    _check(errors.item("record"), ("struct",), "struct", names.of_kinds("struct"), problems)
    for scalar in (*filter(None, map(result.scalar, _CODES)), *result.scalars("codes")):
        is_number = scalar.kind in ("integer", "boolean") or scalar.text.lstrip("-").isdigit()
        if not is_number and scalar.text not in codes:
            problems.unknown(scalar.span, f"there is no code '{scalar.text}'", scalar.text, codes)


def _check(item: Item, keys: Sequence[str], what: str, known: Sequence[str], problems: Problems) -> None:
    for scalar in filter(None, map(item.scalar, keys)):
        if scalar.text not in known:
            problems.unknown(scalar.span, f"there is no {what} '{scalar.text}'", scalar.text, known)


def check_errors(errors: Item, conventions: Conventions, api: Api, problems: Problems) -> None:
    """Check that the conventions of errors fit the functions and types that they name.

    Args:
        errors: what the spec says of them.
        conventions: what was made of it.
        api: all that the spec declares.
        problems: receives what is wrong.
    """
    returned = conventions.returned
    for key, type in (("type", returned.result.type if returned.result else None), ("", returned.negative)):
        place = errors.item("result").place("type") if key else errors.place("negative_errno")
        number = api.resolve(unqualified(type)) if type is not None else Basic("int")
        if isinstance(number, BitInt) or not api.holds_whole_numbers(number):
            what = "an enumeration or an integer type" if key else "a signed integer type"
            problems.error(place, f"errors that functions return need {what}")
    members = (f"{key}.{each.name}" for key, struct in api.structs.items() for each in struct.fields or ())
    known = frozenset(chain(api.functions, members))
    for scalar in errors.scalars("except"):
        if scalar.text not in known:
            problems.unknown(scalar.span, f"there is no function or member '{scalar.text}'", scalar.text, known)
    last = errors.item("last_error")
    for key, fits in (("code", (0,)), ("message", (0,)), ("set", (1, 2))):
        function = api.functions.get(last.text(key))
        if function is not None and len(function.type.parameters) not in fits:
            problems.error(last.place(key), f"'{function.name}' is called as {_call(key)}")
    _check_record(errors.item("record"), api, problems)
    if errors.keys and not (conventions.errors or returned):
        hint = "state status, result, negative_errno, null_fails, returned_error or last_error"
        problems.error(errors.span, "the spec does not state how functions report errors", hint)


def _check_record(record: Item, api: Api, problems: Problems) -> None:
    """Check that the struct which tells of errors has the members that the spec names."""
    struct = api.structs.get(record.text("struct"))
    known = [each.name for each in struct.fields or ()] if struct is not None else []
    for scalar in filter(None, map(record.scalar, ("message", "release"))):
        if struct is not None and scalar.text not in known:
            problems.unknown(scalar.span, f"'{struct.name}' has no member '{scalar.text}'", scalar.text, known)


def _call(key: str) -> str:
    return "set(message) or set(code, message)" if key == "set" else f"{key}(), without arguments"
