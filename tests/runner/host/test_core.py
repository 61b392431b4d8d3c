"""The reference core with real plugins."""

from __future__ import annotations

import ctypes
import site
from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from abigen.runner.apis.tensorflow.host.backend import PLUGGED_PRIORITY
from abigen.runner.apis.tensorflow.host.core import Core
from abigen.runner.apis.tensorflow.host.ops import Tensor, from_nested
from abigen.runner.reference import start_core
from tests.tools import require_module

from .conftest import Build, Start


def messages(error: pytest.ExceptionInfo[AbigenError]) -> str:
    return "\n".join(str(each) for each in error.value.diagnostics)


def counter(path: Path, name: str) -> int:
    """Return a global variable of a plugin."""
    return ctypes.c_int.in_dll(ctypes.CDLL(str(path)), name).value


def test_a_plugin_brings_devices_kernels_and_ops(core: Core, toy: Path) -> None:
    plugin = core.load_plugin(toy)
    assert core.devices() == ("CPU:0", "XPU:0", "XPU:1")
    assert plugin.device_type is not None
    assert (plugin.device_type.name, plugin.device_type.platform) == ("XPU", "TOY")
    assert [op.name for op in plugin.ops] == ["Scale", "Later", "Silent", "Sloppy", "Trouble"]
    assert {(kernel.op, kernel.device_type) for kernel in plugin.kernels} == {
        ("AddV2", "PLUGGABLE_XPU"), ("AddV2", "CPU"), ("Scale", "PLUGGABLE_XPU"), ("Later", "DEFAULT"),
        ("Silent", "PLUGGABLE_XPU"), ("Trouble", "PLUGGABLE_XPU"), ("Sloppy", "PLUGGABLE_XPU"),
    }  # fmt: skip


def test_an_op_runs_on_the_plugged_device(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    result = core.run("AddV2", [[[1.0, 2.0], [3.0, 4.0]], [[0.5, 0.5], [0.5, 0.5]]])
    assert result.device == "XPU:0"
    assert result.outputs[0].tolist() == [[1.5, 2.5], [3.5, 4.5]]


def test_a_device_can_be_named_in_any_case_with_or_without_its_number(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    for name, found in (("xpu:1", "XPU:1"), ("XPU", "XPU:0"), ("/device:XPU:1", "XPU:1"), ("/xpu:0", "XPU:0")):
        assert core.run("AddV2", [1.5, 2.0], device=name).device == found


def test_what_has_no_kernel_on_the_device_falls_back_to_the_host(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    result = core.run("AddV2", [[1, 2], [3, 4]])
    assert (result.device, result.outputs[0].tolist()) == ("CPU:0", [4, 6])


def test_there_is_no_fallback_from_a_device_that_was_named(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    with pytest.raises(AbigenError) as error:
        core.run("AddV2", [[1, 2], [3, 4]], device="XPU:0")
    assert messages(error) == (
        "error: no kernel for AddV2 (T=int32) on PLUGGABLE_XPU or DEFAULT\n  hint: registered are Add (T=float32)"
    )


def test_a_kernel_for_any_device_runs_on_the_plugged_one(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    result = core.run("Later", [[1, 2, 3]])
    assert (result.device, result.kernel.device_type, result.outputs[0].tolist()) == ("XPU:0", "DEFAULT", [1, 2, 3])


def test_attributes_defaults_and_outputs_in_the_hosts_memory(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    scaled, count = core.run("Scale", [[1.0, 2.0, 3.0]]).outputs
    assert (scaled.tolist(), count.tolist()) == ([2.0, 4.0, 6.0], 3)
    assert core.run("Scale", [[1.0]], {"factor": 5.0}).outputs[0].tolist() == [5.0]


def test_shapes_are_inferred_without_running_anything(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    assert core.infer_shapes("Scale", [[[1.0, 2.0]]]) == ((1, 2), ())
    assert core.infer_shapes("AddV2", [[[1.0], [2.0]], [1.0, 2.0]]) == ((2, 2),)
    assert core.infer_shapes("AddV2", [[1.0, 2.0], [1.0, 2.0, 3.0]]) == (None,)
    assert core.infer_shapes("Later", [1.0]) == (None,)
    with pytest.raises(AbigenError, match="Shape must be at most rank 3 but is rank 4"):
        core.infer_shapes("Scale", [[[[[1.0]]]]])


def test_arrays_of_any_size_come_back_as_they_are(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    for shape in ((), (0,), (3, 0, 2), (1,), (7,), (513,), (100_000,), (2, 3, 4)):
        array = Tensor("uint8", shape, bytes(index % 251 for index in range(max(1, _product(shape)))))
        array = Tensor("uint8", shape, array.data[: _product(shape)])
        assert core.run("Later", [array]).outputs == (array,)


def _product(shape: tuple[int, ...]) -> int:
    product = 1
    for each in shape:
        product *= each
    return product


@pytest.mark.first_case
@pytest.mark.parametrize("bfc", [0, 1])
def test_everything_is_given_back_in_the_end(build: Build, start: Start, bfc: int) -> None:
    path = build("own", "device.c", "kernels.c", BFC=bfc)
    with start() as core:
        core.load_plugin(path)
        for value in range(5):
            core.run("Scale", [[float(value)] * 1000])
            with pytest.raises(AbigenError):
                core.run("AddV2", [[1.0, 2.0], [1.0, 2.0, 3.0]])
        assert counter(path, "live_streams") == 4
        assert counter(path, "live_devices") == 1
        assert (counter(path, "live_blocks") > 0) == bool(bfc)
    for name in ("live_streams", "live_devices", "live_blocks", "live_kernels"):
        assert counter(path, name) == 0, name


def test_a_plugin_without_block_host_until_done_is_waited_for_by_an_event(core: Core, build: Build) -> None:
    core.load_plugin(build("old", "device.c", "kernels.c", flags=("-DWITHOUT_BLOCK_UNTIL_DONE",)))
    assert core.run("AddV2", [1.5, 2.0]).outputs[0].tolist() == 3.5


def test_a_failing_stream_is_named(core: Core, build: Build) -> None:
    core.load_plugin(build("broken", "device.c", "kernels.c", flags=("-DFAILING_STREAM",)))
    with pytest.raises(AbigenError, match="block_host_until_done failed: TSL_INTERNAL: the stream is broken"):
        core.run("AddV2", [1.5, 2.0])


def test_a_missing_callback_is_named(core: Core, build: Build) -> None:
    core.load_plugin(build("lame", "device.c", "kernels.c", flags=("-DWITHOUT_DTOH",)))
    with pytest.raises(AbigenError, match=r"SP_StreamExecutor.memcpy_dtoh is NULL, but required"):
        core.run("AddV2", [1.5, 2.0])


def test_a_plugin_that_refuses_is_quoted(core: Core, build: Build) -> None:
    with pytest.raises(AbigenError, match=r"SE_InitPlugin of version 0.0.1 failed: .*: no such hardware here"):
        core.load_plugin(build("shy", "device.c", flags=("-DREFUSING",)))
    assert core.devices() == ("CPU:0",)


def test_names_that_do_not_fit_the_pattern_are_refused(core: Core, build: Build) -> None:
    with pytest.raises(AbigenError, match=r'SP_Platform.type is "xpu", but has to match'):
        core.load_plugin(build("small", "device.c", TYPE='"xpu"'))


def test_one_file_is_loaded_once_under_whatever_path(core: Core, toy: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.so"
    link.symlink_to(toy)
    assert core.load_plugin(link) is core.load_plugin(toy)
    assert len(core.plugins) == 1


def test_a_second_plugin_for_a_type_is_refused_with_the_way_out(core: Core, build: Build) -> None:
    first, second = build("first", "device.c"), build("second", "device.c", NAME='"OTHER"')
    core.load_plugin(first)
    with pytest.raises(AbigenError) as error:
        core.load_plugin(second)
    assert messages(error) == (
        f"error: {second}: the device type XPU is taken by {first}; this plugin was not registered\n"
        f"  hint: load only one of the two, or give this plugin's devices another name: `NAME={second}`, "
        f'or load_plugin("NAME", "{second}")'
    )
    assert core.devices() == ("CPU:0", "XPU:0", "XPU:1")


def test_a_second_plugin_of_a_platform_name_is_refused(core: Core, build: Build) -> None:
    core.load_plugin(build("first", "device.c"))
    with pytest.raises(AbigenError, match=r"the platform name TOY is taken by .*first.so"):
        core.load_plugin(build("second", "device.c", TYPE='"NPU"'))


def test_the_users_name_settles_a_conflict_and_kernels_stay_apart(core: Core, build: Build, toy: Path) -> None:
    core.load_plugin(toy)
    second = build("second", "device.c", "kernels.c", flags=("-O1",))
    plugin = core.load_plugin("CustomDeviceName", second)
    assert core.devices() == ("CPU:0", "XPU:0", "XPU:1", "CustomDeviceName:0", "CustomDeviceName:1")
    assert {kernel.device_type for kernel in plugin.kernels} == {"PLUGGABLE_CustomDeviceName", "CPU", "DEFAULT"}
    assert core.run("AddV2", [1.5, 2.0], device="/CustomDeviceName:0").kernel.owner == str(second)
    assert core.run("AddV2", [1.5, 2.0], device="XPU:0").kernel.owner == str(toy)


def test_ops_that_two_plugins_declare_belong_to_the_first(core: Core, build: Build, toy: Path) -> None:
    core.load_plugin(toy)
    plugin = core.load_plugin("Other", build("second", "device.c", "kernels.c"))
    assert plugin.ops == ()
    assert [remark for remark in plugin.remarks if "Scale" in remark] == [
        f"{plugin.path}: op Scale was refused: op Scale has been registered by {toy}"
    ]


def test_a_refused_op_is_remarked_with_the_reason(core: Core, toy: Path) -> None:
    plugin = core.load_plugin(toy)
    assert plugin.remarks == (
        f"{toy}: op Wrong was refused: `x: nonsense`: there is no type, and no attribute, `nonsense`",
    )


def test_a_plugged_type_takes_the_place_of_a_built_in_one(build: Build, start: Start) -> None:
    with start("GPU") as core:
        assert core.devices() == ("CPU:0", "GPU:0")
        core.load_plugin(build("gpu", "device.c", "kernels.c", TYPE='"GPU"'))
        assert core.devices() == ("CPU:0", "GPU:0", "GPU:1")
        found = next(each for each in core.device_types if each.name == "GPU")
        assert (found.priority, found.kernel_type) == (PLUGGED_PRIORITY, "PLUGGABLE_GPU")
        assert core.run("AddV2", [1.5, 2.0], device="GPU:1").kernel.device_type == "PLUGGABLE_GPU"


def test_the_hosts_own_type_cannot_be_taken(core: Core, build: Build) -> None:
    with pytest.raises(AbigenError, match="the device type CPU is taken by the core itself"):
        core.load_plugin(build("cpu", "device.c", TYPE='"CPU"'))


def test_a_plugin_may_bring_kernels_without_devices(core: Core, build: Build) -> None:
    plugin = core.load_plugin(build("parts", "kernels.c"))
    assert plugin.device_type is None
    assert core.run("AddV2", [1, 2]).device == "CPU:0"


def test_kernels_may_be_for_the_devices_of_another_plugin(core: Core, build: Build) -> None:
    core.load_plugin(build("alone", "device.c"))
    core.load_plugin(build("parts", "kernels.c"))
    assert core.run("AddV2", [1.5, 2.0]).device == "XPU:0"


def test_a_kernel_is_timed_by_the_device(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    assert core.run("AddV2", [1.5, 2.0]).nanoseconds is None
    assert core.run("AddV2", [1.5, 2.0], timed=True).nanoseconds == 1
    assert core.run("AddV2", [1, 2], timed=True).nanoseconds is None


def test_kernels_that_come_before_their_devices_are_theirs(core: Core, build: Build) -> None:
    core.load_plugin(build("parts", "kernels.c"))
    core.load_plugin(build("alone", "device.c"))
    assert core.run("AddV2", [1.5, 2.0]).device == "XPU:0"


def test_an_unloaded_plugin_makes_room_for_another(core: Core, build: Build, toy: Path) -> None:
    core.load_plugin(toy)
    core.run("AddV2", [1.5, 2.0])
    core.unload_plugin(toy)
    assert (core.devices(), core.kernels, counter(toy, "live_streams")) == (("CPU:0",), (), 0)
    with pytest.raises(AbigenError, match="there is no op Scale"):
        core.run("Scale", [1.0])
    core.unload_plugin(toy)
    other = build("other", "device.c", "kernels.c", NAME='"OTHER"')
    core.load_plugin(other)
    assert core.run("AddV2", [1.5, 2.0]).kernel.owner == str(other)


def test_a_plugin_without_devices_at_the_moment_is_passed_over(core: Core, build: Build) -> None:
    core.load_plugin(build("unplugged", "device.c", "kernels.c", DEVICES=0))
    assert core.devices() == ("CPU:0",)
    assert core.run("Later", [[1, 2]]).device == "CPU:0"
    with pytest.raises(AbigenError, match="there is no device XPU"):
        core.run("AddV2", [1.5, 2.0], device="XPU")


def test_plugins_are_found_among_pythons_packages(
    core: Core, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path)])
    (tmp_path / "tensorflow-plugins").mkdir()
    (tmp_path / "tensorflow-plugins" / "toy.so").symlink_to(toy)
    assert [each.path.name for each in core.load_plugins()] == ["toy.so"]


def test_an_output_that_is_not_set_is_named(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    with pytest.raises(AbigenError, match=r"kernel Silent on XPU:0 has not set output 0 \(y\)"):
        core.run("Silent")


def test_a_kernel_that_cannot_be_created_says_why(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    with pytest.raises(AbigenError, match="could not be created: TF_INVALID_ARGUMENT: a factor of 0 makes no sense"):
        core.run("Scale", [1.0], {"factor": 0.0})


def test_tensors_that_a_kernel_does_not_delete_are_remarked(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    assert core.run("AddV2", [1.0, 2.0]).remarks == ()
    assert core.run("Sloppy", [1.0]).remarks == ("kernel Sloppy leaks 1 tensor",)


def test_deferred_work_has_to_end(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    with pytest.raises(AbigenError, match="is not done: 1 more TF_IncNumDeferredOps than TF_DecNumDeferredOps"):
        core.run("Sloppy", [[1.0, 2.0]])


def test_a_device_without_enough_memory_is_named(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    with pytest.raises(AbigenError, match="XPU:0 cannot allocate 41943040 bytes"):
        core.run("Later", [Tensor("uint8", (40 << 20,), bytes(40 << 20))])


def test_what_is_no_plugin_says_what_it_lacks(core: Core, build: Build, tmp_path: Path) -> None:
    with pytest.raises(AbigenError, match="it exports neither SE_InitPlugin nor TF_InitKernel"):
        core.load_plugin(build("nothing", flags=("-x", "c", "/dev/null")))
    text = tmp_path / "text.so"
    text.write_text("no library", encoding="utf-8")
    with pytest.raises(AbigenError, match=r"text.so is not a shared library: it is a text file"):
        core.load_plugin(text)
    with pytest.raises(AbigenError, match=r"there is no file .*gone.so"):
        core.load_plugin(tmp_path / "gone.so")


def test_a_symbol_that_the_core_does_not_have_is_named(core: Core, build: Build) -> None:
    with pytest.raises(AbigenError, match="undefined symbol: TF_SomethingElse"):
        core.load_plugin(build("greedy", "greedy.c"))


def test_plugins_of_a_directory_are_loaded_and_all_failures_are_told(
    core: Core, build: Build, toy: Path, tmp_path: Path
) -> None:
    (tmp_path / "b.so").symlink_to(toy)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.so").symlink_to(toy)
    (tmp_path / "c.so").write_text("no library", encoding="utf-8")
    (tmp_path / "d.so").symlink_to(build("other", "device.c"))
    with pytest.raises(AbigenError) as error:
        core.load_plugins([tmp_path])
    assert "c.so is not a shared library: it is a text file" in messages(error)
    assert "d.so: the device type XPU is taken by" in messages(error)
    assert [plugin.path for plugin in core.plugins] == [tmp_path / "a" / "a.so"]


def test_numpy_arrays_go_in_and_come_out(core: Core, toy: Path) -> None:
    numpy = require_module("numpy")
    core.load_plugin(toy)
    matrix = numpy.arange(6, dtype="float32").reshape(2, 3)
    output = core.run("AddV2", [matrix, matrix.T.copy().T]).outputs[0].numpy()
    assert output.dtype == "float32"
    assert (output == matrix * 2).all()


def test_every_answer_is_tensorflows(core: Core, build: Build) -> None:
    text = (Path(__file__).parent / "probe.txt").read_text(encoding="utf-8")
    numbers, dimensions = ([int(each) for each in part.split()] for part in text.partition("\ny\n")[2].split("\nz\n"))
    core.load_plugin(build("probe", "device.c", "probe.c"))
    inputs = [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1, 2]]
    assert core.infer_shapes("Probe", inputs) == (None, tuple(dimensions))
    with pytest.raises(AbigenError, match="output 1 has the shape"):  # the shape function lies, to tell what it knows
        core.run("Probe", inputs, device="CPU")
    definition = core.op("Probe")
    core.unload_plugin(core.plugins[0].path)
    core.load_plugin(build("probe", "device.c", "probe.c", SHAPES="NULL"))
    assert core.op("Probe").inputs == definition.inputs
    assert core.run("Probe", inputs, device="CPU").outputs[0].tolist() == numbers


def test_a_release_that_has_not_been_is_refused() -> None:
    with pytest.raises(AbigenError, match=r"there has been no release 9.9.9"):
        start_core("tensorflow", release="9.9.9")


def test_a_group_without_a_core_is_refused() -> None:
    with pytest.raises(AbigenError, match="there is no core for `nothing`"):
        start_core("nothing")


def test_inputs_are_bound_as_the_op_says(core: Core, toy: Path) -> None:
    core.load_plugin(toy)
    for inputs, attributes, message in (
        ([1.0], {}, "AddV2: input y is missing"),
        ([1.0, 2.0, 3.0], {}, "AddV2: 1 input too many"),
        ([1.0, 2], {}, "AddV2: input y makes T int32, but input x makes it float32"),
        ([1.0, 2.0], {"T": "int32"}, "AddV2: input x makes T float32, but the given attributes makes it int32"),
        ([1.0, 2.0], {"t": 1}, "AddV2: there is no attribute t"),
        ([from_nested([True]), from_nested([True])], {}, "AddV2: T is bool"),
    ):
        with pytest.raises(AbigenError, match=message):
            core.run("AddV2", inputs, attributes)
