"""Random structs, one known edit each: the findings have to be those of the edit, and no others."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from abigen.checker.compare import compare
from abigen.checker.policy import Policy
from tests.checker.check.headers import read

EXAMPLES = 25

# Of one size, so that only an edit moves anything, and of types that no two members share.
WIDE = tuple(f"struct T{number}*" for number in range(12))
TYPES = "".join(f"{type[:-1]};\n" for type in WIDE)
NARROW = ("int8_t", "int16_t", "int32_t", "uint8_t", "uint16_t", "uint32_t", "float")


class Draft(msgspec.Struct, frozen=True):
    """A struct as text: its name and its members as (type, name)."""

    name: str
    members: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        lines = "".join(f"  {type} {name};\n" for type, name in self.members)
        last = self.members[-1][1]
        size = f"(offsetof({self.name}, {last}) + sizeof((({self.name}*)0)->{last}))"
        return f"typedef struct {self.name} {{\n{lines}}} {self.name};\n#define {self.name}_STRUCT_SIZE {size}\n"

    def with_members(self, members: tuple[tuple[str, str], ...]) -> Draft:
        return replace(self, members=members)


@st.composite
def drafts(draw: st.DrawFn, name: str = "Toy", types: tuple[str, ...] = WIDE) -> Draft:
    count = draw(st.integers(3, min(8, len(types))))
    chosen = draw(st.permutations(types))[:count]
    return Draft(name, (("size_t", "struct_size"), *((type, f"m{place}") for place, type in enumerate(chosen))))


def findings(old: str, new: str) -> set[str]:
    verdict = compare(read(TYPES + old), read(TYPES + new), Policy())
    return {f"{each.rule} {each.entity} {each.bump.value}" for each in verdict.findings}


def places(draft: Draft, *, last: bool) -> st.SearchStrategy[int]:
    return st.integers(1, len(draft.members) - (1 if last else 2))


@pytest.mark.ci
@given(drafts(), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_member_that_comes_last_is_appended(draft: Draft, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 3))
    added = tuple((data.draw(st.sampled_from(WIDE)), f"new{place}") for place in range(count))
    expected = {f"field-appended Toy.{name} minor" for _, name in added}
    assert findings(str(draft), str(draft.with_members(draft.members + added))) == expected


@pytest.mark.ci
@given(drafts(), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_member_that_comes_before_another_is_inserted(draft: Draft, data: st.DataObject) -> None:
    place = data.draw(places(draft, last=True))
    type = data.draw(st.sampled_from(WIDE + NARROW))
    members = (*draft.members[:place], (type, "new"), *draft.members[place:])
    assert findings(str(draft), str(draft.with_members(members))) == {"field-inserted Toy.new major"}


@pytest.mark.ci
@given(drafts(types=NARROW), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_member_that_falls_into_a_hole_is_inserted_all_the_same(draft: Draft, data: st.DataObject) -> None:
    place = data.draw(places(draft, last=True))
    members = (*draft.members[:place], (data.draw(st.sampled_from(NARROW)), "new"), *draft.members[place:])
    assert findings(str(draft), str(draft.with_members(members))) == {"field-inserted Toy.new major"}


@pytest.mark.ci
@given(drafts(types=WIDE + NARROW), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_member_that_goes_is_removed_and_nothing_else_is_said(draft: Draft, data: st.DataObject) -> None:
    place = data.draw(places(draft, last=False))
    name = draft.members[place][1]
    members = draft.members[:place] + draft.members[place + 1 :]
    expected = {f"field-removed Toy.{name} major", f"removed-without-deprecation Toy.{name} major"}
    assert findings(str(draft), str(draft.with_members(members))) == expected


@pytest.mark.ci
@given(drafts(types=WIDE + NARROW), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_member_with_another_name_is_renamed(draft: Draft, data: st.DataObject) -> None:
    place = data.draw(places(draft, last=False))
    type, name = draft.members[place]
    members = (*draft.members[:place], (type, "other"), *draft.members[place + 1 :])
    assert findings(str(draft), str(draft.with_members(members))) == {f"field-renamed Toy.{name} major"}


@pytest.mark.ci
@given(drafts(types=WIDE + NARROW), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_member_of_another_type_is_retyped(draft: Draft, data: st.DataObject) -> None:
    place = data.draw(places(draft, last=True))
    type, name = draft.members[place]
    other = data.draw(st.sampled_from(WIDE + NARROW))
    assume(other != type)
    members = (*draft.members[:place], (other, name), *draft.members[place + 1 :])
    assert findings(str(draft), str(draft.with_members(members))) == {f"field-type-changed Toy.{name} major"}


@pytest.mark.ci
@given(drafts(types=WIDE + NARROW), st.data())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_member_that_moves_past_several_others_is_the_only_one_that_moved(draft: Draft, data: st.DataObject) -> None:
    source = data.draw(places(draft, last=False))
    target = data.draw(places(draft, last=False))
    assume(abs(source - target) > 1)
    rest = draft.members[:source] + draft.members[source + 1 :]
    members = (*rest[:target], draft.members[source], *rest[target:])
    assume(members[-1] == draft.members[-1])
    expected = {f"field-reordered Toy.{draft.members[source][1]} major"}
    assert findings(str(draft), str(draft.with_members(members))) == expected


@st.composite
def edits(draw: st.DrawFn, name: str) -> tuple[Draft, Draft]:
    before = draw(drafts(name))
    members = list(before.members)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(1, len(members) - 1))
        match draw(st.sampled_from(("insert", "remove", "rename", "retype", "move"))):
            case "insert":
                members.insert(place, (draw(st.sampled_from(WIDE)), f"new{len(members)}"))
            case "remove" if len(members) > 2:
                del members[place]
            case "rename":
                members[place] = (members[place][0], f"other{place}")
            case "retype":
                members[place] = (draw(st.sampled_from(NARROW)), members[place][1])
            case _:
                members.insert(draw(st.integers(1, len(members) - 1)), members.pop(place))
    assume(len({name for _, name in members}) == len(members))
    return before, before.with_members(tuple(members))


@pytest.mark.ci
@given(edits("Toy"), edits("Box"))
@settings(max_examples=EXAMPLES, deadline=None)
def test_what_happens_to_one_struct_hides_nothing_of_what_happens_to_another(
    toy: tuple[Draft, Draft], box: tuple[Draft, Draft]
) -> None:
    apart = findings(str(toy[0]), str(toy[1])) | findings(str(box[0]), str(box[1]))
    assert findings(f"{toy[0]}{box[0]}", f"{toy[1]}{box[1]}") == apart


@pytest.mark.ci
@given(edits("Toy"))
@settings(max_examples=EXAMPLES, deadline=None)
def test_every_member_that_differs_is_told_of_once_and_a_change_is_never_silent(toy: tuple[Draft, Draft]) -> None:
    before, after = toy
    found = findings(str(before), str(after))
    assert bool(found) == (before != after)
    old_names, new_names = ({name for _, name in draft.members} for draft in toy)
    for name in old_names - new_names:
        told = [each for each in found if each.split()[1] == f"Toy.{name}" and not each.startswith("removed-without")]
        assert len(told) == 1, (name, found)
