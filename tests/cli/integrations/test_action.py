"""`action.yml`, its steps executed by bash as a runner of GitHub does it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest
import yaml

from tests.cli.program import Program
from tests.cli.samples import APPENDED, INSERTED, RELEASED
from tests.tools import require

ROOT = Path(__file__).parents[3]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/abi.yml").read_text("utf-8"))

Write = Callable[..., Path]
Git = Callable[..., str]


class Runner(msgspec.Struct):
    """The files of GitHub's runner for a job."""

    workspace: Path
    folder: Path
    environment: dict[str, str]
    before: str = ""
    """The commit of the branch before a push; empty for other events."""

    def run(self, step: Mapping[str, object], inputs: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a step of a composite action, with the inputs that are not given at their defaults."""
        values = {name: inputs.get(name, declared.get("default", "")) for name, declared in ACTION["inputs"].items()}
        assert inputs.keys() <= values.keys()
        script = self.folder / "step.sh"
        script.write_text(str(step["run"]))
        assert "${{" not in script.read_text(), "a value would become a part of the script"
        declared_environment = step["env"]
        assert isinstance(declared_environment, dict)
        environment = {name: self._evaluate(text, values) for name, text in declared_environment.items()}
        assert step["shell"] == "bash"
        (bash,) = require("bash")
        return subprocess.run(
            [bash, "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env={**self.environment, **self._file("GITHUB_ENV"), **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def _evaluate(self, text: str, inputs: Mapping[str, str]) -> str:
        """Replace the expressions that the action uses."""
        known = {
            **{f"inputs.{name}": value for name, value in inputs.items()},
            "github.action_path": str(ROOT),
            "github.event.before": self.before,
            "github.event.repository.default_branch": "main",
        }
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: known[match[1]], text)

    def _file(self, name: str) -> dict[str, str]:
        text = Path(self.environment[name]).read_text()
        blocks = re.findall(r"([\w-]+)<<(\w+)\n(.*?)\n\2\n", text, re.DOTALL)
        assert "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, end, value in blocks) == text
        return {name: value for name, _, value in blocks}

    @property
    def outputs(self) -> dict[str, str]:
        return self._file("GITHUB_OUTPUT")

    @property
    def summary(self) -> str:
        return Path(self.environment["GITHUB_STEP_SUMMARY"]).read_text()


INSTALL, COMPARE = ACTION["runs"]["steps"]


@pytest.fixture
def runner(abigen: Program, repository: Callable[[str], None], tmp_path: Path) -> Runner:
    """A runner whose workspace is a checkout, with the `abigen` of this repository where one would be installed."""
    folder = tmp_path / "runner"
    folder.mkdir()
    program = folder / "abigen-program"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m abigen "$@"\n')
    program.chmod(0o755)
    files = {name: folder / name for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for path in files.values():
        path.touch()
    environment = {
        **os.environ,
        **{name: str(path) for name, path in files.items()},
        "RUNNER_TEMP": str(folder),
        "GITHUB_BASE_REF": "",
        "ABIGEN": str(program),
        "ABIGEN_CACHE_DIR": str(abigen.cache),
    }
    return Runner(abigen.directory, folder, environment)


@pytest.mark.ci
def test_a_break_fails_the_job_with_annotations_and_a_summary(runner: Runner, write: Write) -> None:
    write("include/toy.h", INSERTED)
    result = runner.run(COMPARE, {"paths": "include/toy.h\n", "against": "HEAD"})
    assert result.returncode == 1, result.stderr
    assert re.search(r"^::error [^:]*file=include/toy\.h,line=\d+", result.stdout, re.MULTILINE)
    assert "field-inserted" in runner.summary
    assert runner.outputs.keys() == {"exit-code", "markdown", "sarif"}
    assert runner.outputs["exit-code"] == "1"
    assert Path(runner.outputs["markdown"]).read_text() == runner.summary
    found = json.loads(Path(runner.outputs["sarif"]).read_text())
    assert {each["ruleId"] for run in found["runs"] for each in run["results"]} >= {"ABI103"}


@pytest.mark.ci
def test_a_change_that_the_version_says_passes(runner: Runner, write: Write) -> None:
    write("include/toy.h", RELEASED)
    inputs = {"paths": "include/toy.h\ninclude", "against": "v1.0", "policy": "default"}
    result = runner.run(COMPARE, inputs)
    assert result.returncode == 0, result.stdout + result.stderr
    assert runner.outputs["exit-code"] == "0"
    assert Path(runner.outputs["markdown"]).read_text() == runner.summary != ""


@pytest.mark.ci
def test_a_pull_request_is_compared_with_where_it_left_its_base(
    runner: Runner, write: Write, git: Git, repository: Callable[[str], None]
) -> None:
    git("checkout", "-q", "-b", "topic")
    write("include/toy.h", APPENDED)
    repository("append")
    git("update-ref", "refs/remotes/origin/main", "main")
    runner.environment["GITHUB_BASE_REF"] = "main"
    result = runner.run(COMPARE, {"paths": "include/toy.h", "arguments": "--summary\n\n-D\nX Y=1"})
    assert (result.returncode, runner.outputs["exit-code"]) == (1, "1"), result.stderr


@pytest.mark.ci
def test_a_push_is_compared_with_what_was_there_before_it(
    runner: Runner, write: Write, git: Git, repository: Callable[[str], None]
) -> None:
    runner.before = git("rev-parse", "HEAD").strip()
    write("include/toy.h", INSERTED)
    repository("break")
    write("notes.txt", "nothing")
    repository("a second commit of the same push")
    assert runner.run(COMPARE, {"paths": "include/toy.h"}).returncode == 1
    assert runner.run(COMPARE, {"paths": "include/toy.h", "fail-on": "never"}).returncode == 0


@pytest.mark.ci
def test_a_forced_push_is_compared_with_the_commit_that_it_replaced(
    runner: Runner, write: Write, git: Git, repository: Callable[[str], None], tmp_path: Path
) -> None:
    origin = tmp_path / "origin"
    git("clone", "-q", "--bare", ".", str(origin))
    git("config", "uploadpack.allowAnySHA1InWant", "true", cwd=origin)
    git("remote", "add", "origin", str(origin))
    write("include/toy.h", APPENDED)
    repository("replaced")
    runner.before = git("rev-parse", "HEAD").strip()
    git("push", "-q", "origin", "main")
    git("reset", "-q", "--hard", "v1.0")
    git("push", "-q", "--force", "origin", "main")
    git("reflog", "expire", "--expire=now", "--all")
    git("gc", "-q", "--prune=now")
    result = runner.run(COMPARE, {"paths": "include/toy.h"})
    assert result.returncode == 1, result.stdout + result.stderr
    assert "field-removed" in result.stdout


@pytest.mark.ci
def test_a_new_branch_is_compared_with_where_it_left_the_default_branch(
    runner: Runner, write: Write, git: Git, repository: Callable[[str], None]
) -> None:
    git("update-ref", "refs/remotes/origin/main", "main")
    git("checkout", "-q", "-b", "topic")
    write("include/toy.h", INSERTED)
    repository("break")
    repository_state = git("rev-parse", "HEAD")
    write("notes.txt", "nothing")
    repository("another")
    assert repository_state != git("rev-parse", "HEAD")
    runner.before = "0" * 40
    assert runner.run(COMPARE, {"paths": "include/toy.h"}).returncode == 1


def test_a_question_without_an_answer_fails_the_job_otherwise(runner: Runner) -> None:
    result = runner.run(COMPARE, {"paths": "include/nowhere.h", "against": "HEAD"})
    assert (result.returncode, runner.outputs["exit-code"]) == (2, "2")
    assert "there is no file include/nowhere.h" in result.stderr


@pytest.mark.ci
@pytest.mark.parametrize("name", ["paths", "against", "policy", "fail-on", "include-dirs", "arguments"])
def test_an_input_is_never_executed(runner: Runner, name: str) -> None:
    payload = "x$(touch stolen)`touch stolen`\";touch stolen;'"
    runner.run(COMPARE, {"paths": "include/toy.h", "against": "HEAD", name: payload})
    assert not (runner.workspace / "stolen").exists()


def test_the_example_uses_inputs_and_outputs_that_exist() -> None:
    (job,) = WORKFLOW["jobs"].values()
    checkout, step = job["steps"][:2]
    assert checkout["with"]["fetch-depth"] == 0
    assert step["uses"] == "./"
    assert step["with"].keys() <= ACTION["inputs"].keys()
    required = {name for name, declared in ACTION["inputs"].items() if declared.get("required")}
    assert required <= step["with"].keys()
    used = set(re.findall(rf"steps\.{step['id']}\.outputs\.([\w-]+)", (ROOT / ".github/workflows/abi.yml").read_text()))
    assert used <= ACTION["outputs"].keys()


def test_every_action_that_is_used_is_pinned_by_a_hash() -> None:
    used = [step["uses"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "uses" in step]
    assert [each for each in used if each != "./" and not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each)] == []


@pytest.mark.slow
def test_the_action_installs_abigen(runner: Runner, write: Write) -> None:
    runner.environment.pop("ABIGEN")
    result = runner.run(INSTALL, {"paths": "include/toy.h", "python": sys.executable})
    assert result.returncode == 0, result.stdout + result.stderr
    write("include/toy.h", INSERTED)
    assert runner.run(COMPARE, {"paths": "include/toy.h", "against": "HEAD"}).returncode == 1
