"""Asking a compiler what only it knows.

A compiler never sees the text of a header. It is given an empty one, and says which macros it predefines, where it
looks for standard headers, and which attributes and builtins it has; the preprocessing itself is abigen's.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from shlex import split

from abigen.headers.preprocessor.environment import Environment, questions, read_answers
from abigen.headers.preprocessor.macros import parse_definition
from abigen.model.c_standard import check_standard
from abigen.model.span import AbigenError
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions
from abigen.workspace.result_cache import remember

COMPILERS = ("cc", "gcc", "clang")
"""The names that are searched on PATH when no compiler is named."""

_TIMEOUT_SECONDS = 20
_MAX_ANSWER_BYTES = 4_000_000
_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LD_LIBRARY_PATH", "SOURCE_DATE_EPOCH"),
    *("CPATH", "C_INCLUDE_PATH", "COMPILER_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "SDKROOT", "DEVELOPER_DIR"),
    *("MACOSX_DEPLOYMENT_TARGET", "CCACHE_DIR", "CCACHE_DISABLE", "NIX_CFLAGS_COMPILE", "NIX_CC"),
)
"""The part of the environment that a compiler gets: what it answers cannot depend on any other."""
_NEWER_NAMES = {"c23": "c2x", "gnu23": "gnu2x", "c17": "c11", "gnu17": "gnu11"}
"""The names of a standard in compilers that do not know its final name yet."""
_IGNORED = 'ignoring nonexistent directory "'


def compiler_environment(options: ReadOptions) -> Environment | None:
    """Return the environment of the compiler that the user has named, or of the first one that there is.

    Args:
        options: name the compiler (a name or path, with options if need be; None to find one; `none` for no compiler)
            and the C standard.

    Returns:
        None when there is no compiler, or none is wanted.

    Raises:
        AbigenError: the compiler that was named is not there or does not answer; there is no such standard.
    """
    check_standard(options.std)
    if options.cc == "none":
        return None
    if options.cc is not None:
        command = _command(options.cc, options.files)
        try:
            return _environment(command, options)
        except AbigenError:
            options.files.do_not_store()  # it may answer next time
            raise
    for name in COMPILERS:
        path = _program(name, options.files)
        if path:
            try:
                return _environment((path,), options)
            except AbigenError:
                continue
    return None


def _command(cc: str, files: Files) -> tuple[str, ...]:
    """Return the program and its options; a path may contain spaces."""
    commands = [[cc]]
    with suppress(ValueError):
        commands.append(split(cc))
    for name, *arguments in filter(None, commands):
        path = _program(name, files)
        if path:
            return (path, *arguments)
    hint = "set --cc to a compiler on PATH, to a path, or to 'none'"
    raise AbigenError.at(None, f"compiler '{cc}' not found", hint)


def _program(name: str, files: Files) -> str:
    """Return path of a program that is named by its path, or is on PATH; empty when there is none."""
    if os.path.dirname(name):
        return name if files.is_file(name) else ""
    suffixes = (files.variable("PATHEXT") or "").split(os.pathsep) if os.name == "nt" else [""]
    for directory in (files.variable("PATH") or os.defpath).split(os.pathsep):
        for suffix in suffixes:
            path = os.path.join(directory, name + suffix)
            if files.program(path):
                return path
    return ""


def _environment(command: tuple[str, ...], options: ReadOptions) -> Environment:
    """Return the answers of a compiler, from this run or an earlier one."""
    files = options.files
    key = ("compiler", *command, options.std)

    def ask() -> Environment:
        return _ask(command, options.std, files)

    # Why it does not answer may lie in files that only the compiler knows of.
    return files.once(key, lambda: remember(key, ask, Environment, files, refusals=False) if options.cache else ask())


def _ask(command: tuple[str, ...], std: str, files: Files) -> Environment:
    """Ask a compiler; what its answer depends on is noted."""
    files.program(command[0])
    variables = {name: value for name in _VARIABLES if (value := files.variable(name)) is not None}
    result = _run(command, std, variables)
    is_older = bool(result[0]) and std in _NEWER_NAMES
    if is_older:
        result = _run(command, _NEWER_NAMES[std], variables)
    status, output, remarks = result
    if status or "#define" not in output:
        lines = [line for line in remarks.splitlines() if "error" in line.lower()] or remarks.splitlines() or [""]
        message = (
            f"compiler '{command[0]}' does not preprocess as gcc and clang do: {lines[0].strip() or f'exit {status}'}"
        )
        raise AbigenError.at(None, message, "set --cc to another compiler, or to 'none'")
    for line in remarks.splitlines():
        if line.startswith(_IGNORED):
            files.is_dir(line.removeprefix(_IGNORED).rstrip('"'))
    system_dirs = _include_path(remarks)
    for each in system_dirs:
        files.is_dir(each)
        files.real(each)  # a directory that is searched already is left out
    answers, macros = read_answers(output)
    if is_older:  # GCC 12 defines 202000L for c2x: headers that ask for C23 would be read as C17
        macros = re.sub(r"(?m)^(#define __STDC_VERSION__ ).*$", rf"\g<1>{check_standard(std)}", macros)
    definitions = (parse_definition(line.removeprefix("#define")) for line in macros.splitlines())
    return Environment(tuple(each[:3] for each in definitions), system_dirs, answers, command[0])


def _run(command: Sequence[str], std: str, variables: dict[str, str]) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a compiler that lists its macros and include path."""
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
        return -1, "", "its output is too long"
    return result.returncode, result.stdout.decode("utf-8", "replace"), result.stderr.decode("utf-8", "replace")


def _include_path(remarks: str) -> tuple[str, ...]:
    """Return the directories that a compiler searches for `<...>`, from what it says under `-v`."""
    _, _, after = remarks.partition("#include <...> search starts here:\n")
    listed, _, _ = after.partition("End of search list.")
    directories = [line.strip() for line in listed.splitlines()]
    return tuple(os.path.normpath(each) for each in directories if each and not each.endswith("(framework directory)"))
