"""Plugins of the owners' APIs: scaffolds with bodies that do the work, and faults planted in them."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from tests.generator.new.projects import include, sources
from tests.tools import require

HERE = Path(__file__).parent
SPECS = HERE / "owners"
OWNERS = ("codec", "effect", "store", "solver", "logger", "arena")
_OPTIONS = ("-std=gnu11", "-O0", "-g", "-w", "-fPIC", "-fvisibility=hidden")
_BEFORE = """
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef float vector __attribute__((vector_size(16), may_alias));
static const char* kept;
"""


class Fault(msgspec.Struct, frozen=True):
    """A fault as `faults.yaml` has it; its text is a template of a plugin's roles."""

    name: str
    at: str
    plant: str
    told: tuple[str, ...]
    also: str = ""


@cache
def faults() -> tuple[Fault, ...]:
    """Return the twenty faults."""
    return msgspec.convert(yaml.safe_load((HERE / "faults.yaml").read_text(encoding="utf-8")), tuple[Fault, ...])


@cache
def _plugin(owner: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((HERE / "plugins.yaml").read_text(encoding="utf-8"))[owner]
    return found


def name_of(owner: str) -> str:
    """Return the name of an owner's plugin, as `abigen new` takes it."""
    return str(_plugin(owner)["name"])


def roles(owner: str) -> dict[str, str]:
    """Return the functions and expressions of an owner's plugin by their roles; some plugins lack some."""
    found: dict[str, str] = _plugin(owner)["roles"]
    return {"text_argument": "text", "newer_in": found["entry"], **found}


def can_have(owner: str, fault: Fault) -> bool:
    """True if a plugin has all that a fault needs: a table of the core's, a core function that is optional, ..."""
    needed = {*re.findall(r"(?<!\{)\{(\w+)\}", fault.plant + fault.also)}
    role = "" if fault.at.startswith("instead") else fault.at.rpartition(" of ")[2]
    return needed | ({role} if role else set()) <= {*roles(owner)}


class Project:
    """The C scaffold of an owner's plugin, with bodies that do the work."""

    def __init__(self, owner: str, project: Path) -> None:
        """Write the bodies into a project that `abigen new` has begun."""
        self._owner = owner
        self._project = project
        self._plugin = _plugin(owner)
        path = project / "src/callbacks.c"
        text = path.read_text(encoding="utf-8")
        for function, body in self._plugin["bodies"].items():
            text = _with_body(text, self._function(text, function), body)
        if "begin" in self._plugin:
            text = _started(text, self._function(text, roles(owner)["entry"]), self._plugin["begin"])
        self._before = _BEFORE + self._plugin["before"]
        self._text = text
        path.write_text(self._whole(text), encoding="utf-8")

    def library(self, fault: Fault | None = None) -> Path:
        """Compile the plugin, with a fault planted in it or without."""
        (compiler,) = require("cc")
        made = self._project.parent / f"{(fault.name if fault else 'right').replace(' ', '-')}.so"
        texts = {path: path.read_text(encoding="utf-8") for path in sources(self._project)}
        if fault is not None:
            texts = self._planted(fault, texts)
        copies = []
        for path, text in texts.items():
            copies.append(made.with_name(f"{made.stem}-{path.name}"))
            copies[-1].write_text(text, encoding="utf-8")
        command = [compiler, *_OPTIONS, *include(self._project), "-shared", "-pthread", *map(str, copies)]
        subprocess.run([*command, "-o", str(made)], check=True)
        return made

    def _planted(self, fault: Fault, texts: dict[Path, str]) -> dict[Path, str]:
        """Return all sources with a fault in one of them."""
        known, where = roles(self._owner), self._project / "src/callbacks.c"
        if fault.at == "instead of export":
            return {path: text.replace(f"{known['entry']}(", f"{known['entry']}Old(") for path, text in texts.items()}
        if fault.at == "instead of version":
            changed = {
                path: re.sub(
                    r"!= [A-Z]+_MAJOR\b", "== 12345", re.sub(r"(CheckCore\([^;]*?)[A-Z]+_MAJOR", _STATED, text)
                )
                for path, text in texts.items()
            }
            assert changed != texts, f"{self._owner} compares no version"
            return changed
        plant, before, text = fault.plant.format(**known), "", self._text
        for at, statement in ((fault.at, plant), *self._also(fault)):
            if at == "before":
                before += statement
                continue
            place, _, role = at.partition(" of ")
            function = self._function(text, known["newer_in"] if role == "newer" else known[role])
            text = (_started if place == "start" else _ended)(text, function, statement)
        return {**texts, where: self._whole(text, before)}

    def _also(self, fault: Fault) -> list[tuple[str, str]]:
        at, _, statement = fault.also.partition(": ")
        return [(at, statement.format(**roles(self._owner)))] if at else []

    def _whole(self, text: str, before: str = "") -> str:
        return text.replace('#include "plugin.h"\n', f'#include "plugin.h"\n{self._before}\n{before}\n', 1)

    def _function(self, text: str, name: str) -> str:
        return name if re.search(rf"\b{name}\(", text) else f"{name_of(self._owner).lower()}_{name}"


_STATED = r"\g<1>object->major"


def _body(text: str, function: str) -> tuple[int, int]:
    """Return where the body of a function begins and ends in a source that abigen has formatted."""
    found = re.search(rf"^\w[^\n;{{}}=#]*?\b{function}\([^;{{}}]*?\) \{{\n", text, re.MULTILINE)
    assert found is not None, f"there is no {function}"
    return found.end(), text.index("\n}\n", found.end() - 1) + 1


def _with_body(text: str, function: str, body: str) -> str:
    start, end = _body(text, function)
    return f"{text[:start]}{body.rstrip()}\n{text[end:]}"


def _started(text: str, function: str, statement: str) -> str:
    start, _ = _body(text, function)
    return f"{text[:start]}{statement.rstrip()}\n{text[start:]}"


def _ended(text: str, function: str, statement: str) -> str:
    """Return the text with a statement before the last return of a function, or at its end."""
    start, end = _body(text, function)
    last = max(text.rfind("\n  return", start, end), text.rfind("\nreturn", start, end)) + 1 or end
    return f"{text[:last]}{statement.rstrip()}\n{text[last:]}"
