"""A core for StreamExecutor plugins, made of generated checks, runs a copy through right ones and refuses others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.c_checks.building import HERE, SANITIZED, WARNINGS, compiled, plugin, run, shipped
from tests.generator.new.projects import STRICT, TENSORFLOW, include, new, sources
from tests.tools import require

_TENSORFLOW = shipped("tensorflow")
_CHECKS = _TENSORFLOW.linked("tensorflow/c/experimental/stream_executor/stream_executor")

_COPIED = "ABIGEN XPU: copied\n"

ACCEPTED = {
    "a plugin of the same release": (),
    "a plugin that counts the padding": ("SPOIL(p)=(p)->platform->struct_size=sizeof(*(p)->platform)",),
}

REFUSED = {
    "a newer plugin, whose structs are larger": (
        ("SPOIL(p)=(p)->platform->struct_size+=64",),
        "SP_Platform.struct_size is 99, but core has provided 40 bytes: "
        "the plugin is newer than core and writes behind the end",
        "status 9: SP_Platform.struct_size is 99",
    ),
    "a newer major version": (
        ("MAJOR=SE_MAJOR+1",),
        "the plugin refused stream_executor 0.0.1: the plugin was built with major version 1 of stream_executor, "
        "core with 0: core is older and must be updated",
        "status 9: the plugin was built with major version 1",
    ),
    "an older major version": (
        ("MAJOR=SE_MAJOR-1",),
        "the plugin refused stream_executor 0.0.1: the plugin was built with major version -1 of stream_executor, "
        "core with 0: the plugin is older and must be updated",
        "status 9: the plugin was built with major version -1",
    ),
    "a missing callback": (
        ("SPOIL(p)=(p)->platform_fns->create_device=NULL",),
        "SP_PlatformFns.create_device is NULL, but required since 0.0.1",
        "status 9: SP_PlatformFns.create_device is NULL",
    ),
    "a missing name": (
        ("SPOIL(p)=(p)->platform->name=NULL",),
        "SP_Platform.name is NULL, but required since 0.0.1",
        "status 9: SP_Platform.name is NULL",
    ),
    "a size of 0": (
        ("SPOIL(p)=(p)->platform->struct_size=0",),
        "SP_Platform.struct_size is 0, but the struct has at least 35 bytes since 0.0.1",
        "status 9: SP_Platform.struct_size is 0",
    ),
    "a name that TensorFlow refuses": (
        ('SPOIL(p)=(p)->platform->type="My-Device"',),
        'SP_Platform.type is "My-Device", but has to match [A-Z][A-Z_]* since 0.0.1',
        'status 9: SP_Platform.type is "My-Device"',
    ),
    "a name that acts on a terminal": (
        (r'SPOIL(p)=(p)->platform->type="A\033[2J\n::error::\342\200\256"',),
        r'SP_Platform.type is "A\x1b[2J\x0a::error::\xe2\x80\xae", but has to match [A-Z][A-Z_]* since 0.0.1',
        'status 9: SP_Platform.type is "A\\x1b[2J',
    ),
    "a size below the first release's": (
        ("SPOIL(p)=(p)->platform_fns->struct_size=SP_PLATFORM_FNS_STRUCT_SIZE-1",),
        "SP_PlatformFns.struct_size is 87, but the struct has at least 88 bytes since 0.0.1",
        "status 9: SP_PlatformFns.struct_size is 87",
    ),
    "nothing that destroys": (
        ("SPOIL(p)=(p)->destroy_platform=NULL",),
        "SE_PlatformRegistrationParams.destroy_platform is NULL, but required since 0.0.1",
        "status 9: SE_PlatformRegistrationParams.destroy_platform is NULL",
    ),
}


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the plugins, those that are accepted first."""
    folder = tmp_path_factory.mktemp("plugins")
    variants = ACCEPTED | {what: macros for what, (macros, _, _) in REFUSED.items()}
    return {
        what: plugin(folder / f"plugin{at}.so", HERE / "executor_plugin.c", _TENSORFLOW, macros)
        for at, (what, macros) in enumerate(variants.items())
    }


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("core") / "core"
    options = ("-std=c11", "-rdynamic", *WARNINGS, *SANITIZED, *_TENSORFLOW.include)
    assert compiled("gcc", *options, HERE / "executor_core.c", *_CHECKS, "-ldl", "-o", program) == ""
    return program


@pytest.mark.ci
@pytest.mark.parametrize("what", ACCEPTED)
def test_a_copy_runs_through_a_plugin(what: str, core: Path, libraries: dict[str, Path]) -> None:
    done = run(core, libraries[what])
    assert (done.code, done.stderr, done.stdout) == (0, "", _COPIED)


@pytest.mark.ci
@pytest.mark.parametrize("what", REFUSED)
def test_a_plugin_is_refused(what: str, core: Path, libraries: dict[str, Path]) -> None:
    _, message, status = REFUSED[what]
    done = run(core, libraries[what])
    assert (done.code, done.stderr) == (0, "")
    error, said = done.stdout.splitlines()
    assert error == f"error: {message}"
    assert said.startswith(status)


@pytest.mark.ci
def test_nothing_is_left_behind_whatever_was_wrong(libraries: dict[str, Path], tmp_path: Path) -> None:
    (valgrind,) = require("valgrind")
    program = tmp_path / "core"
    options = ("-std=c11", "-g", "-rdynamic", *WARNINGS, *_TENSORFLOW.include)
    assert compiled("gcc", *options, HERE / "executor_core.c", *_CHECKS, "-ldl", "-o", program) == ""
    under = (valgrind, "-q", "--leak-check=full", "--error-exitcode=9")
    done = run(program, *libraries.values(), tmp_path / "missing.so", "libm.so.6", under=under)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.count(_COPIED) == len(ACCEPTED)


def test_the_plugin_of_the_real_tensorflow_is_accepted_as_it_is(core: Path, tmp_path: Path) -> None:
    library = plugin(tmp_path / "plugin.so", HERE.parents[1] / "specs/shipped/plugin.c", _TENSORFLOW)
    assert run(core, library, library).stdout == _COPIED * 2


@pytest.mark.ci
def test_a_scaffolded_plugin_is_accepted_and_refused_as_any_other(core: Path, tmp_path: Path) -> None:
    project = new(tmp_path / "project", "NORTH_GATE", TENSORFLOW)
    library = tmp_path / "north.so"
    options = (*STRICT, "-shared", "-fPIC", *include(project), *sources(project), "-lm", "-o", library)
    assert compiled("gcc", *options) == ""
    assert run(core, library).stdout == "NORTH_GATE NORTH_GATE: copied\n"
    (header,) = (project / "generated").rglob("stream_executor.h")
    header.write_text(header.read_text().replace("#define SE_MAJOR 0", "#define SE_MAJOR 1"))
    assert compiled("gcc", *options) == ""
    done = run(core, library)
    assert (done.code, done.stderr) == (0, "")
    assert "major version 1 of stream_executor, core with 0: core is older and must be updated\n" in done.stdout


def test_unified_memory_takes_functions_for_it(core: Path, tmp_path: Path) -> None:
    claims = ("SPOIL(p)=(p)->platform->supports_unified_memory=1",)
    done = run(core, plugin(tmp_path / "plugin.so", HERE / "executor_plugin.c", _TENSORFLOW, claims))
    required = "is NULL, but required since 0.0.1 when SP_Platform.supports_unified_memory is set"
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"error: SP_StreamExecutor.unified_memory_allocate {required}",
        f"error: SP_StreamExecutor.unified_memory_deallocate {required}",
        "ABIGEN XPU: refused",
    ]


def test_a_library_without_the_entry_point_is_refused(core: Path, tmp_path: Path) -> None:
    library = plugin(tmp_path / "plugin.so", HERE / "executor_plugin.c", _TENSORFLOW, ("ENTRY=SE_Init",))
    for path in (library, Path("libm.so.6")):
        done = run(core, path)
        message = f"{path} is no plugin for stream_executor: it exports no SE_InitPlugin"
        assert (done.code, done.stderr) == (0, "")
        assert done.stdout == f"error: {message}\nstatus 9: {message}\n"


def test_what_is_no_plugin_is_not_found(core: Path, tmp_path: Path) -> None:
    done = run(core, tmp_path / "missing.so")
    assert done.stdout.splitlines()[1].startswith(f"status 5: cannot load {tmp_path / 'missing.so'}: ")
