"""The program as a whole: help, versions, pipes, interruptions, and what it costs to start."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import click
import pytest

from abigen.cli.main import commands, near_option
from tests.cli.program import Program
from tests.cli.samples import FIRST, INSERTED
from tests.running import run_apart
from tests.tools import require_module

Write = Callable[..., Path]
ROOT = Path(__file__).parents[2]


def test_help_lists_every_command_with_a_line_about_it(abigen: Program) -> None:
    result = abigen("--help")
    listed = {line.split()[0]: line for line in result.output.splitlines() if line.startswith("  ") and line.split()}
    for path in (ROOT / "abigen" / "cli").glob("*.py"):
        if "\ndef command(" in path.read_text():
            assert len(listed[path.stem.replace("_", "-")].split()) > 3
    assert "Examples:" in result.output
    assert (result.code, result.remarks) == (0, "")
    assert abigen() == result
    assert abigen("-h") == result


@pytest.mark.ci
def test_each_command_has_help_with_an_explanation(abigen: Program) -> None:
    for path in (ROOT / "abigen" / "cli").glob("*.py"):
        if "\ndef command(" in path.read_text():
            result = abigen(path.stem.replace("_", "-"), "--help")
            assert result.code == 0
            assert result.output.startswith(f"Usage: abigen {path.stem.replace('_', '-')} ")


def test_the_version_is_that_of_the_package(abigen: Program) -> None:
    assert abigen("--version").output == f"abigen {import_module('abigen').__version__}\n"


@pytest.mark.ci
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_a_stream_that_is_closed_changes_no_answer(closed: str, write: Write) -> None:
    command = f"{sys.executable} -m abigen lint --no-config {write('broken.h', 'int f(;')} {closed}"
    assert subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, check=False).returncode == 2


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("stream", "reason"), [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
@pytest.mark.parametrize("arguments", ["rules", "--help", "--version", "lint --help", "lint --no-config {}"])
def test_an_output_that_takes_nothing_is_told(arguments: str, stream: str, reason: str, write: Write) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    command = f"{sys.executable} -m abigen {arguments.format(write('toy.h', 'int f(void);'))} {stream}"
    run = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stderr == f"abigen: error: the output cannot be written: {reason}\n"
    assert run.returncode == 2


def test_a_number_of_thousands_of_digits_is_told_in_short(abigen: Program, write: Write) -> None:
    number = "9" * 5000
    spec = f"abigen: 1\napi: toy\nconstants:\n  - {{name: TOY_MOST, value: {number}, doc: The most.}}\n"
    for path in (write("toy.yaml", spec), write("toy.h", f"int most[{number}];\n")):
        result = abigen("lint", "--no-config", str(path))
        assert result.code == 2
        assert "Traceback" not in result.remarks
        assert len(result.remarks) < 3000


def test_a_name_that_is_too_long_for_the_file_system_is_told(abigen: Program) -> None:
    for command in (["lint", "n" * 300], ["verify", "n" * 300 + ".so"], ["diff", "n" * 300, "n" * 300]):
        result = abigen(*command)
        assert (result.code, "Traceback" in result.remarks) == (2, False)


@pytest.mark.first_case
@pytest.mark.parametrize("delay", [0.1, 0.2, 0.4])
def test_an_interruption_at_any_moment_leaves_no_traceback(delay: float, write: Write) -> None:
    path = write("large.h", "".join(f"struct S{number} {{ int a, b, c; }};\n" for number in range(3000)))
    command = [sys.executable, "-m", "abigen", "lint", "--no-config", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        time.sleep(delay)
        run.send_signal(signal.SIGINT)
        remarks = run.communicate(timeout=60)[1]
    assert b"bug in abigen" not in remarks
    assert run.returncode in (130, -signal.SIGINT)


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_an_interruption_before_the_run_begins_leaves_no_traceback() -> None:
    interrupted = "import abigen.__main__, os; os.kill(os.getpid(), 2); print('still there')"
    for handler, code, output in ((signal.SIG_DFL, -signal.SIGINT, ""), (signal.SIG_IGN, 0, "still there\n")):
        run = subprocess.run(
            [sys.executable, "-c", interrupted],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=partial(signal.signal, signal.SIGINT, handler),
        )
        assert (run.returncode, run.stdout, run.stderr) == (code, output, "")


def test_a_current_directory_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    command = f"rmdir {folder}; {sys.executable} -m abigen build"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert run.stderr.endswith("abigen: error: the current directory does not exist any more\n")
    assert run.returncode == 2


def _processor_time(*arguments: str) -> float:
    """Seconds of processor time that a run of Python takes."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from abigen.cli.main import run; run(['--help']); print(*sys.modules, file=sys.stderr)"
    modules = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True).stderr
    loaded = set(modules.split())
    heavy = {"cffi", "elftools", "jinja2", "jsonschema", "numpy", "pycparser", "subprocess", "tomlkit", "yaml"}
    assert not loaded & heavy
    parts = ("abigen.checker", "abigen.generator", "abigen.host", "abigen.read", "abigen.checker.report")
    assert not {name for name in loaded if name.startswith(parts)}


@pytest.mark.slow
def test_help_takes_less_than_0_1_seconds_beyond_python_itself() -> None:
    _processor_time("-m", "abigen", "--help")
    ours = sorted(_processor_time("-m", "abigen", "--help") for _ in range(9))[4]
    python = sorted(_processor_time("-c", "pass") for _ in range(9))[4]
    assert ours - python < 0.1


def test_importing_abigen_loads_nothing_of_it_but_its_version() -> None:
    code = "import sys, abigen; print(*[name for name in sys.modules if name.startswith('abigen.')])"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True).stdout
    assert loaded.split() == [b"abigen.version"]


@pytest.mark.ci
@pytest.mark.skipif(os.name != "posix", reason="pipes and signals are those of POSIX")
@pytest.mark.parametrize(
    "arguments", [("--help",), ("diff", "old.h", "new.h"), ("diff", "old.h", "new.h", "--no-cache")]
)
def test_a_reader_that_goes_away_ends_the_program_quietly(
    abigen: Program, write: Write, arguments: tuple[str, ...]
) -> None:
    write("a.h", FIRST)
    write("old.h", FIRST)
    write("new.h", INSERTED)
    abigen("diff", "old.h", "new.h")
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(
        [sys.executable, "-m", "abigen", *arguments],
        cwd=abigen.directory,
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ABIGEN_CACHE_DIR": str(abigen.cache)},
        check=False,
    )
    os.close(writing)
    assert (run.stderr, run.returncode) == (b"", 141)


@pytest.mark.ci
@pytest.mark.skipif(os.name != "posix", reason="pipes and signals are those of POSIX")
def test_an_interruption_ends_the_program_without_a_traceback(abigen: Program) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "abigen", "lint", "-"],
        cwd=abigen.directory,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ABIGEN_CACHE_DIR": str(abigen.cache)},
        # A shell ignores interruptions in what it runs in the background, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as run:
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        _, remarks = run.communicate(timeout=20)
    assert (remarks, run.returncode) == (b"\nabigen: interrupted\n", 130)


def test_shells_can_complete_commands(abigen: Program) -> None:
    result = abigen.apart(_ABIGEN_COMPLETE="bash_complete", COMP_WORDS="abigen di", COMP_CWORD="1")
    assert "plain,diff" in result.output


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("explain field-ins", "field-inserted"),
        ("diff --abi i686-w", "i686-windows-msvc"),
        ("new XPU --api tensorflow/s", "tensorflow/stream_executor"),
        ("new XPU --api xla/", "xla/ffi"),
        ("diff --against v1", "v1.0"),
        ("layout api.h Toy", "ToyBox"),
        ("layout api.h --abi i686-linux-gnu Hidden -D HIDDEN Toy", "ToyHidden"),
        ("layout HEAD:api.h toy_", "toy_box"),
    ],
)
def test_shells_can_complete_names(
    abigen: Program, write: Write, git: Callable[..., str], words: str, completed: str
) -> None:
    box = "typedef struct toy_box { int a; } ToyBox;\n"
    write("api.h", f"{box}#ifdef HIDDEN\nstruct ToyHidden {{ int b; }};\n#endif\n")
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", "first")
    git("tag", "v1.0")
    words = f"abigen {words}"
    result = abigen.apart(_ABIGEN_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    assert f"plain,{completed}" in result.output.splitlines()


def test_structs_of_what_cannot_be_read_complete_to_nothing(abigen: Program, write: Write) -> None:
    write("api.h", "struct {\n")
    for words in ("abigen layout api.h T", "abigen layout missing.h T", "abigen layout api.h --abi nowhere T"):
        number = str(words.count(" "))
        result = abigen.apart(_ABIGEN_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=number)
        assert (result.output.strip(), result.remarks) == ("", "")


def _shipped(marks: str) -> list[str]:
    """Return the specs that come with abigen in which a pattern occurs."""
    specs = sorted(ROOT.glob("spec/*/*.yaml"))
    found = [each for each in specs if re.search(marks, each.read_text("utf-8"))]
    return [each.relative_to(ROOT / "spec").with_suffix("").as_posix() for each in found]


def _assert_all_named(names: list[str], shown: str) -> None:
    own = [each for each in names if not each.startswith("vendor/")]
    vendors = [each.removeprefix("vendor/") for each in names if each not in own]
    assert f"With abigen come the APIs {', '.join(own[:-1])} and {own[-1]}." in shown
    assert f"Of vendors there are {', '.join(vendors[:-1])} and {vendors[-1]}." in shown


def test_a_plugin_for_no_api_is_told_which_there_are(abigen: Program) -> None:
    names = sorted([*_shipped("entry_point:|implemented_by: plugin"), "xla/ffi"])
    assert f"there are {', '.join(names)}.\n" in abigen("new", "XPU").remarks
    shown = " ".join(abigen("new", "--help").output.split())
    _assert_all_named(names, shown)


def test_the_help_of_verify_names_every_api_that_comes_with_abigen(abigen: Program) -> None:
    names = sorted([*_shipped("entry_point:"), "xla/ffi"])
    shown = " ".join(abigen("verify", "--help").output.split())
    _assert_all_named(names, shown)


def test_a_spec_that_is_not_there_is_refused_with_the_names_of_all_specs(abigen: Program) -> None:
    remarks = abigen("new", "XPU", "--api", "nothing-like-it").remarks
    assert " has " + ", ".join(f"`{name}`" for name in _shipped("")) + "\n" in remarks


def test_a_folder_of_specs_is_refused_with_every_api_of_it_that_a_plugin_can_be_for(abigen: Program) -> None:
    remarks = abigen("new", "XPU", "--api", "tensorflow").remarks
    assert "hint: name one of them: tensorflow/kernels, tensorflow/stream_executor\n" in remarks


def test_colours_can_be_forced_and_refused(abigen: Program, write: Write) -> None:
    write("old.h", FIRST)
    assert "\x1b[" in abigen("diff", "old.h", "old.h", FORCE_COLOR="1").output
    for variables in {"FORCE_COLOR": ""}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}:
        assert "\x1b[" not in abigen("diff", "old.h", "old.h", **variables).output


def test_output_survives_a_terminal_that_lacks_its_characters(abigen: Program, write: Write) -> None:
    write("old.h", "int a(void);\n")
    write("new.h", "int a(int); // gr\u00f6\u00dfer\n")
    result = run_apart(["diff", "old.h", "new.h"], abigen.directory, {**os.environ, "PYTHONIOENCODING": "ascii"})
    assert result.code == 1
    assert "int a(int); // gr\\xf6\\xdfer" in result.stdout


def test_a_report_is_written_to_each_file_that_is_asked_for(abigen: Program, write: Write) -> None:
    write("old.h", FIRST)
    write("new.h", INSERTED)
    shown = abigen("diff", "old.h", "new.h")
    result = abigen("diff", "old.h", "new.h", "-q", "--output", "text=report.txt", "--output", "json=report.json")
    assert (result.output, result.code) == ("", 1)
    assert (abigen.directory / "report.txt").read_text() == shown.output
    assert (abigen.directory / "report.json").read_text().startswith('{\n  "schema": "abigen-diff/1"')
    assert sorted(path.name for path in abigen.directory.iterdir()) == ["new.h", "old.h", "report.json", "report.txt"]
    (abigen.directory / "report.txt").unlink()
    assert abigen("diff", "old.h", "new.h", "-q", "--output", "text=report.txt").code == 1
    assert (abigen.directory / "report.txt").exists()


@pytest.mark.parametrize(("variables", "coloured"), [({}, False), ({"NO_COLOR": "1"}, False)])
def test_a_pipe_gets_no_colours(abigen: Program, write: Write, variables: dict[str, str], coloured: bool) -> None:
    write("a.h", "int a(void);\n")
    assert ("\x1b" in abigen("diff", "a.h", "a.h", **variables).output) is coloured


@pytest.mark.ci
def test_a_terminal_gets_colours_unless_it_asks_for_none(abigen: Program, write: Write) -> None:
    pty = require_module("pty")
    write("a.h", "int a(void);\n")

    def run(**variables: str) -> bytes:
        leader, follower = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
        ours = {"PYTHONPATH": str(ROOT), "ABIGEN_CACHE_DIR": str(abigen.cache), "TERM": "xterm"}
        subprocess.run(
            [sys.executable, "-m", "abigen", "diff", "a.h", "a.h"],
            cwd=abigen.directory,
            stdout=follower,
            env={**environment, **ours, **variables},
            check=False,
        )
        os.close(follower)
        output = os.read(leader, 10_000)
        os.close(leader)
        return bytes(output)

    assert b"\x1b[1;32m" in run()
    assert b"\x1b" not in run(NO_COLOR="1")
    assert b"\x1b" not in run(TERM="dumb")


def test_the_python_api_answers_as_the_command_line_does(
    abigen: Program, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = import_module("abigen")
    write("old.h", FIRST)
    write("new.h", INSERTED)
    monkeypatch.chdir(abigen.directory)
    monkeypatch.setenv("ABIGEN_CACHE_DIR", str(abigen.cache))
    old, new = api.load("old.h"), api.load("new.h", include_dirs=["."])
    verdict = api.diff(old, new)
    assert isinstance(old, api.ApiSet)
    assert isinstance(verdict, api.Verdict)
    assert (verdict.required.value, verdict.ok) == ("major", False)
    assert "field-inserted" in {finding.rule for finding in verdict.findings}
    assert all(isinstance(finding, api.Finding) for finding in api.lint(new))
    with pytest.raises(api.AbigenError, match="there is no file"):
        api.load("nothing.h")
    with pytest.raises(api.AbigenError, match="unknown target"):
        api.load("old.h", targets=["z80"])
    with pytest.raises(AttributeError):
        _ = api.nothing


def test_help_shows_what_the_option_shows(abigen: Program) -> None:
    assert abigen("help") == abigen("--help")
    for path in (ROOT / "abigen" / "cli").glob("*.py"):
        if "\ndef command(" in path.read_text():
            name = path.stem.replace("_", "-")
            assert abigen("help", name) == abigen(name, "--help")
    assert abigen("help", "nothing").code == 2


def _parameters(context: click.Context, command: click.Command) -> list[click.Parameter]:
    return command.get_params(click.Context(command, parent=context))


def _options() -> list[tuple[str, dict[str, str]]]:
    """Return each command with its options and the names of their values."""
    context = commands.make_context("abigen", ["--help"], resilient_parsing=True)
    found = [(name, commands.get_command(context, name)) for name in commands.list_commands(context)]
    return [
        (name, {option: each.metavar or "" for each in _parameters(context, command) for option in each.opts})
        for name, command in found
        if command is not None
    ]


@pytest.mark.parametrize(("command", "known"), _options(), ids=lambda each: each if isinstance(each, str) else "")
def test_an_option_is_suggested_only_if_it_is_near_and_means_the_same(command: str, known: dict[str, str]) -> None:
    for name in ("--frob", "--xyzzy", "--verbatim", "--directory-of", "-o", "-x", "--new-format", "--no-format"):
        assert near_option(name, known) == "", command
    means = {
        "--output-format": "--format",
        "--formt": "--format",
        "--jbos": "--jobs",
        "--failon": "--fail-on",
        "--spec-folder": "--spec-dir",
        "--include": "-I",
        "--define": "-D",
        "--no-cach": "--no-cache",
        "--agianst": "--against",
    }
    for name, option in means.items():
        assert near_option(name, known) == (option if option in known else ""), (command, name)
