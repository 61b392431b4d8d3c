"""Small C programs that show something: compiled with sanitizers, run in a process of their own, within limits."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which
from typing import NoReturn

import msgspec

from abigen.model.span import AbigenError, Diagnostic, words_of_command
from abigen.workspace.files import put_in_place
from abigen.workspace.libraries import find_compiler
from abigen.workspace.process import Bounds, Limits, Supervisor

SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_OPTIONS = ("-std=gnu17", "-g", "-O0", "-fno-omit-frame-pointer")
_SECONDS = 60.0
"""The limits of one command of a compiler, and of a program without limits of its own."""
_NOT_STARTED = 126
"""The exit status of a child process in which the program could not be started."""
_MOST_LINES = 20
"""The number of characters that are shown of a compiler's output."""
_EXCERPT = 4
"""Lines that are shown before and behind one."""
_TRIAL = "#include <stdlib.h>\nint main(void) { free(malloc(1)); return 0; }\n"
_SANITIZER_LINE = re.compile(r"\w+Sanitizer: .+?(?= on (?:unknown )?address|$)|runtime error: .*", re.MULTILINE)
_PLACE = re.compile(r"\b(old|new|core|plugin)\.c:(\d+)")
_ACCESS = re.compile(r"^(?:READ|WRITE) of size \d+", re.MULTILINE)
_SAME_ADDRESSES = 0x0040000
"""ADDR_NO_RANDOMIZE of personality(2)."""
_ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=0:exitcode=99",
}


class Toolchain(msgspec.Struct, frozen=True):
    """The compiler and the runner of programs."""

    compiler: tuple[str, ...]
    """The command, with its first arguments."""
    emulator: tuple[str, ...] = ()
    """The command that runs programs, where this machine cannot run them itself."""
    sanitizers: tuple[str, ...] = SANITIZERS
    """Options that switch sanitizers on; empty where the compiler or the emulator has none."""


class ProgramRun(msgspec.Struct, frozen=True):
    """The result of a run of a program."""

    status: int
    """Its exit status; the number of a signal, negative, where one has ended it."""
    output: str
    """The content of stdout."""
    errors: str
    """The content of stderr."""
    ended: str = ""
    """The reason why it was ended, in words, when it exceeded a limit; else empty."""

    @property
    def is_fine(self) -> bool:
        """True if it came to its end and said that all is well."""
        return self.status == 0 and not self.ended

    @property
    def place(self) -> tuple[str, int] | None:
        """The first place that a sanitizer reports: `core` for core.c, and the line; None where it names no side."""
        found = _PLACE.search(self.errors)
        return (found[1], int(found[2])) if found else None

    @property
    def sanitizer(self) -> str:
        """The first report of a sanitizer, without addresses: `AddressSanitizer: heap-buffer-overflow, READ of 8`."""
        said, access = _SANITIZER_LINE.search(self.errors), _ACCESS.search(self.errors)
        return re.sub(r" 0x[0-9a-f]+\b", "", ", ".join(each[0] for each in (said, access) if each))


def find_toolchain(compiler: str = "", emulator: str = "") -> Toolchain:
    """Return the toolchain that a user asks for, tried out: sanitizers are left out where they do not work.

    Args:
        compiler: a command; empty for the environment's CC, or the first compiler on PATH.
        emulator: a command that runs programs of that compiler; empty for none.

    Raises:
        AbigenError: there is no such compiler or emulator, or their programs do not run here.
    """
    if not hasattr(os, "fork"):
        raise AbigenError.at(None, "abigen skew runs on Linux and macOS", "run abigen under WSL")
    command = words_of_command(compiler, "the compiler of --cc") or tuple(find_compiler())
    runner = words_of_command(emulator, "the program of --emulator")
    for option, words in (("--cc", command), ("--emulator", runner)):
        if words and which(words[0]) is None:
            raise AbigenError.at(None, f"there is no program `{words[0]}`", f"it was asked for by {option}")
    with tempfile.TemporaryDirectory(prefix="abigen-") as folder:
        for sanitizers in (SANITIZERS, ()):
            trial = ProgramFolder(Path(folder), Toolchain(command, runner, sanitizers), lambda _: None)
            trial.write("trial.c", _TRIAL)
            (wrong,) = trial.compile([BuildSteps([compile_command(trial.tools, ["trial.c"], "trial.exe")])])
            if wrong is None and trial.run([f".{os.sep}trial.exe"]).is_fine:
                return trial.tools
    if wrong is not None:
        raise wrong
    hint = "name an emulator that runs them: --emulator" if not runner else "is it the emulator for this compiler?"
    raise AbigenError.at(None, f"what {command[0]} compiles does not run here", hint)


def compile_command(
    tools: Toolchain,
    sources: Sequence[str | Path],
    output: str | Path,
    options: Sequence[str] = (),
    *,
    shared: bool = False,
) -> list[str]:
    """Return the command that compiles and links a program, as it can be written down for a reader.

    Args:
        tools: the compiler.
        sources: of the program.
        output: the program.
        options: further ones: `-I` and the like.
        shared: whether it is a shared library.
    """
    kind = ["-dynamiclib" if sys.platform == "darwin" else "-shared", "-fPIC"] if shared else []
    return [*tools.compiler, *_OPTIONS, *tools.sanitizers, *kind, *options, *map(str, sources), "-o", str(output)]


class Excerpt(msgspec.Struct, frozen=True):
    """Lines of a program around one of them."""

    file: str
    """From the folder of all programs."""
    lines: tuple[tuple[int, str], ...]
    """With their numbers."""
    seen: int
    """The number of the one that they are around."""


class BuildSteps(msgspec.Struct, frozen=True):
    """The commands that build one program."""

    commands: Sequence[Sequence[str]]
    """The commands of `compile_command`, in their order; the last argument of each is its output."""
    folder: str = ""
    """The folder where they are run, from the folder of all programs."""


class ProgramFolder(msgspec.Struct, frozen=True):
    """The folder in which programs are written, compiled and run."""

    folder: Path
    tools: Toolchain
    announce: Callable[[str], None]
    """Is told what is being done."""
    kept: str = ""
    """The name of the folder for the user; empty when it will be removed."""

    def write(self, path: str | Path, content: str | bytes) -> None:
        """Write a file.

        Args:
            path: from the folder.
            content: what it holds.
        """
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        put_in_place(file, content.encode() if isinstance(content, str) else content)

    def lines(self, path: Path) -> list[str]:
        """Return the lines of a file that was written."""
        return (self.folder / path).read_text(encoding="utf-8").splitlines()

    def excerpt(self, path: Path, number: int) -> Excerpt:
        """Return the line of a file with a number, and some around it."""
        begin = max(0, number - 1 - _EXCERPT)
        lines = self.lines(path)[begin : number + _EXCERPT]
        return Excerpt(str(path), tuple(enumerate(lines, begin + 1)), number)

    def compile(self, programs: Sequence[BuildSteps]) -> list[AbigenError | None]:
        """Make programs, as many at a time as there are processors.

        Returns:
            For each what the compiler says against it; None for a program that is there.
        """
        with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
            return list(workers.map(self._compile_one, programs))

    def _compile_one(self, steps: BuildSteps) -> AbigenError | None:
        for command in steps.commands:
            self.announce(f"compiling {Path(command[-1]).name}")
            folder = self.folder / steps.folder
            try:
                done = subprocess.run(
                    command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
                )
            except subprocess.TimeoutExpired:
                return AbigenError.at(None, f"{command[0]} has not compiled {command[-1]} within {_SECONDS:g} s")
            if done.returncode:
                lines = (done.stderr or done.stdout).strip().splitlines()[:_MOST_LINES]
                said = [f"{command[0]} cannot compile {command[-1]}:", *lines]
                return AbigenError([Diagnostic(None, line) for line in said])
        return None

    def run(self, command: Sequence[str | Path], folder: str = "", seconds: float = _SECONDS) -> ProgramRun:
        """Run a program in a process of its own, which ends with all that it has started.

        Args:
            command: the program and its arguments; an emulator, if one is needed, comes before it.
            folder: where it is run, from the folder of all programs.
            seconds: how long it may take.

        Raises:
            AbigenError: it could not be started.
        """
        words = [*self.tools.emulator, *map(str, command)]
        limits = Limits(processes=64, file_size=1 << 24)
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:

            def work(confine: Callable[[], None]) -> NoReturn:
                _become(words, self.folder / folder, (output.fileno(), errors.fileno()), confine)

            supervisor = Supervisor(work, Bounds(seconds=seconds, limits=limits), [output.fileno(), errors.fileno()])
            try:
                end = supervisor.wait(seconds)
            finally:
                supervisor.close()
            texts = []
            for file in (output, errors):
                file.seek(0)
                texts.append(file.read().decode("utf-8", "replace"))
        if end is None:
            return ProgramRun(-signal.SIGKILL, texts[0], texts[1], f"it has not come to its end within {seconds:g} s")
        status = os.waitstatus_to_exitcode(end.status)
        if status == _NOT_STARTED and not texts[0]:
            raise AbigenError.at(None, f"{words[0]} cannot be started: {texts[1].strip()}")
        return ProgramRun(status, texts[0], texts[1], end.exceeded and f"it uses {end.exceeded}")


def _become(words: Sequence[str], folder: Path, streams: tuple[int, int], confine: Callable[[], None]) -> NoReturn:
    """Turn this process, a child, into a program."""
    try:
        confine()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, stream in enumerate(streams, 1):
            os.dup2(stream, number)
        os.chdir(folder)
        if sys.platform == "linux":  # where that is allowed, runs see the same addresses
            ctypes.CDLL(None).personality(_SAME_ADDRESSES)
        os.execvpe(words[0], list(words), {**os.environ, **_ENVIRONMENT})
    except OSError as error:
        os.write(2, (error.strerror or "").encode())
    finally:
        os._exit(_NOT_STARTED)
