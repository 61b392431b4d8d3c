"""Tests of the likeness of names, by which a renamed entity is found."""

from __future__ import annotations

import pytest

from abigen.checker.type_pairs import renamed
from abigen.model.entities import Entity


def found(old: list[str], new: list[str]) -> dict[str, str]:
    before, after = ({name: Entity(name=name) for name in names} for names in (old, new))
    removed = [entity for name, entity in before.items() if name not in after]
    added = [entity for name, entity in after.items() if name not in before]
    return {name: entity.name for name, entity in renamed(before, after, removed, added, lambda *_: True).items()}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("TP_StreamSync", "TP_StreamSynchronize"),
        ("LIMIT_MAX_DEVICES", "LIMIT_MAXIMUM_DEVICES"),
        ("db_open", "db_open2"),
        ("tp_wait", "tpx_wait"),
    ],
)
def test_a_word_that_was_changed_is_a_rename(old: str, new: str) -> None:
    assert found(["first", old, "last"], ["first", "last", new]) == {old: new}


@pytest.mark.parametrize(("old", "new"), [("TP_GetWidth", "TP_GetHeight"), ("TP_New", "TP_Delete"), ("alpha", "omega")])
def test_another_word_elsewhere_is_no_rename(old: str, new: str) -> None:
    assert found(["first", old, "last"], ["first", "last", new]) == {}


def test_another_word_in_the_same_place_is_a_rename() -> None:
    old, new = ["tp_a", "tp_device_destroy", "tp_z"], ["tp_a", "tp_device_delete", "tp_z"]
    assert found(old, new) == {"tp_device_destroy": "tp_device_delete"}


def test_a_new_name_is_given_once() -> None:
    assert found(["tp_sync", "tp_synchro"], ["tp_synchronize"]) == {"tp_sync": "tp_synchronize"}
