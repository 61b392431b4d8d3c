"""The command line of `abigen verify`, and what it prints."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from jsonschema import Draft202012Validator

from tests.generator.build.building import REPOSITORY
from tests.runner.verify.plugins import compile_plugin, verify

FAULTY = ("-DFAULT=IGNORES_VERSION",)
ONLY = ("--only", "handshake-refused", "--only", "foreign-major-accepted", "--only", "older-core-refused")


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a plugin that ignores the core's version."""
    return compile_plugin(tmp_path_factory.mktemp("plugin"), "plugin", *FAULTY)


@pytest.mark.ci
def test_the_api_is_found_by_the_entry_point_and_the_sizes_of_structs(plugin: Path) -> None:
    verified = verify(plugin, "--only", "handshake-refused", api=None)
    assert json.loads(verified.output)["api"] == "tensorflow/stream_executor"


def test_a_library_without_any_entry_point_is_refused_with_the_apis_that_are_known(tmp_path: Path) -> None:
    verified = verify(compile_plugin(tmp_path, "none", source="empty.c"), api=None)
    assert verified.code == 2
    assert "exports no entry point of a known API" in verified.remarks
    assert "tensorflow/stream_executor" in verified.remarks


def test_a_finding_stands_at_the_line_of_the_contract(plugin: Path) -> None:
    verified = verify(plugin, *ONLY, form="text")
    assert (
        "error ABI023 foreign-major-accepted: SE_InitPlugin accepts a core of another MAJOR, 1.0.0\n" in verified.output
    )
    assert "- name: SE_InitPlugin\n" in verified.output
    assert verified.output.endswith(
        "does not apply: older-core-refused: no earlier release has this MAJOR\n"
        "1 error: 1 check passed, 1 failed, 1 does not apply (as a core of release 0.0.1)\n"
    )
    assert verified.code == 1


@pytest.mark.ci
def test_the_exit_code_follows_the_threshold(plugin: Path) -> None:
    assert verify(plugin, *ONLY, "--fail-on", "never").code == 0
    assert verify(plugin, "--only", "handshake-refused", "--fail-on", "note").code == 0


def test_the_last_lines_wrap_where_the_terminal_ends(plugin: Path) -> None:
    verified = verify(plugin, *ONLY, "--width", "50", form="text")
    assert verified.output.endswith(
        "does not apply: older-core-refused: no earlier\n    release has this MAJOR\n"
        "1 error: 1 check passed, 1 failed, 1 does not\n    apply (as a core of release 0.0.1)\n"
    )


@pytest.mark.ci
def test_a_warning_fails_the_run_on_request(tmp_path: Path) -> None:
    leaking = compile_plugin(tmp_path, "plugin", "-DFAULT=LEAKS_EVENTS")
    assert verify(leaking, "--only", "destruction-leaks").code == 0
    verified = verify(leaking, "--only", "destruction-leaks", "--fail-on", "warning")
    assert verified.found == {("destruction-leaks", "SP_StreamExecutor.destroy_event")}
    assert verified.code == 1


@pytest.mark.ci
def test_the_report_in_json_follows_its_schema(plugin: Path) -> None:
    schema = json.loads((REPOSITORY / "abigen/checker/report/verify.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    report = json.loads(verify(plugin, *ONLY).output)
    Draft202012Validator(schema).validate(report)
    assert [each["result"] for each in report["checks"]] == ["passed", "not run", "failed"]


def test_the_report_in_xml_has_a_test_per_check(plugin: Path) -> None:
    suite = ElementTree.fromstring(verify(plugin, *ONLY, form="junit").output).find("testsuite")
    assert suite is not None
    assert {key: suite.get(key) for key in ("tests", "failures", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "skipped": "1",
    }
    cases = {str(case.get("name")): [child.tag for child in case] for case in suite}
    assert cases == {
        "ABI020 handshake-refused": [],
        "ABI021 older-core-refused": ["skipped"],
        "ABI023 foreign-major-accepted": ["failure"],
    }


@pytest.mark.ci
def test_the_calls_before_a_finding_are_told(plugin: Path) -> None:
    (finding,) = json.loads(verify(plugin, *ONLY).output)["findings"]
    assert finding["calls"] == ["loading the library", "SE_InitPlugin"]
    page = verify(plugin, *ONLY, form="html").output
    assert re.findall(r"<li>(.*)</li>", page) == finding["calls"]


def test_the_report_for_code_scanning_carries_the_manual(plugin: Path) -> None:
    run = json.loads(verify(plugin, *ONLY, form="sarif").output)["runs"][0]
    assert [each["ruleId"] for each in run["results"]] == ["ABI023"]
    assert "another MAJOR" in run["tool"]["driver"]["rules"][0]["shortDescription"]["text"]


def test_annotations_name_the_finding(plugin: Path) -> None:
    assert "::error title=ABI023 foreign-major-accepted," in verify(plugin, *ONLY, form="github").output


def test_reports_are_written_to_files_besides(plugin: Path, tmp_path: Path) -> None:
    verified = verify(plugin, *ONLY, "--output", f"junit={tmp_path / 'report.xml'}", "-q")
    assert verified.output == ""
    assert "<testsuite " in (tmp_path / "report.xml").read_text(encoding="utf-8")


def test_every_format_that_can_tell_of_plugins_is_offered() -> None:
    from abigen.checker.report.formats import VERIFY_FORMATS
    from abigen.cli.verify import command

    (option,) = [each for each in command.params if each.name == "format"]
    assert isinstance(option.type, click.Choice)
    assert set(option.type.choices) == set(VERIFY_FORMATS)


def test_a_format_that_cannot_tell_of_plugins_is_refused(plugin: Path, tmp_path: Path) -> None:
    verified = verify(plugin, "--output", f"markdown={tmp_path / 'report.md'}")
    assert verified.code == 2
    assert (
        "Plugins are not reported as markdown; there is text, concise, github, html, json, junit, sarif."
        in verified.remarks
    )


def test_all_checks_are_listed_without_a_plugin() -> None:
    from contextlib import redirect_stdout
    from io import StringIO

    from abigen.cli.main import run

    output = StringIO()
    with redirect_stdout(output):
        assert run(["verify", "--list"]) == 0
    assert "ABI023  foreign-major-accepted" in output.getvalue()
    assert "ABI062  work-in-stream-reordered" in output.getvalue()


def test_a_mistyped_check_gets_a_suggestion(plugin: Path) -> None:
    verified = verify(plugin, "--only", "foreign-mayor-accepted")
    assert verified.code == 2
    assert "did you mean `foreign-major-accepted`?" in verified.remarks


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01\x01" + bytes(57), b"MZ" + bytes(100)])
def test_what_is_no_library_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "plugin.so"
    path.write_bytes(content)
    verified = verify(path, "--only", "handshake-refused")
    assert verified.output == ""
    assert verified.remarks.startswith("abigen: error: ")
    assert verified.code == 2


def test_a_library_for_another_processor_is_refused_with_the_names_of_both(tmp_path: Path) -> None:
    library = compile_plugin(tmp_path, "plugin")
    content = bytearray(library.read_bytes())
    content[18:20] = (243).to_bytes(2, "little")
    library.write_bytes(content)
    verified = verify(library, "--only", "handshake-refused")
    assert verified.code == 2
    assert f"{library} is for RISC-V, this machine is " in verified.remarks


def test_a_library_that_cannot_be_loaded_does_not_pass(tmp_path: Path) -> None:
    library = compile_plugin(tmp_path, "plugin")
    content = bytearray(library.read_bytes())
    content[7] = 0x53  # for a system that nobody has
    library.write_bytes(content)
    verified = verify(library, "--only", "handshake-refused")
    assert verified.found == {("library-not-loaded", "plugin.so")}
    assert verified.code == 1


def test_an_entry_point_that_takes_what_nobody_knows_is_refused_at_the_place(tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_text(ODD, encoding="utf-8")
    verified = verify(compile_plugin(tmp_path, "none", source="empty.c"), "--spec-dir", str(tmp_path), api="odd")
    assert verified.code == 2
    assert f"odd.yaml:{len(ODD.splitlines())}:" in verified.remarks
    assert "OD_Init takes where, and the spec does not state the argument that the core passes" in verified.remarks


ODD = """\
abigen: 1
api: odd
prefix: OD
version: 1.0.0
header: {path: odd.h}
structs:
  - {name: OD_Table, fields: [{name: run, required: true, type: void (*)(void)}]}
functions:
  - {name: OD_Init, implemented_by: plugin, entry_point: true, type: "int (const char* where, OD_Table* table)"}
"""


def test_a_project_adds_checks_of_its_own(plugin: Path, tmp_path: Path) -> None:
    (tmp_path / "house_rules.py").write_text(CHECK, encoding="utf-8")
    verified = verify(plugin, "--checks", str(tmp_path), "--only", "name-too-short")
    assert verified.found == {("name-too-short", "SP_Platform.name")}


@pytest.mark.ci
def test_what_was_not_run_fails_on_request_but_not_what_need_not_be_there(plugin: Path) -> None:
    assert verify(plugin, "--only", "older-core-refused", "--fail-on", "not-run").code == 0
    assert verify(plugin, "--only", "unusable-after-refusal", "--fail-on", "error").code == 0
    assert verify(plugin, "--only", "unusable-after-refusal", "--fail-on", "not-run").code == 1


@pytest.mark.ci
def test_a_quick_run_has_fewer_checks(plugin: Path) -> None:
    report = json.loads(verify(plugin, "--quick").output)
    names = {each["rule"] for each in report["checks"]}
    assert {"handshake-refused", "order-not-kept", "callback-crashes"} <= names
    assert not {"copy-is-wrong", "use-leaks", "older-core-refused"} & names
    assert {each["rule"] for each in report["findings"]} == {"foreign-major-accepted"}


CHECK = '''
from collections.abc import Iterator

from abigen.runner.verify.check import Observation, check
from abigen.runner.verify.session import Session
from abigen.runner.verify.harness import Harness


@check("ABI099")
def name_too_short(harness: Harness) -> Iterator[Observation]:
    """The platform's name has fewer than twenty letters.

    What happens: Nobody can tell it from others.

    Source: house rules.
    """
    name = Session(harness).start().structs["SP_Platform"].text("name")
    if len(name or "") < 20:
        yield Observation("SP_Platform.name", f"SP_Platform.name is {name!r}")
'''


@pytest.mark.ci
def test_a_broken_spec_beside_the_one_that_is_named_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "spec"
    folder.mkdir()
    (folder / "bell.yaml").write_bytes((Path(__file__).parent / "spec" / "bell.yaml").read_bytes())
    (folder / "broken.yaml").write_text("entry_point: [")
    library = tmp_path / "p.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=b"int a;", check=True)
    done = subprocess.run(
        [sys.executable, "-m", "abigen", "verify", library, "--api", "spec/bell.yaml"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "entry-point-missing" in done.stdout
    assert "abigen: warning: spec/broken.yaml is left out: " in done.stderr
