"""The Python API: typed, lazy, and the same results as the command line's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

import abigen as api
from abigen.checker.release import with_agreed_versions
from abigen.checker.report.formats.json import render
from abigen.checker.report.subject import ReportedApi, Style, diff_report, lint_report
from tests.cli.program import Program
from tests.cli.samples import FIRST, INSERTED, RELEASED
from tests.sampling import short_form
from tests.tools import require

ROOT = Path(__file__).parents[3]
PAIRS = sorted(
    each.parent for each in (ROOT / "tests" / "rules").glob("*/*/old.h") if each.with_name("new.h").exists()
)[::12]

Write = Callable[..., Path]


@pytest.mark.first_case
@pytest.mark.parametrize(
    "folder", short_form(PAIRS, 4, in_ci=True), ids=lambda folder: f"{folder.parent.name}/{folder.name}"
)
def test_results_are_those_of_the_command_line(abigen: Program, folder: Path) -> None:
    old, new = str(folder / "old.h"), str(folder / "new.h")
    before, after = (api.load(path, include_dirs=[str(folder)], cc="none", cache=False) for path in (old, new))
    verdict = api.diff(before, after)
    before, after = with_agreed_versions(before, after)
    options = ("--format", "json", "-I", str(folder), "--cc", "none")
    said = render([diff_report(ReportedApi(old, before), ReportedApi(new, after), verdict)], Style())
    shown = abigen("diff", old, new, *options)
    assert json.loads(shown.output) == json.loads(said)
    assert shown.code == (0 if verdict.ok else 1)
    findings = api.lint(after)
    ok = all(finding.level is not api.Level.ERROR for finding in findings)
    said = render([lint_report((ReportedApi(new, after),), findings, ok=ok)], Style())
    assert json.loads(abigen("lint", new, *options).output) == json.loads(said)


def test_a_verdict_says_what_a_release_needs(write: Write) -> None:
    old, new = api.load(str(write("old.h", FIRST))), api.load(str(write("new.h", RELEASED)))
    verdict = api.diff(old, new)
    assert (verdict.required, verdict.declared, verdict.ok) == (api.Bump.MINOR, "minor", True)
    broken = api.diff(old, api.load(str(write("broken.h", INSERTED))))
    assert (broken.required, broken.ok) == (api.Bump.MAJOR, False)
    assert broken.findings[0].axes.old_plugin is api.Axis.BREAKS
    assert isinstance(broken.findings[0].new, api.Span)


@pytest.mark.ci
@pytest.mark.usefixtures("repository")
def test_the_example_in_the_documentation_runs(abigen: Program, write: Write) -> None:
    write("include/api.h", INSERTED)
    subprocess.run(["git", "mv", "include/toy.h", "include/api.h", "-f"], cwd=abigen.directory, check=True)
    subprocess.run(["git", "commit", "-q", "-m", "x"], cwd=abigen.directory, check=True)
    subprocess.run(["git", "tag", "-f", "v1.0"], cwd=abigen.directory, check=True, capture_output=True)
    write("include/api.h", INSERTED)
    assert api.__doc__
    example = dedent(api.__doc__.split("::\n", 1)[1].split("\nThe results", 1)[0])
    run = subprocess.run(
        [sys.executable, "-c", example],
        cwd=abigen.directory,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "ABIGEN_CACHE_DIR": str(abigen.cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (
        "major required, none declared\ninclude/api.h:19:11 field-inserted SP_Toy.depth was inserted at offset 16"
        in run.stdout
    )


def test_what_is_wrong_with_input_is_an_error_with_places(write: Write) -> None:
    path = write("bad.h", "int a;\nTpye b;\n")
    with pytest.raises(api.AbigenError) as caught:
        api.load(str(path))
    (diagnostic,) = caught.value.diagnostics
    assert isinstance(diagnostic, api.Diagnostic)
    assert diagnostic.place is not None
    assert (diagnostic.place.line, diagnostic.place.column) == (2, 1)
    old = api.load(str(write("old.h", FIRST)), targets=["x86_64-linux-gnu"])
    new = api.load(str(write("new.h", FIRST)), targets=["i686-linux-gnu"])
    with pytest.raises(api.AbigenError, match="different targets"):
        api.diff(old, new)
    for question in lambda: api.diff(old, old, policy="strcit"), lambda: api.lint(old, policy="strcit"):
        with pytest.raises(api.AbigenError, match="strict"):
            question()
    with pytest.raises(api.AbigenError, match="x86_64-linux-gnu"):
        api.load("x.h", targets=["x86_64-linux-gun"])


def test_importing_abigen_loads_nothing_else() -> None:
    program = "import sys; before = set(sys.modules); import abigen; print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert {each for each in loaded if each.partition(".")[0] not in sys.stdlib_module_names} <= {
        "abigen",
        "abigen.version",
    }


def test_every_name_is_there_and_no_other() -> None:
    assert all(hasattr(api, name) for name in api.__all__)
    with pytest.raises(AttributeError):
        _ = api.nothing  # type: ignore[attr-defined]


@pytest.mark.ci
def test_type_checkers_know_the_types(tmp_path: Path) -> None:
    require("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        dedent("""\
            import abigen

            old: abigen.ApiSet = abigen.load("old.h", include_dirs=["include"], targets=["x86_64-linux-gnu"])
            verdict = abigen.diff(old, abigen.load("new.h"), policy="strict")
            bump: abigen.Bump = verdict.required
            places: list[abigen.Span | None] = [finding.new for finding in abigen.lint(old)]
            abigen.load(1)
            """)
    )
    run = subprocess.run(
        ["mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.count("error:") == 1
    assert 'Argument 1 to "load" has incompatible type "int"' in run.stdout
