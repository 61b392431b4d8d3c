"""Readers and emitters look at files, at the environment and at the clock through `abigen.workspace.files` only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import abigen

PACKAGE = Path(abigen.__file__).parent
FOLDERS = ("workspace", "headers", "specs", "generator")
OTHERS = (
    *("files", "result_cache", "process", "python_children", "libraries", "symbol_versions", "shipped"),
    "importing",
)
"""The modules that are the way to files, or run programs; and the engine of `abigen import`, which compiles."""

METHODS = frozenset(
    ("read_text", "read_bytes", "write_text", "write_bytes", "glob", "rglob", "touch", "mkdir", "unlink", "rmdir")
)
"""Methods of `pathlib.Path` that ask the file system."""
QUESTIONS = frozenset(
    (
        *("exists", "is_file", "is_dir", "is_symlink", "iterdir", "stat", "lstat", "resolve", "readlink"),
        *("owner", "home", "expanduser"),
    )
)
"""The methods without arguments; methods of these names with arguments are other ones."""
FUNCTIONS = frozenset(
    (
        *("environ", "getenv", "listdir", "scandir", "walk", "stat", "lstat", "access", "readlink", "open"),
        *("makedirs", "mkdir", "remove", "unlink", "rename", "replace"),
        *("path.exists", "path.lexists", "path.isfile", "path.isdir", "path.islink", "path.ismount", "path.realpath"),
        *("path.getsize", "path.getmtime", "path.samefile", "path.expanduser", "path.expandvars"),
    )
)
"""The functions of `os` for files; the working directory is a part of every key."""
MODULES = frozenset(("tempfile", "shutil", "glob", "subprocess", "importlib.resources", "sysconfig"))

EXCUSED = {
    "workspace/git_process.py": {"subprocess", "os.environ", "tempfile"},  # the files of a revision never change
    "workspace/git_repository.py": {"os.scandir", ".is_dir", ".is_symlink"},
    "workspace/git.py": {"subprocess", "os.readlink"},
    "headers/preprocessor/system_compiler.py": {"subprocess"},  # what it gets and looks at is noted
    "workspace/operand.py": {"os.open"},  # standard input and pipes, which are noted as such
    # Parts of abigen itself, which its identity covers.
    "checker/rule.py": {".read_text", ".is_file"},
    "headers/preprocessor/environment.py": {".read_text"},
    "headers/syntax/specifiers.py": {".read_text"},
    "workspace/config/settings.py": {".read_text"},
    "workspace/document/json_schema.py": {".read_text"},
    "generator/cpp/view.py": {".read_text"},
    # The projects of plugins, on which no stored result depends.
    "generator/new/new_project.py": {
        *("tempfile", ".is_file", ".iterdir", ".mkdir", ".read_text", ".write_text", ".rglob", "os.path.lexists"),
    },
    # What emitters write, and the package that they compile.
    "generator/output_files.py": {".exists", ".mkdir", ".stat", ".is_dir", ".open", ".glob", ".unlink", "os.open"},
    "generator/python/target.py": {
        *("subprocess", "tempfile", ".resolve", ".mkdir", ".read_bytes", ".write_bytes", "os.environ"),
    },
    "generator/build.py": {".resolve", ".is_file", ".glob"},  # targets: modules, which Python imports
}
"""By module, what it may use all the same."""


def _uses(path: Path) -> Iterator[str]:
    """Yield the uses of the file system by a module that do not go through `Files`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield str(node.module)
        elif isinstance(node, ast.ImportFrom) and node.module in ("os", "os.path"):
            prefix = "path." if node.module == "os.path" else ""
            yield from (f"os.{prefix}{each.name}" for each in node.names if prefix + each.name in FUNCTIONS)
        elif isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            if text.startswith("os.") and text.removeprefix("os.") in FUNCTIONS:
                yield text
        if isinstance(node, ast.Call):
            yield from _call(node)


def _call(node: ast.Call) -> Iterator[str]:
    """Yield the use of the file system by a call."""
    if isinstance(node.func, ast.Name) and node.func.id == "open":
        yield "open"
    if isinstance(node.func, ast.Attribute) and "files" not in ast.unparse(node.func.value):
        name = node.func.attr
        mode = node.args[0] if name == "open" and node.args else None
        if name in METHODS or isinstance(mode, ast.Constant) or (name in QUESTIONS and not node.args):
            yield f".{name}"


@pytest.mark.ci
def test_files_are_looked_at_in_one_way() -> None:
    found: dict[str, set[str]] = {}
    for folder in FOLDERS:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            name = path.relative_to(PACKAGE).as_posix()
            if path.stem in OTHERS or path.parent.name in OTHERS:
                continue
            uses = set(_uses(path)) - EXCUSED.get(name, set())
            if uses:
                found[name] = uses
    assert found == {}


def test_no_excuse_is_left_over() -> None:
    left = {name: excused - set(_uses(PACKAGE / name)) for name, excused in EXCUSED.items()}
    assert {name: excused for name, excused in left.items() if excused} == {}
