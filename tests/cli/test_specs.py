"""Specs as operands: compared with each other, with headers, and with themselves at a release or a revision."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.program import Program, Result
from tests.cli.samples import FIRST

Write = Callable[..., Path]

SPEC = """\
abigen: 1
api: toy
prefix: TOY
version: 1.1.0
uses: [base]
header: {path: toy.h, includes: [<stddef.h>, <stdint.h>]}
conventions:
  leading_fields: [size_t struct_size, void* ext]
structs:
  - name: SP_Toy
    since: 1.0.0
    fields:
      - {name: ordinal, type: int32_t, doc: Index of the toy.}
      - {name: kind, type: Kind, zero: no-op}
      - {name: depth, type: int64_t, since: 1.1.0, zero: no-op, optional: true}
"""

BASE = """\
abigen: 1
api: base
prefix: BASE
version: 1.0.0
header: {path: base.h}
enums:
  - {name: Kind, enumerators: [{name: KIND_ONE, value: 0}]}
"""


def _report(result: Result) -> dict[str, object]:
    assert result.code in (0, 1), result.remarks
    report = json.loads(result.output)
    assert isinstance(report, dict)
    return report


def test_a_spec_is_compared_with_itself_at_an_earlier_release(abigen: Program, write: Write) -> None:
    write("toy.yaml", SPEC)
    write("base.yaml", BASE)
    report = _report(abigen("diff", "toy.yaml@1.0.0", "toy.yaml", "--format", "json"))
    assert (report["required_bump"], report["declared_bump"], report["ok"]) == ("minor", "minor", True)
    assert report["old"] == {"operand": "toy.yaml@1.0.0", "version": "1.0.0", "files": ["toy.yaml"]}


def test_a_spec_at_a_revision_is_read_with_the_specs_that_it_used_then(
    abigen: Program, write: Write, git: Callable[..., str]
) -> None:
    write("spec/toy.yaml", SPEC)
    write("spec/base.yaml", BASE)
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    write("spec/base.yaml", BASE.replace("KIND_ONE", "KIND_OTHER"))
    same = _report(abigen("diff", "HEAD:spec/toy.yaml", "spec/toy.yaml", "--format", "json"))
    assert same["required_bump"] == "none"
    write("spec/base.yaml", BASE.replace("name: Kind,", "name: Sort,"))
    broken = abigen("diff", "HEAD:spec/toy.yaml", "spec/toy.yaml")
    assert broken.code == 2
    assert "Kind" in broken.remarks
    write("spec/base.yaml", BASE)
    older = abigen("diff", "HEAD:spec/toy.yaml@1.0.0", "HEAD:spec/toy.yaml", "--summary")
    assert "Version 1.1.0 is enough for additions" in older.output


def test_a_changed_spec_that_is_used_is_read_anew(abigen: Program, write: Write) -> None:
    write("toy.yaml", SPEC)
    write("base.yaml", BASE)
    assert abigen("diff", "toy.yaml", "toy.yaml").code == 0
    write("base.yaml", BASE.replace("name: Kind,", "name: Sort,"))
    assert abigen("diff", "toy.yaml", "toy.yaml").code == 2


def test_standard_input_may_be_a_spec(abigen: Program, write: Write) -> None:
    write("toy.h", FIRST)
    spec = SPEC.replace("uses: [base]\n", "").replace("type: Kind", "type: int32_t")
    report = _report(abigen("diff", "toy.h", "-", "--format", "json", text=spec))
    assert report["new"] == {"operand": "-", "version": "1.1.0", "files": ["-"]}


def test_a_release_of_a_header_is_refused(abigen: Program, write: Write) -> None:
    write("toy.h", FIRST)
    result = abigen("diff", "toy.h@1.0.0", "toy.h")
    assert (result.code, "there is no file toy.h@1.0.0" in result.remarks) == (2, True)
