"""Copies and fills that do too much, too little, or it elsewhere."""

from __future__ import annotations

from tests.runner.verify.planting import Plant

_SE = "SP_StreamExecutor."
_MOVE = "memmove(each->to, each->from, (size_t)each->size);"
_DTOD = """  (void)device;
  copy_now(device_dst->opaque, device_src->opaque, size, status);"""
_DTOH = "  copy_now(host_dst, device_src->opaque, size, status);"
_HTOD = "  copy_now(device_dst->opaque, host_src, size, status);"
_QUEUED_HTOD = "  enqueue_copy(stream, device_dst->opaque, host_src, size, status);"
_QUEUED_DTOH = "  enqueue_copy(stream, host_dst, device_src->opaque, size, status);"
_QUEUED_DTOD = "  enqueue_copy(stream, device_dst->opaque, device_src->opaque, size, status);"
_SYNC, _QUEUED, _FILL = "copy-is-wrong", "enqueued-copy-is-wrong", "fill-is-wrong"


def _sized(text: str, size: str) -> str:
    return text.replace(" size,", f" {size},")


COPIES = [
    Plant("one-more-to-device", _SYNC, _SE + "sync_memcpy_htod", "copy.c", _HTOD, _sized(_HTOD, "size + (size > 0)")),
    Plant("one-more-to-host", _SYNC, _SE + "sync_memcpy_dtoh", "copy.c", _DTOH, _sized(_DTOH, "size + (size > 0)")),
    Plant("one-more-in-device", _SYNC, _SE + "sync_memcpy_dtod", "copy.c", _DTOD, _sized(_DTOD, "size + 1")),
    Plant("one-less-to-device", _SYNC, _SE + "sync_memcpy_htod", "copy.c", _HTOD, _sized(_HTOD, "size - (size > 0)")),
    Plant("one-less-to-host", _SYNC, _SE + "sync_memcpy_dtoh", "copy.c", _DTOH, _sized(_DTOH, "size - (size > 0)")),
    Plant("one-less-in-device", _SYNC, _SE + "sync_memcpy_dtod", "copy.c", _DTOD, _sized(_DTOD, "size - (size > 0)")),
    Plant("whole-words-only", _SYNC, _SE + "sync_memcpy_dtod", "copy.c", _DTOD, _sized(_DTOD, "size / 4 * 4")),
    Plant("nothing-over-16-mb", _SYNC, _SE + "sync_memcpy_dtod", "copy.c", _DTOD,
          _sized(_DTOD, "size > (16 << 20) ? (16 << 20) : size")),
    Plant("size-is-32-bit-and-small", _SYNC, _SE + "sync_memcpy_dtod", "copy.c", _DTOD,
          _sized(_DTOD, "size & 0xffffff")),
    Plant("host-memory-cleared", _SYNC, _SE + "sync_memcpy_htod", "copy.c", _HTOD,
          f"{_HTOD}\n  if (size == 64) memset((void*)host_src, 0, 1);"),
    Plant("source-cleared", _SYNC, _SE + "sync_memcpy_dtod", "copy.c", _DTOD,
          f"{_DTOD}\n  if (size == 64) memset(device_src->opaque, 0, 1);"),
    Plant("to-device-begins-at-the-allocation", _SYNC, _SE + "sync_memcpy_htod", "copy.c", _HTOD,
          _HTOD.replace("device_dst->opaque", "(char*)((uintptr_t)device_dst->opaque & ~(uintptr_t)127)")),
    Plant("queued-one-more-to-device", _QUEUED, _SE + "memcpy_htod", "copy.c", _QUEUED_HTOD,
          _sized(_QUEUED_HTOD, "size + (size > 0)")),
    Plant("queued-one-more-to-host", _QUEUED, _SE + "memcpy_dtoh", "copy.c", _QUEUED_DTOH,
          _sized(_QUEUED_DTOH, "size + (size > 0)")),
    Plant("queued-one-more-in-device", _QUEUED, _SE + "memcpy_dtod", "copy.c", _QUEUED_DTOD,
          _sized(_QUEUED_DTOD, "size + (size > 0)")),
    Plant("queued-one-less-to-host", _QUEUED, _SE + "memcpy_dtoh", "copy.c", _QUEUED_DTOH,
          _sized(_QUEUED_DTOH, "size - (size > 0)")),
    Plant("queued-nothing-in-device", _QUEUED, _SE + "memcpy_dtod", "copy.c", _QUEUED_DTOD,
          "TF_SetStatus(status, TF_OK, \"\");"),
    Plant("queued-host-memory-cleared", _QUEUED, _SE + "memcpy_htod", "copy.c", _QUEUED_HTOD,
          f"{_QUEUED_HTOD}\n  xpu_wait(stream); if (size > 0) memset((void*)host_src, 0, 1);"),
    Plant("queued-offset-ignored", _QUEUED, _SE + "memcpy_dtod", "copy.c", _QUEUED_DTOD,
          _QUEUED_DTOD.replace("device_dst->opaque", "(char*)((uintptr_t)device_dst->opaque & ~(uintptr_t)127)")),
    Plant("zeroes-one-more", _FILL, _SE + "mem_zero", "copy.c", "  enqueue_fill(stream, location, 0, size, status);",
          "  enqueue_fill(stream, location, 0, size + 1, status);"),
    Plant("fills-words-in-other-order", _FILL, _SE + "memset32", "copy.c",
          "  enqueue_fill(stream, location, pattern, size, status);",
          "  enqueue_fill(stream, location, __builtin_bswap32(pattern), size, status);"),
    Plant("fills-with-signed-byte", _FILL, _SE + "memset", "copy.c", "pattern * UINT32_C(0x01010101)",
          "(pattern & 0x7f) * UINT32_C(0x01010101)"),
    Plant("counts-words-not-bytes", _FILL, _SE + "memset32", "copy.c",
          "  enqueue_fill(stream, location, pattern, size, status);",
          "  enqueue_fill(stream, location, pattern, size / 4, status);"),
]  # fmt: skip
