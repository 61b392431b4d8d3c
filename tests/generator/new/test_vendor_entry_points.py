"""Entry points of vendors' APIs do what the core needs before the plugin's author writes anything."""

from pathlib import Path

import pytest

from tests.running import run_here

_SHORTER = {
    "c": "version < ADBC_VERSION_1_1_0 ? offsetof(struct AdbcDriver, ErrorGetDetailCount) : sizeof(whole)",
    "cpp": "version < ADBC_VERSION_1_1_0 ? offsetof(struct AdbcDriver, ErrorGetDetailCount) : sizeof(whole)",
    "python": 'size = ffi.offsetof("struct AdbcDriver", "ErrorGetDetailCount")',
    "rust": "if version < ADBC_VERSION_1_1_0 as _ {",
}


def callbacks(folder: Path, api: str, language: str) -> str:
    """Return the source of a new plugin for an API that comes with abigen."""
    done = run_here(["new", "gain", str(folder / "gain"), "--api", api, "--lang", language])
    assert done.code == 0, done.stderr
    return next((folder / "gain/src").glob("callbacks.*")).read_text("utf-8")


@pytest.mark.first_case
@pytest.mark.parametrize("language", _SHORTER)
def test_an_older_core_gets_no_more_of_a_struct_than_it_has(language: str, tmp_path: Path) -> None:
    text = callbacks(tmp_path, "adbc", language)
    assert _SHORTER[language] in text
    assert "fill_error(error)" not in text


def test_an_entry_point_that_has_to_find_functions_first_fails_until_it_is_written(tmp_path: Path) -> None:
    assert "return REDISMODULE_ERR;" in callbacks(tmp_path, "redis", "c")


def test_a_table_that_is_exported_states_its_kind_and_version(tmp_path: Path) -> None:
    callbacks(tmp_path, "sudo", "c")
    table = (tmp_path / "gain/generated/plugin.c").read_text("utf-8")
    assert ".type = SUDO_IO_PLUGIN" in table
    assert ".version = SUDO_API_VERSION" in table
