"""The way of an owner: every command on the specs of six owners, of whom each has three releases."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from tests.generator.build.building import STRICT, abigen, compile_text
from tests.generator.new.projects import built, built_in_rust, new
from tests.journeys.plugins import OWNERS, SPECS, Fault, Project, can_have, faults, name_of
from tests.journeys.releases import at, releases, write
from tests.runner.verify.plugins import Verified, verify
from tests.sampling import short_form
from tests.tools import require

HEADERS = [("gcc", "c99"), ("clang", "c11"), ("gcc", "c2x"), ("g++", "c++17"), ("clang++", "c++17")]
LANGUAGES = short_form(
    [(owner, language) for language in ("c", "cpp", "python", "rust") for owner in OWNERS], 12, in_ci=True, ci_every=7
)
PLANTED = short_form(
    [(owner, each) for each in faults() for owner in OWNERS if can_have(owner, each)], 11, in_ci=True, ci_every=8
)


def spec_of(owner: str) -> Path:
    return SPECS / f"{owner}.yaml"


@pytest.fixture(scope="module", params=short_form(OWNERS, 3, in_ci=True, ci_every=5))
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The owner's repository, with a commit for each release; its folder has the owner's name."""
    require("git")
    folder = tmp_path_factory.mktemp("owner") / str(request.param)
    text = spec_of(request.param).read_text(encoding="utf-8")
    git(folder, "init", "-q")
    for release in releases(text):
        write(at(text, release), folder / "spec" / f"{request.param}.yaml")
        run = abigen("build", cwd=folder)
        assert run.code == 0, run.stderr
        git(folder, "add", "-A")
        git(
            folder, "-c", "user.name=owner", "-c", "user.email=owner@example.org", "commit", "-qm", f"Release {release}"
        )
        git(folder, "tag", f"v{release}")
    return folder


def git(folder: Path, *arguments: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.ci
def test_every_generated_file_compiles_with_all_warnings(repository: Path) -> None:
    made = repository / "generated"
    for path in sorted((made / "c").glob("*.h")) + sorted((made / "cpp").glob("*.hpp")):
        for compiler, standard in HEADERS:
            if path.suffix == ".hpp" and "++" not in compiler:
                continue
            options = (f"-std={standard}", *STRICT, f"-I{made / 'c'}", f"-I{made / 'cpp'}")
            said = compile_text(compiler, options, f'#include "{path.name}"\nint main(void) {{ return 0; }}\n')
            assert not said, f"{compiler} {standard}: {path.name}: {said}"
    for path in sorted((made / "c-checks").rglob("*.c")):
        options = ("-std=c11", "-D_DEFAULT_SOURCE", *STRICT, f"-I{made / 'c'}", f"-I{made / 'c-checks'}")
        assert not compile_text("gcc", options, path.read_text(encoding="utf-8")), path.name


def test_lint_says_of_the_generated_header_nothing_that_it_does_not_say_of_the_spec(repository: Path) -> None:
    def found(*operands: str) -> set[tuple[str, str]]:
        run = abigen("lint", *operands, "--format", "json", "--fail-on", "never", cwd=repository)
        assert run.code == 0, run.stderr
        return {(each["rule"], each["entity"]) for each in json.loads(run.stdout)["findings"]}

    owner = repository.name
    assert found(f"generated/c/{owner}.h") - found(f"spec/{owner}.yaml") == set()
    assert found(f"generated/c/{owner}_helpers.h") == set()


@pytest.mark.ci
def test_each_release_may_follow_the_ones_before_it_as_spec_and_as_header(repository: Path) -> None:
    owner, spec = repository.name, f"spec/{repository.name}.yaml"
    known = releases((repository / spec).read_text(encoding="utf-8"))
    for one, other in combinations(known, 2):
        run = abigen("diff", f"{spec}@{one}", f"{spec}@{other}", cwd=repository)
        assert run.code == 0, run.stdout
        run = abigen("diff", f"v{one}:generated/c/{owner}.h", f"v{other}:generated/c/{owner}.h", cwd=repository)
        assert run.code == 0, run.stdout + run.stderr


@pytest.mark.ci
def test_a_release_is_compared_with_the_commit_before_it(repository: Path) -> None:
    run = abigen("diff", "--against", "HEAD~1", cwd=repository)
    assert run.code == 0, run.stdout + run.stderr
    assert "breaking change" not in run.stdout


@pytest.mark.ci
def test_documentation_and_changelog_name_every_release(repository: Path) -> None:
    spec = f"spec/{repository.name}.yaml"
    run = abigen("docs", spec, "--out", "manual", cwd=repository)
    assert run.code == 0, run.stderr
    run = abigen("changelog", spec, cwd=repository)
    assert run.code == 0, run.stderr
    for release in releases((repository / spec).read_text(encoding="utf-8")):
        assert f"## {release}" in run.stdout


@pytest.mark.ci
def test_old_and_new_binaries_work_together_within_a_major(repository: Path) -> None:
    require("cc")
    run = abigen("skew", f"spec/{repository.name}.yaml", cwd=repository)
    assert run.code == 0, run.stdout + run.stderr


@pytest.mark.ci
def test_the_generated_header_is_imported_and_comes_back_the_same(repository: Path, tmp_path: Path) -> None:
    owner = repository.name
    run = abigen("import", repository / "generated/c" / f"{owner}.h", "--out", tmp_path / "spec", cwd=tmp_path)
    assert run.code == 0, run.stdout + run.stderr
    run = abigen("build", "--spec-dir", tmp_path / "spec", "--out", tmp_path / "again", "--target", "c", cwd=tmp_path)
    assert run.code == 0, run.stderr
    again = tmp_path / "again/c" / f"{owner}.h"
    run = abigen("diff", repository / "generated/c" / f"{owner}.h", again, "--format", "json", cwd=tmp_path)
    assert json.loads(run.stdout)["findings"] == [], run.stdout


def scaffold(owner: str, language: str, folder: Path, spec: Path | None = None) -> Path:
    project = folder / "project"
    return new(project, name_of(owner), str(spec or spec_of(owner)), language=language)


@pytest.mark.ci
@pytest.mark.parametrize(("owner", "language"), LANGUAGES)
def test_the_untouched_plugin_has_no_error_in_any_release(owner: str, language: str, tmp_path: Path) -> None:
    text = spec_of(owner).read_text(encoding="utf-8")
    spec = write(text, tmp_path / "spec" / f"{owner}.yaml")
    project = scaffold(owner, language, tmp_path, spec)
    python = (f"-DPython_EXECUTABLE={sys.executable}",) if language == "python" else ()
    library = built_in_rust(project) if language == "rust" else built(project, *python)
    newest = releases(text)[-1]
    for release in releases(text):
        if release.major == newest.major:
            verified = verify(library, "--release", str(release), api=str(spec))
            assert verified.code == 0, verified.output + verified.remarks


@pytest.mark.ci
@pytest.mark.parametrize("owner", short_form(OWNERS, 6, in_ci=True, ci_every=3))
def test_a_plugin_of_the_first_release_is_brought_up_to_date(owner: str, tmp_path: Path) -> None:
    text = spec_of(owner).read_text(encoding="utf-8")
    spec = write(at(text, releases(text)[0]), tmp_path / "spec" / f"{owner}.yaml")
    project = scaffold(owner, "c", tmp_path, spec)
    write(text, spec)
    run = abigen("new", "--update", ".", cwd=project)
    assert run.code == 0, run.stderr
    verified = verify(built(project), api=str(spec))
    assert verified.code == 0, verified.output + verified.remarks


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Project]:
    """Working plugins of all owners that a test of this process has asked for."""
    return _Projects(tmp_path_factory)


class _Projects(dict[str, Project]):
    def __init__(self, folders: pytest.TempPathFactory) -> None:
        super().__init__()
        self._folders = folders

    def __missing__(self, owner: str) -> Project:
        self[owner] = Project(owner, scaffold(owner, "c", self._folders.mktemp(owner)))
        return self[owner]


def tried(project: Project, owner: str, fault: Fault | None) -> Verified:
    return verify(project.library(fault), "--timeout", "3", api=str(spec_of(owner)))


@pytest.mark.ci
@pytest.mark.parametrize("owner", OWNERS)
def test_a_plugin_that_does_its_work_has_no_finding_and_every_function_is_called(
    owner: str, projects: dict[str, Project]
) -> None:
    verified = tried(projects[owner], owner, None)
    assert verified.found == set(), verified.output
    assert json.loads(verified.output)["not_called"] == []


@pytest.mark.ci
@pytest.mark.parametrize(("owner", "fault"), PLANTED)
def test_a_planted_fault_is_told(owner: str, fault: Fault, projects: dict[str, Project]) -> None:
    verified = tried(projects[owner], owner, fault)
    assert {rule for rule, _ in verified.found} & {*fault.told}, verified.output + verified.remarks
