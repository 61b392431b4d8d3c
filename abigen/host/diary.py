"""What a plugin is being asked to do, written down where it can be read when its process is gone."""

from __future__ import annotations

import mmap
from types import TracebackType

_SIZE = 4096
_ENCODING = "utf-8"


class Diary:
    """Memory that a process shares with those that it forks: the innermost thing that is being done."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SIZE)

    def write(self, what: str) -> None:
        """Note what is being done; empty for nothing."""
        text = what.encode(_ENCODING, "replace")[: _SIZE - 1]
        self._memory[: len(text) + 1] = text + b"\0"

    def read(self) -> str:
        """What was noted last."""
        return self._memory[:].partition(b"\0")[0].decode(_ENCODING, "replace")


_diary: Diary | None = None
_doing: list[str] = []


def keep(diary: Diary) -> None:
    """Write into this diary from here on."""
    global _diary
    _diary = diary


class Calling:
    """While it is entered, a plugin is being called; of several threads that call one, the last one counts."""

    def __init__(self, what: str) -> None:
        """Name what is called.

        Args:
            what: the callback or entry point, as a user would look for it.
        """
        self.what = what

    def __enter__(self) -> None:
        _doing.append(self.what)
        if _diary is not None:
            _diary.write(self.what)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _doing.pop()
        if _diary is not None:
            _diary.write(_doing[-1] if _doing else "")
