"""The code blocks of the README, and what each is for.

A block whose first line is a comment with nothing but a path is that file; with `, in part` behind the path it is an
excerpt of a file that a command has written, `...` standing for what is left out. A `diff` makes a new file out of one
that was shown. `sh` and `python` are executed and must succeed; what needs TensorFlow, along with the tests of
scaffolds. In `console`, `$` begins a command and what follows is its output, again with `...` for lines left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
SET_UP = "python3 -m venv"
"""What a block holds that sets abigen up in a checkout."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"(?://|#) (\S+\.\w+|\S*/\S+)(, in part)?")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True)
class Block:
    """A code block.

    Attributes:
        language: the word behind the backticks.
        text: its lines, each with its end.
        line: where the first of them stands in the README, from 1.
    """

    language: str
    text: str
    line: int

    @property
    def path(self) -> str:
        """The file that it is or is an excerpt of, "" for none."""
        title = self._title()
        return title[1] if title else ""

    @property
    def excerpt(self) -> bool:
        """Whether it shows only a part of a file that exists."""
        title = self._title()
        return bool(title and title[2])

    @property
    def sets_up(self) -> bool:
        """Whether it installs abigen from a checkout."""
        return self.language == "sh" and SET_UP in self.text

    @property
    def needs_tensorflow(self) -> bool:
        """Whether it takes a Python that has TensorFlow."""
        return "in_tensorflow.py" in self.text

    def _title(self) -> re.Match[str] | None:
        if self.language in ("sh", "console"):
            return None
        return _TITLE.fullmatch(self.text.partition("\n")[0])


def read(readme: Path = README) -> list[Block]:
    """All code blocks, in order."""
    text = readme.read_text(encoding="utf-8")
    return [Block(match[1], match[2], text.count("\n", 0, match.start(2)) + 1) for match in _BLOCK.finditer(text)]


def commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console with the lines that are shown below it."""
    shown: list[str] | None = None
    command = ""
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if shown is not None:
                yield command, shown
            command, shown = line[2:], []
        else:
            assert shown is not None, f"README.md:{block.line}: output without a command"
            shown.append(line)
    assert shown is not None, f"README.md:{block.line}: no command"
    yield command, shown


def difference(shown: Sequence[str], real: Sequence[str]) -> str:
    """What keeps the real lines from being those shown, where a shown line `...` stands for any number of lines.

    Returns:
        The first shown line that is not there, or what is there behind the last; "" when they match.
    """
    text = "".join(f"{line}\n" for line in real)
    for count in range(1, len(shown) + 1):
        if not _pattern([*shown[:count], "..."]).fullmatch(text):
            return f"not there, or not in this place: {shown[count - 1]}"
    return "" if _pattern(shown).fullmatch(text) else f"there is more behind it in {text}"


def _pattern(shown: Sequence[str]) -> re.Pattern[str]:
    """The lines as a regular expression."""
    return re.compile("".join(r"(?:.*\n)*?" if line == "..." else re.escape(f"{line}\n") for line in shown))


def patched(block: Block, old: str) -> tuple[str, str]:
    """Apply a unified diff of one hunk.

    Returns:
        The new file's path and text.
    """
    lines = block.text.splitlines()
    assert lines[0].startswith("--- ") and lines[1].startswith("+++ ")
    hunk = _HUNK.fullmatch(lines[2])
    assert hunk, f"README.md:{block.line + 2}: not the head of a hunk"
    body = lines[3:]
    before = [line[1:] for line in body if line[:1] != "+"]
    after = [line[1:] for line in body if line[:1] != "-"]
    original = old.splitlines()
    start = int(hunk[1]) - 1
    assert original[start : start + len(before)] == before, f"README.md:{block.line}: does not apply"
    original[start : start + len(before)] = after
    return lines[1].removeprefix("+++ "), "\n".join(original) + "\n"
