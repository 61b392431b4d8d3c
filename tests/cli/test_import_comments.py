"""`abigen import`: what the comments of a header say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import yaml

from tests.cli.program import Program

Write = Callable[..., Path]

COMMENTS = """\
#ifndef CO_H
#define CO_H
/* What a file is. It is opened by co_open,
 * and closed by co_close.
 *
 * It can be:
 *
 * - new,
 *   and then it is empty
 * - old
 *
 * Since 1.2.0.
 */
typedef struct co_file co_file;
struct co_file {
  /**
   * The size.
   *
   * 1. in bytes
   * 2. at least 0
   */
  int size;
};
/* Which kind. */
typedef enum co_kind co_kind;
enum co_kind { CO_NEW /* It is new. */, CO_OLD };
// Opens a file.
//
// * returns 0
// * or an error
int co_open(co_file *file, co_kind kind);
#endif
"""


def test_paragraphs_and_lists_of_comments_are_in_the_spec_and_in_the_rebuilt_header(
    abigen: Program, write: Write
) -> None:
    write("co.h", COMMENTS)
    assert abigen("import", "co.h").output == "wrote spec/co.yaml\n"
    (struct,) = yaml.safe_load((abigen.directory / "spec/co.yaml").read_text())["structs"]
    said = "What a file is. It is opened by co_open,\nand closed by co_close.\n\nIt can be:\n\n"
    assert struct["doc"] == f"{said}- new,\n  and then it is empty\n- old\n\nSince 1.2.0.\n"
    assert struct["since"] == "1.2.0"
    assert abigen("build", "--target", "c").code == 0
    rebuilt = (abigen.directory / "generated/c/co.h").read_text()
    said = "// What a file is. It is opened by co_open, and closed by co_close.\n//\n// It can be:\n//\n"
    assert f"{said}// - new, and then it is empty\n// - old\n" in rebuilt
    assert "  // The size.\n  //\n  // 1. in bytes\n  // 2. at least 0\n  int size;\n" in rebuilt
    assert "// Opens a file.\n//\n// * returns 0\n// * or an error\n//\n// Since 1.2.0.\nint co_open(" in rebuilt
    assert "// Which kind.\ntypedef enum co_kind {" in rebuilt
