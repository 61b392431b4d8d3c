"""Faults that show now and then, on the second device, with large pieces, or only when threads meet.

They were planted without a look at what is checked, and were missed at first.
"""

from __future__ import annotations

from tests.runner.verify.planting import START, Plant

_SE, _FNS = "SP_StreamExecutor.", "SP_PlatformFns."
_CALLBACK = _SE + "host_callback"
_CALL = "  each->function(each->argument, status);"
_MARK = "  XpuMark* mark;  // NULL before"
_OK = 'TF_SetStatus(status, TF_OK, ""); return;'
_WAITS, _RACE, _CHANGED, _EVENT = (
    "enqueueing-waits", "streams-of-two-threads-mixed", "process-changed", "event-not-as-recorded-last",
)  # fmt: skip
_SYSTEM = tuple(
    f"-include{name}.h"
    for name in ("fcntl", "fenv", "locale", "signal", "stdio", "stdlib", "sys/prctl", "sys/time", "time", "unistd")
)


def _state(name: str, entity: str, code: str) -> Plant:
    """Return a change of the process, at the start of a function."""
    function = entity.partition(".")[2] or entity
    source = {"create_event": "event.c", "create_timer": "timer.c", "create_stream": "stream.c"}
    prefix = "" if function == entity else "xpu_"
    place = source.get(function, "platform.c")
    return Plant(name, _CHANGED, entity, place, START + prefix + function, code, ("creation-fails",), _SYSTEM)


def _starts(name: str, rule: str, entity: str, source: str, code: str, devices: int = 1) -> Plant:
    """Return a plant at the start of the function that a finding names."""
    return Plant(name, rule, entity, source, START + "xpu_" + entity.partition(".")[2], code, devices=devices)


VARIANTS = [
    _starts("at-once-on-second-device", "callback-on-stream-wrong", _CALLBACK, "stream.c",
            "if (device->ordinal == 1) { TF_Status* s = TF_NewStatus(); callback_fn(callback_arg, s); "
            "TF_DeleteStatus(s); return 1; }", 2),
    Plant("null-status-now-and-then", "status-of-callback-wrong", _CALLBACK, "stream.c", _CALL,
          "static int n; each->function(each->argument, ++n % 5 ? status : NULL);"),
    Plant("one-status-for-all", "status-of-callback-wrong", _CALLBACK, "stream.c",
          "  TF_Status* const status = TF_NewStatus();\n" + _CALL,
          "  static TF_Status* all; if (!all) all = TF_NewStatus(); TF_Status* const status = TF_NewStatus();\n"
          "  each->function(each->argument, all);"),
    _starts("null-is-no-argument", "callback-on-stream-wrong", _CALLBACK, "stream.c", "if (!callback_arg) return 1;"),
    Plant("error-of-late-callback-dropped", "error-of-callback-dropped", _CALLBACK, "stream.c",
          "    xpu_fail(stream, TF_GetCode", "    if (stream->finished < 3) xpu_fail(stream, TF_GetCode"),
    Plant("lock-of-list-held-in-callback", "callback-cannot-call-back", _CALLBACK, "stream.c", _CALL,
          "pthread_mutex_lock(&stream->device->list);" + _CALL + "pthread_mutex_unlock(&stream->device->list);"),
    _starts("waits-200-ms", "host-does-not-wait", _SE + "block_host_until_done", "stream.c",
            "for (int i = 0; i < 200 && stream->finished < stream->enqueued; ++i) usleep(1000); " + _OK),
    Plant("waits-for-six-streams", "host-does-not-wait", _SE + "synchronize_all_activity", "stream.c",
          "each != NULL; each = each->next) {\n      XpuMark", "each != NULL && *count < 6; each = each->next) {\n"
          "      XpuMark"),
    _starts("waits-for-nobody-on-second-device", "host-does-not-wait", _SE + "synchronize_all_activity", "stream.c",
            "if (device->ordinal == 1) { " + _OK + " }", 2),
    _starts("waits-now-and-then", _WAITS, _SE + "wait_for_event", "event.c",
            "static int n; if (++n % 2 == 0) { xpu_block_host_for_event(device, event, status); return; }"),
    _starts("callback-waits", _WAITS, _CALLBACK, "stream.c", "xpu_wait(stream);"),
    _starts("fill-waits", _WAITS, _SE + "memset32", "copy.c", "xpu_wait(stream);"),
    _starts("timer-waits", _WAITS, _SE + "start_timer", "timer.c", "xpu_wait(stream);"),
    _starts("recorded-again-while-pending", _EVENT, _SE + "record_event", "event.c",
            "if (event->mark && !xpu_mark_is_reached(event->mark)) { " + _OK + " }"),
    Plant("event-asks-its-stream", "event-ends-with-stream", _SE + "destroy_stream", "event.c", _MARK,
          "  SP_Stream where;\n" + _MARK, also=(
              (START + "xpu_record_event", "event->where = stream;"),
              (START + "xpu_block_host_for_event", "if (event->where) xpu_wait(event->where);"),
          )),
    _starts("large-copy-waits", _WAITS, _SE + "memcpy_dtoh", "copy.c", "if (size > 65536) xpu_wait(stream);"),
    _starts("large-copy-at-once", "work-begins-too-early", _SE + "memcpy_htod", "copy.c",
            "if (size > 100000) { copy_now(device_dst->opaque, host_src, size, status); return; }"),
    _starts("fills-at-once-now-and-then", "work-begins-too-early", _SE + "memset", "copy.c",
            "static int n; if (++n % 5 == 0) { memset(location->opaque, pattern, size); " + _OK + " }"),
    _starts("unrecorded-is-refused", "event-never-recorded", _SE + "wait_for_event", "event.c",
            'if (!event->mark) { TF_SetStatus(status, TF_FAILED_PRECONDITION, "never recorded"); return; }'),
    _starts("unrecorded-is-for-ever", "event-never-recorded", _SE + "wait_for_event", "event.c",
            "if (!event->mark) event->mark = xpu_mark_new();"),
    _starts("says-error-now-and-then", "event-status-wrong", _SE + "get_event_status", "event.c",
            "static int n; if (++n % 9 == 0) return SE_EVENT_ERROR;"),
    _starts("waits-for-three-of-four", "event-not-waited-for", _SE + "wait_for_event", "event.c",
            "static int n; if (++n % 4 == 0) { " + _OK + " }"),
    Plant("timer-starts-when-asked", "timer-wrong", "SP_TimerFns.nanoseconds", "timer.c", START + "xpu_start_timer",
          "atomic_store(&timer->start, now()); " + _OK),
    Plant("one-callback-for-all", _RACE, _CALLBACK, "stream.c",
          "  const Call each = {callback_fn, callback_arg};",
          "  static Call each; each.function = callback_fn; each.argument = callback_arg; "
          "sched_yield();", (), ("-includesched.h",)),
    Plant("one-buffer-for-all", _RACE, "", "copy.c", "    memmove(each->to, each->from, (size_t)each->size);",
          "    static char b[1 << 16]; for (uint64_t i = 0; i < each->size; i += sizeof b) {\n"
          "      uint64_t n = each->size - i < sizeof b ? each->size - i : sizeof b;\n"
          "      memcpy(b, (char*)each->from + i, n); memcpy((char*)each->to + i, b, n); }"),
    _starts("one-timer-twice", _RACE, _SE + "create_timer", "timer.c",
            "static struct SP_Timer_st all[4096]; static int n; const int i = n; n = (i + 1) % 4096; *timer = &all[i]; "
            "atomic_store(&all[i].holders, 1000); " + _OK),
    Plant("leaks-each-tenth-item", "use-leaks", "", "stream.c", "    free(item);",
          "    if (stream->finished % 10) free(item);"),
    Plant("leaks-small-host-memory", "use-leaks", _SE + "host_memory_deallocate", "memory.c", "  free(mem);",
          "  if (mem && malloc_usable_size(mem) > 4096) free(mem);", (), ("-includemalloc.h",)),
    Plant("leaks-mapped-memory", "use-leaks", _SE + "host_memory_deallocate", "memory.c",
          START + "xpu_host_memory_allocate", "mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);", (),
          ("-includesys/mman.h",)),
    _starts("leaks-unified-memory", "use-leaks", _SE + "unified_memory_deallocate", "memory.c", "return;"),
    Plant("leaks-timers-in-streams", "use-leaks", "", "timer.c",
          "  atomic_store(&timer->stop, now());\n  release(timer);", "  atomic_store(&timer->stop, now());"),
    Plant("leaks-names", "destruction-leaks", _FNS + "destroy_device", "platform.c",
          '"XPU, in the memory of the host"', 'strdup("XPU, in the memory of the host")', (), ("-includestring.h",)),
    Plant("leaks-second-device", "destruction-leaks", _FNS + "destroy_device", "platform.c", "    free(own);\n",
          "    if (device->ordinal == 0) free(own);\n", ("destruction-leaks", "stream-reports-error"), (), 2),
    _state("floating-point-traps", _SE + "create_timer", "feenableexcept(FE_DIVBYZERO);"),
    _state("broken-pipes-ignored", "SE_InitPlugin", "signal(SIGPIPE, SIG_IGN);"),
    _state("real-time-signal-ignored", _SE + "create_event", "signal(SIGRTMIN + 3, SIG_IGN);"),
    _state("profiling-timer", _FNS + "create_timer_fns",
           "struct itimerval t = {{0, 0}, {5000, 0}}; setitimer(ITIMER_PROF, &t, 0);"),
    _state("locale-of-the-thread", _SE + "create_stream", 'uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", 0));'),
    _state("locale-of-the-user", _FNS + "create_device", 'setlocale(LC_ALL, "");'),
    _state("name-of-the-thread", _SE + "create_stream", 'prctl(PR_SET_NAME, "xpu");'),
    _state("stdout-does-not-wait", _FNS + "create_device", "fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);"),
    Plant("prints-now-and-then", "prints-something", _SE + "destroy_event", "event.c", START + "xpu_create_event",
          'static int n; if (++n % 70 == 0) printf("event\\n");', ("use-leaks",), ("-includestdio.h",)),
    Plant("reads-status-of-last-call", "status-misused", _SE + "synchronize_all_activity", "stream.c",
          START + "xpu_synchronize_all_activity", "static TF_Status* last; if (last) TF_GetCode(last); last = status;",
          ("event-ends-with-stream", "host-does-not-wait")),
    _starts("large-pieces-overlap", "allocations-overlap", _SE + "allocate", "memory.c",
            "static char* big; if (size > 1 << 20 && size < 1 << 25) { if (!big) big = aligned_alloc(64, 1 << 26); "
            "((Block*)big)->size = size; mem->opaque = big + 64; mem->size = size; return; }"),
    _starts("copies-from-a-multiple-of-16", "copy-is-wrong", _SE + "sync_memcpy_dtod", "copy.c",
            "SP_DeviceMemoryBase m = *device_src; m.opaque = (void*)((uintptr_t)m.opaque & ~(uintptr_t)15); "
            "device_src = &m;"),
    _starts("fills-16-MB-at-most", "fill-is-wrong", _SE + "memset", "copy.c", "if (size > 1 << 24) size = 1 << 24;"),
    _starts("second-device-copies-less", "copy-is-wrong", _SE + "sync_memcpy_dtoh", "copy.c",
            "if (device->ordinal && size) --size;", 2),
    Plant("thread-wakes-up-unloaded", "thread-outlives-library", "SE_InitPlugin", "platform.c",
          "// The one function that a plugin exports.",
          "#include <unistd.h>\nstatic void* watch(void* unused) { for (;;) usleep(2000); }\n"
          "__attribute__((constructor)) static void begin(void) { pthread_t own; "
          "pthread_create(&own, NULL, watch, NULL); }\n//"),
]  # fmt: skip
