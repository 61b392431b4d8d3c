"""The command `abigen run`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from abigen.runner.apis.tensorflow.host.ops import from_nested, read_npy, write_npy

from .conftest import Build


def run(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "abigen", "run", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
        timeout=120,
    )


@pytest.mark.ci
def test_an_op_is_run_with_literals(toy: Path) -> None:
    result = run(toy, "--op", "AddV2", "--input", "[1.5, 2]", "--input", "[3, 4.0]")
    assert result.stdout == "AddV2 on XPU:0, kernel Add (T=float32)\nz: float32[2] [4.5, 6.0]\n"
    assert result.returncode == 0


@pytest.mark.ci
def test_files_go_in_and_come_out(toy: Path, tmp_path: Path) -> None:
    write_npy(tmp_path / "x.npy", from_nested([[1.0, 2.0]]))
    result = run(
        toy, "--op", "Scale", "--input", tmp_path / "x.npy", "--attr", "factor=3", "--save", tmp_path / "y.npy",
        "--save", tmp_path / "n.npy", "--device", "xpu:1", "--format", "json",
    )  # fmt: skip
    assert json.loads(result.stdout) == {
        "op": "Scale",
        "device": "XPU:1",
        "kernel": "Scale",
        "outputs": [
            {"name": "y", "type": "float32", "shape": [1, 2], "values": [[3.0, 6.0]]},
            {"name": "count", "type": "int64", "shape": [], "values": 2},
        ],
    }
    assert read_npy(tmp_path / "y.npy") == from_nested([[3.0, 6.0]])
    assert read_npy(tmp_path / "n.npy") == from_nested(2, "int64")


@pytest.mark.ci
def test_without_an_op_everything_is_listed_and_remarks_go_to_stderr(toy: Path) -> None:
    result = run(f"NPU={toy}")
    assert result.stdout.splitlines()[:6] == [
        "devices",
        "  CPU:0  the core itself",
        "  NPU:0  toy hardware",
        "  NPU:1  toy hardware",
        "kernels",
        "  CPU  AddV2  Add (T=int32)",
    ]
    assert "  Scale(x: float32) -> y: float32, count: int64; factor\n" in result.stdout
    assert result.stderr.startswith(f"abigen: warning: {toy}: op Wrong was refused")


@pytest.mark.ci
def test_what_no_plugin_computes_abigen_does_and_the_placement_is_told(toy: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph.txt"
    graph.write_text("# a layer\nsum = AddV2(x, [1.0, -3])\n\ny = LeakyRelu(sum, alpha=0.5)\n", encoding="utf-8")
    result = run(toy, "--graph", graph, "--input", "x=[0.5, 1]", "--compare", "--save", tmp_path / "y.npy")
    assert result.stdout.splitlines() == [
        "sum = AddV2 on XPU:0, kernel Add (T=float32)",
        "  as abigen computes it",
        "y = LeakyRelu on CPU:0, kernel of the core itself",
        "y: float32[2] [1.5, -1.0]",
    ]
    assert read_npy(tmp_path / "y.npy") == from_nested([1.5, -1.0])


@pytest.mark.ci
def test_plugins_of_a_directory_are_loaded(toy: Path) -> None:
    assert run("--plugin-dir", toy.parent, "--op", "AddV2", "--input", "1.5", "--input", "2.0").returncode == 0


@pytest.mark.ci
@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("crash", "the plugin ended the process in the compute function of kernel Trouble for Trouble: SIGSEGV"),
        ("abort", "SIGABRT: it called abort, or an exception has escaped"),
        ("exit", "it called exit(3)"),
        ("hang", "the plugin has not returned within 2 s in the compute function of kernel Trouble for Trouble"),
    ],
)
def test_the_end_of_a_plugin_is_told_and_not_the_end_of_abigen(toy: Path, how: str, message: str) -> None:
    result = run(toy, "--op", "Trouble", "--attr", f"how={how}", "--timeout", "2")
    assert message in result.stderr
    assert (result.returncode, result.stdout) == (1, "")


@pytest.mark.ci
def test_a_failing_kernel_is_the_plugins_fault_and_wrong_inputs_are_not(toy: Path) -> None:
    failed = run(toy, "--op", "AddV2", "--input", "[1.0, 2.0]", "--input", "[1.0, 2.0, 3.0]")
    assert "kernel Add on XPU:0 failed: TF_INVALID_ARGUMENT: shapes differ" in failed.stderr
    assert failed.returncode == 1
    for arguments, message in (
        ((toy, "--op", "AddV3"), "there is no op AddV3\n  hint: did you mean AddV2?"),
        ((toy, "--op", "Scale", "--attr", "factor"), "--attr factor: the value is missing"),
        ((), "Missing argument 'PLUGIN...'"),
    ):
        result = run(*arguments)
        assert message in result.stderr
        assert result.returncode == 2


@pytest.mark.ci
@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ("y = AddV2(x, z)", ":1:1: error: there is no array z\n  hint: there are x"),
        ("\ny AddV2(x)", ":2:1: error: `y AddV2(x)` is not an op"),
        ("y, z = Relu(x)", ":1:1: error: Relu has 1 outputs, and 2 names are given"),
        ("y = Relux(x)", ":1:1: error: there is no op Relux\n  hint: did you mean Relu?"),
        ("y = Relu(x) on NPU", ":1:1: error: there is no device of type NPU"),
        ("# nothing", "has no op"),
    ],
)
def test_a_graph_that_cannot_be_run_is_told_with_its_line(toy: Path, tmp_path: Path, graph: str, message: str) -> None:
    (tmp_path / "graph.txt").write_text(graph, encoding="utf-8")
    result = run(toy, "--graph", tmp_path / "graph.txt", "--input", "x=[1.5]")
    assert message in result.stderr
    assert (result.returncode, result.stdout) == (2, "")


@pytest.mark.ci
def test_json_stays_json_whatever_the_plugin_prints_and_computes(toy: Path) -> None:
    printed = run(toy, "--op", "Trouble", "--attr", "how=print", "--format", "json")
    assert json.loads(printed.stdout)["op"] == "Trouble"
    assert "something else" in printed.stderr
    infinite = run(toy, "--op", "AddV2", "--input", "[3e38]", "--input", "[3e38]", "--format", "json")
    assert json.loads(infinite.stdout, parse_constant=pytest.fail)["outputs"][0]["values"] == ["inf"]


@pytest.mark.ci
def test_a_plugin_that_closes_its_streams_is_a_finding(toy: Path) -> None:
    result = run(toy, "--op", "Trouble", "--attr", "how=close")
    assert "the plugin has closed" in result.stderr
    assert "Traceback" not in result.stderr
    assert (result.returncode, result.stdout) == (1, "")


@pytest.mark.ci
def test_a_refused_plugin_is_told(build: Build) -> None:
    result = run(build("shy", "device.c", flags=("-DREFUSING",)))
    assert "no such hardware here" in result.stderr
    assert result.returncode == 1


def test_a_reader_that_has_gone_is_no_bug(toy: Path, tmp_path: Path) -> None:
    said = tmp_path / "said"
    command = f"'{sys.executable}' -m abigen run '{toy}' 2>'{said}' | true"
    subprocess.run(["sh", "-c", command], check=True)
    assert "Traceback" not in said.read_text(encoding="utf-8")


def test_no_compiler_is_told(toy: Path, tmp_path: Path) -> None:
    result = run(toy, env={"PATH": str(tmp_path), "ABIGEN_CACHE_DIR": str(tmp_path / "cache"), "CC": ""})
    assert (
        "a C compiler is needed to build the library that plugins link against, and none is installed" in result.stderr
    )
    assert result.returncode == 2
    wrong = run(toy, env={"CC": "no-such-cc", "ABIGEN_CACHE_DIR": str(tmp_path / "cache")})
    assert "CC names `no-such-cc`, which does not exist" in wrong.stderr


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("text.so", "text.so is not a shared library: it is a text file"),
        ("empty.so", "empty.so is not a shared library: it is empty"),
        ("folder.so", "folder.so is a folder"),
        ("pipe.so", "pipe.so is not a file: it is a pipe"),
        ("half.so", "half.so is incomplete: the file ends after "),
        ("none.so", "there is no file "),
    ],
)
def test_what_is_no_whole_library_is_refused_in_less_than_a_second(
    name: str, said: str, toy: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.so").write_text("no library", encoding="utf-8")
    (tmp_path / "empty.so").touch()
    (tmp_path / "folder.so").mkdir()
    os.mkfifo(tmp_path / "pipe.so")
    content = toy.read_bytes()
    (tmp_path / "half.so").write_bytes(content[: len(content) // 2])
    for named in (name, f"NPU={tmp_path / name}"):
        before = time.monotonic()
        result = run(named if "=" in named else tmp_path / name)
        assert time.monotonic() - before < 5  # a second, on a machine with nothing else to do
        assert result.returncode == 2
        assert said in result.stderr
        assert "ctypes" not in result.stderr


@pytest.mark.ci
@pytest.mark.parametrize("option", ["--graph", "--input"])
def test_a_pipe_to_which_nobody_writes_does_not_hang(option: str, toy: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    more = ("--op", "Relu") if option == "--input" else ()
    result = run(toy, *more, option, tmp_path / "pipe.npy")
    assert result.returncode == 2
    assert "pipe.npy is" in result.stderr
