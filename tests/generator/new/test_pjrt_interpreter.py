"""The interpreter of StableHLO that plugins for JAX in Python begin with, without a plugin: run against JAX's CPU."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from jinja2 import Environment, StrictUndefined

from tests.generator.build.building import REPOSITORY

pytestmark = pytest.mark.jax

FOLDER = Path(__file__).parent
TEMPLATES = REPOSITORY / "templates/new/api/xla/pjrt/python/project/src"
COMPILE = """\
import pathlib, sys
sys.path.insert(0, sys.argv[1])
from interpreter.stablehlo import compile_program
try:
    program = compile_program(pathlib.Path(sys.argv[2]).read_bytes(), sys.argv[3])
    print(program.name, [(shape, dtype.name) for shape, dtype in program.inputs], program.run([]))
except NotImplementedError as error:
    print(error)
"""
IN_A_BRANCH = """\
module @some {{
  func.func public @main() -> tensor<f32> {{
    %never = stablehlo.constant dense<false> : tensor<i1>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %result = "stablehlo.if"(%never) ({{
      %other = {} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %other : tensor<f32>
    }}, {{
      stablehlo.return %one : tensor<f32>
    }}) : (tensor<i1>) -> tensor<f32>
    return %result : tensor<f32>
  }}
}}
"""
KNOWN = '"stablehlo.sine"(%one)'
GATHERED = '"stablehlo.collective_permute"(%one) {source_target_pairs = dense<> : tensor<0x2xi64>}'


@pytest.fixture
def interpreter(tmp_path: Path) -> Path:
    """A folder with a package of the files that a plugin begins with."""
    templates = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    package = tmp_path / "interpreter"
    package.mkdir()
    (package / "__init__.py").touch()
    for each in TEMPLATES.glob("*.py.j2"):
        if each.name in ("__init__.py.j2", "callback.py.j2", "program.py.j2"):  # what C needs
            continue
        (package / each.stem).write_text(templates.from_string(each.read_text()).render())
    return tmp_path


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def compiled(jax: Path, interpreter: Path, text: str, format: str = "mlir") -> str:
    """Return the messages about a program, and its results."""
    source = interpreter / "program.mlir"
    source.write_text(text)
    done = run(jax, "-c", COMPILE, interpreter, source, format)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_programs_give_what_jax_gives_on_the_cpu(jax: Path, interpreter: Path) -> None:
    done = run(jax, FOLDER / "pjrt_interpreter.py", interpreter)
    print(done.stdout)
    assert done.returncode == 0, done.stderr


def test_a_program_may_be_text(jax: Path, interpreter: Path) -> None:
    said = compiled(jax, interpreter, IN_A_BRANCH.format(KNOWN))
    assert said == "some [] [array(1., dtype=float32)]"


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        (GATHERED, "stablehlo.collective_permute"),
        ("stablehlo.custom_call @mine(%one)", "stablehlo.custom_call @mine"),
    ],
)
def test_an_unknown_operation_is_found_before_it_runs(operation: str, name: str, jax: Path, interpreter: Path) -> None:
    assert compiled(jax, interpreter, IN_A_BRANCH.format(operation)) == f"{name} is not known"


def test_unknown_types_formats_and_several_devices_are_refused(jax: Path, interpreter: Path) -> None:
    text = IN_A_BRANCH.format(KNOWN)
    assert compiled(jax, interpreter, text.replace("f32", "f8E4M3FN")) == "element type f8E4M3FN is not known"
    assert compiled(jax, interpreter, text, "hlo") == "format hlo is not known"
    two = text.replace("@some", "@some attributes {mhlo.num_partitions = 2 : i32}")
    assert compiled(jax, interpreter, two) == "programs for several devices at once are not known"
