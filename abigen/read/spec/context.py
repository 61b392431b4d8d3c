"""What used specs bring: entities that types may name, headers, and names that are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from abigen.model.api import Api, Conventions
from abigen.model.entities import Entity
from abigen.model.header import Header
from abigen.read.spec.messages import Report
from abigen.read.spec.names import Names
from abigen.read.spec.nodes import Scalar

AnyEntity = TypeVar("AnyEntity", bound=Entity)


@dataclass(frozen=True)
class Context:
    """All used specs together."""

    api: Api
    """Their entities, and those of the specs that they use, none of them in the API."""
    names: Names
    headers: tuple[str, ...]
    """The headers of the used specs themselves, in order."""
    provided: frozenset[str]
    """What those headers include, and the headers themselves."""
    incomplete: bool
    """Whether one of them could not be read."""


def merge_context(
    parts: Sequence[tuple[Scalar, Api, Names, frozenset[str]]], report: Report, *, incomplete: bool
) -> Context:
    """Put used specs together.

    Args:
        parts: per used spec the entry of `uses`, its API, its names, and what its header provides.
        report: receives what two of them declare differently.
        incomplete: whether more were named than could be read.
    """
    merged = Api(name="")
    names = Names()
    headers: list[str] = []
    provided: frozenset[str] = frozenset()
    for scalar, api, own_names, own_provided in parts:
        merger = _Merger(scalar, report, names)
        merged = replace(
            merged,
            structs=merger.merge(merged.structs, api.structs),
            enums=merger.merge(merged.enums, api.enums),
            typedefs=merger.merge(merged.typedefs, api.typedefs),
            functions=merger.merge(merged.functions, api.functions),
            constants=merger.merge(merged.constants, api.constants),
            macros=merger.merge(merged.macros, api.macros),
            size_constants=merger.merge(merged.size_constants, api.size_constants),
            used={**merged.used, **_publications(api)},
        )
        names.ordinary.update(own_names.ordinary)
        names.tags.update(own_names.tags)
        provided |= own_provided
        if api.header:
            headers.append(api.header.path)
    return Context(merged, names, tuple(headers), provided, incomplete)


def _publications(api: Api) -> dict[str, tuple[Header, Conventions]]:
    """How a used spec and those that it uses are published."""
    own = dict.fromkeys(api.files, (api.header, api.conventions)) if api.header else {}
    return {**api.used, **own}


class _Merger:
    """Adds one spec's entities to those of others."""

    def __init__(self, scalar: Scalar, report: Report, names: Names) -> None:
        self.scalar = scalar
        self.report = report
        self.names = names

    def merge(self, known: Mapping[str, AnyEntity], added: Mapping[str, AnyEntity]) -> dict[str, AnyEntity]:
        """Both, with an error for each name that stands for different things."""
        result = dict(known)
        for name, entity in added.items():
            outside = replace(entity, in_api=False)
            other = result.setdefault(name, outside)
            if other != outside:
                origin = self.names.ordinary[name].origin if name in self.names.ordinary else "another spec"
                self.report.error(self.scalar.span, f"'{self.scalar.text}' and {origin} declare '{name}' differently")
        return result
