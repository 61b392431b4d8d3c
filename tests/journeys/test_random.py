"""Random specs go the same way as those of the owners: what abigen makes of them compiles, and nothing condemns it."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.generator.build.building import STRICT, abigen, compile_text
from tests.generator.new.projects import built, new
from tests.journeys.random_specs import specs
from tests.journeys.releases import at, releases, write
from tests.runner.verify.plugins import verify
from tests.tools import require

_AS_GIVEN = (Phase.generate, Phase.shrink)
_CHECKS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]


def _journey(text: str, folder: Path) -> None:
    """Take one spec through build, a compiler, lint, diff, import and back, new, and verify."""
    spec = write(text, folder / "spec/random.yaml")
    run = abigen("build", cwd=folder)
    assert run.code == 0, run.stderr
    made = folder / "generated"
    for path, compiler, standard in (
        (made / "c/random.h", "gcc", "c99"),
        (made / "c/random_helpers.h", "g++", "c++17"),
        (made / "cpp/random.hpp", "g++", "c++17"),
        (made / "c-checks/random_checks.h", "gcc", "c11"),
    ):
        options = (f"-std={standard}", *STRICT, *(f"-I{made / each}" for each in ("c", "cpp", "c-checks")))
        said = compile_text(compiler, options, f'#include "{path.name}"\nint main(void) {{ return 0; }}\n')
        assert not said, f"{path.name}: {said}"
    checks = (made / "c-checks/random_checks.c").read_text(encoding="utf-8")
    said = compile_text("gcc", ("-std=c11", *STRICT, f"-I{made / 'c'}", f"-I{made / 'c-checks'}"), checks)
    assert not said, said
    in_spec, in_header = (_lint(folder, each) for each in ("spec/random.yaml", "generated/c/random.h"))
    assert in_header - in_spec == set()
    for release in releases(text)[:-1]:
        run = abigen("diff", f"spec/random.yaml@{release}", "spec/random.yaml", cwd=folder)
        assert run.code == 0, run.stdout + run.stderr
    run = abigen("import", made / "c/random.h", "--out", folder / "again/spec", cwd=folder)
    assert run.code == 0, run.stdout + run.stderr
    run = abigen("build", "--target", "c", cwd=folder / "again")
    assert run.code == 0, run.stderr
    run = abigen("diff", made / "c/random.h", "again/generated/c/random.h", "--format", "json", cwd=folder)
    assert json.loads(run.stdout)["findings"] == [], run.stdout
    library = built(new(folder / "plugin", "Rand", str(spec)))
    verified = verify(library, api=str(spec))
    assert verified.code == 0, verified.output + verified.remarks


def _lint(folder: Path, operand: str) -> set[tuple[str, str]]:
    run = abigen("lint", operand, "--format", "json", "--fail-on", "never", cwd=folder)
    assert run.code == 0, run.stderr
    return {(each["rule"], each["entity"]) for each in json.loads(run.stdout)["findings"]}


def _taken(text: str) -> None:
    require("cmake", "g++")
    with TemporaryDirectory() as folder:
        _journey(text, Path(folder))


@pytest.mark.ci
@settings(max_examples=2, deadline=None, derandomize=True, phases=_AS_GIVEN, suppress_health_check=_CHECKS)
@given(specs())
def test_a_random_spec_goes_all_the_way(text: str) -> None:
    _taken(text)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, phases=_AS_GIVEN, suppress_health_check=_CHECKS)
@given(specs())
def test_many_random_specs_go_all_the_way(text: str) -> None:
    _taken(text)


@pytest.mark.ci
@given(specs())
@settings(max_examples=25, deadline=None, derandomize=True)
def test_an_earlier_release_of_a_random_spec_lists_no_later_one(text: str) -> None:
    for release in releases(text):
        assert releases(at(text, release))[-1] == release
