"""A question that was asked before is answered as if it were new, whatever has changed since."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cli.program import Program, Result
from tests.cli.samples import APPENDED, FIRST, INSERTED
from tests.sampling import short_form

Write = Callable[..., Path]
ROOT = Path(__file__).parents[2]

BROKEN = FIRST + "int f(;\n"
WARNED = FIRST + "int f(void) __attribute__((nobody_knows_this));\n"
DIFF = ("diff", "old.h", "new.h")


@pytest.fixture
def abigen(abigen: Program) -> Program:
    """The program, in a process of its own for each run: what one run leaves for the next is the subject."""
    return abigen.apart


@pytest.fixture
def old(write: Write) -> Callable[..., Path]:
    """Writes a file that is as old as files are when somebody runs a program on them by hand."""

    def write_old(name: str, text: str) -> Path:
        path = write(name, text)
        long_ago = time.time() - 60
        os.utime(path, (long_ago, long_ago))
        return path

    return write_old


@pytest.fixture
def headers(old: Write) -> None:
    """Two headers to compare."""
    old("old.h", FIRST)
    old("new.h", FIRST)


def _check(abigen: Program, *arguments: str, **environment: str) -> Result:
    """Check that a question is answered as if nothing were remembered, as this process answers it."""
    result = abigen(*arguments, **environment)
    assert result == replace(abigen, is_apart=False)(*arguments, "--no-cache", **environment)
    return result


@pytest.mark.ci
@pytest.mark.parametrize(
    "format_name", short_form(["text", "json", "github", "html", "junit", "markdown", "sarif"], 4, in_ci=True)
)
@pytest.mark.usefixtures("headers")
def test_an_edited_header_is_judged_anew(abigen: Program, old: Write, format_name: str) -> None:
    question = (*DIFF, "--format", format_name)
    assert abigen(*question).code == 0
    old("new.h", INSERTED)
    assert _check(abigen, *question).code == 1


@pytest.mark.ci
@pytest.mark.parametrize("format_name", ["text", "sarif"])
@pytest.mark.usefixtures("headers")
def test_an_edited_header_is_inspected_anew(abigen: Program, old: Write, format_name: str) -> None:
    question = ("lint", "new.h", "old.h", "--fail-on", "note", "--format", format_name)
    first = abigen(*question)
    old("new.h", "struct Gap { char a; int b; char c; };\n")
    assert _check(abigen, *question).output != first.output


@pytest.mark.ci
@pytest.mark.usefixtures("headers")
def test_an_answer_that_was_made_that_way_is_repeated(abigen: Program, old: Write) -> None:
    abigen(*DIFF)
    old("new.h", INSERTED)
    assert abigen(*DIFF) == abigen(*DIFF) == abigen(*DIFF, "--no-cache")


@pytest.mark.ci
@pytest.mark.parametrize(
    "options",
    [
        ("--fail-on", "minor", "--width", "60"),
        ("--strict", "--color", "always", "--summary"),
        ("-q", "--abi", "i686-linux-gnu", "-D", "X=1", "--std", "c11"),
        ("--policy", "nonsense"),
    ],
)
@pytest.mark.usefixtures("headers")
def test_options_mean_what_they_did(abigen: Program, old: Write, options: tuple[str, ...]) -> None:
    abigen(*DIFF, *options)
    old("new.h", APPENDED)
    _check(abigen, *DIFF, *options)


@pytest.mark.ci
@pytest.mark.usefixtures("headers")
def test_reports_go_to_files_again(abigen: Program, old: Write) -> None:
    question = (*DIFF, "-q", "--output", "json=report.json")
    abigen(*question)
    old("new.h", INSERTED)
    assert abigen(*question) == Result("", "", 1)
    assert (abigen.directory / "report.json").read_text() == abigen(*DIFF, "--format", "json").output


@pytest.mark.ci
@pytest.mark.parametrize(
    ("question", "text"),
    [
        (DIFF, BROKEN),
        (("lint", "new.h"), BROKEN),
        (DIFF, WARNED),
        (DIFF, "\0"),
        (DIFF, None),
        (("lint", "new.h"), None),
    ],
)
@pytest.mark.usefixtures("headers")
def test_errors_and_warnings_are_told_as_ever(
    abigen: Program, old: Write, question: tuple[str, ...], text: str | None
) -> None:
    abigen(*question)
    (abigen.directory / "new.h").unlink()
    if text is not None:
        old("new.h", text)
    assert _check(abigen, *question).remarks


def test_what_could_not_be_read_at_first_can_be_read_once_it_is_there(abigen: Program, old: Write) -> None:
    assert abigen(*DIFF).code == 2
    old("old.h", FIRST)
    old("new.h", INSERTED)
    assert _check(abigen, *DIFF).code == 1


@pytest.mark.first_case
@pytest.mark.parametrize(
    "arguments",
    [("diff", "old.h"), ("lint",), ("diff", "old.h", "new.h", "--nothing"), ("lint", "old.h", "--abi", "z")],
)
@pytest.mark.usefixtures("headers")
def test_a_command_line_that_is_wrong_stays_wrong(abigen: Program, arguments: tuple[str, ...]) -> None:
    first = abigen(*arguments)
    assert first.code == 2
    assert abigen(*arguments) == first


@pytest.mark.ci
@pytest.mark.usefixtures("headers")
def test_a_configuration_that_appears_counts(abigen: Program, old: Write) -> None:
    old("new.h", APPENDED)
    inner = Program(abigen.directory / "inner" / "most", abigen.cache)
    inner.directory.mkdir(parents=True)
    question = ("diff", "../../old.h", "../../new.h", "--fail-on", "major")
    assert inner(*question).code == 0
    old("abigen.toml", '[rules]\nfield-appended = "error"\n')
    _check(inner, *question)
    old("inner/pyproject.toml", '[tool.abigen]\npolicy = "strict"\n')
    _check(inner, *question)
    old("inner/most/abigen.toml", 'policy = "nonsense"\n')
    assert "nonsense" in _check(inner, *question).remarks
    (abigen.directory / "inner" / "most" / "abigen.toml").unlink()
    (abigen.directory / "inner" / "pyproject.toml").unlink()
    _check(inner, *question)
    (abigen.directory / "inner" / ".git").mkdir()  # what is above does not count any more
    _check(inner, *question)


@pytest.mark.ci
@pytest.mark.parametrize("options", [(), ("--config", "abigen.toml")])
@pytest.mark.usefixtures("headers")
def test_a_configuration_that_changes_counts(abigen: Program, old: Write, options: tuple[str, ...]) -> None:
    question = (*DIFF, *options)
    old("abigen.toml", 'policy = "default"\n')
    abigen(*question)
    old("new.h", APPENDED)
    _check(abigen, *question)
    old("abigen.toml", 'policy = "strict"\n')
    _check(abigen, *question)
    old("abigen.toml", "policy = [\n")
    assert _check(abigen, *question).code == 2
    (abigen.directory / "abigen.toml").unlink()
    _check(abigen, *question)


@pytest.mark.ci
@pytest.mark.skipif(os.name != "posix", reason="/dev/stdin is one of POSIX")
@pytest.mark.usefixtures("headers")
def test_a_configuration_from_a_pipe_is_read_each_time(abigen: Program) -> None:
    question = (*DIFF, "--config", "/dev/stdin")
    assert abigen(*question, text='policy = "strict"\n') == Result(abigen(*DIFF).output, "", 0)
    assert abigen(*question, text='policy = "nonsense"\n').code == 2


@pytest.mark.ci
@pytest.mark.usefixtures("headers")
def test_a_configuration_is_remembered_with_all_that_it_says(abigen: Program, old: Write) -> None:
    old("include/part.h", "#define PART 1\n")
    old(
        "abigen.toml",
        'includes = ["include"]\ndefines = ["LIMIT=4"]\n[rules]\nvariable-added = "error"\n'
        "[options]\nstrict-padding = true\n[conventions]\nmax-alignment = 8\n"
        '[[exceptions]]\nrule = "field-inserted"\nreason = "nobody has it yet"\n',
    )
    abigen(*DIFF)
    old("new.h", f"#include <part.h>\n{INSERTED}int more[LIMIT];\n")
    result = _check(abigen, *DIFF)
    assert "error ABI412" in result.output
    assert "1 finding accepted" in result.output


@pytest.mark.ci
@pytest.mark.usefixtures("headers")
def test_an_exception_that_ends_is_looked_up_on_each_day(abigen: Program, old: Write) -> None:
    # The days of these two zones are never the same.
    yesterday, tomorrow = {"TZ": "Etc/GMT+12"}, {"TZ": "Etc/GMT-14"}
    day = datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=-12))).date()
    exception = f'[[exceptions]]\nrule = "field-inserted"\nreason = "not shipped"\nexpires = {day}\n'
    old("abigen.toml", exception)
    abigen(*DIFF, **yesterday)
    old("new.h", INSERTED)
    before, after = (abigen(*DIFF, **each) for each in (yesterday, tomorrow))
    assert before == abigen(*DIFF, "--no-cache", **yesterday)
    assert after == abigen(*DIFF, "--no-cache", **tomorrow)
    assert after != before


@pytest.mark.skipif(os.name != "posix", reason="links are those of POSIX")
@pytest.mark.usefixtures("headers")
def test_an_include_directory_that_becomes_a_link_to_elsewhere_is_refused(
    abigen: Program, old: Write, tmp_path: Path
) -> None:
    (abigen.directory / ".git").mkdir()
    (abigen.directory / "include").mkdir()
    (tmp_path / "elsewhere").mkdir()
    old("abigen.toml", 'includes = ["include"]\n')
    abigen(*DIFF)
    (abigen.directory / "include").rmdir()
    (abigen.directory / "include").symlink_to(tmp_path / "elsewhere")
    old("new.h", INSERTED)
    assert "abigen.toml:1:" in _check(abigen, *DIFF).remarks


@pytest.mark.ci
@pytest.mark.usefixtures("headers")
def test_another_environment_is_another_question(abigen: Program, old: Write) -> None:
    old("new.h", INSERTED)
    wide, narrow = (abigen(*DIFF, COLUMNS=columns) for columns in ("200", "50"))
    assert wide.output != narrow.output
    old("new.h", FIRST + "/* changed */\n" + "int added(void);\n")
    _check(abigen, *DIFF, COLUMNS="50")
    _check(abigen, *DIFF, COLUMNS="60")
    _check(abigen, *DIFF, "--width", "60")
    _check(abigen, *DIFF, PYTHONIOENCODING="ascii")


@pytest.mark.ci
@pytest.mark.usefixtures("headers")
def test_without_a_cache_nothing_is_remembered(abigen: Program) -> None:
    abigen(*DIFF, "--no-cache")
    assert not abigen.cache.exists()
    assert abigen(*DIFF) == abigen(*DIFF, "--no-cache")


@pytest.mark.ci
@pytest.mark.parametrize("damage", [b"", b"x" * 200])
@pytest.mark.usefixtures("headers")
def test_a_damaged_memory_counts_as_none(abigen: Program, old: Write, damage: bytes) -> None:
    abigen(*DIFF)
    old("new.h", INSERTED)
    for entry in abigen.cache.iterdir():
        entry.write_bytes(entry.read_bytes()[:-1] + damage)
    _check(abigen, *DIFF)


@pytest.mark.ci
def test_a_comparison_with_a_revision_is_made_anew_each_time(
    abigen: Program, old: Write, git: Callable[..., str]
) -> None:
    old("api.h", FIRST)
    git("add", ".")
    git("commit", "-q", "-m", "first")
    question = ("diff", "api.h", "--against", "HEAD")
    assert abigen(*question).code == 0
    old("api.h", INSERTED)
    assert _check(abigen, *question).code == 1
    git("commit", "-q", "-a", "-m", "second")
    assert _check(abigen, *question).code == 0


@pytest.mark.ci
def test_standard_input_is_read_each_time(abigen: Program) -> None:
    assert abigen("lint", "-", text=FIRST).code == 0
    result = abigen("lint", "-", text="int f(;\n")
    assert result == abigen("lint", "-", "--no-cache", text="int f(;\n")
    assert result.remarks.startswith("-:1:6: error: ")


@pytest.mark.ci
@pytest.mark.skipif(os.name != "posix", reason="pipes and signals are those of POSIX")
@pytest.mark.usefixtures("headers")
def test_a_reader_that_goes_away_ends_it_quietly(abigen: Program, old: Write) -> None:
    abigen(*DIFF)
    old("new.h", INSERTED)
    reading, writing = os.pipe()
    os.close(reading)
    run = _start(abigen, *DIFF, stdout=writing)
    os.close(writing)
    assert (run.communicate(timeout=60)[1], run.returncode) == (b"", 141)


@pytest.mark.ci
@pytest.mark.skipif(os.name != "posix", reason="pipes and signals are those of POSIX")
def test_an_interruption_ends_it_without_a_traceback(abigen: Program) -> None:
    reading, writing = os.pipe()
    os.close(writing)
    _start(abigen, "lint", "-", stdin=reading).communicate(timeout=60)
    run = _start(abigen, "lint", "-", stdin=subprocess.PIPE)
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    remarks = run.communicate(timeout=20)[1]
    assert (remarks, run.returncode) == (b"\nabigen: interrupted\n", 130)


@pytest.mark.skipif(os.name != "posix", reason="only POSIX lets a current directory be removed")
def test_a_current_directory_that_is_gone_is_told_each_time(abigen: Program) -> None:
    script = (
        f"rmdir '{abigen.directory}'; for turn in 1 2; do '{sys.executable}' -m abigen lint nothing.h; done; exit $?"
    )
    run = subprocess.run(
        ["sh", "-c", script],
        cwd=abigen.directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ABIGEN_CACHE_DIR": str(abigen.cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    first, second = run.stderr.splitlines()
    assert first == second
    assert run.returncode == 2


def _start(abigen: Program, *arguments: str, **streams: int) -> subprocess.Popen[bytes]:
    """Start a run that has streams of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "abigen", *arguments],
        cwd=abigen.directory,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ABIGEN_CACHE_DIR": str(abigen.cache)},
        # A shell ignores interruptions in what it runs in the background, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **streams,
    )
