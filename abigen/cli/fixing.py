"""Writes the edits that remove findings into the user's files."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from pathlib import Path

from abigen.files import put_in_place
from abigen.model.edits import applied
from abigen.model.finding import Fix
from abigen.model.span import AbigenError, printable


def write_fixes(fixes: Sequence[Fix], sources: Mapping[str, str]) -> tuple[bool, list[str]]:
    """Apply edits to files of the working tree.

    A file is written as a whole, and keeps its byte order mark, its line ends and its other lines. A file that is not
    as it was read, is outside of the working tree or has line ends of two kinds is left as it is.

    Args:
        fixes: the edits, in the order of findings.
        sources: the texts that they are about, by file name.

    Returns:
        True if a file was written; and a line for each fix, and for each file that is left as it is.

    Raises:
        AbigenError: a file cannot be written.
    """
    refused = {file: reason for file in sources if (reason := _why_not(file, sources[file]))}
    lines = [f"{printable(file)} is not edited: {reason}" for file, reason in refused.items()]
    possible = [fix for fix in fixes if not any(each.file in refused for each in fix.edits)]
    texts, made = applied(sources, possible)
    for file, text in texts.items():
        before = Path(file).read_bytes()
        ends = text.replace("\n", "\r\n") if b"\r\n" in before else text
        try:
            put_in_place(Path(file), (BOM_UTF8 if before.startswith(BOM_UTF8) else b"") + ends.encode(), _mode(file))
        except OSError as error:
            raise AbigenError.at(None, f"{printable(file)} cannot be written: {error.strerror}") from None
    lines += [f"fixed: {printable(fix.title)} ({printable(fix.edits[0].file)})" for fix in made]
    return bool(texts), lines


def _mode(file: str) -> int:
    return Path(file).stat().st_mode & 0o777


def _why_not(file: str, text: str) -> str:
    """Return the reason why a file is left as it is; empty for none."""
    path = Path(file)
    if not path.is_file():
        return "it is not a file of the working tree"
    here = Path.cwd().resolve()
    root = next((each for each in (here, *here.parents) if (each / ".git").exists()), here)
    if path.is_symlink():
        return "it is a link"
    if not path.resolve().is_relative_to(root):
        return "it is outside of the working tree"
    content = path.read_bytes().removeprefix(BOM_UTF8)
    if b"\r\n" in content and content.count(b"\n") != content.count(b"\r\n"):
        return "it has line ends of two kinds"
    is_same = content.decode("utf-8", "replace").replace("\r\n", "\n") == text
    return "" if is_same else "it has changed since it was read"
