"""The table of four edits in docs/comparison.md holds what abigen and abidiff say to them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import abigen
from abigen.model.finding import Bump
from tests.readme.blocks import ROOT
from tests.tools import require

HEADER = """\
#include <stddef.h>
#include <stdint.h>
#define TOY_MAJOR 1
#define TOY_MINOR 1
#define TOY_PATCH 0
#define TOY_END_OF(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE*)0)->MEMBER))

typedef struct Toy {
  size_t struct_size;
  void* ext;
  int64_t kind;
  int32_t colour;
} Toy;
#define TOY_STRUCT_SIZE TOY_END_OF(Toy, colour)

typedef struct Box {
  size_t struct_size;
  void* ext;
  const Toy* toy;
  int64_t weight;
} Box;
#define BOX_STRUCT_SIZE TOY_END_OF(Box, weight)

void ToyPack(const Box* box, const Toy* toy);
"""
APPEND = {"  int32_t colour;\n": "  int32_t colour;\n  int64_t shine;\n", "(Toy, colour)": "(Toy, shine)"}
EMBED = {"const Toy* toy;": "Toy toy;"}
EDITS = {
    "a member appended, size constant moved along": (HEADER, APPEND),
    "the same, but another struct holds it by value": (HEADER.replace(*next(iter(EMBED.items()))), APPEND),
    "a member inserted in the middle": (HEADER, {"  int32_t colour;\n": "  int64_t shine;\n  int32_t colour;\n"}),
    "a member appended in tail padding, size constant left behind": (
        HEADER,
        {"  int32_t colour;\n": "  int32_t colour;\n  int32_t shine;\n"},
    ),
}
APPENDS = "[suppress_type]\ntype_kind = struct\nhas_data_member_inserted_at = end\n"


def table() -> dict[str, list[str]]:
    """Return the rows of the table, by edit."""
    text = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in text.splitlines() if "|" in line]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows if row[0].strip() in EDITS}


def write(edit: str, directory: Path) -> None:
    """The header before and after the edit, with MINOR raised."""
    old, changes = EDITS[edit]
    new = old.replace("TOY_MINOR 1", "TOY_MINOR 2")
    for before, after in changes.items():
        assert before in new
        new = new.replace(before, after)
    (directory / "old.h").write_text(old, encoding="utf-8")
    (directory / "new.h").write_text(new, encoding="utf-8")


@pytest.mark.first_case
@pytest.mark.parametrize("edit", EDITS)
def test_abigen_judges_the_edit_as_the_table_says(edit: str, tmp_path: Path) -> None:
    write(edit, tmp_path)
    verdict = abigen.diff(*(abigen.load(str(tmp_path / name), cache=False) for name in ("old.h", "new.h")))
    said = table()[edit][0]
    assert verdict.ok == ("fine" in said)
    assert verdict.required is (Bump.MINOR if "MINOR" in said else Bump.MAJOR)


@pytest.mark.first_case
@pytest.mark.parametrize("edit", EDITS)
def test_abidiff_judges_the_edit_as_the_table_says(edit: str, tmp_path: Path) -> None:
    gcc, abidiff = require("gcc", "abidiff")
    write(edit, tmp_path)
    for name in ("old", "new"):
        source = f'#include "{name}.h"\nvoid ToyPack(const Box* box, const Toy* toy) {{ (void)box; (void)toy; }}\n'
        (tmp_path / f"{name}.c").write_text(source, encoding="utf-8")
        command = [gcc, "-g", "-shared", "-fPIC", "-o", f"lib{name}.so", f"{name}.c"]
        subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "appends.ini").write_text(APPENDS, encoding="utf-8")
    for options, said in zip(([], ["--suppressions", "appends.ini"]), table()[edit][1:3], strict=True):
        run = subprocess.run([abidiff, *options, "libold.so", "libnew.so"], cwd=tmp_path, capture_output=True)
        # The bits of its exit code: 4 for any change that matters, 8 for one that is surely incompatible.
        assert run.returncode == {"fine": 0, "change": 4, "break": 12}[said]


def test_the_table_has_every_edit() -> None:
    assert set(table()) == set(EDITS)
