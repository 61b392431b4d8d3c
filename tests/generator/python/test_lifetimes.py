"""Tests of lifetimes: a stored object lives as long as its container, or a view of the container."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest

from tests.generator.python.building import HERE, SHARED, compile_library, generate
from tests.generator.python.conftest import Robots
from tests.generator.python.lifetimes.api import KINDS, core, spec
from tests.tools import require_compiler


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lifetimes")
    (folder / "spec").mkdir()
    (folder / "spec/keep.yaml").write_text(json.dumps(spec()))
    (folder / "core.c").write_text(core())
    generate(folder, folder / "spec")
    return folder


def _run(folder: Path, library: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(HERE / "lifetimes/matrix.py"), "", str(library), str(folder / "python"), str(SHARED)]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


@pytest.mark.ci
def test_every_value_lives_as_long_as_what_it_is_stored_in(built: Path) -> None:
    library = compile_library(built / "core.c", built / "libcore.so", built / "c")
    done = _run(built, library, PYTHONMALLOC="debug")
    assert (done.stdout, done.stderr) == (f"{len(KINDS) * 23} tried\n", "")


@pytest.mark.ci
def test_the_same_holds_for_the_address_sanitizer(built: Path) -> None:
    compiler = require_compiler("gcc", "-fsanitize=address")
    asking = [compiler, "-print-file-name=libasan.so"]
    found = subprocess.run(asking, capture_output=True, text=True, check=True).stdout.strip()
    options = ("-fsanitize=address", "-fno-omit-frame-pointer", "-g")
    library = compile_library(built / "core.c", built / "libcore-asan.so", built / "c", *options)
    environment = {"LD_PRELOAD": found, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    done = _run(built, library, **environment)
    assert (done.stdout, done.stderr) == (f"{len(KINDS) * 23} tried\n", "")


def test_what_is_stored_goes_with_what_it_is_stored_in(robots: Robots) -> None:
    class Step:
        def __call__(self, robot: Any, step: int, argument: Any) -> None: ...

    package = robots.package
    watcher = Step()
    friend = package.RB_Robot(ordinal=2)
    gone = [weakref.ref(watcher), weakref.ref(friend)]
    robot = package.RB_Robot(next=friend, watcher=watcher)
    robot.next.next = robot  # a circle
    box = package.RB_Box()
    box.friends[0] = robot
    del watcher, friend, robot
    gc.collect()
    assert gone[1]() is not None
    del box
    gc.collect()
    assert gone[1]() is None
