"""Functions that report an error, although nothing was wrong."""

from __future__ import annotations

from tests.runner.verify.planting import Plant

_SE = "SP_StreamExecutor."
_ERROR = '  TF_SetStatus(status, TF_INTERNAL, "the device is busy");'
_FAILING = {  # function: the file, a line of it, the check that meets it
    "sync_memcpy_dtod": (
        "copy.c",
        "  copy_now(device_dst->opaque, device_src->opaque, size, status);",
        "copy-is-wrong",
    ),
    "sync_memcpy_dtoh": ("copy.c", "  copy_now(host_dst, device_src->opaque, size, status);", "copy-is-wrong"),
    "memcpy_dtod": (
        "copy.c",
        "  enqueue_copy(stream, device_dst->opaque, device_src->opaque, size, status);",
        "enqueued-copy-is-wrong",
    ),
    "mem_zero": ("copy.c", "  enqueue_fill(stream, location, 0, size, status);", "fill-is-wrong"),
    "memset32": ("copy.c", "  enqueue_fill(stream, location, pattern, size, status);", "fill-is-wrong"),
    "block_host_for_event": (
        "event.c",
        "    xpu_mark_release(mark);\n  }\n  TF_SetStatus(status, TF_OK, \"\");\n}",
        "host-does-not-wait",
    ),
    "start_timer": ("timer.c", "  enqueue_holding(stream, start, timer, status);", "timer-wrong"),
    "synchronize_all_activity": ("stream.c", "  free((void*)marks);", "host-does-not-wait"),
}  # fmt: skip

CALLS = [
    *(
        Plant(
            f"{name.replace('_', '-')}-fails",
            "call-fails",
            _SE + name,
            source,
            line,
            f"{_ERROR}\n" if "}" not in line else line.replace('  TF_SetStatus(status, TF_OK, "");', _ERROR),
            (check,),
        )
        for name, (source, line, check) in _FAILING.items()
    ),
    Plant("host-callback-refuses", "call-fails", _SE + "host_callback", "stream.c", "  return done;", "  return 0;",
          ("callback-on-stream-wrong",)),
    Plant("count-fails", "call-fails", "SP_PlatformFns.get_device_count", "platform.c",
          "  *device_count = XPU_DEVICES;\n  TF_SetStatus(status, TF_OK, \"\");",
          "  *device_count = XPU_DEVICES;\n" + _ERROR, ("device-count-wrong",)),
    Plant("stream-is-none", "creation-fails", _SE + "create_stream", "stream.c", "  *stream = made;",
          "  *stream = NULL;"),
]  # fmt: skip
