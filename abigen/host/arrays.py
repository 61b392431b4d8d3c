"""Arrays as kernels take and give them, made and read with numpy: literals, `.npy` files, anything with a buffer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        """Make an array of whatever is one, or could be.

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
        """The elements as nested lists of Python's numbers, or one number where the rank is 0."""
        found: NestedNumbers = self.numpy().tolist()
        return found

    def elements(self) -> list[Scalar]:
        """The elements, one after another."""
        found: list[Scalar] = self.numpy().ravel().tolist()
        return found

    def spelled(self) -> str:
        """The elements on one line, those in the middle of a large array left out."""
        module = _numpy()
        spell = {"float_kind": str, "int": str, "bool": lambda each: str(bool(each)).lower()}
        text = module.array2string(
            self.numpy(), separator=", ", threshold=64, edgeitems=3 if len(self.shape) < 3 else 1, formatter=spell,
            max_line_width=1 << 30,
        )  # fmt: skip
        return " ".join(text.split())

    def numpy(self) -> numpy.ndarray:
        """The same as an array of numpy; bfloat16, which numpy does not have, as float32.

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
    """The size of an array in bytes."""
    return ELEMENT_TYPES[type] * prod(shape)


def from_buffer(type: str, shape: Sequence[int], buffer: Buffer) -> Tensor:
    """An array with a copy of the bytes in a buffer.

    Raises:
        AbigenError: the buffer has another size.
    """
    data = bytes(buffer)
    needed = size_of(type, shape)
    if len(data) != needed:
        raise AbigenError.at(None, f"{len(data)} bytes are no {type}{list(shape)}, which takes {needed}")
    return Tensor(type, tuple(shape), data)


def from_numpy(array: object, type: str) -> Tensor:
    """An array of another type than numpy has it in: cut off and wrapped as C does, bfloat16 rounded to nearest."""
    module = _numpy()
    if type == "bfloat16":
        narrow = module.asarray(array, "float32")
        return Tensor(type, narrow.shape, _upper_halves(narrow))
    return _from_numpy(module.asarray(array).astype(type))


def from_nested(value: object, type: str = "") -> Tensor:
    """An array of a number, or of nested sequences of numbers.

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
    """An array as users write it on a command line.

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
        raise AbigenError.at(None, f"`{text}` is no array: {error}", hint) from error
    if shape is None:
        return from_nested(value, type)
    if isinstance(value, list) or not all(isinstance(each, int) and each >= 0 for each in shape):
        raise AbigenError.at(None, f"`{text}`: a shape takes lengths, and one number behind the colon")
    one = from_nested(value, type)
    return Tensor(one.type, tuple(shape), one.data * prod(shape))


def read_npy(path: Path) -> Tensor:
    """Read a file as `numpy.save` writes it.

    Raises:
        AbigenError: there is no such file, it is no such file, or its type is none that arrays can have.
    """
    if path.exists() and not path.is_file():  # opening a pipe would wait for someone to write
        raise AbigenError.at(None, f"{path} is no file", "name a .npy file")
    try:
        return _from_numpy(_numpy().load(path, allow_pickle=False))
    except OSError as error:
        raise AbigenError.at(None, f"{path}: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise AbigenError.at(None, f"{path} is no .npy file, or damaged: {error}") from error


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
        raise AbigenError.at(None, "an archive holds more than one array", "take a .npy file")
    if array.dtype.name not in ELEMENT_TYPES:
        raise AbigenError.at(None, f"arrays of {array.dtype.name} are not supported", "take one of " + _all_types())
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
    """Numbers as the bytes of a type; numpy wraps and rounds to infinity in silence, which is refused here."""
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
    """The upper 16 bits of each float32, rounded to nearest, ties to even; what is no number stays none."""
    bits = array.view("uint32")
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    kept = _numpy().where(_numpy().isnan(array), (bits >> 16) | 0x40, rounded)
    return bytes(kept.astype("uint16").tobytes())


def _suggest_type(type: str) -> str:
    return did_you_mean(type, ELEMENT_TYPES, f"take one of {_all_types()}", shown="`{}`".format)


def _all_types() -> str:
    return ", ".join(sorted(ELEMENT_TYPES))
