"""The report that continuous integration shows as tests."""

from __future__ import annotations

from xml.etree import ElementTree

from msgspec.structs import replace

from abigen.checker.report.formats.junit import render
from abigen.checker.report.subject import Report, Style, lint_report
from abigen.model.finding import FAILED, NOT_RUN, PASSED, CheckRun, Level
from tests.checker.report.samples import COMPARISON, FINDING


def suites(report: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(report).findall("testsuite")


def test_a_comparison_is_a_test_for_the_verdict_and_one_per_finding() -> None:
    (suite,) = suites(render([COMPARISON], Style()))
    names = [str(case.get("name")) for case in suite]
    assert names[0] == "version"
    assert len(names) == 1 + len(COMPARISON.verdict.findings)
    assert suite.get("tests") == str(len(names))
    assert suite.get("failures") == str(len(suite.findall("testcase/failure")))


def test_each_comparison_is_a_suite() -> None:
    assert len(suites(render([COMPARISON, COMPARISON], Style()))) == 2


def test_a_warning_is_said_beside_a_test_that_passes() -> None:
    warning = replace(FINDING, level=Level.WARNING)
    (suite,) = suites(render([lint_report((COMPARISON.new,), (warning,), ok=True)], Style()))
    assert suite.get("failures") == "0"
    text = suite.findtext("testcase/system-out")
    assert text is not None
    assert FINDING.message in text


def test_a_check_that_could_not_be_run_is_skipped_with_the_reason() -> None:
    runs = (
        CheckRun(code="ABI020", name="a", result=PASSED, seconds=0.25),
        CheckRun(code="ABI021", name="b", result=NOT_RUN, reason="there is <none>"),
        CheckRun(code=FINDING.code, name="c", result=FAILED),
    )
    subject = Report(
        command="verify",
        operand="p.so",
        sides=(COMPARISON.new,),
        release="1.0.0",
        runs=runs,
        all_findings=(replace(FINDING, level=Level.ERROR),),
        ok=False,
    )
    (suite,) = suites(render([subject], Style()))
    assert [[child.tag for child in case] for case in suite] == [[], ["skipped"], ["failure"]]
    assert suite[0].get("time") == "0.250"
    skipped = suite[1].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "there is <none>"


def test_what_xml_cannot_hold_is_escaped() -> None:
    strange = replace(FINDING, message="a\0b\x1bc\ud800d\uffffe <&> \U0001f600", level=Level.ERROR)
    (suite,) = suites(render([lint_report((COMPARISON.new,), (strange,), ok=False)], Style()))
    failure = suite.find("testcase[2]/failure")
    assert failure is not None
    assert failure.get("message") == r"a\x00b\x1bc\ud800d\uffffe <&> " + "\U0001f600"
