"""Where in core's memory a plugin has been: addresses and offsets as structs and members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abigen.host.process import Event
from abigen.host.verify.check import ProcessEnd
from abigen.model.layout import Layout, Layouts


class Place(NamedTuple):
    """A place outside of a struct, or in one that has ended."""

    name: str
    """Of the struct."""
    member: str
    """What a later release has there: `Struct.member`; what is known to nobody has only the struct's name."""
    offset: int
    """In bytes from the start of the struct."""
    length: int
    """How many bytes; 0 when that is not known."""
    size: int
    """Of the struct as core gave it, in bytes."""
    capacity: int
    """The same with padding."""
    is_write: bool
    retired: bool = False

    @property
    def verb(self) -> str:
        """What was done."""
        return "writes" if self.is_write else "reads"


def beyond(end: ProcessEnd) -> Iterator[tuple[str, Place]]:
    """Everything that was done outside of structs, with what was being called."""
    latest = Layouts(end.trial.latest, end.trial.target)
    for event in end.outcome.of_kind("overrun"):
        name, offset = str(event["overrun"]), _number(event, "offset")
        member = _member(latest.of(name), name, offset, _number(event, "capacity"))
        sizes = (_number(event, "length"), _number(event, "size"), _number(event, "capacity"))
        yield str(event["by"]), Place(name, member, offset, *sizes, is_write=True)
    place = place_of_fault(end)
    if place is not None and not place.retired:
        for entity in end.outcome.pending or ("a thread of the plugin's own",):
            yield entity, place


def place_of_fault(end: ProcessEnd) -> Place | None:
    """The place at which the process crashed, if that belongs to a struct that core has handed out."""
    faults = end.outcome.of_kind("fault")
    if not faults:
        return None
    address, is_write = _number(faults[-1], "address"), faults[-1]["write"] is True
    found = next((each for each in end.outcome.of_kind("memory") if _holds(each, address)), None)
    if found is None:
        return None
    name, offset = str(found["memory"]), address - _number(found, "address")
    layout = Layouts(end.scenario.api, end.trial.target).of(name)
    latest = Layouts(end.trial.latest, end.trial.target).of(name)
    retired = any(_number(each, "start") == _number(found, "start") for each in end.outcome.of_kind("retired"))
    member = _member(latest, name, offset, 0 if retired else layout.size)
    return Place(name, member, offset, 0, layout.unpadded_size, layout.size, is_write, retired)


def _member(latest: Layout, name: str, offset: int, capacity: int) -> str:
    """The member at an offset, or the first one behind the end of what core gave."""
    for each in latest.fields:
        if each.offset <= offset < each.offset + each.size and each.offset + each.size > capacity:
            return f"{name}.{each.name}"
    return name


def _holds(event: Event, address: int) -> bool:
    return _number(event, "start") <= address < _number(event, "end")


def _number(event: Event, key: str) -> int:
    value = event[key]
    assert isinstance(value, int)
    return value
