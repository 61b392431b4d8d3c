"""Small headers to judge: a first release, and what may become of it."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "transcripts"

FIRST = (FOLDER / "toy.h").read_text()

APPENDED = (FOLDER / "appended.h").read_text()
"""A member more at the end, as it should be, without a new version."""

RELEASED = (FOLDER / "released.h").read_text()
"""The same with the version that it needs."""

INSERTED = (FOLDER / "inserted.h").read_text()
"""A member in the middle."""
