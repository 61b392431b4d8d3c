"""Buffers: what comes back from a device is what went there, from whichever thread, and whatever is deleted."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator

from abigen.host.process import InapplicableError
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness

from .table import ONLY_DURING_CALL, SIZES, TABLE, UNTIL_COPIED, Array, Client, pattern

_FROM, _TO = f"{TABLE}.PJRT_Client_BufferFromHostBuffer", f"{TABLE}.PJRT_Buffer_ToHostBuffer"
_LARGE = 16 << 20
"""Bytes of an array that takes a while to copy."""
_ROUNDS = 20
"""How often each of several threads copies."""


@check("ABI851", basic=True, quick=True)
def buffer_differs(harness: Harness) -> Iterator[Observation]:
    """What comes back from a device is not what went there.

    What happens: Wrong results, without any error. An array of the host may be a column of another one or lie
    backwards: `byte_strides` says where its elements are.

    Instead: Copy each element from where its strides say, and copy all before the call returns where the array may
    be used during the call only.

    Source: `PJRT_Client_BufferFromHostBuffer` and `PJRT_Buffer_ToHostBuffer`.
    """
    client = Client(harness)
    for device in client.devices:
        for kind, size in SIZES.items():
            content = pattern(12 * size, size)
            elements = [content[at : at + size] for at in range(0, len(content), size)]
            columns = [elements[4 * row + column] for column in range(4) for row in range(3)]
            for array, expected, what in (
                (Array(content, (3, 4)), content, "an array"),
                (Array(content, (4, 3), (size, 4 * size)), b"".join(columns), "a transposed array"),
                (Array(content, (12,), (-size,), 11 * size), b"".join(reversed(elements)), "an array that is reversed"),
                (Array(content[:size], ()), content[:size], "a single element"),
                (Array(b"", (0, 3)), b"", "an array without elements"),
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
                        said = "does not come back" if came is None else "comes back with other contents"
                        yield Observation(_FROM, f"{_FROM}: {what} of {kind} {said}")
                        return


@check("ABI852", quick=True)
def event_never_ends(harness: Harness) -> Iterator[Observation]:
    """An event does not become ready, or does not call who waits for it once.

    What happens: JAX waits for ever, or frees the host's array while it is still read.

    Instead: End each event once, whether what it stands for went well or not, and call each callback once: at once
    where the event is ready already.

    Source: `PJRT_Event_IsReady`, `PJRT_Event_OnReady`.
    """
    client = Client(harness)
    array = Array(bytes(_LARGE), (_LARGE // 4,))
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

    What happens: Wrong results, as soon as a program uses two devices.

    Instead: Copy all bytes when the buffer has them, and say of the copy that it is on the other device.

    Source: `PJRT_Buffer_CopyToDevice`, `PJRT_Buffer_Device`.
    """
    client = Client(harness)
    if len(client.devices) < 2:
        raise InapplicableError("there is one device only")
    entity, content = f"{TABLE}.PJRT_Buffer_CopyToDevice", pattern(4000, 3)
    array = Array(content, (1000,))
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
    """A buffer that is deleted takes away what a copy still reads, or goes on being used.

    What happens: Wrong results or a crash: programs delete arrays while copies of them are on their way.

    Instead: Let work that has begun hold the memory. Say of the buffer that it is deleted, and give an error to whoever
    uses it after that.

    Source: `PJRT_Buffer_Delete`, `PJRT_Buffer_IsDeleted`.
    """
    client = Client(harness)
    entity, content = f"{TABLE}.PJRT_Buffer_Delete", pattern(1 << 20, 5)
    array = Array(content, (1 << 18,))
    buffer, done = client.upload(array, "F32", client.devices[0])
    room = ctypes.create_string_buffer(len(content))
    event = client.begin_download(buffer, room)
    client.do("Buffer_Delete", buffer=buffer)
    zeros = Array(bytes(len(content)), (1 << 18,))  # lives until it has been copied
    others = [client.upload(zeros, "F32", client.devices[0]) for _ in range(2)]
    if not client.finish(event) or room.raw != content:
        yield Observation(entity, f"{entity}: a copy that had begun does not bring what was there")
    if not client.do("Buffer_IsDeleted", buffer=buffer).read("is_deleted"):
        yield Observation(entity, f"{entity}: `PJRT_Buffer_IsDeleted` says that the buffer is there")
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
    """Called by several threads at once, copies bring what is another's.

    What happens: Wrong results, now and then: JAX calls a plugin from many threads.

    Instead: Protect what calls share, or share nothing.

    Source: core calls plugins from all of its threads, without a lock around them.
    """
    client = Client(harness)
    harness.watching = False
    wrong: list[str] = []

    def work(salt: int) -> None:
        content = pattern(64_000, salt)
        array = Array(content, (16_000,))
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
        yield Observation(_FROM, f"{_FROM}: {len(wrong)} copies of {len(threads)} threads bring other contents")
