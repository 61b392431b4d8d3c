"""Two APIs paired: what every target has in common."""

from __future__ import annotations

from functools import cached_property

from abigen.check.embedding import Uses
from abigen.check.pairing.names import NamedPairs, pair_names
from abigen.check.pairing.typenames import TypeNames
from abigen.check.pairing.types import TypePairs, pair_types
from abigen.model.api import Api
from abigen.model.ctype import Array, Expression, RecordType
from abigen.model.entities import Constant, Enum, Function, Macro, SizeConstant, Struct, Typedef, Variable


class ApiPair:
    """OLD and NEW as one group of targets sees them, paired on demand and once."""

    def __init__(self, old: Api, new: Api) -> None:
        """Pair `old` with `new`."""
        self.old, self.new = old, new

    @cached_property
    def types(self) -> TypePairs:
        """Which struct, union and enumeration has become which."""
        return pair_types(self.old, self.new)

    @cached_property
    def structs(self) -> tuple[tuple[Struct, Struct], ...]:
        """All structs and unions that exist on both sides, those of included headers too, in OLD's order."""
        records = self.types.records
        return tuple(
            (struct, self.new.structs[records[key]]) for key, struct in self.old.structs.items() if key in records
        )

    @cached_property
    def parts(self) -> frozenset[str]:
        """Keys of OLD's structs that are types of unnamed members, whose members belong to the struct around them."""
        return frozenset(
            resolved.key
            for struct in self.old.structs.values()
            for field in struct.fields or ()
            if not field.name and isinstance(resolved := self.old.resolve(field.type), RecordType)
        )

    @cached_property
    def unsettled(self) -> tuple[tuple[Struct, Struct], ...]:
        """Those of `structs` whose text differs or does not say all."""
        edited = self.types.edited
        return tuple((old, new) for old, new in self.structs if old.name in edited or not says_all(old))

    @cached_property
    def enums(self) -> NamedPairs[Enum]:
        """Enumerations, by the pairing of types."""
        pairs = self.types.enums
        both = [(enum, self.new.enums[pairs[key]]) for key, enum in self.old.enums.items() if key in pairs]
        taken = set(pairs.values())
        return NamedPairs(
            both=tuple(pair for pair in both if pair[0].in_api or pair[1].in_api),
            removed=tuple(enum for key, enum in self.old.enums.items() if enum.in_api and key not in pairs),
            added=tuple(enum for key, enum in self.new.enums.items() if enum.in_api and key not in taken),
        )

    @cached_property
    def functions(self) -> NamedPairs[Function]:
        """Functions by name."""
        return pair_names(self.old.functions, self.new.functions)

    @cached_property
    def variables(self) -> NamedPairs[Variable]:
        """Objects by name."""
        return pair_names(self.old.variables, self.new.variables)

    @cached_property
    def typedefs(self) -> NamedPairs[Typedef]:
        """Typedefs by name."""
        return pair_names(self.old.typedefs, self.new.typedefs)

    @cached_property
    def constants(self) -> NamedPairs[Constant]:
        """Object-like macros by name."""
        return pair_names(self.old.constants, self.new.constants)

    @cached_property
    def macros(self) -> NamedPairs[Macro]:
        """Function-like macros by name."""
        return pair_names(self.old.macros, self.new.macros)

    @cached_property
    def unpadded(self) -> frozenset[str]:
        """OLD's keys of the structs that have a size constant which ends at a member, so that it counts no padding."""
        return frozenset(each.struct for each in self.old.size_constants.values() if each.last_member)

    @cached_property
    def size_constants(self) -> NamedPairs[SizeConstant]:
        """Size constants by name."""
        return pair_names(self.old.size_constants, self.new.size_constants)

    @cached_property
    def type_names(self) -> TypeNames:
        """What became of the types' names."""
        return TypeNames(self.old, self.new, self.types)

    @cached_property
    def old_uses(self) -> Uses:
        """Where OLD uses structs by value."""
        return Uses(self.old)

    @cached_property
    def new_uses(self) -> Uses:
        """Where NEW uses structs by value."""
        return Uses(self.new)


def says_all(struct: Struct) -> bool:
    """Whether the spelling of a struct says all of it: its members have names, and no bound or width asks anything."""
    for field in struct.fields or ():
        if not field.name or isinstance(field.bit_width, Expression):
            return False
        type = field.type
        while isinstance(type, Array):
            if isinstance(type.length, Expression):
                return False
            type = type.element
    return True
