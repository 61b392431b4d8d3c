"""Write the pages of `docs/` and the JSON Schemas that say what the code says. They are committed, as `generated/` is.

    python -m tests.manual            write them
    python -m tests.manual --check    write nothing; show what would change, and fail if anything would

`rules.md`, `language.md` and `commands.md` are made as a whole. In `configuration.md` and `python.md` only the part
between the two markers is made; the rest is written by hand. The schemas of reports and of the configuration are made
of records. The schema of specs is made of `abigen/specs/language.yaml`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import click
import yaml

import abigen
from abigen.checker.report.documents import SCHEMAS
from abigen.checker.report.manual import rules_table
from abigen.cli.main import commands
from abigen.cli.reports import whole_manual
from abigen.workspace.config.settings import ConfigurationFile
from tests.manual.rule_examples import with_examples
from tests.manual.schemas import Schema, json_schema
from tests.specs.language.samples import FULL

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BANNER = "<!-- Made by `python -m tests.manual`. Change the code that it is made of, not this page. -->\n\n"
BEGIN = "<!-- From here on made by `python -m tests.manual`. -->\n"
END = "<!-- Made by `python -m tests.manual` up to here. -->\n"
WIDTH = 98
"""Columns of the help of commands."""


def files() -> dict[str, str]:
    """Return every file that is made, by its path in the repository, with the text that it has to have."""
    specs = yaml.safe_load((ROOT / "abigen/specs/language.yaml").read_text(encoding="utf-8"))["schema"]
    whole = {
        "rules.md": with_examples(rules_table(whole_manual(), "markdown")),
        "language.md": language(specs),
        "commands.md": "\n".join(all_commands()),
    }
    configuration = json_schema(ConfigurationFile)
    parts = {"configuration.md": configuration_keys(configuration), "python.md": python_names()}
    names = {f"{name}.schema.json": record for name, record in SCHEMAS.items()}
    schemas = {f"abigen/checker/report/{name}": json_schema(record, names) for name, record in names.items()}
    schemas["abigen/workspace/config/schema.json"] = configuration
    schemas["abigen/specs/schema.json"] = specs
    return {
        **{f"docs/{name}": BANNER + text for name, text in whole.items()},
        **{f"docs/{name}": filled(name, "\n".join(lines)) for name, lines in parts.items()},
        **{path: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for path, schema in schemas.items()},
    }


def filled(name: str, made: str) -> str:
    """Return a page that is written by hand, with the part between its markers made anew."""
    text = (DOCS / name).read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, f"docs/{name} lacks a marker of tests/manual"
    return f"{before}{begin}\n{made.rstrip()}\n\n{end}{after}"


def differences() -> str:
    """Return the changes that `python -m tests.manual` would make, as a unified diff; empty for none."""
    lines: list[str] = []
    for name, text in files().items():
        path = ROOT / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        lines += unified_diff(old.splitlines(True), text.splitlines(True), name, f"{name} as made")
    return "".join(lines)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.manual", description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; show what would change")
    if parser.parse_args().check:
        changes = differences()
        sys.stdout.write(changes or "all files are up to date\n")
        return 1 if changes else 0
    for name, text in files().items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(name)
    return 0


def all_commands() -> Iterator[str]:
    """Yield the output of `--help` of each command."""
    yield "# Commands\n\nThis is what `abigen COMMAND --help` prints for each command.\n"
    context = click.Context(commands, info_name="abigen", terminal_width=WIDTH, help_option_names=["-h", "--help"])
    for name in commands.list_commands(context):
        command = commands.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, terminal_width=WIDTH)
        yield f"## {name}\n\n```text\n{command.get_help(inner)}\n```\n"


def python_names() -> Iterator[str]:
    """Yield the public names of `abigen`, by their docstrings."""
    for name in abigen.__all__:
        doc = getattr(getattr(abigen, name), "__doc__", "") or ""
        if not name.startswith("_"):
            yield f"### {name}\n\n```text\n{_dedented(doc)}\n```\n"


def _dedented(doc: str) -> str:
    first, _, rest = doc.strip().partition("\n")
    return f"{first}\n" + re.sub(r"^ {4}", "", rest, flags=re.MULTILINE) if rest else first


def configuration_keys(schema: Schema) -> Iterator[str]:
    """Yield keys of `abigen.toml`."""
    yield "| key | meaning |\n|---|---|"
    for path, value in _keys(schema, schema, ""):
        yield f"| `{path}` | {_cell(_description(value, schema))} |"


def _keys(schema: Schema, whole: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    for key, value in schema.get("properties", {}).items():
        yield f"{path}{key}", value
        inner = _resolved(value, whole)
        yield from _keys(inner.get("items", inner) if inner.get("type") == "array" else inner, whole, f"{path}{key}.")


def language(schema: Schema) -> str:
    """Return every key of specs with its description, and how the specs in the tests use it."""
    examples: dict[tuple[int, str], object] = {}
    second = (ROOT / "tests/manual/more_keys.yaml").read_text(encoding="utf-8")
    for text in (FULL, second):
        _collect(yaml.safe_load(text), schema, schema, examples)
    lines = [
        "# Language of specs\n",
        "A spec is a YAML file. `abigen schema` prints the JSON Schema that these tables are made of, by which editors",
        "complete and check specs. The examples are from two specs, which tests read.\n",
        *_table("Whole spec", schema, schema, examples),
    ]
    for name, definition in schema["$defs"].items():
        lines += _table(definition.get("title", name).capitalize(), definition, schema, examples)
    lines += ["## The examples\n", "```yaml", FULL.rstrip(), "```\n", "```yaml", second.rstrip(), "```", ""]
    return "\n".join(lines)


def _table(title: str, part: Schema, whole: Schema, examples: dict[tuple[int, str], object]) -> Iterator[str]:
    """Yield the keys of a mapping; below them those of mappings that are written in place."""
    objects = [each for each in _alternatives(part, whole) if each.get("properties")]
    for number, each in enumerate(objects):
        yield f"## {title}{' in full' if number else ''}\n"
        yield from ([_prose(part["description"]), ""] if part.get("description") else [])
        yield "| key | type | meaning | example |\n|---|---|---|---|"
        required = each.get("required", [])
        for key, value in each["properties"].items():
            example = examples[id(each), key]
            text = _prose(_description(value, whole)) + _limits(value, whole)
            text += " *Required.*" if key in required else ""
            kind = _type(value, whole, f"{title}: {key}")
            yield f"| `{key}` | {_cell(kind)} | {_cell(text)} | `{_cell(_short(example))}` |"
        yield ""
        for key, value in each["properties"].items():
            if "$ref" not in value:
                inner = [*_alternatives(value, whole), *_alternatives(value.get("items", {}), whole)]
                named = (alternative for alternative in inner if not _is_definition(alternative, whole))
                for alternative in named:
                    yield from _table(f"{title}: {key}", alternative, whole, examples)


def _collect(data: object, schema: Schema, whole: Schema, examples: dict[tuple[int, str], object]) -> None:
    """Find the first value of every key of every mapping."""
    for part in _alternatives(schema, whole):
        if isinstance(data, dict) and isinstance(part.get("properties"), dict):
            for key, value in data.items():
                if key in part["properties"]:
                    examples.setdefault((id(part), key), value)
                    _collect(value, part["properties"][key], whole, examples)
        elif isinstance(data, dict) and isinstance(part.get("additionalProperties"), dict):
            for value in data.values():
                _collect(value, part["additionalProperties"], whole, examples)
        elif isinstance(data, list) and part.get("items"):
            for value in data:
                _collect(value, part["items"], whole, examples)


def _alternatives(schema: Schema, whole: Schema) -> Iterator[Schema]:
    part = _resolved(schema, whole)
    if "anyOf" in part:
        for each in part["anyOf"]:
            yield from _alternatives(each, whole)
    else:
        yield part


def _is_definition(part: Schema, whole: Schema) -> bool:
    return any(part is each for each in whole["$defs"].values())


def _resolved(schema: Schema, whole: Schema) -> Schema:
    return whole["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _description(value: Schema, whole: Schema) -> str:
    return str(value.get("description") or _resolved(value, whole).get("description", ""))


def _limits(value: Schema, whole: Schema) -> str:
    """Return the default of a key, as a sentence."""
    default = _resolved(value, whole).get("default")
    return "" if default is None else f" Default: `{json.dumps(default).strip(chr(34))}`."


_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "null": "`null`",
}


def _type(value: Schema, whole: Schema, title: str) -> str:
    """Return the type of a key in words, or its allowed values; mappings link to the section that has their keys.

    Args:
        value: the schema of the key.
        whole: the schema of specs.
        title: the title of the section with the keys of a mapping that is written in place.
    """
    if "$ref" in value:
        title = _resolved(value, whole).get("title", value["$ref"].rpartition("/")[2]).capitalize()
    part = _resolved(value, whole)
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_type(each, whole, title) for each in part["anyOf"]))
    choices = part.get("enum", [part["const"]] if "const" in part else ())
    if choices:
        return ", ".join(f"`{each if isinstance(each, str) else json.dumps(each)}`" for each in choices)
    if part.get("type") == "array":
        return f"list: {_type(part.get('items', {}), whole, title)}"
    if part.get("properties"):
        anchor = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        return f"mapping, see [{title}](#{anchor})"
    if isinstance(part.get("additionalProperties"), dict):
        return f"mapping of names to {_type(part['additionalProperties'], whole, title)}"
    types = part.get("type", ())
    return " or ".join(_TYPES.get(each, each) for each in ([types] if isinstance(types, str) else types)) or "any value"


def _short(example: object) -> str:
    text = json.dumps(example, ensure_ascii=False) if not isinstance(example, str) else " ".join(example.split())
    return text if len(text) <= 60 else text[:57] + "..."


def _prose(text: str) -> str:
    """Return text in which only what stands between backticks is code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<>])", r"\\\1", part) for part in parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main())
