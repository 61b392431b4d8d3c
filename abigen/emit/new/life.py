"""The calls by which a test of a plugin plays a host: it fetches tables, makes objects, uses them, and ends them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from abigen.emit.c.names import Speller
from abigen.emit.cpp.functions import named_parameters
from abigen.model.api import Api
from abigen.model.counts import counts_of
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, Pointer, RecordType, unqualified
from abigen.model.entities import Function, Handle, Struct, Typedef
from abigen.model.evaluate import number_of
from abigen.model.roles import sayings

_ELEMENTS = 16
"""The number of elements of arrays, where another parameter counts them."""


class LifeCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a function of the plugin."""

    entity: str
    """For messages: its name, or `Struct.member`."""
    guard: str
    """What has to be true for the call, as C writes it; empty for nothing."""
    index: str
    """The number of calls, as C writes it, of a function that is called with each index; else empty."""
    call: str
    """The call as C writes it."""
    keeps: str
    """The variable that keeps the result; empty for none."""


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """One object, from the call that makes it to the one that ends it."""

    name: str
    """Of its type."""
    declaration: str
    """Declares the variable that stands for it."""
    variable: str
    make: LifeCall
    is_made: str
    """The condition under which the call has made one, as C writes it."""
    uses: tuple[LifeCall, ...]
    end: LifeCall | None


class LifeTest(msgspec.Struct, frozen=True, kw_only=True):
    """All that a test does with a plugin."""

    functions: tuple[tuple[str, str], ...]
    """Exported functions: what declares a pointer to each, and the name by which the library exports it."""
    tables: tuple[tuple[str, str], ...]
    """Variables for tables: what declares each, and what it is set to."""
    structs: tuple[str, ...]
    """Declarations of structs that the plugin fills, and of those for errors."""
    begin: tuple[LifeCall, ...]
    """Calls before objects are made."""
    lives: tuple[Life, ...]
    end: tuple[LifeCall, ...]
    """Calls when all objects are gone."""


def life_test(api: Api, exported: Sequence[Function], names: Mapping[str, str], tables: Sequence[Struct]) -> LifeTest:
    """Plan a test of a plugin for a vendor's API.

    Args:
        api: the API.
        exported: the functions that the plugin exports, the one that a host calls first in front.
        names: by what name the library exports each.
        tables: the structs that the plugin hands over.
    """
    return _Planner(api, exported, names, tables).plan()


class _Planner:
    def __init__(
        self, api: Api, exported: Sequence[Function], names: Mapping[str, str], tables: Sequence[Struct]
    ) -> None:
        self._api = api
        self._exported = {each.name: each for each in exported}
        self._names = names
        self._tables = {each.name: each for each in tables}
        self._speller = Speller(api)
        self._fetched: dict[str, str] = {}
        """Struct to the variable that has a pointer to it, or is one."""
        self._filled: dict[str, str] = {}
        """Struct to the declaration of a variable that the plugin fills."""
        self._objects: dict[str, str] = {}
        """Typedef or struct to the variable that stands for its object."""

    def plan(self) -> LifeTest:
        """Plan everything."""
        conventions = self._api.conventions
        first = next(iter(self._exported.values()), None)
        tables = list(self._fetch(first)) if first is not None else []
        begin = [] if first is None or tables else [self._call(first.name)]
        begin += [
            self._call(each) for each in (conventions.first_call,) if each and (first is None or each != first.name)
        ]
        asks = (each.name for each in self._exported.values() if each is not first and self._fills(each.type))
        begin += [self._call(each) for each in asks]
        objects: list[Typedef | Struct] = [*self._api.typedefs.values()]
        objects += self._api.structs.values()
        lives = [life for each in objects if (life := self._life(each)) is not None]
        end = [self._call(each) for each in (conventions.last_call,) if each]
        functions = tuple(
            (self._speller.declare(Pointer(each.type), f"{each.name}_"), self._names[each.name])
            for each in self._exported.values()
        )
        known = [each for each in (*begin, *end) if each is not None]
        return LifeTest(
            functions=functions,
            tables=tuple(tables),
            structs=tuple(self._filled.values()),
            begin=tuple(each for each in begin if each in known),
            lives=tuple(lives),
            end=tuple(each for each in end if each in known),
        )

    def _fetch(self, first: Function) -> Iterator[tuple[str, str]]:
        """Yield the variables for the tables that an entry point returns or stores, and how each is set."""
        table = self._api.pointee(first.type.result)
        if table is not None and table.name in self._tables:
            self._fetched[table.name] = "table"
            arguments = self._arguments(first.name, first.type)
            if arguments is not None:
                yield self._speller.declare(first.type.result, "table"), f"{first.name}_({', '.join(arguments)})"

    def _fills(self, type: FunctionType) -> bool:
        structs = (
            self._api.pointee(each.type) for each in type.parameters if not self._api.is_const_pointer(each.type)
        )
        return any(each is not None and each.name in self._tables for each in structs)

    def _life(self, entity: Typedef | Struct) -> Life | None:
        """Plan the life of an object; None for what nothing makes that a test could call."""
        maker = entity.create or (entity.begin if isinstance(entity, Struct) else "")
        type = self._type_of(maker)
        if type is None or not self._is_known(maker):
            return None
        variable = f"object{len(self._objects) + 1}"
        is_struct = isinstance(entity, Struct)
        self._objects[entity.name] = variable
        returned = not is_struct and self._is(type.result, entity)
        make = self._call(maker, variable if returned else "")
        if make is None:
            del self._objects[entity.name]
            return None
        outcome = self._api.outcome(type, maker)
        made = variable if returned else f"result == {outcome.ok}" if outcome.ok else "1"
        uses = [self._call(each) for each in entity.calls if self._is_known(each)]
        end = self._call(entity.destroy) if entity.destroy and self._is_known(entity.destroy) else None
        declared = self._speller.declare(RecordType(entity.name)) if is_struct else entity.name
        if isinstance(entity, Handle) and not entity.by_pointer:
            declared = f"{declared}*"
        return Life(
            name=entity.name,
            declaration=f"{declared} {variable}",
            variable=variable,
            make=make,
            is_made=made,
            uses=tuple(each for each in uses if each is not None),
            end=end,
        )

    def _is(self, type: CType, entity: Typedef | Struct) -> bool:
        found = self._api.object_of(type)
        return found is not None and found.name == entity.name

    def _is_known(self, entity: str) -> bool:
        """True for a function that the plugin exports, or that is in a table which was fetched."""
        struct, _, _ = entity.rpartition(".")
        return entity in self._exported or struct in self._fetched

    def _type_of(self, entity: str) -> FunctionType | None:
        struct, _, member = entity.rpartition(".")
        if not struct:
            return self._exported[entity].type if entity in self._exported else None
        field = self._api.structs[struct].member(member) if struct in self._api.structs else None
        return self._api.callback(field.type) if field is not None else None

    def _call(self, entity: str, keeps: str = "") -> LifeCall | None:
        """Plan one call; None where an argument cannot be made up."""
        type = self._type_of(entity)
        if type is None or type.variadic or not self._is_known(entity):
            return None
        arguments = self._arguments(entity, type)
        if arguments is None:
            return None
        struct, _, member = entity.rpartition(".")
        callee = f"{self._fetched[struct]}->{member}" if struct else f"{entity}_"
        below = next((each.below for each in type.parameters if each.below), "")
        is_code = not keeps and self._api.outcome(type, entity).ok
        return LifeCall(
            entity=entity,
            guard=f"{callee} != NULL",
            index=self._limit(below),
            call=f"{callee}({', '.join(arguments)})",
            keeps=keeps or ("result" if is_code and isinstance(self._api.resolve(type.result), Basic) else ""),
        )

    def _limit(self, below: str) -> str:
        """Return the number of indexes as C writes it; empty for a function without one."""
        struct, _, member = below.partition(".")
        if not member:
            return below
        if struct in self._fetched:
            return f"{self._fetched[struct]}->{member}"
        return f"{self._variable(struct)}.{member}" if struct in self._filled else "0"

    def _variable(self, struct: str) -> str:
        """Return the variable that is a struct which the plugin fills; it is declared when it is first asked for."""
        name = f"filled{[*self._filled].index(struct) + 1 if struct in self._filled else len(self._filled) + 1}"
        self._filled.setdefault(struct, self._speller.declare(RecordType(struct), name))
        return name

    def _arguments(self, entity: str, type: FunctionType) -> list[str] | None:
        """Choose the arguments of a function; None where one cannot be made up."""
        parameters = named_parameters(type.parameters)
        counts = {*counts_of(parameters, self._api).values()}
        counts |= {at for at, each in enumerate(parameters) if any(each.name == one.count for one in parameters)}
        nullable = next((each.nullable for each in sayings(self._api, entity) if each.nullable), ())
        listed = next((each.listed_by for each in (self._exported.get(entity),) if each is not None), "")
        found = []
        for at, each in enumerate(parameters):
            if each.example and not isinstance(self._api.resolve(each.type), Pointer):
                chosen: str | None = each.example
            elif each.example == "NULL":
                chosen = "NULL"
            elif each.versions:
                chosen = each.versions[-1][0]
            elif each.below or (listed and each.name == listed):
                chosen = "index" if each.below else "0"
            elif at in counts and self._api.is_integer(each.type):
                chosen = str(_ELEMENTS)
            else:
                chosen = self._argument(each.type, nullable=each.name in nullable)
            if chosen is None:
                return None
            found.append(chosen)
        return found

    def _argument(self, type: CType, *, nullable: bool) -> str | None:
        """Choose an argument by its type; None where that is not possible."""
        resolved, object = self._api.resolve(type), self._api.object_of(type)
        if object is not None and object.name in self._objects:
            return self._objects[object.name]
        struct = self._api.pointee(type)
        if struct is not None and struct.name in self._objects:
            return f"&{self._objects[struct.name]}"
        if struct is not None and struct.name in self._fetched:
            return self._fetched[struct.name]
        if struct is not None and struct.fields is not None:
            return f"&{self._variable(struct.name)}"
        if isinstance(resolved, Pointer):
            if nullable:
                return "NULL"
            if self._api.callback(type) is not None or object is not None:
                return None
            inner = self._api.object_of(resolved.target)
            if inner is not None and inner.name in self._objects:
                return f"&{self._objects[inner.name]}"
            return f"({self._speller.declare(unqualified(type))})(void*)room"
        if isinstance(resolved, (Basic, EnumType)) or self._api.is_integer(type):
            return "1" if resolved in (Basic("float"), Basic("double")) else "0"
        return None if number_of("0") is None or isinstance(resolved, RecordType) else "0"
