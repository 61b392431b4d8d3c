"""Tools that tests need beyond Python and one C compiler.

An installed tool may still not work: `gcc -m32` has no headers of 32 bits, the `cargo` of rustup has no toolchain,
bubblewrap may not make namespaces. So each tool is used once in a session. A test whose tool does not work is skipped,
and the reason states what to install. It fails instead where `ABIGEN_REQUIRE_TOOLS` is set, as in `.ci/run`, so that
a missing tool cannot turn a test off unnoticed.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

SHARED = "ABIGEN_TEST_TOOLS"
"""The variable that names the folder of answers, which all processes of a session share."""
_ENVIRONMENT = dict(os.environ)
"""The variables as they were before any test changed them."""
_COMPILER = re.compile(r"(?:.*-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-win32|-posix|-[\d.]+)?")
_NATIVE = re.compile(r"(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-[\d.]+)?")
_DECIDING = re.compile(r"-m(32|64|x32)|-std=.*|-fsanitize=.*|--?target=.*|-static|-fanalyzer|-fsyntax-only")
"""Options of compilers that a machine may lack something for."""
_INSTALL = (
    (r".* -include Python\.h", "the headers of this Python (python3-dev)"),
    (r".*-w64-mingw32-", "gcc-mingw-w64"),
    (r"(gcc|cc) .*-m(32|x32)", "gcc-multilib"),
    (r"(g|c)\+\+ .*-m(32|x32)", "g++-multilib"),
    (r"clang\S* .*-fsanitize", "libclang-rt-dev"),
    (r"\S* .*-fsanitize", "the sanitizers of the compiler (libasan, libubsan, libtsan)"),
    (r"rustc --target (\S+)", r"Rust's standard library for \1 (rustup target add \1, or libstd-rust-dev-...)"),
    (r"(\S*-linux-gnu\S*)-gcc", r"gcc-\1"),
    (r"qemu-\w+", "qemu-user"),
    (r"clang(\+\+)?(?= |$)", "clang"),
    (r"(gcc|cc) .*-x c\+\+", "g++"),
    (r"(gcc|cc)(?= |$)", "gcc and libc6-dev"),
    (r"[gc]\+\+(?= |$)", "g++"),
    (r"abidiff", "abigail-tools"),
    (r"nvim", "neovim"),
    (r"bwrap", "bubblewrap, and allow users to make namespaces"),
    (r"cargo|rustc|rustfmt", "cargo, rustc and rust-clippy, or a default toolchain (rustup default stable)"),
    (r"ninja", "ninja-build"),
    (r"ctest", "cmake"),
    (r"objdump|objcopy|nm|addr2line", "binutils"),
    (r"ld\.lld", "lld"),
    (r"mypy|ruff|schemastore", "abigen's own development tools (pip install '.[dev]')"),
    (r"numpy|pre-commit", "abigen's own test tools (pip install '.[test]')"),
)
"""Commands, and the packages to install for each, by Debian's names; a program that has no row has its own name."""
_NOT_IN_CI = re.compile(r"aarch64-linux-gnu-gcc|qemu-|rustc --target i686-unknown-linux-gnu|bwrap|python3\.")
"""Commands that `.ci/run` cannot install or allow: tests are skipped there, too."""


def require(*commands: str) -> tuple[str, ...]:
    """Return the path of each command's program; skip the test unless every command works here.

    Args:
        commands: programs, each with the options that decide whether it works, as in `gcc -m32`. A compiler has to
            build and run a program; with `-c` or `-S`, to compile a file that includes a system header; with
            `-fsyntax-only`, to accept a declaration.
    """
    for command in commands:
        if reason := _reason(command):
            missing(f"`{command}`, which {reason}", _install(command), is_in_ci=not _NOT_IN_CI.search(command))
    return tuple(str(_path(shlex.split(command)[0])) for command in commands)


def require_compiler(compiler: str, *arguments: str | Path) -> str:
    """Return the path of a compiler; skip the test unless it accepts the arguments that not every machine supports."""
    deciding = [each for each in map(str, arguments) if _DECIDING.fullmatch(each)]
    if any("target=" in each for each in deciding) and "-fsyntax-only" not in deciding:
        deciding.append("-fsyntax-only")
    return require(shlex.join([compiler, *deciding]))[0]


def require_module(name: str) -> Any:
    """Import a module; skip the test if that is not possible."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing(f"the module {name} ({error})", _install(name))


def require_python_headers() -> None:
    """Skip the test unless programs in C can embed this Python."""
    require(shlex.join(["cc", "-c", f"-I{sysconfig.get_path('include')}", "-include", "Python.h"]))


def require_file(path: Path, package: str) -> Path:
    """Return a path; skip the test if there is no such file."""
    if not path.exists():
        missing(str(path), package)
    return path


def require_program(program: str, package: str) -> None:
    """Skip the test unless there is a program, which is not tried: a host that would start to serve."""
    if shutil.which(program) is None:
        missing(program, package)


def works(command: str) -> bool:
    """True if a command, as for `require`, works here."""
    return not _reason(command)


def missing(tool: str, install: str, *, is_in_ci: bool = True) -> NoReturn:
    """Skip the test because a tool is missing, or fail it where continuous integration ought to have the tool."""
    reason = f"needs {tool}; install {install}"
    if is_in_ci and os.environ.get("ABIGEN_REQUIRE_TOOLS"):
        pytest.fail(reason)
    pytest.skip(reason)


def _install(command: str) -> str:
    """Return what to install for a command; without its program, for that."""
    program, *rest = command.split(" ", 1)
    if _path(program) is None:
        rest = []
    named = " ".join([Path(program).name, *rest])
    for pattern, package in _INSTALL:
        if match := re.match(pattern, named):
            return match.expand(package)
    return Path(program).name


@cache
def _reason(command: str) -> str:
    """Return why a command does not work, or an empty text; ask the other processes of the session first."""
    shared = os.environ.get(SHARED)
    answer = Path(shared, hashlib.sha256(command.encode()).hexdigest()) if shared else None
    if answer is not None and answer.exists():
        return answer.read_text(encoding="utf-8")
    reason = _tried(command)
    if answer is not None:
        written = answer.with_name(f"{answer.name}.{os.getpid()}")
        written.write_text(reason, encoding="utf-8")
        written.replace(answer)
    return reason


def _path(program: str) -> str | None:
    return shutil.which(program, path=_ENVIRONMENT.get("PATH", os.defpath))


def _tried(command: str) -> str:
    """Use a command; return why it does not work, or an empty text."""
    program, *options = shlex.split(command)
    if _path(program) is None:
        return "is not installed"
    name = Path(program).name
    trial = _compiler if _COMPILER.fullmatch(name) else _TRIALS.get(name, _version)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            trial([program, *options], Path(folder))
        except subprocess.CalledProcessError as error:
            said = [line for line in (error.stderr or error.stdout or "").splitlines() if line.strip()]
            first = next((line for line in said if "error" in line), said[0] if said else f"exit {error.returncode}")
            return f"does not work here ({first.strip()[:200]})"
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"does not work here ({error})"
    return ""


def _run(command: list[str], folder: Path, **variables: str) -> None:
    subprocess.run(
        command,
        cwd=folder,
        env=_ENVIRONMENT | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=True,
        timeout=120,
    )


def _compiler(command: list[str], folder: Path) -> None:
    """Compile a file, and as far as the options allow, link and run it."""
    name = Path(command[0]).name
    source = folder / ("probe.cc" if "++" in name else "probe.c")
    if "-fsyntax-only" in command:
        source.write_text("int probe;\n")
        _run([*command, source.name], folder)
        return
    header = "string" if "++" in name else "stdlib.h"
    source.write_text(f'#include <{header}>\n#include <stdio.h>\nint main(void) {{ return puts("probe") < 0; }}\n')
    _run([*command, source.name, "-o", "probe.out"], folder)
    if _NATIVE.fullmatch(name) and not {"-c", "-S"} & {*command}:
        _run([str(folder / "probe.out")], folder)


def _rustc(command: list[str], folder: Path) -> None:
    """Compile a program and run it, or a library for a target that this machine does not run."""
    target = command[command.index("--target") + 1] if "--target" in command else "linux"
    (folder / "probe.rs").write_text("pub fn probe() {}\nfn main() {}\n")
    kind = ["--crate-type", "bin" if "linux" in target else "lib", "-A", "dead_code"]
    _run([*command, *kind, "probe.rs", "-o", "probe.out"], folder)
    if "linux" in target:
        _run([str(folder / "probe.out")], folder)


def _cargo(command: list[str], folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").write_text("pub fn probe() {}\n")
    (folder / "Cargo.toml").write_text('[package]\nname = "probe"\nversion = "0.1.0"\nedition = "2021"\n')
    path = f"{Path(_path(command[0]) or '').parent}{os.pathsep}{_ENVIRONMENT.get('PATH', '')}"
    _run([*command, "clippy" if command[0].endswith("-clippy") else "build", "--offline"], folder, PATH=path)


def _emulated(compiler: str) -> Callable[[list[str], Path], None]:
    """Return a trial that runs a program which a cross compiler has built."""

    def trial(command: list[str], folder: Path) -> None:
        (folder / "probe.c").write_text("int main(void) { return 0; }\n")
        _run([*shlex.split(compiler), "probe.c", "-o", "probe.exe"], folder)
        prefix = {"WINEPREFIX": str(folder / "prefix"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
        _run([*command, "./probe.exe"], folder, **prefix)

    return trial


def _with(*arguments: str, **files: str) -> Callable[[list[str], Path], None]:
    """Return a trial that passes arguments to a program, in a folder with a file `probe.SUFFIX` for each suffix."""

    def trial(command: list[str], folder: Path) -> None:
        for suffix, text in files.items():
            (folder / f"probe.{suffix}").write_text(text)
        _run([*command, *arguments], folder)

    return trial


def _abidiff(command: list[str], folder: Path) -> None:
    (folder / "probe.c").write_text("int probe;\n")
    _run(["cc", "-g", "-shared", "probe.c", "-o", "probe.so"], folder)
    _run([*command, "probe.so", "probe.so"], folder)


_version = _with("--version")
_PYTHON = str(Path(sys.executable).resolve())
_TRIALS = {
    "abidiff": _abidiff,
    "addr2line": _with("-e", _PYTHON, "0"),
    "bash": _with("-ec", "true"),
    "bwrap": _with("--unshare-all", "--ro-bind", "/", "/", "true"),
    "cargo": _cargo,
    "cargo-clippy": _cargo,
    "chromium": _with("--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=.", "--dump-dom", "about:blank"),
    "clang-tidy": _with("probe.c", "--", "-std=c11", c="#include <stddef.h>\n"),
    "cmake": _with("-P", "probe.cmake", cmake="file(WRITE probe.txt probe)\n"),
    "git": _with("init", "-q", "."),
    "make": _with("-f", "probe.mk", mk="probe:\n\techo probe\n"),
    "mypy": _with("--cache-dir", ".cache", "probe.py", py="probe: int = 1\n"),
    "ninja": _with("-f", "probe.ninja", ninja="rule probe\n  command = touch $out\nbuild probe.txt: probe\n"),
    "nm": _with("-D", _PYTHON),
    "objdump": _with("-f", _PYTHON),
    "qemu-aarch64": _emulated("aarch64-linux-gnu-gcc -static"),
    "ruff": _with("check", "--isolated", "--no-cache", "probe.py", py="probe = 1\n"),
    "rustc": _rustc,
    "rustfmt": _with("--check", "probe.rs", rs="pub fn probe() {}\n"),
    "valgrind": _with("-q", "--error-exitcode=9", "true"),
    "wine": _emulated("x86_64-w64-mingw32-gcc"),
}
"""The commands that prove that a program works; other programs have to print their version."""
