"""Types, members and expressions of specs are parsed as those of headers are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abigen.headers.fragment import parse_expression, parse_type
from abigen.headers.preprocessor.lexemes import lex
from abigen.headers.syntax.trees import KnownNames
from abigen.headers.unit import Token
from abigen.model.ctype import (
    Array,
    Basic,
    Binary,
    CType,
    FunctionType,
    Literal,
    Name,
    NamedType,
    OffsetOf,
    Parameter,
    Pointer,
    Qualified,
    RecordType,
    SizeOf,
)
from abigen.model.span import AbigenError, Span
from abigen.model.spelling import spell
from abigen.model.target import find_target
from tests.headers.reader.reading import read


class Names(KnownNames):
    """The names that the types and expressions below may use."""

    def __init__(self) -> None:
        self.values = {"COUNT": 3}
        self.typedefs: dict[str, CType | None] = dict.fromkeys(("size_t", "TF_Status", "T"))
        self.typedefs |= {"SP_Device": RecordType("SP_Device"), "Row": Array(Basic("int"), 3)}

    def is_type(self, name: str) -> bool:
        return name in self.typedefs

    def type_of_typedef(self, name: str) -> CType | None:
        return self.typedefs.get(name)

    def ordinary(self, name: str) -> str:
        return "enumerator" if name in ("COUNT", "KIND") else ""

    def key_of_reference(self, kind: str, token: Token) -> str:
        return "U" if token.text == "U_st" else token.text


NAMES = Names()
PLACE = Span("spec.yaml", 7, 3)


def tokens(text: str) -> list:  # type: ignore[type-arg]
    return lex(text, "spec.yaml", 7, 10)


def errors(text: str, parse: object = parse_type) -> list[tuple[int, str]]:
    with pytest.raises(AbigenError) as caught:
        parse(tokens(text), NAMES, PLACE)  # type: ignore[operator]
    return [(each.place.column - 9 if each.place else 0, each.message) for each in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("int", Basic("int")),
        ("unsigned long long", Basic("unsigned long long")),
        ("const SP_Device*", Pointer(Qualified(NamedType("SP_Device"), ("const",)))),
        ("struct S[4]", Array(RecordType("S"), 4)),
        ("union U_st *", Pointer(RecordType("U"))),
        ("struct Unknown *", Pointer(RecordType("Unknown"))),
        ("int[COUNT + 1]", Array(Basic("int"), 4)),
        ("int[KIND]", Array(Basic("int"), Name("KIND"))),
        ("int[]", Array(Basic("int"), None)),
        ("void (*)(void)", Pointer(FunctionType(Basic("void"), ()))),
        ("void (*)(int, ...)", Pointer(FunctionType(Basic("void"), (Parameter(None, Basic("int")),), variadic=True))),
        ("int (*)(Row)", Pointer(FunctionType(Basic("int"), (Parameter(None, Pointer(Basic("int"))),)))),
        (
            "void (SP_Device* device, TF_Status* status)",
            FunctionType(
                Basic("void"),
                (
                    Parameter("device", Pointer(NamedType("SP_Device"))),
                    Parameter("status", Pointer(NamedType("TF_Status"))),
                ),
            ),
        ),
        ("_Atomic(int) * const", Qualified(Pointer(Qualified(Basic("int"), ("_Atomic",))), ("const",))),
        (
            "void (__stdcall *)(int)",
            Pointer(FunctionType(Basic("void"), (Parameter(None, Basic("int")),), calling_convention="stdcall")),
        ),
    ],
)
def test_a_type_is_parsed(text: str, type: CType) -> None:
    assert parse_type(tokens(text), NAMES, PLACE) == type


def test_parameters_have_their_places() -> None:
    type = parse_type(tokens("void (int a, char b)"), NAMES, PLACE)
    assert isinstance(type, FunctionType)
    assert [str(each.span) for each in type.parameters] == ["spec.yaml:7:20", "spec.yaml:7:28"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int32", [(1, "unknown type name 'int32'")]),
        ("SP_Devic*", [(1, "unknown type name 'SP_Devic'")]),
        ("void (foo a, bar* b)", [(7, "unknown type name 'foo'"), (14, "unknown type name 'bar'")]),
        ("", [(-6, "expected a type")]),
        ("int x", [(5, "unexpected 'x' behind 'int'")]),
        ("int;", [(4, "unexpected ';'")]),
        ("int[", [(4, "this '[' is never closed")]),
        ("int)", [(4, "')' has no '(' before it")]),
        ("unsigned float", [(1, "'unsigned float' is not a type")]),
        ("int[-1]", [(4, "the length of the array is negative (-1)")]),
        ("int[MANY]", [(5, "'MANY' is not declared")]),
        ("const", [(1, "this cannot be read as a type")]),
        ("struct { int a; }", [(15, "unexpected ';'"), (1, "a struct cannot be defined here")]),
        ("int & x", [(5, "references are C++, a C compiler cannot read them")]),
        ("std::string", [(4, "'::' is C++, a C compiler cannot read it")]),
        ("int @", [(5, "stray '@'")]),
    ],
)
def test_what_is_wrong_with_a_type_is_said_at_its_place(text: str, expected: list[tuple[int, str]]) -> None:
    assert errors(text) == expected


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("3", Literal(3)),
        ("COUNT << 2", Binary("<<", Name("COUNT"), Literal(2))),
        ("sizeof(SP_Device)", SizeOf(NamedType("SP_Device"))),
        ("offsetof(SP_Device, a.b)", OffsetOf(NamedType("SP_Device"), ("a", "b"))),
        ("'a'", Literal(97)),
    ],
)
def test_an_expression_is_parsed(text: str, expression: object) -> None:
    assert parse_expression(tokens(text), NAMES, PLACE) == expression


@pytest.mark.parametrize("text", ["1 +", "1.5", "UNKNOWN", "f(3)", '"x"', "1, 2", "", "SP_Device"])
def test_what_is_no_constant_expression_is_refused(text: str) -> None:
    assert errors(text, parse_expression)


QUALIFIERS = st.sets(st.sampled_from(["const", "volatile"]), min_size=1).map(lambda each: tuple(sorted(each)))
BASIC = st.sampled_from(sorted(set(find_target("x86_64-linux-gnu").types) - {"void"})).map(Basic)
LEAVES = BASIC | st.sampled_from([NamedType("size_t"), NamedType("TF_Status"), RecordType("Opaque")])
IDENTIFIERS = st.sampled_from(["a", "b1", "_c", "size", "count", "T"])


def _qualify(type: CType, names: tuple[str, ...]) -> CType:
    return type if isinstance(type, (Qualified, Array, FunctionType)) else Qualified(type, names)


def _function(result: CType, parameters: list[tuple[str | None, CType]], variadic: bool) -> FunctionType:
    seen: set[str] = set()
    found = []
    for name, type in parameters:
        found.append(Parameter(None if name in seen else name, type))
        seen.add(name or "")
    return FunctionType(result, tuple(found), variadic=variadic and bool(found))


def _objects(inner: st.SearchStrategy[CType]) -> st.SearchStrategy[CType]:
    values = inner.filter(lambda each: not isinstance(each, (Array, FunctionType)))
    functions = st.builds(
        _function,
        values | st.just(Basic("void")),
        st.lists(st.tuples(st.none() | IDENTIFIERS, values), max_size=3),
        st.booleans(),
    )
    return st.one_of(
        st.builds(Pointer, inner | functions | st.just(Basic("void"))),
        st.builds(_qualify, inner, QUALIFIERS),
        st.builds(Array, inner, st.integers(1, 9)),
    )


@given(st.recursive(LEAVES, _objects, max_leaves=8))
def test_a_type_that_is_spelled_and_parsed_again_is_the_same(type: CType) -> None:
    text = spell(type).replace("Opaque", "struct Opaque")
    assert parse_type(lex(text, "x"), NAMES, PLACE) == type


@pytest.mark.ci
@given(st.recursive(LEAVES, _objects, max_leaves=8), IDENTIFIERS)
def test_a_member_that_is_spelled_and_parsed_again_is_the_same(type: CType, name: str) -> None:
    member = spell(type, name).replace("Opaque", "struct Opaque")
    api = read(f"struct Opaque {{ int a; }}; typedef int size_t, TF_Status, T; struct S {{ {member}; }};")
    (field,) = api.structs["S"].fields or ()
    assert (field.name, field.type) == (name, type)
