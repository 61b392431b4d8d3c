"""Extensions: the chain of the plugin's table can be walked, and those that core adds to a call are passed by."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping

from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.model.api import Api
from abigen.model.entities import Struct
from abigen.model.extensions import extension_kind
from abigen.model.layout import Layouts
from abigen.model.releases import size_steps

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
    kinds = {each.name: each.value for enum in harness.api.enums.values() for each in enum.enumerators or ()}
    found: dict[int, tuple[Api, Struct]] = {}
    for api in harness.trial.others:
        for struct in api.structs.values():
            kind = extension_kind(struct, api)
            if kind is not None and kind.value in kinds:
                found[kinds[kind.value]] = api, struct
    return found


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
    layout, known = harness.layouts.of(_BASE), _known(harness)
    places = {each.name: (each.offset, each.size) for each in layout.fields}

    def read(address: int, member: str) -> int:
        offset, size = places[member]
        return int.from_bytes(ctypes.string_at(address + offset, size), "little")

    address, seen = int(client.table.read("extension_start")), set[int]()
    with harness.staking(entity, f"{entity} leads to memory that cannot be read"):
        for number in range(1, _MOST + 2):
            if not address:
                return
            size, kind = read(address, "struct_size"), read(address, "type")
            if number > _MOST:
                yield Observation(entity, f"{entity}: the chain has no end")
                return
            if size < layout.unpadded_size:
                said = f"extension {number} has a struct_size of {size}, but each has {layout.unpadded_size} bytes"
                yield Observation(entity, f"{entity}: {said}")
                return
            api, struct = known.get(kind, (harness.api, None))
            if struct is not None:
                first = size_steps(struct)[0].last_member
                last = Layouts(api, harness.trial.target).of(struct.name).named(first)
                least = last.offset + last.size if last is not None else 0
                if size < least:
                    said = f"{struct.name} has a struct_size of {size}, but the struct has at least {least} bytes"
                    yield Observation(entity, f"{entity}: {said}")
            if kind in seen:
                yield Observation(entity, f"{entity}: two extensions have the type {kind}, and nobody finds the second")
                return
            seen.add(kind)
            address = read(address, "next")


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
