"""The long form: `python -m tests.runner.skew FIRST COUNT [TARGET]`, for example with `0 20000`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.runner.skew.oracle import disagreements, make_case, run

BATCH = 50


def main(first: int, count: int, target: str = "x86_64-linux-gnu") -> int:
    """Try the cases with these seeds; print each that fails, and a count."""
    failed = broken = 0
    for start in range(first, first + count, BATCH):
        cases = [make_case(seed, seed) for seed in range(start, min(start + BATCH, first + count))]
        with tempfile.TemporaryDirectory() as folder:
            run(cases, Path(folder), target)
        for case in cases:
            broken += any(care == "careful" for care, _ in case.outcomes)
            wrong = list(disagreements(case))
            if wrong:
                failed += 1
                print(f"--- case {case.number}: {', '.join(case.changes)}")
                for line in wrong:
                    print(f"    {line}")
        print(
            f"{start + len(cases) - first} cases, {broken} break, {failed} disagreements", file=sys.stderr, flush=True
        )
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
