"""The environment of a header: predefined macros, the include path of the system, features of the compiler; and the
dependence of the header on the target.

An installed compiler is asked (`abigen.headers.preprocessor.system_compiler`); for a target without one, tables take
its place, and abigen's own versions of the standard headers.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from abigen.headers.preprocessor.macros import parse_definition
from abigen.headers.unit import Unit
from abigen.model.c_standard import check_standard
from abigen.model.target import Target, annotation_macros, default_targets, find_target
from abigen.workspace.files import Files

_FOLDER = Path(__file__).parent
STAND_INS = str(_FOLDER / "include")
"""The folder of abigen's own versions of system headers, one below it for each kind of system."""
_FEATURES: Final = tomllib.loads((_FOLDER / "features.toml").read_text(encoding="utf-8"))
_KINDS = {"windows-msvc": ("windows",), "windows-gnu": ("windows",), "none": (), "wasi": ("posix",)} | dict.fromkeys(
    ("darwin", "ios", "watchos"), ("posix", "apple")
)
"""System to the folders of headers that its compilers have besides those of the C standard; else `posix`."""
_OF_SYSTEM: Final = frozenset(_FEATURES["headers"]["of_system"].split())
_MACHINE = ("/usr/local/include", "/usr/include/{architecture}-linux-gnu", "/usr/include")

_MICROSOFT_HAS = re.compile(r"_M|_WIN|_INTEGRAL|__STDC|\w+(?:_TYPE__|_MAX__|_MIN__|_SUFFIX__|_WIDTH__|_BIT__|_DIG__)$")
_DISTINCTIVE = re.compile(
    r"__SIZEOF_(?:POINTER|LONG|INT|SIZE_T|WCHAR_T)__|_WIN32|__MINGW32__|__(?:linux|APPLE|ANDROID|FreeBSD|wasi|EMSCRIPTEN)__"
    r"|__(?:x86_64|i386|aarch64|arm|riscv|s390x|powerpc64|powerpc|mips|sparc|wasm)(?:__)?|__BYTE_ORDER__|__CHAR_UNSIGNED__"
)


HEADER_OPERATORS = ("__has_include", "__has_include_next")
"""The operators that look for a file."""

_PREFIX = "__abigen_answer"

Answers = Mapping[str, Mapping[str, int]]
"""For each operator that a compiler has, the names for which it answers other than 0, and what it answers."""


class Environment(msgspec.Struct, frozen=True):
    """The compiler's side of a translation unit."""

    macros: tuple[tuple[str, tuple[str, ...] | None, str], ...]
    """Name, parameters (a variadic one with its dots) and body of each predefined macro."""
    system_dirs: tuple[str, ...]
    answers: Answers
    compiler: str = ""
    """Path of the compiler that was asked; empty for the environment of a target whose compiler is not there."""
    borrowed: int = -1
    """Index in `system_dirs` from which on they hold the headers of another target than the one that is read for."""
    foreign: str = ""
    """Name of the target, when its system's headers need not be on this machine."""
    is_other_system: bool = False
    """The borrowed headers are for another system: what one system alone has is not taken from there."""

    @property
    def ignores_case(self) -> bool:
        """True if the names of abigen's own headers are found in any case, as on Windows."""
        return "windows" in self.foreign


def predefined(target: Target) -> Mapping[str, str]:
    """Return the macros that a header meets whatever the C standard is: those that the target's own compiler has.

    What abigen's standard headers need besides (`__INT64_TYPE__`) is there on every target; nobody asks for it.

    Args:
        target: whose compiler reads.
    """
    if target.compiler != "msvc":
        return target.macros
    return {**annotation_macros(), **{name: body for name, body in target.macros.items() if _MICROSOFT_HAS.match(name)}}


def target_environment(target: Target, std: str, compiler: Environment | None, files: Files) -> Environment:
    """Return the environment that a target's compiler would give, with abigen's own standard headers.

    Behind those, the headers of this machine are searched: they are the target's own when the machine is such a target
    and merely has no compiler; else they are for something else, but often all the same (`<CL/cl.h>`).

    Args:
        target: whose compiler reads.
        std: the C standard.
        compiler: what the machine's own compiler said; None when there is none.
        files: shows which folders exist.

    Raises:
        AbigenError: there is no such standard.
    """
    macros = dict(predefined(target))
    version = check_standard(std)
    if version:
        macros["__STDC_VERSION__"] = version
    if not std.startswith("gnu"):
        if target.compiler != "msvc":
            macros["__STRICT_ANSI__"] = "1"
        macros = {name: body for name, body in macros.items() if name[0] == "_"}
    definitions = (parse_definition(f"{name} {body}") for name, body in macros.items())
    own = stand_in_folders(target)
    if compiler is not None:
        machine = compiler.system_dirs
    else:
        machine = tuple(each.format(architecture=target.architecture) for each in _MACHINE)
    host = find_target(default_targets()[0])
    is_host = compiler is None and target.name == host.name
    return Environment(
        tuple(each[:3] for each in definitions),
        (*own, *(each for each in machine if files.is_dir(each))),
        usual_answers(target.compiler),
        borrowed=-1 if is_host else len(own),
        foreign="" if is_host else target.name,
        is_other_system=target.system != host.system,
    )


def is_of_system(name: str) -> bool:
    """Tell headers that each system has in its own way, such as `sys/stat.h`, from those of libraries.

    Args:
        name: what stands between the quotes or brackets.
    """
    first, slash, _ = name.partition("/")
    return first + slash in _OF_SYSTEM


def stand_in_folders(target: Target) -> tuple[str, ...]:
    """Return the folders of abigen's own versions of the headers that a target's compilers have."""
    return tuple(os.path.join(STAND_INS, kind) for kind in ("c", *_KINDS.get(target.system, ("posix",))))


def stand_in_name(path: str) -> str:
    """Return the name that includes a header of abigen's own, such as `<stddef.h>`; empty for any other file.

    Args:
        path: where the file is.
    """
    if not path.startswith(STAND_INS):
        return ""
    _, _, name = path[len(STAND_INS) + 1 :].replace(os.sep, "/").partition("/")
    return f"<{name}>"


def serves(environment: Environment, target: Target) -> bool:
    """True if a compiler's environment is that of a target, by the macros that tell targets apart.

    Args:
        environment: what the compiler said.
        target: the target in question.
    """
    theirs = {name: body for name, _, body in environment.macros if _DISTINCTIVE.fullmatch(name)}
    ours = {name: body for name, body in target.macros.items() if _DISTINCTIVE.fullmatch(name)}
    return theirs == ours


def questions() -> str:
    """C text that defines a macro for every question that a compiler answers with yes."""
    lines = []
    for operator, names in _FEATURES["operators"].items():
        lines += [f"#ifdef {operator}", f"#define {_PREFIX} {operator}"]
        for name in sorted(set(" ".join(names.values()).split())):
            lines += [f"#if {operator}({name})", f"#define {_PREFIX}_{operator}_{name}", "#endif"]
        lines += [f"#undef {_PREFIX}", f"#define {_PREFIX}_{operator}", "#endif"]
    for operator in HEADER_OPERATORS:
        lines += [f"#ifdef {operator}", f"#define {_PREFIX}_{operator}", "#endif"]
    return "\n".join(lines) + "\n"


def read_answers(macros: str) -> tuple[Answers, str]:
    """Take the answers to `questions` out of a compiler's list of macros.

    Args:
        macros: lines `#define NAME BODY`.

    Returns:
        The answers, and the lines that are none.
    """
    answers: dict[str, dict[str, int]] = {}
    rest = []
    marker = f"#define {_PREFIX}_"
    operators = (*_FEATURES["operators"], *HEADER_OPERATORS)
    for line in macros.splitlines(keepends=True):
        if not line.startswith(marker):
            rest.append(line)
            continue
        asked = line.removeprefix(marker).strip()
        operator = max((each for each in operators if asked.startswith(each)), key=len)
        name = asked.removeprefix(operator).removeprefix("_")
        found = answers.setdefault(operator, {})
        if name:
            found[name] = _value(operator, name)
    return answers, "".join(rest)


def usual_answers(compiler: str) -> Answers:
    """Return the answers of a usual compiler, for one that is not installed.

    Args:
        compiler: `gcc`, `clang` or `msvc`.
    """
    if compiler == "msvc":
        return {"__has_include": {}, "__has_cpp_attribute": {}}
    answers: dict[str, dict[str, int]] = {each: {} for each in HEADER_OPERATORS}
    for operator, names in _FEATURES["operators"].items():
        if operator not in _FEATURES["lacking"][compiler]:
            known = f"{names.get('both', '')} {names.get(compiler, '')}".split()
            answers[operator] = {name: _value(operator, name) for name in known}
    return answers


def _value(operator: str, name: str) -> int:
    value: int = _FEATURES["dated"].get(name, 1) if operator in ("__has_c_attribute", "__has_cpp_attribute") else 1
    return value


def asks_target(unit: Unit, targets: Sequence[str]) -> bool:
    """True if what a unit declares may depend on which of some targets it is read for.

    It may when the user's files (not the system's) mention a macro that the targets' compilers predefine differently,
    or that a system header defines for its own target (`LONG_MAX`): in a conditional, in a declaration, or in the body
    of a macro.

    Args:
        unit: the headers, read for the first of the targets.
        targets: names of the targets in question.

    Raises:
        AbigenError: there is no such target.
    """
    if len(targets) < 2:
        return False
    if unit.system_macros.difference(_FEATURES["headers"]["same_everywhere"].split()):
        return True
    if unit.questions & _differences(tuple(targets)):
        return True
    known = predefined(find_target(targets[0]))
    return any(
        macro.file == "<built-in>"
        and not unit.questions.isdisjoint((macro.name, f"defined {macro.name}"))
        and not _is_known(macro.name, known)
        for macro in unit.macros
    )


def _is_known(name: str, known: Mapping[str, str]) -> bool:
    """True if the table of targets, or the C standard that was chosen, decides a predefined macro."""
    return name in known or name.startswith("__STDC") or name == "__STRICT_ANSI__"


@cache
def _differences(targets: tuple[str, ...]) -> frozenset[str]:
    """Return the predefined macros and operators that differ between targets, as in `Unit.questions`."""
    found = [find_target(name) for name in targets]
    first, *others = [_seen(target) for target in found]
    different: set[str] = set()
    for other in others:
        different.update(name for name, _ in first.items() ^ other.items())
        different.update(f"defined {name}" for name in first.keys() ^ other.keys())
    return frozenset(different)


def _seen(target: Target) -> dict[str, str]:
    """Predefined macros without parameters in their names, and the operators that there are."""
    seen = {name.partition("(")[0]: body for name, body in predefined(target).items()}
    return seen | {operator: repr(sorted(names)) for operator, names in usual_answers(target.compiler).items()}
