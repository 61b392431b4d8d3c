"""Documentation as C comments: the contract's wording, line breaks, and nothing that could end a comment early."""

from __future__ import annotations

import re
import unicodedata

from abigen.emit.c.wrapping import WIDTH
from abigen.model.contract import Contract
from abigen.model.version import Version

_ITEM = re.compile(r"([-*+]|\d+[.)]) ")
_CODE_INDENT = 4
_KEPT_FORMAT_CHARACTERS = "\u200c\u200d"
"""Zero-width joiners, which words in some languages need."""

_PERILOUS_ENDS = ("\\", "??/")
"""At the end of a line these join the next line to the comment (C 5.1.1.2 phases 1 and 2)."""


def documented(doc: str, contract: Contract, *, pointer: bool = False, born: Version | None = None) -> str:
    """Put the contract into words beside the documentation.

    Args:
        doc: the documentation as its author wrote it.
        contract: what the two sides have agreed.
        pointer: whether the entity is a pointer, whose zero is NULL.
        born: the release that brought what the entity is part of; of that age nothing is said.

    Returns:
        Plain text; paragraphs are separated by blank lines. Source of the wording: C_API_versioning_strategy.md,
        "By Value Inspection" and "Deprecation with Extension".
    """
    text = cleaned(doc)
    before = " ".join(_marks_before(contract))
    behind = " ".join(_marks_behind(contract, pointer, born))
    single = "\n\n" not in text and not _is_structured(text)
    return (" " if single else "\n\n").join(part for part in (before, text, behind) if part)


def cleaned(text: str) -> str:
    """Drop from a text what no comment should hold, and fold its line endings.

    Control characters could end a line, marks of text direction could make code look like something else (Trojan
    Source), and surrogates cannot be encoded.
    """
    lines = text.expandtabs(4).splitlines()
    return "\n".join("".join(filter(_may_stand, line)).rstrip() for line in lines).strip("\n")


def comment(text: str, indent: int = 0) -> str:
    """Write text as line comments.

    Args:
        text: paragraphs, lists and indented code, as in Markdown.
        indent: columns before the comment.

    Returns:
        Lines joined by newlines, each with its indentation.
    """
    margin = " " * indent
    lines = wrapped(cleaned(text), WIDTH - indent - len("// "))
    return "\n".join(f"{margin}// {_harmless(line)}".rstrip() if line else f"{margin}//" for line in lines)


def one_line(text: str) -> str:
    """Text as a comment behind code; empty when it takes more than one line however much room there is."""
    text = cleaned(text)
    if not text or "\n\n" in text or _is_structured(text):
        return ""
    return f"// {_harmless(' '.join(text.split()))}"


def _marks_before(contract: Contract) -> list[str]:
    marks = []
    if contract.lifecycle.deprecated:
        since = f" since {contract.lifecycle.deprecated_since}" if contract.lifecycle.deprecated_since else ""
        marks.append(f"Deprecated{since}.")
        if contract.lifecycle.replaced_by:
            marks.append(f"Use `{contract.lifecycle.replaced_by}`.")
    if contract.is_optional:
        marks.append("Optional.")
    return marks


def _marks_behind(contract: Contract, pointer: bool, born: Version | None) -> list[str]:
    marks = []
    if contract.lifecycle.replaces:
        marks.append(f"Replaces `{contract.lifecycle.replaces}`.")
    if contract.set_by:
        marks.append(f"Set by {'both sides' if contract.set_by == 'both' else contract.set_by}.")
    if contract.zero:
        zero = "NULL" if pointer else "0"
        marks.append(f"{zero} is no-op." if contract.zero == "no-op" else f"{zero} by default.")
    if contract.must_be_understood:
        marks.append("Consumers must read this.")
    if contract.reserved:
        marks.append("Reserved.")
    if contract.lifecycle.since not in (None, born):
        marks.append(f"Since {contract.lifecycle.since}.")
    return marks


def _may_stand(character: str) -> bool:
    category = unicodedata.category(character)
    return category not in ("Cc", "Cs", "Cf", "Zl", "Zp") or character in _KEPT_FORMAT_CHARACTERS


def _is_structured(text: str) -> bool:
    """Whether some line of it must stay a line of its own."""
    return any(_ITEM.match(line) or line.startswith((" " * _CODE_INDENT, "|", "#")) for line in text.split("\n"))


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most so many columns; list items hang, and indented code, tables and headings keep their lines."""
    lines: list[str] = []
    paragraph: list[str] = []

    def flush() -> None:
        if paragraph:
            lines.extend(_fill(paragraph, width))
            paragraph.clear()

    for line in text.split("\n"):
        if not line.strip():
            flush()
            lines.append("")
        elif line.startswith(("|", "#")) or (line.startswith(" " * _CODE_INDENT) and not paragraph):
            flush()
            lines.append(line)
        else:
            if _ITEM.match(line.lstrip()):
                flush()
            paragraph.append(line)
    flush()
    return lines


def _fill(paragraph: list[str], width: int) -> list[str]:
    """One paragraph or list item, its lines joined and broken anew."""
    first = paragraph[0]
    lead = first[: len(first) - len(first.lstrip())]
    item = _ITEM.match(first.lstrip())
    hang = lead + " " * (len(item[0]) if item else 0)
    lines, line = [], lead
    for word in " ".join(paragraph).split():
        if len(line) + len(word) > width and line.strip():
            lines.append(line.rstrip())
            line = hang
        line += f"{word} "
    return [*lines, line.rstrip()]


def _harmless(line: str) -> str:
    """The line with something behind it where it would join the next line to the comment."""
    return f"{line} //" if line.endswith(_PERILOUS_ENDS) else line
