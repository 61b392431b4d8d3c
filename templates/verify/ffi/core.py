"""XLA as a handler meets it: the table of its functions, and what it finds out when they are called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial

from abigen.host.verify.harness import Harness
from abigen.host.verify.repro import StructInstance, prototype

PREFIX = "XLA_FFI_"
_DEVICE_ALIGNMENT = 64
Memory = ctypes.Array[ctypes.c_char]


class Core:
    """XLA's functions. Nothing is on a device, and tasks run at once, in the caller's thread."""

    def __init__(self, harness: Harness) -> None:
        """Make the table."""
        self._harness = harness
        self._kept: list[object] = []
        self._errors: dict[int, Memory] = {}
        """The texts of the errors that have not been freed, by their addresses."""
        self._states: dict[tuple[int, int], int] = {}
        self._types = 0
        self.mistakes: list[str] = []
        """What is wrong with the calls of XLA's functions, as the rest of a sentence about the handler."""
        self.table = harness.new_struct(f"{PREFIX}Api")
        version = self.embedded(self.table, "api_version", f"{PREFIX}Api_Version")
        version.write("major_version", harness.value_of(f"{PREFIX}API_MAJOR"))
        version.write("minor_version", harness.value_of(f"{PREFIX}API_MINOR"))
        self.context = ctypes.addressof(self._room(16))
        written: dict[str, Callable[[StructInstance], int]] = {
            "Error_Create": self._create_error,
            "Error_GetMessage": self._get_message,
            "Error_Destroy": self._destroy_error,
            "Type_Register": self._register_type,
            "State_Set": self._set_state,
            "State_Get": self._get_state,
            "DeviceMemory_Allocate": self._allocate,
            "DeviceMemory_Free": _do_nothing,
            "ThreadPool_Schedule": self._schedule,
            "ThreadPool_NumThreads": self._number_of_threads,
            "RunId_Get": _do_nothing,
            "DeviceOrdinal_Get": _do_nothing,
        }
        for _, each in self.table.members():
            type = harness.api.callback(each.field.type)
            if type is not None:
                name = each.name.removeprefix(PREFIX)
                work = partial(self._called, name, written.get(name, self._unimplemented))
                function = prototype(type, harness.layouts)(work)
                self._kept.append(function)
                self.table.write(each.name, ctypes.cast(function, ctypes.c_void_p).value or 0)

    def embedded(self, record: StructInstance, member: str, key: str) -> StructInstance:
        """A struct that is a member of another one, with its size set."""
        place = record.layout.named(member)
        assert place is not None
        made = StructInstance(key, self._harness.layouts, at=record.address + place.offset)
        made.write("struct_size", made.layout.unpadded_size)
        return made

    @property
    def errors(self) -> frozenset[int]:
        """The errors that have not been freed."""
        return frozenset(self._errors)

    def take(self, error: int) -> bool:
        """Free an error that a handler has returned; false when it is none."""
        return self._errors.pop(error, None) is not None

    def _room(self, size: int) -> Memory:
        """Memory that stays where it is as long as this process lives."""
        made = ctypes.create_string_buffer(size)
        self._kept.append(made)
        return made

    def _called(self, name: str, work: Callable[[StructInstance], int], address: int | None) -> int:
        """Do what one of the functions is for; gives the address of an error, or 0."""
        if not address:
            self.mistakes.append(f"gives NULL to {PREFIX}{name}")
            return self._error(f"{name} needs its arguments")
        key = f"{PREFIX}{name}_Args"
        given = StructInstance(key, self._harness.layouts, at=address)
        least = self._least(key)
        if given.size < least:
            self.mistakes.append(f"says {given.size} in {key}.struct_size, which is less than {least},")
            return self._error(f"{name} needs all of its arguments")
        return work(given)

    def _least(self, key: str) -> int:
        """How many bytes a plugin of any release hands over; the size constants of four structs are too small."""
        if f"{key}_STRUCT_SIZE" in self._harness.api.constants:
            return self._harness.value_of(f"{key}_STRUCT_SIZE")
        return min(self._harness.ends_of(key))

    def _error(self, text: str) -> int:
        made = self._room(len(text.encode()) + 1)
        made.value = text.encode()
        address = ctypes.addressof(made)
        self._errors[address] = made
        return address

    def _unimplemented(self, given: StructInstance) -> int:
        return self._error(f"{given.name} is not answered here")

    def _create_error(self, given: StructInstance) -> int:
        text, code = given.text("message"), int(given.read("errc"))
        last = self._harness.value_of(f"{PREFIX}Error_Code_UNAUTHENTICATED")
        if not text:
            self.mistakes.append("makes an error without a text")
        if code == self._harness.value_of(f"{PREFIX}Error_Code_OK"):
            self.mistakes.append("makes an error with the code for success")
        elif not 0 < code <= last:
            self.mistakes.append(f"makes an error with the code {code}, which is none,")
        return self._error(text or "")

    def _get_message(self, given: StructInstance) -> int:
        known = self._errors.get(int(given.read("error")))
        given.write("message", ctypes.addressof(known) if known is not None else 0)
        return 0

    def _destroy_error(self, given: StructInstance) -> int:
        if not self.take(int(given.read("error"))):
            self.mistakes.append("destroys what is no error, or was destroyed before,")
        return 0

    def _register_type(self, given: StructInstance) -> int:
        number = ctypes.c_int64.from_address(int(given.read("type_id")))
        self._types += 1
        number.value = number.value or self._types
        return 0

    def _set_state(self, given: StructInstance) -> int:
        key = int(given.read("ctx")), int(given.read("stage"))
        if key in self._states:
            return self._error("there is a state already")
        self._states[key] = int(given.read("state"))
        return 0

    def _get_state(self, given: StructInstance) -> int:
        key = int(given.read("ctx")), int(given.read("stage"))
        if key not in self._states:
            return self._error("there is no state")
        given.write("state", self._states[key])
        return 0

    def _allocate(self, given: StructInstance) -> int:
        alignment = max(int(given.read("alignment")), _DEVICE_ALIGNMENT)
        start = ctypes.addressof(self._room(int(given.read("size")) + alignment))
        given.write("data", -(-start // alignment) * alignment)
        return 0

    def _schedule(self, given: StructInstance) -> int:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(int(given.read("task")))(int(given.read("data")))
        return 0

    def _number_of_threads(self, given: StructInstance) -> int:
        ctypes.c_int64.from_address(int(given.read("num_threads"))).value = 1
        return 0


def _do_nothing(given: StructInstance) -> int:
    """Nothing has to be done: what XLA gives is 0."""
    return 0
