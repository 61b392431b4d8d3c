"""`python -m tests.benchmarks [ROUNDS]` prints how long abigen takes beside a compiler and abidiff."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.headers import header
from tests.benchmarks.measure import ROOT, Pair, measure, table

GENERATED = ("rfc", "tensorflow")
HEADER = "tensorflow/c/experimental/stream_executor/stream_executor.h"


VULKAN = Path("/usr/include/vulkan/vulkan_core.h")
"""Of Debian's package libvulkan-dev."""


def pairs(directory: Path) -> list[Pair]:
    """Return the pairs of headers to measure: StreamExecutor's API as proposed and as shipped, and large headers.

    Those are a regular pair that is made here and, where it is installed, Vulkan's header with a new struct.

    Args:
        directory: where to write what has to be generated.
    """
    large = Pair("300 structs of 12 members", directory / "old.h", directory / "new.h")
    large.old.write_text(header(300, 12))
    large.new.write_text(header(300, 12, version=2))
    found = [large, _with_new_struct(VULKAN, directory)] if VULKAN.exists() else [large]
    roots = [ROOT / "generated" / each / "c" for each in GENERATED]
    old, new = (root / HEADER for root in roots)
    if not old.exists() or not new.exists():
        return found
    return [Pair("StreamExecutor, RFC to TensorFlow", old, new, (roots[1],)), *found]


def _with_new_struct(header: Path, directory: Path) -> Pair:
    """Return an installed header, and the same with one more struct at its end."""
    old, edited = directory / f"old_{header.name}", directory / f"new_{header.name}"
    shutil.copy(header, old)
    before, end, after = header.read_text().rpartition("#ifdef __cplusplus")
    edited.write_text(f"{before}typedef struct BenchNew {{ int member; }} BenchNew;\n{end}{after}")
    return Pair(f"{header.name} and a struct", old, edited, (header.parent, header.parents[1]))


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
