"""Repositories that name programs for git to run: abigen runs none of them, and does not wait for them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from abigen.workspace.git_process import SWITCHED_OFF
from tests.cli.program import Program
from tests.cli.samples import FIRST, INSERTED

Commit = Callable[[str], None]
Git = Callable[..., str]
Write = Callable[..., Path]

_NAMES_A_COMMAND = re.compile(
    r"command|program|cmd|helper|driver|textconv|hook|pager|editor|proxy|clean$|smudge|process|fsmonitor|external"
    r"|askpass|showsignature|uploadpack$|receivepack$|viewer|barerepository|vcs$|\.tool$|guitool|ccCmd|tocmd|signedoffbycc",
    re.IGNORECASE,
)
_OF_OTHER_COMMANDS = (
    "column.", "color.", "browser.", "man.", "difftool.", "mergetool.", "guitool.", "sendemail.", "imap.", "instaweb.",
    "rebase.", "sequence.", "merge.", "notes.", "receive.", "remote.<name>.receivepack", "pager.", "trailer.", "alias.",
    "completion.", "advice.", "clean.", "commit.", "interactive.", "gitcvs.", "http.", "help.", "diff.guitool",
    "diff.tool", "uploadpack.", "credential.useHttpPath", "fsmonitor.", "core.fsmonitorHookVersion", "tar.",
    "fetch.", "transfer.", "maintenance.", "index.", "fastimport.", "web.", "submodule.<name>.update", "gui.",
)  # fmt: skip
"""Beginnings of keys of commands that abigen does not run, and of keys that name no program."""
_OF_WORKING_FILES = (
    "diff.<driver>.", "filter.<driver>.", "core.attributesFile", "diff.colorMovedWS", "diff.algorithm",
)  # fmt: skip
"""Keys that count when git compares working files or shows patches, for which abigen never asks."""
_OF_FETCHING = ("remote.<name>.", "credential.<url>.", "core.gitProxy", "protocol.", "url.", "ssh.")
"""Keys that count when git fetches: no protocol is allowed."""


def test_every_key_of_git_that_names_a_program_is_accounted_for(git: Git) -> None:
    keys = {key for key in git("help", "--config").split() if _NAMES_A_COMMAND.search(key)}
    known = (*SWITCHED_OFF, *_OF_OTHER_COMMANDS, *_OF_WORKING_FILES, *_OF_FETCHING)
    lowered = tuple(key.lower() for key in known)
    assert len(keys) > 50
    assert {key for key in keys if not key.lower().startswith(lowered)} == {"gpg.<format>.program"}
    assert {"gpg.openpgp.program", "gpg.ssh.program", "gpg.x509.program"} <= set(SWITCHED_OFF)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file that each planted program makes."""
    return tmp_path / "ran"


@pytest.fixture
def planted(tmp_path: Path, marker: Path) -> Path:
    """A program that leaves the marker, and then waits longer than a test would."""
    program = tmp_path / "planted"
    program.write_text(f"#!/bin/sh\necho \"$0 $@\" >>'{marker}'\nexec sleep 5\n")
    program.chmod(0o755)
    return program


def _runs_by_itself(command: list[str], directory: Path, marker: Path) -> bool:
    """True if git runs the planted program when nothing switches it off; the marker is removed."""
    with subprocess.Popen(["git", *command], cwd=directory, stdout=-3, stderr=-3, start_new_session=True) as process:
        end = time.monotonic() + 5
        while process.poll() is None and not marker.exists() and time.monotonic() < end:
            time.sleep(0.01)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    ran = marker.exists()
    marker.unlink(missing_ok=True)
    return ran


def _ask_everything(abigen: Program) -> list[int]:
    """Run the commands that read a repository, and return their exit codes."""
    return [
        abigen(*command, "--no-cache").code
        for command in (
            ("diff", "--against", "HEAD"),
            ("diff", "include/toy.h", "--against", "HEAD~1"),
            ("diff", "include/toy.h"),
            ("lint", "HEAD~1:include/toy.h"),
            ("layout", "HEAD:include/toy.h"),
            ("history", "include/toy.h"),
            ("changelog", "include/toy.h"),
        )
    ]


REMOTES: Mapping[str, Mapping[str, str]] = {
    "ssh": {"remote.origin.url": "ssh://example.invalid/x", "core.sshCommand": "{program}"},
    "ext": {"remote.origin.url": "ext::{program} %S", "protocol.ext.allow": "always"},
    "ext-as-helper": {"remote.origin.url": "x", "remote.origin.vcs": "ext", "protocol.allow": "always"},
    "upload-pack": {"remote.origin.url": "{folder}", "remote.origin.uploadpack": "{program}"},
    "upload-pack-of-file": {"remote.origin.url": "file://{folder}", "remote.origin.uploadpack": "{program}"},
    "proxy": {"remote.origin.url": "git://example.invalid/x", "core.gitProxy": "{program}"},
    "credentials": {"remote.origin.url": "https://localhost:1/x", "credential.helper": "!{program}"},
}
"""Ways from a missing object to a program."""


@pytest.mark.ci
@pytest.mark.parametrize("way", REMOTES)
def test_a_missing_object_runs_no_program(
    abigen: Program, repository: Commit, write: Write, git: Git, planted: Path, marker: Path, tmp_path: Path, way: str
) -> None:
    write("include/toy.h", INSERTED)
    repository("second")
    git("config", "extensions.partialclone", "origin")
    git("config", "core.repositoryFormatVersion", "1")
    git("config", "remote.origin.promisor", "true")
    for key, value in REMOTES[way].items():
        git("config", key, value.format(program=planted, folder=tmp_path))
    name = git("rev-parse", "HEAD~1:include/toy.h").strip()
    (abigen.directory / ".git/objects" / name[:2] / name[2:]).unlink()
    runs = _runs_by_itself(["cat-file", "-p", name], abigen.directory, marker)
    assert runs or way in ("ext-as-helper", "credentials"), "the attack is none"
    codes = _ask_everything(abigen)
    assert not marker.exists()
    assert codes[1] == codes[3] == 2
    assert abigen("lint", "HEAD~1:include/toy.h", "--no-cache", "--fetch").code == 2
    assert not marker.exists()


@pytest.mark.ci
def test_comparing_working_files_runs_no_filter(
    abigen: Program, repository: Commit, write: Write, git: Git, planted: Path, marker: Path
) -> None:
    write("include/toy.h", INSERTED)
    write("include/other.h", "int other;\n")
    repository("second")
    git("mv", "include/other.h", "include/others.h")
    write(".gitattributes", "*.h filter=evil\n")
    git("config", "filter.evil.clean", str(planted))
    git("config", "filter.evil.process", str(planted))
    write("include/others.h", "int other; \n")
    write("include/toy.h", FIRST)
    attack = ["diff-index", "--find-renames", "--name-status", "HEAD"]
    assert _runs_by_itself(attack, abigen.directory, marker), "the attack is none"
    _ask_everything(abigen)
    assert abigen("diff", "include/others.h", "--against", "HEAD").code == 0
    assert not marker.exists()


@pytest.mark.ci
def test_filters_of_submodules_do_not_run(
    abigen: Program, repository: Commit, write: Write, git: Git, planted: Path, marker: Path, tmp_path: Path
) -> None:
    git("init", "-q", str(tmp_path / "inner"))
    inner = tmp_path / "inner"
    (inner / "inner.h").write_text("int inner;\n")
    git("add", "-A", cwd=inner)
    git("commit", "-q", "-m", "inner", cwd=inner)
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "inner")
    write("include/toy.h", INSERTED)
    repository("second")
    checkout = abigen.directory / "inner"
    git("config", "filter.evil.clean", str(planted), cwd=checkout)
    git("config", "core.fsmonitor", str(planted), cwd=checkout)
    (checkout / ".gitattributes").write_text("*.h filter=evil\n")
    (checkout / "inner.h").write_text("int outer;\n")
    assert _runs_by_itself(["diff-index", "--name-only", "HEAD"], abigen.directory, marker), "the attack is none"
    _ask_everything(abigen)
    assert not marker.exists()


@pytest.mark.ci
def test_signatures_are_not_shown(
    abigen: Program, repository: Commit, write: Write, git: Git, planted: Path, marker: Path
) -> None:
    write("include/toy.h", INSERTED)
    repository("second")
    content = git("cat-file", "commit", "HEAD")
    head, _, message = content.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}"
    path = write(".git/signed", signed)
    git("reset", "-q", git("hash-object", "-w", "-t", "commit", str(path)).strip())
    git("config", "log.showSignature", "true")
    for key in "gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program":
        git("config", key, str(planted))
    assert _runs_by_itself(["log"], abigen.directory, marker), "the attack is none"
    _ask_everything(abigen)
    assert not marker.exists()


def test_keys_that_name_programs_run_none(
    abigen: Program, repository: Commit, write: Write, git: Git, planted: Path, marker: Path
) -> None:
    write("include/toy.h", INSERTED)
    repository("second")
    for key in git("help", "--config").split():
        if _NAMES_A_COMMAND.search(key) and not key.lower().startswith(("color.", "column.", "log.", "safe.")):
            git("config", re.sub(r"<[^>]*>", "x", key), str(planted))
    git("config", "core.hooksPath", str(planted.parent))
    write(".gitattributes", "*.h filter=x diff=x merge=x\n")
    for hook in "post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman":
        (planted.parent / hook).symlink_to(planted)
    _ask_everything(abigen)
    assert not marker.exists()


@pytest.fixture
def embedded(
    abigen: Program, repository: Commit, write: Write, git: Git, planted: Path, tmp_path: Path
) -> Callable[[Mapping[str, str]], Path]:
    """Makes a folder of a clone that git takes for a bare repository, with a configuration of its own."""

    def make(settings: Mapping[str, str]) -> Path:
        inner = abigen.directory / "inner"
        git("clone", "-q", "--bare", str(abigen.directory), str(inner))
        write("inner/api.h", INSERTED)
        write("inner/abigen.toml", 'baseline = "main"\n')
        for key, value in settings.items():
            git("config", "--file", str(inner / "config"), key, value)
        return inner

    return make


def test_a_bare_repository_in_a_clone_is_not_used(
    abigen: Program, embedded: Callable[[Mapping[str, str]], Path], planted: Path, marker: Path
) -> None:
    inner = embedded({"core.fsmonitor": str(planted), "log.showSignature": "true", "gpg.program": str(planted)})
    program = Program(inner, abigen.cache)
    for command in (("lint", "main:include/toy.h"), ("diff", "api.h"), ("history", "api.h")):
        result = program(*command)
        assert (result.code, result.output) == (2, ""), command
        assert "GIT_DIR" in result.remarks, result.remarks
    assert not marker.exists()
    named = Program(inner, abigen.cache, {"GIT_DIR": "."})
    assert named("lint", "main:include/toy.h").code == 0


def test_a_bare_repository_with_a_working_tree_is_not_used_either(
    abigen: Program, embedded: Callable[[Mapping[str, str]], Path], tmp_path: Path
) -> None:
    inner = embedded({"core.bare": "false", "core.worktree": str(tmp_path)})
    result = Program(inner, abigen.cache)("lint", "main:include/toy.h")
    assert (result.code, result.output) == (2, "")
    assert "GIT_DIR" in result.remarks


@pytest.mark.ci
def test_settings_that_change_the_output_of_git_hide_nothing(
    abigen: Program, repository: Commit, write: Write, git: Git
) -> None:
    write("include/toy.h", INSERTED)
    repository("second")
    git("tag", "v1.1")
    question = (("history", "include/toy.h", "--all"), ("diff", "include/toy.h", "--against", "v1.0"))
    plain = [abigen(*words, "--no-cache") for words in question]
    assert plain[0].output
    assert plain[1].code == 1
    for key, value in {
        "column.ui": "always", "color.ui": "always", "log.showRoot": "false", "log.follow": "true",
        "log.excludeDecoration": "refs/tags/*", "log.decorate": "full", "i18n.logOutputEncoding": "UTF-16",
        "diff.relative": "true", "diff.noprefix": "true", "tag.sort": "-refname", "log.abbrevCommit": "true",
        "format.pretty": "%B", "diff.renames": "false", "core.quotePath": "true", "log.diffMerges": "off",
        "status.relativePaths": "true", "core.abbrev": "4", "log.date": "raw", "diff.orderFile": "include/toy.h",
    }.items():  # fmt: skip
        git("config", key, value)
    assert [abigen(*words, "--no-cache") for words in question] == plain
    assert "compared with v1.1" in abigen("diff", "include/toy.h").remarks


def test_a_git_that_does_not_end_is_stopped_with_all_that_it_started(
    abigen: Program, repository: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"
    waiting = tmp_path / "bin" / "git"
    waiting.parent.mkdir()
    waiting.write_text(f"#!/bin/sh\nsleep 60 &\necho $! >'{started}'\nwait\n")
    waiting.chmod(0o755)
    monkeypatch.setattr("abigen.workspace.git_process.LONGEST", 0.5)
    result = abigen("lint", "HEAD:include/toy.h", PATH=f"{waiting.parent}:/usr/bin:/bin")
    assert (result.code, result.output) == (2, "")
    assert "git has not ended within" in result.remarks
    end = time.monotonic() + 5
    while Path(f"/proc/{started.read_text().strip()}").exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not Path(f"/proc/{started.read_text().strip()}").exists()
