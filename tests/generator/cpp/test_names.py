"""Tests of names in C++."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from abigen.generator.cpp.view import callback_name, class_name, method_name, namespace_name, table_name
from tests.generator.build.building import abigen
from tests.generator.cpp.building import SPEC, Generated, shipped


@pytest.mark.parametrize(
    ("name", "prefix", "expected"),
    [
        ("XY_Device", "XY", "Device"),
        ("ZZ_Device", "XY", "Device"),
        ("XYDevice", "XY", "Device"),
        ("VkDevice", "Vk", "Device"),
        ("xy_device_t", "xy", "Device"),
        ("xy_device_fns", "xy", "DeviceFns"),
        ("xy_t", "xy", "Xy"),
        ("Device", "XY", "Device"),
        ("XY_2D", "XY", "XY2D"),
        ("xylophone", "xy", "Xylophone"),
    ],
)
def test_a_class_has_the_handle_s_name_without_the_prefix(name: str, prefix: str, expected: str) -> None:
    assert class_name(name, prefix) == expected


@pytest.mark.parametrize(
    ("function", "handle", "prefix", "expected"),
    [
        ("XY_Device_Name", "XY_Device", "XY", "Name"),
        ("XY_DeviceName", "XY_Device", "XY", "Name"),
        ("XY_NewDevice", "XY_Device", "XY", "New"),
        ("XY_NewAsyncDevice", "XY_Device", "XY", "NewAsync"),
        ("XY_Devices", "XY_Device", "XY", "Devices"),
        ("XY_Open", "XY_Device", "XY", "Open"),
        ("xy_device_open", "xy_device_t", "xy", "open"),
        ("xy_device_new", "xy_device_t", "xy", "new_"),
        ("xy_open_device", "xy_device_t", "xy", "open"),
        ("VkDestroyDevice", "VkDevice", "Vk", "Destroy"),
    ],
)
def test_a_method_has_the_function_s_name_without_prefix_and_handle(
    function: str, handle: str, prefix: str, expected: str
) -> None:
    assert method_name(function, handle, prefix) == expected


def test_tables_namespaces_and_callbacks_have_names_that_follow() -> None:
    assert (table_name("XY_Device", "XY"), table_name("XY_DeviceFns", "XY")) == ("DeviceFns", "DeviceFns")
    assert (namespace_name("XY", ()), namespace_name("NEW", ()), namespace_name("xy", {"xy"})) == (
        "xy",
        "new_",
        "xy_api",
    )
    assert callback_name("compute_async_func", "XY_NewKernel") == "ComputeAsync"
    assert callback_name("step_fn", "xy_kernel_new") == "step"


def test_the_classes_that_the_rfc_on_kernels_asks_for_are_there() -> None:
    tensorflow = shipped("tensorflow")
    kernels, ops = tensorflow.read("tensorflow/c/kernels.hpp"), tensorflow.read("tensorflow/c/ops.hpp")
    for name in ("OpKernelContext", "OpKernelConstruction", "KernelBuilder"):
        assert re.search(rf"^class {name}\b(?!;)", kernels, re.MULTILINE)
    for name in ("OpDefinitionBuilder", "ShapeInferenceContext", "ShapeHandle", "DimensionHandle"):
        assert re.search(rf"^class {name}\b(?!;)", ops, re.MULTILINE)
    assert "\nclass Tensor " in tensorflow.read("tensorflow/c/tf_tensor.hpp")


def test_a_template_of_one_s_own_changes_one_block(tmp_path: Path) -> None:
    own = tmp_path / "mine/cpp/header.hpp.j2"
    own.parent.mkdir(parents=True)
    own.write_text(
        '{% extends "abigen:cpp/header.hpp.j2" %}{% block doc %}\n// {{ header.namespace }} of ours.\n{% endblock %}\n'
    )
    options = ("--no-cache", "--target", "cpp", "--spec-dir", SPEC, "--templates", tmp_path / "mine")
    assert abigen("build", *options, "--out", tmp_path / "out").code == 0
    text = (tmp_path / "out/cpp/lab/lab.hpp").read_text()
    assert "\n// lab of ours.\n" in text and "// This header is a layer" not in text and "class Probe " in text


def test_names_can_be_chosen(generated: Generated) -> None:
    assert "lab::Status Rename(const char* name) const;" in generated.read("lab/lab.hpp")


def test_lines_are_as_short_as_in_c_where_no_name_is_too_long(generated: Generated) -> None:
    for header in generated.headers:
        assert [line for line in generated.read(header).splitlines() if len(line) > 80] == [], header
