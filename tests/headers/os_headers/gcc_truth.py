"""The layout of a header, read from the debug information of gcc."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

_ENTRY = re.compile(r"^ <(?P<depth>\d+)><[0-9a-f]+>: Abbrev Number: \d+ \((?P<tag>DW_TAG_\w+)\)")
_VALUE = re.compile(r"^\s+<[0-9a-f]+>\s+(?P<key>DW_AT_\w+)\s*: (?P<value>.*)$")
_KEEP = ("-fno-eliminate-unused-debug-types", "-fno-eliminate-unused-debug-symbols")


class Truth(msgspec.Struct, frozen=True):
    """The sizes, offsets and values that a header has."""

    sizes: Mapping[str, int]
    """Struct or union with a tag to its size, in bytes."""
    offsets: Mapping[str, int]
    """`struct.member` to its offset, in bytes; members of members without a name are left out."""
    values: Mapping[str, int]
    """Enumerators."""


def ask(header: str, includes: Sequence[str], folder: Path) -> Truth | None:
    """Compile a header and read what it declares; None where gcc refuses it."""
    source, result = folder / "one.c", folder / "one.o"
    source.write_text(f"#include <{header}>\nint abigen_anchor;\n", encoding="utf-8")
    command = ["gcc", "-w", "-g", "-gno-strict-dwarf", *_KEEP, *(f"-I{each}" for each in includes), "-c", str(source)]
    if subprocess.run([*command, "-o", str(result)], capture_output=True, check=False).returncode:
        return None
    dump = subprocess.run(
        ["readelf", "--debug-dump=info", str(result)], capture_output=True, text=True, check=True
    ).stdout
    return _read(dump)


def _read(dump: str) -> Truth:
    """Read the tree of entries that `readelf` prints."""
    sizes: dict[str, int] = {}
    offsets: dict[str, int] = {}
    values: dict[str, int] = {}
    path: list[tuple[int, str, dict[str, str]]] = []

    def close(depth: int) -> None:
        while path and path[-1][0] >= depth:
            _, tag, found = path.pop()
            name = found.get("DW_AT_name", "")
            if tag in ("DW_TAG_structure_type", "DW_TAG_union_type") and name and "DW_AT_byte_size" in found:
                sizes[name] = int(found["DW_AT_byte_size"], 0)
            elif tag == "DW_TAG_member" and name and path and path[-1][2].get("DW_AT_name"):
                offsets[f"{path[-1][2]['DW_AT_name']}.{name}"] = int(found.get("DW_AT_data_member_location", "0"), 0)
            elif tag == "DW_TAG_enumerator":
                values[name] = int(found.get("DW_AT_const_value", "0"), 0)

    for line in dump.splitlines():
        if (entry := _ENTRY.match(line)) is not None:
            close(int(entry["depth"]))
            path.append((int(entry["depth"]), entry["tag"], {}))
        elif path and (value := _VALUE.match(line)) is not None:
            path[-1][2][value["key"]] = value["value"].rpartition("): ")[2].strip() or value["value"].strip()
    close(0)
    return Truth(sizes, offsets, values)


def differences(old: Truth, new: Truth) -> list[str]:
    """Return the differences for a user of OLD: sizes, offsets and values of common entities, and removals."""
    found = [f"size of {name}" for name, size in old.sizes.items() if new.sizes.get(name, size) != size]
    found += [f"struct {name} removed" for name in old.sizes if name not in new.sizes]
    found += [f"offset of {name}" for name, place in old.offsets.items() if new.offsets.get(name, place) != place]
    found += [f"member {name} removed" for name in old.offsets if name not in new.offsets]
    found += [f"value of {name}" for name, value in old.values.items() if new.values.get(name, value) != value]
    return found + [f"enumerator {name} removed" for name in old.values if name not in new.values]
