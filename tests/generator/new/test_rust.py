"""Plugins in Rust: they build with each Rust that is there, and C cores of other releases load them."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.generator.new.projects import SPEC, STRICT, TENSORFLOW, abigen, built_in_rust, include, new
from tests.generator.new.test_matrix import spec_of
from tests.generator.rust.building import tools
from tests.tools import require

_RELEASES = ("toybox@1.0.0", "toybox")
_CORE = """
#include <dlfcn.h>
#include <stdio.h>

#include "audio.h"

int main(int argc, char** argv) {
  AUH_Host host = {sizeof(host), 0, 0};
  AUP_Driver driver = {sizeof(driver), 0, 0, 0, 0, 0};
  AU_Device device = 0;
  void* const library = dlopen(argv[1], RTLD_NOW);
  AU_Result (*const init)(const AUH_Host*, AUP_Driver*) =
      (AU_Result (*)(const AUH_Host*, AUP_Driver*))dlsym(library, "AU_Init");
  printf("init %d\\n", (int)init(&host, &driver));
  printf("write %d\\n", (int)driver.write(device, 0, 0));
  printf("open %d\\n", (int)driver.open("mine", &device));
  fflush(stdout);
  driver.close(device);
  printf("closed\\n");
  return argc != 2;
}
"""


_SIZES = """
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "toybox_helpers.h"

int main(int argc, char** argv) {
  const size_t enough = offsetof(TP_ToyFns, destroy) + sizeof(((TP_ToyFns*)0)->destroy);
  void* const library = dlopen(argv[argc - 1], RTLD_NOW);
  int (*const init)(TP_ToyFns*) = (int (*)(TP_ToyFns*))dlsym(library, "TB_InitPlugin");
  size_t size;
  for (size = sizeof(size_t); size <= TP_TOY_FNS_STRUCT_SIZE + 16; ++size) {
    union { unsigned char bytes[256]; TP_ToyFns fns; } memory;
    size_t at;
    int code;
    memset(&memory, 0xA5, sizeof(memory));
    memory.fns.struct_size = size;
    code = init(&memory.fns);
    if ((code == 0) != (size >= enough)) printf("%zu bytes: %d\\n", size, code);
    if (code == 0 && strcmp(memory.fns.brand, "Bear") != 0) printf("%zu bytes: no name\\n", size);
    for (at = size; at < sizeof(memory); ++at) {
      if (memory.bytes[at] != 0xA5) printf("%zu bytes: byte %zu was touched\\n", size, at);
    }
  }
  return 0;
}
"""


@pytest.fixture(scope="module", params=_RELEASES)
def bear(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of a plugin of some release."""
    return built_in_rust(new(tmp_path_factory.mktemp("bear") / "p", "Bear", request.param, language="rust"), test=False)


def core_of(release: str, folder: Path) -> Path:
    """Return a core in C of some release that loads a plugin, and checks all that it fills."""
    require("gcc")
    project = new(folder / "core", "Core", release)
    sources = [project / "tests" / "test_plugin.c", *(project / "generated").glob("core.c")]
    sources += sorted((project / "generated" / "checks").rglob("*.c"))
    program = folder / "program"
    subprocess.run(["gcc", *STRICT, *include(project), *sources, "-rdynamic", "-ldl", "-o", program], check=True)
    return program


@pytest.mark.ci
@pytest.mark.parametrize("release", _RELEASES)
def test_cores_in_c_of_other_releases_take_a_plugin(bear: Path, release: str, tmp_path: Path) -> None:
    done = subprocess.run([core_of(release, tmp_path), bear], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_plugin_writes_no_byte_beyond_the_size_that_it_was_handed(bear: Path, tmp_path: Path) -> None:
    headers = abigen("build", "--target", "c", "--spec-dir", SPEC, "--out", tmp_path / "out")
    assert headers.code == 0, headers.stderr
    (tmp_path / "sizes.c").write_text(_SIZES)
    command = ["gcc", *STRICT, f"-I{tmp_path / 'out' / 'c'}", tmp_path / "sizes.c", "-ldl", "-o", tmp_path / "sizes"]
    subprocess.run(command, check=True)
    done = subprocess.run([tmp_path / "sizes", bear], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("at", "options"), [(0, ["--quick"]), *(pytest.param(at, [], marks=pytest.mark.slow) for at in (0, -1))]
)
def test_a_plugin_for_tensorflow_compiles_with_denied_warnings_and_passes_its_test_and_abigen_verify(
    at: int, options: list[str], tmp_path: Path
) -> None:
    cargo = tools("cargo")[at]
    project = new(tmp_path / "p", "XPU", TENSORFLOW, "--with", "kernels,ops", language="rust")
    library = built_in_rust(project, cargo)
    done = abigen("verify", "--api", TENSORFLOW, library, *options)
    assert done.code == 0, done.stdout
    assert re.search(r"^\d+ checks passed", done.stdout, re.MULTILINE)


@pytest.mark.ci
def test_a_panic_in_a_kernel_or_an_op_does_not_reach_tensorflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = new(tmp_path / "p", "XPU", TENSORFLOW, "--with", "kernels,ops", language="rust")
    op = project / "src" / "op.rs"
    text = op.read_text()
    begins = {"SHAPE": "let shape = TF_NewShapeHandle", "KERNEL": "let x = Tensor::floats(", "NEW": "Ok(Reciprocal)"}
    messages = {
        "SHAPE": "shape inference reports TF_INTERNAL: XPU: a shape inference function panicked",
        "KERNEL": "on XPU:0 failed: TF_INTERNAL: XPU: a kernel panicked",
        "NEW": "on XPU:0 could not be created: TF_INTERNAL: XPU: a kernel panicked",
    }
    for name, begin in begins.items():
        assert begin in text
        text = text.replace(begin, f'assert!(std::env::var_os("{name}_PANICS").is_none());\n        {begin}')
    op.write_text(text)
    library = built_in_rust(project, test=False)
    run = ("run", library, "--op", "XpuReciprocal", "--input", "[2.0, 4.0]")
    assert "[0.5, 0.25]" in abigen(*run).stdout
    for name, message in messages.items():
        with monkeypatch.context() as patch:
            patch.setenv(f"{name}_PANICS", "1")
            done = abigen(*run)
        assert done.code == 1
        assert message in done.stderr


@pytest.mark.ci
def test_a_panic_becomes_the_failure_that_a_function_can_tell_and_ends_the_process_elsewhere(tmp_path: Path) -> None:
    require("gcc")
    spec = spec_of("audio", tmp_path)
    made = abigen("new", "Bear", tmp_path / "p", "--api", "audio", "--spec-dir", spec.parent, "--lang", "rust")
    assert made.code == 0, made.stderr
    callbacks = tmp_path / "p" / "src" / "callbacks.rs"
    text = callbacks.read_text()
    for function in ("bear_open", "bear_close"):
        head, begin, rest = text.partition(f"pub unsafe fn {function}(")
        assert begin
        opening, brace, body = rest.partition("{\n")
        text = f'{head}{begin}{opening}{brace}    if true {{ panic!("no") }}\n{body}'
    callbacks.write_text(text)
    library = built_in_rust(tmp_path / "p", test=False)
    headers = abigen("build", "--target", "c", "--spec-dir", spec.parent, "--out", tmp_path / "out")
    assert headers.code == 0, headers.stderr
    (tmp_path / "core.c").write_text(_CORE)
    command = ["gcc", *STRICT, f"-I{tmp_path / 'out' / 'c'}", tmp_path / "core.c", "-ldl", "-o", tmp_path / "core"]
    subprocess.run(command, check=True)
    done = subprocess.run([tmp_path / "core", library], capture_output=True, text=True, check=False)
    assert done.stdout == "init 0\nwrite 2\nopen 1\n"
    assert done.returncode == -signal.SIGABRT
