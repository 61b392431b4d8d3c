"""The code blocks of the README and of the pages in `docs/`, and what each is for.

A block whose first line is a comment with nothing but a path is that file; with `, in part` behind the path it is an
excerpt of a file that a command has written, `...` standing for what is left out. A `diff` makes a new file out of one
that was shown. `sh` and `python` are executed and must succeed; what needs TensorFlow, along with the tests of
scaffolds. In `console`, `$` begins a command and what follows is its output, again with `...` for lines left out. A
`text` is only shown: it is the help of a command or a docstring, which `tests/manual` has put there.

A page is followed in a folder of its own. When its examples use files of other pages, its first line names those pages:

    <!-- The examples begin with the files of: README.md, docs/example.md -->
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
SET_UP = "python3 -m venv"
"""The words of a block that sets abigen up in a checkout."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"(?://|#) (\S+\.\w+|\S*/\S+)(, in part)?")
_BEGINS_WITH = re.compile(r"<!-- The examples begin with the files of: (.+) -->")
_TOOLS = ("c++", "cc", "cmake")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


class Block(msgspec.Struct, frozen=True):
    """A code block.

    Attributes:
        language: the word behind the backticks.
        text: its lines, each with its end.
        line: where the first of them stands, from 1.
        page: the name of the file that it is in.
    """

    language: str
    text: str
    line: int
    page: str = README.name

    @property
    def place(self) -> str:
        """The first line, for messages."""
        return f"{self.page}:{self.line}"

    @property
    def path(self) -> str:
        """The file that it is or is an excerpt of, "" for none."""
        title = self._title()
        return title[1] if title else ""

    @property
    def excerpt(self) -> bool:
        """True if it shows only a part of a file that exists."""
        title = self._title()
        return bool(title and title[2])

    @property
    def sets_up(self) -> bool:
        """True if it installs abigen from a checkout."""
        return self.language == "sh" and SET_UP in self.text

    @property
    def installs(self) -> bool:
        """True if it installs abigen into an environment that is there."""
        return self.language == "sh" and self.text.startswith("pip install")

    @property
    def executed(self) -> bool:
        """True if it can be followed here and now: without installing anything, without TensorFlow."""
        return not (self.sets_up or self.installs or self.needs_tensorflow)

    @property
    def needs_tensorflow(self) -> bool:
        """True if it takes a Python that has TensorFlow."""
        return "in_tensorflow.py" in self.text

    def _title(self) -> re.Match[str] | None:
        if self.language in ("sh", "console"):
            return None
        return _TITLE.fullmatch(self.text.partition("\n")[0])


def read(page: Path = README) -> list[Block]:
    """Return all code blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(match[1], match[2], text.count("\n", 0, match.start(2)) + 1, page.name) for match in _BLOCK.finditer(text)
    ]


def begins_with(page: Path) -> list[Path]:
    """Return the pages whose files are there before a page is followed; its first line names them."""
    first = _BEGINS_WITH.fullmatch(page.read_text(encoding="utf-8").partition("\n")[0])
    return [ROOT / each for each in first[1].split(", ")] if first else []


def tools(blocks: Iterable[Block]) -> list[str]:
    """Return the compilers and build tools that commands call by name."""
    text = "\n".join(block.text for block in blocks if block.language in ("sh", "console"))
    return [tool for tool in _TOOLS if re.search(rf"(?:^|[$&|]) ?{re.escape(tool)} ", text, re.MULTILINE)]


def commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a console with the lines that are shown below it."""
    shown: list[str] | None = None
    command = ""
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if shown is not None:
                yield command, shown
            command, shown = line[2:], []
        else:
            assert shown is not None, f"{block.place}: output without a command"
            shown.append(line)
    assert shown is not None, f"{block.place}: no command"
    yield command, shown


def difference(shown: Sequence[str], real: Sequence[str]) -> str:
    """Return the difference between real and shown lines, where a shown `...` stands for any number of lines.

    Returns:
        The first shown line that is not there, or what is there behind the last; "" when they match.
    """
    text = "".join(f"{line}\n" for line in real)
    for count in range(1, len(shown) + 1):
        if not _pattern([*shown[:count], "..."]).fullmatch(text):
            return f"not there, or not in this place: {shown[count - 1]}"
    return "" if _pattern(shown).fullmatch(text) else f"there is more behind it in {text}"


def _pattern(shown: Sequence[str]) -> re.Pattern[str]:
    """Return the lines as a regular expression."""
    return re.compile("".join(r"(?:.*\n)*?" if line == "..." else re.escape(f"{line}\n") for line in shown))


def patched(block: Block, old: str) -> tuple[str, str]:
    """Apply a unified diff of one hunk.

    Returns:
        The new file's path and text.
    """
    lines = block.text.splitlines()
    assert lines[0].startswith("--- ") and lines[1].startswith("+++ ")
    hunk = _HUNK.fullmatch(lines[2])
    assert hunk, f"{block.place}: the third line is not the head of a hunk"
    body = lines[3:]
    before = [line[1:] for line in body if line[:1] != "+"]
    after = [line[1:] for line in body if line[:1] != "-"]
    original = old.splitlines()
    start = int(hunk[1]) - 1
    assert original[start : start + len(before)] == before, f"{block.place}: does not apply"
    original[start : start + len(before)] = after
    return lines[1].removeprefix("+++ "), "\n".join(original) + "\n"
