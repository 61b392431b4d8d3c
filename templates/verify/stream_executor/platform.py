"""The platform and its devices."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from abigen.host.process import InapplicableError, StoppedError
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.host.verify.repro import StructInstance
from abigen.host.verify.session import Session
from abigen.model.finding import Level

_COUNT = "SP_PlatformFns.get_device_count"
_CREATE = "SP_PlatformFns.create_device"
_MOST_DEVICES = 64
"""How many devices are made at most, all at the same time: the first ones, and always the last one."""
_RESERVED = ("CPU", "DEFAULT", "TPU", "TPU_SYSTEM", "XLA_CPU", "XLA_GPU")


@check("ABI080", quick=True)
def device_count_wrong(harness: Harness) -> Iterator[Observation]:
    """The number of devices cannot be, or not each of them can be made.

    What happens: Core makes all devices when it begins, and fails.

    Instead: Count the devices that can be used at the same time. The check makes 64 of them at most, the last one among
    them, and then destroys them.

    Source: `SP_PlatformFns.get_device_count` and `create_device`.
    """
    session = Session(harness).start()
    platform, functions = _platform(session)
    count = _count(harness, platform, functions)
    if count < 0:
        yield Observation(_COUNT, f"{_COUNT} says that there are {count} devices")
    for _ in range(3):
        again = _count(harness, platform, functions)
        if again != count:
            yield Observation(_COUNT, f"{_COUNT} says that there are {count} devices, and then {again}")
            return
    made = []
    for ordinal in (*range(min(count, _MOST_DEVICES) - 1), *range(max(count - 1, 0), count)):
        device, ok, said = _device(harness, platform, functions, ordinal)
        if not ok:
            yield Observation(_CREATE, f"{_CREATE} fails for device {ordinal} of {count}: {said}")
            return
        if device.read("ordinal") != ordinal:
            name = "SP_Device.ordinal"
            yield Observation(
                name, f"{_CREATE} is asked for device {ordinal}, and sets {name} to {device.read('ordinal')}"
            )
            return
        made.append(device)
    for device in made:
        harness.call(functions, "destroy_device", platform, device)
    again = _count(harness, platform, functions)
    if again != count:
        yield Observation(
            _COUNT, f"{_COUNT} says that there are {count} devices, and then, when each was made, {again}"
        )


@check("ABI081", level=Level.NOTE)
def device_that_is_not_there(harness: Harness) -> Iterator[Observation]:
    """A device can be made whose ordinal no device has.

    What happens: A mistake in a user's configuration becomes a crash, or another user's device.

    Instead: Compare the ordinal with the number of devices, and report an error in the status.

    Source: `SE_CreateDeviceParams.ordinal`: device index.
    """
    session = Session(harness).start()
    platform, functions = _platform(session)
    count = _count(harness, platform, functions)
    if count == 0:  # core makes no device of such a platform
        raise InapplicableError("the plugin has no device on this machine")
    for ordinal in (count, -1):
        _, ok, _ = _device(harness, platform, functions, ordinal)
        if ok:
            yield Observation(_CREATE, f"{_CREATE} makes device {ordinal}, although there are {count}")
            return


@check("ABI086")
def reserved_type(harness: Harness) -> Iterator[Observation]:
    """The type of the platform's devices is one of core's own.

    What happens: The devices of one take the place of the other, and nothing runs where it should.

    Instead: Choose another type.

    Source: TensorFlow's own device factories: `CPU`, and those of XLA and of TPUs; `DEFAULT` stands for any device.
    """
    platform = Session(harness).start().structs.get("SP_Platform")
    for member in ("name", "type") if platform is not None else ():
        text = platform.text(member) if platform is not None else None
        if text in _RESERVED:
            entity = f"SP_Platform.{member}"
            yield Observation(entity, f"{entity} is {text}, which is a type of core's own devices")


def _platform(session: Session) -> tuple[StructInstance, StructInstance]:
    try:
        return session.structs["SP_Platform"], session.structs["SP_PlatformFns"]
    except KeyError as missing:
        raise StoppedError(f"the plugin gives no {missing.args[0]}") from None


def _count(harness: Harness, platform: StructInstance, functions: StructInstance) -> int:
    """How many devices there are, by the function or, in the first releases, by the member."""
    if platform.field("visible_device_count") is not None:
        return int(platform.read("visible_device_count"))
    number = ctypes.c_int(0)

    class OutParameter:
        address = ctypes.addressof(number)

    reply = harness.call(functions, "get_device_count", platform, OutParameter())
    if not reply.ok:
        raise harness.refused(_COUNT, reply)
    return number.value


def _device(
    harness: Harness, platform: StructInstance, functions: StructInstance, ordinal: int
) -> tuple[StructInstance, bool, str]:
    """A device by its ordinal, whether that went well, and what the plugin says."""
    params, device = harness.new_struct("SE_CreateDeviceParams"), harness.new_struct("SP_Device")
    params.write("ordinal", ordinal)
    params.write("device", device.address)
    reply = harness.call(functions, "create_device", platform, params)
    return device, reply.ok, f"code {reply.code}, {reply.message!r}"
