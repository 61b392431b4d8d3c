"""Random chains of edits: after each, the same question is asked with what earlier runs have stored, and without."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from random import Random

import msgspec

from abigen.cli.main import run
from tests.tools import works

STEPS = 4
"""The number of edits in a chain."""

_PLACES = (".", "one", "two", "system", "old", "new", "new/sub")
"""The folders that may contain `part.h`; `system` is named by CPATH."""
_INCLUDES = (
    '#include "part.h"',
    "#include <part.h>",
    '#define WHICH "part.h"\n#include WHICH',
    "#define WHICH <part.h>\n#include WHICH",
    '/**/ #include "part.h"',
    "#/**/include <part.h>",
    '%:include "part.h"',
    '#inc\\\nlude "part.h"',
    '#include \\\n "part.h"',
    '#if __has_include("part.h")\nint has_part(void);\n#include "part.h"\n#endif',
    "#if defined __has_include && __has_include(<part.h>)\nint has_part(void);\n#endif",
    '#define WHICH "part.h"\n#if __has_include(WHICH)\nint has_part(void);\n#endif',
    '#define STEER 1\n#include "part.h"',
    "",
)
_PARTS = (
    "#define LENGTH 2\n",
    "#define LENGTH 3\nint more(void);\n",
    "enum { COUNT = 4 };\n#define LENGTH COUNT\n",
    "enum { COUNT = 5 };\n#define JOIN(a, b) a##b\n#define LENGTH JOIN(CO, UNT)\n",
    "enum { COUNT = 6 };\n#define LENGTH (COUNT * 2 + 1)\n",
    "#ifdef STEER\n#define LENGTH 7\n#else\n#define LENGTH 8\n#endif\n",
    "#ifdef FLAG\nint flagged(void);\n#endif\n",
    '#if __has_include("deep.h")\n#include "deep.h"\n#endif\n',
    "int other(int);\n",
)
_BROKEN = "int broken(;\n"
_STRUCTS = (
    "typedef struct T { int struct_size; char a[LENGTH]; int b; } T;",
    "typedef struct T { int struct_size; char a[LENGTH]; } T;",
    "typedef struct T { int struct_size; short a[LENGTH + 1]; int b, c; } T;",
    "struct Gap { char a; int b; };",
)
_CONFIGURATIONS = (
    'policy = "strict"\n',
    '[rules]\nimplicit-padding = "error"\n',
    'includes = ["two"]\n',
    'defines = ["FLAG", "LENGTH=9"]\n',
    '[conventions]\nmax-alignment = 4\nfilled-by = {T = "core"}\n',
)
_SPEC = """abigen: 1
api: toy
doc: A toy.
prefix: TO
version: {version}
header: {{path: toy.h}}
structs:
  - name: TOP_Toy
    doc: One.
    fields:
      - {{name: struct_size, type: int32_t, doc: Size.}}
      - {{name: a, type: int32_t, doc: {doc}}}
"""


class Result(msgspec.Struct, frozen=True):
    """The result of a run."""

    output: str
    remarks: str
    code: int


class Question(msgspec.Struct, frozen=True):
    """A command line, and what surrounds it."""

    arguments: tuple[str, ...]
    text: str = ""
    """The standard input."""
    variables: tuple[tuple[str, str], ...] = ()


def check_chain(seed: int, folder: Path) -> None:
    """Check that one chain gives the same answers with and without what is stored.

    Args:
        seed: decides the chain.
        folder: where to work; it must not exist yet.
    """
    random = Random(seed)
    world = _World(random, folder / "world")
    cache = folder / "cache"
    question = world.question()
    log = []
    for _ in range(STEPS):
        warm = ask(question, world.folder, cache)
        cold = ask(question, world.folder, None)
        log.append(question)
        assert warm == cold, f"chain {seed}: {log} {world.log}"
        if random.random() < 0.15:
            question = world.question()
        for _ in range(random.randrange(3)):
            world.edit()


class _World:
    """A folder with headers, a configuration, specs, and perhaps a repository."""

    def __init__(self, random: Random, folder: Path) -> None:
        self.folder = folder
        self.log: list[str] = []
        self._random = random
        for place in (*_PLACES, "spec/group"):
            (folder / place).mkdir(parents=True, exist_ok=True)
        self._write("old/api.h", self._header())
        self._write("new/api.h", self._header())
        for place in ("old", random.choice(("new", "one", "two", ".")), "two"):
            self._write(f"{place}/part.h", random.choice(_PARTS))
        self._builds = random.random() < 0.01
        self._has_git = not self._builds and random.random() < 0.04 and works("git")
        if self._builds:
            self._write("spec/group/toy.yaml", self._spec())
        (folder / ".git").mkdir()  # nothing above counts
        if self._has_git:
            shutil.rmtree(folder / ".git")
            self._git("init", "-q")
            self._commit()

    def question(self) -> Question:
        """Return a question."""
        choice = self._random.choice
        if self._builds:
            return Question(("build", "--check", *choice(((), ("--target", "c"))), *choice(((), ("--out", "other")))))
        folders = choice(
            (("one", "two"), ("two", "one"), ("one", "two", "new"), ("new", "two"), ("two",), ("one",), ())
        )
        settings = [f"-I{each}" for each in folders]
        settings += choice(((), ("-DFLAG",), ("-DLENGTH=5", "-UFLAG"), ("-DSTEER=1",)))
        settings += choice(((),) * 6 + (*[("--no-config",)] * 2, ("--config", "other.toml"), ("--strict",)))
        settings += choice(((), ("--format", "json"), ("--summary",)))
        variables, compiler = (), "none"
        if self._random.random() < 0.15 and works("gcc"):
            variables, compiler = choice(((), (("CPATH", "system"),), (("CPATH", "two:absent"),))), "gcc"
        new = choice(("new/api.h", "new/api.h", "new", "-"))
        old = choice(("old/api.h", "new/sub/../../old/api.h", "old"))
        if self._has_git:
            old = choice(("HEAD:new/api.h", "HEAD:./new/api.h", "HEAD:new"))
        operands = ("diff", old, new) if self._random.random() < 0.7 or self._has_git else ("lint", new)
        text = self._header() if new == "-" else ""
        target = ("--abi", choice(("x86_64-linux-gnu", "i686-windows-msvc")))
        return Question((*operands, *settings, "--cc", compiler, *target), text, variables)

    def edit(self) -> None:
        """Change something."""
        choice = self._random.choice
        place = choice((*_PLACES, "one", "one", "two", "new", "new"))
        part = f"{place}/{choice(('part.h', 'part.h', 'part.h', 'deep.h'))}"
        edits = [
            *[lambda: self._write(part, choice(_PARTS))] * 4,
            *[lambda: self._remove(part)] * 2,
            *[lambda: self._write(f"{choice(('old', 'new'))}/api.h", self._header())] * 2,
            lambda: self._write(choice(("abigen.toml", "other.toml")), choice((*_CONFIGURATIONS, "policy = [\n"))),
            lambda: self._write(part, choice((_BROKEN, *_PARTS))),
            lambda: self._write("pyproject.toml", "[tool.abigen]\n" + choice(_CONFIGURATIONS)),
            lambda: self._remove(choice(("abigen.toml", "pyproject.toml", "other.toml"))),
            lambda: self._write("new/sub/more.h", choice(("int more_of_it(void);\n", ""))),
            lambda: self._relink(choice(("one", "two", "system")), choice(("new", "old", "system"))),
            lambda: self._directory(part),
        ]
        if self._has_git:
            edits += [self._commit] * 3
        if self._builds:
            out = choice(("generated", "other"))
            edits = [
                lambda: ask(Question(("build", "--out", out)), self.folder, None),
                lambda: self._write("spec/group/toy.yaml", self._spec()),
                lambda: self._write(f"{out}/c/group/old.h", "/* generated by abigen */\n"),
                lambda: self._write(f"{out}/group/c/toy.h", "\n"),
                lambda: self._remove(f"{out}/group/c/toy.h"),
                lambda: shutil.rmtree(self.folder / out, ignore_errors=True),
                lambda: self._write("templates/c/header.h.j2", "{{ header }}\n"),
                lambda: self._remove("templates/c/header.h.j2"),
            ]
        choice(edits)()

    def _header(self) -> str:
        lines = [self._random.choice(_INCLUDES) for _ in range(self._random.randrange(1, 3))]
        lines += ["#ifndef LENGTH", "#define LENGTH 1", "#endif"]
        lines += [*self._random.sample(_STRUCTS, 1), "#ifdef FLAG\nint flag(void);\n#endif", "int last(void);"]
        return "\n".join(lines) + "\n"

    def _spec(self) -> str:
        return _SPEC.format(version=self._random.choice(("1.0.0", "1.1.0")), doc=self._random.choice(("One.", "Two.")))

    def _write(self, name: str, text: str) -> None:
        """Write a file, half of the time with the time that it had, or with that of long ago."""
        path = self.folder / name
        self.log.append(f"write {name} {text!r}")
        if path.is_dir() or not path.parent.is_dir():
            return
        time = path.stat().st_mtime_ns if path.is_file() else 1_000_000_000
        path.write_text(text)
        if self._random.random() < 0.5:
            os.utime(path, ns=(time, time))

    def _remove(self, name: str) -> None:
        self.log.append(f"remove {name}")
        path = self.folder / name
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)

    def _directory(self, name: str) -> None:
        """Put a directory where a file is expected."""
        self.log.append(f"directory {name}")
        path = self.folder / name
        if not path.exists() and path.parent.is_dir():
            path.mkdir()

    def _relink(self, name: str, target: str) -> None:
        """Let a directory be a link to another one."""
        self.log.append(f"link {name} {target}")
        path = self.folder / name
        if name == target:
            return
        if path.is_symlink():
            path.unlink()
        else:
            shutil.rmtree(path)
        path.symlink_to(target)

    def _commit(self) -> None:
        self.log.append("commit")
        self._git("add", "-A")
        self._git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.folder, check=True, capture_output=True)


def ask(question: Question, folder: Path, cache: Path | None) -> Result:
    """Run a command line in this process; without a cache as if nothing had been stored."""
    arguments = [*question.arguments, *(() if cache is not None else ("--no-cache",))]
    variables = {**dict(question.variables), "ABIGEN_CACHE_DIR": str(cache or folder / "nowhere")}
    output, remarks = StringIO(), StringIO()
    with _surroundings(folder, variables, question.text), redirect_stdout(output), redirect_stderr(remarks):
        code = run(arguments)
    return Result(output.getvalue(), remarks.getvalue(), code)


@contextmanager
def _surroundings(folder: Path, variables: Mapping[str, str], text: str) -> Iterator[None]:
    """Change the directory, the environment and the standard input."""
    here, environment, stdin = Path.cwd(), dict(os.environ), sys.stdin
    os.chdir(folder)
    os.environ.pop("CPATH", None)
    os.environ.update(variables)
    sys.stdin = TextIOWrapper(BytesIO(text.encode()))
    try:
        yield
    finally:
        sys.stdin = stdin
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(here)


def check_chains(seeds: Sequence[int], folder: Path) -> None:
    """Check some chains.

    Args:
        seeds: one for each.
        folder: where to work.
    """
    for seed in seeds:
        check_chain(seed, folder / str(seed))
