"""Lay out a rule: its function with a manual to fill in, and the headers that it has to report and to leave alone.

    python -m tests.new_rule NAME                  for example `field-shrunk`, or `lint-something` for `abigen lint`
    python -m tests.new_rule NAME --module types   in another module of abigen/checker/rules than the name suggests

The rule is found by standing in its module; nothing else has to be edited. Fill in what says TODO, in the function and
in the fixtures, then run `python -m tests.manual`, which brings docs/rules.md up to date, and run tests/checker/rules
(for lint rules tests/checker/lint) and tests/checker/check/test_reference.py.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import msgspec

RULES = Path("abigen/checker/rules")


class Place(msgspec.Struct, frozen=True):
    """A module of rules, and how a rule in it begins."""

    module: str
    group: str
    """The first digit of its codes."""
    prefixes: tuple[str, ...]
    """The prefixes of the names of its rules."""
    decorator: str
    """Without the code."""
    parameter: str


MEMBERS = "change_rules.each({code}, lambda comparison: comparison.members(lambda fields: fields.kept), Bump.MAJOR)"
LINT = 'lint_rules.whole({code}, level="warning")'
PLACES = (
    Place("appends", "1", ("append-", "union-"), "change_rules.each({code}, _appended, Bump.MAJOR)", "new: Appended"),
    Place(
        "callbacks",
        "1",
        ("callback-",),
        "change_rules.each({code}, lambda comparison: comparison.retyped(CALLBACK), Bump.MAJOR)",
        "member: KeptMember",
    ),
    Place("fields", "1", ("field-", "member-", "bitfield-", "array-", "packing-"), MEMBERS, "member: KeptMember"),
    Place(
        "types",
        "2",
        ("type-", "struct-"),
        "change_rules.each({code}, lambda comparison: comparison.structs)",
        "struct: StructPair",
    ),
    Place(
        "enums",
        "3",
        ("enum",),
        "change_rules.each({code}, lambda comparison: comparison.enumerators(lambda changes: changes.changed))",
        "case: EnumeratorCase",
    ),
    Place(
        "functions",
        "4",
        ("function-", "variable-", "parameter-"),
        "change_rules.each({code}, lambda comparison: comparison.changed(comparison.pair.functions))",
        "function: Changed[Function]",
    ),
    Place("layouts", "5", ("size-",), "change_rules.each({code}, _measures)", "pair: _MeasurePair"),
    Place(
        "macros",
        "5",
        ("macro-", "constant-"),
        "change_rules.each({code}, lambda comparison: comparison.changed(comparison.pair.constants))",
        "constant: Changed[Constant]",
    ),
    Place("contract", "6", ("requirement-", "zero-"), MEMBERS, "member: KeptMember"),
    Place("deprecation", "6", ("deprecat", "removed-", "renamed-"), MEMBERS, "member: KeptMember"),
    Place("versions", "7", ("version-", "bump-"), "release_rules.whole({code})", "release: Release"),
    Place("lint_sizes", "8", ("lint-size-",), LINT, "context: LintContext"),
    Place("lint_layout", "8", ("lint-",), LINT, "context: LintContext"),
)

FUNCTION = '''

@{decorator}
def {function}({parameter}) -> Iterator[RuleResult]:
    """TODO: what it is, in one sentence."""
    del {variable}  # TODO: yield RuleResult("...") where it applies.
    yield from ()
'''
PAGE = """# {name}

TODO: what it is, in one sentence.

{first}: TODO.

What happens: TODO: who reads or writes what, and why that goes wrong.

Instead: TODO.

Source: TODO.
"""
HEADER = """// TODO: {comment}
#ifndef EXAMPLE_{guard}_H_
#define EXAMPLE_{guard}_H_

#include <stddef.h>

typedef struct Toy {{
  size_t struct_size;
  int depth;
}} Toy;

#endif  // EXAMPLE_{guard}_H_
"""
CASES = {"trigger": "why the rule reports this", "near-miss": "what looks alike and is left alone"}


def lay_out(name: str, module: str = "") -> list[Path]:
    """Write a rule and its fixtures below the current folder.

    Args:
        name: the public name; `lint-` at its beginning says that it is a rule of `abigen lint`, and is left out.
        module: the module that it goes into; empty: the one that its name suggests.

    Returns:
        The files that were written or changed.

    Raises:
        ValueError: the name suggests no module, is no name, or there is such a rule already.
    """
    place = next((each for each in PLACES if each.module == module or (not module and _fits(name, each))), None)
    if place is None or not re.fullmatch(r"[a-z]+(-[a-z]+)+", name):
        known = ", ".join(each.module for each in PLACES)
        raise ValueError(f"`{name}` suggests no module: name one of {known} by --module")
    name = name.removeprefix("lint-")
    function = name.replace("-", "_")
    texts = {path: path.read_text(encoding="utf-8") for path in RULES.glob("*.py")}
    if any(f"\ndef {function}(" in text for text in texts.values()):
        raise ValueError(f"there is a rule `{name}` already")
    path = RULES / f"{place.module}.py"
    code = _free_code(place.group, "".join(texts.values()))
    is_lint = place.group == "8"
    text = FUNCTION.format(
        decorator=place.decorator.format(code=f'"{code}"'),
        function=function,
        parameter=place.parameter,
        variable=place.parameter.partition(":")[0],
    )
    path.write_text(texts[path].rstrip() + "\n" + text, encoding="utf-8")
    page = RULES / "pages" / place.module / f"{name}.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(PAGE.format(name=name, first="What it means" if is_lint else "What changed"), encoding="utf-8")
    written = [path, page]
    for case, comment in CASES.items():
        folder = Path("tests/checker/lint" if is_lint else "tests/checker/rules") / name / case
        folder.mkdir(parents=True)
        guard = f"{name}-{case}".upper().replace("-", "_")
        expected = "Toy.depth warning" if is_lint else "Toy.depth major"
        # A near miss says what else is reported; until that is filled in it fails, as the trigger does.
        lines = {"trigger": f"{name} {expected}\n", "near-miss": f"TODO {expected}\n"}
        files = {"api.h": HEADER} if is_lint else {"old.h": HEADER, "new.h": HEADER}
        files = {file: header.format(comment=comment, guard=guard) for file, header in files.items()}
        for file, content in {**files, "expect.txt": lines[case]}.items():
            (folder / file).write_text(content, encoding="utf-8")
            written.append(folder / file)
    return written


def _fits(name: str, place: Place) -> bool:
    """True if a name begins as those of a module do."""
    return name.startswith(place.prefixes)


def _free_code(group: str, text: str) -> str:
    """Return the code behind the highest one of a group."""
    return f"ABI{max(map(int, re.findall(rf'ABI({group}[0-9][0-9])', text))) + 1}"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.new_rule", description=__doc__.partition("\n")[0])
    parser.add_argument("name")
    parser.add_argument("--module", default="", choices=["", *(place.module for place in PLACES)])
    arguments = parser.parse_args()
    try:
        for path in lay_out(arguments.name, arguments.module):
            print(path)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
