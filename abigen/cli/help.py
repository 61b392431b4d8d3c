"""Show help: the list of commands, or one command with its options and examples."""

from __future__ import annotations

import click

from abigen.cli import completion, terminal

_EXAMPLES = """\b
Examples:
  abigen help
  abigen help diff           the same as abigen diff --help
"""


def _commands() -> list[str]:
    group = click.get_current_context().find_root().command
    return group.list_commands(click.get_current_context()) if isinstance(group, click.Group) else []


@click.command(epilog=_EXAMPLES)
@click.argument("name", metavar="[COMMAND]", required=False, shell_complete=completion.among(_commands))
@click.pass_context
def command(context: click.Context, name: str | None) -> None:
    """Show help: the list of commands, or one command with its options and examples."""
    root = context.find_root()
    if name is None:
        terminal.write(f"{root.get_help()}\n")
        return
    group = root.command
    assert isinstance(group, click.Group), "abigen has subcommands"
    _, found, _ = group.resolve_command(root, [name])
    assert found is not None, "resolve_command refuses unknown names"
    with click.Context(found, parent=root, info_name=name) as inner:
        terminal.write(f"{inner.get_help()}\n")
