"""The API of the RFC: core hears why a plugin refuses it, and misses what has to go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.c_checks.building import HERE, SANITIZED, WARNINGS, compiled, plugin, run, shipped

_HEADER = "tensorflow/c/experimental/stream_executor/stream_executor"

_PLUGIN = """
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

static void free_platform(SP_Platform* platform) { (void)platform; }
static void free_fns(SP_PlatformFns* fns) { (void)fns; }
static void create_device(const SP_Platform* p, SE_CreateDeviceParams* q, TF_Status* s) { (void)p, (void)q, (void)s; }
static void destroy_device(const SP_Platform* p, SP_Device* d) { (void)p, (void)d; }
static void create_executor(const SP_Platform* p, SE_CreateStreamExecutorParams* q, TF_Status* s) {
  (void)p, (void)q, (void)s;
}
static void destroy_executor(const SP_Platform* p, SP_StreamExecutor* e) { (void)p, (void)e; }
static void create_timers(const SP_Platform* p, SP_TimerFns* t, TF_Status* s) { (void)p, (void)t, (void)s; }
static void destroy_timers(const SP_Platform* p, SP_TimerFns* t) { (void)p, (void)t; }
static void create_bfc(const SP_Platform* p, SE_CreateAllocatorParams* q, TF_Status* s) { (void)p, (void)q, (void)s; }
static void destroy_bfc(const SP_Platform* p, SP_Allocator* a, SP_AllocatorFns* f) { (void)p, (void)a, (void)f; }
static void create_custom(const SP_Platform* p, SE_CreateCustomAllocatorParams* q, TF_Status* s) {
  (void)p, (void)q, (void)s;
}
static void destroy_custom(const SP_Platform* p, SP_CustomAllocator* a, SP_CustomAllocatorFns* f) {
  (void)p, (void)a, (void)f;
}

void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  SP_PlatformFns* const fns = params->platform_fns;
  params->platform->name = "NAME";
  params->platform->type = "TYPE";
  fns->create_device = create_device;
  fns->destroy_device = destroy_device;
  fns->create_stream_executor = create_executor;
  fns->destroy_stream_executor = destroy_executor;
  fns->create_timer_fns = create_timers;
  fns->destroy_timer_fns = destroy_timers;
  fns->create_custom_allocator = create_custom;
  fns->destroy_custom_allocator = destroy_custom;
  (void)create_bfc, (void)destroy_bfc;
  params->destroy_platform = free_platform;
  params->destroy_platform_fns = free_fns;
  SPOIL;
}
"""

_CASES = {
    "(void)status": "0 errors, status 0\n",
    'TF_SetStatus(status, TF_UNAVAILABLE, "no device here")': (
        "the plugin refused stream_executor 0.0.1: no device here\n1 errors, status 14\n"
    ),
    "fns->destroy_custom_allocator = NULL": (
        "SP_PlatformFns.destroy_custom_allocator is NULL, but required since 0.0.1 "
        "when SP_PlatformFns.create_custom_allocator is set\n1 errors, status 9\n"
    ),
    "fns->create_allocator = create_bfc, fns->destroy_allocator = destroy_bfc": (
        "SP_PlatformFns.create_allocator is set, but may not be since 0.0.1 "
        "when SP_PlatformFns.create_custom_allocator is set\n1 errors, status 9\n"
    ),
    "fns->create_custom_allocator = NULL": (
        "SP_PlatformFns.create_allocator is NULL, but required since 0.0.1 "
        "unless SP_PlatformFns.create_custom_allocator is set\n"
        "SP_PlatformFns.create_custom_allocator is NULL, but required since 0.0.1 "
        "unless SP_PlatformFns.create_allocator is set\n2 errors, status 9\n"
    ),
}


@pytest.mark.ci
def test_a_core_hears_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "plugin.c").write_text(_PLUGIN)
    program = tmp_path / "core"
    options = ("-std=c11", "-rdynamic", *WARNINGS, *SANITIZED, *shipped("rfc").include)
    assert compiled("gcc", *options, HERE / "rfc_core.c", *shipped("rfc").linked(_HEADER), "-ldl", "-o", program) == ""
    libraries = [
        plugin(tmp_path / f"{at}.so", tmp_path / "plugin.c", shipped("rfc"), (f"SPOIL={spoil}",))
        for at, spoil in enumerate(_CASES)
    ]
    done = run(program, *libraries)
    # Six functions of an allocator are always missed, two more when it claims unified memory.
    assert (done.code, done.stderr, done.stdout) == (0, "", "".join(_CASES.values()) + "6\n8\n")
