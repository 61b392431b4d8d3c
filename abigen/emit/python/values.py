"""What C's values are in Python: the type that annotations name, and how they are converted either way."""

from __future__ import annotations

from dataclasses import dataclass

from abigen.emit.python.code import Call, Code, call, literal
from abigen.emit.python.declarations import Declarations
from abigen.emit.python.scope import Scope
from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, NamedType, Pointer, Qualified, RecordType
from abigen.model.entities import Callback, Handle, Typedef

_FLOATS = {"float", "double", "long double"}
_WIDE = {"wchar_t", "char16_t", "char32_t"}


@dataclass(frozen=True, kw_only=True)
class Value:
    """How a type of C's appears.

    `given` is an expression with `{}` for C's value that makes Python's. `taken` is put behind Python's value to make
    C's, or is a call with `{}` among its arguments.
    """

    annotation: str
    accepts: str = ""
    """What may be given where it is wanted; empty when that is the same."""
    conversion: Code
    given: str = "{}"
    taken: Code = ""

    def give(self, value: str) -> str:
        """An expression for Python's value, by one for C's."""
        return self.given.format(value)

    def take(self, value: str) -> Code:
        """An expression for C's value, by one for Python's."""
        if isinstance(self.taken, str):
            return f"{value}{self.taken}"
        return Call(self.taken.head, tuple(value if each == "{}" else each for each in self.taken.arguments))

    @property
    def parameter(self) -> str:
        """The annotation of a parameter."""
        return self.accepts or self.annotation


NOTHING = Value(annotation="None", conversion="_rt.NOTHING")
INTEGER = Value(annotation="int", conversion="_rt.INT")


class Values:
    """Decides for each type of an API what it is in Python."""

    def __init__(self, api: Api, declarations: Declarations, scope: Scope) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            declarations: what cffi can be told of it.
            scope: of the module that uses the values.
        """
        self._api = api
        self._declarations = declarations
        self._scope = scope
        self.nameless: dict[str, FunctionType] = {}
        """The functions without a type of their own that were met, by the name that their types get."""
        self._handles = {
            (each.tag, each.by_pointer): each for each in reversed([*api.typedefs.values()]) if isinstance(each, Handle)
        }

    def of(self, type: CType, place: str = "") -> Value:
        """How a value of a type appears.

        Args:
            type: of a parameter, a result, or a member.
            place: the name of a type for a function that has none; empty where no such type is wanted.
        """
        resolved = self._api.resolve(type)
        if isinstance(resolved, Basic):
            return self._basic(resolved.name)
        if isinstance(resolved, NamedType):
            return self._basic("wchar_t") if resolved.name in _WIDE else self._standard(resolved.name)
        if isinstance(resolved, EnumType):
            name = self._scope.name(self._api.enums[resolved.key])
            return Value(annotation=name, conversion=call("_rt.enumeration", name), given=f"{name}({{}})")
        if isinstance(resolved, RecordType):
            return self._record(resolved)
        if isinstance(resolved, Array):
            return self._array(resolved)
        assert isinstance(resolved, Pointer), f"{resolved} has no value"
        return self._pointer(type, resolved, place)

    def handle_of(self, type: CType) -> Handle | None:
        """The handle that a type is; None when it is none."""
        names = []
        while isinstance(type, (NamedType, Qualified)):
            if isinstance(type, Qualified):
                type = type.type
                continue
            typedef = self._api.typedefs.get(type.name)
            if typedef is None:
                return None
            if isinstance(typedef, Handle) and typedef.by_pointer:
                return typedef
            names.append(type.name)
            type = typedef.type
        if not isinstance(type, Pointer):
            return None
        target = type.target
        while isinstance(target, (NamedType, Qualified)):
            if isinstance(target, Qualified):
                target = target.type
                continue
            typedef = self._api.typedefs.get(target.name)
            if typedef is None:
                return None
            if isinstance(typedef, Handle) and not typedef.by_pointer:
                return typedef
            target = typedef.type
        if not isinstance(target, RecordType):
            return None
        tag = self._api.structs[target.key].tag
        return self._handles.get((tag, True)) or self._handles.get((tag, False))

    def is_text(self, type: CType) -> bool:
        """Whether a type is a pointer to characters that are only read."""
        resolved = self._api.resolve(type)
        return (
            isinstance(resolved, Pointer)
            and self._is_const(resolved.target)
            and self._api.resolve(resolved.target) == Basic("char")
        )

    def function_of(self, type: CType) -> FunctionType | None:
        """The function that a type points to; None when it is no such pointer, or cffi does not know it."""
        resolved = self._api.resolve(type)
        target = self._api.resolve(resolved.target) if isinstance(resolved, Pointer) else None
        return target if isinstance(target, FunctionType) and self._declarations.is_known(target) else None

    def callback_typedef(self, type: CType) -> Typedef | None:
        """The typedef that names a pointer to a function, or the function that a type points to."""
        if isinstance(type, Qualified):
            type = type.type
        if isinstance(type, Pointer):
            type = type.target.type if isinstance(type.target, Qualified) else type.target
        typedef = self._api.typedefs.get(type.name) if isinstance(type, NamedType) else None
        while typedef is not None and not isinstance(typedef, Callback):
            inner = Declarations.type_of(typedef)
            if isinstance(inner, FunctionType) or not isinstance(inner, NamedType):
                break
            typedef = self._api.typedefs.get(inner.name)
        if typedef is None or isinstance(typedef, Handle):
            return None
        target = Declarations.type_of(typedef)
        function = target.target if isinstance(target, Pointer) else target
        return typedef if isinstance(function, FunctionType) else None

    def _basic(self, name: str) -> Value:
        if name == "void":
            return NOTHING
        if name == "_Bool":
            return Value(annotation="bool", conversion="_rt.BOOL")
        if name == "char":
            return Value(annotation="bytes", conversion="_rt.CHAR")
        if name == "wchar_t":
            return Value(annotation="str", conversion="_rt.WIDE_CHAR")
        if name.endswith("_Complex"):
            return Value(annotation="complex", conversion="_rt.COMPLEX")
        if name in _FLOATS:
            given = "float({})" if name == "long double" else "{}"
            return Value(annotation="float", conversion="_rt.FLOAT", given=given)
        return INTEGER

    def _standard(self, name: str) -> Value:
        return self._basic("_Bool") if name == "bool" else INTEGER

    def _record(self, type: RecordType) -> Value:
        name = self._scope.name(self._api.structs[type.key])
        return Value(
            annotation=name,
            conversion=call("_rt.struct_value", f"lambda: {name}"),
            given=f"{name}.within({{}})",
            taken=".cdata[0]",
        )

    def _array(self, type: Array) -> Value:
        item = self.of(type.element)
        return Value(
            annotation=f"_rt.Array[{item.annotation}]",
            accepts="_rt.Pointer",
            conversion=call("_rt.array", item.conversion),
        )

    def _pointer(self, type: CType, resolved: Pointer, place: str) -> Value:
        handle = self.handle_of(type)
        if handle is not None:
            name = self._scope.name(handle)
            conversion = call("_rt.handle", f"lambda: {name}")
            return Value(annotation=name, conversion=conversion, given=f"{name}({{}})", taken=".cdata")
        function = self.function_of(type)
        if function is not None:
            typedef = self.callback_typedef(type)
            if typedef is None and not place:
                return Value(annotation="_rt.CData", conversion="_rt.POINTER")
            if typedef is None:
                self.nameless[place] = function
            name = place if typedef is None else self._scope.name(typedef)
            signature = f"_{place}" if typedef is None else self._scope.private(typedef)
            return Value(
                annotation=f"{name} | None",
                conversion=call("_rt.function_pointer", f"lambda: {signature}"),
                given=f"{signature}.load({{}})",
                taken=call(f"{signature}.store", "{}"),
            )
        if self.is_text(type):
            return Value(
                annotation="str | None",
                accepts="str | bytes | None",
                conversion="_rt.TEXT",
                given="_rt.text({})",
                taken=call("_rt.characters", "{}"),
            )
        struct = self._api.struct_of(resolved.target)
        if struct is not None and struct.fields is not None:
            name = self._scope.name(struct)
            conversion = call("_rt.struct_pointer", f"lambda: {name}")
            return Value(annotation=name, conversion=conversion, given=f"{name}.at({{}})", taken=".cdata")
        return self._address(resolved)

    def _address(self, type: Pointer) -> Value:
        """A pointer to numbers, to pointers, or to nobody knows what."""
        target = self._api.resolve(type.target)
        const = self._is_const(type.target)
        opaque = isinstance(target, (Pointer, FunctionType, RecordType, Array)) or target == Basic("void")
        if opaque or not self._declarations.is_known(target):
            conversion: Code = "_rt.POINTER"
            taken = call("_rt.memory" if const else "_rt.writable", "{}")
        else:
            ctype = literal(f"{self._declarations.spell(target)}[]")
            conversion = call("_rt.elements_at", "ffi", ctype)
            taken = call("_rt.elements", "ffi", ctype, "{}", *(() if const else ("writable=True",)))
        return Value(annotation="_rt.CData", accepts="_rt.Pointer", conversion=conversion, taken=taken)

    def _is_const(self, type: CType) -> bool:
        while isinstance(type, (NamedType, Qualified)):
            if isinstance(type, Qualified):
                if "const" in type.qualifiers:
                    return True
                type = type.type
            else:
                typedef = self._api.typedefs.get(type.name)
                if typedef is None:
                    return False
                type = typedef.type
        return False
