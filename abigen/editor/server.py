"""A language server for headers and specs, on pygls."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import redirect_stdout
from functools import partial
from multiprocessing import get_context
from time import perf_counter
from typing import TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from abigen import __version__
from abigen.editor.analysis import (
    Analyst,
    Comparison,
    Examination,
    OutdatedError,
    collect_garbage,
)
from abigen.editor.answers import SHOW_REPORT, Problem, actions, edit_of, lenses, problems, unread
from abigen.editor.places import Columns, OldTexts, Places, path_of, uri_of
from abigen.editor.releases import first_releases, is_in_repository
from abigen.editor.spec_keys import explanation, suggestions
from abigen.editor.subjects import described, subject_at, word_at
from abigen.model.edits import applied
from abigen.model.span import AbigenError
from abigen.read.operand import HEADER_SUFFIX, SPEC_SUFFIXES, looks_like_spec

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
_PAUSE = 0.03
"""Seconds without another keystroke after which a text is read."""
_IDLE = 2.0
"""Seconds without an analysis after which memory is freed."""


class Session:
    """An open file."""

    def __init__(self, uri: str, path: str, *, is_spec: bool) -> None:
        """Begin with nothing known of it."""
        self.uri, self.path, self.is_spec = uri, path, is_spec
        self.number = 0
        """The number of the newest text."""
        self.task: asyncio.Task[None] | None = None
        """The analysis of the newest text."""
        self.examined: Examination | None = None
        """The newest text that could be read."""
        self.compared: Comparison | None = None
        self.shown: list[Problem] = []
        """The problems that the client shows."""
        self.files: frozenset[str] = frozenset()
        """The other files that have problems of it."""
        self.releases: Mapping[str, str] = {}
        self.asked_for_releases = False

    def is_current(self, text: str) -> bool:
        """True if the newest text is the one that was read."""
        return self.examined is not None and self.examined.text == text


class AbigenServer(LanguageServer):
    """The server: open files, and the thread that reads them."""

    def __init__(self) -> None:
        """Register all features."""
        super().__init__("abigen", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
        self.sessions: dict[str, Session] = {}
        self.columns = Columns()
        self.old_texts = OldTexts()
        self._analyst = Analyst()
        self._thread = ThreadPoolExecutor(1, "analysis")
        self._processes: Executor | None = None
        self._cleaning: asyncio.TimerHandle | None = None

    def text(self, session: Session) -> str:
        """Return the newest text of a file, with line ends as abigen has them."""
        return _unix(self.workspace.get_text_document(session.uri).source)

    def places(self, examined: Examination, compared: Comparison | None) -> Places:
        """Return the conversion of places of an API and its baseline."""
        old = compared.baseline.api.sources if compared is not None else {}
        return Places(self.columns, examined.folder, {**old, **examined.api.sources})

    def session_of(self, uri: str, text: str = "") -> Session | None:
        """Return the session of a file; None for a file that is neither a header nor a spec."""
        if uri in self.sessions:
            return self.sessions[uri]
        path = path_of(uri)
        is_spec = path.endswith(SPEC_SUFFIXES)
        if not (path.endswith(HEADER_SUFFIX) or (is_spec and looks_like_spec(text))):
            return None
        self.sessions[uri] = Session(uri, path, is_spec=is_spec)
        return self.sessions[uri]

    def refresh(self, session: Session, pause: float = 0.0, *, baseline: bool = False) -> None:
        """Analyse the newest text of a file; an analysis of an older text stops at its next step.

        Args:
            session: the file.
            pause: the seconds in which another keystroke may come.
            baseline: True to look for the baseline again.
        """
        session.number += 1
        if session.task is not None:
            session.task.cancel()
        session.task = asyncio.create_task(self._analyse(session, session.number, pause, baseline=baseline))

    async def settled(self, session: Session) -> None:
        """Wait until the newest text of a file is analysed."""
        while (task := session.task) is not None and not task.done():
            await asyncio.wait([task])

    async def _analyse(self, session: Session, number: int, pause: float, *, baseline: bool) -> None:
        await asyncio.sleep(pause)
        texts = {each.path: self.text(each) for each in self.sessions.values()}

        def check() -> None:
            if session.number != number:
                raise OutdatedError

        try:
            await self._examine(session, texts, check, baseline=baseline)
        except OutdatedError:
            _LOG.debug("%s: outdated", session.path)
        except asyncio.CancelledError:
            raise
        except Exception:
            _LOG.exception("%s: abigen failed", session.path)
            message = f"abigen failed on {session.path}; its log has the reason. Please report it."
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Error, message=message))
        self._clean_later()

    async def _examine(
        self, session: Session, texts: Mapping[str, str], check: Callable[[], None], *, baseline: bool
    ) -> None:
        """Read and judge a text, show its flaws, then compare it with its baseline, and show the changes, too."""
        if baseline:
            await self._run(partial(self._analyst.forget_baseline, session.path))
        try:
            begin = perf_counter()
            examined = await self._run(partial(self._analyst.examine, session.path, texts, check))
            check()
            _LOG.info("%s: read and judged in %.0f ms", session.path, (perf_counter() - begin) * 1000)
            session.examined = examined
            self._show(session, session.compared, is_stale=True)
            begin = perf_counter()
            compared = await self._run(partial(self._analyst.compare, session.path, examined, check))
            check()
            _LOG.info("%s: compared in %.0f ms", session.path, (perf_counter() - begin) * 1000)
        except AbigenError as error:
            check()
            folder = self._analyst.folder_of(session.path)
            prefix = folder.rstrip("/") + "/"
            places = Places(self.columns, folder, {path.removeprefix(prefix): text for path, text in texts.items()})
            self._publish(session, unread(dict.fromkeys(error.diagnostics), places, session.path))
            return
        session.compared = compared
        self._show(session, compared)
        if compared is not None:
            self._refresh_lenses()
        self._ask_for_releases(session, examined)

    def _show(self, session: Session, compared: Comparison | None, *, is_stale: bool = False) -> None:
        """Show the flaws of a file, and its changes; the changes of an older text while the new ones are looked for."""
        if session.examined is not None:
            places = self.places(session.examined, compared)
            found = problems(session.examined, compared, places, self.old_texts, session.path, is_stale=is_stale)
            self._publish(session, found)

    def _publish(self, session: Session, found: list[Problem]) -> None:
        """Send the problems of a file, and of the files that it includes."""
        session.shown = found
        files = {each.path for each in found}
        for path in sorted({session.path} | files | session.files):
            shown = [each.shown for each in found if each.path == path]
            uri = session.uri if path == session.path else uri_of(path)
            version = self.workspace.get_text_document(uri).version if path == session.path else None
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=uri, diagnostics=shown, version=version)
            )
        session.files = frozenset(files - {session.path})

    def close(self, uri: str) -> None:
        """Forget a file, and take its problems back."""
        session = self.sessions.pop(uri, None)
        if session is not None:
            session.number += 1
            for path in {session.path} | session.files:
                self.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(uri=uri if path == session.path else uri_of(path), diagnostics=[])
                )

    def end(self) -> None:
        """Stop the thread and the processes, and delete copies of old files."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._processes is not None:
            self._processes.shutdown(wait=False, cancel_futures=True)
        self.old_texts.remove()

    def _run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run work in the thread of analyses."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _refresh_lenses(self) -> None:
        """Ask the client to ask for code lenses again, if it can."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def _ask_for_releases(self, session: Session, examined: Examination) -> None:
        """Begin to look for the first release of each declaration, once for a file."""
        if session.asked_for_releases or session.is_spec or not is_in_repository(session.path):
            return
        session.asked_for_releases = True
        if self._processes is None:
            self._processes = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        future = asyncio.get_running_loop().run_in_executor(
            self._processes, first_releases, examined.folder, examined.name
        )
        future.add_done_callback(partial(_set_releases, session))

    def _clean_later(self) -> None:
        """Free memory when nothing has been analysed for a while."""
        if self._cleaning is not None:
            self._cleaning.cancel()
        loop = asyncio.get_running_loop()
        self._cleaning = loop.call_later(_IDLE, lambda: self._run(collect_garbage))


def _set_releases(session: Session, found: asyncio.Future[Mapping[str, str]]) -> None:
    """Note the releases that were found for a file."""
    if not found.cancelled() and found.exception() is None:
        session.releases = found.result()


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").removeprefix("\ufeff")


def make_server() -> AbigenServer:
    """Return a server with all features."""
    server = AbigenServer()
    feature = server.feature

    @feature(types.INITIALIZED)
    def initialized(server: AbigenServer, params: types.InitializedParams) -> None:
        server.columns = Columns(server.workspace.position_encoding or types.PositionEncodingKind.Utf16)
        gc.collect()
        gc.freeze()

    @feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(server: AbigenServer, params: types.DidOpenTextDocumentParams) -> None:
        session = server.session_of(params.text_document.uri, params.text_document.text)
        if session is not None:
            server.refresh(session, baseline=True)

    @feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(server: AbigenServer, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        session = server.session_of(uri, server.workspace.get_text_document(uri).source)
        if session is not None:
            server.refresh(session, _PAUSE)

    @feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(server: AbigenServer, params: types.DidSaveTextDocumentParams) -> None:
        for session in server.sessions.values():  # they may include the saved file
            server.refresh(session, baseline=True)

    @feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(server: AbigenServer, params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @feature(types.SHUTDOWN)
    def shutdown(server: AbigenServer, params: None) -> None:
        server.end()

    _add_answers(server)
    return server


def _add_answers(server: AbigenServer) -> None:
    """Register the features that answer requests."""
    feature = server.feature

    @feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(server: AbigenServer, params: types.HoverParams) -> types.Hover | None:
        session = server.sessions.get(params.text_document.uri)
        if session is None:
            return None
        if session.examined is None:
            await server.settled(session)
        text = server.text(session)
        line, column = _place(server, text, params.position)
        parts = [explanation(text, line, column)] if session.is_spec else []
        word = word_at(text, line, column)
        if session.examined is not None and word is not None and not any(parts):
            subject = subject_at(session.examined, word)
            parts += [described(subject, session.examined, session.releases)] if subject is not None else []
        shown = "\n\n".join(filter(None, parts))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, shown)) if shown else None

    @feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(server: AbigenServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        session = server.sessions.get(params.text_document.uri)
        if session is None:
            return []
        await server.settled(session)
        if session.examined is None or session.compared is None:
            return []
        places = server.places(session.examined, session.compared)
        return lenses(session.examined, session.compared, places, session.path)

    @feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll],
        ),
    )
    async def code_action(server: AbigenServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        session = server.sessions.get(params.text_document.uri)
        if session is None:
            return []
        await server.settled(session)
        if session.examined is None or not session.is_current(server.text(session)):
            return []
        places = server.places(session.examined, session.compared)
        here = [each for each in session.shown if each.path == session.path]
        found = [action for action, _ in actions(here, params.range, session.examined, places)]
        fixes = [each.finding.fix for each in here if each.finding is not None and each.finding.fix is not None]
        _, safe = applied(session.examined.api.sources, [each for each in fixes if each.is_safe])
        if safe:
            kind, title = types.CodeActionKind.SourceFixAll, "Make all safe fixes of abigen"
            found.append(types.CodeAction(title=title, kind=kind, edit=edit_of(safe, places)))
        only = params.context.only or []
        return [each for each in found if not only or any(_is_kind(each.kind, kind) for kind in only)]

    @feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[" ", "-", "{", ","]))
    def completion(server: AbigenServer, params: types.CompletionParams) -> list[types.CompletionItem]:
        session = server.sessions.get(params.text_document.uri)
        if session is None or not session.is_spec:
            return []
        text = server.text(session)
        line, column = _place(server, text, params.position)
        return [
            types.CompletionItem(
                label=each.label,
                kind=types.CompletionItemKind.Property if each.is_key else types.CompletionItemKind.Value,
                detail=each.detail or None,
                documentation=each.doc or None,
                insert_text=each.text,
                sort_text=f"{number:04}",
            )
            for number, each in enumerate(suggestions(text, line, column, session.examined, session.path))
        ]

    @feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(server: AbigenServer, params: types.DefinitionParams) -> types.Location | None:
        session = server.sessions.get(params.text_document.uri)
        if session is None or not session.is_spec:
            return None
        if session.examined is None:
            await server.settled(session)
        text = server.text(session)
        word = word_at(text, *_place(server, text, params.position))
        subject = subject_at(session.examined, word) if session.examined is not None and word is not None else None
        if session.examined is None or subject is None or subject.entity.span is None:
            return None
        places = server.places(session.examined, session.compared)
        return places.location(subject.entity.span, server.old_texts)

    @server.command(SHOW_REPORT)
    def show_report(server: AbigenServer, report: str) -> None:
        server.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=report))


def _place(server: AbigenServer, text: str, position: types.Position) -> tuple[int, int]:
    """Return the line and the column of a position, both counted from 1."""
    lines = text.split("\n")
    line = lines[position.line] if position.line < len(lines) else ""
    return position.line + 1, server.columns.from_client(line, position.character) + 1


def _is_kind(kind: str | None, wanted: str) -> bool:
    """True if a kind of action is a wanted one or a part of it (LSP 3.17, `CodeActionKind`)."""
    return kind is not None and (kind == wanted or kind.startswith(f"{wanted}.") or wanted == "")


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
