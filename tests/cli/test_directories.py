"""Tests of directories as operands, also of directories with many errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cli.program import Program
from tests.tools import require

Write = Callable[..., Path]


@pytest.mark.ci
def test_what_is_excluded_is_no_part_of_a_directory(write: Write, abigen: Program, git: Callable[..., str]) -> None:
    for name, text in {
        "api.h": "int api(void);\n",
        "tests/helper.h": "int helper(void);\n",
        "detail/a_impl.h": "struct Impl { int x; };\n",
        "broken_impl.h": "struct {{{\n",
    }.items():
        write(f"include/{name}", text)
    globs = ("--exclude", "tests", "--exclude", "*_impl.h")
    assert abigen("lint", "include").code == 2
    output = abigen("lint", "include", "--format", "json", *globs).output
    assert "include/api.h" in output
    assert "helper.h" not in output
    assert abigen("diff", "include", "include", *globs).code == 0
    assert abigen("diff", "include", "include", "--exclude", "tests").code == 2
    assert "struct Impl" not in abigen("layout", "include", *globs).output
    git("add", ".")
    git("commit", "-q", "-m", "one")
    write("include/detail/a_impl.h", "struct Impl { int y; };\n")
    assert "No change" in abigen("diff", "--against", "HEAD", "include", *globs).output
    assert "no header or spec has changed" in abigen("diff", "--against", "HEAD", *globs).remarks
    assert "No change" in abigen("diff", "HEAD:include", "include", *globs).output
    write("abigen.toml", 'exclude = ["tests", "*_impl.h"]\n')
    assert abigen("diff", "include", "include").code == 0
    refused = abigen("lint", "include", "--exclude", "*.h")
    assert (refused.code, refused.output) == (2, "")
    assert "hint: --exclude may leave them out" in refused.remarks


def test_excluded_parts_of_an_umbrella_are_not_judged(write: Write, abigen: Program) -> None:
    for tree, member in (("old", "x"), ("new", "y")):
        write(f"{tree}/api.h", '#include "a.h"\n#include "detail/b.h"\n')
        write(f"{tree}/a.h", "int f(void);\n")
        write(f"{tree}/detail/b.h", f"struct B {{ int {member}; }};\n")
    assert abigen("diff", "old/api.h", "new/api.h").code == 1
    assert abigen("diff", "old/api.h", "new/api.h", "--exclude", "detail").code == 0


def test_of_many_errors_in_a_directory_twenty_are_printed(write: Write, abigen: Program) -> None:
    for number in range(70):
        write(f"include/{number:02}.h", f'#include "missing{number}.h"\nint f{number}(void);\n')
    lines = abigen("lint", "include").remarks.splitlines()
    assert sum("error: " in line for line in lines) == 21
    assert lines[-2:] == ["abigen: error: 50 more errors in include", "  hint: --exclude GLOB leaves files out"]


def test_one_include_that_is_missing_is_one_error(write: Write, abigen: Program) -> None:
    for number in range(5):
        write(f"include/{number}.h", f"#include <missing.h>\nint f{number}(Missing x);\n")
    write("include/a.h", "#include <missing.h>\n#if MISSING_AT_LEAST(3, 4)\n#endif\n#include MISSING_HEADER\n")
    for operand in ("include", "include/a.h"):
        assert abigen("lint", operand).remarks.count("error: ") == 1
    write("include/b.h", "#if MISSING_AT_LEAST(3, 4)\n#endif\n#include MISSING_HEADER\n")
    assert abigen("lint", "include/b.h").remarks.count("error: ") == 2


def test_a_folder_that_cannot_be_written_is_named_by_the_file_that_was_to_be(abigen: Program, write: Write) -> None:
    write("ok.h", "int f(int);\n")
    for path in ("abigen.toml", "spec/ok.yaml", "x.json"):
        write(f"{path}/in-its-place", "")
    for arguments, path in (
        (("init", "--force"), "abigen.toml"),
        (("import", "ok.h", "--force"), "spec/ok.yaml"),
        (("lint", "ok.h", "--output", "json=x.json"), "x.json"),
    ):
        done = abigen(*arguments)
        assert done.code == 2, done
        assert path in done.remarks
        assert f".{path.rpartition('/')[2]}." not in done.remarks


def test_a_folder_without_permission_names_no_temporary_file(abigen: Program) -> None:
    if os.geteuid() == 0:  # who may write everywhere
        require("setpriv")
    abigen.directory.chmod(0o555)
    plain = ["-m", "abigen", "init"]
    less = ("-dac_override", "-dac_read_search")
    as_user = ["setpriv", *(f"--{kind}={','.join(less)}" for kind in ("bounding-set", "inh-caps"))]
    command = [*(as_user if os.geteuid() == 0 else []), sys.executable, *plain]
    done = subprocess.run(command, cwd=abigen.directory, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "abigen: error: cannot write abigen.toml: Permission denied\n")


def test_lint_without_arguments_looks_at_the_folder_of_specs(abigen: Program, write: Write) -> None:
    assert abigen("lint").code == 2
    abigen("init", "--spec", "toy")
    named = abigen("lint", "spec")
    done = abigen("lint")
    assert (done.output, done.code) == (named.output, named.code)
    assert done.remarks == "abigen: looked at spec, as the configuration names\n"


def test_lint_without_arguments_looks_at_the_folders_of_headers(abigen: Program, write: Write) -> None:
    write("abigen.toml", 'includes = ["include"]\n')
    write("include/x.h", "int f(int);\n")
    assert "missing-guard" in abigen("lint").output
    below = replace(abigen, directory=abigen.directory / "include")
    assert "missing-guard" in below("lint").output


def test_a_header_that_refuses_to_be_read_does_not_keep_the_others_from_being_judged(
    abigen: Program, write: Write
) -> None:
    for folder, more in (("old", ""), ("new", " int b;")):
        write(f"{folder}/part.h", '#ifndef WHOLE_H\n#error "include whole.h"\n#endif\n')
        write(f"{folder}/api.h", f"struct s {{ int a;{more} }};\nint get(struct s *out);\n")
        write(f"{folder}/time.h", "#define LIMIT 1\nstruct stamp { long s; };\n")
        write(f"{folder}/other.h", "#ifndef LIMIT\nint f(void);\n#endif\nstruct stamp { int s; };\n")
    result = abigen("diff", "old", "new")
    assert result.code == 1
    assert "append-to-frozen-struct: s.b" in result.output
    assert 'not compared: new/part.h cannot be read by itself: #error "include whole.h"' in result.output
    assert "new/part.h: It was not compared.\n" in result.output
    assert "4 headers, 2 without a change, 1 not read" in result.remarks
    assert abigen("diff", "old", "new", "--jobs", "2").output == result.output


def test_a_header_that_cannot_be_read_is_named_after_all_others_were_judged(abigen: Program, write: Write) -> None:
    for folder, text in (("old", "int f(void);\n"), ("new", "int f(int);\n")):
        write(f"{folder}/a.h", text)
        write(f"{folder}/broken.h", "struct { ] };\n")
    result = abigen("diff", "old", "new")
    assert result.code == 2
    assert "function-signature-changed: f" in result.output
    assert "new/broken.h cannot be read by itself" in result.output
