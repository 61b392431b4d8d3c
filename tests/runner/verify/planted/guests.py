"""Plugins that behave badly as guests: what they leave changed, print, and give."""

from __future__ import annotations

from tests.runner.verify.planting import Plant

_SE, _FNS = "SP_StreamExecutor.", "SP_PlatformFns."
_OWN = "  own = calloc(1, sizeof(*own));"
_FAIL = 'TF_SetStatus(status, TF_INTERNAL, "no"); return;'
_CHANGED, _VALUE, _CONST = "process-changed", "impossible-value", "const-struct-written"
_HEADERS = ("fenv", "signal", "locale", "sys/stat", "unistd", "sys/resource", "sched", "stdio", "xmmintrin")
_OPTIONS = tuple(f"-include{each}.h" for each in _HEADERS)
_LINE = "  *device_count = XPU_DEVICES;"
_DONE = {
    "rounding": "fesetround(FE_UPWARD);",
    "denormals": "_mm_setcsr(_mm_getcsr() | 0x8040);",
    "handler": "signal(SIGTERM, SIG_IGN);",
    "user-handler": "signal(SIGUSR1, SIG_IGN);",
    "mask": "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, NULL);",
    "alarm": "alarm(1000);",
    "folder": 'chdir("/");',
    "umask": "umask(0);",
    "environment": 'setenv("XPU_LOADED", "1", 1);',
    "locale": 'setlocale(LC_ALL, "C.UTF-8");',
    "limits": "struct rlimit limit = {64, 64}; setrlimit(RLIMIT_NOFILE, &limit);",
    "stdout-closed": "close(1);",
    "stderr-closed": "close(2);",
    "stdin-closed": "close(0);",
    "priority": "nice(3);",
    "processors": "cpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one); sched_setaffinity(0, sizeof one, &one);",
    "child": "if (fork() == 0) { sleep(30); _exit(0); }",
}


def _counting(name: str, rule: str, text: str) -> Plant:
    """Return a plant whose code runs while devices are counted."""
    entity = "SP_PlatformFns.get_device_count"
    return Plant(name, rule, entity, "platform.c", _LINE, f"{{ {text} }}\n{_LINE}", ("device-count-wrong",), _OPTIONS)


GUESTS = [
    _counting("counts-otherwise-each-time", "device-count-wrong",
              "static int calls; *device_count = 1 + calls++ % 2; TF_SetStatus(status, TF_OK, \"\"); return;"),
    _counting("counts-less-than-none", "device-count-wrong",
              "*device_count = -1; TF_SetStatus(status, TF_OK, \"\"); return;"),
    Plant("seventeenth-device-fails", "device-count-wrong", _FNS + "create_device", "platform.c", _OWN,
          f"{_OWN}\n  if (params->ordinal == 16) {{ {_FAIL} }}", devices=20),
    Plant("last-of-many-devices-fails", "device-count-wrong", _FNS + "create_device", "platform.c", _OWN,
          f"{_OWN}\n  if (params->ordinal == 199) {{ {_FAIL} }}", devices=200),
    Plant("devices-one-at-a-time", "device-count-wrong", _FNS + "create_device", "platform.c", _OWN,
          f"  if (n++) {{ {_FAIL} }}\n{_OWN}",
          devices=2, also=(("    free(own);", "    free(own); --n;"),
                              ("// The one function", "static int n;\n// The one function"))),
    Plant("type-is-the-host", "reserved-type", "SP_Platform.type", "platform.c",
          "  platform = params->platform;", "  platform = params->platform; platform->type = \"CPU\";"),
    Plant("device-memory-badly-aligned", "memory-badly-aligned", _SE + "allocate", "memory.c",
          "#define ALIGNMENT 64", "#define ALIGNMENT 8"),
    Plant("device-memory-aligned-to-16-only", "memory-badly-aligned", _SE + "allocate", "memory.c",
          "#define ALIGNMENT 64", "#define ALIGNMENT 16"),
    Plant("host-memory-badly-aligned", "memory-badly-aligned", _SE + "host_memory_allocate", "memory.c",
          "malloc((size_t)size) : NULL;", "(char*)malloc((size_t)size + 8) + 8 : NULL;"),
    *(_counting(f"changes-{name}", _CHANGED, text) for name, text in _DONE.items()),
    _counting("prints-with-printf", "prints-something", 'printf("XPU: counting\\n");'),
    _counting("prints-with-write", "prints-something", 'write(1, "XPU\\n", 4);'),
    _counting("prints-errors", "prints-something", 'fprintf(stderr, "XPU: counting\\n");'),
    _counting("code-that-is-not", _VALUE, "TF_SetStatus(status, 99, \"odd\"); return;"),
    _counting("frees-status", "status-misused", "TF_DeleteStatus(status);"),
    _counting("keeps-status", "status-misused",
                    "static TF_Status* kept; if (kept) TF_SetStatus(kept, TF_OK, \"\"); kept = status;"),
    Plant("flops-are-no-number", _VALUE, "SP_DeviceFns.get_gflops", "platform.c", "  return -1.0;",
          "  return 0.0 / 0.0;", ("text-does-not-last",)),
    Plant("event-state-that-is-not", _VALUE, _SE + "get_event_status", "event.c",
          "  return reached ? SE_EVENT_COMPLETE : SE_EVENT_PENDING;", "  return reached ? 7 : SE_EVENT_PENDING;",
          ("event-never-recorded",)),
    Plant("writes-to-const-device", _CONST, _SE + "create_event", "event.c",
          "  SP_Event made = calloc(1, sizeof(*made));",
          "  SP_Event made = calloc(1, sizeof(*made));\n  ((SP_Device*)device)->ext = made;", ("creation-fails",)),
    Plant("writes-to-const-memory", _CONST, _SE + "memcpy_dtoh", "copy.c",
          "  enqueue_copy(stream, host_dst, device_src->opaque, size, status);",
          "  enqueue_copy(stream, host_dst, device_src->opaque, size, status);\n"
          "  ((SP_DeviceMemoryBase*)device_src)->payload = 1;", ("enqueued-copy-is-wrong",)),
    Plant("writes-to-const-platform", _CONST, "SP_PlatformFns.create_device", "platform.c",
          "  params->device->device_handle = own;",
          "  params->device->device_handle = own;\n  ((SP_Platform*)platform)->ext = own;", ("creation-fails",)),
]  # fmt: skip
