"""Tensors and attributes of ops, and the arrays behind them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from abigen.model.span import AbigenError, did_you_mean

if TYPE_CHECKING:
    from types import ModuleType
    from typing import TypeAlias

    import numpy
    from typing_extensions import Buffer


Scalar: TypeAlias = "bool | int | float | complex"
NestedNumbers: TypeAlias = "Scalar | Sequence[NestedNumbers]"

ELEMENT_TYPES = {
    "float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "int8": 1, "int16": 2, "int32": 4, "int64": 8,
    "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complex64": 8, "complex128": 16,
}  # fmt: skip
"""The types that arrays can have, by the name that numpy gives them, and the size of an element in bytes."""


class Tensor(msgspec.Struct, frozen=True):
    """Elements of one type in row-major order, in the byte order of this machine."""

    type: str
    """A key of `ELEMENT_TYPES`."""
    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, value: object) -> Tensor:
        """Convert an array, or an object that can become one.

        Args:
            value: an `Tensor`, an object with numpy's array interface, a number, or nested sequences of numbers, all of
                which become the narrowest of bool, int32, int64 and float32 that holds them.

        Raises:
            AbigenError: it is none of these, it is ragged, or its element type is none that arrays can have.
        """
        if isinstance(value, Tensor):
            return value
        if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
            return _from_numpy(_numpy().asarray(value))
        return from_nested(value)

    def tolist(self) -> NestedNumbers:
        """Return the elements as nested lists of Python's numbers, or one number if the rank is 0."""
        found: NestedNumbers = self.numpy().tolist()
        return found

    def elements(self) -> list[Scalar]:
        """Return the elements, one after another."""
        found: list[Scalar] = self.numpy().ravel().tolist()
        return found

    def spelled(self) -> str:
        """Return the elements on one line, without those in the middle of a large array."""
        module = _numpy()
        spell = {"float_kind": str, "int": str, "bool": lambda each: str(bool(each)).lower()}
        text = module.array2string(
            self.numpy(), separator=", ", threshold=64, edgeitems=3 if len(self.shape) < 3 else 1, formatter=spell,
            max_line_width=1 << 30,
        )  # fmt: skip
        return " ".join(text.split())

    def numpy(self) -> numpy.ndarray:
        """Return the same as an array of numpy; bfloat16, which numpy does not have, as float32.

        Raises:
            AbigenError: numpy is not installed.
        """
        module = _numpy()
        if self.type == "bfloat16":
            upper = module.frombuffer(self.data, "uint16").astype("uint32") << 16
            result: numpy.ndarray = upper.view("float32").reshape(self.shape)
        else:
            result = module.frombuffer(self.data, self.type).reshape(self.shape).copy()
        return result

    def __str__(self) -> str:
        return f"{self.type}[{','.join(map(str, self.shape))}]"


def size_of(type: str, shape: Iterable[int]) -> int:
    """Return the size of an array in bytes."""
    return ELEMENT_TYPES[type] * prod(shape)


def from_buffer(type: str, shape: Sequence[int], buffer: Buffer) -> Tensor:
    """Return an array with a copy of the bytes in a buffer.

    Raises:
        AbigenError: the buffer has another size.
    """
    data = bytes(buffer)
    needed = size_of(type, shape)
    if len(data) != needed:
        raise AbigenError.at(None, f"{len(data)} bytes are no {type}{list(shape)}, which takes {needed}")
    return Tensor(type, tuple(shape), data)


def from_numpy(array: object, type: str) -> Tensor:
    """Convert an array of numpy to a type, cut off and wrapped as C does, bfloat16 rounded to nearest."""
    module = _numpy()
    if type == "bfloat16":
        narrow = module.asarray(array, "float32")
        return Tensor(type, narrow.shape, _upper_halves(narrow))
    return _from_numpy(module.asarray(array).astype(type))


def from_nested(value: object, type: str = "") -> Tensor:
    """Return an array of a number, or of nested sequences of numbers.

    Args:
        value: the elements; texts like `1+2j` are complex numbers.
        type: of the elements; empty: the narrowest of bool, int32, int64, float32 and complex64 that holds them.

    Raises:
        AbigenError: the sequences differ in length, an element is no number, or does not fit.
    """
    nested = _numpy().array(value, dtype=object)
    elements = [_number(each) for each in nested.ravel().tolist()]
    chosen = type or _narrowest(elements)
    return Tensor(chosen, nested.shape, _pack(elements, chosen))


def parse_array(text: str) -> Tensor:
    """Parse an array as users write it on a command line.

    Args:
        text: the path of a `.npy` file, or a literal like `[[1, 2], [3, 4]]`, with its type before it where the
            narrowest is not meant: `float32:[1, 2]`, `int64:7`; a shape in brackets in between repeats one number:
            `float32[2,3]:0.5`.

    Raises:
        AbigenError: it is none of these; with what is wrong.
    """
    if text.endswith(".npy"):
        return read_npy(Path(text))
    import json

    head, colon, literal = text.partition(":")
    type, bracket, rest = head.partition("[")
    if not colon:
        type, bracket, literal = "", "", text
    if type and type not in ELEMENT_TYPES:
        raise AbigenError.at(None, f"`{text}`: there is no element type `{type}`", _suggest_type(type))
    try:
        value = json.loads(literal)
        shape = json.loads(bracket + rest) if bracket else None
    except (ValueError, RecursionError) as error:
        hint = "write numbers and lists like [[1, 2.5], [3, 4]], or the path of a .npy file"
        raise AbigenError.at(None, f"`{text}` is not an array: {error}", hint) from error
    if shape is None:
        return from_nested(value, type)
    if isinstance(value, list) or not all(isinstance(each, int) and each >= 0 for each in shape):
        raise AbigenError.at(None, f"`{text}`: a shape needs lengths, and one number after the colon")
    one = from_nested(value, type)
    return Tensor(one.type, tuple(shape), one.data * prod(shape))


def read_npy(path: Path) -> Tensor:
    """Read a file as `numpy.save` writes it.

    Raises:
        AbigenError: there is no such file, it is no such file, or its type is none that arrays can have.
    """
    if path.exists() and not path.is_file():  # opening a pipe would wait for someone to write
        raise AbigenError.at(None, f"{path} is not a file", "name a .npy file")
    try:
        return _from_numpy(_numpy().load(path, allow_pickle=False))
    except OSError as error:
        raise AbigenError.at(None, f"{path}: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise AbigenError.at(None, f"{path} is not a .npy file, or is damaged: {error}") from error


def write_npy(path: Path, array: Tensor) -> None:
    """Write a file as `numpy.save` does.

    Raises:
        AbigenError: the file cannot be written, or the format has no such element type.
    """
    if array.type == "bfloat16":
        raise AbigenError.at(None, f"a .npy file has no elements of type {array.type}")
    try:
        with path.open("wb") as file:  # numpy would add a suffix to a name without one
            _numpy().save(file, array.numpy())
    except OSError as error:
        raise AbigenError.at(None, f"{path}: {error.strerror}") from error


def _numpy() -> ModuleType:
    try:
        import numpy
    except ImportError as error:
        raise AbigenError.at(None, "numpy is not installed", "pip install numpy") from error
    return numpy


def _from_numpy(array: numpy.ndarray) -> Tensor:
    if getattr(array, "dtype", None) is None:
        raise AbigenError.at(None, "an archive contains more than one array", "use a .npy file")
    if array.dtype.name not in ELEMENT_TYPES:
        raise AbigenError.at(None, f"arrays of {array.dtype.name} are not supported", "use one of " + _all_types())
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return Tensor(array.dtype.name, tuple(array.shape), native.tobytes())


def _number(value: object) -> Scalar:
    if isinstance(value, (list, tuple)):
        raise AbigenError.at(None, "the lists of an array differ in length or depth")
    if isinstance(value, str):
        try:
            return complex(value.replace(" ", ""))
        except ValueError:
            pass
    if isinstance(value, (bool, int, float, complex)):
        return value
    raise AbigenError.at(None, f"{value!r} is no number")


def _narrowest(elements: Sequence[Scalar]) -> str:
    if any(isinstance(each, complex) for each in elements):
        return "complex64"
    if any(isinstance(each, float) for each in elements) or not elements:
        return "float32"
    if all(isinstance(each, bool) for each in elements):
        return "bool"
    return "int32" if all(-(2**31) <= int(each.real) < 2**31 for each in elements) else "int64"


def _pack(elements: Sequence[Scalar], type: str) -> bytes:
    """Convert numbers to the bytes of a type; refuse numbers that numpy would wrap, or round to infinity."""
    module = _numpy()
    is_integer = "int" in type
    try:
        if is_integer and not all(float(each.real).is_integer() for each in elements):
            raise AbigenError.at(None, f"{type} has no fractions")
        numbers = [int(each.real) for each in elements] if is_integer else elements
        with module.errstate(over="ignore"):
            stored = module.array(numbers, "float32" if type == "bfloat16" else type)
    except (OverflowError, TypeError, ValueError) as error:
        raise AbigenError.at(None, f"the numbers do not fit into {type}: {error}") from error
    infinite = [each for each in elements if not is_integer and abs(each) == float("inf")]
    if is_integer and stored.tolist() != numbers:
        raise AbigenError.at(None, f"the numbers do not fit into {type}")
    if not is_integer and type != "bool" and module.isinf(stored).sum() > len(infinite):
        raise AbigenError.at(None, f"the numbers do not fit into {type}: too large")
    return _upper_halves(stored) if type == "bfloat16" else bytes(stored.tobytes())


def _upper_halves(array: numpy.ndarray) -> bytes:
    """Return the upper 16 bits of each float32, rounded to nearest, ties to even; NaN remains NaN."""
    bits = array.view("uint32")
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    kept = _numpy().where(_numpy().isnan(array), (bits >> 16) | 0x40, rounded)
    return bytes(kept.astype("uint16").tobytes())


def _suggest_type(type: str) -> str:
    return did_you_mean(type, ELEMENT_TYPES, f"use one of {_all_types()}", shown="`{}`".format)


def _all_types() -> str:
    return ", ".join(sorted(ELEMENT_TYPES))


AttributeValue = object
"""The value of an attribute, by its kind: `string` str or bytes; `int` int; `float` float; `bool` bool; `type` the name
of an element type; `shape` a tuple of lengths, -1 where one is not known, None for an unknown rank; `tensor` an
`Tensor`; a tuple of these when it is a list."""


class OpArgument(msgspec.Struct, frozen=True, kw_only=True):
    """An input or output: one array, or several; exactly one of the kinds of type is not empty."""

    name: str
    type: str = ""
    """The element type, when it is always the same."""
    type_attribute: str = ""
    """The attribute that is the element type."""
    types_attribute: str = ""
    """The attribute that lists the element type of each array."""
    count_attribute: str = ""
    """The attribute that tells how many arrays there are; empty: one, or as many as types are listed."""

    @property
    def is_list(self) -> bool:
        """True if it takes any number of arrays."""
        return bool(self.types_attribute or self.count_attribute)


class OpAttribute(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of an op."""

    name: str
    kind: str
    """`string`, `int`, `float`, `bool`, `type`, `shape`, `tensor` or `func`."""
    is_list: bool = False
    allowed: frozenset[str] = frozenset()
    """The types or strings that it may be; empty for any."""
    minimum: int | None = None
    """The least value of an int, or length of a list."""
    default: AttributeValue = None
    has_default: bool = False


class OpDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """An operation."""

    name: str
    inputs: tuple[OpArgument, ...] = ()
    outputs: tuple[OpArgument, ...] = ()
    attributes: tuple[OpAttribute, ...] = ()
    infer_shapes: object = None
    """The function that its core calls to infer the shapes of the outputs; None if there is none."""
    owner: str = ""
    """The plugin that declared it; empty for an op that the core knows itself."""

    def attribute(self, name: str) -> OpAttribute:
        """Return the attribute with a name.

        Raises:
            AbigenError: there is none, with a suggestion.
        """
        for each in self.attributes:
            if each.name == name:
                return each
        known = [each.name for each in self.attributes]
        hint = did_you_mean(name, known, f"its attributes are {', '.join(known) or 'none'}")
        raise AbigenError.at(None, f"{self.name}: there is no attribute {name}", hint)


class OpUse(msgspec.Struct, frozen=True, kw_only=True):
    """An op with its inputs and attributes."""

    op: OpDefinition
    inputs: tuple[Tensor, ...]
    input_names: tuple[str, ...]
    """The argument that each input belongs to."""
    ranges: Mapping[str, tuple[int, int]]
    """Name of each input argument to the indices of its first input and of the one behind its last."""
    attributes: Mapping[str, AttributeValue]
    output_types: tuple[str, ...]
    output_names: tuple[str, ...]
    """The argument that each output belongs to."""


class OpRegistry:
    """Ops by name."""

    def __init__(self) -> None:
        self._ops: dict[str, OpDefinition] = {}
        self._hidden: dict[str, OpDefinition] = {}
        """Ops of the core that a plugin has taken the place of."""

    def add(self, op: OpDefinition) -> None:
        """Take an op in; one that a plugin declares takes the place of one that the core knows itself.

        Raises:
            AbigenError: another plugin has declared an op with this name.
        """
        other = self._ops.get(op.name)
        if other is not None and other.owner:
            whose = "already" if other.owner == op.owner else f"by {other.owner}"
            raise AbigenError.at(None, f"op {op.name} has been registered {whose}")
        if other is not None:
            self._hidden[op.name] = other
        self._ops[op.name] = op

    def remove(self, owner: str) -> None:
        """Forget the ops of a plugin; those of the core that they have hidden are back."""
        for name in [each.name for each in self._ops.values() if each.owner == owner]:
            del self._ops[name]
            if name in self._hidden:
                self._ops[name] = self._hidden.pop(name)

    def find(self, name: str) -> OpDefinition:
        """Return the op with a name.

        Raises:
            AbigenError: there is none, with a suggestion.
        """
        if name in self._ops:
            return self._ops[name]
        hint = did_you_mean(name, self._ops, "a plugin declares an op of its own when it registers it")
        raise AbigenError.at(None, f"there is no op {name}", hint)

    def all(self) -> tuple[OpDefinition, ...]:
        """Return all ops, in the order of registration."""
        return tuple(self._ops.values())


Input = Tensor | Sequence[Tensor]
"""The argument for one input of an op."""

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str, bytes),
    "type": (str,),
    "float": (float, int),
    "bool": (bool,),
    "tensor": (Tensor,),
    "func": (),
}
"""Kinds of attributes to the types that their values have; `int` and `shape` are more than that."""


def bind(op: OpDefinition, inputs: Sequence[Input], attributes: Mapping[str, AttributeValue]) -> OpUse:
    """Bind inputs and attributes to an op's definition.

    Args:
        op: the definition.
        inputs: one array for each input; for an input that is any number of arrays a sequence, or just that many arrays
            where that leaves no doubt.
        attributes: those that the inputs do not determine, and those that differ from the default.

    Raises:
        AbigenError: something is missing, too many, or does not fit; the first that was found.
    """
    return _Binding(op, attributes).bind(list(inputs))


class _Binding:
    """A use of an op that is not complete yet."""

    def __init__(self, op: OpDefinition, given: Mapping[str, AttributeValue]) -> None:
        self._op = op
        self._values: dict[str, AttributeValue] = {}
        self._reasons: dict[str, str] = {}
        for name, value in given.items():
            self._set(name, value, "the given attributes")

    def bind(self, inputs: list[Input]) -> OpUse:
        """Put the use together."""
        groups = self._divide(inputs)
        arrays: list[Tensor] = []
        names: list[str] = []
        ranges: dict[str, tuple[int, int]] = {}
        for argument, group in zip(self._op.inputs, groups, strict=True):
            self._infer(argument, group)
            ranges[argument.name] = (len(arrays), len(arrays) + len(group))
            arrays += group
            names += [argument.name] * len(group)
        for attribute in self._op.attributes:
            if attribute.name not in self._values:
                if not attribute.has_default:
                    raise self._error(f"attribute {attribute.name} is missing", f"it is a {_kind(attribute)}")
                self._values[attribute.name] = attribute.default
            self._check(attribute, self._values[attribute.name])
        outputs = [(each.name, type) for each in self._op.outputs for type in self._types(each)]
        return OpUse(
            op=self._op,
            inputs=tuple(arrays),
            input_names=tuple(names),
            ranges=ranges,
            attributes=self._values,
            output_types=tuple(type for _, type in outputs),
            output_names=tuple(name for name, _ in outputs),
        )

    def _divide(self, inputs: list[Input]) -> list[list[Tensor]]:
        """Divide the inputs into the arrays of each argument."""
        lengths = [self._length(each) if each.is_list else 1 for each in self._op.inputs]
        is_clear = lengths.count(None) <= 1 and all(isinstance(each, Tensor) for each in inputs)
        unclaimed = max(0, len(inputs) - sum(each or 0 for each in lengths))
        groups: list[list[Tensor]] = []
        rest = list(inputs)
        for argument, length in zip(self._op.inputs, lengths, strict=True):
            if argument.is_list and rest and not isinstance(rest[0], Tensor):
                groups.append(list(rest.pop(0)))  # type: ignore[arg-type]
                continue
            if length is None and not is_clear:
                raise self._error(f"input {argument.name} is a list", "give a sequence of arrays for it")
            groups.append([self._one(argument, rest) for _ in range(unclaimed if length is None else length)])
        if rest:
            raise self._error(f"{len(rest)} input{'s' * (len(rest) != 1)} too many", self._signature())
        return groups

    def _one(self, argument: OpArgument, rest: list[Input]) -> Tensor:
        """Take the next input, which has to be one array."""
        if not rest:
            raise self._error(f"input {argument.name} is missing", self._signature())
        array = rest.pop(0)
        if not isinstance(array, Tensor):
            raise self._error(f"input {argument.name} is one array, not several", self._signature())
        return array

    def _length(self, argument: OpArgument) -> int | None:
        """Return the number of arrays in a list; None if the attributes do not state it."""
        count = self._values.get(argument.count_attribute)
        types = self._values.get(argument.types_attribute)
        return count if isinstance(count, int) else len(types) if isinstance(types, tuple) else None

    def _infer(self, argument: OpArgument, arrays: list[Tensor]) -> None:
        """Learn attributes from the arrays of an argument, and check that they fit it."""
        reason = f"input {argument.name}"
        if argument.count_attribute:
            self._set(argument.count_attribute, len(arrays), reason)
        if argument.types_attribute:
            self._set(argument.types_attribute, tuple(each.type for each in arrays), reason)
        for array in arrays:
            if argument.type_attribute:
                self._set(argument.type_attribute, array.type, reason)
            elif argument.type and argument.type != array.type:
                raise self._error(f"{reason} has elements of type {array.type} instead of {argument.type}")

    def _set(self, name: str, value: AttributeValue, reason: str) -> None:
        """Set an attribute's value, which has to equal the known value, if there is one."""
        attribute = self._op.attribute(name)
        value = tuple(value) if isinstance(value, list) else value
        if name in self._values and self._values[name] != value:
            before = f"{self._reasons[name]} makes it {self._values[name]}"
            raise self._error(f"{reason} makes {name} {value}, but {before}")
        self._check(attribute, value)
        self._values[name] = value
        self._reasons.setdefault(name, reason)

    def _check(self, attribute: OpAttribute, value: AttributeValue) -> None:
        """Check kind and restrictions of a value."""
        elements = value if attribute.is_list and isinstance(value, tuple) else (value,)
        is_list = not attribute.is_list or isinstance(value, tuple)
        for each in elements:
            if not is_list or not _is_kind(each, attribute.kind):
                raise self._error(f"attribute {attribute.name} is a {_kind(attribute)}, not {value!r}")
            text = each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each)
            if attribute.allowed and text not in attribute.allowed:
                hint = f"it may be {', '.join(sorted(attribute.allowed))}"
                raise self._error(f"{attribute.name} is {text}", hint)
        measure = len(elements) if attribute.is_list else value
        if attribute.minimum is not None and isinstance(measure, int) and measure < attribute.minimum:
            what = "length of attribute" if attribute.is_list else "attribute"
            raise self._error(f"{what} {attribute.name} is {measure}, less than {attribute.minimum}")

    def _types(self, argument: OpArgument) -> tuple[str, ...]:
        """Return the element types of an output's arrays."""
        if argument.types_attribute:
            types = self._values[argument.types_attribute]
            return types if isinstance(types, tuple) else ()
        type = argument.type or str(self._values[argument.type_attribute])
        count = self._values[argument.count_attribute] if argument.count_attribute else 1
        return (type,) * (count if isinstance(count, int) else 1)

    def _signature(self) -> str:
        names = ", ".join(each.name + (" (a list)" if each.is_list else "") for each in self._op.inputs)
        return f"{self._op.name} takes {names or 'no inputs'}"

    def _error(self, message: str, hint: str = "") -> AbigenError:
        return AbigenError.at(None, f"{self._op.name}: {message}", hint)


def parse_attribute(attribute: OpAttribute, text: str) -> AttributeValue:
    """Parse an attribute's value as users write it on a command line.

    Args:
        attribute: the attribute.
        text: a string or type as it is, `true` or `false`, a number, a shape like `[2, 3]` with null where a length is
            not known (or null for an unknown rank), a tensor as `parse_array` reads it, or a list of these in brackets,
            strings in quotes.

    Raises:
        AbigenError: it is none of the attribute's kind.
    """
    if not attribute.is_list and attribute.kind in ("string", "type"):
        return text
    if not attribute.is_list and attribute.kind == "tensor":
        return parse_array(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AbigenError.at(None, f"attribute {attribute.name} is a {_kind(attribute)}, not `{text}`") from error
    if attribute.is_list and isinstance(value, list):
        return tuple(_converted(each, attribute.kind) for each in value)
    return _converted(value, attribute.kind)


def _converted(value: object, kind: str) -> AttributeValue:
    """Return an attribute from its value in JSON, which has no shapes and tensors."""
    if kind == "shape" and isinstance(value, list):
        return tuple(-1 if each is None else each for each in value)
    return Tensor.of(value) if kind == "tensor" else value


def _kind(attribute: OpAttribute) -> str:
    return f"list of {attribute.kind}s" if attribute.is_list else attribute.kind


def _is_kind(value: AttributeValue, kind: str) -> bool:
    """True if a value is of a kind of attribute."""
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "shape":
        return value is None or (isinstance(value, tuple) and all(_is_kind(each, "int") for each in value))
    return isinstance(value, _KINDS[kind])
