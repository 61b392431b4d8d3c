"""Calling conventions: which of them mean what, on which targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abigen.model.target import Target

_ONLY_X86_32 = ("stdcall", "fastcall", "thiscall", "pascal", "sseregparm", "regparm")
_X86_32 = ("i386", "i486", "i586", "i686")


def effective_convention(name: str, target: Target) -> str:
    """What a calling convention that was asked for amounts to on a target.

    Args:
        name: as in `FunctionType.calling_convention`.
        target: for which the call is compiled.

    Returns:
        The convention; empty when calls are made as without it: it is the target's usual one, or the target's compilers
        accept and ignore it. C's own (`cdecl`) is usual everywhere.

    Source:
        GCC, "x86 Function Attributes" (all but `ms_abi` and `sysv_abi` are for 32-bit targets); Microsoft, "Argument
        passing and naming conventions" (x64 and ARM accept and ignore `__stdcall`, `__fastcall`, `__thiscall`).
    """
    word = name.partition("(")[0]
    if word == "cdecl" or (word in _ONLY_X86_32 and target.architecture not in _X86_32):
        return ""
    if word in ("ms_abi", "sysv_abi"):
        usual = "ms_abi" if target.system.startswith("windows") else "sysv_abi"
        return "" if target.architecture == "x86_64" and word == usual else name
    return name
