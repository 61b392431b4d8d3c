"""Edits after which what was stored must not be used, one by one: the cases that once gave wrong answers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from abigen.workspace.files import Files
from tests.tools import require
from tests.workspace.memory.chains import Question, Result, ask

OPTIONS = ("--cc", "none", "--abi", "x86_64-linux-gnu")
PASTE = "#define J(a, b) a##b\n#define LENGTH J(A, B)\n"
STRUCT = "typedef struct T { int struct_size; char a[LENGTH]; int b; } T;\n"


class World:
    """A folder with files, in which questions are asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "world"
        self.cache = folder / "cache"
        (self.folder / ".git").mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        """Write a file; one that exists keeps its time."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        time = path.stat().st_mtime_ns if path.exists() else 1_000_000_000
        path.write_text(text)
        os.utime(path, ns=(time, time))

    def ask(self, question: Question) -> Result:
        """Ask twice, to have it stored; both answers are those that are given when nothing is."""
        cold = ask(question, self.folder, None)
        assert ask(question, self.folder, self.cache) == cold
        assert ask(question, self.folder, self.cache) == cold
        return cold

    def stored(self, question: Question) -> Result:
        """Ask where it has been asked before."""
        return ask(question, self.folder, self.cache)

    def check(self, question: Question, edits: Mapping[str, str], changed: Question | None = None) -> None:
        """Check that a question has another answer after an edit, and the right one."""
        before = self.ask(question)
        assert before.code != 2, before.remarks
        for name, text in edits.items():
            self.write(name, text)
        assert self.ask(changed or question) != before


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def _diff(*options: str, variables: Mapping[str, str] | None = None) -> Question:
    return Question(("diff", "old.h", "api.h", *OPTIONS, *options), variables=tuple((variables or {}).items()))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("enum { COUNT = 2 };\n#define LENGTH COUNT\n", "enum { COUNT = 3 };\n#define LENGTH COUNT\n"),
        ("enum { A = 2, B = 3 };\n#define LENGTH A\n", "enum { A = 2, B = 3 };\n#define LENGTH B\n"),
        ("#define N 2\n#define LENGTH (N * 2 + 1)\n", "#define N 3\n#define LENGTH (N * 2 + 1)\n"),
        (f"#define AB 2\n{PASTE}", f"#define AB 3\n{PASTE}"),
        ('#define WIDE 0\n#include "steered.h"\n', '#define WIDE 1\n#include "steered.h"\n'),
        ('#include "steered.h"\n', '#define WIDE 1\n#include "steered.h"\n'),
    ],
    ids=["enumerator", "other enumerator", "expression", "pasted", "steered", "steered from now on"],
)  # fmt: skip
def test_an_array_length_that_means_something_else_is_seen(world: World, before: str, after: str) -> None:
    world.write("steered.h", "#if WIDE\n#define LENGTH 8\n#else\n#define LENGTH 4\n#endif\n")
    world.write("old.h", before + STRUCT)
    world.write("api.h", before + STRUCT)
    world.check(_diff(), {"api.h": after + STRUCT})


INCLUDES = {
    "quotes": '#include "part.h"\n',
    "brackets": "#include <part.h>\n",
    "macro": '#define WHICH "part.h"\n#include WHICH\n',
    "macro with brackets": "#define WHICH <part.h>\n#include WHICH\n",
    "comment before": '/**/ #include "part.h"\n',
    "comment inside": '#/**/include/**/"part.h"\n',
    "digraph": '%:include "part.h"\n',
    "continued": '#inc\\\nlude \\\n"part.h"\n',
    "has_include": '#if __has_include("part.h")\nint has(void);\n#endif\n#include <part.h>\n',
    "has_include of a macro": "#define WHICH <part.h>\n#if __has_include(WHICH)\n#include WHICH\n#endif\n",
    "next": "#include <begin.h>\n",
    "deep": '#include "through.h"\n',
}


@pytest.fixture(params=INCLUDES)
def including(world: World, request: pytest.FixtureRequest) -> World:
    """A header that includes another one in one of many ways."""
    world.write("far/through.h", "#include <part.h>\n")
    world.write("first/begin.h", "#include_next <part.h>\n")
    world.write("far/part.h", "#define LENGTH 2\n")
    for name in ("old.h", "api.h"):
        world.write(name, STRUCT.replace("LENGTH", "2"))
    world.write("api.h", f"{INCLUDES[request.param]}{STRUCT}")
    (world.folder / "near").mkdir()
    return world


@pytest.mark.first_case
@pytest.mark.parametrize("place", ["far", "near"])
def test_a_file_that_changes_or_shadows_through_an_earlier_directory_is_seen(including: World, place: str) -> None:
    including.check(_diff("-Ifirst", "-Inear", "-Ifar"), {f"{place}/part.h": "#define LENGTH 3\n"})


@pytest.mark.parametrize("kind", ["quotes", "macro", "comment before", "comment inside", "digraph", "continued"])
def test_a_file_that_shadows_beside_the_header_is_seen(world: World, kind: str) -> None:
    world.write("far/part.h", "#define LENGTH 2\n")
    world.write("old.h", STRUCT.replace("LENGTH", "2"))
    world.write("api.h", INCLUDES[kind] + STRUCT)
    world.check(_diff("-Ifar"), {"part.h": "#define LENGTH 3\n"})


def test_a_file_that_shadows_on_cpath_is_seen(world: World) -> None:
    require("gcc")
    world.write("two/part.h", "#define LENGTH 2\n")
    world.write("old.h", STRUCT.replace("LENGTH", "2"))
    world.write("api.h", INCLUDES["brackets"] + STRUCT)
    (world.folder / "one").mkdir()
    question = replace(_diff("--cc", "gcc"), variables=(("CPATH", "one:absent:two"),))
    world.check(question, {"one/part.h": "#define LENGTH 3\n"})
    (world.folder / "one" / "part.h").unlink()
    world.check(question, {"absent/part.h": "#define LENGTH 4\n"})
    world.check(question, {}, replace(question, variables=(("CPATH", "two"),)))


def test_standard_input_that_includes_is_read_with_what_is_there(world: World) -> None:
    world.write("far/part.h", "#define LENGTH 2\n")
    world.write("old.h", STRUCT.replace("LENGTH", "2"))
    question = Question(("diff", "old.h", "-", *OPTIONS, "-Ifar"), text=INCLUDES["macro"] + STRUCT)
    world.check(question, {"part.h": "#define LENGTH 3\n"})


def test_a_revision_that_includes_from_disk_is_read_with_what_is_there(world: World) -> None:
    require("git")
    (world.folder / ".git").rmdir()
    world.write(".gitignore", "build\nmade\n")
    world.write("api.h", INCLUDES["macro with brackets"] + STRUCT)
    world.write("old.h", STRUCT.replace("LENGTH", "2"))
    world.write("made/part.h", "#define LENGTH 2\n")
    (world.folder / "build").mkdir()
    for arguments in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qmx"]):
        subprocess.run(["git", *arguments], cwd=world.folder, check=True)
    question = Question(("diff", "old.h", "HEAD:api.h", *OPTIONS, "-Ibuild", "-Imade"))
    world.check(question, {"made/part.h": "#define LENGTH 3\n"})
    world.check(question, {"build/part.h": "#define LENGTH 4\n"})


def test_options_and_configurations_are_seen(world: World) -> None:
    world.write("old.h", f"#ifndef LENGTH\n#define LENGTH 2\n#endif\n{STRUCT}")
    world.write("api.h", f"#ifdef FLAG\n#define LENGTH 3\n#else\n#define LENGTH 2\n#endif\n{STRUCT}")
    world.check(_diff(), {}, _diff("-DFLAG"))
    world.check(_diff(), {"abigen.toml": 'defines = ["FLAG"]\n'})
    world.check(_diff(), {"abigen.toml": 'defines = ["FLAG"]\n[rules]\narray-length-changed = "note"\n'})
    (world.folder / "abigen.toml").unlink()
    world.check(_diff(), {"pyproject.toml": '[tool.abigen]\ndefines = ["FLAG"]\n'})


def test_a_left_over_file_is_noticed_by_build_check(world: World) -> None:
    world.write(
        "spec/toys/toy.yaml", "abigen: 1\napi: toy\ndoc: d\nprefix: TO\nversion: 1.0.0\nheader: {path: toy.h}\n"
    )
    check, build = Question(("build", "--check")), Question(("build",))
    assert ask(build, world.folder, world.cache).code == 0
    assert world.ask(check).code == 0
    (made,) = (world.folder / "generated").rglob("toy.h")
    (made.parent / "gone.h").write_text(made.read_text())
    assert world.ask(check).code == 1
    (made.parent / "gone.h").unlink()
    assert world.ask(check).code == 0
    made.unlink()
    assert world.ask(check).code == 1


def test_a_file_that_is_replaced_while_it_is_read_leaves_no_wrong_answer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write("old.h", STRUCT.replace("LENGTH", "2"))
    world.write("api.h", STRUCT.replace("LENGTH", "2"))
    read: Callable[[Files, str], bytes] = Files.read

    def replacing(files: Files, path: str) -> bytes:
        content = read(files, path)
        if path == "api.h":
            world.write("api.h", STRUCT.replace("LENGTH", "3"))
        return content

    with monkeypatch.context() as patch:
        patch.setattr(Files, "read", replacing)
        assert ask(_diff(), world.folder, world.cache).code == 0
    assert ask(_diff(), world.folder, world.cache) == ask(_diff(), world.folder, None)
    assert world.ask(_diff()).code == 1


_REFUSED: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]] = {
    "a declaration that ends nowhere": ({"api.h": "struct T {\n"}, {"api.h": "struct T { int a; };\n"}),
    "a missing include": ({"api.h": '#include "part.h"\nint f(void);\n'}, {"part.h": "int g(void);\n"}),
    "a missing file": ({}, {"api.h": "int f(void);\n"}),
    "a broken configuration": (
        {"api.h": "int f(void);\n", "abigen.toml": "policy = 1\n"},
        {"abigen.toml": 'policy = "strict"\n'},
    ),
    "an operand that declares nothing": ({"api.h": ""}, {"api.h": "int f(void);\n"}),
}


@pytest.mark.parametrize("command", ["lint", "diff"])
@pytest.mark.parametrize("case", _REFUSED)
def test_a_refusal_holds_until_its_cause_goes(
    world: World, monkeypatch: pytest.MonkeyPatch, command: str, case: str
) -> None:
    before, after = _REFUSED[case]
    question = _diff() if command == "diff" else Question(("lint", "api.h", *OPTIONS))
    world.write("old.h", "int old(void);\n")
    for name, text in before.items():
        world.write(name, text)
    refused = world.ask(question)
    assert (refused.code, refused.output) == (2, "")
    with monkeypatch.context() as patch:  # what is stored is not made again
        patch.setattr("abigen.checker.configuration.configure", None)
        patch.setattr("abigen.specs.load.load_all", None)
        assert world.stored(question) == refused
    for name, text in after.items():
        world.write(name, text)
    assert world.ask(question).code != 2


@pytest.mark.parametrize("damage", ["truncated", "garbage", "exchanged"])
def test_damaged_entries_do_not_change_the_answer(world: World, damage: str) -> None:
    world.write("old.h", STRUCT.replace("LENGTH", "2"))
    world.write("api.h", STRUCT.replace("LENGTH", "3"))
    before = world.ask(_diff())
    entries = sorted(world.cache.iterdir())
    contents = [entry.read_bytes() for entry in entries]
    for number, entry in enumerate(entries):
        others = {"truncated": contents[number][:-20], "garbage": b"\x80\x04" * 200, "exchanged": contents[number - 1]}
        entry.write_bytes(others[damage])
    assert world.ask(_diff()) == before
