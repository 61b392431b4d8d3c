"""`python -m tests.benchmarks [ROUNDS]` prints how long abigen takes beside a compiler and abidiff."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.headers import header
from tests.benchmarks.measure import ROOT, Pair, measure, table

GENERATED = ("rfc", "tensorflow")
HEADER = "tensorflow/c/experimental/stream_executor/stream_executor.h"


def pairs(directory: Path) -> list[Pair]:
    """What to measure: StreamExecutor's API as proposed and as shipped, and a large regular pair.

    Args:
        directory: where to write what has to be generated.
    """
    large = Pair("300 structs of 12 members", directory / "old.h", directory / "new.h")
    large.old.write_text(header(300, 12))
    large.new.write_text(header(300, 12, version=2))
    roots = [ROOT / "generated" / each / "c" for each in GENERATED]
    found = [root / HEADER for root in roots]
    if not all(path.exists() for path in found):
        return [large]
    return [Pair("StreamExecutor, RFC to TensorFlow", found[0], found[1], (roots[1],)), large]


def main(rounds: int = 15) -> None:
    """Measure, and print the table."""
    results = {}
    with TemporaryDirectory(prefix="abigen-benchmark-") as folder:
        for number, pair in enumerate(pairs(Path(folder))):
            place = Path(folder) / str(number)
            place.mkdir()
            results[pair.title] = measure(pair, rounds, place)
    print(table(results), end="")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
