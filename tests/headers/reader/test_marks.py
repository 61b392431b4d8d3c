"""The wordings of the contract, as documents of this kind have them, become a `Contract`."""

from __future__ import annotations

import pytest

from abigen.headers.documentation import read_contract
from abigen.model.contract import NO_CONTRACT, Condition, Contract, Lifecycle, Party, Requirement, Zero
from abigen.model.version import Version
from tests.headers.reader.reading import read


def _deprecated(since: Version | None = None, replaced_by: str = "") -> Contract:
    return Contract(lifecycle=Lifecycle(deprecated=True, deprecated_since=since, replaced_by=replaced_by))


def _conditional(when: str = "", unless: str = "") -> Contract:
    return Contract(requirement=Requirement.CONDITIONAL, condition=Condition(when, unless))


@pytest.mark.parametrize(
    ("doc", "contract"),
    [
        ("0 is no-op.", Contract(zero=Zero.NO_OP)),
        ("NULL is no-op.", Contract(zero=Zero.NO_OP)),
        ("The depth. 0 is no-op.", Contract(zero=Zero.NO_OP)),
        ("null is a no-op", Contract(zero=Zero.NO_OP)),
        ("`NULL` is no-op.", Contract(zero=Zero.NO_OP)),
        ("Zero is a no-op.", Contract(zero=Zero.NO_OP)),
        ("0 is\nno-op.", Contract(zero=Zero.NO_OP)),
        ("Optional.", Contract(requirement=Requirement.OPTIONAL)),
        ("[Optional]\nBlocks the host.", Contract(requirement=Requirement.OPTIONAL)),
        ("Blocks the host. Optional.", Contract(requirement=Requirement.OPTIONAL)),
        ("Blocks the host (optional).", Contract(requirement=Requirement.OPTIONAL)),
        ("Optional: blocks the host.", Contract(requirement=Requirement.OPTIONAL)),
        ("Required. Runs. NULL is not valid.", Contract(requirement=Requirement.REQUIRED, zero=Zero.NO_OP)),
        ("NULL is not valid.", Contract()),
        ("Optional. NULL is no-op.", Contract(requirement=Requirement.OPTIONAL, zero=Zero.NO_OP)),
        ("Optional. 0 by default.", Contract(requirement=Requirement.OPTIONAL, zero=Zero.MEANINGFUL)),
        ("NULL by default", Contract(zero=Zero.MEANINGFUL)),
        ("Required.", Contract(requirement=Requirement.REQUIRED)),
        ("Blocks the host. Required.", Contract(requirement=Requirement.REQUIRED)),
        ("Required if the host can block.", NO_CONTRACT),
        ("It is not required.", NO_CONTRACT),
        ("Deprecated.", _deprecated()),
        ("DEPRECATED: too slow.", _deprecated()),
        ("Deprecated. Use new_field1.", _deprecated(replaced_by="new_field1")),
        ("Deprecated. Use `new_field1`.", _deprecated(replaced_by="new_field1")),
        ("Deprecated.\nUse\n`new_field1` instead.", _deprecated(replaced_by="new_field1")),
        ("Deprecating soon. Use x.", _deprecated(replaced_by="x")),
        ("This will be deprecated soon, use `x`.", _deprecated(replaced_by="x")),
        ("@deprecated Use foo() instead.", _deprecated(replaced_by="foo")),
        ("\\deprecated Replaced by bar.", _deprecated(replaced_by="bar")),
        ("Deprecated in favor of `baz`.", _deprecated(replaced_by="baz")),
        ("Makes it. This function is deprecated.", _deprecated()),
        (
            "Deprecated since 1.2. Use x.",
            _deprecated(Version(1, 2), "x"),
        ),
        ("Replaces old_field.", Contract(lifecycle=Lifecycle(replaces="old_field"))),
        ("Replaces `old_field`. 0 is no-op.", Contract(zero=Zero.NO_OP, lifecycle=Lifecycle(replaces="old_field"))),
        ("Consumers must read this.", Contract(must_be_understood=True)),
        ("consumers must read this", Contract(must_be_understood=True)),
        ("free-form data set by plugin", Contract(set_by=Party.PLUGIN)),
        ("output, to be filled by plugin", Contract(set_by=Party.PLUGIN)),
        ("Filled by the plugin.", Contract(set_by=Party.PLUGIN)),
        ("set by core", Contract(set_by=Party.CORE)),
        ("0.0 is no-op.", Contract(zero=Zero.NO_OP)),
        ("- Optional.\n- 0 is no-op.", Contract(requirement=Requirement.OPTIONAL, zero=Zero.NO_OP)),
        ("Soon to be deprecated.", _deprecated()),
        ("Deprecated. Use name instead.", _deprecated(replaced_by="name")),
        ("Deprecated. Use the other one.", _deprecated()),
        ("Replaces `a` and `b`.", Contract(lifecycle=Lifecycle(replaces="a"))),
        ("Replaces a.", Contract(lifecycle=Lifecycle(replaces="a"))),
        ("Required when `scan` is set. Ends.", _conditional(when="scan")),
        ("Ends the scan; required when\nscan is set.", _conditional(when="scan")),
        ("Required unless `S.mode` is set", _conditional(unless="S.mode")),
        ("Required when `a` is set and unless `b` is set.", _conditional(when="a", unless="b")),
        ("Optional. Required when `a` is set.", Contract(requirement=Requirement.OPTIONAL)),
    ],
)
def test_a_mark_is_read(doc: str, contract: Contract) -> None:
    assert read_contract(doc) == contract


@pytest.mark.parametrize(
    "doc",
    [
        "",
        "Use `x` with care.",
        "Takes an optional pointer.",
        "The number of arguments that are\noptional, at most three.",
        "Is not deprecated.",
        "Adds a warning. This is the first version for which the operation is\ndeprecated.",
        "Kernels of types that were\ndeprecated long ago, in no particular order.",
        "The operation is synchronous.",
        "Set it to 0 to turn it off.",
        "Input/output, struct_size set by core for plugin to read.",
        "The plugin fills this.",
        "If NULL, the default stream is used.",
        "1.0 is no-op.",
        "10 is no-op.",
        "The `flags` argument is deprecated and ignored.",
        "Replaces the old behaviour.",
        "Set by core and plugin.",
        "A non-optional thing.",
        "It is not required when `scan` is set.",
        "No callback is required unless `scan` is set.",
        "Required when `scan` is set to 3.",
        "Required when `scan` is set and the core can block.",
    ],
)
def test_other_prose_marks_nothing(doc: str) -> None:
    assert read_contract(doc) == NO_CONTRACT


@pytest.mark.parametrize("name", ["reserved", "reserved0", "reserved_1", "_reserved", "__reserved2", "RESERVED"])
def test_the_name_reserved_is_a_mark(name: str) -> None:
    assert read_contract("", name) == Contract(reserved=True)


@pytest.mark.parametrize("name", ["bytes_reserved", "unreserved", "preserved", "ext"])
def test_a_name_that_merely_contains_it_is_none(name: str) -> None:
    assert read_contract("", name) == NO_CONTRACT


def test_a_condition_names_another_member_whose_zero_means_that_it_is_not_set() -> None:
    text = """
        struct O { int mode; };
        struct S {
          void (*scan)(void);
          double ratio;
          int flag : 1;
          void (*a)(void);  // Required when `scan` is set.
          void (*b)(void);  // Required unless `O.mode` is set.
          void (*c)(void);  // Required when it is set.
          void (*d)(void);  // Required when `d` is set.
          void (*e)(void);  // Required when `ratio` is set.
          void (*f)(void);  // Required unless `flag` is set.
          void (*g)(void);  // Required when `O.none` is set.
          void (*h)(void);  // Required when `scan` is set and unless `scan` is set.
        };
    """
    contracts = {each.name: each.contract for each in read(text).structs["S"].fields or ()}
    marked = {name: each for name, each in contracts.items() if each != NO_CONTRACT}
    assert marked == {"a": _conditional(when="scan"), "b": _conditional(unless="O.mode")}


def test_marks_are_read_at_every_kind_of_entity() -> None:
    text = """
        // Deprecated. Use T.
        struct S {
          int a;  // 0 is no-op.
        };
        // Deprecated.
        enum E { A,  // Deprecated.
                 B };
        // Deprecated. Use g.
        int f(void);
        // Deprecated.
        typedef int I;
        // Deprecated.
        #define M 3
        // Deprecated.
        #define F(x) x
        // Deprecated.
        extern int v;
    """
    api = read(text)
    assert api.structs["S"].contract.lifecycle == Lifecycle(deprecated=True, replaced_by="T")
    assert (api.structs["S"].fields or ())[0].contract.zero == "no-op"
    enum = api.enums["E"]
    assert enum.contract.lifecycle.deprecated
    assert [bool(each.contract.lifecycle.deprecated) for each in enum.enumerators or ()] == [True, False]
    assert api.functions["f"].contract.lifecycle == Lifecycle(deprecated=True, replaced_by="g")
    assert all(
        each.contract.lifecycle.deprecated
        for each in (api.typedefs["I"], api.constants["M"], api.macros["F"], api.variables["v"])
    )


@pytest.mark.parametrize(
    "text",
    [
        'struct S { int a __attribute__((deprecated("use b"))); int b; };',
        'struct S { [[deprecated("Use b instead.")]] int a; int b; };',
        "struct S { __attribute__((deprecated)) int a;  // Use b.\n int b; };",
        'struct S { int __declspec(deprecated("use b")) a; int b; };',
    ],
)
def test_the_attribute_deprecated_is_a_mark_too(text: str) -> None:
    lifecycle = (read(text).structs["S"].fields or ())[0].contract.lifecycle
    assert lifecycle.deprecated
    assert lifecycle.replaced_by in ("b", "")
