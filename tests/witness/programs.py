"""Programs that show what a change does: one binary part compiled against OLD, the other against NEW, run together.

A struct crosses the boundary in the two ways that such APIs know. *Handed over*: the producer allocates and fills it,
the consumer reads it. *Filled in*: the consumer allocates it, says its size, and the producer fills it. Each is tried
with sides that follow the struct_size protocol (`careful`: touch nothing beyond the smaller size) and with sides that
do not (`naive`).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, CType, EnumType, Pointer
from abigen.model.entities import Struct
from abigen.model.layout import FieldLayout, Layouts

FLAGS = ["-std=gnu17", "-g", "-O0", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

MAIN = """
#include <stdio.h>
#include <string.h>
extern void *produce(int careful, void *given, unsigned long given_size);
extern void *allocate(unsigned long *size);
extern int consume(int careful, const void *object);
int main(int argc, char **argv) {
  int careful = !strcmp(argv[1], "careful");
  void *object;
  if (!strcmp(argv[2], "handed-over")) {
    object = produce(careful, 0, 0);
  } else {
    unsigned long size;
    object = allocate(&size);
    produce(careful, object, size);
  }
  return consume(careful, object);
}
"""


@dataclass(frozen=True)
class Slot:
    """A scalar somewhere inside a struct: the C expression behind `object->`, its place, and what it can hold."""

    path: str
    offset: int
    type: CType
    bits: int | None


def slots(layouts: Layouts, struct: str, prefix: str = "", base: int = 0) -> Iterator[Slot]:
    """Every scalar that a struct holds by value, with members of anonymous aggregates under their own names."""
    for place in layouts.of(struct).fields:
        yield from _slots_of_member(layouts, place, prefix, base + place.offset)


def _slots_of_member(layouts: Layouts, place: FieldLayout, prefix: str, offset: int) -> Iterator[Slot]:
    path = prefix + place.name
    type = layouts.api.resolve(place.field.type)
    while isinstance(type, Array):
        if place.size == 0:
            return
        path += "[0]"
        type = layouts.api.resolve(type.element)
    inner = layouts.api.struct_of(type)
    if inner is not None:
        if inner.is_union and inner.fields and not place.name:
            # One alternative can be told from the others: the first.
            yield from _slots_of_member(layouts, layouts.of(inner.name).fields[0], prefix, offset)
        elif inner.fields is not None and not inner.is_union:
            yield from slots(layouts, inner.name, path + "." if place.name else prefix, offset)
    elif place.name and isinstance(type, Pointer | Basic | EnumType):
        yield Slot(path, offset, type, place.bit_width)


def _is_reserved(slot: Slot) -> bool:
    name = slot.path.rpartition(".")[2].partition("[")[0].strip("_")
    is_free = re.fullmatch(r"(?:pad|padding|unused|spare)_?(?:\d+|[a-z])?", name) is not None
    return is_free or name.startswith(("reserved", "rsvd")) or name.endswith("_reserved")


def size_slot(found: Sequence[Slot], struct: Struct, api: Api) -> Slot | None:
    """The slot that carries the struct's own size: it comes first, perhaps inside a base struct.

    What it is called, where it is not called as usual, is the only thing that is taken from the checks.
    """
    unusual = struct.size_member
    for slot in found:
        if slot.offset == 0 and (slot.path == unusual or slot.path.rpartition(".")[2] == api.conventions.size_field):
            return slot
    return None


def value_of(path: str, slot: Slot) -> int:
    """A value that tells slots apart and that every scalar type of C can hold; 1 for what is one bit wide."""
    if (slot.bits is not None and slot.bits < 8) or (isinstance(slot.type, Basic) and slot.type.name == "_Bool"):
        return 1
    return 3 + sum(ord(letter) * (index + 7) for index, letter in enumerate(path)) % 120


def _literal(path: str, slot: Slot) -> str:
    number = value_of(path, slot)
    return f"(void *){number}" if isinstance(slot.type, Pointer) else str(number)


def size_of(api: Api, struct: Struct) -> str:
    """C for the size that goes into the size field: the API's own constant if it compiles, else sizeof."""
    members = {each.name for each in struct.fields or ()}
    for constant in api.size_constants.values():
        if constant.struct == struct.name and constant.last_member in {"", *members}:
            return constant.name
    return f"sizeof({_type_name(struct)})"


def _type_name(struct: Struct) -> str:
    return struct.name if struct.typedef_names else f"{struct.kind} {struct.tag}"


def _end(slot: Slot) -> str:
    return f"(unsigned long)((const char *)&object->{slot.path} - (const char *)object + sizeof(object->{slot.path}))"


def producer_source(layouts: Layouts, struct: Struct, header: str) -> str:
    """C that fills a struct as its own header describes it."""
    name = _type_name(struct)
    found = list(slots(layouts, struct.name))
    size = size_slot(found, struct, layouts.api)
    lines = [
        f'#include "{header}"',
        "#include <stdlib.h>",
        "#include <string.h>",
        "void *produce(int careful, void *given, unsigned long given_size) {",
        f"  {name} *object = given ? ({name} *)given : ({name} *)malloc(sizeof({name}));",
        # Padding of a fresh object holds whatever was there before, as on a stack.
        f"  if (!given) memset(object, 0xAA, sizeof({name}));",
        f"  unsigned long limit = {size_of(layouts.api, struct)};",
        "  if (given && careful && given_size < limit) limit = given_size;",
        "  (void)limit;",
    ]
    if size is not None:
        lines.append(f"  object->{size.path} = limit;")
    for slot in found:
        if slot == size:
            continue
        assign = f"object->{slot.path} = {_literal(slot.path, slot)};"
        if _is_reserved(slot):  # Whoever fills a struct leaves that zero, all elements of it.
            whole = f"object->{slot.path.partition('[')[0]}"
            assign = f"{whole} = 0;" if "[" not in slot.path else f"memset({whole}, 0, sizeof({whole}));"
        if size is not None and slot.bits is None:
            assign = f"if ({_end(slot)} <= limit) {assign}"
        lines.append("  " + assign)
    lines += ["  return object;", "}"]
    return "\n".join(lines) + "\n"


def consumer_source(layouts: Layouts, struct: Struct, header: str, produced: Sequence[Slot]) -> str:
    """C that allocates a struct, and that compares every slot with what the producer wrote.

    A slot that the producer does not know has to be zero, unless the producer has one of another name in its place
    that the consumer does not know: then it is that one, renamed.
    """
    name = _type_name(struct)
    found = list(slots(layouts, struct.name))
    size = size_slot(found, struct, layouts.api)
    lines = [
        f'#include "{header}"',
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "void *allocate(unsigned long *size) {",
        f"  {name} *object = ({name} *)calloc(1, sizeof({name}));",
        f"  *size = {size_of(layouts.api, struct)};",
    ]
    if size is not None:
        lines.append(f"  object->{size.path} = {size_of(layouts.api, struct)};")
    lines += ["  return object;", "}", "int consume(int careful, const void *given) {"]
    lines += [f"  const {name} *object = given;", "  int wrong = 0;"]
    known = {slot.path for slot in produced}
    renamed = {
        slot.offset: slot.path
        for slot in produced
        if slot.path not in {own.path for own in found} and not _is_reserved(slot)
    }
    for slot in found:
        if slot == size or _is_reserved(slot):
            continue
        source = slot.path if slot.path in known else renamed.get(slot.offset)
        expected = _literal(source, slot) if source else "0"
        test = f'if (object->{slot.path} != {expected}) {{ printf("{slot.path}\\n"); wrong = 1; }}'
        if size is not None and slot.bits is None:
            test = f"if (!careful || {_end(slot)} <= object->{size.path}) {{ {test} }}"
        lines.append("  " + test)
    lines += ["  return wrong;", "}"]
    return "\n".join(lines) + "\n"


def run(
    folder: Path,
    producer: tuple[Layouts, Path],
    consumer: tuple[Layouts, Path],
    struct: str,
    compiler: str = "gcc",
) -> dict[tuple[str, str], str]:
    """Compile both sides against their own headers, and run them together.

    Args:
        folder: an empty directory to work in.
        producer: the layouts that the producing side was compiled against, and its header.
        consumer: the same of the reading side.
        struct: the key of the struct that crosses.
        compiler: the C compiler.

    Returns:
        (care, way) to what happened: empty when all is well, else the slots that were misread or the sanitizer's words.
    """
    produced = list(slots(producer[0], struct))
    texts = {
        "main.c": MAIN,
        "producer.c": producer_source(producer[0], producer[0].api.structs[struct], str(producer[1])),
        "consumer.c": consumer_source(consumer[0], consumer[0].api.structs[struct], str(consumer[1]), produced),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    program = folder / "program"
    sources = [str(folder / name) for name in texts]
    subprocess.run([compiler, *FLAGS, "-o", str(program), *sources], check=True, capture_output=True, text=True)
    results: dict[tuple[str, str], str] = {}
    for care in ("careful", "naive"):
        for way in ("handed-over", "filled-in"):
            done = subprocess.run(
                [str(program), care, way],
                capture_output=True,
                text=True,
                env={"ASAN_OPTIONS": "detect_leaks=0"},
                timeout=60,
            )
            if done.returncode == 0:
                results[care, way] = ""
            else:
                summary = [line for line in done.stderr.splitlines() if line.startswith("SUMMARY")]
                results[care, way] = " ".join(done.stdout.split()) or (summary or [done.stderr.strip()])[0]
    return results
