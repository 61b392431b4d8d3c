"""The pages about checks."""

from __future__ import annotations

import re

import pytest

from abigen.cli.reports import whole_manual
from abigen.runner.apis import shipped_checks
from abigen.runner.verify.check import PluginCheck
from tests.runner.verify.test_faults import FAULTS
from tests.runner.verify.test_handlers import FOUND
from tests.runner.verify.test_planted import KERNELS, PLANTS
from tests.tools import require

CHECKS = shipped_checks()


def test_every_page_has_a_code_and_a_name_of_its_own() -> None:
    pages = whole_manual()
    assert len({page.code for page in pages}) == len(pages)
    assert len({page.name for page in pages}) == len(pages)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_every_check_says_what_happens_what_to_do_and_why(check: PluginCheck) -> None:
    page = check.page
    assert re.fullmatch(r"ABI(?:0\d|8[5-9])\d", check.code)
    assert page.summary.endswith(".")
    assert [heading for heading, _ in page.sections] == ["What happens", "Instead", "Source"]
    kinds = (check.on_harness, check.on_core, check.on_file, check.on_end)
    assert sum(kind is not None for kind in kinds) == 1


def test_every_check_has_a_plugin_that_it_accuses() -> None:
    require("cc")
    elsewhere = {
        *(
            "result-unwritten",
            "buffer-differs",
            "event-never-ends",
            "copy-between-devices-differs",
        ),  # tests/generator/new
        *("deletion-takes-data-in-use", "threads-mix-buffers", "error-says-nothing"),
        *("chain-broken", "unknown-extension-refused"),
        *("handler-missing", *(rule for rule, _ in FOUND)),  # of functions for JAX
        "exception-escapes",
        "sanitizer-reports",
        "entry-point-missing",
        "symbol-unknown",
        "library-missing",
        "core-symbol-exported",
        "library-not-loaded",
        "limit-exceeded",
        "older-core-refused",
        "entry-point-without-effect",
        "deprecated-member-used",
        "exclusive-members-set",
        "creation-fails-on-older-core",
        "example-fails",
        "null-refused",
        *("index-past-the-end", "value-wrong"),  # test_vendors.py
        *("core-block-misused", "core-called-on-wrong-thread"),  # test_owners.py
    }
    told = {fault.rule for fault in (*FAULTS, *PLANTS, *KERNELS)} | elsewhere
    assert {check.name for check in CHECKS} - told == set()
