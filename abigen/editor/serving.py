"""Connects an editor with the server: messages about files, requests, and the streams of the process."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import redirect_stdout
from functools import partial
from typing import NoReturn

from lsprotocol import types

from abigen.editor.answers import SHOW_REPORT
from abigen.editor.places import Columns, OldTexts, path_of
from abigen.editor.requests import REQUESTS, Features
from abigen.editor.server import PAUSE, AbigenServer


def make_server() -> AbigenServer:
    """Return a server with all features."""
    server = AbigenServer()
    for method, (handler, options) in {**_NOTIFICATIONS, **REQUESTS}.items():
        server.feature(method, options)(partial(handler, server))
    server.command(SHOW_REPORT)(partial(_show_report, server))
    return server


def _initialized(server: AbigenServer, params: types.InitializedParams) -> None:
    server.columns = Columns(server.workspace.position_encoding or types.PositionEncodingKind.Utf16)
    gc.collect()
    gc.freeze()


def _did_open(server: AbigenServer, params: types.DidOpenTextDocumentParams) -> None:
    file = server.open_file(params.text_document.uri, params.text_document.text)
    if file is not None:
        file.may_be_cpp = params.text_document.language_id == "cpp"
        server.refresh(file, baseline=True)
        server.refresh_dependents(file.path)


def _did_change(server: AbigenServer, params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    file = server.open_file(uri, server.workspace.get_text_document(uri).source)
    if file is not None:
        server.refresh(file, PAUSE)
        server.refresh_dependents(file.path)


def _did_save(server: AbigenServer, params: types.DidSaveTextDocumentParams) -> None:
    for file in server.open_files.values():  # they may include the saved file
        server.refresh(file, baseline=True)


def _did_close(server: AbigenServer, params: types.DidCloseTextDocumentParams) -> None:
    server.close(params.text_document.uri)
    server.refresh_dependents(path_of(params.text_document.uri))


def _shutdown(server: AbigenServer, params: None) -> None:
    server.end()


def _show_report(server: AbigenServer, report: str = "") -> None:
    server.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=report))


_NOTIFICATIONS: Features = {
    types.INITIALIZED: (_initialized, None),
    types.TEXT_DOCUMENT_DID_OPEN: (_did_open, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (_did_change, None),
    types.TEXT_DOCUMENT_DID_SAVE: (_did_save, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (_did_close, None),
    types.SHUTDOWN: (_shutdown, None),
}


def serve() -> NoReturn:
    """Answer an editor on standard input and output until it ends; then the process ends."""
    OldTexts.remove_abandoned()
    server = make_server()

    def stop(number: int, frame: object) -> None:
        """End at a signal: the thread that waits for the editor cannot be interrupted."""
        server.end()
        os._exit(128 + number)

    for each in ("SIGTERM", "SIGINT", "SIGHUP"):
        if number := getattr(signal, each, None):
            signal.signal(number, stop)
    # pygls closes its streams at the end; and whatever else is printed must not get between the messages.
    incoming, outgoing = (os.dup(each.fileno()) for each in (sys.stdin, sys.stdout))
    with os.fdopen(incoming, "rb") as requests, os.fdopen(outgoing, "wb") as answers, redirect_stdout(sys.stderr):
        try:
            server.start_io(requests, answers)
        finally:
            server.end()
            os._exit(0)  # Python would wait for an analysis that nobody wants
