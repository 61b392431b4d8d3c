"""Show offsets, sizes and padding of structs, and whether size constants are right."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem
from msgspec.structs import replace

from abigen.checker.configuration import Configuration
from abigen.checker.report.layout import layout_document, layout_text
from abigen.checker.report.subject import Style
from abigen.cli import terminal
from abigen.cli.options import OPERANDS, configuration_so_far, reading_options, terminal_options
from abigen.model.api import Api
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError, Diagnostic, did_you_mean
from abigen.model.target import find_target

_EXAMPLES = f"""{OPERANDS}
\b
Examples:
  abigen layout api.h
  abigen layout api.h SP_Device --abi i686-windows-msvc
  abigen layout api.yaml --format json

\b
Exit codes: 0 fine; 2 the question could not be answered.
"""


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the structs of the header or spec that the command line names; nothing when it cannot be read."""
    from abigen.specs.load import load

    try:
        groups = load(str(context.params.get("file")), configuration_so_far(context).options).groups
    except (AbigenError, OSError):
        return []
    own = [each for group in groups for each in group.api.structs.values() if each.in_api and not each.anonymous]
    names = {name for each in own for name in (each.tag, *each.typedef_names) if name}
    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


@click.command(epilog=_EXAMPLES)
@click.argument("file")
@click.argument("structs", metavar="[STRUCT]...", nargs=-1, shell_complete=_complete)
@click.option("--format", "format_name", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="The format of the output.")  # fmt: skip
@click.option(
    "--no-places", is_flag=True, help="Leave out where structs are declared, so that only layouts are compared."
)
@terminal_options
@reading_options
def command(
    file: str,
    structs: tuple[str, ...],
    format_name: str,
    no_places: bool,
    style: Style,
    configuration: Configuration,
) -> int:
    """Show the layout of structs in memory: of all in FILE, or only of those that are named.

    Without --abi, the target is the system of this machine, if that is Linux, macOS or Windows. For several targets,
    the JSON is a list.
    """
    from abigen.specs.load import load

    options = configuration.options
    if "targets" not in configuration.given:
        options = replace(options, targets=options.targets[:1])
    api = load(file, options)
    terminal.write_warnings([api])
    all_layouts = [Layouts(api.for_target(name), find_target(name)) for name in options.targets]
    chosen = [(layouts, _choose(layouts.api, structs, file)) for layouts in all_layouts]
    _compute(chosen)
    if format_name == "json":
        from abigen.checker.report.documents import written

        documents = [layout_document(layouts, keys) for layouts, keys in chosen]
        terminal.write(written(documents[0] if len(documents) == 1 else documents))
    else:
        texts = (layout_text(layouts, keys, colour=style.colour, places=not no_places) for layouts, keys in chosen)
        terminal.write("\n".join(texts))
    return 0


def _choose(api: Api, names: tuple[str, ...], file: str) -> list[str]:
    """Return the keys of the structs that are named; of all that the API itself defines when none are."""
    if not names:
        own = [key for key, each in api.structs.items() if each.in_api and not each.anonymous]
        return [key for key in own if api.structs[key].fields is not None]
    by_name: dict[str, str] = {}
    for key, struct in api.structs.items():
        for name in (struct.tag, *struct.typedef_names):
            by_name.setdefault(name, key)
    by_name.update({key: key for key in api.structs})
    diagnostics = []
    for name in names:
        if name not in by_name:
            diagnostics.append(Diagnostic(None, f"{file} has no struct '{name}'", did_you_mean(name, by_name)))
    if diagnostics:
        raise AbigenError(diagnostics)
    return list(dict.fromkeys(by_name[name] for name in names))


def _compute(chosen: list[tuple[Layouts, list[str]]]) -> None:
    """Lay out everything, so that all that is wrong is said at once."""
    diagnostics = {}
    for layouts, keys in chosen:
        for key in keys:
            try:
                layouts.of(key)
            except AbigenError as error:
                place = layouts.api.structs[key].span
                diagnostics.update(dict.fromkeys(error.placed(place).diagnostics))
    if diagnostics:
        raise AbigenError(tuple(diagnostics))
