"""The API as it was: `x.yaml@1.0.0`."""

from __future__ import annotations

import pytest

from abigen.model.layout import Layouts
from abigen.model.releases import SizeStep, size_steps
from abigen.model.span import AbigenError
from abigen.model.target import find_target
from abigen.model.version import Version
from tests.specs.language.samples import FULL, read_text

HEAD = "abigen: 1\napi: toy\nversion: 1.2.0\n"


def test_what_is_newer_is_absent() -> None:
    api = read_text(FULL, at="1.0.0")
    assert "SE_Idle" not in api.functions
    assert "TOY_MAX" not in api.macros
    assert "TOY_FLAGS" not in api.constants
    fields = api.structs["SP_Piece"].fields or ()
    assert fields[-1].name == "reserved0"
    assert "SE_GREY" not in [each.name for each in api.enums["SE_Colour"].enumerators or ()]
    assert api.header and ("function", "SE_Idle") not in api.header.order
    assert api.header and api.header.releases == (Version(1, 0),)
    assert api.version and api.version.version == Version(1, 0)


def test_sentinels_have_the_value_that_they_had() -> None:
    values = {at: (read_text(FULL, at=at).enums["SE_Colour"].enumerators or ())[-1].value for at in ("1.0.0", "1.1.0")}
    assert values == {"1.0.0": 8, "1.1.0": 9}


def test_size_constants_end_where_they_ended() -> None:
    ends = {}
    for at in "1.0.0", "1.1.0", "1.2.0":
        api = read_text(FULL, at=at)
        size = api.size_constants["SP_PIECE_SIZE"]
        layouts = Layouts(api, find_target("x86_64-linux-gnu"))
        assert layouts.evaluate(size.expression) == layouts.of("SP_Piece").unpadded_size
        ends[at] = size.last_member
    assert ends == {"1.0.0": "reserved0", "1.1.0": "title", "1.2.0": "finish"}


def test_deprecations_that_came_later_are_not_marked_yet() -> None:
    def label(at: str) -> bool:
        fields = read_text(FULL, at=at).structs["SP_Piece"].fields or ()
        return next(each for each in fields if each.name == "label").contract.lifecycle.deprecated

    assert [label(at) for at in ("1.0.0", "1.1.0", "1.2.0")] == [False, False, True]


def test_the_current_release_is_the_api_itself() -> None:
    assert read_text(FULL, at="1.2.0") == read_text(FULL)


@pytest.mark.parametrize(
    ("text", "hint"),
    [(FULL, "its releases: 1.0.0, 1.1.0, 1.2.0"), ("abigen: 1\napi: toy\n", "it states no version")],
)
def test_an_unknown_release_is_refused_with_those_that_are_known(text: str, hint: str) -> None:
    with pytest.raises(AbigenError) as refusal:
        read_text(text, at="1.0.1")
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.message == "toy.yaml has no release 1.0.1"
    assert diagnostic.hint == hint


def test_a_release_before_all_that_are_named_is_answered_unless_the_spec_lists_its_releases() -> None:
    text = HEAD + "constants:\n  - {name: A, value: 1}\n  - {name: B, value: 1, since: 1.2.0}\n"
    assert set(read_text(text, at="1.0.0").constants) == {"A"}
    with pytest.raises(AbigenError) as refusal:
        read_text(text.replace("version: 1.2.0\n", "version: 1.2.0\nreleases: [1.1.0, 1.2.0]\n"), at="1.0.0")
    assert refusal.value.diagnostics[0].hint == "its releases: 1.1.0, 1.2.0"


def test_releases_are_those_that_anything_names() -> None:
    api = read_text(
        HEAD
        + "constants:\n  - {name: A, value: 1, since: 0.9.0}\n"
        + "  - {name: B, value: 1, deprecated: {since: 1.1.0}}\n"
    )
    assert api.header and [str(each) for each in api.header.releases] == ["0.9.0", "1.1.0", "1.2.0"]


def test_a_struct_grows_in_steps() -> None:
    piece = read_text(FULL).structs["SP_Piece"]
    assert size_steps(piece) == (
        SizeStep(None, "reserved0"),
        SizeStep(Version(1, 1), "title"),
        SizeStep(Version(1, 2), "finish"),
    )
    young = read_text(
        HEAD
        + "structs:\n  - name: S\n    since: 1.1.0\n    fields:\n      - {name: a, type: int}\n"
        + "      - {name: b, type: int, since: 1.1.0}\n      - {name: c, type: int, since: 1.2.0, zero: no-op}\n"
    )
    assert size_steps(young.structs["S"]) == (SizeStep(Version(1, 1), "b"), SizeStep(Version(1, 2), "c"))
