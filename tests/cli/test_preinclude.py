"""Headers that use types of others without including them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Program

Write = Callable[..., Path]
Git = Callable[..., str]

NEEDY = "typedef struct Shape { real radius; real depth; Body *body; } Shape;\nreal area(const Shape *shape);\n"
TYPES = "typedef double real;\ntypedef struct Body Body;\n"


def test_the_hint_about_an_unknown_type_says_how_to_bring_it(abigen: Program, write: Write) -> None:
    write("shape.h", NEEDY)
    done = abigen("lint", "shape.h")
    assert done.code == 2
    assert [each for each in done.remarks.splitlines() if "error" in each] == [
        "shape.h:1:24: error: unknown type name 'real'",
        "shape.h:1:37: error: unknown type name 'real'",
        "shape.h:1:49: error: unknown type name 'Body'",
        "shape.h:2:1: error: unknown type name 'real'",
    ]
    assert done.remarks.count("--preinclude FILE") == 4


def test_a_header_prints_at_most_20_errors_and_counts_the_rest(abigen: Program, write: Write) -> None:
    write("many.h", "".join(f"void f{number}(Type{number:02} x);\n" for number in range(50)))
    lines = abigen("lint", "many.h").remarks.splitlines()
    errors = [each for each in lines if "error" in each]
    assert len(errors) == 21
    assert errors[-1] == "abigen: error: 30 more errors in many.h"


def test_what_is_included_first_is_known_and_is_not_judged(abigen: Program, write: Write) -> None:
    write("types.h", TYPES)
    write("old.h", NEEDY)
    write("new.h", NEEDY.replace("real depth; Body *body;", "Body *body; real depth;"))
    done = abigen("diff", "old.h", "new.h", "--preinclude", "types.h", "--format", "json")
    assert {each["entity"] for each in json.loads(done.output)["findings"]} == {"Shape.body"}


def test_the_include_path_and_a_configuration_name_it_too(abigen: Program, write: Write) -> None:
    write("include/types.h", TYPES)
    write("shape.h", NEEDY)
    assert abigen("diff", "shape.h", "shape.h", "-I", "include", "--preinclude", "types.h").code == 0
    write("abigen.toml", 'preincludes = ["include/types.h"]\n')
    assert abigen("diff", "shape.h", "shape.h").code == 0


def test_one_that_is_missing_is_an_error(abigen: Program, write: Write) -> None:
    write("shape.h", NEEDY)
    done = abigen("lint", "shape.h", "--preinclude", "basis.h")
    assert "error: 'basis.h' not found\n  hint: add -I DIR" in done.remarks


@pytest.mark.parametrize("named", ["types.h", "old/types.h", "new/types.h"])
def test_each_tree_includes_its_own(abigen: Program, write: Write, named: str) -> None:
    for tree, types in (("old", TYPES), ("new", TYPES.replace("double", "float"))):
        write(f"{tree}/shape.h", NEEDY)
        write(f"{tree}/types.h", types)
    folders = ("-I", "old", "-I", "new") if named == "types.h" else ()
    done = abigen("diff", "old/shape.h", "new/shape.h", "--preinclude", named, *folders)
    assert "field-type-changed: Shape.radius was `real` (`double`), is `real` (`float`)" in " ".join(
        done.output.split()
    )


def test_a_revision_includes_what_it_was_then(abigen: Program, write: Write, git: Git) -> None:
    write("shape.h", NEEDY)
    write("types.h", TYPES)
    git("add", "-A")
    git("commit", "-q", "-m", "doubles")
    write("types.h", TYPES.replace("double", "float"))
    done = abigen("diff", "HEAD:./shape.h", "shape.h", "--preinclude", "types.h")
    assert "Shape.radius was `real` (`double`), is `real` (`float`)" in " ".join(done.output.split())


@pytest.mark.ci
def test_programs_that_show_a_break_include_it(abigen: Program, write: Write) -> None:
    write("types.h", TYPES)
    write("old.h", NEEDY)
    write("new.h", NEEDY.replace("real depth; Body *body;", "Body *body; real depth;"))
    done = abigen("skew", "old.h", "new.h", "--preinclude", "types.h")
    assert "shown to break" in done.output
