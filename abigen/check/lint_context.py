"""What a rule of `abigen lint` looks at: one API, without a history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from abigen.check.policy import Options
from abigen.check.rule import RuleList, Subject
from abigen.check.struct_sizes import Measure, Uses, broken_sizes, measures
from abigen.model.api import Api, ApiSet
from abigen.model.entities import Entity, Field, Function, Struct
from abigen.model.layout import Layouts
from abigen.model.target import find_target


class LintContext(msgspec.Struct, frozen=True, dict=True):
    """One API as one group of targets sees it; `targets` has the preferred one first."""

    api: Api
    targets: tuple[str, ...]
    options: Options
    whole: ApiSet
    """The API as all groups of targets see it."""
    is_compared: bool = False
    """It is the NEW of a comparison, which tells of what came with it; what a spec has never said is not told then."""

    @cached_property
    def _layouts(self) -> Mapping[str, Layouts]:
        """The layouts on all targets, each computed when it is asked for."""
        return {name: Layouts(self.whole.for_target(name), find_target(name)) for name in self.whole.targets}

    def layouts(self, target: str = "") -> Layouts:
        """The layouts on a target.

        Args:
            target: any target that the API was read for; the preferred one when empty.
        """
        return self._layouts[target or self.targets[0]]

    @cached_property
    def structs(self) -> tuple[Struct, ...]:
        """The API's own structs and unions that are defined, parts of others too, in order."""
        return tuple(each for each in self.api.structs.values() if each.in_api and each.fields is not None)

    @cached_property
    def versioned(self) -> tuple[Struct, ...]:
        """Those that carry their size, directly or in a base that comes first."""
        return tuple(each for each in self.structs if each.size_member)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """The API's own functions, in order."""
        return tuple(each for each in self.api.functions.values() if each.in_api)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The API's own size constants on the preferred target."""
        return tuple(measures(self.layouts()))

    @cached_property
    def broken_sizes(self) -> Mapping[str, str]:
        """The API's own size constants that name what does not exist, with that name."""
        return broken_sizes(self.api)

    @property
    def is_specified(self) -> bool:
        """Whether it comes from a spec, where what is left out is left out on purpose."""
        return self.api.header is not None

    @property
    def is_first(self) -> bool:
        """Whether this group of targets has the preferred one; what concerns all groups is said once, here."""
        return self.targets[0] == self.whole.targets[0]

    def handed_over(self) -> Iterator[Struct]:
        """Structs that cross the boundary by pointer, and are no part of another: those that may have to grow."""
        uses = Uses(self.api)
        for struct in self.structs:
            if not (struct.anonymous or struct.is_union or "." in struct.name or uses.of(struct.name)):
                yield struct


def whole(entity: Entity) -> Subject:
    """What a finding about an entity as a whole says."""
    return Subject(entity.name, None, entity.span)


def member(struct: Struct, field: Field) -> Subject:
    """What a finding about a member says; its struct's name and place where it has none of its own."""
    return Subject(f"{struct.name}.{field.name}".rstrip("."), None, field.span or struct.span)


lint_rules = RuleList[LintContext]()
