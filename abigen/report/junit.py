"""JUnit's XML, which continuous integration shows as tests: the one writer of it, for all commands.

Source: the schema of the Jenkins xUnit plugin, `junit-10.xsd`, which GitLab, Jenkins and Azure Pipelines read.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

import msgspec

from abigen.model.span import printable


class JUnitOutcome(msgspec.Struct, frozen=True):
    """What is said of a test beside that it passes."""

    kind: str
    """`failure`, `skipped`, or `system-out` for what is said of a test that passes."""
    message: str = ""
    """In one line; what passes has none."""
    lines: Sequence[str] = ()


class JUnitTest(msgspec.Struct, frozen=True):
    """A test of a suite."""

    name: str
    classname: str
    outcomes: Sequence[JUnitOutcome] = ()
    seconds: float = 0.0


class JUnitSuite(msgspec.Struct, frozen=True):
    """The tests of one run."""

    name: str
    tests: Sequence[JUnitTest]

    def count(self, kind: str) -> int:
        """How many tests have an outcome of a kind."""
        return sum(any(each.kind == kind for each in test.outcomes) for test in self.tests)


def junit(suites: Sequence[JUnitSuite]) -> str:
    """Write suites as one document; XML 1.0 has no way to write what is escaped as for terminals (section 2.2)."""
    content = "".join(map(_suite, suites))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{content}</testsuites>\n'


def _suite(suite: JUnitSuite) -> str:
    counts = (
        f'tests="{len(suite.tests)}" failures="{suite.count("failure")}" errors="0" skipped="{suite.count("skipped")}"'
    )
    return f"  <testsuite name={_quoted(suite.name)} {counts}>\n{''.join(map(_test, suite.tests))}  </testsuite>\n"


def _test(test: JUnitTest) -> str:
    head = f'<testcase name={_quoted(test.name)} classname={_quoted(test.classname)} time="{test.seconds:.3f}"'
    content = "".join(map(_outcome, test.outcomes))
    return f"    {head}>{content}</testcase>\n" if content else f"    {head}/>\n"


def _outcome(outcome: JUnitOutcome) -> str:
    head = f"{outcome.kind} message={_quoted(outcome.message)}" if outcome.message else outcome.kind
    content = escape("\n".join(map(printable, outcome.lines)))
    return f"<{head}>{content}</{outcome.kind}>" if content else f"<{head}/>"


def _quoted(text: str) -> str:
    return quoteattr(printable(text))
