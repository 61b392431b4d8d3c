"""Run the program on a bomb, within limits: `python -m tests.security.fuzz.explode FOLDER/bomb.h`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.security.fuzz.__main__ import limit, run_limited
from tests.security.fuzz.bombs import SECRET


def main(bomb: Path) -> int:
    """Do everything with a file that the program can; beside its folder there is a harmless `plain.h`."""
    limit()
    plain = str(bomb.parent.parent / "plain.h")
    failed = False
    for arguments in (
        ["diff", plain, str(bomb)],
        ["diff", str(bomb), plain, "--format", "json"],
        ["diff", plain, str(bomb.parent), "--summary"],
        ["lint", str(bomb)],
        ["layout", str(bomb)],
    ):
        ended = run_limited([*arguments, "--no-cache", "--cc", "none"])
        leaks = SECRET.split()[1] in ended.text
        print(arguments[0], ended.code, ended.complaint, "shows the secret" if leaks else "", flush=True)
        failed = failed or leaks or bool(ended.complaint)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
