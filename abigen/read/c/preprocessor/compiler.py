"""Asking a compiler what only it knows.

A compiler never sees the text of a header. It is given an empty one, and says which macros it predefines, where it
looks for standard headers, and which attributes and builtins it has; the preprocessing itself is abigen's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache

from abigen.model.span import AbigenError
from abigen.read.c.preprocessor.environment import Environment, check_standard
from abigen.read.c.preprocessor.features import questions, read_answers
from abigen.read.c.preprocessor.macros import parse_definition

COMPILERS = ("cc", "gcc", "clang")
"""What is looked for on PATH when no compiler is named."""

_TIMEOUT_SECONDS = 20
_MAX_ANSWER_BYTES = 4_000_000
_DECIDING_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SDKROOT", "PATH")
_UNWANTED_VARIABLES = ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "LANG", "LANGUAGE")
_NEWER_NAMES = {"c23": "c2x", "gnu23": "gnu2x", "c17": "c11", "gnu17": "gnu11"}
"""What a compiler calls a standard that does not know its final name yet."""


def compiler_environment(cc: str | None, std: str, *, cache: bool) -> Environment | None:
    """The environment of the compiler that the user has named, or of the first one that there is.

    Args:
        cc: a name or path, with options if need be; None to find one; `none` for no compiler.
        std: the C standard.
        cache: whether the answer may be kept between runs.

    Returns:
        None when there is no compiler, or none is wanted.

    Raises:
        AbigenError: the compiler that was named is not there or does not answer; there is no such standard.
    """
    check_standard(std)
    if cc == "none":
        return None
    if cc is not None:
        return _ask(_command(cc), std, cache=cache)
    for name in COMPILERS:
        path = _on_path(name)
        if path:
            try:
                return _ask((path,), std, cache=cache)
            except AbigenError:
                continue
    return None


def _command(cc: str) -> tuple[str, ...]:
    """The program and its options; a path may contain spaces."""
    path = cc if os.path.dirname(cc) and os.path.isfile(cc) else _on_path(cc)
    if path:
        return (path,)
    from shlex import split

    try:
        program, *rest = split(cc)
    except ValueError:
        program, rest = cc, []
    path = program if os.path.dirname(program) and os.path.isfile(program) else _on_path(program)
    if not path:
        hint = "give --cc a compiler on PATH or a path, or 'none' to do without"
        raise AbigenError.at(None, f"compiler '{cc}' not found", hint)
    return (path, *rest)


def _on_path(name: str) -> str:
    """Path of a program on PATH; empty when there is none."""
    if os.path.dirname(name):
        return ""
    suffixes = os.environ.get("PATHEXT", "").split(os.pathsep) if os.name == "nt" else [""]
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for suffix in suffixes:
            path = os.path.join(directory, name + suffix)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return ""


def _ask(command: tuple[str, ...], std: str, *, cache: bool) -> Environment:
    variables = tuple(os.environ.get(name, "") for name in _DECIDING_VARIABLES)
    if not cache:
        return _answered(command, std, variables)
    return _remembered(command, std, variables)


@lru_cache(maxsize=16)
def _answered(command: tuple[str, ...], std: str, variables: tuple[str, ...]) -> Environment:
    """Ask; once a process for the same command and variables."""
    del variables  # part of the key
    result = _run(command, std)
    if result[0] and std in _NEWER_NAMES:
        result = _run(command, _NEWER_NAMES[std])
    status, output, remarks = result
    if status or "#define" not in output:
        lines = [line for line in remarks.splitlines() if "error" in line.lower()] or remarks.splitlines() or [""]
        message = (
            f"compiler '{command[0]}' does not preprocess as gcc and clang do: {lines[0].strip() or f'exit {status}'}"
        )
        raise AbigenError.at(None, message, "give --cc another compiler, or 'none' to do without")
    answers, macros = read_answers(output)
    definitions = (parse_definition(line.removeprefix("#define")) for line in macros.splitlines())
    return Environment(tuple(each[:3] for each in definitions), _include_path(remarks), answers, command[0])


def _run(command: Sequence[str], std: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a compiler that lists its macros and include path."""
    import subprocess

    variables = {name: value for name, value in os.environ.items() if name not in _UNWANTED_VARIABLES}
    try:
        result = subprocess.run(
            [*command, "-E", "-dM", "-v", f"-std={std}", "-x", "c", "-"],
            input=questions().encode(),
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            env={**variables, "LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return -1, "", str(error)
    if len(result.stdout) > _MAX_ANSWER_BYTES:
        return -1, "", "its answer is too long"
    return result.returncode, result.stdout.decode("utf-8", "replace"), result.stderr.decode("utf-8", "replace")


def _include_path(remarks: str) -> tuple[str, ...]:
    """The directories that a compiler searches for `<...>`, from what it says under `-v`."""
    _, _, after = remarks.partition("#include <...> search starts here:\n")
    listed, _, _ = after.partition("End of search list.")
    directories = [line.strip() for line in listed.splitlines()]
    return tuple(os.path.normpath(each) for each in directories if each and not each.endswith("(framework directory)"))


def _remembered(command: tuple[str, ...], std: str, variables: tuple[str, ...]) -> Environment:
    """What a compiler answered in an earlier run, if it is the same program; else ask."""
    import marshal

    from abigen.read.cache import identity, open_cache
    from abigen.read.evidence import digest, executable_evidence

    store = open_cache()
    if store is None:
        return _answered(command, std, variables)
    key = digest(os.fsencode(part) for part in ("environment", identity(), *command, std, *variables))
    kept = store.get(key)
    if kept is not None:
        return Environment(*marshal.loads(kept[0]))
    environment = _answered(command, std, variables)
    parts = (environment.macros, environment.system_dirs, dict(environment.answers), environment.compiler)
    store.put(key, marshal.dumps(parts), executable_evidence(command[0]))
    return environment
