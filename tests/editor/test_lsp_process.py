"""The process of `abigen lsp`: its start and its end, and the messages between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from urllib.parse import urlparse

import pytest

from tests.cli.program import Program
from tests.editor.conftest import release
from tests.editor.editor import BOX, INSERTED
from tests.editor.messages import opened, receive, send, server
from tests.processes import command, descendants, lives, needs_proc


@pytest.mark.ci
def test_the_server_ends_as_the_protocol_says_and_leaves_no_file(project: Path) -> None:
    with server() as process:
        first, *_ = opened(process, project / "include/box.h", INSERTED)
        old = Path(urlparse(first["relatedInformation"][0]["location"]["uri"]).path)
        assert old.exists()
        send(process, "shutdown", None, 2)
        assert process.stdout is not None
        while receive(process.stdout).get("id") != 2:
            pass
        send(process, "exit", None)
        assert process.wait(20) == 0
        assert not old.exists()
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.ci
def test_the_server_ends_when_its_editor_is_gone(project: Path) -> None:
    with server() as process:
        opened(process, project / "include/box.h", INSERTED)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)


@pytest.mark.ci
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_leaves_no_file(number: signal.Signals, project: Path) -> None:
    with server() as process:
        first, *_ = opened(process, project / "include/box.h", INSERTED)
        old = Path(urlparse(first["relatedInformation"][0]["location"]["uri"]).path)
        process.send_signal(number)
        assert process.wait(20) == 128 + number
        assert not old.exists()


@pytest.mark.ci
def test_the_next_start_deletes_what_a_killed_server_has_left(project: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with server(environment=environment) as process:
        opened(process, project / "include/box.h", INSERTED)
        process.kill()
    (left,) = temporary.iterdir()
    with server(environment=environment) as living, server(environment=environment) as process:
        opened(living, project / "include/box.h", INSERTED)
        opened(process, project / "include/box.h", INSERTED)
        assert not left.exists()
        assert len(list(temporary.iterdir())) == 2  # of those that run


@pytest.mark.ci
def test_only_folders_of_abigen_and_of_the_user_are_deleted(project: Path, tmp_path: Path) -> None:
    temporary, kept = tmp_path / "temporary", tmp_path / "kept"
    for folder in (temporary, kept, temporary / "abigen-old-left/1"):
        folder.mkdir(parents=True)
    (kept / "file").write_text("")
    (temporary / "abigen-old-link").symlink_to(kept)
    (temporary / "abigen-old-left/1/link").symlink_to(kept)
    (temporary / "abigen-old-file").write_text("")
    names = {"abigen-old-link", "abigen-old-file"}
    if os.geteuid() == 0:
        (temporary / "abigen-old-other").mkdir()
        os.chown(temporary / "abigen-old-other", 12345, 12345)
        names.add("abigen-old-other")
    with server(environment={**os.environ, "TMPDIR": str(temporary)}) as process:
        send(process, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
        assert process.stdout is not None
        receive(process.stdout)
        assert {path.name for path in temporary.iterdir()} == names
    assert (kept / "file").exists()


@pytest.mark.ci
@needs_proc
def test_no_process_of_a_killed_server_lives_on(project: Path, tmp_path: Path) -> None:
    header = project / "include/box.h"
    for number in range(1, 20):  # reading all of them takes several seconds
        functions = "".join(f"void bx_f{number}_{function}(int a, long b);\n" for function in range(1500))
        header.write_text(BOX.replace("void bx_open", f"{functions}void bx_open"))
        release(project, f"v1.{number}.0")
    with server(environment={**os.environ, "ABIGEN_CACHE_DIR": str(tmp_path / "cache")}) as process:
        opened(process, header, header.read_text().replace("  int32_t height;", "  int32_t depth;\n  int32_t height;"))
        assert process.stdout is not None
        Thread(target=process.stdout.read, daemon=True).start()  # its many remarks would fill the pipe
        end = time.monotonic() + 20
        while not (children := descendants(process.pid)) or "spawn_main" not in "".join(map(command, children)):
            assert time.monotonic() < end
            time.sleep(0.02)
        time.sleep(0.5)  # the search has begun to read
        children = descendants(process.pid)
        process.kill()
        end = time.monotonic() + 1
        while (living := [child for child in children if lives(child)]) and time.monotonic() < end:
            time.sleep(0.02)
        assert living == []


@pytest.mark.ci
def test_a_log_has_what_happened(project: Path, tmp_path: Path) -> None:
    with server("--log", str(tmp_path / "abigen.log")) as process:
        opened(process, project / "include/box.h", INSERTED)
    assert "box.h: read and judged in " in (tmp_path / "abigen.log").read_text()


def test_a_log_that_cannot_be_written_is_an_error(abigen: Program) -> None:
    assert abigen("lsp", "--log", "missing/abigen.log").remarks == (
        "abigen: error: missing/abigen.log cannot be written: No such file or directory\n"
    )


@pytest.mark.ci
def test_without_pygls_the_error_states_the_extra(tmp_path: Path) -> None:
    script = """
import sys
sys.modules['pygls'], sys.argv = None, ['abigen', 'lsp']
from abigen.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "abigen: error: pygls is not installed\n  hint: pip install 'abigen[lsp]'\n"
