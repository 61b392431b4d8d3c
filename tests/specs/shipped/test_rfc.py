"""The spec of the RFC's API against the header that the RFC contains."""

from __future__ import annotations

import json
from pathlib import Path

from tests.generator.build.building import REPOSITORY, abigen
from tests.specs.shipped.equality import abidiff, api_of, shared_object, sizes, use_everything

_ORIGINAL = Path(__file__).with_name("rfc_original.h")
_SPEC = REPOSITORY / "spec" / "rfc" / "stream_executor.yaml"
_INCLUDE = REPOSITORY / "generated" / "rfc" / "c"
_HEADER = "tensorflow/c/experimental/stream_executor/stream_executor.h"
_MISTAKE = "SP_PLATFORM_FNS_STRUCT_SIZE"


def test_libabigail_sees_no_difference_in_any_type(tmp_path: Path) -> None:
    api = api_of(_SPEC)
    old = shared_object(use_everything(api, _ORIGINAL.name), _ORIGINAL.parent, tmp_path / "old.so")
    new = shared_object(use_everything(api, _HEADER), _INCLUDE, tmp_path / "new.so")
    assert abidiff(old, new) == ""


def test_the_comparison_would_see_a_difference(tmp_path: Path) -> None:
    api = api_of(_SPEC)
    changed = tmp_path / "changed.h"
    changed.write_text(_ORIGINAL.read_text().replace("  int32_t ordinal;", "  int64_t ordinal;", 1))
    old = shared_object(use_everything(api, changed.name), tmp_path, tmp_path / "old.so")
    new = shared_object(use_everything(api, _HEADER), _INCLUDE, tmp_path / "new.so")
    assert "SP_Device" in abidiff(old, new)


def test_all_sizes_agree_but_the_one_that_the_rfc_forgot_to_move(tmp_path: Path) -> None:
    api = api_of(_SPEC)
    old = sizes(api, _ORIGINAL.name, _ORIGINAL.parent, tmp_path)
    new = sizes(api, _HEADER, _INCLUDE, tmp_path)
    assert len(new) == 16
    assert {name for name in new if old[name] != new[name]} == {_MISTAKE}


def test_abigen_diff_names_the_rfc_s_mistake_and_nothing_else() -> None:
    for new in (_INCLUDE / _HEADER, _SPEC):
        report = json.loads(abigen("diff", _ORIGINAL, new, f"-I{_INCLUDE}", "--format", "json").stdout)
        changes = [(each["rule"], each["entity"]) for each in report["findings"] if each["rule"] not in _ABOUT_WORDS]
        assert changes == [("size-macro-changed", _MISTAKE)], new


def test_abigen_lint_names_the_rfc_s_mistake() -> None:
    report = json.loads(abigen("lint", _ORIGINAL, "--format", "json").stdout)
    stale = [each["entity"] for each in report["findings"] if each["rule"] == "size-macro-stale"]
    assert stale == [_MISTAKE]


_ABOUT_WORDS = ("field-repurposed", "requirement-tightened", "implementer-changed", "bump-missing")
"""Documentation is ours, the version is the RFC's, and what is required the RFC says in its text and not in comments of
the header: what follows from these is no difference between the APIs."""
