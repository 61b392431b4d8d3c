"""Tests of the choice of a kernel, and of the owner of a name."""

from __future__ import annotations

import pytest

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.backend import DeviceType, DeviceTypes, Kernel, KernelRegistry


def kernel(name: str, device: str = "XPU", priority: int = 0, label: str = "", **types: str) -> Kernel:
    constraints = {attribute: frozenset(allowed.split()) for attribute, allowed in types.items()}
    return Kernel(
        name=name, op="Add", device_type=device, constraints=constraints, priority=priority, label=label, owner="p.so"
    )


def registry(*kernels: Kernel) -> KernelRegistry:
    made = KernelRegistry()
    for each in kernels:
        made.add(each)
    return made


def found(kernels: KernelRegistry, *devices: str, label: str = "", **attributes: str) -> str:
    chosen = kernels.find("Add", devices or ("XPU",), attributes, label)
    return chosen.name if chosen is not None else ""


def test_constraints_choose() -> None:
    kernels = registry(kernel("f", T="float32 float64"), kernel("i", T="int32"), kernel("two", T="int8", S="int8"))
    assert [found(kernels, T=type) for type in ("float64", "int32", "bool")] == ["f", "i", ""]
    assert found(kernels, T="int8", S="int8") == "two"
    assert found(kernels, T="int8", S="int32") == ""


def test_the_first_device_type_with_a_kernel_that_fits_wins() -> None:
    kernels = registry(kernel("special", "XPU", T="int32"), kernel("any", "DEFAULT", priority=9), kernel("host", "CPU"))
    assert found(kernels, "XPU", "DEFAULT", "CPU", T="int32") == "special"
    assert found(kernels, "XPU", "DEFAULT", "CPU", T="int8") == "any"
    assert found(kernels, "NPU", T="int8") == ""


def test_the_highest_priority_wins_and_a_tie_is_an_error() -> None:
    kernels = registry(kernel("low"), kernel("high", priority=1))
    assert found(kernels) == "high"
    kernels.add(kernel("too", priority=1))
    with pytest.raises(AbigenError, match=r"several kernels for Add on XPU fit: high .* of p.so and too"):
        found(kernels)


def test_labels_are_asked_for() -> None:
    kernels = registry(kernel("plain"), kernel("odd", label="odd"))
    assert (found(kernels), found(kernels, label="odd"), found(kernels, label="other")) == ("plain", "odd", "")


def test_what_comes_near_is_named() -> None:
    kernels = registry(kernel("f", T="float32"))
    for op, devices, hint in (
        ("Add", ["XPU"], "registered are f (T=float32)"),
        ("Add", ["NPU"], "Add has kernels on XPU"),
        ("Ad", ["XPU"], "did you mean Add?"),
        ("Zeta", ["XPU"], "there are kernels for Add"),
    ):
        assert kernels.find(op, devices, {"T": "int32"}) is None
        assert kernels.missing(op, devices, {"T": "int32"}).diagnostics[0].hint == hint
    kernels.remove("p.so")
    assert kernels.all() == ()


def plugged(name: str, owner: str, platform: str, own_name: str = "") -> DeviceType:
    return DeviceType(name=name, owner=owner, platform=platform, own_name=own_name)


def test_kernels_of_plugged_types_are_kept_apart() -> None:
    types = DeviceTypes((DeviceType(name="GPU", priority=1),))
    assert types.kernel_type("GPU") == "GPU"
    types.add(plugged("GPU", "a.so", "A"))
    types.add(plugged("Mine", "b.so", "B", own_name="NPU"))
    assert [types.kernel_type(name) for name in ("GPU", "NPU", "Mine", "TPU")] == [
        "PLUGGABLE_GPU", "PLUGGABLE_Mine", "PLUGGABLE_Mine", "TPU",
    ]  # fmt: skip


def test_a_built_in_type_is_back_when_the_plugin_is_gone() -> None:
    types = DeviceTypes((DeviceType(name="GPU", priority=1),))
    types.add(plugged("GPU", "a.so", "A"))
    assert [(each.name, each.owner) for each in types.all()] == [("GPU", "a.so")]
    types.remove("a.so")
    assert [(each.name, each.owner) for each in types.all()] == [("GPU", "")]


@pytest.mark.parametrize("name", ["", "1X", "a-b", "a b", "Ä", "x:0"])
def test_names_that_users_give_are_checked(name: str) -> None:
    with pytest.raises(AbigenError, match="cannot be the name of devices"):
        DeviceTypes(()).add(plugged(name, "a.so", "A", own_name="XPU"))
