"""Which platforms asserts are for: the predefined macros that tell them apart, and the target whose layout each has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Platform:
    """Platforms that lay out structs alike.

    No two conditions hold at once; where none holds, nothing is known of the layout and nothing is asserted.
    """

    condition: str
    """What the preprocessor asks."""
    target: str
    """The target whose layout counts (`abigen.model.target`)."""


@dataclass(frozen=True)
class Family:
    """Platforms that lay out all but a few types alike; their common condition is shorter than all of theirs."""

    condition: str
    members: tuple[Platform, ...]


FAMILIES = (
    Family(
        "defined(_WIN64) || defined(__LP64__) || defined(_LP64)",
        (
            Platform("defined(__x86_64__) && defined(__LP64__)", "x86_64-linux-gnu"),
            Platform("defined(__aarch64__) && defined(__LP64__) && !defined(__APPLE__)", "aarch64-linux-gnu"),
            Platform("defined(__aarch64__) && defined(__LP64__) && defined(__APPLE__)", "aarch64-apple-darwin"),
            Platform("defined(_WIN64) && !defined(__MINGW32__)", "x86_64-windows-msvc"),
            Platform("defined(_WIN64) && defined(__MINGW32__)", "x86_64-windows-gnu"),
            Platform("defined(__riscv) && defined(__LP64__)", "riscv64-linux-gnu"),
            Platform("defined(__powerpc64__) && defined(__LP64__)", "powerpc64le-linux-gnu"),
            Platform("defined(__s390x__)", "s390x-linux-gnu"),
        ),
    ),
    Family(
        "defined(__i386__) && !defined(_WIN32)",
        (
            Platform("defined(__i386__) && !defined(_WIN32) && !defined(__APPLE__)", "i686-linux-gnu"),
            Platform("defined(__i386__) && defined(__APPLE__)", "i386-apple-darwin"),
        ),
    ),
    Family(
        "(defined(_WIN32) && !defined(_WIN64)) || defined(__ARM_EABI__) || defined(__wasm32__)",
        (
            Platform("defined(_WIN32) && !defined(_WIN64) && !defined(__MINGW32__)", "i686-windows-msvc"),
            Platform("defined(_WIN32) && !defined(_WIN64) && defined(__MINGW32__)", "i686-windows-gnu"),
            Platform("defined(__ARM_EABI__)", "armv7-linux-gnueabihf"),
            Platform("defined(__wasm32__)", "wasm32-wasi"),
        ),
    ),
)
"""64-bit platforms; i386, where numbers of eight bytes are aligned to four; other 32-bit platforms."""
