"""What C's values are in Python: the class that stands for a type, and the kind of conversion."""

from __future__ import annotations

from abigen.emit.python.declarations import CffiTypes, aliased_type
from abigen.emit.python.scope import Scope
from abigen.emit.python.view import PythonValue
from abigen.model.api import Api
from abigen.model.ctype import Array, Basic, CType, EnumType, FunctionType, NamedType, Pointer, Qualified, RecordType
from abigen.model.entities import Callback, Handle, Typedef

NOTHING = PythonValue(kind="nothing")

_KINDS = {
    "void": "nothing",
    "_Bool": "boolean",
    "bool": "boolean",
    "char": "character",
    **dict.fromkeys(("wchar_t", "char16_t", "char32_t"), "wide character"),
    **dict.fromkeys(("float", "double"), "float"),
    "long double": "long double",
    **dict.fromkeys(("float _Complex", "double _Complex", "long double _Complex"), "complex"),
}
"""Basic and standard types to kinds of values; all others are integers."""


class Values:
    """Decides for each type of an API what it is in Python."""

    def __init__(self, api: Api, types: CffiTypes, scope: Scope) -> None:
        """Prepare for an API.

        Args:
            api: the API.
            types: what cffi can be told of it.
            scope: of the module that uses the values.
        """
        self._api = api
        self._types = types
        self._scope = scope
        self.nameless: dict[str, FunctionType] = {}
        """The functions without a type of their own that were met, by the name that their types get."""
        self._handles = {
            (each.tag, each.by_pointer): each for each in reversed([*api.typedefs.values()]) if isinstance(each, Handle)
        }

    def of(self, type: CType, place: str = "") -> PythonValue:
        """What a value of a type is.

        Args:
            type: of a parameter, a result, or a member.
            place: the name of a type for a function that has none; empty where no such type is wanted.
        """
        resolved = self._api.resolve(type)
        if isinstance(resolved, (Basic, NamedType)):
            return PythonValue(kind=_KINDS.get(resolved.name, "integer"))
        if isinstance(resolved, EnumType):
            return PythonValue(kind="enumeration", name=self._scope.name(self._api.enums[resolved.key]))
        if isinstance(resolved, RecordType):
            return PythonValue(kind="struct", name=self._scope.name(self._api.structs[resolved.key]))
        if isinstance(resolved, Array):
            return PythonValue(kind="array", item=self.of(resolved.element))
        assert isinstance(resolved, Pointer), f"{resolved} has no value"
        if handle := self.handle_of(type):
            return PythonValue(kind="handle", name=self._scope.name(handle))
        if function := self.function_of(type):
            return self._function_pointer(type, function, place)
        return self._object_pointer(resolved)

    def handle_of(self, type: CType) -> Handle | None:
        """The handle that a type is; None when it is none."""
        behind_pointer = False
        while True:
            if isinstance(type, Qualified):
                type = type.type
            elif isinstance(type, Pointer) and not behind_pointer:
                behind_pointer, type = True, type.target
            elif isinstance(type, NamedType) and type.name in self._api.typedefs:
                typedef = self._api.typedefs[type.name]
                if isinstance(typedef, Handle):
                    return typedef if typedef.by_pointer != behind_pointer else None
                type = typedef.type
            else:
                break
        if not behind_pointer or not isinstance(type, RecordType):
            return None
        tag = self._api.structs[type.key].tag
        return self._handles.get((tag, True)) or self._handles.get((tag, False))

    def function_of(self, type: CType) -> FunctionType | None:
        """The function that a type points to; None when it is no such pointer, or cffi does not know it."""
        resolved = self._api.resolve(type)
        target = self._api.resolve(resolved.target) if isinstance(resolved, Pointer) else None
        return target if isinstance(target, FunctionType) and self._types.is_known(target) else None

    def _function_pointer(self, type: CType, function: FunctionType, place: str) -> PythonValue:
        typedef = self._function_typedef(type)
        if typedef is not None:
            name = self._scope.name(typedef)
            return PythonValue(kind="function", name=name, signature=self._scope.private(typedef))
        if not place:
            return PythonValue(kind="address")
        self.nameless[place] = function
        return PythonValue(kind="function", name=place, signature=f"_{place}")

    def _function_typedef(self, type: CType) -> Typedef | None:
        """The typedef that names a pointer to a function, or the function that a type points to."""
        type = _unqualified(type)
        if isinstance(type, Pointer):
            type = _unqualified(type.target)
        typedef = self._api.typedefs.get(type.name) if isinstance(type, NamedType) else None
        while typedef is not None and not isinstance(typedef, Callback):
            inner = aliased_type(typedef)
            if not isinstance(inner, NamedType):
                break
            typedef = self._api.typedefs.get(inner.name)
        if typedef is None or isinstance(typedef, Handle):
            return None
        target = aliased_type(typedef)
        function = target.target if isinstance(target, Pointer) else target
        return typedef if isinstance(function, FunctionType) else None

    def _object_pointer(self, type: Pointer) -> PythonValue:
        """A pointer to a struct, to text, to numbers, to pointers, or to nobody knows what."""
        target = self._api.resolve(type.target)
        const = self._is_const(type.target)
        if const and target == Basic("char"):
            return PythonValue(kind="text")
        struct = self._api.struct_of(target)
        if struct is not None and struct.fields is not None:
            return PythonValue(kind="struct pointer", name=self._scope.name(struct))
        opaque = isinstance(target, (Pointer, FunctionType, RecordType, Array)) or target == Basic("void")
        if opaque or not self._types.is_known(target):
            return PythonValue(kind="constant pointer" if const else "pointer")
        return PythonValue(kind="constant elements" if const else "elements", ctype=f"{self._types.spell(target)}[]")

    def _is_const(self, type: CType) -> bool:
        while isinstance(type, Qualified) or (isinstance(type, NamedType) and type.name in self._api.typedefs):
            if isinstance(type, Qualified) and "const" in type.qualifiers:
                return True
            type = type.type if isinstance(type, Qualified) else self._api.typedefs[type.name].type
        return False


def _unqualified(type: CType) -> CType:
    return type.type if isinstance(type, Qualified) else type
