"""Tests that no text of a header, spec, file name or revision becomes a command or an option of one.

The program runs under an audit hook of Python's (PEP 578), which sees every process that it starts and every file that
it opens.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.program import Program
from tests.cli.samples import FIRST

HOSTILE = """\
#ifndef HOSTILE_H
#define HOSTILE_H
/* $(touch stolen) `touch stolen` ; touch stolen | touch stolen */
#line 7 "$(touch stolen).h"
#define COMMAND "$(touch stolen)"
#define OPTIONS -fplugin=stolen.so -include /etc/hostname -o stolen
#pragma GCC plugin stolen
#pragma comment(linker, "/EXPORT:stolen")
_Pragma("GCC dependency \\"/etc/hostname\\"")
#if __has_include("$(touch stolen)") || __has_include("|touch stolen") || __has_include(<-o stolen>)
int stolen;
#endif
#if __has_include("/etc/hostname") || __has_include("/proc/self/environ")
int stolen_too;
#endif
__asm__(".incbin \\"/etc/hostname\\"");
typedef struct Toy { int a __attribute__((section("$(touch stolen)"))); } Toy;
int f(void) __asm__("$(touch stolen)");
#endif
"""

Write = Callable[..., Path]
Git = Callable[..., str]


class Watch:
    """The audit hook: what this process starts and opens while a run is watched; Python cannot remove a hook."""

    def __init__(self) -> None:
        """Install it."""
        self.commands: list[list[str]] = []
        self.files: list[str] = []
        self.is_on = False
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "subprocess.Popen":
            self.commands.append([os.fsdecode(each) for each in arguments[1]])
        elif event in ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"):
            self.commands.append([event, *map(str, arguments)])
        elif event == "open" and isinstance(arguments[0], (str, bytes)):
            self.files.append(os.path.realpath(os.fsdecode(arguments[0])))


class Watched(msgspec.Struct, frozen=True):
    """The result of a run."""

    code: int
    text: str
    commands: list[list[str]]
    files: list[str]


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


@pytest.fixture
def watched(abigen: Program, watch: Watch) -> Callable[..., Watched]:
    """Runs the program under the hook."""

    def run(*arguments: str) -> Watched:
        watch.commands, watch.files, watch.is_on = [], [], True
        result = abigen(*arguments)
        watch.is_on = False
        return Watched(result.code, result.output + result.remarks, watch.commands, watch.files)

    return run


def test_a_header_starts_a_compiler_with_nothing_of_its_own(
    watched: Callable[..., Watched], abigen: Program, write: Write
) -> None:
    write("old.h", FIRST)
    write("new.h", HOSTILE)
    for arguments in ("diff", "old.h", "new.h"), ("lint", "new.h"), ("layout", "new.h"):
        run = watched(*arguments, "--no-cache")
        assert run.code in (0, 1), run.text
        assert run.commands
        for command in run.commands:
            assert Path(command[0]).name in ("cc", "gcc", "clang")
            assert not [word for word in command if "stolen" in word or ".h" in word or "touch" in word]
        assert "int stolen" not in run.text
        assert not {"/etc/hostname", "/proc/self/environ"}.intersection(run.files)
    assert not list(abigen.directory.glob("stolen*"))


def test_without_a_compiler_nothing_is_started(watched: Callable[..., Watched], write: Write) -> None:
    write("new.h", HOSTILE)
    assert watched("lint", "new.h", "--no-cache", "--cc", "none").commands == []


def test_a_spec_starts_nothing(watched: Callable[..., Watched], abigen: Program, write: Write) -> None:
    write("bad.yaml", "abigen: 1\napi: !!python/object/apply:os.system ['touch stolen']\nversion: 1.0.0\n")
    write(
        "odd.yaml",
        "abigen: 1\napi: toy\nversion: 1.0.0\ndoc: '{{ cycler.__init__.__globals__.os.system(\"touch stolen\") }}'\n",
    )
    bad, odd = watched("lint", "bad.yaml", "--no-cache"), watched("lint", "odd.yaml", "--no-cache")
    assert (bad.code, odd.code) == (2, 0)
    assert bad.commands == odd.commands == []
    assert watched("build", "odd.yaml", "--out", "made", "--no-cache").commands == []
    assert not (abigen.directory / "stolen").exists()


@pytest.mark.ci
@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    "name", ["--output=stolen.h", "-n.h", "$(touch stolen).h", "a;touch stolen.h", "@stolen.h", "'\".h", "é\u202e.h"]
)
def test_a_name_of_a_file_is_only_a_name(
    watched: Callable[..., Watched], abigen: Program, write: Write, git: Git, name: str
) -> None:
    write(name, FIRST)
    write("sub/x.h", f'#include "../{name}"\nint f(void);\n' if '"' not in name else "int f(void);\n")
    git("add", "-A")
    git("commit", "-q", "-m", "names")
    for arguments in (
        ("diff", "--no-cache", "--", f"HEAD:{name}", name),
        ("diff", "--no-cache", "--against", "HEAD", "--", name, "sub/x.h"),
        ("lint", "--no-cache", "--fail-on", "never", "-I", ".", "--", name, "sub/x.h"),
    ):
        run = watched(*arguments)
        assert run.code == 0, run.text
        for command in run.commands:
            options = [word for word in command[1:] if word.startswith("-")]
            assert not [word for word in options if "stolen" in word or word == name], command
    assert not list(abigen.directory.glob("stolen")) and not list(abigen.directory.glob("sub/stolen"))


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("revision", ["--upload-pack=touch stolen", "-c core.pager=touch", "--exec=touch stolen", "-h"])
def test_a_revision_is_never_an_option(watched: Callable[..., Watched], abigen: Program, revision: str) -> None:
    for arguments in (
        ("diff", "include/toy.h", f"--against={revision}"),
        ("diff", "include/toy.h", f"--against=HEAD...{revision}"),
        ("diff", f"{revision}:include/toy.h", "include/toy.h"),
        ("lint", "--", f"{revision}:include/toy.h"),
    ):
        run = watched(*arguments)
        assert run.code == 2
        assert run.commands == []
    assert not (abigen.directory / "stolen").exists()


@pytest.mark.usefixtures("repository")
def test_what_a_repository_configures_for_its_users_is_not_run(
    watched: Callable[..., Watched], abigen: Program, write: Write, git: Git
) -> None:
    write(".gitattributes", "*.h diff=evil\n")
    git("mv", "include/toy.h", "include/game.h")
    for name in "core.fsmonitor", "diff.external", "core.pager", "diff.evil.textconv", "diff.evil.command":
        git("config", name, "touch stolen; false")
    run = watched("diff", "include/game.h", "include", "--against", "HEAD", "--no-cache")
    assert (run.code, "toy.h was removed; its declarations are in game.h" in run.text) == (1, True), run.text
    assert not list(abigen.directory.rglob("stolen"))


def test_a_link_among_headers_does_not_lead_out(
    watched: Callable[..., Watched], abigen: Program, write: Write, tmp_path: Path
) -> None:
    (tmp_path / "secret.h").write_text("int the_secret(void);\n")
    write("include/toy.h", '#include "link.txt"\n')
    (abigen.directory / "include/evil.h").symlink_to(tmp_path / "secret.h")
    run = watched("lint", "include", "--no-cache", "--cc", "none")
    assert (run.code, "include/evil.h is a link to a file outside" in run.text) == (2, True)
    (abigen.directory / "include/evil.h").unlink()
    (abigen.directory / "include/link.txt").symlink_to(tmp_path / "secret.h")
    for arguments in ("include",), ("include/toy.h", "-I", "include"):
        run = watched("lint", *arguments, "--no-cache", "--cc", "none")
        assert (run.code, "'link.txt' is outside of the directories that may be read" in run.text) == (2, True)
        assert str(tmp_path / "secret.h") not in run.files
    assert "the_secret" not in run.text


def test_a_spec_uses_nothing_outside_of_its_working_copy(
    watched: Callable[..., Watched], write: Write, tmp_path: Path
) -> None:
    (tmp_path / "secret.yaml").write_text("abigen: 1\napi: secret\nversion: 1.0.0\nthe_secret: 1\n")
    write("toy.yaml", "abigen: 1\napi: toy\nversion: 1.0.0\nuses: [../secret]\n")
    run = watched("lint", "toy.yaml", "--no-cache")
    assert run.code == 2
    assert "toy.yaml:4:8: error: '../secret' is outside of the directories that may be read" in run.text
    assert str(tmp_path / "secret.yaml") not in run.files


@pytest.mark.parametrize("data", [b"abigen: 1\napi: caf\xe9\n", b"\xff\xfea\0", b"abigen: 1\n\x80\n"])
def test_a_spec_that_is_not_utf_8_is_refused(abigen: Program, write: Write, data: bytes) -> None:
    write("toy.yaml", data)
    for result in abigen("lint", "toy.yaml"), abigen("lint", "-", text=data):
        assert result.code == 2
        assert "UTF-" in result.remarks or "Latin" in result.remarks
        assert "Traceback" not in result.remarks


def test_a_configuration_of_a_working_copy_does_not_open_other_directories(
    abigen: Program, write: Write, git: Git, tmp_path: Path
) -> None:
    (tmp_path / "secret.h").write_text("int the_secret(void\n")
    (abigen.directory / "include").mkdir()
    write("toy.h", "#include <secret.h>\nint f(void);\n")
    write("abigen.toml", f'includes = ["include", "{tmp_path}"]\n')
    result = abigen("lint", "toy.h")
    assert result.code == 2
    assert f"abigen.toml:1:1: error: `{tmp_path}` is outside of the directories that may be read" in result.remarks
    assert "secret.h:1" not in result.remarks
    assert "secret.h:1" in abigen("lint", "toy.h", "--config", "abigen.toml").remarks
    assert "secret.h:1" in abigen("lint", "toy.h", "--no-config", "-I", str(tmp_path)).remarks
