"""Arrays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.ops import (
    ELEMENT_TYPES,
    Tensor,
    from_buffer,
    from_nested,
    parse_array,
    read_npy,
    write_npy,
)
from tests.tools import require_module


@pytest.mark.parametrize(
    ("text", "type", "shape", "value"),
    [
        ("1", "int32", (), 1),
        ("[1, 2]", "int32", (2,), [1, 2]),
        ("[1, 2.5]", "float32", (2,), [1.0, 2.5]),
        ("[true, false]", "bool", (2,), [True, False]),
        ("3000000000", "int64", (), 3000000000),
        ("float64:[[1], [2]]", "float64", (2, 1), [[1.0], [2.0]]),
        ("uint8[2,2]:7", "uint8", (2, 2), [[7, 7], [7, 7]]),
        ("float32[0]:1", "float32", (0,), []),
        ("[]", "float32", (0,), []),
        ("[[], []]", "float32", (2, 0), [[], []]),
        ('["1+2j"]', "complex64", (1,), [1 + 2j]),
        ("bfloat16:[1.00390625, 1.01171875]", "bfloat16", (2,), [1.0, 1.015625]),
        ("float16:0.5", "float16", (), 0.5),
        ("[Infinity]", "float32", (1,), [float("inf")]),
        ("int32:[2.0]", "int32", (1,), [2]),
    ],
)
def test_literals(text: str, type: str, shape: tuple[int, ...], value: object) -> None:
    array = parse_array(text)
    assert (array.type, array.shape, array.tolist()) == (type, shape, value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[1], [2, 3]]", "differ in length or depth"),
        ("[[1], 2]", "differ in length or depth"),
        ("[1, [2]]", "differ in length or depth"),
        ('["x"]', "'x' is no number"),
        ("[null]", "None is no number"),
        ("int8:[300]", "do not fit into int8"),
        ("int8:[1.5]", "int8 has no fractions"),
        ("float16:[1e9]", "do not fit into float16"),
        ("float33:[1]", "did you mean `float32`?"),
        ("float32[2]:[1]", "a shape needs lengths, and one number"),
        ("float32[-2]:1", "a shape needs lengths, and one number"),
        ("float32[x]:1", "is not an array"),
        ("[1", "is not an array"),
        ("[" * 100_000, "is not an array"),
        ("missing.npy", "missing.npy: No such file or directory"),
    ],
)
def test_what_is_no_array_is_refused(text: str, message: str) -> None:
    with pytest.raises(AbigenError) as error:
        parse_array(text)
    assert message in str(error.value)


@given(
    st.sampled_from(sorted(ELEMENT_TYPES)),
    st.lists(st.integers(0, 3), max_size=4).map(tuple),
    st.data(),
)
def test_files_hold_what_was_written(type: str, shape: tuple[int, ...], data: st.DataObject) -> None:
    size = ELEMENT_TYPES[type]
    for each in shape:
        size *= each
    content = data.draw(st.binary(min_size=size, max_size=size))
    if type == "bool":
        content = bytes(each & 1 for each in content)
    array = from_buffer(type, shape, content)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npy"
        if type == "bfloat16":
            with pytest.raises(AbigenError, match="no elements of type bfloat16"):
                write_npy(path, array)
            return
        write_npy(path, array)
        assert read_npy(path) == array


def test_numpy_reads_what_is_written_and_writes_what_is_read(tmp_path: Path) -> None:
    numpy = require_module("numpy")
    path = tmp_path / "x.npy"
    for type in ELEMENT_TYPES:
        if type == "bfloat16":
            continue
        original = numpy.arange(24).reshape(2, 3, 4).astype(type)
        for stored in (original, numpy.asfortranarray(original), original.astype(original.dtype.newbyteorder(">"))):
            numpy.save(path, stored)
            array = read_npy(path)
            assert array == Tensor.of(original), type
            write_npy(path, array)
            loaded = numpy.load(path)
            assert loaded.dtype == original.dtype
            assert (loaded == original).all()


def test_files_that_are_damaged_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    write_npy(path, from_nested([1, 2, 3]))
    whole = path.read_bytes()
    for content, message in (
        (b"", "x.npy is not a .npy file"),
        (b"PK" + whole, "x.npy is not a .npy file"),
        (whole[:20], "x.npy is not a .npy file, or is damaged"),
        (whole[:-1], "x.npy is not a .npy file, or is damaged"),
        (whole.replace(b"i4", b"U1"), "arrays of str32 are not supported"),
        (whole.replace(b"descr", b"dexcr"), "x.npy is not a .npy file, or is damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(AbigenError) as error:
            read_npy(path)
        assert message in str(error.value)


def test_types_that_arrays_do_not_have_are_refused() -> None:
    numpy = require_module("numpy")
    with pytest.raises(AbigenError, match="arrays of str96 are not supported"):
        Tensor.of(numpy.array(["abc"]))


def test_bfloat16_rounds_to_nearest_and_keeps_nan() -> None:
    values = from_nested([1.0, 1.001, 3.4e38, float("nan"), float("-inf")], "bfloat16").elements()
    assert values[:2] == [1.0, 1.0]
    assert values[2] in (float("inf"), 3.3895313892515355e38)
    assert values[3] != values[3]
    assert values[4] == float("-inf")
