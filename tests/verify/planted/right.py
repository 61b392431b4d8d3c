"""Ways in which a plugin may differ from the scaffolded one and still be right."""

from __future__ import annotations

from tests.verify.planting import Plant

_MEMORY = "(INT64_C(1) << 32)"
_HOST = "  return size <= SIZE_MAX ? malloc((size_t)size) : NULL;"
_OPTIONAL = "  object->block_host_until_done = xpu_block_host_until_done;"
_FNS = "    object->{0} = xpu_{0};"


def _right(name: str, source: str, old: str, new: str) -> Plant:
    return Plant(name, "", "", source, old, new)


RIGHT = {
    "little-memory": [_right("little-memory", "device.h", _MEMORY, "(INT64_C(1) << 16)")],
    "some-memory": [_right("some-memory", "device.h", _MEMORY, "(INT64_C(1) << 24)")],
    "pinned-memory-with-a-limit": [
        _right("pinned", "memory.c", _HOST, "  return size <= 1 << 17 ? malloc((size_t)size) : NULL;")
    ],
    "several-devices": [_right("several-devices", "device.h", "#define XPU_DEVICES 1", "#define XPU_DEVICES 8")],
    "no-optionals": [
        _right("no-optionals", "generated/plugin.c", _OPTIONAL, ""),
        *(_right(f"no-{each}", "generated/plugin.c", _FNS.format(each), "")
          for each in ("get_numa_node", "get_memory_bandwidth", "get_gflops")),
    ],
    "says-nothing-of-memory": [
        _right("no-usage", "memory.c", "  XpuDevice* const own = xpu_device(device);\n", "  return 0;\n"
               "  XpuDevice* const own = xpu_device(device);\n"),
    ],
    "slow-device": [
        _right("slow-device", "platform.c", "  own = calloc(1, sizeof(*own));", "  usleep(60000);\n"
               "  own = calloc(1, sizeof(*own));"),
    ],
    "slow-work": [
        _right("slow-work", "stream.c", "    item->work(stream, item->argument);", "    usleep(50);\n"
               "    item->work(stream, item->argument);"),
    ],
    "works-at-once": [
        _right("works-at-once", "stream.c", "  TF_SetStatus(status, TF_OK, \"\");\n  return true;", "  "
               "if (!pthread_equal(pthread_self(), stream->thread)) xpu_wait(stream);\n"
               "  TF_SetStatus(status, TF_OK, \"\");\n  return true;"),
    ],
}  # fmt: skip
"""By name: the changes."""
