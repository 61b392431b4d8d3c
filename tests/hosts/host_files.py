"""Reads the folders of hosts: working plugins, the host's command, and faults to plant in the plugin in C.

A folder `tests/hosts/HOST` has:

- `host.yaml`, see `Host`;
- `LANG/src/...`, the files of a working plugin that are written by hand. A file replaces the file of the same path in
  the scaffold; with `keeps: true`, functions of the scaffold that the file does not define are appended to it;
- `faults.yaml`, see `Fault`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import yaml

FOLDER = Path(__file__).parent
LANGUAGES = ("c", "cpp", "python", "rust")
KINDS = (
    "required missing",
    "write past a buffer",
    "past an older struct",
    "garbage code",
    "leak per object",
    "crash in each of three functions",
    "double free",
    "wrong constant",
    "borrowed pointer kept",
    "not thread-safe",
)
"""The faults that each host's plugin is tried with."""

_START = re.compile(r"(?:pub |static )?[\w].*\(|@callback")
_NAME = re.compile(r"^(?:def |.*?\bfn |.*?)((?:\w+::)*\w+)\(", re.MULTILINE)
_END = {"python": re.compile(r"(?=^@|\Z)", re.MULTILINE)}
_BRACE = re.compile(r"^}\n", re.MULTILINE)


class Host(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A host program and what its working plugin needs.

    Attributes:
        api: the API, as `abigen new --api` takes it.
        packages: packages of Debian or PyPI to install, for the reason of a skipped test.
        programs: programs that have to be in PATH.
        command: a script of bash; `$library` is the path of the plugin, `$folder` its folder.
        shows: regular expressions that the output of `command` has to match.
        lines: how many lines of the plugin are written by hand, per language.
        library: the name of the file that the host loads.
        modules: Python modules that have to be importable.
        files: paths that have to exist.
        root: True if the host needs the rights of root.
        new: more arguments for `abigen new`.
        fetch: a script of bash that brings the vendor's header to the folder that it runs in.
        headers: a module of Python, and the folder with the vendor's header below the module's.
        link_python: True if a plugin in Python has to bring Python along.
        keeps: True if functions that the working plugin does not define are kept as the scaffold has them.
        untouched: a pattern of what the command says with a plugin in which nothing is written by hand.
        warned: rules by which `abigen verify` warns of the working plugin.
        verify: more arguments for `abigen verify`.
        host: a command for `abigen verify --host`, with `{plugin}`.
    """

    api: str
    packages: list[str]
    programs: list[str]
    command: str
    shows: list[str]
    lines: dict[str, int]
    library: str = "gain.so"
    modules: list[str] = []
    files: list[str] = []
    root: bool = False
    new: list[str] = []
    fetch: str = ""
    headers: dict[str, str] = {}
    link_python: bool = True
    keeps: bool = False
    untouched: str = ""
    warned: list[str] = []
    verify: list[str] = []
    host: str = ""


class Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Text of a file of the plugin in C, and the text that replaces it."""

    old: str
    new: str
    file: str = ""


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fault of a plugin.

    Attributes:
        kind: one of `KINDS`.
        edits: edits of the working plugin in C; none if the fault makes no sense for the API.
        apart: True if each edit is a fault of its own.
        told: rules that `abigen verify` reports; none if it reports nothing.
        why: why the fault makes no sense, or why it is not told.
    """

    kind: str
    edits: list[Edit] = []
    apart: bool = False
    told: list[str] = []
    why: str = ""

    @property
    def variants(self) -> list[list[Edit]]:
        """Return the edits that make the fault, for each form of it."""
        return [[edit] for edit in self.edits] if self.apart else [self.edits]


def hosts() -> list[str]:
    """Return the names of all hosts."""
    return sorted(path.parent.name for path in FOLDER.glob("*/host.yaml"))


def host(name: str) -> Host:
    """Read the file of a host."""
    return msgspec.convert(yaml.safe_load((FOLDER / name / "host.yaml").read_text("utf-8")), Host)


def faults(name: str) -> list[Fault]:
    """Read the faults of a host's plugin."""
    path = FOLDER / name / "faults.yaml"
    return msgspec.convert(yaml.safe_load(path.read_text("utf-8")), list[Fault]) if path.exists() else []


def fault_of(name: str, kind: str) -> Fault:
    """Return the fault of this kind."""
    return next(fault for fault in faults(name) if fault.kind == kind)


def overlay(name: str, language: str, project: Path, *, keeps: bool) -> int:
    """Write the files of a working plugin over those of its scaffold; return how many lines are written by hand.

    Lines that are empty or that the scaffold's file has already do not count.
    """
    count = 0
    folder = FOLDER / name / language
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        place = project / path.relative_to(folder)
        text = path.read_text("utf-8")
        old = place.read_text("utf-8") if place.exists() else ""
        known = set(old.splitlines())
        count += sum(bool(line.strip()) and line not in known for line in text.splitlines())
        if keeps and old:
            text += "".join(_kept(old, text, language))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return count


def plant(edits: list[Edit], project: Path) -> None:
    """Edit the sources of a plugin in C."""
    sources = sorted(project.glob("src/*.c"))
    for edit in edits:
        places = [project / edit.file] if edit.file else sources
        found = [path for path in places if edit.old in path.read_text("utf-8")]
        assert len(found) == 1, f"{edit.old!r} is in {len(found)} files"
        found[0].write_text(found[0].read_text("utf-8").replace(edit.old, edit.new), "utf-8")


def run(script: str, folder: Path, variables: Mapping[str, str]) -> tuple[str, int]:
    """Return the output and the exit code of a script of bash."""
    done = subprocess.run(
        ["bash", "-c", f"set -eo pipefail\n{script}"],
        cwd=folder,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=570,
    )
    return done.stdout, done.returncode


def _kept(old: str, new: str, language: str) -> Iterator[str]:
    """Yield the functions of the scaffold that the overlay does not define."""
    defined = {name for name, _ in _functions(new, language)}
    for name, text in _functions(old, language):
        if name not in defined:
            yield f"\n{text}" if language != "python" else f"\n\n{text.rstrip()}\n"


def _functions(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each function that begins in the first column."""
    end, at = _END.get(language, _BRACE), 0
    lines = [match.start() for match in re.finditer(r"^", text, re.MULTILINE)]
    for start in lines:
        if start < at or not _START.match(text, start):
            continue
        found = end.search(text, start + 1)
        name = _NAME.search(text, start) if language != "python" else re.compile(r"def (\w+)\(").search(text, start)
        if found and name:
            at = found.end()
            yield name[1], text[start:at]
