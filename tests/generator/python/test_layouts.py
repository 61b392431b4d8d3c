"""Every struct stands in memory as the C compiler puts it there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.generator.build.building import SPEC as SPECS_OF_TARGET_C
from tests.generator.python.building import RUNTIME, SHARED, compilers_layouts, generate, load_package
from tests.generator.python.conftest import Robots
from tests.whole_build import whole_build


def _structs(package: Any, shared: Any) -> dict[str, Any]:
    """Return a package's own structs whose members are known, by name."""
    found = {
        name: each
        for name, each in vars(package).items()
        if isinstance(each, type) and issubclass(each, shared.Struct) and each.__module__ == package.__name__
    }
    return {name: each for name, each in found.items() if each.member_names()}


def _assert_layouts(package: Any, shared: Any, include: Path, folder: Path) -> int:
    """Compare all structs of a package; returns how many there are."""
    structs = _structs(package, shared)
    plain: dict[str, list[tuple[str, str]]] = {}
    for name, each in structs.items():
        fields = dict(package.ffi.typeof(name).fields)
        pairs = [(python, each._field(python)) for python in each.member_names()]
        plain[name] = [pair for pair in pairs if fields[pair[1]].bitsize < 0]
    header = package._declarations.declarations.include
    expected = compilers_layouts(
        header, include, {name: [c for _, c in pairs] for name, pairs in plain.items()}, folder
    )
    for name, each in structs.items():
        own = [package.ffi.sizeof(name), *(each.offset_of(python) for python, _ in plain[name])]
        assert (name, own) == (name, expected[name])
    return len(structs)


def test_layouts_are_the_compiler_s(robots: Robots, tmp_path: Path) -> None:
    shared: Any = load_package(SHARED, RUNTIME)
    assert _assert_layouts(robots.package, shared, robots.folder / "c", tmp_path) == 10


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("group", "package", "count"),
    [
        ("rfc", "stream_executor", 16),
        ("tensorflow", "stream_executor", 12),
        ("tensorflow", "tf_tensor", 1),
        ("tensorflow", "tf_buffer", 1),
        ("tensorflow", "tf_rendezvous", 8),
        ("tensorflow", "kernels", 1),
        ("tensorflow", "c_api", 1),
    ],
)
def test_layouts_of_the_apis_that_come_with_abigen_are_the_compiler_s(
    group: str, package: str, count: int, tmp_path: Path
) -> None:
    folder, parent = whole_build(group), f"{group}_plugin_api"
    loaded = load_package(folder / "python", f"{parent}.{package}")
    shared = load_package(SHARED, RUNTIME)
    assert _assert_layouts(loaded, shared, folder / "c", tmp_path) == count


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate(tmp_path_factory.mktemp("zoo"), SPECS_OF_TARGET_C)


def test_everything_that_specs_can_say_of_types_is_declared(zoo: Path, tmp_path: Path) -> None:
    (zoo / "python" / "plugin_api").rename(zoo / "python" / "zoo_api")
    shared = load_package(SHARED, RUNTIME)
    package = load_package(zoo / "python", "zoo_api.zoo")
    assert _assert_layouts(package, shared, zoo / "c", tmp_path) == 5
    assert package.zoo_aligned.member_names() == ()
    assert package.zoo_animal().aligned == package.zoo_aligned.null()
    toy = load_package(zoo / "python", "zoo_api.toy")
    assert _assert_layouts(toy, shared, zoo / "c", tmp_path) == 3
    assert (toy.TOY_NAME, toy.TOY_MAX, toy.TOY_MAJOR) == ("a /* b", 4, 1)
    assert (package.ZOO_MASK, package.ZOO_LIMIT, package.zoo_color.ZOO_BLUE) == (15, 0x7FFFFFFF, 5)
