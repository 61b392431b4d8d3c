"""Run commands in working folders as a stranger might send them: odd names, links that lead out, damaged repositories.

`python -m tests.security.fuzz.surroundings 0 100` runs in the folders 0 to 99, and stops at the first that does harm:
one with a traceback, an exit code that means nothing, a control character on the terminal, or a file outside that was
shown or changed. `--seconds N` stops after that time as well.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.security.fuzz.__main__ import limit, run_limited

SECRET = "KEY 5d41402abc4b"
HEADER = "#ifndef A_H\n#define A_H\ntypedef struct A { int a; } A;\nvoid f(A* a);\n#endif\n"
SPEC = (
    "abigen: 1\napi: toy\nversion: 1.0.0\nheader: {path: toy.h}\nstructs: [{name: A, fields: [{name: a, type: int}]}]\n"
)
_PIECES = (
    *("-", "--cc=", "--config=", "@1.0.0", "HEAD:", "^", "..", " ", "\n", "\r", "\t", "\x1b[31m", "\x07", "\u202e"),
    *(
        "\udcff",
        "é",
        "日",
        "'",
        '"',
        "`",
        "$(touch ran)",
        ";touch ran",
        "|",
        "&",
        "*",
        "?",
        "[a]",
        "{",
        "}",
        "%s",
        "%n",
    ),
    *("::error::", "##[group]", "<b>", "]]>", "|", "\\", ":", "#", "a", "toy", "C:", "con", "x" * 60),
)
_HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_DAMAGES: tuple[Callable[[Path, Random], None], ...] = (
    lambda path, _: path.unlink(),
    lambda path, _: path.write_bytes(b""),
    lambda path, random: path.write_bytes(random.randbytes(random.randrange(1, 60))),
    lambda path, random: path.write_bytes(path.read_bytes()[: random.randrange(path.stat().st_size + 1)]),
    lambda path, random: path.write_text("ref: refs/heads/" + _name(random).replace("\udcff", "") + "\n"),
    lambda path, _: path.chmod(0),
)


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.security.fuzz.surroundings", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    arguments = parser.parse_args()
    codes: Counter[int] = Counter()
    limit()
    start = time.monotonic()
    with TemporaryDirectory(prefix="abigen-fuzz-") as name:
        base = _base(Path(name) / "base")
        for number in range(arguments.first, arguments.end):
            if time.monotonic() - start > arguments.seconds:
                break
            print(f"\r{number}", end="", flush=True)
            folder = Path(name) / str(number)
            complaint = try_one(base, folder, number, codes)
            if complaint:
                print(f"\n{number}: {complaint}".encode("utf-8", "backslashreplace").decode())
                return 1
            subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)
            shutil.rmtree(folder)
    print("".join(f"\nexit code {code}: {count}" for code, count in sorted(codes.items())))
    return 0


def try_one(base: Path, folder: Path, number: int, codes: Counter[int]) -> str:
    """Make a folder by its number and run commands in it.

    Args:
        base: a repository to begin with.
        folder: where to make it.
        number: decides what is in it.
        codes: receives the exit codes.

    Returns:
        What is wrong; empty when nothing is.
    """
    random = Random(f"surroundings {number}")
    outside, work = folder / "outside", folder / "work"
    shutil.copytree(base, work, symlinks=True)
    outside.mkdir()
    (outside / "toy.h").write_text(SECRET + "\n")
    before = _state(outside)
    names = [_plant(work, outside, random) for _ in range(random.randrange(1, 5))]
    if random.random() < 0.6:
        _damage(work / ".git", random)
    for _ in range(3):
        command = _command(names, random)
        with chdir(work):
            ended = run_limited(command)
        codes[ended.code] += 1
        shown = _HARMFUL.search(ended.text)
        checks = {
            ended.complaint: bool(ended.complaint),
            "it shows what lies outside": SECRET in ended.text,
            "it changes what lies outside": _state(outside) != before,
            "it runs what a name says": (work / "ran").exists(),
            f"it prints {shown.group()!r}" if shown else "": shown is not None,
        }
        wrong = [text for text, found in checks.items() if found]
        if wrong:
            return f"{command}\n{wrong[0]}\n{ended.text[:2000]}"
    return ""


def _base(folder: Path) -> Path:
    """Return a repository with a header, a spec, templates and a configuration, at two revisions."""
    for path, text in {
        "include/toy.h": HEADER,
        "spec/toy.yaml": SPEC,
        "mine/c/header.h.j2": '{% extends "abigen:c/header.h.j2" %}\n',
        "abigen.toml": 'targets = ["x86_64-linux-gnu"]\n',
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], [*identity, "commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    (folder / "include/toy.h").write_text(HEADER.replace("int a", "long a"))
    subprocess.run(["git", *identity, "commit", "-qam", "two"], cwd=folder, check=True)
    return folder


def _name(random: Random) -> str:
    name = "".join(random.choice(_PIECES) for _ in range(random.randrange(1, 5)))
    return name if name.strip(".") else "x"


def _plant(work: Path, outside: Path, random: Random) -> str:
    """Put a file, a folder or a link into the folder; the path that was made, from its top."""
    folder = random.choice(("", "include/", "spec/", "mine/", "mine/c/", "generated/c/"))
    suffix = random.choice((".h", ".yaml", ".j2", ".toml", "", ".h.1.new"))
    path = folder + _name(random) + suffix
    if random.random() < 0.3:
        path = random.choice(("abigen.toml", "include/toy.h", "spec/toy.yaml", "mine/c/header.h.j2", "generated", "c"))
    place = work / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
    except OSError:  # what was planted before is in the way
        return path
    if not place.parent.resolve().is_relative_to(work.resolve()):
        return path
    kind = random.random()
    if kind < 0.5:
        place.write_text(random.choice((HEADER, SPEC, "{{ 1 }}\n", "[rules]\n", SECRET[::-1], "")))
    elif kind < 0.9:
        targets = (outside, outside / "toy.h", "/dev/zero", "nowhere", place.name, "..", "../include", "/")
        place.symlink_to(random.choice(targets))
    else:
        place.mkdir()
        (place / "toy.h").write_text(HEADER)
    return path


def _damage(repository: Path, random: Random) -> None:
    files = sorted(path for path in repository.rglob("*") if path.is_file() and "hooks" not in path.parts)
    for path in random.sample(files, min(len(files), random.choice((1, 1, 2, 5)))):
        random.choice(_DAMAGES)(path, random)


def _command(names: list[str], random: Random) -> list[str]:
    paths = [*names, "include", "include/toy.h", "spec/toy.yaml", "spec", "."]
    revision = random.choice(("HEAD", "HEAD~1", "main", "^HEAD", "HEAD^@", "nowhere", "", _name(random)))
    path = random.choice(paths)
    commands: list[list[str]] = [
        ["lint", "--", path],
        ["layout", "--", path],
        ["diff", "--", random.choice(paths), path],
        ["diff", f"--against={revision}", "--", path],
        ["diff", "--", f"{revision}:{path}", path],
        ["build", "--check"],
        ["build", "--templates", random.choice(("mine", path)), "--target", "c"],
        ["build", "--target", "c", "--prune"],
    ]
    command = random.choice(commands)
    if command[0] in ("lint", "diff") and random.random() < 0.4:
        form = random.choice(("json", "sarif", "markdown", "html", "github", "junit"))
        command = [command[0], f"--format={form}", *command[1:]]
    return [each for each in command if "\0" not in each]


def _state(folder: Path) -> list[tuple[str, bytes]]:
    """Return the state of a folder."""
    return sorted((path.name, path.read_bytes() if path.is_file() else b"") for path in folder.rglob("*"))


if __name__ == "__main__":
    os.environ["GIT_CEILING_DIRECTORIES"] = "/"
    sys.exit(main())
