"""The wordings of the contract, as documents of this kind have them, become a `Contract`."""

from __future__ import annotations

import pytest

from abigen.model.entities import NO_CONTRACT, Contract, Deprecation, Version
from abigen.read.c.comments.marks import read_contract
from tests.reader.reading import read


@pytest.mark.parametrize(
    ("doc", "contract"),
    [
        ("0 is no-op.", Contract(zero="no-op")),
        ("NULL is no-op.", Contract(zero="no-op")),
        ("The depth. 0 is no-op.", Contract(zero="no-op")),
        ("null is a no-op", Contract(zero="no-op")),
        ("`NULL` is no-op.", Contract(zero="no-op")),
        ("Zero is a no-op.", Contract(zero="no-op")),
        ("0 is\nno-op.", Contract(zero="no-op")),
        ("Optional.", Contract(optional=True)),
        ("[Optional]\nBlocks the host.", Contract(optional=True)),
        ("Blocks the host. Optional.", Contract(optional=True)),
        ("Blocks the host (optional).", Contract(optional=True)),
        ("Optional: blocks the host.", Contract(optional=True)),
        ("Optional. NULL is no-op.", Contract(optional=True, zero="no-op")),
        ("Optional. 0 by default.", Contract(optional=True, zero="meaningful")),
        ("NULL by default", Contract(zero="meaningful")),
        ("Deprecated.", Contract(deprecated=Deprecation())),
        ("DEPRECATED: too slow.", Contract(deprecated=Deprecation())),
        ("Deprecated. Use new_field1.", Contract(deprecated=Deprecation(use="new_field1"))),
        ("Deprecated. Use `new_field1`.", Contract(deprecated=Deprecation(use="new_field1"))),
        ("Deprecated.\nUse\n`new_field1` instead.", Contract(deprecated=Deprecation(use="new_field1"))),
        ("Deprecating soon. Use x.", Contract(deprecated=Deprecation(use="x"))),
        ("This will be deprecated soon, use `x`.", Contract(deprecated=Deprecation(use="x"))),
        ("@deprecated Use foo() instead.", Contract(deprecated=Deprecation(use="foo"))),
        ("\\deprecated Replaced by bar.", Contract(deprecated=Deprecation(use="bar"))),
        ("Deprecated in favor of `baz`.", Contract(deprecated=Deprecation(use="baz"))),
        ("Makes it. This function is deprecated.", Contract(deprecated=Deprecation())),
        ("Deprecated since 1.2. Use x.", Contract(deprecated=Deprecation(since=Version(1, 2), use="x"))),
        ("Replaces old_field.", Contract(replaces="old_field")),
        ("Replaces `old_field`. 0 is no-op.", Contract(replaces="old_field", zero="no-op")),
        ("Consumers must read this.", Contract(must_be_understood=True)),
        ("consumers must read this", Contract(must_be_understood=True)),
        ("free-form data set by plugin", Contract(set_by="plugin")),
        ("output, to be filled by plugin", Contract(set_by="plugin")),
        ("Filled by the plugin.", Contract(set_by="plugin")),
        ("set by core", Contract(set_by="core")),
        ("0.0 is no-op.", Contract(zero="no-op")),
        ("- Optional.\n- 0 is no-op.", Contract(optional=True, zero="no-op")),
        ("Soon to be deprecated.", Contract(deprecated=Deprecation())),
        ("Deprecated. Use name instead.", Contract(deprecated=Deprecation(use="name"))),
        ("Deprecated. Use the other one.", Contract(deprecated=Deprecation())),
        ("Replaces `a` and `b`.", Contract(replaces="a")),
        ("Replaces a.", Contract(replaces="a")),
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
    assert api.structs["S"].contract.deprecated == Deprecation(use="T")
    assert (api.structs["S"].fields or ())[0].contract.zero == "no-op"
    enum = api.enums["E"]
    assert enum.contract.deprecated
    assert [bool(each.contract.deprecated) for each in enum.enumerators or ()] == [True, False]
    assert api.functions["f"].contract.deprecated == Deprecation(use="g")
    assert all(
        each.contract.deprecated
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
    deprecated = (read(text).structs["S"].fields or ())[0].contract.deprecated
    assert deprecated is not None
    assert deprecated.use in ("b", "")
