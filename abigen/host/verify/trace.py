"""What a process that tries out a plugin says of its doings, line by line, so that its end is no riddle."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeAlias

Event: TypeAlias = "dict[str, object]"

FINISHED = b'{"finished": true}\n'
"""The last line of work that came to its end."""


class StoppedError(Exception):
    """A check cannot go on: what it needs is not there. The reason is a clause, without a full stop."""


class Call(NamedTuple):
    """A call of the plugin: what was called, and whether it came back."""

    entity: str
    thread: int
    returned: bool


class Trace:
    """Writes events to a pipe, each as a line that is whole or absent."""

    def __init__(self, descriptor: int) -> None:
        """Write to a file descriptor, which stays the caller's."""
        self.descriptor = descriptor
        self._lock = threading.Lock()
        self._numbers = iter(range(1 << 62))

    def write(self, **event: object) -> None:
        """Write one event."""
        line = json.dumps(event).encode() + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self.descriptor, line) :]

    @contextmanager
    def calling(self, entity: str) -> Iterator[None]:
        """Say that the plugin is being called, and that it has returned."""
        number = next(self._numbers)
        self.write(call=entity, number=number, thread=threading.get_ident())
        yield
        self.write(returned=number)


def events_of(written: bytes) -> list[Event]:
    """The events of a trace; a line that was not finished, or that others have written into, is not among them."""
    events: list[Event] = []
    for line in written.split(b"\n")[:-1]:
        with suppress(ValueError):
            events.append(json.loads(line))
    return events


def calls_of(events: list[Event]) -> list[Call]:
    """All calls of the plugin, in the order in which they began."""
    returned = {event["returned"] for event in events if "returned" in event}
    return [
        Call(str(event["call"]), int(str(event["thread"])), event["number"] in returned)
        for event in events
        if "call" in event
    ]
