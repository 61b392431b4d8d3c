"""Rules of form about what is said of an entity: replacements, ages, the meaning of zero."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abigen.check.form import Form
from abigen.check.rule import Report, form_rule
from abigen.model.api import Api
from abigen.model.entities import Entity
from abigen.model.finding import Bump
from abigen.model.version import Version


@form_rule("ABI817")
def dangling_replacement(form: Form) -> Iterator[Report]:
    """A replacement is named that does not exist.

    What it means: `Use x.` stands at something deprecated, or `Replaces x.` anywhere, and there is no `x`: neither a
    member beside it, nor anything else of that name in the API.

    What happens: users are sent nowhere, and abigen cannot tell an accepted rename from a removal.

    Instead: correct the name.

    Source: VS, "Deprecation with Extension".
    """
    known = _all_names(form.api)
    for path, entity in _entities(form):
        contract = entity.contract
        named = [("Use", contract.lifecycle.replaced_by)] if contract.lifecycle.replaced_by else []
        named += [("Replaces", contract.lifecycle.replaces)] if contract.lifecycle.replaces else []
        for word, name in named:
            *holders, last = re.split(r"\.|->|::", name)
            struct = form.api.structs.get(holders[-1]) if holders else None
            members = known if struct is None else {field.name for field in struct.fields or ()}
            if name not in known and last not in members:
                yield Report(
                    entity=path,
                    bump=Bump.NONE,
                    message=f"{path} says `{word} {name}`, and there is no {name}",
                    help=_nearest(last, known),
                    new=entity.span,
                    level="warning",
                )


@form_rule("ABI818")
def since_not_monotonic(form: Form) -> Iterator[Report]:
    """A member is older than the one before it.

    What it means: its `since` is a lower version than that of a member before it. Members are only ever appended, so
    versions can only rise from the first member to the last.

    What happens: the sizes of older releases that follow from `since` are wrong, and with them every check of
    `struct_size` that is generated from it.

    Instead: correct the version, or the place.

    Source: VS, "Conventions" (members cannot be reordered); rulebook section 4.
    """
    for struct in form.structs:
        if struct.is_union:
            continue
        newest, before = struct.contract.lifecycle.since, ""
        for field in struct.fields or ():
            since = field.contract.lifecycle.since or struct.contract.lifecycle.since
            if before and newest is not None and (since is None or since < newest):
                yield Report(
                    entity=f"{struct.name}.{field.name}",
                    bump=Bump.NONE,
                    message=f"{struct.name}.{field.name} is {_since(since)}, {before} before it since {newest}",
                    help="append members behind all older ones",
                    new=field.span,
                    level="error",
                )
            elif since is not None and (newest is None or since > newest):
                newest, before = since, field.name


@form_rule("ABI819")
def zero_unspecified(form: Form) -> Iterator[Report]:
    """An appended member does not say what zero means.

    What it means: it is younger than its struct, and neither `0 is no-op.` (`NULL is no-op.`) nor the contrary is said.

    What happens: a producer that is older than the member leaves it out, and one that is newer and does not use it
    leaves it zero. Without a word on zero, readers cannot tell that from a value.

    Instead: say `0 is no-op.`, or `zero: no-op` in a spec.

    Source: VS, "Conventions" (such fields must be explicitly marked by comments).
    """
    for struct in form.structs:
        for field in struct.fields or ():
            since = field.contract.lifecycle.since
            appended = since is not None and (
                struct.contract.lifecycle.since is None or since > struct.contract.lifecycle.since
            )
            if appended and not field.contract.zero and not field.contract.reserved:
                yield Report(
                    entity=f"{struct.name}.{field.name}",
                    bump=Bump.NONE,
                    message=f"{struct.name}.{field.name}, appended in {since}, does not say what zero means",
                    help="say `0 is no-op.` (`NULL is no-op.`), or what else zero stands for",
                    new=field.span,
                    level="warning",
                )


def _since(version: Version | None) -> str:
    """A member's age in words."""
    return f"there since {version}" if version else "there from the start"


def _entities(form: Form) -> Iterator[tuple[str, Entity]]:
    """All entities of the API that carry a contract, with the names that findings give them."""
    api = form.api
    for struct in api.structs.values():
        if struct.in_api:
            yield struct.name, struct
            yield from ((f"{struct.name}.{field.name}", field) for field in struct.fields or ())
    for enum in api.enums.values():
        if enum.in_api:
            yield enum.name, enum
            for each in enum.enumerators or ():
                yield (each.name if enum.anonymous else f"{enum.name}.{each.name}"), each
    for entities in (api.functions, api.typedefs, api.variables, api.constants, api.macros):
        for entity in entities.values():
            same = api.structs.get(entity.name)
            if entity.in_api and (same is None or same.contract != entity.contract):
                yield entity.name, entity


def _all_names(api: Api) -> frozenset[str]:
    """Every name that a replacement may have."""
    found = {name for entities in (api.functions, api.typedefs, api.variables, api.constants) for name in entities}
    found.update(api.macros, api.size_constants)
    for struct in api.structs.values():
        found.update((struct.name, struct.tag, *(field.name for field in struct.fields or ())))
    for enum in api.enums.values():
        found.update((enum.name, enum.tag, *(each.name for each in enum.enumerators or ())))
    return frozenset(found)


def _nearest(name: str, known: frozenset[str]) -> str:
    """A suggestion."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    return f"did you mean {close[0]}?" if close else "correct the name"
