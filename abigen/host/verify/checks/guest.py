"""How a plugin behaves as a guest in the process of others, and what it gives them."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.host.verify.check import Observation, ProcessEnd, end_check
from abigen.model.finding import Level


@end_check("ABI015")
def process_changed(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin leaves something changed that belongs to the whole process, or to the thread.

    What happens: Results of others are rounded otherwise, signals do not arrive, files are written elsewhere or with
    other rights, numbers are read and written by the rules of another country.

    Instead: Leave it as it is, or put it back before the function returns. What has to be set up is the program's to
    set up.

    Source: a plugin is a guest in its process; POSIX for each of these.
    """
    for event in end.outcome.of_kind("changed"):
        entity, names = str(event["changed"]), event["what"]
        assert isinstance(names, list)
        level = Level.WARNING if set(names) <= {"the environment", "child processes"} else None
        yield Observation(entity, f"{entity} changes {' and '.join(names)}", level=level)


@end_check("ABI016", level=Level.NOTE)
def prints_something(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin writes to standard output or standard error.

    What happens: What a program prints is read by other programs. Whatever stands in between is in their way.

    Instead: Report by the status, or by the API's own way to log.

    Source: a plugin is a guest in its process.
    """
    for event in end.outcome.of_kind("printed"):
        entity = str(event["printed"])
        level = Level.WARNING if event["stream"] == "standard output" else None
        yield Observation(entity, f"{entity} writes to {event['stream']}", level=level)


@end_check("ABI017")
def impossible_value(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin gives a value that does not exist, or that is no number.

    What happens: Core looks up what the value means and finds nothing, or computes with it.

    Instead: Give one of the values that the API names.

    Source: the API's enumerations.
    """
    for event in end.outcome.of_kind("impossible"):
        entity = str(event["impossible"])
        yield Observation(entity, f"{entity} {event['said']}")


@end_check("ABI018")
def const_struct_written(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin changes a struct that it was given by a pointer to const.

    What happens: Core, or another thread, goes on with what is there now.

    Instead: Change nothing there. Keep what the plugin needs in memory of its own.

    Source: the function's type; C 6.7.3 paragraph 6.
    """
    for event in end.outcome.of_kind("lent"):
        entity = str(event["lent"])
        yield Observation(entity, f"{entity} changes {event['struct']}, which it was given by a pointer to const")


@end_check("ABI019")
def status_misused(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin frees the status that it was given, or uses one after the call.

    What happens: The status is core's, and often on its stack. Freed twice, or written to later, it destroys something
    else.

    Instead: Store the outcome before the function returns, and leave the status to core. Work that ends later reports
    in its stream.

    Source: the function's type; C 6.2.4 paragraph 2.
    """
    for event in end.outcome.of_kind("misused"):
        entity = str(event["misused"])
        yield Observation(entity, f"{entity} {event['how']} a status that is core's")
