"""Tests that all parts agree about facts: rules, validators, the C++ and Python targets, scaffolds and verify."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from abigen.headers.facts import with_facts
from abigen.model.api import Conventions
from abigen.model.contract import Party
from tests.headers.facts.consumers import Consumers, api_of, findings
from tests.running import run_here

PROBE = (Path(__file__).parent / "spec" / "probe.yaml").read_text()
ORDERS = {
    "shortest prefix first": PROBE,
    "longest prefix first": PROBE.replace("{PR_: core, PR_Plug: plugin}", "{PR_Plug: plugin, PR_: core}"),
}
LAST = {
    "PR_PlugPoint": "      - {name: label, required: true, type: const char*, doc: What it is.}\n",
    "PR_Option": "      - {name: key, type: const char*, doc: Which.}\n",
    "PR_PlugTable": "      - {name: point_count, type: size_t, doc: How many.}\n",
    "PR_Params": "      - {name: services, type: const PR_Services*, doc: To be called.}\n",
}
"""The last member of structs, as the spec has it."""
MORE = "      - {name: more, type: void*, since: 1.1.0, zero: no-op, doc: More.}\n"


@pytest.fixture(scope="module", params=ORDERS)
def probe(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Consumers:
    return Consumers(tmp_path_factory.mktemp("probe"), ORDERS[request.param])


def _fields(probe: Consumers) -> dict[str, Party]:
    structs = probe.model.structs.values()
    return {f"{each.name}.{field.name}": field.filler for each in structs for field in each.fields or ()}


def test_the_longest_prefix_says_who_fills_a_struct_and_a_mark_says_otherwise(probe: Consumers) -> None:
    structs = probe.model.structs
    assert {name: structs[name].filler for name in ("PR_PlugTable", "PR_PlugPoint", "PR_Services", "PR_Params")} == {
        "PR_PlugTable": Party.PLUGIN,
        "PR_PlugPoint": Party.PLUGIN,
        "PR_Services": Party.CORE,
        "PR_Params": Party.CORE,
    }
    fields = _fields(probe)
    assert fields["PR_PlugTable.start"] is Party.PLUGIN
    assert fields["PR_PlugTable.report"] is Party.CORE
    assert fields["PR_Services.log"] is Party.CORE
    assert fields["PR_Services.answer"] is Party.PLUGIN


def _required(probe: Consumers, party: Party) -> set[str]:
    structs = probe.model.structs.values()
    fields = [(each, field) for each in structs for field in each.fields or ()]
    return {
        f"{each.name}.{field.name}" for each, field in fields if field.contract.is_required and field.filler is party
    }


def test_validators_ask_for_what_each_side_has_to_set(probe: Consumers) -> None:
    asked = {
        f"{struct}.{member}"
        for struct in probe.model.structs
        for member in re.findall(rf"(?:{{ABIGEN_V1_PLACE|ABIGEN_V1_REQUIRED)\({struct}, (\w+)", probe.validator(struct))
    }
    structs = probe.model.structs
    of_core = {each for each in _required(probe, Party.CORE) if structs[each.partition(".")[0]].filler is Party.CORE}
    assert asked == _required(probe, Party.PLUGIN) | of_core


@pytest.mark.ci
def test_verify_misses_what_the_plugin_has_to_set_and_nothing_else(probe: Consumers) -> None:
    missing = {entity for rule, entity in probe.verified if rule == "required-member-missing"}
    in_table = {each for each in _required(probe, Party.PLUGIN) if each.startswith("PR_PlugTable.")}
    assert missing == in_table
    assert not [entity for rule, entity in probe.verified if rule == "core-member-overwritten"]


def test_a_scaffold_writes_the_callbacks_that_the_plugin_sets(probe: Consumers) -> None:
    source = (probe.scaffold / "src/callbacks.c").read_text()
    written = set(re.findall(r"^\w+\*? xp_(\w+)\(", source, re.MULTILINE))
    callbacks = {
        field.name
        for struct in probe.model.structs.values()
        for field in struct.fields or ()
        if probe.model.callback(field.type) and field.filler is not Party.CORE
    }
    assert written == callbacks == {"start", "stop", "tell", "answer"}


def test_a_table_in_cpp_has_the_callbacks_of_the_side_that_fills_it(probe: Consumers) -> None:
    bound = set(re.findall(r"ABIGEN_CPP_MEMBER\((\w+?_\w+?)_(\w+),\s*\2,", probe.cpp))
    expected = {
        (struct.name, field.name)
        for struct in probe.model.structs.values()
        for field in struct.fields or ()
        if probe.model.callback(field.type) and field.filler is struct.filler
    }
    assert bound == expected


def test_rules_name_the_side_that_fills_a_member(probe: Consumers) -> None:
    fields = _fields(probe)
    for name, party in (("tell", Party.PLUGIN), ("report", Party.CORE), ("log", Party.CORE), ("answer", Party.PLUGIN)):
        changed = probe.changed(f"{{name: {name}, ", f"{{name: {name}, zero: no-op, ")
        ((_, entity, contract),) = [each for each in findings(probe.spec, changed) if each[0] == "zero-meaning-changed"]
        assert fields[entity] is party
        assert f"a {party} built against NEW may leave" in contract


def test_all_agree_on_which_structs_are_versioned(probe: Consumers) -> None:
    versioned = {"PR_PlugTable", "PR_Services", "PR_Option", "PR_Params"}
    structs = probe.model.structs
    assert {name for name, each in structs.items() if each.is_versioned} == versioned
    assert {structs[name].size_member for name in versioned} == {"struct_size"}
    assert {name for name in structs if re.search(rf"sizeof|OFFSET_OF_END\({name},", probe.header)} >= versioned
    assert "PR_OFFSET_OF_END(PR_PlugPoint" not in probe.header
    by_size = {name for name in structs if f"ABIGEN_V1_PLACE({name}, struct_size)" in probe.validator(name)}
    assert by_size == {name for name in versioned if probe.validator(name)}
    classes = re.findall(r"^class (\w+)\(([^:]*?)\):$", probe.python, re.MULTILINE | re.DOTALL)
    assert {name for name, head in classes if 'size_field="struct_size"' in head} == versioned
    tables = set(re.findall(r"static std::size_t Fill\((\w+)\* object\)", probe.cpp))
    assert tables == {"PR_PlugTable", "PR_Services"}
    for name, last in LAST.items():
        rules = {rule for rule, entity, _ in findings(probe.spec, probe.changed(last, last + MORE))}
        is_counted = name == "PR_Option"
        assert ("field-appended" in rules) == (name in versioned and not is_counted), (name, rules)
        assert ("append-to-frozen-struct" in rules) == (name not in versioned), (name, rules)


def test_all_agree_on_which_parameters_receive_errors(probe: Consumers) -> None:
    fields = {each.name: each for each in probe.model.structs["PR_PlugTable"].fields or ()}
    callbacks = {name: probe.model.callback(fields[name].type) for name in ("start", "stop", "tell")}
    assert {name: type and probe.model.status_position(type) for name, type in callbacks.items()} == {
        "start": 0,
        "stop": 0,
        "tell": None,
    }
    usages = dict(re.findall(r"^//   static (.*?) (start|stop|tell)\(", probe.cpp, re.MULTILINE))
    assert {name for _, name in re.findall(r"^//   static (pr::Status) (\w+)\(\);", probe.cpp, re.MULTILINE)} == {
        "start",
        "stop",
    }, usages
    adapters = r"^def _adapt_PR_PlugTable_(\w+)\((.*?)^    return adapted"
    adapted = re.findall(adapters, probe.python, re.MULTILINE | re.DOTALL)
    assert {name for name, body in adapted if "_status.report(" in body} == {"start", "stop"}
    source = (probe.scaffold / "src/callbacks.c").read_text()
    bodies = {name: re.search(rf"xp_{name}\(.*?^}}", source, re.MULTILINE | re.DOTALL) for name in callbacks}
    assert {name for name, body in bodies.items() if body and "PR_SetStatus(" in body[0]} == {"start", "stop"}
    assert "void* context, PR_Status* status)" in " ".join(probe.checks.split())


def test_all_agree_on_what_counts_what(probe: Consumers) -> None:
    fields = {each.name: each for each in probe.model.structs["PR_PlugTable"].fields or ()}
    assert fields["values"].count == "num_values"
    assert fields["points"].count == "point_count"
    assert re.search(r'values = _rt\.CountedMember\(.*"num_values"\)', probe.python)
    assert re.search(r'points = _rt\.CountedMember\(.*"point_count"\)', probe.python)
    assert "::PR_Sum(values.data(), values.size())" in probe.cpp
    key = LAST["PR_Option"]
    rules = {(rule, entity) for rule, entity, _ in findings(probe.spec, probe.changed(key, key + MORE))}
    assert ("append-shifts-embedder", "PR_Option.more") in rules


def test_facts_are_decided_anew_by_other_conventions(tmp_path: Path) -> None:
    header = tmp_path / "a.h"
    header.write_text("typedef struct AP_T { unsigned long n_bytes; int* xs; unsigned long xs_there; } AP_T;")
    api = api_of(header).groups[0].api
    assert (api.structs["AP_T"].filler, api.structs["AP_T"].size_member) == (Party.UNKNOWN, "")
    assert [each.count for each in api.structs["AP_T"].fields or ()] == ["", "", ""]
    own = Conventions(size_field="n_bytes", filled_by={"A": "core", "AP_": "plugin"}, counts=("*_there",))
    api = with_facts(replace(api, conventions=own))
    assert (api.structs["AP_T"].filler, api.structs["AP_T"].size_member) == (Party.PLUGIN, "n_bytes")
    assert [each.count for each in api.structs["AP_T"].fields or ()] == ["", "xs_there", ""]
    api = with_facts(replace(api, conventions=Conventions()))
    assert (api.structs["AP_T"].filler, api.structs["AP_T"].size_member) == (Party.UNKNOWN, "")
    assert [each.count for each in api.structs["AP_T"].fields or ()] == ["", "", ""]


def test_who_calls_a_callback_fills_its_arguments(tmp_path: Path) -> None:
    header = tmp_path / "a.h"
    header.write_text("""
        #include <stddef.h>
        typedef struct Q_Args { size_t struct_size; int a; } Q_Args;
        typedef struct Q_Shared { size_t struct_size; int a; } Q_Shared;
        typedef struct Q_Output { int a; } Q_Output;
        typedef struct SP_Table {
          size_t struct_size;
          void (*run)(Q_Args* args, Q_Shared* shared, Q_Output* output);
          void (*stop)(Q_Shared* shared);
        } SP_Table;
    """)
    structs = api_of(header).groups[0].api.structs
    assert structs["Q_Args"].filler is Party.CORE
    assert {field.filler for field in structs["Q_Args"].fields or ()} == {Party.CORE}
    assert structs["Q_Shared"].filler is structs["Q_Output"].filler is Party.UNKNOWN


@pytest.mark.ci
def test_unmarked_members_are_required_by_all_where_the_convention_says_so(tmp_path: Path) -> None:
    text = PROBE.replace("  leading_fields:", "  unmarked: required\n  leading_fields:")
    probe = Consumers(tmp_path, text)
    fields = {each.name: each for each in probe.model.structs["PR_PlugTable"].fields or ()}
    assert fields["tell"].contract.is_required and fields["points"].contract.is_required
    assert not fields["struct_size"].contract.is_required and not fields["ext"].contract.is_required
    assert fields["stop"].contract.is_optional
    asked = set(
        re.findall(r"(?:{ABIGEN_V1_PLACE|ABIGEN_V1_REQUIRED)\(PR_PlugTable, (\w+)", probe.validator("PR_PlugTable"))
    )
    assert asked == {"start", "tell", "values", "points"}
    missing = {entity for rule, entity in probe.verified if rule == "required-member-missing"}
    assert {f"PR_PlugTable.{each}" for each in asked} <= missing


def test_lint_and_bindings_agree_on_what_is_kept_after_a_call(tmp_path: Path) -> None:
    table = "  - name: PR_PlugTable\n    doc: What the plugin can do.\n    fields:\n"
    member = "      - {name: set_listener, type: PR_Set, doc: Sets it.}\n"
    callbacks = """\
callbacks:
  - {name: PR_Listener, type: "void (*)(void* data)", doc: Is told.}
  - {name: PR_Set, retains: [listener], type: "void (*)(PR_Listener listener, void* data)", doc: Sets a listener.}
"""
    assert table in PROBE
    text = PROBE.replace(table, table + member).replace("enums:\n", callbacks + "enums:\n")
    probe = Consumers(tmp_path, text)
    said = run_here(["lint", str(probe.spec), "--format", "concise"])
    assert "retention-unsaid" not in said.stdout
    without = Consumers(tmp_path / "without", text.replace("retains: [listener], ", ""))
    said = run_here(["lint", str(without.spec), "--format", "concise"])
    assert "retention-unsaid" in said.stdout
    assert without.python != probe.python
