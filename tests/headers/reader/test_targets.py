"""A header that asks what the target is gives one API per group of targets; any other gives one for all."""

from __future__ import annotations

import pytest

from abigen.model.span import AbigenError
from tests.headers.reader.reading import read_set

TARGETS = ("x86_64-linux-gnu", "x86_64-apple-darwin", "x86_64-windows-msvc", "i686-linux-gnu")


def groups(text: str) -> list[tuple[str, ...]]:
    return [each.targets for each in read_set(text, TARGETS).groups]


@pytest.mark.parametrize(
    "text",
    [
        "struct S { long a; void *b; };",
        "#include <stdint.h>\nstruct S { int64_t a; char pad[64 - sizeof(void *)]; };",
        "#ifdef __cplusplus\n#define X 1\n#endif\nint f(void);",
        "enum { A = 1 << 4, B = sizeof(int) };",
        "#include <limits.h>\nint a[CHAR_BIT];",
    ],
)
def test_a_header_that_does_not_ask_is_one_api_for_all(text: str) -> None:
    assert groups(text) == [TARGETS]


def test_a_member_of_one_system_makes_two_groups() -> None:
    found = read_set("struct S {\n#ifdef __APPLE__\n  int a;\n#endif\n  long b;\n};", TARGETS)
    assert [each.targets for each in found.groups] == [
        ("x86_64-linux-gnu", "x86_64-windows-msvc", "i686-linux-gnu"),
        ("x86_64-apple-darwin",),
    ]
    members = [[each.name for each in group.api.structs["S"].fields or ()] for group in found.groups]
    assert members == [["b"], ["a", "b"]]


def test_targets_that_ask_and_agree_are_one_group() -> None:
    assert groups("#ifdef _WIN32\n#define X\n#undef X\n#endif\nint f(void);") == [TARGETS]


def test_the_value_of_an_enumerator_splits_groups_where_it_differs() -> None:
    text = "struct S { void *a; int b; }; enum { SIZE = __builtin_offsetof(struct S, b) + sizeof(int), NEXT };"
    found = read_set(text, TARGETS)
    assert [each.targets for each in found.groups] == [TARGETS[:3], TARGETS[3:]]
    assert [[e.value for e in next(iter(g.api.enums.values())).enumerators or ()] for g in found.groups] == [
        [12, 13],
        [8, 9],
    ]


def test_a_value_that_is_made_of_another_one_follows_it() -> None:
    found = read_set("enum { A = sizeof(void *), B = A * 2 }; enum { C = B + 1 };", TARGETS)
    values = [[e.value for enum in g.api.enums.values() for e in enum.enumerators or ()] for g in found.groups]
    assert values == [[8, 16, 17], [4, 8, 9]]


def test_a_macro_of_the_system_has_the_targets_value() -> None:
    found = read_set("#include <limits.h>\n#define MOST LONG_MAX\n", TARGETS)
    assert [each.targets for each in found.groups] == [TARGETS[:2], TARGETS[2:]]


def test_a_target_that_the_header_refuses_is_left_out_with_a_warning() -> None:
    found = read_set("#ifdef _WIN32\n#error no windows\n#endif\nint f(void);", TARGETS)
    assert found.targets == ("x86_64-linux-gnu", "x86_64-apple-darwin", "i686-linux-gnu")
    (warning,) = found.groups[0].api.warnings
    assert "x86_64-windows-msvc" in warning.message
    assert "no windows" in warning.message


def test_an_error_on_another_target_is_a_warning_too() -> None:
    found = read_set("#ifdef _WIN32\nstruct S { foo a; };\n#endif\nint f(void);", TARGETS)
    assert "x86_64-windows-msvc" not in found.targets
    assert "unknown type name 'foo'" in found.groups[0].api.warnings[0].message


def test_the_first_target_must_be_readable() -> None:
    with pytest.raises(AbigenError, match="no linux"):
        read_set("#ifdef __linux__\n#error no linux\n#endif\nint f(void);", TARGETS)


def test_an_assertion_that_fails_elsewhere_is_a_warning_there() -> None:
    found = read_set('_Static_assert(sizeof(void *) == 8, "64 bits");', TARGETS)
    assert [each.targets for each in found.groups] == [TARGETS[:3], TARGETS[3:]]
    assert [len(each.api.warnings) for each in found.groups] == [0, 1]
    assert "64 bits" in found.groups[1].api.warnings[0].message


def test_sources_and_dependencies_are_those_of_all_targets() -> None:
    found = read_set("#ifdef _WIN32\nint a;\n#endif\n", TARGETS)
    assert list(found.sources) == ["api.h"]
