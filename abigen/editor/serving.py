"""Connects an editor with the server: messages about files, requests, and the streams of the process."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import redirect_stdout
from functools import partial

from lsprotocol import types

from abigen.editor.answers import SHOW_REPORT
from abigen.editor.places import Columns
from abigen.editor.requests import REQUESTS, Features
from abigen.editor.server import AbigenServer

_PAUSE = 0.03
"""Seconds without another keystroke after which a text is read."""


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
        server.refresh(file, baseline=True)


def _did_change(server: AbigenServer, params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    file = server.open_file(uri, server.workspace.get_text_document(uri).source)
    if file is not None:
        server.refresh(file, _PAUSE)


def _did_save(server: AbigenServer, params: types.DidSaveTextDocumentParams) -> None:
    for file in server.open_files.values():  # they may include the saved file
        server.refresh(file, baseline=True)


def _did_close(server: AbigenServer, params: types.DidCloseTextDocumentParams) -> None:
    server.close(params.text_document.uri)


def _shutdown(server: AbigenServer, params: None) -> None:
    server.end()


def _show_report(server: AbigenServer, report: str) -> None:
    server.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=report))


_NOTIFICATIONS: Features = {
    types.INITIALIZED: (_initialized, None),
    types.TEXT_DOCUMENT_DID_OPEN: (_did_open, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (_did_change, None),
    types.TEXT_DOCUMENT_DID_SAVE: (_did_save, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (_did_close, None),
    types.SHUTDOWN: (_shutdown, None),
}


def serve() -> None:
    """Answer an editor on standard input and output until it ends."""
    server = make_server()
    # pygls closes its streams at the end; and whatever else is printed must not get between the messages.
    incoming, outgoing = (os.dup(each.fileno()) for each in (sys.stdin, sys.stdout))
    with os.fdopen(incoming, "rb") as requests, os.fdopen(outgoing, "wb") as answers, redirect_stdout(sys.stderr):
        try:
            server.start_io(requests, answers)
        finally:
            server.end()
