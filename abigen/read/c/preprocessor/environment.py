"""What a header meets: predefined macros, the system's include path, and what the compiler says it can do."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from abigen.files import Files
from abigen.model.span import AbigenError
from abigen.model.target import Target, annotation_macros, default_targets
from abigen.read.c.preprocessor.features import Answers, usual_answers
from abigen.read.c.preprocessor.macros import parse_definition

_STAND_INS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")
_KINDS = {"windows-msvc": ("windows",), "windows-gnu": ("windows",), "none": (), "wasi": ("posix",)} | dict.fromkeys(
    ("darwin", "ios", "watchos"), ("posix", "apple")
)
"""System to the folders of headers that its compilers have besides those of the C standard; else `posix`."""
_MACHINE = ("/usr/local/include", "/usr/include/{architecture}-linux-gnu", "/usr/include")

_STANDARDS: Mapping[str, str] = {
    "89": "",
    "90": "",
    "99": "199901L",
    "9x": "199901L",
    "11": "201112L",
    "1x": "201112L",
    "17": "201710L",
    "18": "201710L",
    "2x": "202000L",
    "23": "202311L",
}
"""The last part of a standard's name to the value of `__STDC_VERSION__`."""

_STANDARD = re.compile(r"(?:c|gnu|iso9899:(?:19|20))(\d[\dx])")
_MICROSOFT_HAS = re.compile(r"_M|_WIN|_INTEGRAL|__STDC|\w+(?:_TYPE__|_MAX__|_MIN__|_SUFFIX__|_WIDTH__|_BIT__|_DIG__)$")
_DISTINCTIVE = re.compile(
    r"__SIZEOF_(?:POINTER|LONG|INT|SIZE_T|WCHAR_T)__|_WIN32|__MINGW32__|__(?:linux|APPLE|ANDROID|FreeBSD|wasi|EMSCRIPTEN)__"
    r"|__(?:x86_64|i386|aarch64|arm|riscv|s390x|powerpc64|powerpc|mips|sparc|wasm)(?:__)?|__BYTE_ORDER__|__CHAR_UNSIGNED__"
)


@dataclass(frozen=True)
class Environment:
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

    @property
    def ignores_case(self) -> bool:
        """Whether the names of abigen's own headers are found in any case, as on Windows."""
        return "windows" in self.foreign


def check_standard(std: str) -> str:
    """The value of `__STDC_VERSION__` under a standard, empty when it has none.

    Args:
        std: the standard's name, as compilers have it (`c11`, `gnu17`, `iso9899:2011`).

    Raises:
        AbigenError: there is no such standard.
    """
    match = _STANDARD.fullmatch(std)
    if match is None or match[1] not in _STANDARDS:
        raise AbigenError.at(None, f"unknown C standard '{std}'", "one of c89, c99, c11, c17, c23, gnu89, ... gnu23")
    return _STANDARDS[match[1]]


def predefined(target: Target) -> Mapping[str, str]:
    """The macros that a header meets whatever the C standard is: those that the target's own compiler has.

    What abigen's standard headers need besides (`__INT64_TYPE__`) is there on every target; nobody asks for it.

    Args:
        target: whose compiler reads.
    """
    if target.compiler != "msvc":
        return target.macros
    return {**annotation_macros(), **{name: body for name, body in target.macros.items() if _MICROSOFT_HAS.match(name)}}


def target_environment(target: Target, std: str, compiler: Environment | None, files: Files) -> Environment:
    """The environment that a target's compiler would give, with abigen's own standard headers.

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
    own = tuple(os.path.join(_STAND_INS, kind) for kind in ("c", *_KINDS.get(target.system, ("posix",))))
    if compiler is not None:
        machine = compiler.system_dirs
    else:
        machine = tuple(each.format(architecture=target.architecture) for each in _MACHINE)
    is_host = compiler is None and target.name == default_targets()[0]
    return Environment(
        tuple(each[:3] for each in definitions),
        (*own, *(each for each in machine if files.is_dir(each))),
        usual_answers(target.compiler),
        borrowed=-1 if is_host else len(own),
        foreign="" if is_host else target.name,
    )


def stand_in_name(path: str) -> str:
    """What a header of abigen's own is included as, such as `<stddef.h>`; empty for any other file.

    Args:
        path: where the file is.
    """
    if not path.startswith(_STAND_INS):
        return ""
    _, _, name = path[len(_STAND_INS) + 1 :].replace(os.sep, "/").partition("/")
    return f"<{name}>"


def serves(environment: Environment, target: Target) -> bool:
    """Whether a compiler's environment is that of a target, by the macros that tell targets apart.

    Args:
        environment: what the compiler said.
        target: the target in question.
    """
    theirs = {name: body for name, _, body in environment.macros if _DISTINCTIVE.fullmatch(name)}
    ours = {name: body for name, body in target.macros.items() if _DISTINCTIVE.fullmatch(name)}
    return theirs == ours
