"""Tests of consequences, which are listed in full below the finding that causes them."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from abigen.checker.compare import compare, lint
from abigen.checker.policy import Policy
from abigen.headers.reader import read_headers
from abigen.model.finding import Finding
from abigen.workspace.options import ReadOptions, SourceFile
from tests.checker.check.headers import read


def only(old: str, new: str, rule: str) -> Finding:
    """Return the one finding of a rule."""
    found = [each for each in compare(read(old), read(new), Policy()).findings if each.rule == rule]
    assert len(found) == 1
    return found[0]


def detail(finding: Finding, label: str) -> str:
    return next((each.text for each in finding.details if each.label == label), "")


def test_a_changed_typedef_names_all_that_it_reaches_and_moves() -> None:
    old = "typedef int32_t Id;\ntypedef Id Slot;\n" + "".join(f"typedef Slot S{n};\n" for n in range(9))
    old += (
        "typedef struct Entry { size_t struct_size; Slot slot; int32_t uses; S3* other; } Entry;\nSlot take(Id* id);\n"
    )
    finding = only(old, old.replace("int32_t Id", "int64_t Id"), "typedef-changed")
    reached = detail(finding, "reaches")
    assert reached.startswith(
        "Entry.slot, which moves uses from offset 12 to 16, other from offset 16 to 24; Entry.other; take; "
    )
    assert all(name in reached.split("; ") for name in ("Slot", *(f"S{n}" for n in range(9))))


def test_a_changed_typedef_names_what_holds_a_struct_whose_member_went_into_one_without_a_name() -> None:
    old = "typedef short Id;\nstruct S { Id id; };\nstruct T { struct S s; short rest; };\n"
    new = old.replace("short Id", "int Id").replace("{ Id id; }", "{ struct { Id id; }; }")
    reached = detail(only(old, new, "typedef-changed"), "reaches")
    assert reached.endswith("T.s, T has 8 bytes instead of 4, moves rest from offset 2 to 4")


def test_a_changed_type_names_what_holds_the_structs_that_grow_by_it() -> None:
    old = "enum __attribute__((packed)) E { A, B };\ntypedef struct Part { enum E kinds[2]; char last; } Part;\n"
    old += "typedef struct Whole { Part part; int rest; } Whole;\ntypedef int32_t Id;\nstruct Ids { Id id[2]; };\n"
    old += "struct Pairs { struct Ids ids; char last; };\n"
    reached = detail(only(old, old.replace("B }", "B, C = 300 }"), "enum-width-changed"), "reaches")
    assert reached == (
        "Part.kinds, which moves last from offset 2 to 4; Whole.part, Whole has 12 bytes instead of 8, "
        "moves rest from offset 4 to 8"
    )
    reached = detail(only(old, old.replace("int32_t Id", "int64_t Id"), "typedef-changed"), "reaches")
    assert reached == "Ids.id; Pairs.ids, Pairs has 24 bytes instead of 12, moves last from offset 8 to 16"


def test_what_holds_a_struct_is_told_of_with_its_break_and_not_with_a_new_alternative() -> None:
    old = "struct S { union { char a; int64_t b; }; char last; };\nstruct T { struct S s; int rest; };\n"
    new = old.replace("int64_t b; };", "int64_t b; short c; }; int64_t d;")
    assert detail(only(old, new, "field-inserted"), "reaches") == (
        "T.s, T has 32 bytes instead of 24, moves rest from offset 16 to 24"
    )
    assert detail(only(old, new, "union-member-added"), "reaches") == ""


def test_of_several_targets_the_one_with_most_to_say_speaks() -> None:
    old = "struct S { int64_t a; struct { int32_t b; long c; }; };\nstruct T { struct S s; int rest; };\n"
    sides = [read(text, "x86_64-linux-gnu", "i686-linux-gnu") for text in (old, old.replace("b;", "b; char q;"))]
    (finding,) = compare(*sides, Policy()).findings
    assert detail(finding, "moves") == "c from offset 12 to 16 (on i686-linux-gnu)"
    assert (
        detail(finding, "reaches")
        == "T.s, T has 24 bytes instead of 20, moves rest from offset 16 to 20 (on i686-linux-gnu)"
    )


def test_an_append_below_the_size_that_old_exchanges_says_which_size_covers_it() -> None:
    old = "typedef struct T { size_t struct_size; int32_t a; } T;\n"
    beside = only(old, old.replace("a;", "a; int32_t b;"), "append-undetectable").message
    assert beside == (
        "T.b uses padding at the end of OLD's T, which older producers leave undefined, and both sides pass the size 16"
    )
    grown = only(old, old.replace("a;", "a; int32_t b; int64_t c;"), "append-undetectable").message
    assert grown == "T.b uses padding at the end of OLD's T, within the 16 bytes that OLD passes"


def test_every_struct_that_grows_with_an_embedded_one_is_named() -> None:
    old = "typedef struct Part { size_t struct_size; int64_t a; } Part;\n"
    old += "".join(f"typedef struct Whole{n} {{ Part part; int32_t rest; }} Whole{n};\n" for n in range(12))
    finding = only(old, old.replace("a; }", "a; int64_t b; }"), "append-shifts-embedder")
    assert all(f"Whole{n}.part, Whole{n} has 32 bytes" in detail(finding, "reaches") for n in range(12))


def test_what_moves_is_told_once_although_a_member_changed_its_place_and_its_type() -> None:
    old = "typedef struct T { size_t struct_size; int32_t a; int32_t b; int64_t c; } T;\n"
    new = "typedef struct T { size_t struct_size; int32_t b; int64_t c; double a; } T;\n"
    assert detail(only(old, new, "field-reordered"), "moves") == "b from offset 12 to 8"
    assert detail(only(old, new, "field-type-changed"), "moves") == ""


def test_who_fills_a_member_is_said_when_it_changes() -> None:
    old = "typedef struct T { size_t struct_size; int32_t a;  // Set by core.\n} T;\n"
    message = only(old, old.replace("by core", "by plugin"), "duty-changed").message
    assert message == "T.a was set by the core, is set by the plugin"


def test_what_an_included_header_breaks_is_shown_where_new_uses_it(tmp_path: Path) -> None:
    sides = []
    for side, members in (("old", "int a;"), ("new", "int a; int b;")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "dep.h").write_text(f"typedef struct Dep {{ {members} }} Dep;\n")
        text = '#include "dep.h"\n\ntypedef void (*Take)(Dep);\n'
        source = SourceFile(f"{side}/api.h", str(tmp_path / side / "api.h"), text)
        sides.append(read_headers([source], ReadOptions(targets=("x86_64-linux-gnu",))))
    (finding,) = compare(*sides, Policy()).findings
    assert str(finding.new) == "new/api.h:3:16"
    assert finding.message == (
        "Take.parameter 1 takes Dep by value, which comes from an included header and had 4 bytes, has 8"
    )


@pytest.mark.ci
def test_the_time_for_retyped_members_grows_with_their_number() -> None:
    def seconds(number: int) -> float:
        """Return the time of comparing structs of which all members became larger, in seconds."""
        old, new = (
            read(f"typedef struct Big {{ {' '.join(f'{type} m{place};' for place in range(number))} }} Big;\n")
            for type in ("int", "double")
        )
        before = process_time()
        assert len(compare(old, new, Policy()).findings) == number
        return process_time() - before

    seconds(10)
    fewer, more = (min(seconds(number) for _ in range(3)) for number in (800, 4000))
    assert more < 12 * max(fewer, 0.01)


def grown(text: str, struct: str) -> Finding:
    """Return the finding of a member appended to a struct."""
    return only(text, text.replace(f"}} {struct};", f"  int64_t more;\n}} {struct};"), "field-appended")


def test_it_is_said_that_nobody_knows_who_fills_a_member_and_what_would_tell() -> None:
    text = "typedef struct Other { size_t struct_size; int64_t heat;\n} Other;\n"
    finding = grown(text, "Other")
    words = "unknown; state it with `Set by core.` in its comment, or `filled-by` for the prefix of the struct"
    assert detail(finding, "set by") == words
    assert "hands over" not in "".join(finding.axes.reasons.values())
    assert detail(grown(text.replace("Other", "SP_Other"), "SP_Other"), "set by") == ""


def test_who_calls_the_callbacks_of_a_table_fills_their_arguments() -> None:
    text = "typedef struct Args { size_t struct_size; int64_t heat;\n} Args;\n"
    table = "typedef struct SP_Oven { int (*on)(const Args*); int (*off)(const Args*); } SP_Oven;\n"
    finding = grown(text + table, "Args")
    assert detail(finding, "set by") == ""
    assert finding.axes.reasons["new_plugin"].startswith("a core built against OLD passes 16 bytes")


def test_who_fills_arguments_that_both_sides_call_with_is_unknown() -> None:
    text = "typedef struct Args { size_t struct_size; int64_t heat;\n} Args;\n"
    tables = "".join(f"typedef struct {name} {{ int (*on)(Args*); }} {name};\n" for name in ("SP_Oven", "SE_Oven"))
    assert detail(grown(text + tables, "Args"), "set by").startswith("unknown; ")


def test_comments_that_differ_late_are_cut_where_they_differ() -> None:
    old = f"typedef struct T {{\n/* {'It is said at length what this is. ' * 5}In bytes. */\nint32_t a; }} T;\n"
    finding = only(old, old.replace("bytes", "bits"), "field-repurposed")
    assert detail(finding, "was").endswith("In bytes.")
    assert detail(finding, "is").endswith("In bits.")


def test_padding_before_a_member_without_a_name_names_the_struct() -> None:
    header = read("typedef struct T { size_t struct_size; int32_t a; union { int64_t x; double y; }; } T;")
    (finding,) = (each for each in lint(header, Policy()) if each.rule == "implicit-padding")
    assert finding.entity == "T"
    assert finding.message == "T has 4 unused bytes at offset 12, before an unnamed member"


def test_a_first_member_that_may_be_the_size_is_told_of_with_the_way_to_say_so() -> None:
    old = "typedef struct T { uint32_t cbSize; int32_t a; } T;\n"
    finding = only(old, old.replace("a;", "a; int32_t b;"), "append-to-frozen-struct")
    assert finding.message.endswith("T begins with cbSize, but nothing states that this is the size of T")
    assert 'configure `size-member = ["cbSize"]`' in finding.help
    other = only(
        old.replace("cbSize", "kind"), old.replace("cbSize", "kind").replace("a;", "a; int32_t b;"), finding.rule
    )
    assert "configure" not in other.help


def test_a_typedef_that_hides_the_difference_is_expanded() -> None:
    old = "typedef void (*old_cb)(int);\ntypedef void (*new_cb)(long);\ntypedef int small;\ntypedef long large;\n"
    old += "void reg(old_cb done, small *count);\nstruct s { small n; old_cb done; };\n"
    new = old.replace("reg(old_cb done, small", "reg(new_cb done, large").replace("small n; old_cb", "large n; new_cb")
    assert only(old, new, "function-signature-changed").message == (
        "reg: parameter 1 was `old_cb done` (`void (*)(int)`), is `new_cb done` (`void (*)(long)`); "
        "parameter 2 was `small *count` (`int *`), is `large *count` (`long *`)"
    )
    assert only(old, new, "field-type-changed").message == "s.n was `small` (`int`), is `large` (`long`)"
    finding = only(old, new, "callback-signature-changed")
    assert (detail(finding, "was"), detail(finding, "is")) == ("void (*done)(int)", "void (*done)(long)")


def test_a_typedef_that_both_sides_have_is_not_expanded() -> None:
    old = "typedef int id;\nvoid f(id who, int (*call)(id a, int b));\n"
    finding = only(old, old.replace("int b", "long b"), "function-signature-changed")
    assert finding.message == "f: parameter 2 was `int (*call)(id a, int b)`, is `int (*call)(id a, long b)`"


def test_sentences_that_hold_on_one_target_name_it() -> None:
    targets = ("x86_64-linux-gnu", "i686-linux-gnu")
    old, new = "struct s { char c; long long x; };\n", "struct s { char c; int y; long long x; };\n"
    (finding,) = compare(read(old, *targets), read(new, *targets), Policy()).findings
    assert finding.axes.reasons["old_plugin"].endswith("accesses it at offset 8 (on i686-linux-gnu)")
    assert finding.message.endswith(" (on i686-linux-gnu)")
    (finding,) = compare(read(old, targets[1]), read(new, targets[1]), Policy()).findings
    assert "i686" not in finding.message


def test_a_member_in_old_tail_padding_is_said_to_use_it() -> None:
    old = "struct s { long long a; int b; };\n"
    finding = only(old, old.replace("int b;", "int b; int c;"), "append-to-frozen-struct")
    assert "uses padding at offset 12, which older producers leave undefined" in finding.message
