"""Plugins that leave something behind."""

from __future__ import annotations

from tests.runner.verify.planting import Plant

_SE = "SP_StreamExecutor."
_USE, _END = "use-leaks", "destruction-leaks"
_FDS = ("-includefcntl.h", "-includeunistd.h")

LEAKS = [
    Plant("leaks-items", _USE, _SE + "memcpy_htod", "stream.c", "    free(item);\n", ""),
    Plant("leaks-callbacks", _USE, _SE + "host_callback", "stream.c", "  each->function(each->argument, status);",
          "  each->function(each->argument, status); malloc(24);"),
    Plant("leaks-statuses", _USE, _SE + "host_callback", "stream.c", "  TF_DeleteStatus(status);\n}", "}"),
    Plant("leaks-marks", _USE, _SE + "create_stream_dependency", "stream.c", "  xpu_mark_release(mark);\n}", "}"),
    Plant("leaks-lists", _USE, _SE + "synchronize_all_activity", "stream.c", "  free((void*)marks);\n", ""),
    Plant("leaks-host-memory", _USE, _SE + "host_memory_deallocate", "memory.c", "  free(mem);\n", ""),
    Plant("leaks-blocks", _USE, _SE + "deallocate", "memory.c", "    free(block);\n", ""),
    Plant("opens-files-at-callbacks", _USE, _SE + "host_callback", "stream.c",
          "  each->function(each->argument, status);",
          "  each->function(each->argument, status); open(\"/dev/null\", 0);", (), _FDS),
    Plant("leaks-streams", _END, _SE + "destroy_stream", "stream.c", "  free(stream);\n}", "}"),
    Plant("leaks-events", _END, _SE + "destroy_event", "event.c", "  free(event);\n", ""),
    Plant("leaks-timers", _END, _SE + "destroy_timer", "timer.c", "    free(timer);\n", ""),
    Plant("leaks-devices", _END, "SP_PlatformFns.destroy_device", "platform.c", "    free(own);\n", ""),
    Plant("leaks-files", _END, _SE + "destroy_event", "event.c", "  pthread_mutex_init(&made->mutex, NULL);",
          "  pthread_mutex_init(&made->mutex, NULL); open(\"/dev/null\", 0);", (), _FDS),
    Plant("leaks-threads", _END, _SE + "destroy_stream", "stream.c", "  stream->closing = true;\n",
          "  if (stream != NULL) { pthread_mutex_unlock(&stream->mutex); return; }\n"),
    Plant("opens-file-at-init", "reload-fails", "SE_InitPlugin", "platform.c", "  platform = params->platform;",
          "  platform = params->platform; open(\"/dev/null\", 0);", (), _FDS),
    Plant("opens-file-when-loaded", "reload-fails", "SE_InitPlugin", "platform.c", "// The one function",
          "__attribute__((constructor)) static void begin(void) { open(\"/dev/null\", 0); }\n// The one function", (),
          _FDS),
    Plant("thread-goes-on", "thread-outlives-library", "SE_InitPlugin", "platform.c", "  platform = params->platform;",
          "  platform = params->platform; pthread_t own; pthread_create(&own, NULL, (void* (*)(void*))pause, NULL);",
          (), _FDS),
]  # fmt: skip
