"""Random APIs as specs, those that specs have words for, and the headers that abigen makes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from abigen.generator.build import build
from abigen.generator.publication import Publication
from abigen.generator.templates import Templates
from abigen.model.api import ApiSet
from abigen.specs.spec_reader import read_spec
from abigen.workspace.files import Files
from abigen.workspace.options import ReadOptions, SourceFile
from abigen.workspace.shipped import shipped
from tests.runner.skew.worlds import Aggregate, Member, World


def spec_of(world: World) -> str:
    """Return the spec of an API; empty where a spec has no words for something in it."""
    if any(
        each.pack or (set(each.attributes) - {"packed"}) or not _are_plain(each.members) for each in world.aggregates
    ):
        return ""
    if world.packed or any("@" in type for type in world.typedefs.values()):
        return ""
    whole = {
        "abigen": 1,
        "api": f"c{world.number}",
        "prefix": f"C{world.number}",
        "version": "1.0.0",
        "header": {"path": f"c{world.number}.h"},
        "conventions": {"filled_by": {"SE_": "core", "SP_": "plugin"}},
        "constants": [{"name": name, "value": value} for name, value in world.lengths.items()],
        "typedefs": [{"name": name, "type": type} for name, type in world.typedefs.items()],
        "enums": [
            {"name": name, "enumerators": [_enumerator(*each) for each in values]}
            for name, values in world.enums.items()
        ],
        "structs": [_struct(each) for each in world.aggregates],
        "functions": [
            {"name": name, "type": f"{result} ({', '.join(parameters) or 'void'})", "implemented_by": "core"}
            for name, (result, parameters) in world.functions.items()
        ],
    }
    return json.dumps(whole, indent=1)


def _are_plain(members: Sequence[Member]) -> bool:
    return all(
        each.kind != "group" and not each.attributes and each.name and "" not in each.lengths for each in members
    )


def _enumerator(name: str, value: int | None) -> dict[str, object]:
    return {"name": name} if value is None else {"name": name, "value": value}


def _struct(aggregate: Aggregate) -> dict[str, object]:
    made: dict[str, object] = {
        "name": aggregate.name,
        "kind": aggregate.keyword,
        "versioned": aggregate.is_versioned,
        "fields": [_field(each) for each in aggregate.members],
    }
    if aggregate.members[-1].kind == "bits":
        made["size_macro"] = False
    return made | ({"packed": True} if aggregate.attributes else {})


def _field(member: Member) -> dict[str, object]:
    lengths = "".join(f"[{each}]" for each in member.lengths)
    type = f"{'const ' * member.is_const}{member.type}{'*' * (member.kind == 'pointer')}{lengths}"
    if member.kind == "callback":
        type = member.type.replace("@", "")
    made: dict[str, object] = {"name": member.name, "type": type}
    made |= {"bits": member.width} if member.kind == "bits" else {}
    return made | ({"reserved": True} if member.name.startswith("reserved") else {})


def read(text: str, target: str) -> ApiSet:
    """Read a spec."""
    return read_spec(SourceFile("api.yaml", "/dev/null/api.yaml", text), ReadOptions(targets=(target,)))


def header_of(api: ApiSet) -> str:
    """Return the header that abigen makes of a spec."""
    publication = Publication(api.groups[0].api, "api", "")
    files = build([publication], ["c"], Templates((), shipped("templates"), Files()))
    return next(content.decode() for path, content in files.items() if path.endswith(".h") and "helpers" not in path)
