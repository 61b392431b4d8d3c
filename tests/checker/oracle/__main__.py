"""`python -m tests.checker.oracle START COUNT`: so many random edits of headers, judged by abigen and by clang."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.checker.oracle.campaign import pair, run, text


def main(arguments: list[str]) -> int:
    """Print what disagrees, or with one number both sides of that edit."""
    if len(arguments) == 1:
        old, new = pair(int(arguments[0]))
        print(text(old), text(new), sep="/* ---------------- NEW ---------------- */\n")
        return 0
    start, count = map(int, arguments)
    with tempfile.TemporaryDirectory() as folder:
        result = run(start, count, Path(folder))
    for number, complaints in result.complaints.items():
        print(f"edit {number}:", *complaints, sep="\n  ")
    print(f"{result.edits} edits, {dict(result.judged)}, {len(result.complaints)} disagree")
    return 1 if result.complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
