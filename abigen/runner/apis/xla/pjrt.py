"""Checks of plugins for PJRT: calls, buffers, and extensions of the plugin's table."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator, Mapping, Sequence

from abigen.model.api import Api
from abigen.model.entities import Struct
from abigen.model.layout import Layouts
from abigen.model.releases import size_steps
from abigen.model.roles import extension_kind
from abigen.runner.verify.check import Observation, check
from abigen.runner.verify.harness import Harness, Reply
from abigen.runner.verify.repro import StructInstance
from abigen.runner.verify.session import Session, made_session
from abigen.workspace.process import InapplicableError, StoppedError

TABLE = "PJRT_Api"
ONLY_DURING_CALL, UNTIL_COPIED = 0, 1
"""The time for which a plugin may use an array of the host: `PJRT_HostBufferSemantics`."""
SIZES = {"F32": 4, "S8": 1, "U16": 2, "F64": 8, "C128": 16, "PRED": 1, "BF16": 2, "S64": 8}
"""Types of elements that are tried, with their sizes in bytes."""
_PATIENCE = 20.0
"""Seconds after which an event that is not ready is given up."""


class HostArray:
    """An array of the host's."""

    def __init__(self, content: bytes, dims: Sequence[int], strides: Sequence[int] = (), start: int = 0) -> None:
        """Lay it out.

        Args:
            content: the bytes of its memory.
            dims: the number of elements in each dimension.
            strides: bytes between neighbours for each dimension; none for elements that lie side by side.
            start: the place of the first element in the memory, in bytes.
        """
        self._kept = ctypes.create_string_buffer(content, len(content) + 1)
        self.address = ctypes.addressof(self._kept) + start
        self.rank = len(dims)
        self._dims, self._strides = (ctypes.c_int64 * self.rank)(*dims), (ctypes.c_int64 * len(strides))(*strides)
        self.dims = ctypes.addressof(self._dims) if dims else 0
        self.strides = ctypes.addressof(self._strides) if strides else 0
        self.number_of_strides = len(strides)
        self._content = content

    def overwrite(self) -> None:
        """Let its memory hold something else."""
        ctypes.memset(self._kept, 0x5A, len(self._content))

    def restore(self) -> None:
        """Let its memory hold its contents again."""
        ctypes.memmove(self._kept, self._content, len(self._content))


class Client:
    """A client, its devices, and calls of the table's functions."""

    def __init__(self, harness: Harness) -> None:
        """Make it.

        Raises:
            StoppedError: the plugin does not give one.
        """
        self.harness = harness
        self.session = Session(harness).start()
        self.session.create_all()
        try:
            self.table = self.session.structs[TABLE]
            self.client = self.session.handles["PJRT_Client"].address
        except KeyError as missing:
            raise StoppedError(f"the plugin provides no {missing.args[0]}") from None
        known = self.do("Client_AddressableDevices", client=self.client)
        number = int(known.read("num_addressable_devices"))
        first = int(known.read("addressable_devices"))
        self.devices = [int(each or 0) for each in (ctypes.c_void_p * number).from_address(first)] if number else []
        if not self.devices:
            raise StoppedError("the client has no devices")

    def call(self, name: str, **members: int) -> tuple[StructInstance, Reply]:
        """Call a function with a struct in which some members are set, and all others are zero."""
        made = self.harness.new_struct(f"PJRT_{name}_Args")
        for member, value in members.items():
            made.write(member, value)
        return made, self.harness.call(self.table, f"PJRT_{name}", made)

    def do(self, name: str, **members: int) -> StructInstance:
        """Call a function that has to succeed for a check to go on.

        Raises:
            StoppedError: it gives an error.
        """
        made, reply = self.call(name, **members)
        if not reply.ok:
            raise self.harness.failed(f"{TABLE}.PJRT_{name}", f"fails: {self.message(reply)!r}")
        return made

    def message(self, reply: Reply) -> str:
        """Return the text of the error that a call has given, which is freed."""
        said, _ = self.call("Error_Message", error=int(reply.value))
        text = ctypes.string_at(int(said.read("message")), int(said.read("message_size")))
        self.call("Error_Destroy", error=int(reply.value))
        return text.decode("utf-8", "replace")

    def is_ready(self, event: int) -> bool:
        """True if an event ends in time."""
        end = time.monotonic() + _PATIENCE
        while not self.do("Event_IsReady", event=event).read("is_ready"):
            if time.monotonic() > end:
                return False
            time.sleep(0.0005)
        return True

    def finish(self, event: int) -> bool:
        """Wait for an event that is the caller's, and destroy it; false when it does not end, or with an error."""
        if not event or not self.is_ready(event):
            return False
        _, reply = self.call("Event_Error", event=event)
        if not reply.ok:
            self.message(reply)
        self.do("Event_Destroy", event=event)
        return reply.ok

    def upload(self, array: HostArray, kind: str, device: int, semantics: int = UNTIL_COPIED) -> tuple[int, int]:
        """Make a buffer: its address, and that of the event after which the array is not needed any more."""
        made = self.do(
            "Client_BufferFromHostBuffer",
            client=self.client,
            data=array.address,
            type=self.harness.value_of(f"PJRT_Buffer_Type_{kind}"),
            dims=array.dims,
            num_dims=array.rank,
            byte_strides=array.strides,
            num_byte_strides=array.number_of_strides,
            host_buffer_semantics=semantics,
            device=device,
        )
        return int(made.read("buffer")), int(made.read("done_with_host_buffer"))

    def begin_download(self, buffer: int, room: ctypes.Array[ctypes.c_char]) -> int:
        """Begin to copy a buffer to the host; gives the event."""
        made = self.do("Buffer_ToHostBuffer", src=buffer, dst=ctypes.addressof(room), dst_size=len(room))
        return int(made.read("event"))

    def download(self, buffer: int, size: int) -> bytes | None:
        """Return the bytes of a buffer; None if they do not arrive."""
        room = ctypes.create_string_buffer(size)
        return room.raw if self.finish(self.begin_download(buffer, room)) else None

    def free(self, buffer: int) -> None:
        """Destroy a buffer."""
        self.do("Buffer_Destroy", buffer=buffer)


def pattern(size: int, salt: int = 0) -> bytes:
    """Return bytes from which their origin can be seen."""
    return bytes((7 * at + 13 * (at >> 8) + salt) & 0xFF for at in range(size))


@check("ABI850", quick=True)
def result_unwritten(harness: Harness) -> Iterator[Observation]:
    """A function reports success, and has not set a member that it has to set.

    What happens: The core uses the old bytes of its memory as a result: a random number, or an invalid address.

    Instead: Set every such member, also members that state that a value is not known.

    Source: the spec's `set_by`, at members of structs that a function takes alone.
    """
    session = made_session(harness)
    for _ in session.try_all():
        pass
    for name, entity in session.unwritten.items():
        yield Observation(name, f"{entity} reports success, and does not set {name}")


@check("ABI856", quick=True)
def error_says_nothing(harness: Harness) -> Iterator[Observation]:
    """An error has no text, or has the code for success.

    What happens: Users get an exception without a text, or none.

    Instead: State what is wrong, with the matching code.

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


_FROM, _TO = f"{TABLE}.PJRT_Client_BufferFromHostBuffer", f"{TABLE}.PJRT_Buffer_ToHostBuffer"
_LARGE = 16 << 20
"""Bytes of an array that takes a while to copy."""
_ROUNDS = 20
"""The number of copies by each of several threads."""


@check("ABI851", basic=True, quick=True)
def buffer_differs(harness: Harness) -> Iterator[Observation]:
    """An array that comes back from a device differs from the array that was sent.

    What happens: The results are wrong, without an error. An array of the host may be a column of another one, or
    reversed: `byte_strides` states where its elements are.

    Instead: Copy each element from the address that its strides give. If the array may be used during the call only,
    copy all elements before the call returns.

    Source: `PJRT_Client_BufferFromHostBuffer` and `PJRT_Buffer_ToHostBuffer`.
    """
    client = Client(harness)
    for device in client.devices:
        for kind, size in SIZES.items():
            content = pattern(12 * size, size)
            elements = [content[at : at + size] for at in range(0, len(content), size)]
            columns = [elements[4 * row + column] for column in range(4) for row in range(3)]
            for array, expected, what in (
                (HostArray(content, (3, 4)), content, "an array"),
                (HostArray(content, (4, 3), (size, 4 * size)), b"".join(columns), "a transposed array"),
                (
                    HostArray(content, (12,), (-size,), 11 * size),
                    b"".join(reversed(elements)),
                    "an array that is reversed",
                ),
                (HostArray(content[:size], ()), content[:size], "a single element"),
                (HostArray(b"", (0, 3)), b"", "an array without elements"),
            ):
                for semantics in (ONLY_DURING_CALL, UNTIL_COPIED):
                    buffer, done = client.upload(array, kind, device, semantics)
                    if semantics == ONLY_DURING_CALL:  # from now on it is somebody else's
                        array.overwrite()
                    client.finish(done)
                    came = client.download(buffer, len(expected)) if expected else b""
                    client.free(buffer)
                    array.restore()
                    if came != expected:
                        said = "does not come back" if came is None else "is returned with other contents"
                        yield Observation(_FROM, f"{_FROM}: {what} of {kind} {said}")
                        return


@check("ABI852", quick=True)
def event_never_ends(harness: Harness) -> Iterator[Observation]:
    """An event does not become ready, or does not call who waits for it once.

    What happens: JAX waits for ever, or frees the host's array while it is still read.

    Instead: Complete each event once, whether its work succeeded or failed, and call each callback once: at once if the
    event is ready already.

    Source: `PJRT_Event_IsReady`, `PJRT_Event_OnReady`.
    """
    client = Client(harness)
    array = HostArray(bytes(_LARGE), (_LARGE // 4,))
    rooms = [ctypes.create_string_buffer(_LARGE) for _ in range(4)]
    buffer, done = client.upload(array, "F32", client.devices[0])
    # The last of several large copies is still on its way when it is asked for.
    events = [client.begin_download(buffer, room) for room in rooms]
    for entity, event in ((_TO, events.pop()), (_FROM, done)):
        calls: list[int] = []
        called = harness.callback(
            "PJRT_Event_OnReadyCallback", lambda error, _, calls=calls: calls.append(int(error or 0))
        )
        address = ctypes.cast(called, ctypes.c_void_p).value or 0
        client.do("Event_OnReady", event=event, callback=address)
        if not client.is_ready(event):
            yield Observation(entity, f"{entity}: its event does not become ready")
            return
        client.do("Event_OnReady", event=event, callback=address)
        client.finish(event)
        threading.Event().wait(0.05)
        if calls != [0, 0]:
            said = f"of two callbacks {len(calls)} are called" if len(calls) != 2 else "its event ends with an error"
            yield Observation(entity, f"{entity}: {said}")
    for event in events:
        client.finish(event)
    client.free(buffer)


@check("ABI853")
def copy_between_devices_differs(harness: Harness) -> Iterator[Observation]:
    """A copy of a buffer on another device has other contents, or is not there.

    What happens: The results are wrong as soon as a program uses two devices.

    Instead: Copy all bytes when the buffer has them, and report the other device as the device of the copy.

    Source: `PJRT_Buffer_CopyToDevice`, `PJRT_Buffer_Device`.
    """
    client = Client(harness)
    if len(client.devices) < 2:
        raise InapplicableError("there is one device only")
    entity, content = f"{TABLE}.PJRT_Buffer_CopyToDevice", pattern(4000, 3)
    array = HostArray(content, (1000,))
    buffer, done = client.upload(array, "F32", client.devices[0])
    copy = int(client.do("Buffer_CopyToDevice", buffer=buffer, dst_device=client.devices[1]).read("dst_buffer"))
    place = int(client.do("Buffer_Device", buffer=copy).read("device"))
    client.free(buffer)
    if client.download(copy, len(content)) != content:
        yield Observation(entity, f"{entity}: the copy has other contents")
    if place != client.devices[1]:
        yield Observation(entity, f"{entity}: the copy is not on the device that was asked for")
    client.finish(done)
    client.free(copy)


@check("ABI854")
def deletion_takes_data_in_use(harness: Harness) -> Iterator[Observation]:
    """A deleted buffer frees bytes that a copy still reads, or is still used.

    What happens: The results are wrong, or the program crashes: programs delete arrays while copies of them are
    running.

    Instead: Do not free the memory before the work that uses it has ended. Report that the buffer is deleted, and
    return an error for each later use.

    Source: `PJRT_Buffer_Delete`, `PJRT_Buffer_IsDeleted`.
    """
    client = Client(harness)
    entity, content = f"{TABLE}.PJRT_Buffer_Delete", pattern(1 << 20, 5)
    array = HostArray(content, (1 << 18,))
    buffer, done = client.upload(array, "F32", client.devices[0])
    room = ctypes.create_string_buffer(len(content))
    event = client.begin_download(buffer, room)
    client.do("Buffer_Delete", buffer=buffer)
    zeros = HostArray(bytes(len(content)), (1 << 18,))  # lives until it has been copied
    others = [client.upload(zeros, "F32", client.devices[0]) for _ in range(2)]
    if not client.finish(event) or room.raw != content:
        yield Observation(entity, f"{entity}: a copy that had begun does not have the old contents")
    if not client.do("Buffer_IsDeleted", buffer=buffer).read("is_deleted"):
        yield Observation(entity, f"{entity}: `PJRT_Buffer_IsDeleted` reports that the buffer exists")
    again, reply = client.call("Buffer_ToHostBuffer", src=buffer, dst=ctypes.addressof(room), dst_size=len(room))
    if reply.ok:
        client.finish(int(again.read("event")))  # before the memory that it writes is given back
        yield Observation(entity, f"{entity}: a buffer can be copied that is deleted")
    else:
        client.message(reply)
    client.finish(done)
    for each, ready in others:
        client.finish(ready)
        client.free(each)
    client.free(buffer)


@check("ABI855")
def threads_mix_buffers(harness: Harness) -> Iterator[Observation]:
    """Copies of several threads at once exchange their bytes.

    What happens: From time to time, the results are wrong: JAX calls a plugin from many threads.

    Instead: Protect the data that calls share, or share none.

    Source: the core calls plugins from all of its threads, without a lock around them.
    """
    client = Client(harness)
    harness.watching = False
    wrong: list[str] = []

    def work(salt: int) -> None:
        content = pattern(64_000, salt)
        array = HostArray(content, (16_000,))
        for number in range(_ROUNDS):
            device = client.devices[(salt + number) % len(client.devices)]
            buffer, done = client.upload(array, "F32", device)
            if client.download(buffer, len(content)) != content:
                wrong.append(f"thread {salt}")
            client.finish(done)
            client.free(buffer)

    threads = [threading.Thread(target=work, args=(each,)) for each in range(harness.trial.threads)]
    with harness.staking(_FROM, f"{_FROM} fails when {len(threads)} threads call it"):
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    harness.watching = True
    if wrong:
        yield Observation(_FROM, f"{_FROM}: {len(wrong)} copies of {len(threads)} threads have other contents")


_BASE = "PJRT_Extension_Base"
_MOST = 1000
"""The most extensions in a chain."""
_UNKNOWN = 30_000
"""A type that no extension has."""
_ASKED = ("Plugin_Attributes", "Client_PlatformName", "Client_Devices", "Client_AddressableDevices")
"""Functions that are called with an extension that they do not know."""


def _known(harness: Harness) -> Mapping[int, tuple[Api, Struct]]:
    """Return the extensions that specs beside this one describe, by their types."""
    kinds = (
        (extension_kind(struct, api), api, struct) for api in harness.trial.others for struct in api.structs.values()
    )
    return {kind.number: (api, struct) for kind, api, struct in kinds if kind is not None and kind.number is not None}


@check("ABI857", quick=True)
def chain_broken(harness: Harness) -> Iterator[Observation]:
    """The chain of extensions of the plugin's table does not end, or one of them is too small for its type.

    What happens: The core goes through the chain to find the extensions that it knows. It does not reach an end, or
    reads past the end of an extension.

    Instead: Give each extension the size of its struct, and a type that no other one on the chain has. Let the last
    one end with NULL.

    Source: `PJRT_Extension_Base`, and the specs of the extensions.
    """
    client = Client(harness)
    entity = f"{TABLE}.extension_start"
    known, seen = _known(harness), set[int]()
    address = int(client.table.read("extension_start"))
    with harness.staking(entity, f"{entity} points to memory that cannot be read"):
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
                yield Observation(
                    entity, f"{entity}: two extensions have the type {kind}, and cores find only the first"
                )
                return
            seen.add(kind)
            address = int(link.read("next"))


def _least(harness: Harness, api: Api, struct: Struct) -> int:
    """Return the size of an extension in the first release that had it, in bytes."""
    last = Layouts(api, harness.trial.target).of(struct.name).named(size_steps(struct)[0].last_member)
    return last.offset + last.size if last is not None else 0


@check("ABI858", quick=True)
def unknown_extension_refused(harness: Harness) -> Iterator[Observation]:
    """A function fails because its arguments have an extension that the plugin does not know.

    What happens: A newer core adds an extension to a call, and cannot use the plugin.

    Instead: Go through the chain for the known types, and skip all others.

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
