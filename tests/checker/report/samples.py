"""A comparison made by hand, for tests of reports."""

from __future__ import annotations

from msgspec.structs import replace

from abigen.checker.report.subject import Report, ReportedApi, diff_report
from abigen.model.api import Api, ApiGroup, ApiSet
from abigen.model.entities import VersionDeclaration
from abigen.model.finding import Axes, Axis, Bump, Detail, Finding, Level, Verdict
from abigen.model.span import Span
from abigen.model.version import Version

OLD_TEXT = "struct Toy {\n  int first;\n\tint new_field1;\n};\n"
NEW_TEXT = "struct Toy {\n  int first;\n\tint depth;  // 0 is no-op.\n\tint new_field1;\n};\n"

FINDING = Finding(
    code="ABI103",
    rule="field-inserted",
    entity="Toy.depth",
    bump=Bump.MAJOR,
    level=Level.ERROR,
    axes=Axes(
        old_plugin=Axis.BREAKS,
        new_plugin=Axis.AT_RISK,
        reasons={
            "old_plugin": "it fills new_field1 at 24; a core built against NEW reads it at 32",
            "new_plugin": "it must compare struct_size first",
        },
    ),
    message="Toy.depth is not at the end of the struct",
    help="append depth after new_field1 and raise TOY_MINOR",
    details=(Detail("moves", "new_field1 from 24 to 32"), Detail("old", "struct Toy, 36 bytes (40 with padding)")),
    old=Span("old.h", 1, 8, 3),
    new=Span("new.h", 3, 6, 5),
    caret="new at offset 24",
    targets={"x86_64-linux-gnu": {"old_offset": None, "new_offset": 24}},
)

NOTE = Finding(
    code="ABI108",
    rule="field-appended",
    entity="Toy.more",
    bump=Bump.MINOR,
    level=Level.NOTE,
    message="Toy.more was appended",
    new=Span("included.h", 7, 3, 4),
)


def side(name: str, text: str, version: Version | None) -> ReportedApi:
    """Return an API of one file, of which only what reports need is there."""
    declaration = VersionDeclaration(version=version) if version else None
    api = Api(name=name, version=declaration, files=(name,))
    return ReportedApi(name, ApiSet((ApiGroup(("x86_64-linux-gnu",), api),), {name: text}))


COMPARISON = diff_report(
    side("old.h", OLD_TEXT, Version(1, 1, 0)),
    side("new.h", NEW_TEXT, Version(1, 2, 0)),
    Verdict(required=Bump.MAJOR, demanded=Bump.MAJOR, declared="minor", ok=False, findings=(FINDING, NOTE)),
)


def found(*findings: Finding) -> Report:
    """Return the comparison with other findings."""
    assert COMPARISON.verdict is not None
    return diff_report(COMPARISON.old, COMPARISON.new, replace(COMPARISON.verdict, findings=findings))


NO_CHANGE = diff_report(
    COMPARISON.old,
    replace(COMPARISON.old, operand="new.h"),
    Verdict(required=Bump.NONE, declared="none", ok=True, findings=()),
)
