"""Writes the edits that remove findings into the user's files."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path

from abigen.model.edits import applied
from abigen.model.finding import Fix
from abigen.model.span import AbigenError, printable
from abigen.workspace.files import HeldFile


def write_fixes(fixes: Sequence[Fix], sources: Mapping[str, str]) -> tuple[bool, list[str]]:
    """Apply edits to files of the working tree.

    A file is written as a whole, and keeps its encoding, byte order mark, line ends, mode and other lines. A file that
    is not as it was read, is outside of the working tree or has line ends of two kinds is left as it is.

    Args:
        fixes: the edits, in the order of findings.
        sources: the texts of files of the working tree that they are about, by file name.

    Returns:
        True if a file was written; and a line for each fix, and for each file that is left as it is.

    Raises:
        AbigenError: a file cannot be written.
    """
    root = _root()
    refused = {edit.file: _ELSEWHERE for fix in fixes for edit in fix.edits if edit.file not in sources}
    refused |= {file: reason for file in sources if (reason := _why_not(file, sources[file], root))}
    lines = [f"{printable(file)} is not edited: {reason}" for file, reason in refused.items()]
    possible = [fix for fix in fixes if not any(each.file in refused for each in fix.edits)]
    texts, made = applied(sources, possible)
    left = {file: reason for file, text in texts.items() if (reason := _write(file, sources[file], text, root))}
    lines += [f"{printable(file)} is not edited: {reason}" for file, reason in left.items()]
    done = (fix for fix in made if not any(edit.file in left for edit in fix.edits))
    lines += [f"fixed: {printable(fix.title)} ({printable(fix.edits[0].file)})" for fix in done]
    return len(left) < len(texts), lines


def _root() -> Path:
    """Return the folder below which files may be edited: the working tree, or else the current folder."""
    here = Path.cwd().resolve()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), here)


def _write(file: str, before: str, text: str, root: Path) -> str:
    """Write a file that has the text of before; return the reason why it is left as it is, or an empty text.

    Raises:
        AbigenError: it cannot be written.
    """
    try:
        with HeldFile(root, _real(file)) as held:
            now, encoding = _decoded(held.content)
            if now.replace("\r\n", "\n") != before:
                return _CHANGED
            ends = text.replace("\n", "\r\n") if b"\r\n" in held.content else text
            return "" if held.replace(ends.encode(encoding)) else _CHANGED
    except UnicodeEncodeError:
        return "it is Latin-1, which lacks a character of the edits"
    except OSError as error:
        raise AbigenError.at(None, f"{printable(file)} cannot be written: {error.strerror}") from None


def _real(file: str) -> Path:
    """Return the path of a file with the links on the way followed, but not one that the file itself is."""
    path = Path(file)
    return path.parent.resolve() / path.name


def _decoded(content: bytes) -> tuple[str, str]:
    """Return the text of a header, and the encoding that it is read with and written in."""
    try:
        return content.decode("utf-8-sig"), "utf-8-sig" if content.startswith(BOM_UTF8) else "utf-8"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1"


_ELSEWHERE = "it is not a file of the working tree"
_CHANGED = "it has changed since it was read"


def _why_not(file: str, text: str, root: Path) -> str:
    """Return the reason why a file is left as it is; empty for none."""
    path = Path(file)
    if not path.is_file():
        return _ELSEWHERE
    if path.is_symlink():
        return "it is a link"
    if not path.resolve().is_relative_to(root):
        return "it is outside of the working tree"
    content = path.read_bytes()
    if b"\r\n" in content and content.count(b"\n") != content.count(b"\r\n"):
        return "it has line ends of two kinds"
    return "" if _decoded(content)[0].replace("\r\n", "\n") == text else _CHANGED
