"""Extensions: the chain of the plugin's table can be walked, and those that core adds to a call are passed by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.host.verify.repro import StructInstance
from abigen.model.api import Api
from abigen.model.entities import Struct
from abigen.model.layout import Layouts
from abigen.model.releases import size_steps
from abigen.model.roles import extension_kind

from .table import TABLE, Client

_BASE = "PJRT_Extension_Base"
_MOST = 1000
"""How many extensions a chain has at most."""
_UNKNOWN = 30_000
"""A type that no extension has."""
_ASKED = ("Plugin_Attributes", "Client_PlatformName", "Client_Devices", "Client_AddressableDevices")
"""Functions that are called with an extension that they do not know."""


def _known(harness: Harness) -> Mapping[int, tuple[Api, Struct]]:
    """The extensions that specs beside this one describe, by their types."""
    kinds = (
        (extension_kind(struct, api), api, struct) for api in harness.trial.others for struct in api.structs.values()
    )
    return {kind.number: (api, struct) for kind, api, struct in kinds if kind is not None and kind.number is not None}


@check("ABI857", quick=True)
def chain_broken(harness: Harness) -> Iterator[Observation]:
    """The chain of extensions of the plugin's table does not end, or one of them is too small for its type.

    What happens: Core goes through the chain to find the extensions that it knows: it never comes to an end, or reads
    behind an extension.

    Instead: Give each extension the size of its struct, and a type that no other one on the chain has. Let the last
    one end with NULL.

    Source: `PJRT_Extension_Base`, and the specs of the extensions.
    """
    client = Client(harness)
    entity = f"{TABLE}.extension_start"
    known, seen = _known(harness), set[int]()
    address = int(client.table.read("extension_start"))
    with harness.staking(entity, f"{entity} leads to memory that cannot be read"):
        while address:
            link = StructInstance(_BASE, harness.layouts, at=address)
            if len(seen) == _MOST:
                yield Observation(entity, f"{entity}: the chain has no end")
                return
            if link.size < link.layout.unpadded_size:
                said = f"extension {len(seen) + 1} has a struct_size of {link.size}"
                yield Observation(entity, f"{entity}: {said}, but each has {link.layout.unpadded_size} bytes")
                return
            kind = int(link.read("type"))
            if kind in known and link.size < (least := _least(harness, *known[kind])):
                said = f"{known[kind][1].name} has a struct_size of {link.size}"
                yield Observation(entity, f"{entity}: {said}, but the struct has at least {least} bytes")
            if kind in seen:
                yield Observation(entity, f"{entity}: two extensions have the type {kind}, and nobody finds the second")
                return
            seen.add(kind)
            address = int(link.read("next"))


def _least(harness: Harness, api: Api, struct: Struct) -> int:
    """The size of an extension in the first release that had it, in bytes."""
    last = Layouts(api, harness.trial.target).of(struct.name).named(size_steps(struct)[0].last_member)
    return last.offset + last.size if last is not None else 0


@check("ABI858", quick=True)
def unknown_extension_refused(harness: Harness) -> Iterator[Observation]:
    """A function fails because its arguments have an extension that the plugin does not know.

    What happens: A newer core adds an extension to a call, and the plugin cannot be used any more.

    Instead: Go through the chain for the types that are known, and pass by all others.

    Source: `PJRT_Extension_Base`: who walks the chain passes by what it does not know.
    """
    client = Client(harness)
    for name in _ASKED:
        if not client.table.read(f"PJRT_{name}"):
            continue
        extension = harness.new_struct(_BASE)
        extension.write("type", _UNKNOWN)
        given = {"client": client.client} if name.startswith("Client_") else {}
        _, plain = client.call(name, **given)
        entity = f"{TABLE}.PJRT_{name}"
        with harness.staking(entity, f"{entity} does not return with an extension that it does not know"):
            _, reply = client.call(name, **given, extension_start=extension.address)
        for each in (plain, reply):
            said = client.message(each) if not each.ok else ""
        if plain.ok and not reply.ok:
            yield Observation(entity, f"{entity} fails with an extension that it does not know: {said!r}")
