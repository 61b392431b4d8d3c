"""`python -m tests.benchmarks.keystrokes [ROUNDS]` prints how long `abigen lsp` takes to answer a keystroke.

A header of about 6,000 lines is opened in a real server, and a character is typed in the middle of it, again and again.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from tests.benchmarks.headers import header
from tests.editor.messages import opened, receive, send, server

BPF = Path("/usr/include/linux/bpf.h")
"""Of Debian's package linux-libc-dev: 127 structs, and comments of many pages."""


class Keystroke(msgspec.Struct, frozen=True):
    """The time from a keystroke to an answer, in milliseconds."""

    flaws: float
    """Until the flaws of the new text are shown."""
    changes: float
    """Until the changes since the last release are shown, too."""


def headers() -> dict[str, str]:
    """Return headers of about 6,000 lines by their titles: without and with documentation, and an installed one."""
    documented = re.sub(r"(?m)^(  \w.*;)  (// .*)$", r"\2\n  // What the plugin stores here.\n//\n\1\n", header(75, 15))
    found = {"258 structs, a member a line": header(258, 15), "75 documented structs": documented}
    return found | ({"linux/bpf.h": BPF.read_text()} if BPF.exists() else {})


def measure(text: str, rounds: int, folder: Path) -> list[Keystroke]:
    """Type characters in a header that has a release.

    Args:
        text: the header.
        rounds: how many characters.
        folder: empty; becomes the repository.
    """
    path = folder / "typed.h"
    path.write_text(text)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"], ["tag", "v1.0.0"]):
        person = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
        subprocess.run(["git", *person, *arguments], cwd=folder, check=True)
    lines = text.split("\n")
    half = (
        number for number in range(len(lines) // 2, len(lines)) if re.match(r" +\w+ \w+;|\t__u\d+\t\w+;", lines[number])
    )
    at = next(half)
    found, added = [], "int bench_added(int a);\n"
    with server() as process:
        assert process.stdout is not None
        opened(process, path, text + added)
        for number in range(2, rounds + 4):
            lines[at] += " "
            change = {"text": "\n".join(lines) + added}
            document = {"uri": path.as_uri(), "version": number}
            begin = time.perf_counter()
            send(process, "textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
            times: list[float] = []
            while len(times) < 2:
                message = receive(process.stdout)
                if (
                    message.get("method") == "textDocument/publishDiagnostics"
                    and message["params"]["version"] == number
                ):
                    times.append((time.perf_counter() - begin) * 1000)
            found.append(Keystroke(*times))
    return found[2:]  # the first ones still fill caches


def table(results: dict[str, list[Keystroke]], lines: dict[str, int]) -> str:
    """Return the median and the maximum for each header.

    Args:
        results: by title.
        lines: the number of lines by title.
    """
    rows = [f"{'milliseconds, median (maximum)':34}{'lines':>7}{'flaws':>14}{'and changes':>14}"]
    for title, each in results.items():
        shown = [
            f"{statistics.median(times):.0f} ({max(times):.0f})"
            for times in ([one.flaws for one in each], [one.changes for one in each])
        ]
        rows.append(f"{title:34}{lines[title]:>7}{shown[0]:>14}{shown[1]:>14}")
    return "".join(f"{row}\n" for row in rows)


def main(rounds: int = 15) -> None:
    """Measure, and print the table."""
    results = {}
    for title, text in headers().items():
        with TemporaryDirectory(prefix="abigen-benchmark-") as folder:
            results[title] = measure(text, rounds, Path(folder))
    print(table(results, {title: text.count("\n") for title, text in headers().items()}), end="")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
