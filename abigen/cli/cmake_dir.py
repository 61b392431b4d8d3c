"""Print the directory of the CMake module, for `abigen_DIR`."""

from __future__ import annotations

from pathlib import Path

import click

from abigen.cli import terminal

_EXAMPLES = """\b
In CMakeLists.txt:
  execute_process(COMMAND abigen cmake-dir OUTPUT_VARIABLE abigen_DIR
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_package(abigen REQUIRED)
  abigen_generate(TARGET toy SPEC spec/toy.yaml)
  target_link_libraries(plugin PRIVATE toy)
  abigen_check(NAME toy-abi HEADER include/toy.h AGAINST origin/main)
"""


@click.command(epilog=_EXAMPLES)
def command() -> None:
    """Print the directory of the CMake module, which generates headers at build time and checks changes of them."""
    terminal.write(f"{Path(__file__).parents[1] / 'cmake'}\n")
