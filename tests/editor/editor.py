"""A real client of `abigen lsp`, and the text that it edits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient

BOX = """\
#ifndef BX_BOX_H_
#define BX_BOX_H_
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define BX_MAJOR 1
#define BX_MINOR 0
#define BX_PATCH 0
#define BX_END(T, m) (offsetof(T, m) + sizeof(((T*)0)->m))

/* A box. Set by core. */
typedef struct BX_Box {
  size_t struct_size;
  void* ext;
  int64_t width;  /* 0 is no-op. */
  int32_t height; /* 0 is no-op. */
} BX_Box;
#define BX_BOX_STRUCT_SIZE BX_END(BX_Box, height)

typedef enum BX_Mode { BX_MODE_NONE, BX_MODE_FAST } BX_Mode;

void bx_open(BX_Box* box);
#ifdef __cplusplus
}
#endif
#endif /* BX_BOX_H_ */
"""
"""A header without a flaw."""

INSERTED = BOX.replace("  int32_t height;", "  int32_t depth;  /* 0 is no-op. */\n  int32_t height;")
"""The same with a member in front of another one."""

SPEC = """\
abigen: 1
api: box
prefix: BX
version: 1.0.0
conventions:
  leading_fields: [size_t struct_size]
  filled_by: {BX_: core}
enums:
  - name: BX_Mode
    enumerators:
      - {name: BX_MODE_NONE}
      - {name: BX_MODE_FAST}
structs:
  - name: BX_Box
    doc: A box.
    fields:
      - {name: width, type: int32_t, zero: no-op}
      - {name: mode, type: BX_Mode, zero: meaningful}
functions:
  - name: bx_open
    type: void (BX_Box* box)
    implemented_by: core
"""
"""A spec that can be read."""


class Editor:
    """A client with a few files open."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        """Take a client that has initialised its server.

        Args:
            client: the client.
            folder: the folder of its workspace.
        """
        self.client = client
        self.folder = folder
        self.texts: dict[str, str] = {}
        self._versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        """Return the URI of a file of the workspace."""
        return (self.folder / name).as_uri()

    async def open(self, name: str, text: str | None = None, language: str = "c") -> None:
        """Open a file with the text that it has on disk, or another one, and wait for the analysis."""
        self.texts[name] = (self.folder / name).read_text() if text is None else text
        self._versions[name] = 1
        document = types.TextDocumentItem(self.uri(name), language, 1, self.texts[name])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        await self.settle(name)

    def type(self, name: str, text: str) -> None:
        """Change a text, and do not wait."""
        self._versions[name] += 1
        self.texts[name] = text
        document = types.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name))
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def change(self, name: str, text: str) -> None:
        """Change a text, and wait for the analysis."""
        self.type(name, text)
        await self.settle(name)

    async def save(self, name: str) -> None:
        """Write a text to its file, and wait for the analysis."""
        (self.folder / name).write_text(self.texts[name])
        document = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        await self.settle(name)

    def close(self, name: str) -> None:
        """Close a file."""
        document = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def settle(self, name: str) -> None:
        """Wait until the newest text is analysed: a request for lenses is answered then."""
        await self.lenses(name)

    async def lenses(self, name: str) -> list[tuple[int, str]]:
        """Return line and title of each code lens."""
        document = types.TextDocumentIdentifier(self.uri(name))
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(document))
        return [(each.range.start.line, each.command.title) for each in found or () if each.command]

    def problems(self, name: str) -> Sequence[types.Diagnostic]:
        """Return the problems that a file has."""
        return self.client.diagnostics.get(self.uri(name), [])

    def shown(self, name: str) -> list[tuple[int, str]]:
        """Return line and code of each problem, or the first line of its message where it has no code."""
        return [(each.range.start.line, str(each.code or each.message.split("\n")[0])) for each in self.problems(name)]

    def position(self, name: str, mark: str) -> types.Position:
        """Return the position of a text in a file; behind its `|`, if it has one."""
        plain = mark.replace("|", "")
        offset = self.texts[name].index(plain) + max(mark.find("|"), 0)
        before = self.texts[name][:offset]
        line = before.count("\n")
        return types.Position(line, len(before.rpartition("\n")[2].encode("utf-16-le")) // 2)

    async def hover(self, name: str, mark: str) -> str:
        """Return the text below the pointer at a mark; empty for none."""
        document = types.TextDocumentIdentifier(self.uri(name))
        found = await self.client.text_document_hover_async(types.HoverParams(document, self.position(name, mark)))
        return found.contents.value if found and isinstance(found.contents, types.MarkupContent) else ""

    async def complete(self, name: str, mark: str) -> list[str]:
        """Return the labels that are suggested at a mark."""
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.CompletionParams(document, self.position(name, mark))
        found = await self.client.text_document_completion_async(params)
        return [each.label for each in (found if isinstance(found, list) else [])]

    async def definition(self, name: str, mark: str) -> types.Location | None:
        """Return the place of the definition of a mark."""
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.DefinitionParams(document, self.position(name, mark))
        found = await self.client.text_document_definition_async(params)
        return found if isinstance(found, types.Location) else None

    async def actions(self, name: str, mark: str, *only: str) -> dict[str, types.CodeAction]:
        """Return the actions at a mark by their titles."""
        document = types.TextDocumentIdentifier(self.uri(name))
        at = self.position(name, mark)
        context = types.CodeActionContext([], only=list(only) or None)
        params = types.CodeActionParams(document, types.Range(at, at), context)
        found = await self.client.text_document_code_action_async(params)
        return {each.title: each for each in found or () if isinstance(each, types.CodeAction)}

    def after(self, name: str, action: types.CodeAction) -> str:
        """Return a text with the edits of an action."""
        lines = self.texts[name].split("\n")
        assert action.edit is not None
        assert action.edit.changes is not None
        assert list(action.edit.changes) == [self.uri(name)]

        def offset(at: types.Position) -> int:
            line = lines[at.line].encode("utf-16-le")[: 2 * at.character].decode("utf-16-le")
            return sum(len(each) + 1 for each in lines[: at.line]) + len(line)

        text = self.texts[name]
        edits = [
            (offset(each.range.start), offset(each.range.end), each.new_text)
            for each in action.edit.changes[self.uri(name)]
        ]
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text
