"""Tests of code that compilers refuse with a helpful error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.generator.cpp.building import Generated, refused

BENCH = """
struct Bench : lab::BenchFns<Bench> {
  static void create_sample(const LP_Bench*, int32_t, LP_Sample*) {}
  static void destroy_sample(const LP_Bench*, LP_Sample) {}
  static double weigh(const LP_Bench*, LP_Sample) { return 0; }
};
void Fill(LP_BenchFns* fns) { Bench::Fill(fns); }
"""

both = pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.ci)])
one = pytest.mark.parametrize("compiler", ["g++"])


@both
def test_a_missing_required_function_is_named(generated: Generated, compiler: str, tmp_path: Path) -> None:
    code = BENCH.replace("  static double weigh(const LP_Bench*, LP_Sample) { return 0; }\n", "")
    said = refused(generated, compiler, code, tmp_path)
    assert "BenchFns: `weigh` of LP_BenchFns is required, and the class does not define it" in said
    assert said.count("error:") == 1


@both
def test_a_function_that_takes_something_else_is_refused(generated: Generated, compiler: str, tmp_path: Path) -> None:
    code = BENCH.replace("weigh(const LP_Bench*, LP_Sample)", "weigh(int, int, int)")
    said = refused(generated, compiler, code, tmp_path)
    assert "the function cannot be called with what the callback is handed" in said
    assert "LP_BenchFns_weigh" in said and "Bench" in said


@pytest.mark.ci
@one
def test_an_optional_function_that_takes_something_else_is_not_dropped(
    generated: Generated, compiler: str, tmp_path: Path
) -> None:
    for wrong in (
        "  static int32_t temperature() { return 0; }\n",
        "  static int32_t temperature() { return 0; }\n  static int32_t temperature(int) { return 0; }\n",
        " private:\n  static int32_t temperature(const LP_Bench*) { return 0; }\n",
    ):
        said = refused(generated, compiler, BENCH.replace("};\n", wrong + "};\n", 1), tmp_path)
        assert "the function cannot be called with what the callback is handed" in said


@pytest.mark.ci
@one
def test_a_function_that_returns_something_else_is_refused(generated: Generated, compiler: str, tmp_path: Path) -> None:
    code = BENCH.replace(
        "static double weigh(const LP_Bench*, LP_Sample) { return 0; }",
        "static const char* weigh(const LP_Bench*, LP_Sample) { return 0; }",
    )
    assert "the function returns something else than the callback" in refused(generated, compiler, code, tmp_path)
    code = BENCH.replace(
        "static double weigh(const LP_Bench*, LP_Sample) { return 0; }",
        "static void weigh(const LP_Bench*, LP_Sample) {}",
    )
    assert "the function returns nothing, but the callback something" in refused(generated, compiler, code, tmp_path)


@pytest.mark.ci
@one
def test_functions_of_an_object_need_to_find_it(generated: Generated, compiler: str, tmp_path: Path) -> None:
    said = refused(generated, compiler, BENCH.replace("static double weigh", "double weigh"), tmp_path)
    assert "functions that are not static take a function" in said and said.count("error:") == 1


@pytest.mark.ci
@one
def test_a_status_has_to_go_somewhere(generated: Generated, compiler: str, tmp_path: Path) -> None:
    function = "  static lab::Status temperature(const LP_Bench*) { return {}; }\n"
    said = refused(generated, compiler, BENCH.replace("};\n", function + "};\n", 1), tmp_path)
    assert "nothing that this callback is handed could carry a status" in said


@pytest.mark.ci
@both
@pytest.mark.parametrize(
    "call",
    [
        'probe.Rename("name");',
        'probe.Rename("name", status);',
        "probe.Last();",
        "probe.Last(status);",
        'lab::FindProbe("name");',
        "probe.Read();",
    ],
)
def test_neither_statuses_nor_results_can_be_ignored(
    generated: Generated, compiler: str, call: str, tmp_path: Path
) -> None:
    code = f"void Use(lab::ProbeRef probe, lab::StatusRef status) {{ (void)probe; (void)status; {call} }}\n"
    said = refused(generated, compiler, code, tmp_path)
    assert "nodiscard" in said and said.count("error:") == 1


@pytest.mark.ci
@one
@pytest.mark.parametrize(
    "code",
    [
        "lab::Probe Copy(const lab::Probe& probe) { return probe; }",
        "lab::Status Copy(const lab::Status& status) { return status; }",
        "void Own(LAB_Probe* probe) { lab::Probe owner = probe; }",
        "lab::Status End(lab::Probe& probe) { return probe.Retire(); }",
        "void Use(lab::Probe& probe, lab::ProbeRef other) { (void)probe.Join(other); }",
        "void Assign(lab::Probe& probe, lab::ProbeRef other) { static_cast<lab::ProbeMethods&>(probe) = other; }",
    ],
)
def test_ownership_cannot_be_had_by_accident(generated: Generated, compiler: str, code: str, tmp_path: Path) -> None:
    assert "error:" in refused(generated, compiler, code + "\n", tmp_path)


@one
def test_what_is_deprecated_warns_with_what_to_use(generated: Generated, compiler: str, tmp_path: Path) -> None:
    said = refused(generated, compiler, "lab::ProbeRef Use(lab::ProbeRef probe) { return probe.Parent(); }\n", tmp_path)
    assert "deprecated" in said and "use LAB_ProbeName" in said


@one
def test_an_object_without_the_method_is_refused(generated: Generated, compiler: str, tmp_path: Path) -> None:
    code = 'struct Empty {};\nlab::Experiment Make() { return lab::Experiment::New<Empty>("empty"); }\n'
    assert "the class lacks a function that the callback would call" in refused(generated, compiler, code, tmp_path)
