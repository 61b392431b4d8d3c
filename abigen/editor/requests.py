"""Answers the requests of an editor about an open file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from lsprotocol import types

from abigen.editor.answers import actions, edit_of, lenses
from abigen.editor.server import AbigenServer
from abigen.editor.spec_keys import explanation, suggestions
from abigen.editor.subjects import described, subject_at, word_at
from abigen.model.edits import applied

Features: TypeAlias = Mapping[str, tuple[Callable[..., object], object]]
"""Method of the protocol to the function that handles it, and the options that the client gets to know."""


async def hover(server: AbigenServer, params: types.HoverParams) -> types.Hover | None:
    """Return the key of a spec, or the layout and the release of a declaration, below the pointer."""
    file = server.open_files.get(params.text_document.uri)
    if file is None:
        return None
    if file.examined is None:
        await server.settled(file)
    text = server.text(file)
    line, column = _place(server, text, params.position)
    shown = explanation(text, line, column) if file.is_spec else ""
    word = word_at(text, line, column)
    if not shown and file.examined is not None and word is not None:
        subject = subject_at(file.examined, word)
        shown = described(subject, file.examined, file.releases) if subject is not None else ""
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, shown)) if shown else None


async def code_lens(server: AbigenServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Return the bump that the changes since the baseline require, for the file and for each declaration."""
    file = server.open_files.get(params.text_document.uri)
    if file is None:
        return []
    await server.settled(file)
    if file.examined is None or file.compared is None:
        return []
    places = server.places(file.examined, file.compared)
    return lenses(file.examined, file.compared, places, file.path, server.text(file))


async def code_action(server: AbigenServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the edits that remove or accept findings; none while the text cannot be read."""
    file = server.open_files.get(params.text_document.uri)
    if file is None:
        return []
    await server.settled(file)
    if file.examined is None or not file.is_current(server.text(file)):
        return []
    places = server.places(file.examined, file.compared)
    here = [each for each in file.shown if each.path == file.path]
    line_end = "\r\n" if "\r\n" in server.workspace.get_text_document(file.uri).source else "\n"
    found = list(actions(here, params.range, file.examined, places, line_end))
    fixes = [each.finding.fix for each in here if each.finding is not None and each.finding.fix is not None]
    _, safe = applied(file.examined.api.sources, [each for each in fixes if each.is_safe])
    if safe:
        kind, title = types.CodeActionKind.SourceFixAll, "Make all safe fixes of abigen"
        found.append(types.CodeAction(title=title, kind=kind, edit=edit_of(safe, places, line_end)))
    only = params.context.only or []
    return [each for each in found if not only or any(_is_kind(each.kind, kind) for kind in only)]


def completion(server: AbigenServer, params: types.CompletionParams) -> list[types.CompletionItem]:
    """Return the keys and values of a spec that may be written at the cursor."""
    file = server.open_files.get(params.text_document.uri)
    if file is None or not file.is_spec:
        return []
    text = server.text(file)
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
        for number, each in enumerate(suggestions(text, line, column, file.examined, file.path))
    ]


async def definition(server: AbigenServer, params: types.DefinitionParams) -> types.Location | None:
    """Return the place of the declaration that a name in a spec means, in this spec or in one that it uses."""
    file = server.open_files.get(params.text_document.uri)
    if file is None or not file.is_spec:
        return None
    if file.examined is None:
        await server.settled(file)
    text = server.text(file)
    word = word_at(text, *_place(server, text, params.position))
    subject = subject_at(file.examined, word) if file.examined is not None and word is not None else None
    if file.examined is None or subject is None or subject.entity.span is None:
        return None
    return server.places(file.examined, file.compared).location(subject.entity.span, server.old_texts)


def _place(server: AbigenServer, text: str, position: types.Position) -> tuple[int, int]:
    """Return the line and the column of a position, both counted from 1."""
    lines = text.split("\n")
    line = lines[position.line] if position.line < len(lines) else ""
    return position.line + 1, server.columns.from_client(line, position.character) + 1


def _is_kind(kind: str | None, wanted: str) -> bool:
    """True if a kind of action is a wanted one or a part of it (LSP 3.17, `CodeActionKind`)."""
    return kind is not None and (kind == wanted or kind.startswith(f"{wanted}.") or wanted == "")


_ACTIONS = [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]
REQUESTS: Features = {
    types.TEXT_DOCUMENT_HOVER: (hover, None),
    types.TEXT_DOCUMENT_CODE_LENS: (code_lens, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (code_action, types.CodeActionOptions(code_action_kinds=_ACTIONS)),
    types.TEXT_DOCUMENT_COMPLETION: (completion, types.CompletionOptions(trigger_characters=[" ", "-", "{", ","])),
    types.TEXT_DOCUMENT_DEFINITION: (definition, None),
}
