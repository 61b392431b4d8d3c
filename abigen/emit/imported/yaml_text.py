"""The text of a spec: YAML as one would write it by hand, short entries on one line and long texts as blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import yaml

_WIDTH = 110
"""Columns that an entry on one line may take."""
_TEXT, _MAPPING, _LIST = "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"


def yaml_text(document: Mapping[str, object], comment: str) -> str:
    """Write a spec.

    Args:
        document: texts, numbers, truth values, and lists and mappings of these, in the order in which they shall stand.
        comment: stands above it, in as many lines.
    """
    head = "".join(f"# {line}".rstrip() + "\n" for line in comment.splitlines())
    parts: list[str] = []
    for key, value in document.items():
        node = yaml.MappingNode(_MAPPING, [(_scalar(key), _node(value, 0))], flow_style=False)
        text = yaml.serialize(node, Dumper=yaml.SafeDumper, width=_WIDTH, allow_unicode=True)
        is_section = "\n" in text.rstrip("\n")
        parts.append(("\n" if is_section and parts else "") + text)
    return head + "".join(parts)


def _node(value: object, depth: int) -> yaml.Node:
    if isinstance(value, Mapping):
        pairs = [(_scalar(str(key)), _node(each, depth + 1)) for key, each in value.items()]
        return yaml.MappingNode(_MAPPING, pairs, flow_style=_is_short(value) and depth > 0)
    if isinstance(value, Sequence) and not isinstance(value, str):
        nodes = [_node(each, depth + 1) for each in value]
        plain = all(not isinstance(each, Mapping) for each in value)
        return yaml.SequenceNode(_LIST, nodes, flow_style=plain and _is_short(value))
    return _scalar(value)


def _is_short(value: object) -> bool:
    """Whether a value fits on one line, and has no text of several."""
    text = str(value)
    return "\\n" not in text and len(text) < _WIDTH - 20


def _scalar(value: object) -> yaml.ScalarNode:
    if isinstance(value, bool):
        return yaml.ScalarNode("tag:yaml.org,2002:bool", str(value).lower())
    if isinstance(value, int):
        return yaml.ScalarNode("tag:yaml.org,2002:int", str(value))
    text = str(value)
    return yaml.ScalarNode(_TEXT, text + "\n", style="|") if "\n" in text else yaml.ScalarNode(_TEXT, text)
