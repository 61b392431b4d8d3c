"""`abigen new --update`: what is new is added, what the author has written stays, and what is left to do is said."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.generator.build.building import Run
from tests.generator.new.projects import SPEC, STRICT, abigen, include, new, sources
from tests.tools import require


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder of specs that tests may change."""
    folder = tmp_path / "spec"
    folder.mkdir()
    (folder / "toybox.yaml").write_text((SPEC / "toybox.yaml").read_text())
    return folder


@pytest.fixture
def bear(tmp_path: Path, specs: Path) -> Path:
    """A plugin that was begun with the first release."""
    return new(tmp_path / "bear", "Bear", "toybox@1.0.0", "--spec-dir", specs)


def update(project: Path, specs: Path, *arguments: str | Path) -> Run:
    """Bring a project up to date, which must succeed."""
    run = abigen("new", "--update", project, "--spec-dir", specs, *arguments)
    assert run.code == 0, run.stderr
    return run


def change(path: Path, old: str, text: str) -> None:
    """Replace what stands in a file."""
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, text))


def compiles(project: Path) -> bool:
    """True if a compiler takes the project without a warning."""
    require("gcc")
    command = ["gcc", *STRICT, *include(project), "-shared", "-fPIC", *sources(project), "-o", project / "p.so"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_new_callback_is_added_behind_what_the_author_has_written(bear: Path, specs: Path) -> None:
    code = bear / "src" / "callbacks.c"
    change(
        code,
        "  // Not implemented yet: say what Bear does here.\n  return NULL;",
        "  return (TP_Toy)(void*)name;  // Mine.",
    )
    mine = code.read_text()
    run = update(bear, specs)
    assert code.read_text().startswith(mine.rstrip())
    assert "Plays with it" in code.read_text()
    assert "Bear: toybox 1.0.0 to toybox 1.2.0" in run.stdout
    line = next(at for at, text in enumerate(code.read_text().splitlines(), 1) if "bear_play(" in text)
    assert f"src/callbacks.c:{line}: bear_play is new" in run.stdout
    assert "TP_TOY_FNS_HAS_FIELD(object, play)" in (bear / "generated" / "plugin.c").read_text()
    assert compiles(bear)


def test_what_the_author_has_not_touched_becomes_what_a_new_project_has(
    bear: Path, specs: Path, tmp_path: Path
) -> None:
    update(bear, specs)
    fresh = new(tmp_path / "fresh", "Bear", "toybox", "--spec-dir", specs)
    files = {path.relative_to(bear): path.read_bytes() for path in bear.rglob("*") if path.is_file()}
    assert files == {path.relative_to(fresh): path.read_bytes() for path in fresh.rglob("*") if path.is_file()}


def test_an_update_to_the_same_release_changes_nothing(bear: Path, specs: Path) -> None:
    change(bear / "src" / "callbacks.c", "// Not implemented yet", "// Mine")
    update(bear, specs)
    files = {path: path.read_bytes() for path in bear.rglob("*") if path.is_file()}
    run = update(bear, specs)
    assert run.stdout == "Bear: toybox 1.2.0 to toybox 1.2.0\nnothing is left to do\n"
    assert files == {path: path.read_bytes() for path in bear.rglob("*") if path.is_file()}


@pytest.mark.ci
def test_a_function_that_the_author_has_written_already_is_not_added(bear: Path, specs: Path) -> None:
    play = '#include "plugin.h"\n\nvoid bear_play(TP_Toy toy, int32_t times) {\n  (void)toy, (void)times;\n}\n'
    (bear / "src" / "play.c").write_text(play)
    run = update(bear, specs)
    assert "bear_play is new in the API, and src/play.c:3 defines it" in run.stdout
    assert "bear_play" not in (bear / "src" / "callbacks.c").read_text()
    assert (bear / "src" / "play.c").read_text() == play
    assert compiles(bear)


def test_a_file_that_the_author_has_deleted_does_not_come_back(bear: Path, specs: Path) -> None:
    (bear / "tests" / "test_plugin.c").unlink()
    (bear / "src" / "callbacks.c").rename(bear / "src" / "bear.c")
    update(bear, specs)
    assert not (bear / "tests" / "test_plugin.c").exists()
    assert "bear_make" not in (bear / "src" / "callbacks.c").read_text()
    assert compiles(bear)


def test_a_changed_signature_is_reported_where_it_stands(bear: Path, specs: Path) -> None:
    change(bear / "src" / "callbacks.c", "// Not implemented yet", "// Mine")
    change(specs / "toybox.yaml", "TP_Toy (*)(const char* name)", "TP_Toy (*)(const char* name, int32_t size)")
    run = update(bear, specs)
    assert "src/callbacks.c:6: bear_make is declared in another way now:" in run.stdout
    assert "was TP_Toy bear_make(const char* name)" in run.stdout
    assert "is  TP_Toy bear_make(const char* name, int32_t size)" in run.stdout


def test_a_function_that_is_gone_is_reported_where_it_stands(bear: Path, specs: Path) -> None:
    change(bear / "src" / "callbacks.c", "// Not implemented yet", "// Mine")
    change(specs / "toybox.yaml", 'wind_up, optional: true, type: "bool (*)(TP_Toy toy)"', "wound, type: int32_t")
    run = update(bear, specs)
    assert "bear_wind_up is no longer part of the API: remove it" in run.stdout
    assert "bear_wind_up" not in (bear / "generated" / "plugin.h").read_text()


def test_a_deprecated_callback_stays_for_older_cores(bear: Path, specs: Path, tmp_path: Path) -> None:
    change(specs / "toybox.yaml", "wind_up, optional: true,", "wind_up, optional: true, deprecated: {since: 1.2.0},")
    update(bear, specs)
    assert "object->wind_up = bear_wind_up" in (bear / "generated" / "plugin.c").read_text()
    fresh = new(tmp_path / "fresh", "Bear", "toybox", "--spec-dir", specs)
    assert "wind_up" not in (fresh / "generated" / "plugin.c").read_text()


def test_functions_keep_their_names_when_others_of_that_name_come(bear: Path, specs: Path) -> None:
    text = (specs / "toybox.yaml").read_text()
    more = "  - name: TB_Aaa\n    since: 1.2.0\n    fields:\n"
    more += '      - {name: make, set_by: plugin, required: true, type: "void (*)(void)", doc: Other.}\n'
    (specs / "toybox.yaml").write_text(text.replace("structs:\n", f"structs:\n{more}"))
    update(bear, specs)
    plugin = (bear / "generated" / "plugin.h").read_text()
    assert "TP_Toy bear_make(const char* name);" in plugin
    assert "void bear_aaa_make(void);" in plugin


def test_a_project_is_found_where_one_stands(bear: Path, specs: Path) -> None:
    run = abigen("new", "--update", "--spec-dir", specs, cwd=bear)
    assert run.code == 0, run.stderr
    assert "bear_play is new" in run.stdout


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 2, "abigen": "9.0.0"}'])
def test_a_record_that_is_none_is_refused(bear: Path, specs: Path, text: str) -> None:
    (bear / ".abigen-new.json").write_text(text)
    run = abigen("new", "--update", bear, "--spec-dir", specs)
    assert run.code == 2
    assert "bug in abigen" not in run.stderr


def test_a_record_cannot_reach_out_of_its_project(bear: Path, specs: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("")
    change(bear / ".abigen-new.json", '"generated/plugin.c"', '"generated/../../precious"')
    assert abigen("new", "--update", bear, "--spec-dir", specs).code == 2
    assert (tmp_path / "precious").exists()


def test_what_is_no_project_is_not_updated(tmp_path: Path) -> None:
    run = abigen("new", "--update", tmp_path)
    assert run.code == 2
    assert "is not a project of abigen new" in run.stderr


def test_options_that_a_project_was_made_with_stay(bear: Path) -> None:
    run = abigen("new", "--update", bear, "--lang", "cpp")
    assert run.code == 2
    assert "--lang cannot change in an update" in run.stderr


def test_a_plugin_in_cpp_is_updated_too(tmp_path: Path, specs: Path) -> None:
    bear = new(tmp_path / "bear", "Bear", "toybox@1.0.0", "--spec-dir", specs, language="cpp")
    code = bear / "src" / "callbacks.cc"
    change(code, "// Not implemented yet", "// Mine")
    mine = code.read_text()
    run = update(bear, specs)
    assert code.read_text().startswith(mine.rstrip())
    assert "bear::ToyFns::play is new" in run.stdout
    assert "static void play(tb::Toy toy, int32_t times);" in (bear / "generated" / "plugin.hpp").read_text()


def test_an_update_finds_the_spec_again_from_any_folder(tmp_path: Path, specs: Path) -> None:
    spec = specs.rename(tmp_path / "o@her") / "toybox.yaml"
    bear = new(tmp_path / "bear", "Bear", f"{spec}@1.0.0")
    for cwd, arguments in ((bear, (".",)), (tmp_path, ("bear",))):
        run = abigen("new", "--update", *arguments, cwd=cwd)
        assert run.code == 0, run.stderr
    assert "bear_play" in (bear / "src/callbacks.c").read_text()
    assert str(tmp_path) not in (bear / ".abigen-new.json").read_text()


def test_a_project_and_its_spec_move_together(tmp_path: Path, specs: Path) -> None:
    (tmp_path / "one").mkdir()
    spec = specs.rename(tmp_path / "one/spec") / "toybox.yaml"
    new(tmp_path / "one/bear", "Bear", f"{spec}@1.0.0")
    (tmp_path / "one").rename(tmp_path / "two")
    run = abigen("new", "--update", tmp_path / "two/bear")
    assert run.code == 0, run.stderr
    assert "bear_play is new" in run.stdout


@pytest.mark.ci
def test_a_spec_that_is_no_longer_there_is_named(tmp_path: Path, specs: Path) -> None:
    bear = new(tmp_path / "bear", "Bear", f"{specs / 'toybox.yaml'}@1.0.0")
    moved = specs.rename(tmp_path / "other") / "toybox.yaml"
    run = abigen("new", "--update", ".", cwd=bear)
    assert run.code == 2
    assert run.stderr == (
        "abigen: error: the spec of Bear is no longer at ../spec/toybox.yaml: it was toybox 1.0.0\n"
        "  hint: --api FILE names the spec in its new place\n"
    )
    run = abigen("new", "--update", ".", "--api", moved, cwd=bear)
    assert run.code == 0, run.stderr
    assert "bear_play is new" in run.stdout
    assert abigen("new", "--update", ".", cwd=bear).code == 0


def test_a_spec_that_changed_without_a_release_is_remarked(bear: Path, specs: Path) -> None:
    update(bear, specs)
    change(specs / "toybox.yaml", "doc: ", "doc: Now ")
    assert "../spec/toybox.yaml has changed since, and is still release" in abigen("new", "--update", bear).stdout
    assert "has changed since" not in abigen("new", "--update", bear).stdout


def test_a_record_of_an_earlier_abigen_is_still_read(bear: Path, specs: Path) -> None:
    record = json.loads((bear / ".abigen-new.json").read_text())
    for key in ("spec", "specs", "spec_digest"):
        del record[key]
    (bear / ".abigen-new.json").write_text(json.dumps(record | {"format": 1}))
    run = abigen("new", "--update", bear)
    assert run.code == 2
    assert "there is no spec `toybox`" in run.stderr
    assert "--api or --spec-dir names its spec" in run.stderr
    assert "bear_play is new" in update(bear, specs).stdout
    assert json.loads((bear / ".abigen-new.json").read_text())["spec"] == "../spec/toybox.yaml"
