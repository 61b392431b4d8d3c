"""Stores each kind of value in each kind of container, lets all else go, and reads it back, in Python and in C.

Arguments: the folder of the package, and the core's library. Prints each case that has read something else.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from itertools import count
from typing import Any

sys.path[:0] = sys.argv[3:]
from plugin_api import core, keep  # type: ignore[import-not-found]  # noqa: E402

core.load(sys.argv[2])
_NUMBERS = count(1)


def _text(number: int) -> str:
    return chr(97 + number % 26) * 3000


def _tree(number: int, depth: int = 2) -> Any:
    tree = keep.KP_Tree(leaf=keep.KP_Leaf(text=_text(number)), several=[_text(number) for _ in range(3)])
    tree.any.leaf = keep.KP_Leaf(text=_text(number))
    tree.pair[1] = keep.KP_Leaf(text=_text(number))
    if depth:
        tree.next = _tree(number, depth - 1)
    return tree


MADE: dict[str, Callable[[int], Any]] = {
    "text": _text,
    "memory": lambda number: bytearray(_text(number).encode()),
    "numbers": lambda number: [number] * 750,
    "pointer": lambda number: keep.KP_Leaf(text=_text(number)),
    "leaf": lambda number: keep.KP_Leaf(text=_text(number)),
    "call": lambda number: lambda times: number * times,
    "tree": _tree,
}


def _read(kind: str, value: Any) -> int:
    """Return a number for what stands in memory, computed by C."""
    return int(getattr(keep, f"KP_Read_{kind}")(value))


class Containers:
    """The containers of values of one kind; each method returns a reader of the value."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.box, self.case, self.inside, self.either = (
            getattr(keep, f"KP_{name}_{kind}") for name in ("Box", "Case", "In", "Or")
        )

    def argument(self, make: Callable[[], Any]) -> Callable[[], Any]:
        return make

    def member(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box(member=make())
        return lambda: box.member

    def member_of_a_temporary(self, make: Callable[[], Any]) -> Callable[[], Any]:
        value = self.box(member=make()).member
        return lambda: value

    def value_that_was_replaced(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box(next=self.box(member=make()))
        view = box.next
        box.next = self.box(member=make())
        return lambda: view.member

    def element(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box()
        box.pair[1] = make()
        return lambda: box.pair[1]

    def all_elements(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box(pair=[make(), make()])
        return lambda: box.pair[0]

    def elements_of_an_iterator(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box(pair=(make() for _ in range(2)))
        return lambda: box.pair[1]

    def elements_of_another(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box(pair=self.box(pair=[make(), make()]).pair)
        return lambda: box.pair[1]

    def several(self, make: Callable[[], Any]) -> Callable[[], Any]:
        values = [make(), make(), make()]
        box = self.box(several=values)
        values.clear()
        return lambda: box.several[2]

    def several_changed(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box(several=[make(), make(), make()])
        box.several[1] = make()
        return lambda: box.several[1]

    def several_of_a_temporary(self, make: Callable[[], Any]) -> Callable[[], Any]:
        several = self.box(several=[make(), make()]).several
        return lambda: several[1]

    def nested(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box(inside=self.inside(member=make()))
        return lambda: box.inside.member

    def nested_in_place(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box()
        box.inside.member = make()
        return lambda: box.inside.member

    def nested_twice(self, make: Callable[[], Any]) -> Callable[[], Any]:
        case = self.case(box=self.box(inside=self.inside(member=make()), several=[make()]))
        case.boxes[1] = case.box
        case.box = self.box()
        return lambda: case.boxes[1].inside.member

    def nested_view_of_a_temporary(self, make: Callable[[], Any]) -> Callable[[], Any]:
        inside = self.case(boxes=[self.box(inside=self.inside(member=make()))]).boxes[0].inside
        return lambda: inside.member

    def union(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box()
        box.either.member = make()
        return lambda: box.either.member

    def union_as_a_whole(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = self.box(either=self.either(member=make()))
        return lambda: box.either.member

    def copy_of_a_struct(self, make: Callable[[], Any]) -> Callable[[], Any]:
        first = self.box(pair=[make(), make()], several=[make(), make()])
        case = self.case(box=first)
        first.pair = [make(), make()]
        first.several = []
        return lambda: (case.box.pair[1], case.box.several[1])[next(_NUMBERS) % 2]

    def struct_by_value(self, make: Callable[[], Any]) -> Callable[[], Any]:
        copy = getattr(keep, f"KP_Copy_{self.kind}", lambda inside: inside)
        inside = copy(self.inside(member=make()))
        box = self.box(inside=copy(self.inside(member=make())))
        return lambda: (inside.member, box.inside.member)[next(_NUMBERS) % 2]

    def struct_that_c_hands_back(self, make: Callable[[], Any]) -> Callable[[], Any]:
        box = getattr(keep, f"KP_Same_{self.kind}")(self.box(member=make()))
        box.pair[0] = make()
        return lambda: (box.member, box.pair[0])[next(_NUMBERS) % 2]

    def part_that_c_hands_back(self, make: Callable[[], Any]) -> Callable[[], Any]:
        inside = getattr(keep, f"KP_Inside_{self.kind}")(self.box())
        inside.member = make()
        return lambda: inside.member

    def memory_of_c_s(self, make: Callable[[], Any]) -> Callable[[], Any]:
        room = getattr(keep, f"KP_Room_{self.kind}")()
        room.member, room.pair, room.several, room.inside = make(), [make(), make()], [make()], self.inside()
        again = self.box.at(room.cdata)
        return lambda: (again.member, again.pair[1], again.several[0])[next(_NUMBERS) % 3]

    def pointer_of_cffi_s(self, make: Callable[[], Any]) -> Callable[[], Any]:
        pointer = self.box(member=make()).cdata
        return lambda: self.box.at(pointer).member


def main() -> None:
    """Try all; each value is read three times, with other memory taken and given back between."""
    names = [name for name in vars(Containers) if not name.startswith("_")]
    tried = 0
    for kind, make in MADE.items():
        containers = Containers(kind)
        for name in names:
            number = next(_NUMBERS)
            expected = _read(kind, make(number))
            read = getattr(containers, name)(lambda make=make, number=number: make(number))
            for _ in range(3):
                gc.collect()
                others = [keep.KP_Leaf(text="~" * 3000) for _ in range(30)] + [bytearray(3000) for _ in range(30)]
                del others
                found = _read(kind, read())
                if found != expected:
                    print(f"{kind}, {name}: {found} instead of {expected}")
            tried += 1
    print(f"{tried} tried")


main()
