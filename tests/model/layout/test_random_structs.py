"""Random structs stand in memory as the compiler says whose reading of the ABI counts for the target.

Where that is GCC and it is not installed for the target, clang is asked instead, about structs without the attributes
that the two read differently.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.layout import Layout, Layouts
from abigen.model.target import Target, find_target
from tests.model.layout.compilers import Answer, ask_clang, ask_gcc, has_gcc
from tests.model.layout.worlds import Choices, choices_for, to_c, world
from tests.tools import require

TARGETS = (
    "x86_64-linux-gnu",
    "i686-linux-gnu",
    "aarch64-linux-gnu",
    "armv7-linux-gnueabihf",
    "riscv64-linux-gnu",
    "s390x-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-windows-msvc",
    "i686-windows-msvc",
    "x86_64-windows-gnu",
    "i686-windows-gnu",
    "wasm32-wasi",
)
STRUCTS = 6
"""The number of compared structs of one API; later ones contain earlier ones."""


def expected(layout: Layout) -> Answer:
    """Return the layout as a compiler would answer: members that have a name, in bytes or, for bit-fields, in bits."""
    return Answer(
        size=layout.size,
        alignment=layout.alignment,
        offsets={each.name: each.offset for each in layout.fields if each.name and each.bit_offset is None},
        bit_offsets={each.name: each.bit_offset for each in layout.fields if each.name and each.bit_offset is not None},
    )


def compiler_of(
    target: Target, directory: Path
) -> tuple[Callable[[str, dict[str, Answer]], dict[str, Answer]], Choices]:
    """Return a function that answers for a target from the source and abigen's answers, and its limits."""
    choices = choices_for(target)
    if target.compiler == "gcc" and has_gcc(target.name):
        return (
            lambda source, own: ask_gcc(
                source,
                {name: (tuple(each.offsets), tuple(each.bit_offsets)) for name, each in own.items()},
                target.name,
                directory,
            ),
            choices,
        )
    require("clang")
    if target.compiler == "gcc":
        choices = replace(
            choices,
            int128=False,
            packing=False,
            alignment=False,
            atomic=False,
            vectors=False,
            bitfield_attributes=False,
        )
    return lambda source, own: ask_clang(source, target.name, directory), choices


def compare(name: str, directory: Path, apis: int) -> None:
    """Compare the layouts of so many random APIs on a target."""
    target = find_target(name)
    ask, choices = compiler_of(target, directory)

    @seed(apis)
    @settings(
        max_examples=apis,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(world(choices, STRUCTS))
    def hold(api: Api) -> None:
        layouts = Layouts(api, target)
        own = {key: expected(layouts.of(key)) for key, struct in api.structs.items() if struct.tag}
        answers = ask(to_c(api), own)
        assert {key: answers[key] for key in own} == own, to_c(api)

    hold()


@pytest.mark.first_case
@pytest.mark.parametrize("target", TARGETS)
def test_a_random_struct_stands_as_the_compiler_says(target: str, tmp_path: Path) -> None:
    compare(target, tmp_path, 6)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_ten_thousand_random_structs_stand_as_the_compilers_say(target: str, tmp_path: Path) -> None:
    compare(target, tmp_path, 10_000 // (STRUCTS * len(TARGETS)) + 1)
