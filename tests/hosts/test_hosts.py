"""Plugins of other fields run in their real hosts, in every language, and `abigen verify` finds their faults."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.hosts.host_files import FOLDER, KINDS, LANGUAGES, Host, fault_of, faults, host, hosts, overlay, plant, run
from tests.readme.blocks import ROOT, read
from tests.readme.test_readme import Reader, environment
from tests.tools import missing, require, require_file, require_module, require_program

pytestmark = pytest.mark.hosts

BUILDERS = {"c": ("cmake", "cc"), "cpp": ("cmake", "cc", "c++"), "python": ("cmake", "cc"), "rust": ("cargo", "rustc")}
CASES = [(name, language) for name in hosts() for language in LANGUAGES if (FOLDER / name / language).is_dir()]


def needed(name: str, language: str) -> Host:
    """Read the file of a host; skip the test unless the host is installed."""
    it = host(name)
    if it.root and os.geteuid() != 0:
        missing("the rights of root", f"nothing, but run the tests of {name} as root", is_in_ci=False)
    require("bash", *BUILDERS[language])
    for program in it.programs:
        require_program(program, " and ".join(it.packages))
    for path in it.files:
        require_file(Path(path), " and ".join(it.packages))
    for module in it.modules:
        require_module(module)
    return it


def scaffold(it: Host, language: str, folder: Path, variables: dict[str, str]) -> Path:
    """Return the folder of a new project for the API of a host."""
    include = ""
    for module, path in it.headers.items():
        file = importlib.import_module(module).__file__
        include += f" -I '{require_file(Path(str(file)).parent / path, module)}'"
    if it.fetch:
        output, code = run(it.fetch, folder, variables)
        if code:
            missing(f"the vendor's header, which cannot be downloaded ({output})", "nothing", is_in_ci=False)
        include += " -I ."
    options = "".join(f" {each}" for each in it.new)
    output, code = run(f"abigen new gain --api {it.api} --lang {language}{options}{include}", folder, variables)
    assert code == 0, output
    return folder / "gain"


def built(it: Host, language: str, project: Path, variables: dict[str, str], *, tested: bool = True) -> Path:
    """Build a plugin, and if it is tested, without a warning and with its own test; return what the host loads."""
    if language == "rust":
        script = "cargo build --release --offline" + ("\ncargo test --offline" if tested else "")
        library = project / "target/release/libgain_plugin.so"
    else:
        option = " -DGAIN_LINK_PYTHON=ON" if language == "python" and it.link_python else ""
        option += f" -DGAIN_WERROR={'ON' if tested else 'OFF'}"
        script = f"cmake --preset default{option}\ncmake --build --preset default"
        script += "\nctest --preset default --output-on-failure" if tested else ""
        library = project / "build" / it.library
    output, code = run(script, project, variables)
    assert code == 0, output
    assert not tested or not re.search(r"\bwarning\b", output), output
    if language == "rust":
        library = shutil.copy2(library, library.with_name(it.library))
    return library


def variables_of(folder: Path) -> dict[str, str]:
    """Return variables under which `abigen` is this checkout's, and Python is the Python of this test."""
    path = [str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    return environment(folder) | {"PATH": os.pathsep.join(path)}


@pytest.mark.parametrize(("name", "language"), CASES, ids=lambda value: value)
def test_a_working_plugin_runs_in_its_host_and_verify_finds_nothing(name: str, language: str, tmp_path: Path) -> None:
    it = needed(name, language)
    variables = variables_of(tmp_path)
    project = scaffold(it, language, tmp_path, variables)
    count = overlay(name, language, project, keeps=it.keeps)
    library = built(it, language, project, variables)
    shown, code = run(it.command, tmp_path, variables | {"library": str(library), "folder": str(library.parent)})
    assert code == 0, shown
    for pattern in it.shows:
        assert re.search(pattern, shown), f"{pattern}\n{shown}"
    report, code = run(f"abigen verify '{library}' --api {it.api} {' '.join(it.verify)}", tmp_path, variables)
    assert code == 0, report
    assert set(re.findall(r"^warning (ABI\d+)", report, re.MULTILINE)) == set(it.warned), report
    assert it.lines[language] == count


@pytest.mark.parametrize("name", hosts())
def test_an_untouched_plugin_crashes_no_host(name: str, tmp_path: Path) -> None:
    """A host may refuse what is not written yet, in its own words."""
    it = needed(name, "c")
    variables = variables_of(tmp_path)
    library = built(it, "c", scaffold(it, "c", tmp_path, variables), variables)
    (library.parent / "gain.log").touch()
    shown, code = run(it.command, tmp_path, variables | {"library": str(library), "folder": str(library.parent)})
    assert 0 <= code < 128, shown
    assert not re.search(r"(?i)segmentation fault|core dumped|aborted|double free|signal 11", shown), shown
    assert re.search(it.untouched, shown), shown


@pytest.mark.parametrize("name", [name for name in hosts() if faults(name)])
def test_the_faults_of_a_host_are_those_of_the_list(name: str) -> None:
    assert sorted(fault.kind for fault in faults(name)) == sorted(KINDS)
    assert all(fault.edits or fault.why for fault in faults(name))
    assert all(bool(fault.told) != bool(fault.why) for fault in faults(name))


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, fault.kind) for name in hosts() for fault in faults(name) if fault.edits],
    ids=lambda value: value.replace(" ", "-"),
)
def test_verify_reports_a_fault(name: str, kind: str, tmp_path: Path) -> None:
    """A fault that is not reported has a reason in the file, and the report says nothing else of the plugin."""
    it = needed(name, "c")
    fault = fault_of(name, kind)
    variables = variables_of(tmp_path)
    project = scaffold(it, "c", tmp_path, variables)
    overlay(name, "c", project, keeps=it.keeps)
    for number, edits in enumerate(fault.variants):
        changed = shutil.copytree(project, tmp_path / str(number) / "gain")
        plant(edits, changed)
        library = built(it, "c", changed, variables, tested=False)
        report, _ = run(f"abigen verify '{library}' --api {it.api} {' '.join(it.verify)} || true", tmp_path, variables)
        told = set(re.findall(r"^(?:error|warning) (ABI\d+)", report, re.MULTILINE))
        assert told & set(fault.told) if fault.told else told <= set(it.warned), report


@pytest.mark.parametrize("name", [name for name in hosts() if host(name).host])
def test_verify_tries_the_host_with_the_working_plugin(name: str, tmp_path: Path) -> None:
    it = needed(name, "c")
    variables = variables_of(tmp_path)
    project = scaffold(it, "c", tmp_path, variables)
    overlay(name, "c", project, keeps=it.keeps)
    library = built(it, "c", project, variables, tested=False)
    command = f"abigen verify --host {shlex.quote(it.host)} --with '{library}' --api {it.api}"
    report, code = run(command, tmp_path, variables)
    assert code == 0, report
    assert re.search(r"^[1-9]\d* checks? passed", report, re.MULTILINE), report


@pytest.mark.parametrize("name", [name for name in hosts() if (ROOT / f"docs/hosts/{name}.md").exists()])
def test_the_page_of_a_host_leads_to_a_plugin_that_runs(name: str, tmp_path: Path) -> None:
    needed(name, "c")
    reader = Reader(tmp_path)
    for block in (block for block in read(ROOT / f"docs/hosts/{name}.md") if block.executed):
        reader.follow(block)
