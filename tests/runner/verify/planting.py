"""Faults planted in scaffolded plugins: each is one place of one source with something else there."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.generator.new.projects import include, new, sources
from tests.runner.verify.plugins import API
from tests.tools import require

START = "the start of "
_DEFINITION = r"^\w[^\n;{{}}=#]*?\b{}\([^;{{}}]*?\) \{{\n"
"""The beginning of the definition of a function."""
OPTIONS = ("-std=gnu11", "-O0", "-g", "-w", "-D_GNU_SOURCE", "-fPIC", "-fvisibility=hidden")


class Plant(NamedTuple):
    """A change of a scaffolded plugin, and the expected findings."""

    name: str
    rule: str
    entity: str
    """Empty for any."""
    source: str
    """Below the project; `memory.c` for `src/memory.c`."""
    old: str
    """The replaced text; all its occurrences are replaced. `START` and a function: the beginning of its body."""
    new: str
    run: tuple[str, ...] = ()
    """The checks that meet it, when they are others."""
    options: tuple[str, ...] = ()
    """For the compiler."""
    devices: int = 1
    """The number of devices that the plugin has."""
    also: tuple[tuple[str, str], ...] = ()
    """The other replaced texts of the same source, with their replacements."""

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks that have to be run to find it."""
        return self.run or (self.rule,)


class Scaffold:
    """A project that abigen has begun, compiled file by file, so that a changed file is all that is compiled again."""

    def __init__(self, folder: Path, api: str = API, *options: str | Path) -> None:
        """Begin and compile it."""
        self.project = new(folder / "project", "XPU", api, *options)
        self._folder = folder
        self._objects = {path: self._compile(path, path.read_text(encoding="utf-8")) for path in sources(self.project)}

    def plugin(self, *plants: Plant) -> Path:
        """Return a library with some changes."""
        objects = dict(self._objects)
        texts: dict[Path, str] = {}
        for each in plants:
            path = self.project / (each.source if "/" in each.source else f"src/{each.source}")
            text = texts.get(path) or path.read_text(encoding="utf-8")
            for change in ((each.old, each.new), *each.also):
                text = _changed(text, *change, f"{each.name}: {path}")
            texts[path] = text
            if each.devices > 1:
                header = self.project / "src/device.h"
                before = f"#define XPU_DEVICES {each.devices}"
                texts[header] = header.read_text(encoding="utf-8").replace("#define XPU_DEVICES 1", before)
        headers = {path: text for path, text in texts.items() if path.suffix == ".h"}
        for path in self._objects if headers else ():
            text = texts.get(path) or path.read_text(encoding="utf-8")
            for header, changed in headers.items():
                text = text.replace(f'#include "{header.name}"', changed)
            texts[path] = text
        for path, text in texts.items():
            if path in headers:
                continue
            options = tuple(option for each in plants for option in each.options)
            objects[path] = self._compile(path, text, *options, name=plants[0].name)
        library = self._folder / f"{plants[0].name if plants else 'right'}.so"
        link = tuple(option for each in plants for option in each.options if option.startswith(("-f", "-l")))
        _run("-shared", "-pthread", *link, *objects.values(), "-lm", "-o", library)
        return library

    def _compile(self, path: Path, text: str, *options: str, name: str = "") -> Path:
        made = self._folder / f"{name or 'right'}-{path.stem}.o"
        copy = made.with_suffix(".c")
        copy.write_text(text, encoding="utf-8")
        here = f"-I{path.parent}"
        _run(*OPTIONS, *options, here, *include(self.project), "-c", copy, "-o", made)
        return made


def _changed(text: str, old: str, new: str, where: str) -> str:
    """Return a source with something else in a place."""
    if old.startswith(START):
        found = re.search(_DEFINITION.format(re.escape(old.removeprefix(START))), text, re.MULTILINE)
        old = found[0] if found is not None else old
        new = f"{old}{new}\n"
    assert old in text, f"{where} does not have what is to be changed"
    return text.replace(old, new)


@cache
def _compiler() -> str:
    (found,) = require("cc")
    return found


def _run(*arguments: str | Path) -> None:
    subprocess.run([_compiler(), *map(str, arguments)], check=True)
