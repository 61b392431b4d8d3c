"""The messages of the language server protocol, as bytes between two processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

_COMMAND = [sys.executable, "-m", "abigen", "lsp"]


@contextmanager
def server(
    *options: str,
    command: Sequence[str] = _COMMAND,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server; it is killed at the end unless it has ended.

    Args:
        options: of `abigen lsp`.
        command: starts the server.
        folder: the current directory of the server.
        environment: all variables of the server; None for those of this process.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, *options], stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[bytes], method: str, params: object, number: int | None = None) -> None:
    """Send a request, or a notification if it has no number."""
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    body = json.dumps(message if number is None else {**message, "id": number}).encode()
    assert process.stdin is not None
    process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    process.stdin.flush()


def receive(stream: BinaryIO) -> dict[str, Any]:
    """Return the next message."""
    length = 0
    while line := stream.readline().strip():
        length = int(line.removeprefix(b"Content-Length:")) if line.startswith(b"Content-Length:") else length
    message: dict[str, Any] = json.loads(stream.read(length))
    return message


def opened(process: subprocess.Popen[bytes], path: Path, text: str) -> list[dict[str, Any]]:
    """Initialise the server, open a file, and return its problems once changes are among them."""
    send(process, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
    send(process, "initialized", {})
    document = {"uri": path.as_uri(), "languageId": "c", "version": 1, "text": text}
    send(process, "textDocument/didOpen", {"textDocument": document})
    assert process.stdout is not None
    while True:
        message = receive(process.stdout)
        if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["diagnostics"]:
            found: list[dict[str, Any]] = message["params"]["diagnostics"]
            return found
