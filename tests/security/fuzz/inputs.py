"""Inputs by number: a command line and the file that it is about."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import NamedTuple

from abigen.checker.report.formats import format_names
from abigen.model.target import target_names
from tests.security.fuzz.mutations import mutated
from tests.security.fuzz.seeds import ROOT, seeds, text_of


class Input(NamedTuple):
    """A run of the program."""

    arguments: list[str]
    path: Path
    content: bytes


def make(kind: str, number: int, folder: Path) -> Input:
    """Return the input of a number; always the same as long as the seeds and the mutations are.

    Args:
        kind: one of `seeds.KINDS`.
        number: which.
        folder: where its file is to be.
    """
    random = Random(f"{kind} {number}")
    seed, other = random.choice(seeds(kind)), random.choice(seeds(kind))
    content = mutated(text_of(seed), text_of(other), random)
    if kind == "config":
        path = folder / seed.name  # which decides where the settings stand in it
        return Input([*_configured(random), "--config", str(path), "--no-cache"], path, content)
    path = _beside(seed, folder) / f"mutant{seed.suffix}"
    compared = other if random.random() < 0.15 else seed
    arguments = _command(str(compared), str(path), random)
    arguments += ["--no-cache", "--abi", random.choice(target_names())]
    if kind == "header":
        arguments += [
            "-I",
            str(seed.parent),
            "-I",
            str(ROOT / "generated"),
            "--cc",
            "none" if random.random() < 0.97 else "cc",
        ]
    if random.random() < 0.1:
        arguments += ["--abi", random.choice(target_names())]
    return Input(arguments, path, content)


def _beside(seed: Path, folder: Path) -> Path:
    """Return a folder with what the seed includes or uses from its own."""
    copy = folder / "-".join(seed.parent.parts[1:])
    if not copy.exists():
        shutil.copytree(seed.parent, copy)
    return copy


def _configured(random: Random) -> list[str]:
    """Return a question whose answer a configuration changes."""
    new = random.choice([path for path in seeds("header") if path.name == "new.h"])
    old = new.with_name("old.h")
    report = ["--format", random.choice(format_names()), "-I", str(new.parent)]
    action = random.random()
    if action < 0.2:
        return ["diff", str(old), str(new), "--explain-config"]
    return ["diff", str(old), str(new), *report] if action < 0.7 else ["lint", str(new), *report]


def _command(seed: str, mutant: str, random: Random) -> list[str]:
    """Return a command: mostly a comparison with the text that it was made from, or with another one."""
    report = ["--format", random.choice(format_names())]
    action = random.random()
    if action < 0.5:
        return ["diff", seed, mutant, *report]
    if action < 0.75:
        return ["diff", mutant, seed, *report]
    if action < 0.95:
        return ["lint", mutant, *report]
    return ["layout", mutant, "--format", random.choice(("text", "json"))]
