"""A language server for headers and specs, on pygls."""

from __future__ import annotations

import asyncio
import gc
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
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
    is_in_repository,
)
from abigen.editor.answers import Problem, problems, unread
from abigen.editor.first_releases import ReleaseSearch
from abigen.editor.places import Columns, OldTexts, Places, path_of, uri_of
from abigen.model.span import AbigenError
from abigen.workspace.operand import HEADER_SUFFIX, SPEC_SUFFIXES, looks_like_spec

T = TypeVar("T")
_CPP = re.compile(r"\bC\+\+, a C compiler cannot read")
"""The end of errors about words that C does not have, and headers of the library of C++ (`<vector>`)."""
_LOG = logging.getLogger(__name__)
PAUSE = 0.01
"""Seconds without another keystroke after which a text is read."""
_IDLE = 2.0
"""Seconds without an analysis after which memory is freed."""
_MOST_UNCLEANED = 30
"""The number of analyses after which it is freed at once."""


class OpenFile:
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
        self.releases: Mapping[str, str] = {}
        self.asked_for_releases = False
        self.may_be_cpp = False
        """True if the editor takes it for C++, as many do with each header."""

    def is_current(self, text: str) -> bool:
        """True if the newest text is the one that was read."""
        return self.examined is not None and self.examined.text == text


class AbigenServer(LanguageServer):
    """The server: open files, and the thread that reads them."""

    def __init__(self) -> None:
        """Begin without an open file.

        Clients send whole texts: pygls counts form feeds and other separators as line ends, which would put edits of a
        part of the text on a wrong line.
        """
        super().__init__("abigen", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.open_files: dict[str, OpenFile] = {}
        self.columns = Columns()
        self.old_texts = OldTexts()
        self._analyst = Analyst()
        self._thread = ThreadPoolExecutor(1, "analysis")
        self._waiting = ThreadPoolExecutor(1, "releases")
        self._searches: list[ReleaseSearch] = []
        self._cleaning: asyncio.TimerHandle | None = None
        self._uncleaned = 0
        """The number of analyses since memory was freed."""

    def text(self, file: OpenFile) -> str:
        """Return the newest text of a file, with line ends as abigen has them."""
        return _unix(self.workspace.get_text_document(file.uri).source)

    def places(self, examined: Examination, compared: Comparison | None) -> Places:
        """Return the conversion of places of an API and its baseline."""
        old = compared.baseline.api.sources if compared is not None else {}
        return Places(self.columns, examined.folder, {**old, **examined.api.sources})

    def open_file(self, uri: str, text: str) -> OpenFile | None:
        """Return an open file; None for one that is neither a header nor a spec."""
        if uri in self.open_files:
            return self.open_files[uri]
        path = path_of(uri)
        is_spec = path.endswith(SPEC_SUFFIXES)
        if not (path.endswith(HEADER_SUFFIX) or (is_spec and looks_like_spec(_unix(text)))):
            return None
        self.open_files[uri] = OpenFile(uri, path, is_spec=is_spec)
        return self.open_files[uri]

    def refresh(self, file: OpenFile, pause: float = 0.0, *, baseline: bool = False) -> None:
        """Analyse the newest text of a file; an analysis of an older text stops at its next step.

        Args:
            file: the file.
            pause: the seconds in which another keystroke may come.
            baseline: True to look for the baseline again.
        """
        file.number += 1
        if file.task is not None:
            file.task.cancel()
        file.task = asyncio.create_task(self._analyse(file, file.number, pause, baseline=baseline))

    def refresh_dependents(self, path: str) -> None:
        """Analyse the files again that include a file, or use it as a spec, since its text has changed."""
        for other in self.open_files.values():
            if other.path != path and other.examined is not None and path in other.examined.dependencies:
                self.refresh(other, PAUSE)

    async def settled(self, file: OpenFile) -> None:
        """Wait until the newest text of a file is analysed."""
        while (task := file.task) is not None and not task.done():
            await asyncio.wait([task])

    async def _analyse(self, file: OpenFile, number: int, pause: float, *, baseline: bool) -> None:
        await asyncio.sleep(pause)
        texts = {each.path: self.text(each) for each in self.open_files.values()}

        def check() -> None:
            if file.number != number:
                raise OutdatedError

        try:
            await self._examine(file, texts, check, baseline=baseline)
        except OutdatedError:
            _LOG.debug("%s: outdated", file.path)
        except asyncio.CancelledError:
            raise
        except Exception:
            _LOG.exception("%s: abigen failed", file.path)
            message = f"abigen failed on {file.path}; its log has the reason. Please report it."
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Error, message=message))
        self._clean_later()

    async def _examine(
        self, file: OpenFile, texts: Mapping[str, str], check: Callable[[], None], *, baseline: bool
    ) -> None:
        """Read and judge a text, show its flaws, then compare it with its baseline, and show the changes, too."""
        if baseline:
            await self._run(partial(self._analyst.forget_baseline, file.path))
        try:
            begin = perf_counter()
            examined = await self._run(partial(self._analyst.examine, file.path, texts, check))
            check()
            _LOG.info("%s: read and judged in %.0f ms", file.path, (perf_counter() - begin) * 1000)
            file.examined = examined
            self._show(file, file.compared, is_stale=True)
            begin = perf_counter()
            compared = await self._run(partial(self._analyst.compare, file.path, examined, check))
            check()
            _LOG.info("%s: compared in %.0f ms", file.path, (perf_counter() - begin) * 1000)
        except AbigenError as error:
            check()
            folder = self._analyst.folder_of(file.path)
            prefix = folder.rstrip("/") + "/"
            places = Places(self.columns, folder, {path.removeprefix(prefix): text for path, text in texts.items()})
            is_left_out = file.may_be_cpp and any(map(_CPP.search, (each.message for each in error.diagnostics)))
            shown = [] if is_left_out else unread(dict.fromkeys(error.diagnostics), places, file.path)
            self._publish(file, shown)
            return
        file.compared = compared
        self._show(file, compared)
        if compared is not None:
            self._refresh_lenses()
        self._ask_for_releases(file, examined)

    def _show(self, file: OpenFile, compared: Comparison | None, *, is_stale: bool = False) -> None:
        """Show the flaws of a file, and its changes; the changes of an older text while the new ones are looked for."""
        if file.examined is not None:
            places = self.places(file.examined, compared)
            found = problems(file.examined, compared, places, self.old_texts, file.path, is_stale=is_stale)
            self._publish(file, found)

    def _publish(self, file: OpenFile, found: list[Problem]) -> None:
        """Send the problems of a file, and of the files that it includes."""
        paths = {file.path, *(each.path for each in file.shown), *(each.path for each in found)}
        file.shown = found
        self._send(paths)

    def _send(self, paths: Iterable[str]) -> None:
        """Send all problems of some files: those of each may come from several open ones."""
        by_path = {each.path: each for each in self.open_files.values()}
        for path in sorted(paths):
            found = (each for other in self.open_files.values() for each in other.shown if each.path == path)
            shown = list({each.key: each.shown for each in found}.values())
            file = by_path.get(path)
            uri = file.uri if file is not None else uri_of(path)
            version = self.workspace.get_text_document(uri).version if file is not None else None
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=uri, diagnostics=shown, version=version)
            )

    def close(self, uri: str) -> None:
        """Forget a file, and take its problems back."""
        file = self.open_files.pop(uri, None)
        if file is not None:
            file.number += 1
            if file.task is not None:
                file.task.cancel()
            self._send({file.path, *(each.path for each in file.shown)})

    def end(self) -> None:
        """Stop the thread and the search for releases, and delete copies of old files."""
        for file in self.open_files.values():
            file.number += 1
        if self._cleaning is not None:
            self._cleaning.cancel()
        for executor in (self._thread, self._waiting):
            executor.shutdown(wait=False, cancel_futures=True)
        for search in self._searches:
            search.stop()
        self.old_texts.remove()

    def _run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run work in the thread of analyses."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _refresh_lenses(self) -> None:
        """Ask the client to ask for code lenses again, if it can."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def _ask_for_releases(self, file: OpenFile, examined: Examination) -> None:
        """Begin to look for the first release of each declaration, once for a file."""
        if file.asked_for_releases or file.is_spec or not is_in_repository(file.path):
            return
        file.asked_for_releases = True
        search = ReleaseSearch(examined.folder, examined.name)
        self._searches.append(search)
        found = asyncio.get_running_loop().run_in_executor(self._waiting, search.wait)
        found.add_done_callback(partial(_set_releases, file))

    def _clean_later(self) -> None:
        """Free memory when nothing has been analysed for a while, and now if that is long ago.

        Python's own collector is off: it would run in the middle of an analysis, and take as long as one.
        """
        if self._cleaning is not None:
            self._cleaning.cancel()
        self._uncleaned += 1
        pause = _IDLE if self._uncleaned < _MOST_UNCLEANED else 0
        self._cleaning = asyncio.get_running_loop().call_later(pause, self._clean)

    def _clean(self) -> None:
        self._uncleaned = 0
        self._run(gc.collect)


def _set_releases(file: OpenFile, found: asyncio.Future[Mapping[str, str]]) -> None:
    """Note the first releases of the declarations of a file."""
    if not found.cancelled() and found.exception() is None:
        file.releases = found.result()


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").removeprefix("\ufeff")
