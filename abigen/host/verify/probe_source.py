"""The source of a plugin that `abigen verify --host` hands to a host.

Plugins are made from offsets, so that one compiler and no header is enough. They write a line to a file for each call,
and keep pages that nobody may touch behind the structs that are their own. What a host asks for they answer so that it
goes on: one device, much memory, work that is done.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain

import msgspec

from abigen.host.verify.scenario import Scenario
from abigen.model.api import Api
from abigen.model.contract import Party, ResultKind
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, NamedType, Pointer, RecordType
from abigen.model.entities import Callback, Field, Function, Handle, Struct
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.target import Target
from abigen.shipped import TEMPLATES, shipped

_DONE = re.compile(r"(?i)(_|\b)(ok|success|complete|completed|done|finished|ready)$")
_MUCH = 1 << 28
"""What a probe says where it is asked for a number of 64 bits, which mostly counts bytes; it says 1 elsewhere."""


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin that is handed to the host."""

    scenario: Scenario
    """The release that it is of."""
    what: str
    refuses: bool = False
    """Whether it refuses the host, as one of another MAJOR does."""
    without: str = ""
    """The optional function that it does not have: `Struct.member`."""
    fails: str = ""
    """The function that fails whenever it is called: `Struct.member`."""


class ProbeSource:
    """The source of one probe."""

    def __init__(self, latest: Api, target: Target, probe: Probe, entry: Function) -> None:
        self._api, self._probe, self._entry = probe.scenario.api, probe, entry
        self._layouts, self._latest = Layouts(self._api, target), Layouts(latest, target)
        handles = [each for each in self._api.typedefs.values() if isinstance(each, Handle) and each.by_pointer]
        self._made = {each.name: each for each in handles if "." in each.create and each.destroy}
        """The handles of which the spec says which functions of the plugin make and destroy them."""
        self._fills: dict[str, str] = {}
        self._stubs: dict[str, str] = {}
        self._signatures: dict[str, str] = {}
        """Functions to what declares them."""
        self._records: dict[str, str] = {}
        """Structs that are passed by value, with what declares them."""

    def text(self) -> str:
        """The whole of it."""
        entry = self._function(
            self._entry.symbol or self._entry.name, self._entry.name, self._entry.type, is_entry=True
        )
        prelude = (shipped(TEMPLATES) / "verify/_core/probe.c").read_text(encoding="utf-8")
        declared = [f"{self._signatures[each]};" for each in chain(self._fills, self._stubs)]
        parts = [prelude, *self._records.values(), *declared, *self._fills.values(), *self._stubs.values(), entry]
        return "\n".join(parts) + "\n"

    def _function(
        self, symbol: str, name: str, type: FunctionType, nullable: Collection[str] = (), *, is_entry: bool = False
    ) -> str:
        """A function of the plugin's: it says that it was called, and fills what it can."""
        parameters, body = [], [f'say("call", "{name}");']
        for at, each in enumerate(type.parameters):
            parameters.append(f"{self._declared(each.type)} a{at}")
            if self._api.is_status(each.type):
                refuses = self._probe.refuses and is_entry
                body += self._status(f"a{at}") if refuses or name == self._probe.fails else []
                continue
            if name == self._probe.fails:
                continue
            handle = self._api.handle_of(each.type)
            if handle is not None and handle.name in self._made:
                ends, may_be_null = int(handle.destroy == name), int(each.name in nullable)
                body.append(f'use("{name}", a{at}, "{handle.name}", {ends}, {may_be_null});')
            body += [] if self._api.is_const_pointer(each.type) else self._given(each.type, f"a{at}")
        result = f"(long long){self._result(name, type, is_entry=is_entry)}"
        kind = self._declared(type.result)
        if isinstance(self._layouts.resolve(type.result), RecordType):
            result = f"({kind}){{0}}"
        linkage = '__attribute__((visibility("default"))) ' if is_entry else "static "
        self._signatures[symbol] = f"{linkage}{kind} {symbol}({', '.join(parameters) or 'void'})"
        lines = "\n".join(f"  {each}" for each in [*body, f"return {result};"])
        return f"{self._signatures[symbol]} {{\n{lines}\n}}"

    def _declared(self, type: CType) -> str:
        resolved = self._layouts.resolve(type)
        if isinstance(resolved, RecordType):
            return self._record(self._api.structs[resolved.key])
        if isinstance(resolved, Basic) and resolved.name in ("float", "double", "long double"):
            return resolved.name
        return "void*" if isinstance(resolved, Pointer) else "long long"

    def _record(self, struct: Struct) -> str:
        """The type of a struct that is passed by value; its members decide where (System V ABI AMD64, section 3.2.3).

        Raises:
            AbigenError: it is packed, or nobody knows its members.
        """
        name = f"struct record_{struct.name}"
        if name in self._records:
            return name
        asked = (struct.packed, struct.pack, struct.alignment, *(each.packed for each in struct.fields or ()))
        if not struct.fields or any(asked):
            raise AbigenError.at(struct.span, f"a probe cannot be given a {struct.name} by value")
        members = []
        for at, each in enumerate(self._layouts.of(struct.name).fields):
            type, lengths = self._layouts.resolve(each.field.type), ""
            while isinstance(type, Array) and type.length is not None:
                lengths += f"[{self._layouts.evaluate(type.length)}]"
                type = self._layouts.resolve(type.element)
            if isinstance(type, EnumType):
                type = Basic(self._layouts.underlying_type(type.key))
            spelled = type.name if isinstance(type, Basic) else self._declared(type)
            width = f" : {each.bit_width}" if each.bit_width is not None else ""
            members.append(f"{spelled} m{at}{lengths}{width};")
        body = " ".join(members)
        self._records[name] = f"{name} {{ {f'union {{ {body} }};' if struct.is_union else body} }};"
        return name

    def _given(self, type: CType, place: str) -> list[str]:
        """What is done with an argument that is no status: a struct is filled, a handle stored."""
        struct = self._api.pointee(type)
        if struct is not None and struct.fields:
            return [f"if ({place}) {self._fill(struct)}((char*){place});"]
        plain = self._layouts.resolve(type)
        inner = self._layouts.resolve(plain.target) if isinstance(plain, Pointer) else None
        if isinstance(inner, Pointer) and isinstance(plain, Pointer):
            handle = self._api.handle_of(plain.target)
            value = f'made("{handle.name}")' if handle is not None and handle.name in self._made else "dummy"
            return [f"if ({place}) *(void**){place} = {value};"]
        if isinstance(inner, Basic) and inner.name not in ("void", "_Bool", "float", "double"):
            size = self._layouts.size_of(inner)
            return [f"if ({place}) store({place}, {size}, {_MUCH if size == 8 else 1});"]
        return []

    def _status(self, place: str) -> list[str]:
        errors = self._api.conventions.errors
        if errors is None or not errors.set:
            return []
        code = errors.codes.get("failed_precondition", "")
        numbers = {each.name: each.value for enum in self._api.enums.values() for each in enum.enumerators or ()}
        return [f'refuse("{errors.set}", {place}, {numbers.get(code, 9)});']

    def _result(self, name: str, type: FunctionType, *, is_entry: bool) -> str:
        outcome = self._api.outcome(type, name, entry_point=is_entry)
        struct = self._api.pointee(type.result)
        if (is_entry and self._probe.refuses) or name == self._probe.fails:
            return {ResultKind.NEGATIVE: "-22", ResultKind.COMPLAINT: "dummy"}.get(
                outcome.kind, self._number(outcome.failed)
            )
        if struct is not None and struct.fields and outcome.kind is not ResultKind.COMPLAINT:
            return self._own(struct)
        is_truth = isinstance(type.result, NamedType) and type.result.name.lower().endswith("bool")
        if outcome.kind is ResultKind.TRUTH or (is_truth and outcome.kind is not ResultKind.COMPLAINT):
            return "1"
        is_pointer = (
            isinstance(self._layouts.resolve(type.result), Pointer) and outcome.kind is not ResultKind.COMPLAINT
        )
        handle = self._api.handle_of(type.result) if is_pointer else None
        if handle is not None and handle.name in self._made:
            return f'made("{handle.name}")'
        return "dummy" if is_pointer else self._number(outcome.ok or self._state(type.result))

    def _state(self, type: CType) -> str:
        """The enumerator that says of something that it is done, by its name; empty when the type has none."""
        resolved = self._layouts.resolve(type)
        enum = self._api.enums[resolved.key] if isinstance(resolved, EnumType) else None
        return next((each.name for each in (enum.enumerators or () if enum else ()) if _DONE.search(each.name)), "")

    def _number(self, code: str) -> str:
        numbers = {each.name: each.value for enum in self._api.enums.values() for each in enum.enumerators or ()}
        return str(numbers.get(code, code if code.lstrip("-").isdigit() else 0))

    def _own(self, struct: Struct) -> str:
        """A struct of the plugin's own, with a page behind it that nobody may touch."""
        layout = self._layouts.of(struct.name)
        size = layout.unpadded_size if struct.is_versioned else layout.size
        return f'own({size}, {max(layout.alignment, 8)}, "{struct.name}", {self._fill(struct)})'

    def _fill(self, struct: Struct) -> str:
        """The function that fills a struct as a plugin of the probe's release does."""
        name = f"fill_{struct.name}"
        if name in self._fills:
            return name
        self._fills[name] = ""
        self._signatures[name] = f"static void {name}(char* p)"
        layout, latest = self._layouts.of(struct.name), self._latest.of(struct.name)
        size = layout.named(struct.size_member) if struct.size_member else None
        end = layout.unpadded_size
        room = f"*(size_t*)(p + {size.offset})" if size is not None else str(layout.size)
        lines = [f"size_t room = {room}, own_size = {end};"]
        for each in layout.fields:
            value = (
                ""
                if each is size or each.bit_width is not None
                else self._value(struct, each.field, f"p + {each.offset}")
            )
            if value:
                lines.append(f"if (room >= {each.offset + each.size}) {{ {value} }}")
        for each in latest.fields:  # what an older plugin knows nothing of is nobody's to read
            is_later = layout.named(each.field.name) is None and self._latest.api.callback(each.field.type)
            if size is not None and is_later and each.field.filler is not Party.CORE:
                trap = self._trap(f"{struct.name}.{each.field.name}")
                lines.append(f"if (room >= {each.offset + each.size}) *(void**)(p + {each.offset}) = (void*){trap};")
        if size is not None and struct.filler is not Party.CORE:
            lines.append(f"*(size_t*)(p + {size.offset}) = room < own_size ? room : own_size;")
        body = "\n".join(f"  {each}" for each in lines)
        self._fills[name] = f"{self._signatures[name]} {{\n{body}\n}}"
        return name

    def _trap(self, name: str) -> str:
        symbol = f"trap_{name.replace('.', '_')}"
        self._signatures[symbol] = f"static long long {symbol}(void)"
        self._stubs[symbol] = f'{self._signatures[symbol]} {{ say("behind", "{name}"); return 0; }}'
        return symbol

    def _value(self, struct: Struct, member: Field, place: str) -> str:
        """The statement that sets a member; empty for what stays as it is."""
        if (member.filler is Party.CORE and member.allocated_by is not Party.CORE) or member.contract.reserved:
            return ""
        name = f"{struct.name}.{member.name}"
        callback, target = self._api.callback(member.type), self._api.pointee(member.type)
        if callback is not None:
            if name == self._probe.without or callback.variadic:
                return ""
            excluded = struct.member(member.excludes) if member.excludes else None
            if excluded is not None and f"{struct.name}.{excluded.name}" != self._probe.without:
                return ""
            symbol = f"stub_{struct.name}_{member.name}"
            if symbol not in self._stubs:
                self._stubs[symbol] = ""
                named = self._api.typedefs.get(member.type.name) if isinstance(member.type, NamedType) else None
                nullable = {*member.nullable, *(named.nullable if isinstance(named, Callback) else ())}
                self._stubs[symbol] = self._function(symbol, name, callback, nullable)
            return f"*(void**)({place}) = (void*){symbol};"
        if target is not None and target.fields:
            if member.allocated_by is Party.CORE:
                return f"if (*(char**)({place})) {self._fill(target)}(*(char**)({place}));"
            return f"*(void**)({place}) = {self._own(target)};" if target.filler is not Party.CORE else ""
        resolved = self._layouts.resolve(member.type)
        if struct.filler is Party.CORE and member.filler is not Party.PLUGIN:
            return ""
        if isinstance(resolved, Pointer):
            if self._layouts.resolve(resolved.target) == Basic("void") and not self._api.is_const_pointer(member.type):
                return f"*(void**)({place}) = dummy;"
            return f'*(const void**)({place}) = "PROBE";' if member.contract.is_required else ""
        is_number = isinstance(resolved, (Basic, EnumType)) and member.contract.is_required
        return f"*(char*)({place}) = 1;" if is_number else ""
