"""Answer an editor while it edits headers and specs."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from abigen.cli import terminal
from abigen.model.span import AbigenError

_EXAMPLES = """\b
The language server protocol runs on standard input and output, so editors start
this command. It needs the extra `lsp`: pip install 'abigen[lsp]'.

\b
Examples:
  abigen lsp                     Neovim: vim.lsp.start({cmd = {"abigen", "lsp"}})
  abigen lsp --log abigen.log    also write what happens to a file

\b
Exit codes: 0 the editor ended it; 2 it cannot be started.
"""


@click.command(epilog=_EXAMPLES)
@click.option("--log", "log_file", metavar="FILE", help="Append messages about the server to FILE.")
@click.option("--stdio", is_flag=True, help="The same as without it; many editors add it.")
def command(log_file: str | None, stdio: bool) -> NoReturn:
    """Show findings of `lint` and `diff` in an editor while you type, with layouts, fixes and the keys of specs.

    Findings of `diff` are about the `baseline` of abigen.toml, or else the last release by git's tags.
    """
    import logging

    try:
        from abigen.editor.serving import serve
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("pygls", "lsprotocol"):
            raise
        raise AbigenError.at(None, f"{package} is not installed", "pip install 'abigen[lsp]'") from None
    try:
        handler = logging.FileHandler(log_file) if log_file else logging.StreamHandler()
    except OSError as error:
        raise AbigenError.at(None, f"{log_file} cannot be written: {error.strerror}") from None
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("abigen").setLevel(logging.DEBUG if log_file else logging.WARNING)
    if sys.stdin.isatty():
        terminal.say("abigen: waiting for an editor; Ctrl-C ends it\n", sys.stderr)
    serve()
