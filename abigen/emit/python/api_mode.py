"""API mode: generated packages are compiled, so that the C compiler says where members stand."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from abigen.model.span import AbigenError


def compile_packages(files: Iterable[str], out: Path) -> Iterator[str]:
    """Compile packages against the headers of target `c` beside them.

    Args:
        files: what was made, by path relative to the output directory.
        out: that directory.

    Yields:
        A line for each module that was written.

    Raises:
        AbigenError: a package and its header disagree, there are no packages, or nothing can be compiled here.
    """
    from subprocess import run

    packages: dict[Path, list[str]] = {}
    for file in map(Path, files):
        if file.name == "_declarations.py":
            packages.setdefault(out / file.parent.parent, []).append(file.parent.name)
    if not packages:
        raise AbigenError.at(None, "no package was made that could be compiled", "make target `python`")
    for parent, names in packages.items():
        headers = parent.parent.parent / "c"
        command = [sys.executable, "-m", f"{parent.name}.compile", "-I", str(headers.resolve()), *names]
        search = os.pathsep.join(filter(None, (str(parent.parent.resolve()), os.environ.get("PYTHONPATH", ""))))
        done = run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": search}, check=False)
        if done.returncode:
            raise AbigenError.at(None, done.stderr.strip() or f"{parent.name}.compile failed")
        yield from done.stdout.splitlines()
