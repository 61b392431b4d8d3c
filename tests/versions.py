"""The committed versions of all packages: writes them, and tries newer ones.

`python -m tests.versions --write` makes `constraints.txt` of the ranges in `pyproject.toml`, with the newest version of
each package. `python -m tests.versions` installs the newest version of each package, runs part of the tests with them,
and prints a warning for each package that makes a test fail. It always exits with 0: a package that was released today
must not keep anybody from landing a change.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
TESTS = ("tests/checker/rules", "tests/cli")
"""The tests that run with the newest versions."""
COMMAND = "python -m tests.versions --write"


@click.command()
@click.option("--write", is_flag=True, help="Write constraints.txt instead.")
def main(*, write: bool) -> None:
    """Try the newest version of each package, and warn of those that make a test fail."""
    if write:
        write_constraints()
    else:
        try:
            for warning in try_newest():
                print(f"warning: {warning}", flush=True)
        except subprocess.CalledProcessError as error:
            print(f"warning: the newest packages could not be tried: {error}", flush=True)


def write_constraints() -> None:
    """Write the newest versions that `pyproject.toml` admits, for all supported Pythons and systems at once."""
    options = ["--universal", "--python-version", "3.11", "--upgrade", "--no-annotate", "--quiet"]
    wanted = ["--all-extras", "--group", "hosts", "--custom-compile-command", COMMAND]
    output = ["--output-file", CONSTRAINTS.name, "pyproject.toml"]
    subprocess.run([sys.executable, "-m", "uv", "pip", "compile", *options, *wanted, *output], cwd=ROOT, check=True)


def try_newest() -> list[str]:
    """Run the tests with the newest version of each package.

    Returns:
        A sentence for each package with which a test fails that passes without it.
    """
    with tempfile.TemporaryDirectory() as folder:
        newest = _environment(Path(folder) / "newest")
        done = _pip(newest, ".[test]")
        if done.returncode:
            return [f"the newest packages cannot be installed: {_last_line(done.stderr)}"]
        committed = _environment(Path(folder) / "committed")
        _pip(committed, "-c", CONSTRAINTS, ".[test]").check_returncode()
        old, new = _versions(committed), _versions(newest)
        changed = {name: (old.get(name, ""), new[name]) for name in new if new[name] != old.get(name)}
        if not changed:
            print(f"{CONSTRAINTS.name} has the newest version of every package")
            return []
        for name, (before, after) in changed.items():
            print(f"{name}: {before or 'not installed'}, newest {after}")
        failed = _failures(newest, TESTS)
        if not failed:
            print("no test fails with the newest versions")
            return []
        return list(_guilty(committed, changed, failed))


def _guilty(committed: Path, changed: dict[str, tuple[str, str]], failed: Sequence[str]) -> Iterable[str]:
    """Try one package after another beside the committed versions of all others."""
    if always := _failures(committed, failed):
        yield f"{len(always)} tests fail with the committed versions, too: {', '.join(always)}"
    left = set(failed) - set(always)
    for name, (before, after) in changed.items():
        if not left:
            return
        _pip(committed, "--no-deps", f"{name}=={after}").check_returncode()
        if broken := sorted(left & set(_failures(committed, sorted(left)))):
            yield f"{name} {after} (committed: {before or 'none'}) breaks {', '.join(broken)}"
            left -= set(broken)
        if before:
            _pip(committed, "--no-deps", f"{name}=={before}").check_returncode()
    if left:
        yield f"several of the newest packages together break {', '.join(sorted(left))}"


def _environment(folder: Path) -> Path:
    """Make a virtual environment; returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder / "bin" / "python"


def _pip(python: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def _versions(python: Path) -> dict[str, str]:
    """Name of each installed package to its version; without abigen itself."""
    command = [python, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = dict(re.findall(r"^([^=\s]+)==(\S+)$", listed, re.MULTILINE))
    return {name: found[name] for name in sorted(found) if name not in ("abigen", "pip", "setuptools")}


def _failures(python: Path, tests: Sequence[str]) -> list[str]:
    """Run tests; returns the names of those that fail, sorted."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = ["-q", "-n", "auto", "--no-header", "-p", "no:cacheprovider", f"--junitxml={report}"]
        done = subprocess.run(
            [python, "-m", "pytest", *options, *tests], cwd=ROOT, capture_output=True, text=True, check=False
        )
        print(_last_line(done.stdout), flush=True)
        if not report.exists():
            return sorted(tests)
        cases = ElementTree.parse(report).iter("testcase")
        return sorted(
            f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
            for case in cases
            if case.find("failure") is not None or case.find("error") is not None
        )


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


if __name__ == "__main__":
    main()
