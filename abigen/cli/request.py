"""What a command line means, remembered: the usual question is an old one about a header that was edited.

A request is a command line after click, the configuration file and the terminal have had their say. It is kept with
the configuration's evidence; as long as that holds, none of them is asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from abigen.cli.failures import guarded
from abigen.cli.replay import recall, store

if TYPE_CHECKING:
    from abigen.cli.configuration import Configuration


class Request(Protocol):
    """A command line that was understood."""

    @property
    def configuration(self) -> Configuration:
        """How to read and judge."""

    def answer(self, arguments: list[str]) -> int:
        """Do what was asked for; gives the exit code."""


def answer(arguments: list[str], request: Request) -> int:
    """Do what a command line asks for, and remember what it means.

    Args:
        arguments: the command line, without the program's name.
        request: what it means.

    Returns:
        The exit code.

    Raises:
        AbigenError: the question cannot be answered.
    """
    configuration = request.configuration
    if configuration.options.cache and configuration.evidence is not None:
        import pickle

        store("request", arguments, pickle.dumps(request, pickle.HIGHEST_PROTOCOL), configuration.evidence)
    return request.answer(arguments)


def answer_again(arguments: list[str]) -> int | None:
    """Do what a command line asks for, if it is known what it means.

    Args:
        arguments: the command line, without the program's name.

    Returns:
        The exit code; None when the command line has to be parsed.
    """
    kept = recall("request", arguments)
    if kept is None:
        return None

    def work() -> int:
        import pickle

        request: Request = pickle.loads(kept)
        request.configuration.check_includes()  # what is below a name may have become a link since
        return request.answer(arguments)

    return guarded(work)
