"""Tests of the meanings of object-like macros."""

from __future__ import annotations

import pytest

from abigen.checker.constants import states_version
from abigen.model.api import Api
from abigen.model.ctype import Literal
from abigen.model.entities import Constant, VersionDeclaration
from abigen.model.layout import Layouts
from abigen.model.meaning import Meaning, bound_value, meaning_of
from abigen.model.target import find_target
from abigen.model.version import Version


def layouts(**texts: str) -> Layouts:
    constants = {name: Constant(name=name, text=text) for name, text in texts.items()}
    return Layouts(Api(name="test", constants=constants), find_target("x86_64-linux-gnu"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        ('"name"', "text"),
        ('("na" "me")', "text"),
        ("-0.5f", "text"),
        ("1e3", "text"),
        ('__attribute__((visibility("default")))', "attribute"),
        ("__declspec(dllexport) __cdecl", "attribute"),
        ('extern "C" {', "attribute"),
        ("[[nodiscard]] static inline", "attribute"),
        ("INNER", "attribute"),
        ("INNER INNER", "attribute"),
        ("unsigned char", "code"),
        ("((void*)0)", "number"),
        ("other_function", "code"),
    ],
)
def test_a_body_is_known_for_what_it_is(text: str, kind: str) -> None:
    known = layouts(M=text, INNER="__attribute__((cold))")
    assert meaning_of(known.api.constants["M"], known).kind == kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(0.5f)", 0.5),
        ("-(2.0 * 3)", -6.0),
        ('"na" "me"', b"name"),
        (r'"a\"\x7f\n"', b'a"\x7f\n'),
        ('"é"', "é".encode()),
        ('L"wide"', None),
        (r'"\u20ac"', None),
        ("1e999", None),
        ("((void*)0)", None),
        ("unsigned char", None),
    ],
)
def test_other_languages_have_numbers_and_strings(text: str, value: float | bytes | None) -> None:
    known = layouts(M=text)
    assert bound_value(known.api.constants["M"], [known]) == value


@pytest.mark.parametrize(
    ("left", "right"),
    [('"name"', '("na" "me")'), ("0.50", "(.5f)"), ("unsigned char", "(unsigned char)"), ("1.0", "1e0")],
)
def test_other_spellings_mean_the_same(left: str, right: str) -> None:
    known = layouts(LEFT=left, RIGHT=right)
    left_meaning, right_meaning = (meaning_of(each, known) for each in known.api.constants.values())
    assert left_meaning == right_meaning


def test_a_number_is_its_value_on_the_target() -> None:
    known = layouts(M="0x10")
    constant = Constant(name="M", text="0x10", expression=Literal(16))
    assert meaning_of(constant, known) == Meaning("number", 16)


def test_macros_that_name_each_other_end() -> None:
    known = layouts(A="B B B B B B B B", B="A A A A A A A A", C="C")
    assert meaning_of(known.api.constants["A"], known).kind == "code"
    assert meaning_of(known.api.constants["C"], known).kind == "code"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("TOY_MAJOR", True),
        ("TOY_VERSION", True),
        ("TOY_VERSION_STRING", True),
        ("TOY_API_VERSION", True),
        ("TOY_VERSION_NUM", True),
        ("TOY_PROTOCOL_VERSION", False),
        ("TOY_MINORITY", False),
        ("OTHER_VERSION", False),
    ],
)
def test_macros_that_say_the_version_are_told_from_others(name: str, expected: bool) -> None:
    macros = (("TOY_MAJOR", None), ("TOY_MINOR", None), ("TOY_PATCH", None))
    api = Api(name="test", version=VersionDeclaration(version=Version(1, 2, 3), macros=macros))
    assert states_version(name, api) is expected
