"""Record what `diff`, `lint` and `layout` print, or compare it with what was recorded before.

    python -m tests.cli.rendered FOLDER                    write one file per command below FOLDER
    python -m tests.cli.rendered FOLDER --against EARLIER  the same, then show what differs from the files below EARLIER
    python -m tests.cli.rendered FOLDER --corpus PATH      also for each step of the histories below PATH
    python -m tests.cli.rendered FOLDER --only rules/field no other commands than those whose names contain this

Use it around a change of code that must not change what users see: record first, compare after each step. Exits with 1
where something differs. Each command runs in a process of its own, without the result cache.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]


def commands(corpus: Path | None) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each command, and its arguments."""
    root = REPOSITORY / "tests"
    for old in sorted([*root.glob("checker/rules/*/*/old.*"), *root.glob("checker/rules/*/*/v*/old.*")]):
        new = next(iter(sorted(old.parent.glob("new.*"))), None)
        if new is not None:
            yield _name(old.parent, "diff"), ["diff", "--fail-on", "never", str(old), str(new)]
            yield _name(old.parent, "layout"), ["layout", str(new)]
    for path in sorted(root.glob("checker/lint/*/*/api.*")):
        yield _name(path.parent, "lint"), ["lint", str(path)]
        yield _name(path.parent, "layout"), ["layout", str(path)]
    for path in sorted(root.glob("headers/reader/accepted/**/*.h")):
        yield _name(path, "layout"), ["layout", str(path)]
        yield _name(path, "lint"), ["lint", str(path)]
    for path in sorted([*(REPOSITORY / "spec").glob("*/*.yaml"), *root.glob("specs/shipped/**/*.yaml")]):
        yield _name(path, "lint"), ["lint", str(path)]
        yield _name(path, "layout"), ["layout", str(path)]
    if corpus is not None:
        yield from _corpus_commands(corpus)


def _corpus_commands(corpus: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each step of each history, and each revision alone."""
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir()):
        include = ["-I", str(folder / "include")] if (folder / "include").is_dir() else []
        revisions = sorted(folder.glob("*.h"))
        for old, new in itertools.pairwise(revisions):
            name = f"corpus/{folder.name}/{new.stem}"
            yield f"{name}.diff", ["diff", "--fail-on", "never", *include, str(old), str(new)]
            yield f"{name}.json", ["diff", "--fail-on", "never", "--format", "json", *include, str(old), str(new)]
        for path in revisions:
            yield f"corpus/{folder.name}/{path.stem}.lint", ["lint", *include, str(path)]
            yield f"corpus/{folder.name}/{path.stem}.layout", ["layout", *include, str(path)]


def _name(path: Path, command: str) -> str:
    """Return a command's name: the fixture below tests/, and the command."""
    return f"{path.relative_to(REPOSITORY).as_posix()}.{command}"


def run_apart(arguments: list[str]) -> str:
    """Run one command in a child of this process, which has imported most of abigen already.

    Returns:
        The exit code, what went to stderr and what went to stdout, with paths of the checkout made relative.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        sys.argv = ["abigen", *arguments]
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")
        code = 3
        try:
            from abigen.__main__ import main

            main()
        except SystemExit as request:
            code = request.code if isinstance(request.code, int) else 1
        except BaseException:
            import traceback

            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        text = file.read().decode("utf-8", "backslashreplace")
    _, status = os.waitpid(child, 0)
    return f"exit {os.waitstatus_to_exitcode(status)}\n{text.replace(str(REPOSITORY) + '/', '')}"


def main() -> int:
    """Record, and compare when asked to; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.cli.rendered", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for name in ("abigen.cli.diff", "abigen.checker.compare", "abigen.headers.reader", "abigen.specs.spec_reader"):
        __import__(name)  # once, instead of in every child
    os.environ.update(NO_COLOR="1", COLUMNS="120", XDG_CACHE_HOME=os.devnull)
    chosen = [(name, arguments) for name, arguments in commands(options.corpus) if options.only in name]

    def record(command: tuple[str, list[str]]) -> bool:
        name, arguments = command
        text = run_apart([arguments[0], "--no-cache", *arguments[1:]])
        path = options.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return options.against is not None and _differs(text, options.against / name, name)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        different = sum(pool.map(record, chosen))
    print(f"{len(chosen)} commands, {different} of them print something else" if options.against else len(chosen))
    return int(different > 0)


def _differs(text: str, earlier: Path, name: str) -> bool:
    """True if a command prints something else than before; what, goes to stdout."""
    before = earlier.read_text(encoding="utf-8") if earlier.exists() else ""
    if before == text:
        return False
    lines = difflib.unified_diff(before.splitlines(), text.splitlines(), f"before/{name}", f"now/{name}", lineterm="")
    print("\n".join(lines), flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
