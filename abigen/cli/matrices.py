"""`abigen skew SPEC`, or of two specs: every core that the releases describe with every plugin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from abigen.cli import terminal
from abigen.cli.configuration import Configuration
from abigen.model.span import AbigenError

if TYPE_CHECKING:
    from abigen.skew.matrix_report import MatrixReport


def matrix_of(
    operands: Sequence[str],
    bounds: tuple[str | None, str | None],
    keep: Path | None,
    emulator: str,
    configuration: Configuration,
) -> MatrixReport:
    """Build every release, and run every core with every plugin.

    Args:
        operands: one spec or two.
        bounds: the releases to begin and to end with.
        keep: where to leave the programs; None for nowhere.
        emulator: what runs programs of the compiler.
        configuration: says how specs are read, and which compiler to take.

    Raises:
        AbigenError: a spec is wrong, or programs cannot be built or run.
    """
    from abigen.cli.specs import templates_of
    from abigen.skew.matrix import run_matrix
    from abigen.skew.matrix_report import MatrixReport
    from abigen.skew.programs import find_toolchain
    from abigen.skew.spec_releases import read_releases

    options = configuration.options
    compiler = "" if options.cc in (None, "none") else str(options.cc)
    with terminal.progress() as announce, _folder(keep) as folder:
        releases = read_releases(operands, *bounds, options, announce)
        tools = find_toolchain(compiler, emulator)
        templates = templates_of(None, options.files)
        title, kept = " and ".join(operands), str(keep) if keep else ""
        return MatrixReport(run_matrix(releases, title, folder, tools, templates, announce, kept))


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The folder for programs: the one that the user names, or one that is gone afterwards."""
    if keep is None:
        with TemporaryDirectory(prefix="abigen-") as folder:
            yield Path(folder)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AbigenError.at(None, f"{keep} cannot be made: {error.strerror}") from None
    yield keep.absolute()
