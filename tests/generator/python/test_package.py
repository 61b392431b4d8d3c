"""Packages as others see them: typed, tidy, documented, and in need of nothing but cffi."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import cffi
import pytest

from tests.generator.build.building import REPOSITORY
from tests.generator.python.building import HERE, RUNTIME, SHARED, SPEC, generate, run_python
from tests.generator.python.conftest import Robots
from tests.tools import require

SELECTED = "E,F,W,I,UP,B,SIM,C4,PIE,RET,RUF,PTH,D1"
"""The rules of linters: those of abigen's own code, except for the style of names, which are C's."""
IGNORED = "D105,D107,E501,RUF001,RUF002,RUF003,RUF012"


def _folders(robots: Robots) -> list[str]:
    committed = sorted(str(each) for each in (REPOSITORY / "generated").glob("*/python"))
    return [str(robots.folder / "python"), str(SHARED), *committed]


def test_packages_are_formatted(robots: Robots) -> None:
    (ruff,) = require("ruff")
    command = [ruff, "format", "--isolated", "--check", "--no-cache", *_folders(robots)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_linters_find_nothing(robots: Robots) -> None:
    (ruff,) = require("ruff")
    options = ["--isolated", "--no-cache", "--target-version", "py311", "--select", SELECTED, "--ignore", IGNORED]
    done = subprocess.run([ruff, "check", *options, *_folders(robots)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.ci
def test_packages_and_those_who_use_them_are_typed(robots: Robots, tmp_path: Path) -> None:
    require("mypy")
    user = tmp_path / "user.py"
    user.write_text((HERE / "user.py.txt").read_text())
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", str(tmp_path / "cache")]
    environment = {"MYPYPATH": str(robots.folder / "python")}
    packages = ["-p", "plugin_api", "-p", RUNTIME]
    done = subprocess.run([*command, *packages], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout
    done = subprocess.run([*command, str(user)], capture_output=True, text=True, env=environment, check=False)
    lines = user.read_text().splitlines()
    expected = [number for number, line in enumerate(lines, 1) if "# error" in line]
    found = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]
    assert sorted(set(found)) == expected, done.stdout


def test_cffi_is_all_that_a_package_needs(robots: Robots) -> None:
    code = (
        "import importlib.metadata, cffi, pycparser, _cffi_backend\n"
        "before = set(sys.modules)\n"
        "import plugin_api.robot\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        f"made = {{'plugin_api', {RUNTIME!r}, 'cffi', 'pycparser'}}\n"
        "print(sorted(new - set(sys.stdlib_module_names) - made))\n"
    )
    done = run_python(code, robots.folder / "python")
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_package_can_be_taken_into_another(robots: Robots, tmp_path: Path) -> None:
    outer = tmp_path / "mine"
    outer.mkdir()
    (outer / "__init__.py").touch()
    (outer / "apis").symlink_to(robots.folder / "python" / "plugin_api")
    done = run_python("from mine.apis import robot; print(robot.RB_Robot(ordinal=4).ordinal)", tmp_path)
    assert (done.stdout, done.stderr) == ("4\n", "")


def test_the_documentation_is_the_spec_s(robots: Robots) -> None:
    assert robots.package.__doc__ == "Robots, and the plugins that move them."
    assert robots.package.RB_Robot.__doc__ == "A robot."
    assert robots.package.RB_Arms.add.__doc__ == "Required. Adds."
    assert robots.package.Plugin.RB_Start.__doc__ == "Fills `params`. Implemented by the plugin. Entry point."
    source = (robots.folder / "python/plugin_api/robot/__init__.py").read_text()
    assert "    num_path = _rt.Member(_rt.INT)\n    mood = " in source
    weight = '    weight = _rt.Member(_rt.FLOAT, since="1.2.0", deprecated="use ordinal")\n'
    assert f'{weight}    """Deprecated since 1.2.0. Use `ordinal`.' in source


def test_constants_and_types_have_names(robots: Robots) -> None:
    package = robots.package
    assert (package.RB_MAJOR, package.RB_MINOR, package.RB_PATCH) == (1, 2, 0)
    assert (package.RB_FINGERS, package.RB_MASK, package.RB_NAME, package.RB_HALF) == (4, 15, 'a "robot"', 0.5)
    assert robots.signal.SIG_OK is robots.signal.SIG_Kind.SIG_FINE
    assert package.RB_Id is int
    missing = [name for name in package.__all__ if not hasattr(package, name)]
    assert missing == []


def test_building_again_gives_the_same_bytes(robots: Robots, tmp_path: Path) -> None:
    again = generate(tmp_path, SPEC)
    files = {path.relative_to(again): path.read_bytes() for path in (again / "python").rglob("*") if path.is_file()}
    assert files == {path: (robots.folder / path).read_bytes() for path in files}


@pytest.mark.parametrize("folder", [HERE / "groups", None])
def test_no_file_is_made_twice(folder: Path | None, tmp_path: Path) -> None:
    made = generate(tmp_path, folder) if folder else REPOSITORY / "generated"
    files = [path for path in made.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    contents = Counter(text for path in files if (text := path.read_bytes()))
    assert [text for text, count in contents.items() if count > 1] == []


def test_a_group_works_with_the_runtime_beside_it_and_not_without(tmp_path: Path) -> None:
    folder = generate(tmp_path, HERE / "groups")
    shutil.copytree(folder / "one/python", tmp_path / "taken")
    code = "from one_plugin_api.base_types import BA_Point\nprint(BA_Point(x=3).x)\n"
    command = [sys.executable, "-S", "-c", code]
    site = str(Path(cffi.__file__).parents[1])
    for expected in ("", "3\n"):
        search = os.pathsep.join((str(tmp_path / "taken"), site))
        done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": search}, check=False)
        assert done.stdout == expected, done.stderr
        shutil.copytree(folder / "python" / RUNTIME, tmp_path / "taken" / RUNTIME, dirs_exist_ok=True)


def test_each_group_has_its_own_core(tmp_path: Path) -> None:
    folder = generate(tmp_path, HERE / "groups")
    code = "import one_plugin_api, two_plugin_api\nprint(one_plugin_api.core is two_plugin_api.core)\n"
    done = run_python(code, folder / "one/python", folder / "two/python")
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_specs_of_other_groups_are_used(tmp_path: Path) -> None:
    folder = generate(tmp_path, HERE / "groups")
    search = [folder / "python", folder / "one/python", folder / "two/python", folder / "two/deep/python"]
    code = (
        "from one_plugin_api.base_types import BA_Point\n"
        "from two_deep_plugin_api.user import FUNCTIONS, US_Line\n"
        "from two_plugin_api.local import LO_Kind\n"
        "seen = []\n"
        "line = US_Line(from_=BA_Point(x=3), to=BA_Point(x=4), kind=LO_Kind.LO_A)\n"
        "line.fn = lambda point: seen.append(point.x)\n"
        "line.fn(line.to)\n"
        "print(line.from_.x, seen, line.kind is LO_Kind.LO_A, FUNCTIONS['US_Draw'].ctype)\n"
    )
    done = run_python(code, *search)
    expected = "3 [4] True <ctype 'void(*)(US_Line *, BA_Thing *, void(*)(BA_Point *))'>\n"
    assert (done.stdout, done.stderr) == (expected, "")
