"""A client of the plugin's, ready to work: what the checks of this API have in common."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence

from abigen.host.process import StoppedError
from abigen.host.verify.harness import Harness, Reply
from abigen.host.verify.repro import StructInstance
from abigen.host.verify.session import Session

TABLE = "PJRT_Api"
ONLY_DURING_CALL, UNTIL_COPIED = 0, 1
"""How long a plugin may use an array of the host: `PJRT_HostBufferSemantics`."""
SIZES = {"F32": 4, "S8": 1, "U16": 2, "F64": 8, "C128": 16, "PRED": 1, "BF16": 2, "S64": 8}
"""Types of elements that are tried, with their sizes in bytes."""
_PATIENCE = 20.0
"""Seconds after which an event that is not ready is given up."""


class Array:
    """An array of the host's."""

    def __init__(self, content: bytes, dims: Sequence[int], strides: Sequence[int] = (), start: int = 0) -> None:
        """Lay it out.

        Args:
            content: the bytes of its memory.
            dims: how many elements there are in each dimension.
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
            raise StoppedError(f"the plugin gives no {missing.args[0]}") from None
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
        """The text of the error that a call has given, which is freed."""
        said, _ = self.call("Error_Message", error=int(reply.value))
        text = ctypes.string_at(int(said.read("message")), int(said.read("message_size")))
        self.call("Error_Destroy", error=int(reply.value))
        return text.decode("utf-8", "replace")

    def is_ready(self, event: int) -> bool:
        """Whether an event ends in time."""
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

    def upload(self, array: Array, kind: str, device: int, semantics: int = UNTIL_COPIED) -> tuple[int, int]:
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
        """The bytes of a buffer; None when they do not come."""
        room = ctypes.create_string_buffer(size)
        return room.raw if self.finish(self.begin_download(buffer, room)) else None

    def free(self, buffer: int) -> None:
        """Destroy a buffer."""
        self.do("Buffer_Destroy", buffer=buffer)


def pattern(size: int, salt: int = 0) -> bytes:
    """Bytes that tell where they come from."""
    return bytes((7 * at + 13 * (at >> 8) + salt) & 0xFF for at in range(size))
