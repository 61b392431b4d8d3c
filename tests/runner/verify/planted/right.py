"""Ways in which a plugin may differ from the scaffolded one and still be right."""

from __future__ import annotations

from tests.runner.verify.planting import Plant

_MEMORY = "(INT64_C(1) << 32)"
_HOST = "  return size <= SIZE_MAX ? malloc((size_t)size) : NULL;"
_OPTIONAL = "  object->block_host_until_done = xpu_block_host_until_done;"
_FNS = "    object->{0} = xpu_{0};"
_ENQUEUE = "  Item* const item = malloc(offsetof(Item, argument) + size);"
_HANDLE = "  params->device->device_handle = own;"
_END = "    free(own);\n    device"
_HEADERS = "#include <stdlib.h>"
_LIST = "  SP_Stream streams;"
_START = "if (pthread_create(&made->thread, NULL, run, made) != 0) {"


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
    "synchronous": [
        _right("synchronous", "stream.c", _ENQUEUE, "  work(stream, (void*)argument);\n  (void)size;\n"
               "  TF_SetStatus(status, TF_OK, \"\");\n  return true;\n" + _ENQUEUE),
    ],
    "thread-at-first-use": [
        _right("thread-at-first-use", "stream.c", _START, "if (false) {"),
        _right("flag", "stream.c", "  bool closing;", "  bool closing, started;"),
        _right("start", "stream.c", "  ++stream->enqueued;", "  ++stream->enqueued;\n"
               "  if (!stream->started) stream->started = !pthread_create(&stream->thread, NULL, run, stream);"),
        _right("join", "stream.c", "  pthread_join(stream", "  if (stream->started) pthread_join(stream"),
    ],
    "spins": [
        _right("spins", "stream.c", "  while (stream->finished < until) {\n    pthread_cond_wait(&stream->changed, "
               "&stream->mutex);", "  while (stream->finished < until) {\n    pthread_mutex_unlock(&stream->mutex);\n"
               "    sched_yield();\n    pthread_mutex_lock(&stream->mutex);"),
    ],
    "no-signals-in-threads": [
        _right("no-signals", "stream.c", "  SP_Stream stream = argument;", "  SP_Stream stream = argument;\n"
               "  sigset_t all;\n  sigfillset(&all);\n  pthread_sigmask(SIG_BLOCK, &all, NULL);"),
        _right("include", "stream.c", "#include <stdio.h>", "#include <signal.h>\n#include <stdio.h>"),
    ],
    "memory-in-pages": [_right("memory-in-pages", "memory.c", "#define ALIGNMENT 64", "#define ALIGNMENT 4096")],
    "overwrites-what-is-freed": [
        _right("overwrites", "memory.c", "    free(block);", "    memset(memory, 221, block->size);\n    free(block);"),
        _right("include", "memory.c", _HEADERS, "#include <stdlib.h>\n#include <string.h>"),
    ],
    "no-statistics": [
        _right("no-statistics", "memory.c", "  XpuDevice* const own = xpu_device(device);\n  if (SP_Alloc", "  return "
               "0;\n  XpuDevice* const own = xpu_device(device);\n  if (SP_Alloc"),
    ],
    "made-names": [
        _right("made-names", "platform.c", '= "XPU, in the memory of the host"', '= strdup("XPU, the first")'),
        _right("freed", "platform.c", _END, "    if (SP_DEVICE_HAS_FIELD(device, hardware_name)) "
               "free((void*)device->hardware_name);\n" + _END),
        _right("include", "platform.c", _HEADERS, "#include <stdlib.h>\n#include <string.h>"),
    ],
    "file-per-device": [
        _right("file-per-device", "platform.c", _HANDLE, _HANDLE + "\n"
               "  own->file = open(\"/dev/null\", O_RDWR | O_CLOEXEC);"),
        _right("closed", "platform.c", _END, "    close(own->file);\n" + _END),
        _right("include", "platform.c", _HEADERS, "#include <fcntl.h>\n#include <stdlib.h>\n"
               "#include <unistd.h>"),
        _right("member", "device.h", _LIST, _LIST + "\n  int file;"),
    ],
    "thread-per-device": [
        _right("thread-per-device", "platform.c", _HANDLE, _HANDLE + "\n"
               "  sem_init(&own->ends, 0, 0);\n"
               "  pthread_create(&own->thread, NULL, watch, own);"),
        _right("joined", "platform.c", _END, "    sem_post(&own->ends);\n"
               "    pthread_join(own->thread, NULL);\n    sem_destroy(&own->ends);\n" + _END),
        _right("thread", "platform.c", '#include "device.h"', '#include "device.h"\n\nstatic void* watch(void* own) {\n'
               "  sem_wait(&((XpuDevice*)own)->ends);\n  return NULL;\n}"),
        _right("member", "device.h", _LIST, _LIST + "\n  pthread_t thread;\n  sem_t ends;"),
        _right("include", "device.h", "#include <pthread.h>", "#include <pthread.h>\n#include <semaphore.h>"),
    ],
    "prepared-when-loaded": [
        _right("prepared", "memory.c", "static int64_t maximum", "static char* table;\n"
               "__attribute__((constructor)) static void prepare(void) { table = calloc(1, 1 << 16); }\n"
               "__attribute__((destructor)) static void finish(void) { free(table); }\n\nstatic int64_t maximum"),
    ],
    "no-unified-memory": [
        _right("no-unified-memory", "platform.c", "supports_unified_memory = 1", "supports_unified_memory = 0"),
    ],
    "core-does-the-rest": [
        _right("core-does-the-rest", "platform.c", "use_bfc_allocator = 1", "use_bfc_allocator = 0"),
        _right("growth", "platform.c", "force_memory_growth = 1", "force_memory_growth = 0"),
    ],
    "optimised": [
        _right("optimised", source, _HEADERS, _HEADERS)._replace(options=("-O3", "-DNDEBUG"))
        for source in ("stream.c", "memory.c", "platform.c")
    ],
    "told-rates": [
        _right("told-rates", "platform.c", "  return -1;", "  return 0;"),
        _right("gflops", "platform.c", "  return -1.0;", "  return 12.5;"),
    ],
}  # fmt: skip
"""By name: the changes."""
