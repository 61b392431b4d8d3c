"""Tests of attacks by an untrusted plugin during `abigen verify` and `abigen run`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.program import Program, Result
from tests.runner.verify.plugins import HERE, INCLUDE
from tests.sampling import covering_pairs, short_form
from tests.security.test_links import Write
from tests.security.test_printing import assert_harmless
from tests.tools import require, require_compiler

Make = Callable[..., str]
VERIFY = ("verify", "--api", "tensorflow/stream_executor", "--timeout", "20")
SHORT = ("--only", "handshake-refused")
WITHIN = 15.0
"""Seconds in which processes have to be gone, however busy the machine is."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the libraries that plugins link against, which are the same for all."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def abigen(tmp_path: Path, cache: Path) -> Program:
    """The program, run in an empty directory, in a process that a plugin may harm."""
    (tmp_path / "here").mkdir()
    return Program(tmp_path / "here", cache, is_apart=True)


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Compile a plugin that is right but for an attack."""
    (compiler,) = require("cc")

    def compile_hostile(attack: str, *options: str, **macros: str) -> str:
        defined = [f"-D{name}={value}" for name, value in {"ATTACK": attack, **macros}.items()]
        command = [compiler, "-std=c11", "-O0", "-w", "-shared", "-fPIC", "-pthread", INCLUDE, *defined]
        sources = [str(HERE / "plugin.c"), str(Path(__file__).parent / "hostile.c")]
        subprocess.run([*command, *options, *sources, "-o", str(tmp_path / "plugin.so")], check=True)
        return str(tmp_path / "plugin.so")

    return compile_hostile


@pytest.fixture
def left(tmp_path: Path) -> Iterator[Path]:
    """The file in which processes that were left behind note their numbers; they are ended when all is done."""
    place = tmp_path / "left"
    yield place
    for each in place.read_text().split() if place.exists() else ():
        with suppress(ProcessLookupError):
            os.kill(int(each), signal.SIGKILL)


def quoted(value: object) -> str:
    return f'"{value}"'


def alive(place: Path) -> list[int]:
    """Of the processes that were left behind those that live, after a time in which they may end."""
    numbers = [int(each) for each in place.read_text().split()]
    end = time.monotonic() + WITHIN
    living = numbers
    while living and time.monotonic() < end:
        living = [each for each in living if Path(f"/proc/{each}").exists()]
        time.sleep(0.05)
    return living


def found(result: Result) -> set[str]:
    """Return the checks that have found something."""
    assert result.output, result.remarks
    return {each["rule"] for each in json.loads(result.output)["findings"]}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("command", "end"), covering_pairs((("verify", "run"), ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")))
)
def test_what_a_plugin_has_started_ends_with_abigen(
    abigen: Program, make: Make, left: Path, command: str, end: str
) -> None:
    plugin = make("STAYS_AND_HANGS", PLACE=quoted(left))
    arguments = (*VERIFY, *SHORT, plugin) if command == "verify" else ("run", plugin)
    environment = {**os.environ, "ABIGEN_CACHE_DIR": str(abigen.cache), "PYTHONPATH": str(Path(__file__).parents[2])}
    started = subprocess.Popen(
        [sys.executable, "-m", "abigen", *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 120
    while not (left.exists() and left.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    started.send_signal(getattr(signal, end))
    started.communicate(timeout=60)
    assert started.returncode != 0
    assert alive(left) == []


@pytest.mark.ci
@pytest.mark.parametrize("attack", short_form(["STAYS", "KILLS_SUPERVISOR", "STOPS_SUPERVISOR"], 3, in_ci=True))
def test_what_a_plugin_leaves_behind_ends_with_its_process(
    abigen: Program, make: Make, left: Path, attack: str
) -> None:
    result = abigen(*VERIFY, *SHORT, make(attack, PLACE=quoted(left)), "--format", "json")
    assert alive(left) == []
    is_crash = "KILLS" in attack
    # That it leaves processes behind is said, too, unless the plugin ends with its supervisor before it is looked at.
    rules = found(result)
    assert rules - {"process-changed"} == {"callback-crashes"} if is_crash else rules == {"process-changed"}
    assert result.code == int(is_crash)


@pytest.mark.ci
@pytest.mark.parametrize("attack", ["ENDS", "FORGES_AND_ENDS"])
@pytest.mark.parametrize("check", ["handshake-refused", "library-not-loaded", "symbol-unknown"])
def test_a_plugin_that_ends_the_process_has_not_passed(abigen: Program, make: Make, attack: str, check: str) -> None:
    result = abigen(*VERIFY, "--only", check, make(attack), "--format", "json")
    assert (found(result), result.code) == ({"plugin-exits"}, 1)
    assert [each["result"] for each in json.loads(result.output)["checks"]] == ["not run"]
    ran = abigen("run", make(attack))
    assert (ran.output, ran.code) == ("", 1)
    assert "the plugin ended the process" in ran.remarks


@pytest.mark.ci
def test_what_a_plugin_writes_to_descriptors_is_no_message(abigen: Program, make: Make) -> None:
    result = abigen(*VERIFY, *SHORT, make("FORGES"), "--format", "json")
    assert (found(result), result.code) == (set(), 0)
    assert json.loads(result.output)["checks"][0]["result"] == "passed"


@pytest.mark.ci
@pytest.mark.parametrize("attack", short_form(["SPEAKS", "SPEAKS_AND_ENDS"], 2, in_ci=True))
def test_what_a_plugin_says_acts_on_nothing(abigen: Program, make: Make, attack: str) -> None:
    plugin = make(attack)
    for format in ("text", "github"):
        assert_harmless(abigen(*VERIFY, *SHORT, plugin, "--format", format), format)
    ran = abigen("run", plugin)
    assert_harmless(ran)
    assert r"\x1b]0;owned\x07" in ran.remarks
    assert ran.output.startswith("devices\n") == (attack == "SPEAKS")


@pytest.mark.ci
def test_a_plugin_that_starts_ever_more_processes_is_ended(abigen: Program, make: Make) -> None:
    result = abigen(*VERIFY, *SHORT, make("BOMB"), "--limit", "processes=300", "--format", "json")
    assert (found(result), result.code) == ({"limit-exceeded"}, 1)
    assert "more than 300 processes and threads" in result.output


@pytest.mark.ci
def test_a_plugin_that_takes_ever_more_memory_is_ended(abigen: Program, make: Make) -> None:
    plugin = make("GREEDY")
    result = abigen(*VERIFY, *SHORT, plugin, "--limit", "memory=1G", "--format", "json")
    assert (found(result), result.code) == ({"limit-exceeded"}, 1)
    ran = abigen("run", plugin, "--limit", "memory=1G")
    assert ran.code == 1
    assert "the plugin uses more than 1.0 GiB of memory" in ran.remarks


@pytest.mark.ci
def test_files_that_a_plugin_writes_end_at_the_limit(abigen: Program, make: Make, tmp_path: Path) -> None:
    plugin = make("WRITES", PLACE=quoted(tmp_path / "large"))
    assert abigen(*VERIFY, *SHORT, plugin, "--limit", "file-size=1M").code == 0
    assert (tmp_path / "large").stat().st_size == 1 << 20
    assert abigen(*VERIFY, *SHORT, plugin).code == 0
    assert (tmp_path / "large").stat().st_size == 4 << 20


@pytest.mark.ci
def test_a_plugin_with_sanitizers_stays_within_the_limits(abigen: Program, make: Make) -> None:
    asked = [require_compiler("cc", "-fsanitize=address"), "-print-file-name=libasan.so"]
    plugin = make("NONE", "-fsanitize=address")
    library = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    result = abigen(*VERIFY, *SHORT, plugin, LD_PRELOAD=library, ASAN_OPTIONS="detect_leaks=0")
    assert (result.code, result.remarks) == (0, "")


@pytest.mark.parametrize("limit", ["processes", "cores=1", "memory=1T", "file-size=-1"])
def test_a_limit_that_is_none_is_refused(abigen: Program, limit: str) -> None:
    result = abigen("verify", "plugin.so", "--limit", limit)
    assert result.code == 2
    assert "write WHAT=NUMBER, where WHAT is one of processes, memory, file-size" in result.remarks


@pytest.fixture
def boxed() -> None:
    """Skip where bubblewrap may not make a sandbox."""
    require("bwrap")


@pytest.mark.ci
@pytest.mark.usefixtures("boxed")
def test_a_sandbox_has_no_network_no_home_and_nothing_to_write_to(
    abigen: Program, make: Make, write: Write, tmp_path: Path
) -> None:
    home = abigen.directory / "home"
    write("home/secret", "the secret of somebody")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for place in (home / "note", Path("/usr/abigen-test-note")):
            macros = {"PORT": str(port), "SECRET": quoted(home / "secret"), "PLACE": quoted(place)}
            plugin = make("REACHES", **macros)
            open_result = abigen(*VERIFY, *SHORT, plugin, HOME=str(home))
            is_written = place.exists()
            place.unlink(missing_ok=True)
            assert f"exit code {67 + 4 * is_written}" in open_result.output
            assert is_written or os.getuid() != 0
            result = abigen(*VERIFY, *SHORT, plugin, "--sandbox", HOME=str(home))
            assert "exit code 64" in result.output, result.remarks
            assert not place.exists()


@pytest.mark.ci
@pytest.mark.usefixtures("boxed")
def test_a_right_plugin_passes_in_a_sandbox_which_ends_with_it(
    abigen: Program, make: Make, left: Path, tmp_path: Path
) -> None:
    assert abigen(*VERIFY, *SHORT, make("NONE"), "--sandbox").code == 0
    ran = abigen("run", "plugin.so" if abigen.directory == tmp_path else str(tmp_path / "plugin.so"), "--sandbox")
    assert (ran.code, ran.remarks) == (0, "")
    assert "THREADS:0" in ran.output


@pytest.mark.ci
def test_a_sandbox_without_bubblewrap_is_refused(abigen: Program, make: Make, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "cc").symlink_to(require("cc")[0])
    result = abigen(*VERIFY, make("NONE"), "--sandbox", PATH=str(tools))
    assert (result.code, result.output) == (2, "")
    assert "there is no `bwrap`" in result.remarks
    assert "the package is called bubblewrap" in result.remarks
    (tools / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tools / "bwrap").chmod(0o755)
    (tools / "sh").symlink_to("/bin/sh")
    refused = abigen(*VERIFY, make("NONE"), "--sandbox", PATH=str(tools))
    assert refused.code == 2
    assert "bubblewrap cannot create a sandbox: No permissions to create new namespace" in refused.remarks
