from __future__ import annotations

import pytest

from abigen.checker.policy import Options
from abigen.checker.release import declared_bump, demanded_bump, is_enough
from abigen.model.entities import VersionDeclaration
from abigen.model.finding import Bump
from abigen.model.version import Version


def declared(text: str) -> VersionDeclaration:
    numbers = [int(number) for number in text.split(".")]
    return VersionDeclaration(version=Version(*[*numbers, 0, 0][:3]), parts=len(numbers))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1.2.3", "1.2.3", "none"),
        ("1.2.3", "1.2.4", "patch"),
        ("1.2.3", "1.3.0", "minor"),
        ("1.2.3", "1.3.9", "minor"),
        ("1.2.3", "2.0.0", "major"),
        ("0.9.0", "1.0.0", "major"),
        ("1.2.3", "1.2.2", "backwards"),
        ("1.2.3", "1.1.9", "backwards"),
        ("2.0.0", "1.9.9", "backwards"),
        ("7", "8", "major"),
        ("7", "7", "none"),
    ],
)
def test_the_first_number_that_differs_is_what_is_declared(old: str, new: str, expected: str) -> None:
    assert declared_bump(declared(old), declared(new)) == expected


def test_nothing_is_declared_when_a_side_states_no_version() -> None:
    assert declared_bump(None, declared("1.0.0")) == "unknown"
    assert declared_bump(declared("1.0.0"), None) == "unknown"


@pytest.mark.parametrize(
    ("version", "policy", "required", "expected"),
    [
        ("1.0.0", "cargo", Bump.MAJOR, Bump.MAJOR),
        ("1.0.0", "none", Bump.MAJOR, Bump.MAJOR),
        ("0.3.0", "cargo", Bump.MAJOR, Bump.MINOR),
        ("0.3.0", "cargo", Bump.MINOR, Bump.PATCH),
        ("0.3.0", "cargo", Bump.PATCH, Bump.PATCH),
        ("0.3.0", "cargo", Bump.NONE, Bump.NONE),
        ("0.3.0", "none", Bump.MAJOR, Bump.NONE),
        ("0.3.0", "strict", Bump.MAJOR, Bump.MAJOR),
        ("0.3", "cargo", Bump.MAJOR, Bump.MINOR),
        ("0.3", "cargo", Bump.MINOR, Bump.NONE),
        ("1.3", "cargo", Bump.PATCH, Bump.NONE),
        ("1.3", "cargo", Bump.MINOR, Bump.MINOR),
    ],
)
def test_less_is_demanded_before_the_first_release_and_nothing_that_has_no_number(
    version: str, policy: str, required: Bump, expected: Bump
) -> None:
    assert demanded_bump(required, declared(version), declared(version), policy) is expected


@pytest.mark.parametrize("required", [Bump.MINOR, Bump.MAJOR])
def test_the_only_number_has_to_move_for_additions_and_for_breaks(required: Bump) -> None:
    demanded = demanded_bump(required, declared("7"), declared("8"), "cargo")
    assert not is_enough(demanded, declared_bump(declared("7"), declared("7")), Options())
    assert is_enough(demanded, declared_bump(declared("7"), declared("8")), Options())


def test_without_versions_a_break_is_too_much_and_an_addition_is_fine() -> None:
    assert not is_enough(Bump.MAJOR, "unknown", Options())
    assert is_enough(Bump.MINOR, "unknown", Options())


def test_a_version_that_goes_back_is_never_enough() -> None:
    assert not is_enough(Bump.NONE, "backwards", Options())


def test_a_patch_that_did_not_move_fails_nothing_unless_the_policy_counts_it() -> None:
    assert is_enough(Bump.PATCH, "none", Options())
    assert not is_enough(Bump.PATCH, "none", Options(patch_counts=True))
    assert is_enough(Bump.PATCH, "patch", Options(patch_counts=True))
    assert not is_enough(Bump.PATCH, "backwards", Options())
    assert not is_enough(Bump.MINOR, "none", Options())
