"""Makes the pages of the manual that say what the code says: nothing of them is kept twice."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import abigen  # noqa: E402
from abigen.cli.main import commands  # noqa: E402
from abigen.cli.reports import whole_manual  # noqa: E402
from abigen.report.manual import rules_table  # noqa: E402
from tests.spec.samples import FULL  # noqa: E402

Schema = dict[str, Any]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    made = {
        "rules.md": rules_table(whole_manual(), "markdown"),
        "language.md": language(),
        "commands.md": "\n".join(all_commands()),
        "configuration.md": "\n".join([section("Configuration", 1), "", "## Keys", "", *configuration_keys()]),
        "python.md": "\n".join([section("Python", 1), "", *python_names()]),
        "example.md": section("A spec", 1),
        "comparison.md": section("Beside other tools", 1),
    }
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep the text of links that lead out of the manual, to files of the repository."""
    markdown = re.sub(r"\]\(docs/", "](", markdown).replace("](../README.md#a-spec)", "](example.md)")
    return re.sub(
        r"\[((?:[^\[\]])+)\]\((?!https?:|#)(?:\.\./)*(?:abigen|tests|templates|\.github)\b[^)]*\)", r"\1", markdown
    )


def section(title: str, level: int) -> str:
    """A section of the README, whose examples a test executes."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert found, f"the README has no section {title}"
    return f"{'#' * level} {title}\n{found[1]}"


def all_commands() -> Iterator[str]:
    """What `--help` says of each command."""
    yield "# Commands\n"
    context = click.Context(commands, info_name="abigen", max_content_width=100)
    for name in commands.list_commands(context):
        command = commands.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, max_content_width=100)
        yield f"## {name}\n\n```text\n{command.get_help(inner)}\n```\n"


def python_names() -> Iterator[str]:
    """What `abigen` exports, by its docstrings."""
    yield "## Names\n"
    for name in abigen.__all__:
        doc = getattr(getattr(abigen, name), "__doc__", "") or ""
        if not name.startswith("_"):
            yield f"### {name}\n\n```text\n{_dedented(doc)}\n```\n"


def _dedented(doc: str) -> str:
    first, _, rest = doc.strip().partition("\n")
    return f"{first}\n" + re.sub(r"^ {4}", "", rest, flags=re.MULTILINE) if rest else first


def configuration_keys() -> Iterator[str]:
    """Keys of `abigen.toml`."""
    schema = json.loads((ROOT / "abigen/read/config/schema.json").read_text(encoding="utf-8"))
    yield "| key | meaning |\n|---|---|"
    for path, value in _keys(schema, schema, ""):
        yield f"| `{path}` | {_cell(_description(value, schema))} |"


def _keys(schema: Schema, whole: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    for key, value in schema.get("properties", {}).items():
        yield f"{path}{key}", value
        inner = _resolved(value, whole)
        yield from _keys(inner.get("items", inner) if inner.get("type") == "array" else inner, whole, f"{path}{key}.")


def language() -> str:
    """Every key of specs with its description, and how the specs in the tests use it."""
    schema: Schema = json.loads((ROOT / "abigen/read/spec/schema.json").read_text(encoding="utf-8"))
    examples: dict[tuple[int, str], object] = {}
    second = (ROOT / "docs/language.yaml").read_text(encoding="utf-8")
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
    """The keys of a mapping; below them those of mappings that are written in place."""
    objects = [each for each in _alternatives(part, whole) if each.get("properties")]
    for number, each in enumerate(objects):
        yield f"## {title}{' in full' if number else ''}\n"
        yield from ([_prose(part["description"]), ""] if part.get("description") else [])
        yield "| key | meaning | example |\n|---|---|---|"
        required = each.get("required", [])
        for key, value in each["properties"].items():
            example = examples[id(each), key]
            text = _prose(_description(value, whole)) + (" *Required.*" if key in required else "")
            yield f"| `{key}` | {_cell(text)} | `{_cell(_short(example))}` |"
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


def _short(example: object) -> str:
    text = json.dumps(example, ensure_ascii=False) if not isinstance(example, str) else " ".join(example.split())
    return text if len(text) <= 60 else text[:57] + "..."


def _prose(text: str) -> str:
    return re.sub(r"([*_<>])", r"\\\1", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
