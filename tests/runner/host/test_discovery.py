"""Plugins in directories."""

from __future__ import annotations

import site
from pathlib import Path

import pytest

from abigen.model.span import AbigenError
from abigen.workspace import libraries


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def test_libraries_are_found_below_directories_in_a_stable_order(tmp_path: Path) -> None:
    expected = [touch(tmp_path / name) for name in ("a/x.so", "a.so", "b/c/d.so")]
    for other in ("a/x.py", ".hidden/y.so", "b/.z.so", "__pycache__/q.so", "x.so.txt"):
        touch(tmp_path / other)
    assert libraries.find_plugins([tmp_path]) == tuple(expected)


def test_directories_keep_their_order(tmp_path: Path) -> None:
    later, earlier = touch(tmp_path / "1" / "x.so"), touch(tmp_path / "2" / "y.so")
    assert libraries.find_plugins([tmp_path / "2", tmp_path / "1"]) == (earlier, later)


def test_links_to_one_file_are_one_plugin(tmp_path: Path) -> None:
    file = touch(tmp_path / "b.so")
    (tmp_path / "a.so").symlink_to(file)
    (tmp_path / "c.so").hardlink_to(file)
    (tmp_path / "dangling.so").symlink_to(tmp_path / "gone.so")
    assert libraries.find_plugins([tmp_path, tmp_path]) == (tmp_path / "a.so",)


def test_a_missing_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AbigenError, match="there is no directory"):
        libraries.find_plugins([tmp_path / "gone"])


def test_the_default_is_a_folder_among_the_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path)])
    (tmp_path / "some-plugins").mkdir()
    assert tmp_path / "some-plugins" in libraries.default_directories("some-plugins")


@pytest.mark.parametrize(("platform", "suffix"), [("linux", ".so"), ("darwin", ".dylib"), ("win32", ".dll")])
def test_each_platform_has_its_suffix(platform: str, suffix: str) -> None:
    assert suffix in libraries.plugin_suffixes(platform)
