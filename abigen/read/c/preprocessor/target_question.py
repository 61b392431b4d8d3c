"""Whether a header asks what the target is: if it does, it is read once for each target, else once for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from abigen.model.target import Target, find_target
from abigen.read.c.preprocessor.environment import predefined
from abigen.read.c.preprocessor.features import usual_answers
from abigen.read.c.unit import Unit

_WIDTHS = ("8", "16", "32", "64")
_SAME_EVERYWHERE = frozenset(
    (
        *("NULL", "offsetof", "bool", "true", "false", "__bool_true_false_are_defined"),
        *("va_start", "va_end", "va_arg", "va_copy", "alignas", "alignof", "noreturn", "thread_local"),
        *("assert", "static_assert", "complex", "I", "EOF", "EXIT_SUCCESS", "EXIT_FAILURE"),
        *("SEEK_SET", "SEEK_CUR", "SEEK_END", "CHAR_BIT", "SCHAR_MIN", "SCHAR_MAX", "UCHAR_MAX", "MB_LEN_MAX"),
        *(
            "SHRT_MIN",
            "SHRT_MAX",
            "USHRT_MAX",
            "INT_MIN",
            "INT_MAX",
            "UINT_MAX",
            "LLONG_MIN",
            "LLONG_MAX",
            "ULLONG_MAX",
        ),
        *("FLT_MIN", "FLT_MAX", "FLT_EPSILON", "DBL_MIN", "DBL_MAX", "DBL_EPSILON", "FLT_DIG", "DBL_DIG", "FLT_RADIX"),
        *("INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "M_PI", "M_E"),
        *("__BEGIN_DECLS", "__END_DECLS", "__P", "__CONCAT", "__STRING", "__THROW"),
        *("INTMAX_C", "UINTMAX_C", "INTMAX_MIN", "INTMAX_MAX", "UINTMAX_MAX"),
        *(f"{sign}INT{width}_C" for sign in ("", "U") for width in _WIDTHS),
        *(f"{stem}{width}_{end}" for stem in ("INT", "INT_LEAST") for width in _WIDTHS for end in ("MIN", "MAX")),
        *(f"{stem}{width}_MAX" for stem in ("UINT", "UINT_LEAST") for width in _WIDTHS),
    )
)
"""Macros of the standard headers that mean the same for every target with 32-bit `int`."""


def asks_target(unit: Unit, targets: Sequence[str]) -> bool:
    """Whether what a unit declares may depend on which of some targets it is read for.

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
    if unit.system_macros - _SAME_EVERYWHERE:
        return True
    if unit.questions & _differences(tuple(targets)):
        return True
    known = predefined(find_target(targets[0]))
    return any(
        macro.file == "<built-in>" and macro.name in unit.questions and not _is_known(macro.name, known)
        for macro in unit.macros
    )


def _is_known(name: str, known: Mapping[str, str]) -> bool:
    """Whether the table of targets, or the C standard that was chosen, decides a predefined macro."""
    return name in known or name.startswith("__STDC") or name == "__STRICT_ANSI__"


@lru_cache(maxsize=64)
def _differences(targets: tuple[str, ...]) -> frozenset[str]:
    """The predefined macros and operators that are not the same for all targets."""
    found = [find_target(name) for name in targets]
    first, *others = [_seen(target) for target in found]
    different: set[str] = set()
    for other in others:
        different.update(name for name, _ in first.items() ^ other.items())
    return frozenset(different)


def _seen(target: Target) -> dict[str, str]:
    """Predefined macros without parameters in their names, and the operators that there are."""
    seen = {name.partition("(")[0]: body for name, body in predefined(target).items()}
    return seen | {operator: repr(sorted(names)) for operator, names in usual_answers(target.compiler).items()}
