"""Which member or parameter says how many elements a pointer beside it points to."""

from __future__ import annotations

from collections.abc import Sequence

from abigen.model.api import Api
from abigen.model.ctype import Basic, CType, NamedType, Parameter, Pointer
from abigen.model.entities import Field
from abigen.model.identifiers import words_of

_BESIDE = ("num_*", "n_*", "max_*", "*_count", "*_num")
"""What a count that stands right behind its pointer may be called; `*` stands for the pointer's name."""
_BYTES_BESIDE = ("*_len", "*_length", "*_size")
"""The same of pointers to bytes. Of other pointers such a name may mean the number of bytes."""
_ALONE = ("len", "length", "size")
"""The same of pointers to bytes that cannot be text, which needs no count."""
_BYTE_NAMES = frozenset({"int8_t", "uint8_t"})
_BYTE_TYPES = frozenset({"void", "char", "signed char", "unsigned char"})
COUNT_WORDS = frozenset({"num", "n", "nb", "nr", "number", "count", "cnt"})
"""Words in the names of numbers that count."""
SIZE_WORDS = frozenset({"len", "length", "size"})
"""Words in the names of numbers that may count bytes, or elements."""
_COUNT_WORDS = COUNT_WORDS | SIZE_WORDS | {"of"}
_LIST_WORDS = frozenset({"list", "array", "arr", "vec", "table"})


def count_of(position: int, siblings: Sequence[Field | Parameter], api: Api) -> int | None:
    """Find the count of a pointer: by the API's own patterns, else by the usual names.

    Args:
        position: of the pointer among its siblings.
        siblings: the members of a struct, or the parameters of a function, in order.
        api: to resolve types, and for the names that its owners have agreed on.

    Returns:
        The position of the count; None for what is no pointer, or has no count.
    """
    pointer = siblings[position]
    resolved = api.resolve(pointer.type)
    if not isinstance(resolved, Pointer) or not pointer.name or api.function_behind(pointer.type):
        return None
    own = {pattern.replace("*", pointer.name) for pattern in api.conventions.counts}
    found = next((at for at, each in enumerate(siblings) if each.name in own and api.is_integer(each.type)), None)
    if found is not None:
        return found
    struct = api.struct_of(resolved.target)
    if struct is not None:
        return _by_words(pointer.name, struct.name, siblings, api)
    beside = siblings[position + 1] if position + 1 < len(siblings) else None
    if beside is None or not beside.name or not api.is_integer(beside.type):
        return None
    patterns = (*_BESIDE, *api.conventions.counts, *_byte_patterns(resolved.target, api))
    return position + 1 if any(_fits(pointer.name, beside.name, each) for each in patterns) else None


def counts_of(parameters: Sequence[Parameter], api: Api) -> dict[int, int]:
    """The positions of the parameters that point to several elements, each with that of its count."""
    found = ((at, count_of(at, parameters, api)) for at in range(len(parameters)))
    return {at: count for at, count in found if count is not None}


def _by_words(name: str, pointee: str, siblings: Sequence[Field | Parameter], api: Api) -> int | None:
    """The count of a pointer to structs whose name is a plural: `xs`, `pXs`, `x_list`.

    A pointer in the singular is taken for one to a single struct. So is one in the plural where the struct's name is a
    plural itself (`CreateParams* params`), unless a count names the same things.

    The best is a number that names the same things (`num_xs`, `xs_count`, `n_xs`, `nxs`, `xs_size`, `xCount`), then one
    that names the last of them (`num_options` of `create_options`), then one that only counts (`count`).
    """
    words = words_of(name.removeprefix("p") if name[1:2].isupper() else name)
    is_list = len(words) > 1 and words[-1] in _LIST_WORDS
    if not (is_list or name.endswith(("s", "S"))):
        return None
    wanted = _singular(words[:-1] if is_list else words)
    found: dict[str, int] = {}
    for at, number in enumerate(siblings):
        if not number.name or number.name == api.conventions.size_field or not api.is_integer(number.type):
            continue
        rest = _counted(words_of(number.name), wanted)
        if rest is not None and rest == wanted[len(wanted) - len(rest) :]:
            found["same" if rest == wanted else "last" if rest else "any"] = at
    pointee_words = words_of(pointee)
    if is_list or pointee_words[-1:] == words[-1:]:
        return found.get("same")
    if pointee_words != _singular(pointee_words):
        found.pop("any", None)
    return found.get("same", found.get("last", found.get("any")))


def _counted(words: Sequence[str], wanted: tuple[str, ...]) -> tuple[str, ...] | None:
    """What a count counts, in the singular; None when its name does not say that it counts anything."""
    if not _COUNT_WORDS.isdisjoint(words):
        return _singular([word for word in words if word not in _COUNT_WORDS])
    abbreviated = _singular([words[0].removeprefix("n"), *words[1:]]) if words and words[0].startswith("n") else ()
    return abbreviated if abbreviated == wanted else None


def _byte_patterns(element: CType, api: Api) -> tuple[str, ...]:
    """What a number of bytes may be called, where a pointer leads to bytes."""
    resolved = api.resolve(element)
    if resolved == Basic("char"):
        return _BYTES_BESIDE
    is_byte = isinstance(resolved, NamedType) and resolved.name in _BYTE_NAMES
    is_byte = is_byte or (isinstance(resolved, Basic) and resolved.name in _BYTE_TYPES)
    return (*_BYTES_BESIDE, *_ALONE) if is_byte else ()


def _fits(pointer: str, count: str, pattern: str) -> bool:
    """Whether a count's name follows from the pointer's by a pattern, whatever both begin with."""
    if count in (pattern.replace("*", pointer), pattern.replace("*", pointer.removesuffix("s"))):
        return True
    words = pointer.split("_")
    ends = (("_".join(words[:at]), "_".join(words[at:])) for at in range(1, len(words)))
    return any(count == f"{left}_{pattern.replace('*', right)}" for left, right in ends)


def _singular(words: Sequence[str]) -> tuple[str, ...]:
    """The words with the last one in the singular."""
    if not words:
        return ()
    last = words[-1]
    if last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith("s") and len(last) > 1:
        last = last[:-1]
    return (*words[:-1], last)
