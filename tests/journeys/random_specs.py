"""Random specs of owners: structs, unions, bit-fields, enumerations, handles and tables, with three releases."""

from __future__ import annotations

from typing import Any, TypeAlias

import yaml
from hypothesis import strategies as st

Item: TypeAlias = "dict[str, Any]"

_NUMBERS = ("int32_t", "uint8_t", "uint64_t", "double", "float", "size_t", "int64_t", "bool")
_RELEASES = ("1.0.0", "2.0.0", "2.1.0")
_ERRORS: tuple[Item | None, ...] = (
    None,
    {"negative_errno": True},
    {"result": {"type": "RN_Code", "ok": "RN_OK", "failed": "RN_FAILED", "unsupported": "RN_UNSUPPORTED"}},
)
_LEADING = (["size_t struct_size", "void* ext"], ["size_t struct_size"], ["uint32_t struct_size"])


@st.composite
def specs(draw: st.DrawFn) -> str:
    """Draw the text of a spec that `abigen build` accepts."""
    errors = draw(st.sampled_from(_ERRORS))
    conventions: Item = {
        "leading_fields": draw(st.sampled_from(_LEADING)),
        "filled_by": {"RN_": "core", "RP_": "plugin"},
    }
    conventions |= {"errors": errors} if errors else {}
    spec: Item = {
        "abigen": 1,
        "api": "random",
        "doc": "An API of nobody's.",
        "prefix": "RN",
        "version": _RELEASES[-1],
        "releases": list(_RELEASES),
        "header": {"path": "random.h", "includes": ["<stdbool.h>", "<stddef.h>", "<stdint.h>"]},
        "conventions": conventions,
        "enums": [
            _enum("RN_Code", ("RN_OK", "RN_FAILED", "RN_UNSUPPORTED")),
            _enum("RN_Kind", tuple(f"RN_KIND_{number}" for number in range(draw(st.integers(1, 4))))),
        ],
        "handles": [
            {
                "name": "RP_Thing",
                "tag": "RP_Thing_st",
                "defined_by": "plugin",
                "destroy": "RP_Table.close",
                "doc": "It.",
            }
        ],
        "structs": [
            _record("RN_Plain", "struct", draw(st.lists(_plain_type(), min_size=1, max_size=4))),
            _record("RN_Either", "union", draw(st.lists(_plain_type(), min_size=1, max_size=3))),
            draw(_bits()),
            draw(_host()),
            draw(_table(errors)),
        ],
        "functions": [draw(_entry(errors))],
    }
    return yaml.safe_dump(spec, sort_keys=False, width=1000)


def _enum(name: str, names: tuple[str, ...]) -> Item:
    return {"name": name, "doc": "Some values.", "enumerators": [{"name": each, "doc": "One."} for each in names]}


def _plain_type() -> st.SearchStrategy[str]:
    return st.sampled_from((*_NUMBERS, "char[8]", "int32_t[2]", "RN_Kind"))


def _record(name: str, kind: str, types: list[str]) -> Item:
    fields = [{"name": f"part{at}", "type": each, "doc": "A part."} for at, each in enumerate(types)]
    return {"name": name, "kind": kind, "versioned": False, "doc": "Some numbers.", "fields": fields}


@st.composite
def _bits(draw: st.DrawFn) -> Item:
    widths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    fields: list[Item] = [
        {"name": f"bit{at}", "type": "unsigned int", "bits": width, "doc": "Bits."} for at, width in enumerate(widths)
    ]
    return {"name": "RN_Bits", "versioned": False, "doc": "Some bits.", "fields": fields}


def _newer(draw: st.DrawFn, fields: list[Item]) -> list[Item]:
    """Let the last members be of later releases, in order."""
    number = draw(st.integers(0, min(2, len(fields) - 1)))
    for each, since in zip(fields[len(fields) - number :], _RELEASES[-number:] if number else (), strict=True):
        each |= {"since": since, "zero": "no-op"} | ({} if each.get("required") else {"optional": True})
    return fields


@st.composite
def _host(draw: st.DrawFn) -> Item:
    fields: list[Item] = [
        {"name": "major", "type": "int32_t", "version_part": "major", "zero": "meaningful", "doc": "MAJOR of the core."}
    ]
    for at in range(draw(st.integers(1, 3))):
        type = f"{draw(st.sampled_from(('void', 'int32_t', 'void*')))} (*)({draw(_parameters())})"
        mark = draw(st.sampled_from(({"required": True}, {"optional": True, "zero": "no-op"})))
        fields.append({"name": f"serve{at}", "type": type, "doc": "A service."} | mark)
    return {"name": "RN_Host", "doc": "The services of the core.", "fields": _newer(draw, fields)}


@st.composite
def _table(draw: st.DrawFn, errors: Item | None) -> Item:
    result = "RN_Code" if errors and "result" in errors else "int"
    fields: list[Item] = [
        {"name": "open", "type": "RP_Thing (*)(const char* name)", "required": True, "doc": "Opens a thing."},
        {"name": "close", "type": "void (*)(RP_Thing thing)", "required": True, "doc": "Closes it."},
    ]
    for at in range(draw(st.integers(1, 4))):
        results = (result, "void", "double", "RN_Plain", "const char*")
        type = f"{draw(st.sampled_from(results))} (*)(RP_Thing thing, {draw(_parameters())})"
        mark = draw(st.sampled_from(({"required": True}, {"optional": True, "zero": "no-op"})))
        fields.append({"name": f"work{at}", "type": type, "doc": "Works on a thing."} | mark)
    return {"name": "RP_Table", "doc": "The functions of a plugin.", "fields": _newer(draw, fields)}


@st.composite
def _parameters(draw: st.DrawFn) -> str:
    pool = (
        "int32_t count",
        "double level",
        "const char* text",
        "const uint8_t* data, size_t data_size",
        "float* samples, size_t samples_count",
        "RN_Kind kind",
        "RN_Plain plain",
        "RN_Bits bits",
        "RN_Either either",
        "const RN_Plain* place",
        "void (*done)(void* user), void* user",
        "uint64_t* total",
        "bool on",
    )
    chosen = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4, unique=True))
    return ", ".join(chosen)


@st.composite
def _entry(draw: st.DrawFn, errors: Item | None) -> Item:
    result = "RN_Code" if errors and "result" in errors else draw(st.sampled_from(("int", "bool")))
    return {
        "name": "RN_InitPlugin",
        "implemented_by": "plugin",
        "entry_point": True,
        "type": f"{result} (const RN_Host* host, RP_Table* table)",
        "doc": "Fills the table.",
    }
