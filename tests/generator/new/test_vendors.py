"""Plugins for headers that stay their vendors', one for each way in which a host gets what a plugin has."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml

from tests.generator.new.projects import DEBUG, built, built_in_rust
from tests.running import Run, run_here
from tests.sampling import short_form

HEADERS = Path(__file__).with_name("vendors")
SPECS = Path(__file__).parents[3] / "spec"
ENTRIES = {
    "lister": (),
    "exporter": (),
    "stored": (),
    "data": ("struct log_plugin {name}_log",),
    "core_table": ("int db_{name}_init(db* database, char** error, const db_api* api)",),
    "finder": ("int Kv_OnLoad(KvCtx* ctx, const char** argv, int argc)",),
    "versioned": (),
}
PROJECTS = [(name, language) for name in ENTRIES for language in ("c", "cpp", "python", "rust")]


def begun(name: str, language: str, folder: Path) -> Run:
    """Begin a plugin for one of the headers; without an entry point that is named, for the only candidate."""
    entries = ENTRIES[name] or (CANDIDATES[name],)
    options = [word for each in entries for word in ("--entry", each)]
    return run_here(["new", "Bear", str(folder), "--api", str(HEADERS / f"{name}.h"), "--lang", language, *options])


CANDIDATES = {
    "lister": "fx_describe",
    "exporter": "vx_init",
    "stored": "TK_GetFunctionList",
    "versioned": "DrvTableInit",
}


def imported(name: str, folder: Path, *entries: str) -> tuple[Run, dict[str, object]]:
    """Import one of the headers; return what was said, and the spec."""
    options = [word for each in entries for word in ("--entry", each)]
    done = run_here(["import", str(HEADERS / f"{name}.h"), "--vendor", "--out", str(folder), *options])
    path = folder / f"{name}.yaml"
    return done, yaml.safe_load(path.read_text()) if path.exists() else {}


@pytest.mark.ci
@pytest.mark.parametrize(("name", "language"), short_form(PROJECTS, 9, in_ci=True, ci_every=2))
def test_an_untouched_plugin_builds_without_warning_and_passes_its_test(
    name: str, language: str, tmp_path: Path
) -> None:
    done = begun(name, language, tmp_path / "bear")
    assert done.code == 0, done.stderr
    if language == "rust":
        built_in_rust(tmp_path / "bear")
        return
    python = (f"-DPython_EXECUTABLE={sys.executable}",) if language == "python" else ()
    built(tmp_path / "bear", "-DBEAR_WERROR=ON", *python)


@pytest.mark.ci
@pytest.mark.parametrize("name", [path.stem for path in sorted((SPECS / "vendor").glob("*.yaml"))])
@pytest.mark.parametrize("language", ["c", "cpp", "python", "rust"])
def test_a_plugin_of_every_vendors_api_that_comes_with_abigen_can_be_begun(
    name: str, language: str, tmp_path: Path
) -> None:
    done = run_here(["new", "Bear", str(tmp_path / "bear"), "--api", name, "--lang", language])
    assert done.code == 0, done.stderr


OPTIONAL = {
    "c": ("callbacks.c", "plugin.c", r"// Optional\.\n[^\n]*bear_run_adding\(.*?\n}\n\n"),
    "cpp": ("callbacks.cc", "plugin.cc", r"// Optional\.\n[^\n]*DescriptorFns::run_adding\(.*?\n}\n\n"),
    "python": ("callbacks.py", "plugin.c", r"@callback\ndef bear_run_adding\(.*? not implemented\"\)\n+"),
    "rust": ("callbacks.rs", "plugin.rs", r"/// Optional\.\n[^\n]*bear_run_adding\(.*?\n}\n\n"),
}


@pytest.mark.first_case
@pytest.mark.parametrize("language", OPTIONAL)
def test_an_optional_function_can_be_deleted_and_written_again(language: str, tmp_path: Path) -> None:
    name, generated, function = OPTIONAL[language]
    project = tmp_path / "bear"
    assert run_here(["new", "Bear", str(project), "--api", "ladspa", "--lang", language]).code == 0
    source, plugin = project / "src" / name, project / "generated" / generated
    whole, text = plugin.read_text(), source.read_text()
    shorter, count = re.subn(function, "", text, flags=re.DOTALL)
    assert count == 1 and "run_adding" in whole
    source.write_text(shorter)
    done = run_here(["new", "--update", str(project)])
    assert (
        "run_adding is optional, and no file defines it: the plugin leaves it out\nnothing is left to do\n"
        in done.stdout
    )
    assert not re.search(r"\brun_adding\b|bear_run_adding", plugin.read_text())
    assert run_here(["new", "--update", str(project)]).stdout.endswith("\nnothing is left to do\n")
    source.write_text(text)
    assert run_here(["new", "--update", str(project)]).code == 0
    assert plugin.read_text() == whole


def test_a_required_function_that_is_deleted_is_missed(tmp_path: Path) -> None:
    project = tmp_path / "bear"
    assert run_here(["new", "Bear", str(project), "--api", "ladspa"]).code == 0
    source = project / "src" / "callbacks.c"
    source.write_text(source.read_text().replace("bear_instantiate", "bear_begin"))
    done = run_here(["new", "--update", str(project)])
    assert "to do:\n  bear_instantiate is required, and no file defines it: write it\n" in done.stdout, done.stdout


@pytest.mark.ci
@pytest.mark.parametrize("name", list(ENTRIES))
def test_verify_accuses_no_untouched_plugin(name: str, tmp_path: Path) -> None:
    assert begun(name, "c", tmp_path / "bear").code == 0
    library = built(tmp_path / "bear", DEBUG)
    spec = tmp_path / "bear" / "spec" / f"{name}.yaml"
    done = run_here(["verify", str(library), "--api", str(spec), "--quick"])
    assert done.code == 0, done.stdout + done.stderr


def test_the_only_entry_point_is_taken_and_the_facts_are_stated(tmp_path: Path) -> None:
    done, spec = imported("lister", tmp_path)
    assert done.code == 0 and "a plugin exports fx_describe" in done.stdout
    assert spec["header"] == {"vendor": '"lister.h"', "reserved_names": True}
    assert spec["functions"] == [
        {
            "name": "fx_describe",
            "type": "const fx_effect *(unsigned long index)",
            "implemented_by": "plugin",
            "entry_point": True,
            "listed_by": "index",
        }
    ]
    assert spec["conventions"] == {"errors": {"null_fails": True}}
    (instance,) = (each for each in spec["typedefs"] if each["name"] == "fx_instance")  # type: ignore[attr-defined]
    assert instance["create"] == "fx_effect.instantiate" and instance["destroy"] == "fx_effect.cleanup"
    assert instance["calls"] == ["fx_effect.connect_port", "fx_effect.run"]


def test_a_header_that_lists_exported_functions_needs_no_entry_point(tmp_path: Path) -> None:
    done, spec = imported("exporter", tmp_path)
    assert done.code == 0, done.stderr
    functions = spec["functions"]
    assert isinstance(functions, list) and all(each["entry_point"] for each in functions) and len(functions) == 6
    assert spec["header"] == {"vendor": '"exporter.h"', "extern_c": True}
    assert "to find out: which of these are optional for a plugin" in done.stdout


def test_constants_that_comments_name_are_the_values_of_members(tmp_path: Path) -> None:
    _, spec = imported("data", tmp_path, "struct log_plugin {name}_log")
    (struct,) = spec["structs"]  # type: ignore[misc]
    values = {each["name"]: each.get("value") for each in struct["fields"][:2]}  # type: ignore[index]
    assert values == {"type": "LOG_IO_PLUGIN", "version": "LOG_API_VERSION"}
    assert spec["variables"][0]["symbol"] == "{name}_log"  # type: ignore[index]


def test_functions_that_are_found_by_name_belong_to_the_core(tmp_path: Path) -> None:
    _, spec = imported("finder", tmp_path, *ENTRIES["finder"])
    found = {each["name"]: each.get("found_by") for each in spec["functions"]}  # type: ignore[attr-defined]
    assert found["Kv_CreateCommand"] == found["Kv_Reply"] == "Kv_GetApi"


def test_codes_are_found_by_the_names_of_constants(tmp_path: Path) -> None:
    _, spec = imported("stored", tmp_path)
    result = {"type": "TK_RV", "ok": "TKR_OK", "failed": "TKR_GENERAL_ERROR"}
    assert spec["conventions"] == {"errors": {"result": result | {"unsupported": "TKR_FUNCTION_NOT_SUPPORTED"}}}


def test_a_table_that_macros_call_is_the_cores_and_nothing_overwrites_it(tmp_path: Path) -> None:
    entry = "int db_{name}_init(db* database, char** error, db_api* api)"
    _, spec = imported("core_table", tmp_path, entry)
    (struct,) = spec["structs"]  # type: ignore[misc]
    assert struct["filled_by"] == "core"  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "entries", "said"),
    [
        ("data", (), "does not state which function of a plugin a host calls first"),
        ("lister", ("fx_descibe",), "the header declares no 'fx_descibe'"),
        ("lister", ("int (",), "is neither a name nor a declaration"),
        ("core_table", ("unknown_t db_{name}_init(db* database)",), "unknown type name 'unknown_t'"),
    ],
)
def test_what_is_wrong_with_entry_points_is_said_in_a_line(
    name: str, entries: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done, spec = imported(name, tmp_path, *entries)
    assert done.code == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert not spec


def test_a_project_keeps_a_header_that_no_compiler_finds(tmp_path: Path) -> None:
    assert begun("stored", "c", tmp_path / "bear").code == 0
    kept = tmp_path / "bear" / "vendor" / "stored.h"
    assert kept.read_text() == (HEADERS / "stored.h").read_text()


def test_an_update_keeps_the_plugin_and_finds_its_spec(tmp_path: Path) -> None:
    assert begun("lister", "c", tmp_path / "bear").code == 0
    source = tmp_path / "bear" / "src" / "callbacks.c"
    source.write_text(source.read_text().replace("return NULL;", "return NULL;  // mine"))
    done = run_here(["new", "--update", str(tmp_path / "bear")])
    assert done.code == 0 and "// mine" in source.read_text()


def test_build_says_what_a_header_declares_otherwise_than_its_spec(tmp_path: Path) -> None:
    imported("lister", tmp_path / "spec")
    changed = (HEADERS / "lister.h").read_text().replace("unsigned long ports;", "unsigned long ports, more;")
    (tmp_path / "lister.h").write_text(changed)
    (tmp_path / "abigen.toml").write_text('includes = ["."]\n')
    done = run_here(["build", "--out", "out"], tmp_path)
    assert done.code == 0 and "not as in the spec: fx_effect.more was removed" in done.stderr
    assert run_here(["build", "--out", "out", "--check"], tmp_path).code == 1


def test_an_entry_point_that_the_api_does_not_have_is_refused(tmp_path: Path) -> None:
    done = run_here(["new", "Bear", str(tmp_path / "bear"), "--api", "sudo", "--entry", "policy_plugin"])
    assert done.code == 2 and "sudo.yaml has no entry point policy_plugin" in done.stderr
    assert "hint: it has plugin_io, plugin_policy," in done.stderr
