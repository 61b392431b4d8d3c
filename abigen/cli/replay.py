"""The fast way: repeat the answer to a command line that was asked before, when nothing that it rests on has changed.

A build runs the same `abigen diff` over the same files again and again. Loading the parser of the command line alone
takes longer than comparing two hashes per file, so this comes first and imports next to nothing; what it cannot answer
goes the usual way. Only commands whose output follows from evidence (`abigen.read.evidence`) keep answers here: those
that read standard input, ask git, or write files do not.
"""

from __future__ import annotations

import marshal
import os
import sys

from abigen.cli import terminal
from abigen.read.cache import READING_ENVIRONMENT, identity, open_cache
from abigen.read.evidence import Evidence, digest

_ENVIRONMENT = (*READING_ENVIRONMENT, "NO_COLOR", "TERM", "COLUMNS", "LANG", "LC_ALL", "LC_CTYPE", "PYTHONIOENCODING")


def replay(arguments: list[str]) -> int | None:
    """Write the answer that was given before.

    Args:
        arguments: the command line, without the program's name.

    Returns:
        The exit code; None when there is no answer to repeat.
    """
    answer = recall("answer", arguments)
    if answer is None:
        return None
    output, remarks, code = marshal.loads(answer)
    try:
        terminal.write(remarks, sys.stderr)
        terminal.write(output, sys.stdout)
    except BrokenPipeError:
        terminal.silence()
        return terminal.CLOSED_PIPE
    return int(code)


def keep(arguments: list[str], output: str, remarks: str, code: int, evidence: Evidence) -> None:
    """Remember an answer for `replay`.

    Args:
        arguments: the command line, without the program's name.
        output: what went to stdout.
        remarks: what went to stderr.
        code: the exit code.
        evidence: everything that the answer rests on besides the command line and the environment.
    """
    store("answer", arguments, marshal.dumps((output, remarks, code)), evidence)


def recall(kind: str, arguments: list[str]) -> bytes | None:
    """What is remembered about a command line.

    Args:
        kind: what of it: `answer`, or `request` for what it means.
        arguments: the command line, without the program's name.

    Returns:
        What `store` was given; None when there is nothing, or something that it rests on has changed.
    """
    if "--no-cache" in arguments:
        return None
    cache = open_cache()
    if cache is None or not os.path.isdir(cache.directory):
        return None
    entry = cache.get(_key(kind, arguments))
    return entry[0] if entry is not None else None


def store(kind: str, arguments: list[str], payload: bytes, evidence: Evidence) -> None:
    """Remember something about a command line, for `recall`.

    Args:
        kind: see `recall`.
        arguments: the command line, without the program's name.
        payload: what to remember.
        evidence: everything that it rests on besides the command line and the environment.
    """
    cache = open_cache()
    if cache is not None:
        cache.put(_key(kind, arguments), payload, evidence)


def _key(kind: str, arguments: list[str]) -> str:
    """The digest of the question: abigen itself, the command line, where it was asked, and what the terminal is."""
    machine = (
        os.uname().machine if hasattr(os, "uname") else ""
    )  # one home may serve several, with targets of their own
    surroundings = [f"{name}={os.environ.get(name)}" for name in _ENVIRONMENT]
    parts = [kind, identity(), machine, _directory(), terminal.describe(), *surroundings, *arguments]
    return digest(os.fsencode(part) for part in parts)


def _directory() -> str:
    """The current directory; empty when it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""
