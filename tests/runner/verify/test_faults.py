"""Plugins with one thing wrong each: it is found, and named."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.runner.verify.plugins import HERE, compile_plugin, verify
from tests.sampling import short_form
from tests.tools import require


class Fault(NamedTuple):
    """A fault of a plugin, and the expected finding."""

    name: str
    rule: str
    entity: str
    run: str = ""
    """The check that meets it, when it is another one."""


EXECUTOR = "SP_StreamExecutor"
INIT = "SE_InitPlugin"
PARAMS = "SE_PlatformRegistrationParams"
LIMIT = {"HANGS": "1"}
"""Seconds; others need none, however busy the machine is."""
FAULTS = [
    Fault("REFUSES_EQUAL", "handshake-refused", INIT),
    Fault("REFUSES_NEWER", "newer-core-refused", INIT),
    Fault("IGNORES_VERSION", "foreign-major-accepted", INIT),
    Fault("SILENT_REFUSAL", "refusal-says-nothing", INIT),
    Fault("BROKEN_AFTER_REFUSAL", "unusable-after-refusal", INIT),
    Fault("WRITES_PAST_END", "writes-past-end", "SP_DeviceFns", "creation-fails"),
    Fault("READS_PAST_END", "reads-past-end", "SE_CreateDeviceFnsParams", "not-again-after-the-end"),
    Fault("KEEPS_PARAMETERS", "touches-what-has-ended", "SP_PlatformFns.create_timer_fns", "not-again-after-the-end"),
    Fault(
        "TOUCHES_DEVICE_LATER",
        "touches-what-has-ended",
        "SE_PlatformRegistrationParams.destroy_platform",
        "not-again-after-the-end",
    ),
    Fault("MISSING_CALLBACK", "required-member-missing", f"{EXECUTOR}.sync_memcpy_dtod"),
    Fault("PADDED_SIZE", "struct-size-wrong", "SP_Platform"),
    Fault("NO_SIZE", "struct-size-wrong", "SP_Platform"),
    Fault("ASSIGNS_STRUCT", "core-member-overwritten", f"{PARAMS}.major_version"),
    Fault("BAD_NAME", "text-malformed", "SP_Platform.name"),
    Fault("LOCAL_NAME", "text-does-not-last", "SP_Platform.name"),
    Fault("IGNORES_SIZE", "struct-size-ignored", f"{EXECUTOR}.host_callback", "creation-fails-on-shorter-structs"),
    Fault("CRASHES", "callback-crashes", f"{EXECUTOR}.allocate", "allocation-fails"),
    Fault("HANGS", "callback-hangs", f"{EXECUTOR}.create_stream", "creation-fails"),
    Fault("EXITS", "plugin-exits", f"{EXECUTOR}.create_stream", "creation-fails"),
    Fault("CLOSES_FILES", "files-of-others-closed", f"{EXECUTOR}.create_stream", "creation-fails"),
    Fault("FREES_CORES_STRUCT", "callback-crashes", "SP_PlatformFns.destroy_device", "reload-fails"),
    Fault("CREATES_NOTHING", "creation-fails", f"{EXECUTOR}.create_stream"),
    Fault("CREATES_ONCE", "not-again-after-the-end", "SP_PlatformFns.create_device"),
    Fault("LOADS_ONCE", "reload-fails", INIT),
    Fault("SAME_HANDLE", "handle-given-twice", f"{EXECUTOR}.create_stream"),
    Fault("NOT_FOR_THREADS", "fails-with-two-threads", f"{EXECUTOR}.create_stream"),
    Fault("LEAKS_EVENTS", "destruction-leaks", f"{EXECUTOR}.destroy_event"),
    Fault("SMALL_MEMORY", "allocation-fails", "SP_DeviceMemoryBase.size"),
    Fault("CANNOT_FREE_NULL", "callback-crashes", f"{EXECUTOR}.deallocate", "allocation-of-nothing"),
    Fault("OVERLAPPING_MEMORY", "allocations-overlap", f"{EXECUTOR}.allocate"),
    Fault("NEVER_REFUSES", "refusal-of-memory-not-told", f"{EXECUTOR}.allocate"),
    Fault("NO_HOST_MEMORY", "host-memory-unusable", f"{EXECUTOR}.host_memory_allocate"),
    Fault("CLAIMS_UNIFIED_MEMORY", "unified-memory-unusable", f"{EXECUTOR}.unified_memory_allocate"),
    Fault("FORGETS_FREED", "statistics-do-not-add-up", "SP_AllocatorStats.bytes_in_use"),
    Fault("IMPOSSIBLE_USAGE", "memory-usage-impossible", f"{EXECUTOR}.device_memory_usage"),
    Fault("LEAKS", "memory-leaks", f"{EXECUTOR}.deallocate"),
    Fault("SHORT_COPY", "copy-is-wrong", f"{EXECUTOR}.sync_memcpy_dtoh"),
    Fault("LONG_COPY", "enqueued-copy-is-wrong", f"{EXECUTOR}.memcpy_htod"),
    Fault("REORDERS", "work-in-stream-reordered", f"{EXECUTOR}.memcpy_dtoh"),
    Fault("NO_DEPENDENCY", "dependency-ignored", f"{EXECUTOR}.create_stream_dependency"),
    Fault("NO_WAIT_FOR_EVENT", "event-not-waited-for", f"{EXECUTOR}.wait_for_event"),
    Fault("BYTES_AS_WORDS", "fill-is-wrong", f"{EXECUTOR}.memset32"),
    Fault("SHARED_BUFFER", "streams-of-two-threads-mixed", f"{EXECUTOR}.memcpy_htod"),
    Fault("KEEPS_MEMORY_STRUCT", "description-of-memory-kept", f"{EXECUTOR}.memcpy_htod"),
    Fault("NOTHING_HAS_SIZE", "allocation-of-nothing", "SP_DeviceMemoryBase.size"),
    Fault("SIZES_MUST_BE_EQUAL", "creation-fails-on-newer-core", "SP_PlatformFns.create_device"),
    Fault("NO_STREAM_ON_SHORT_CORE", "creation-fails-on-shorter-structs", f"{EXECUTOR}.create_stream"),
    Fault("NO_WAIT", "host-does-not-wait", f"{EXECUTOR}.block_host_until_done"),
    Fault("EARLY_EVENT", "event-status-wrong", f"{EXECUTOR}.get_event_status"),
    Fault("EVENT_IN_STREAM", "event-ends-with-stream", f"{EXECUTOR}.destroy_stream"),
    Fault("USES_DESTROYED_STREAM", "event-ends-with-stream", f"{EXECUTOR}.destroy_stream", "event-ends-with-stream"),
    Fault("CALLS_TWICE", "callback-on-stream-wrong", f"{EXECUTOR}.host_callback"),
    Fault("WRONG_ARGUMENT", "callback-on-stream-wrong", f"{EXECUTOR}.host_callback"),
    Fault("STOPPED_TIMER", "timer-wrong", "SP_TimerFns.nanoseconds"),
    Fault("STREAM_ERROR", "stream-reports-error", f"{EXECUTOR}.get_stream_status"),
    Fault("ASKING_WAITS", "asking-waits", f"{EXECUTOR}.get_stream_status"),
    Fault("SLEEPY", "idle-work-takes-long", f"{EXECUTOR}.block_host_until_done"),
    Fault("TOO_MANY_DEVICES", "device-count-wrong", "SP_PlatformFns.create_device"),
    Fault("ANY_ORDINAL", "device-that-is-not-there", "SP_PlatformFns.create_device"),
]


@pytest.mark.first_case
@pytest.mark.parametrize(
    "fault", short_form(FAULTS, 6, in_ci=True, ci_every=2), ids=lambda fault: fault.name.lower().replace("_", "-")
)
def test_a_planted_fault_is_found_and_named(fault: Fault, tmp_path: Path) -> None:
    plugin = compile_plugin(tmp_path, "plugin", f"-DFAULT={fault.name}")
    verified = verify(plugin, "--only", fault.run or fault.rule, "--timeout", LIMIT.get(fault.name, "10"))
    assert (fault.rule, fault.entity) in verified.found, verified.output + verified.remarks


@pytest.mark.ci
def test_a_leak_is_found_where_it_takes_memory_that_the_process_had_left(tmp_path: Path) -> None:
    library, mebibyte = ctypes.CDLL(None), 1 << 20
    library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    library.free(library.malloc(30 * mebibyte))  # from now on the C library keeps what is smaller
    pieces = [library.malloc(mebibyte) for _ in range(60)]
    last = library.malloc(mebibyte)
    for each in pieces:
        ctypes.memset(each, 1, mebibyte)
        library.free(each)
    plugin = compile_plugin(tmp_path, "plugin", "-DFAULT=LEAKS")
    verified = verify(plugin, "--only", "memory-leaks", is_parent=True)
    library.free(last)
    assert verified.found == {("memory-leaks", f"{EXECUTOR}.deallocate")}


def test_a_library_without_the_entry_point_is_told_so(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "plugin", "-DNO_ENTRY_POINT"), "--only", "entry-point-missing")
    assert verified.found == {("entry-point-missing", INIT)}
    assert verified.code == 1


@pytest.mark.ci
def test_an_entry_point_with_a_name_of_cpp_is_told_so(tmp_path: Path) -> None:
    (compiler,) = require("c++")
    source = tmp_path / "plugin.cpp"
    source.write_text("struct P; struct S; void SE_InitPlugin(P*, S*) {}\n", encoding="utf-8")
    plugin = tmp_path / "plugin.so"
    subprocess.run([compiler, "-shared", "-fPIC", str(source), "-o", str(plugin)], check=True)
    verified = verify(plugin, "--only", "entry-point-missing", form="text")
    assert "_Z13SE_InitPluginP1PP1S, which is its name in C++" in verified.output
    assert 'declare SE_InitPlugin extern "C"' in verified.output


def test_a_symbol_that_core_does_not_have_is_named_and_the_rest_is_checked(tmp_path: Path) -> None:
    plugin = compile_plugin(tmp_path, "plugin", "-DUNKNOWN_SYMBOL")
    verified = verify(plugin, "--only", "symbol-unknown", "--only", "handshake-refused")
    assert verified.found == {("symbol-unknown", "nobody_has_this")}
    assert verified.result("handshake-refused") == "passed"


def test_a_copy_of_a_function_of_core_is_found(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "plugin", "-DEXPORTS_CORE_SYMBOL"), "--only", "core-symbol-exported")
    assert verified.found == {("core-symbol-exported", "TF_Message")}


@pytest.mark.ci
def test_a_library_that_is_not_there_is_named_and_the_rest_is_checked(tmp_path: Path) -> None:
    (compiler,) = require("cc")
    library = tmp_path / "libabsent-from-here.so.2"
    command = [compiler, "-shared", "-fPIC", "-x", "c", "/dev/null", f"-Wl,-soname,{library.name}", "-o", str(library)]
    subprocess.run(command, check=True)
    plugin = compile_plugin(tmp_path, "plugin", "-Wl,--no-as-needed", str(library))
    library.unlink()
    verified = verify(plugin, "--only", "library-missing", "--only", "handshake-refused")
    assert verified.found == {("library-missing", library.name)}
    assert verified.result("handshake-refused") == "passed"


@pytest.mark.ci
def test_an_exception_that_escapes_is_told_from_other_crashes(tmp_path: Path) -> None:
    (compiler,) = require("c++")
    thrower = tmp_path / "throw.o"
    subprocess.run([compiler, "-c", "-fPIC", str(HERE / "throw.cpp"), "-o", str(thrower)], check=True)
    plugin = compile_plugin(tmp_path, "plugin", "-DFAULT=THROWS", "-fexceptions", str(thrower), "-lstdc++")
    verified = verify(plugin, "--only", "creation-fails")
    assert verified.found == {("exception-escapes", f"{EXECUTOR}.create_stream")}
    assert "nobody catches this" in verified.output


@pytest.mark.ci
def test_what_hangs_once_is_not_waited_for_again(tmp_path: Path) -> None:
    plugin = compile_plugin(tmp_path, "plugin", "-DFAULT=HANGS")
    only = [option for name in ("creation-fails", "copy-is-wrong", "timer-wrong") for option in ("--only", name)]
    verified = verify(plugin, *only, "--timeout", "1")
    assert verified.found == {("callback-hangs", f"{EXECUTOR}.create_stream")}
    assert verified.result("timer-wrong") == "not run"


@pytest.mark.ci
def test_a_library_that_hangs_when_it_is_loaded_is_waited_for_once(tmp_path: Path) -> None:
    plugin = compile_plugin(tmp_path, "plugin", "-DHANGS_WHEN_LOADED")
    verified = verify(plugin, "--timeout", "0.5")
    assert verified.found == {("callback-hangs", "loading the library")}


@pytest.mark.ci
def test_an_entry_point_of_another_api_that_does_nothing_is_noted(tmp_path: Path) -> None:
    only = ("--only", "entry-point-without-effect")
    plugin = compile_plugin(tmp_path, "plugin", "-DEMPTY_KERNELS")
    assert verify(plugin, *only).found == {("entry-point-without-effect", "TF_InitKernel")}
    assert verify(compile_plugin(tmp_path, "other"), *only).result("entry-point-without-effect") == "not run"
