"""The process of `abigen lsp`: its start and its end, and the messages between."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlparse

import pytest

from tests.cli.program import Program
from tests.editor.editor import INSERTED
from tests.editor.messages import opened, receive, send, server


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


def test_the_server_ends_when_its_editor_is_gone(project: Path) -> None:
    with server() as process:
        opened(process, project / "include/box.h", INSERTED)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_leaves_no_file(number: signal.Signals, project: Path) -> None:
    with server() as process:
        first, *_ = opened(process, project / "include/box.h", INSERTED)
        old = Path(urlparse(first["relatedInformation"][0]["location"]["uri"]).path)
        process.send_signal(number)
        assert process.wait(20) == 128 + number
        assert not old.exists()


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
