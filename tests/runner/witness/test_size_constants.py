"""Tests of findings about size constants with two binaries: a library fills a struct, a core reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from abigen.checker.compare import compare
from abigen.checker.policy import find_policy
from abigen.headers.reader import read_headers
from abigen.model.api import ApiSet
from abigen.model.finding import Axis, Bump, Finding
from abigen.workspace.options import ReadOptions, SourceFile
from tests.tools import require

FLAGS = ["-std=gnu17", "-g", "-O0", "-fsanitize=address", "-I."]

PRODUCER = """#include "{header}"
#include <stdlib.h>
void *make(void) {{
  {struct} *made = malloc({size});
  made->struct_size = {size};
  made->{member} = 7;
  return made;
}}
"""
"""A side that allocates and hands over as much as the constant of its own header says."""

CONSUMER = """#include "{header}"
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {{
  setbuf(stdout, NULL);
  void *library = dlopen(argv[1], RTLD_NOW);
  {struct} *(*make)(void) = ({struct} *(*)(void))dlsym(library, "make");
  {struct} *given = make();
  size_t end = argc > 2 ? {size} : offsetof({struct}, {member}) + sizeof(given->{member});
  if (given->struct_size < end) return puts("ignored") < 0;
  return printf("read %d\\n", (int)given->{member}) < 0;
}}
"""
"""A side that compares `struct_size` with the member's end, or with the constant of its own header."""


def header(struct: str, members: str, last: str) -> str:
    """Return a header with one struct, whose size constant ends at `last`; none at all for no struct."""
    if not struct:
        return "#include <stddef.h>\ntypedef struct Other Other;\n"
    constant = f"(offsetof({struct}, {last}) + sizeof((({struct}*)0)->{last}))"
    body = f"typedef struct {struct} {{ size_t struct_size; {members} }} {struct};\n"
    return f"#include <stddef.h>\n{body}#define {struct.upper()}_STRUCT_SIZE {constant}\n"


def judged(folder: Path, old: str, new: str, rule: str) -> list[Finding]:
    """Write both headers, and return what one rule says of them."""
    for name, text in (("old.h", old), ("new.h", new)):
        (folder / name).write_text(text)
    findings = compare(_read(folder / "old.h"), _read(folder / "new.h"), find_policy("default")).findings
    return [each for each in findings if each.rule == rule]


def _read(path: Path) -> ApiSet:
    source = SourceFile(str(path), str(path), path.read_text())
    return read_headers([source], ReadOptions(targets=("x86_64-linux-gnu",)))


def run(folder: Path, producer: str, consumer: str, struct: str, members: tuple[str, str], *by_constant: str) -> str:
    """Return the output of the core about the library's structs.

    Args:
        folder: with the headers; binaries go there.
        producer: the header of the library.
        consumer: the header of the core.
        struct: that is handed over.
        members: the one that the library fills, and the one that the core reads.
        by_constant: anything, for a core that compares with the constant.
    """
    for name, text, file, member, flags in (
        ("library.so", PRODUCER, producer, members[0], ["-shared", "-fPIC"]),
        ("core", CONSUMER, consumer, members[1], []),
    ):
        source = folder / f"{name}.c"
        source.write_text(text.format(header=file, struct=struct, size=f"{struct.upper()}_STRUCT_SIZE", member=member))
        command = ["gcc", *FLAGS, *flags, source.name, "-o", name, "-ldl"]
        subprocess.run(command, cwd=folder, check=True, timeout=60)
    done = subprocess.run(["./core", "./library.so", *by_constant], cwd=folder, capture_output=True, timeout=60)
    return "overflow" if b"heap-buffer-overflow" in done.stderr else done.stdout.decode().strip()


@pytest.mark.ci
@pytest.mark.parametrize(("struct", "axis"), [("SP_Toy", "old_plugin"), ("SE_Toy", "new_plugin")])
def test_a_reader_that_compares_with_a_stale_constant_reads_behind_an_older_struct(
    struct: str, axis: str, tmp_path: Path
) -> None:
    require("gcc -fsanitize=address")
    old, new = header(struct, "long first;", "first"), header(struct, "long first; long added;", "first")
    (finding,) = judged(tmp_path, old, new, "size-macro-stale")
    assert run(tmp_path, "old.h", "new.h", struct, ("first", "added"), "by constant") == "overflow"
    assert getattr(finding.axes, axis) is Axis.BREAKS
    assert run(tmp_path, "new.h", "new.h", struct, ("first", "added")) == "ignored"
    assert finding.axes.contract is Axis.BREAKS
    assert finding.bump is Bump.NONE


@pytest.mark.ci
def test_a_reader_that_compares_with_a_right_constant_leaves_an_older_struct_alone(tmp_path: Path) -> None:
    require("gcc -fsanitize=address")
    old, new = header("SP_Toy", "long first;", "first"), header("SP_Toy", "long first; long added;", "added")
    assert not judged(tmp_path, old, new, "size-macro-stale")
    assert run(tmp_path, "old.h", "new.h", "SP_Toy", ("first", "added"), "by constant") == "ignored"
    assert run(tmp_path, "new.h", "new.h", "SP_Toy", ("added", "added"), "by constant") == "read 7"


@pytest.mark.ci
def test_a_stale_constant_of_a_new_struct_has_its_last_member_ignored(tmp_path: Path) -> None:
    require("gcc -fsanitize=address")
    members = "long first; long second;"
    (finding,) = judged(tmp_path, header("", "", ""), header("SP_Toy", members, "first"), "size-macro-stale")
    assert run(tmp_path, "new.h", "new.h", "SP_Toy", ("first", "second")) == "ignored"
    assert (finding.axes.contract, finding.axes.old_plugin, finding.axes.new_plugin) == (Axis.BREAKS, Axis.OK, Axis.OK)
    (tmp_path / "new.h").write_text(header("SP_Toy", members, "second"))
    assert run(tmp_path, "new.h", "new.h", "SP_Toy", ("second", "second")) == "read 7"


def test_a_constant_that_names_no_member_compiles_nowhere(tmp_path: Path) -> None:
    require("gcc -fsanitize=address")
    (finding,) = judged(tmp_path, header("", "", ""), header("SP_Toy", "long first;", "frist"), "size-macro-broken")
    assert "SP_Toy.frist" in finding.message
    with pytest.raises(subprocess.CalledProcessError):
        run(tmp_path, "new.h", "new.h", "SP_Toy", ("first", "first"))
