"""Tests of validators for members with conditions, and for texts with patterns."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from abigen.model.pattern import parse_pattern
from tests.generator.c_checks.building import HERE, SANITIZED, WARNINGS, Generated, compiled, plugin, run

_EXPECTED = """\
neither lock nor alarm: 0
  GP_Gate.lock is NULL, but required since 1.0.0 when GP_Gate.locks is set
no lock: 1
a lock in place of a ring: 0
  GP_Gate.ring is NULL, but required since 1.1.0 when GP_Gate.alarm is set and GP_Gate.lock is not
an alarm without a ring: 1
an alarm with a ring: 0
of a release without alarms: 0
  GP_Hinge.turn is NULL, but required since 1.0.0
a hinge that does not turn: 1
  GP_Gate.struct_size is 3, but the struct has at least 48 bytes since 1.0.0
too small for a hinge: 1
  GP_Fns.pull is NULL, but required since 1.0.0 unless GP_Fns.push is set
nobody knows the gate: 1
  GP_Fns.pull is NULL, but required since 1.0.0 unless GP_Fns.push is set
the gate has no lock: 1
  GP_Fns.push is NULL, but required since 1.0.0 when GP_Gate.locks is set and GP_Fns.pull is not
  GP_Fns.pull is NULL, but required since 1.0.0 unless GP_Fns.push is set
the gate has a lock: 2
who pulls need not push: 0
  GP_Fns.pull is NULL, but required since 1.0.0 unless GP_Fns.push is set
the gate is too old for locks: 1
  GP_Fns.pull is NULL, but required since 1.0.0 unless GP_Fns.push is set
a pair without a gate: 1
  GP_Fns.push is NULL, but required since 1.0.0 when GP_Gate.locks is set and GP_Fns.pull is not
  GP_Fns.pull is NULL, but required since 1.0.0 unless GP_Fns.push is set
a pair: 2
  GC_Pair.struct_size is 16, but the struct has at least 24 bytes since 1.0.0
a pair that is too small for a gate: 1
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory, generated: Generated) -> Path:
    program = tmp_path_factory.mktemp("gate") / "core"
    options = ("-std=c99", *WARNINGS, *SANITIZED, *generated.include)
    sources = (HERE / "gate_core.c", *generated.linked("gate"))
    assert compiled("gcc", *options, *sources, "-ldl", "-o", program) == ""
    return program


@pytest.mark.ci
def test_a_member_is_missed_where_the_others_are_set_that_it_goes_with(core: Path) -> None:
    done = run(core)
    assert (done.code, done.stderr, done.stdout) == (0, "", _EXPECTED)


def test_a_text_that_does_not_match_is_shown_with_its_pattern(core: Path) -> None:
    said = run(core, "north gate").stdout.removeprefix(_EXPECTED)
    assert said == '1  GP_Gate.name is "north gate", but has to match [A-Z][A-Z_]* since 1.0.0\n1\n'


def test_texts_match_in_c_as_they_do_in_python(core: Path) -> None:
    texts = ["".join(each) for length in range(5) for each in product("aG?/", repeat=length)]
    texts += ["\u00e9?", "?\u00e9", "G\u00c4", "G_" * 5000, "a" * 5000]
    quiet = [*["-"] * 3, *texts]  # the program tells more about the first three
    rows = run(core, *quiet).stdout.removeprefix(_EXPECTED).splitlines()[-len(texts) :]
    motto, name = parse_pattern(r"a?[^/]*\?+."), parse_pattern("[A-Z][A-Z_]*")
    assert rows == [f"{int(not motto.matches(each))}{int(not name.matches(each))}" for each in texts]
    assert len(set(rows)) == 3


def test_a_library_may_lack_an_entry_point_that_is_optional(core: Path, generated: Generated, tmp_path: Path) -> None:
    done = run(core, "--extra", "libm.so.6")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == (
        "  libm.so.6 has nothing for gate: it exports no Gate_Extra\nerrors: 0\nloaded, not filled\n"
    )
    (tmp_path / "plugin.c").write_text(
        '#include "gate.h"\nstatic int turn(void) { return 1; }\n'
        "int Gate_Extra(GP_Hinge* hinge) { hinge->turn = turn; return 0; }\n"
    )
    library = plugin(tmp_path / "gate.so", tmp_path / "plugin.c", generated)
    assert run(core, "--extra", library).stdout == "errors: 0\nloaded, filled\n"


def test_an_entry_point_hands_on_what_it_was_given(generated: Generated) -> None:
    text = generated.source("gate").read_text()
    assert "GP_Fns_Check(&library->fns, &library->gate, abigen_v1_relay, reporter)" in text
    assert "GP_Fns_Check(&library->fns, NULL, abigen_v1_relay, reporter)" in text
