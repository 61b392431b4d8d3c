"""`abigen verify` of functions for JAX, which have names that nobody else knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from abigen.workspace.process import Bounds
from tests.generator.build.building import REPOSITORY
from tests.generator.new.projects import DEBUG, built, built_in_rust, new
from tests.runner.verify.plugins import compile_plugin, verify

API = "xla/ffi"
BOUNDS = Bounds(seconds=5.0)
"""The time limit of a call of a handler."""
INCLUDE = f"-I{REPOSITORY / 'generated/xla/c'}"
FOUND = {
    ("frame-unchecked", "copies_anything"),
    ("handler-version-foreign", "is_of_the_next_major"),
    ("handler-error-foreign", "returns_text"),
    ("handler-error-lost", "loses_errors"),
    ("handler-arguments-malformed", "says_all_is_well"),
    ("handler-arguments-malformed", "says_nothing"),
    ("handler-arguments-malformed", "has_no_size"),
    ("argument-written", "writes_arguments"),
    ("argument-written", "writes_the_frame"),
    ("result-overrun", "writes_too_much"),
    ("handler-results-mix", "mixes_threads"),
}
RARELY = [pytest.param(each, marks=pytest.mark.slow) for each in ("cpp", "python")]
LANGUAGES = ["c", pytest.param("rust", marks=pytest.mark.ci), *RARELY]


@pytest.mark.ci
def test_each_handler_with_a_mistake_is_accused_and_the_right_one_is_not(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "handlers", INCLUDE, source="handlers.c"), api=API)
    assert verified.found == FOUND
    (uncalled,) = json.loads(verified.output)["not_called"]
    assert uncalled == {
        "function": "twice",
        "reason": "it does not answer XLA's question for its version, as handlers do",
    }


@pytest.mark.ci
def test_a_handler_that_does_not_return_is_accused(tmp_path: Path) -> None:
    library = compile_plugin(tmp_path, "handlers", INCLUDE, "-DHANGS", source="handlers.c")
    verified = verify(library, "--only", "frame-unchecked", api=API)
    assert verified.found == {("frame-unchecked", "copies_anything"), ("frame-unchecked", "hangs")}


@pytest.mark.ci
def test_a_handler_that_does_not_return_is_waited_for_by_one_check_only(tmp_path: Path) -> None:
    library = compile_plugin(tmp_path, "handlers", INCLUDE, "-DHANGS", source="handlers.c")
    verified = verify(library, api=API)
    assert verified.found == FOUND | {("frame-unchecked", "hangs")}
    waited = [each["rule"] for each in json.loads(verified.output)["checks"] if each["seconds"] >= BOUNDS.seconds]
    assert waited == ["frame-unchecked"]


@pytest.mark.ci
def test_a_library_without_a_handler_is_told_so(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "empty", source="empty.c"), "--quick", api=API)
    assert verified.found == {("handler-missing", "XLA_FFI_Handler")}


@pytest.mark.ci
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_found_in_a_library_that_abigen_begins(language: str, tmp_path: Path) -> None:
    project = new(tmp_path / "toy", "Toy", API, language=language)
    library = built_in_rust(project, test=False) if language == "rust" else built(project, DEBUG, test=False)
    verified = verify(library, api=API)
    assert (verified.code, verified.found) == (0, set())
