"""Calls: what a function gives is set, and an error says something."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.host.verify.session import made_session

from .table import TABLE, Client


@check("ABI850", quick=True)
def result_unwritten(harness: Harness) -> Iterator[Observation]:
    """A function reports success, and has not set a member that it has to set.

    What happens: Core takes for a result what was in its memory before: another number each time, or an address that
    leads nowhere.

    Instead: Set every such member, also those that say that something is not known.

    Source: the spec's `set_by`, at members of structs that a function takes alone.
    """
    session = made_session(harness)
    for _ in session.try_all():
        pass
    for name, entity in session.unwritten.items():
        yield Observation(name, f"{entity} reports success, and does not set {name}")


@check("ABI856", quick=True)
def error_says_nothing(harness: Harness) -> Iterator[Observation]:
    """An error has no text, or the code for success.

    What happens: Users read an exception that says nothing, or none is raised.

    Instead: Say what is wrong, with the code that fits.

    Source: `PJRT_Error_Message`, `PJRT_Error_GetCode`.
    """
    client = Client(harness)
    entity = f"{TABLE}.PJRT_Client_LookupDevice"
    _, reply = client.call("Client_LookupDevice", client=client.client, id=-7)
    if reply.ok:
        yield Observation(entity, f"{entity} finds a device of id -7")
        return
    code = int(client.call("Error_GetCode", error=int(reply.value))[0].read("code"))
    if code == harness.value_of("PJRT_Error_Code_OK"):
        yield Observation(entity, f"{entity}: its error has the code for success")
    if not client.message(reply):
        yield Observation(entity, f"{entity}: its error has no text")
