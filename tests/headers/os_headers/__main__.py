"""Compare a folder of two versions of Linux's headers, by abigen and by gcc.

`python -m tests.headers.os_headers OLD NEW FOLDER`

OLD and NEW are versions of the package `ziglang`, which is downloaded: 0.9.1 has Linux 5.16, 0.17.1 has Linux 7.2.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.model.finding import Bump
from abigen.model.span import AbigenError
from abigen.specs.load import load
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions
from tests.headers.os_headers.gcc_truth import ask, differences

_TARGET = "x86_64-linux-gnu"
_INCLUDE = "ziglang/lib/libc/include"


def _unpacked(version: str, folder: Path) -> Path:
    """Download a version of the package; its folder of headers."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), f"ziglang=={version}"]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob(f"ziglang-{version}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / version, [each for each in archive.namelist() if each.startswith(_INCLUDE)])
    return folder / version / _INCLUDE


def main(old: str, new: str, name: str = "linux") -> int:
    """Print each header that one of the two says breaks and the other does not."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        trees = [_unpacked(version, folder) for version in (old, new)]
        machine = next(each for each in (trees[1] / "x86-linux-any", trees[0] / "x86_64-linux-any") if each.is_dir())
        includes = [[str(tree / "any-linux-any"), str(machine)] for tree in trees]
        files = Files()
        top = trees[0] / "any-linux-any"
        for path in sorted((top / name).rglob("*.h")):
            header = str(path.relative_to(top))
            if not (trees[1] / "any-linux-any" / header).is_file():
                continue
            options = [
                ReadOptions(include_dirs=tuple(each), targets=(_TARGET,), cache=False, files=files) for each in includes
            ]
            try:
                sides = [load(f"{each[0]}/{header}", how) for each, how in zip(includes, options, strict=True)]
                verdict = compare(sides[0], sides[1], find_policy("default"))
            except AbigenError as error:
                counts["not read by abigen"] += 1
                print(f"{header}: not read: {error.diagnostics[0].message}")
                continue
            truths = [ask(header, each, folder) for each in includes]
            if truths[0] is None or truths[1] is None:
                counts["not compiled by gcc"] += 1
                continue
            found = differences(truths[0], truths[1])
            breaks = [f"{each.rule} {each.entity}" for each in verdict.findings if each.bump is Bump.MAJOR]
            counts[f"gcc {'differs' if found else 'sees additions only'}, abigen {verdict.required.value}"] += 1
            if bool(found) != bool(breaks):
                print(
                    f"{header}: gcc: {', '.join(found[:4]) or 'nothing'}; abigen: {', '.join(breaks[:6]) or 'nothing'}"
                )
    print(*(f"{number:5} {what}" for what, number in sorted(counts.items())), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
