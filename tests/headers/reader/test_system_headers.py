"""Tests of system headers, which are read on demand, each declaration after those that it needs."""

from __future__ import annotations

from abigen.headers.preprocessor.lexemes import lex
from abigen.headers.symbols import Symbols, SystemContext
from abigen.model.span import Diagnostic


def _symbols(text: str) -> tuple[Symbols, list[Diagnostic]]:
    reported: list[Diagnostic] = []
    return Symbols("c17", SystemContext(lex(text, "sys.h")), reported.append), reported


def test_a_name_that_stands_in_later_declarations_of_what_it_needs_is_known() -> None:
    symbols, reported = _symbols(
        "typedef char* Text;\n"
        "typedef void (*Handler)(Text message);\n"
        "typedef struct { Handler handler; } Owner;\n"
        "extern Owner* make_owner(Text name);\n"
        "extern void set_handler(Handler);\n"
    )
    assert symbols.is_type("Handler")
    assert list(symbols.typedefs) == ["Text", "Handler", "Owner"]
    assert sorted(symbols.objects) == ["make_owner", "set_handler"]
    owner = next(each for each in symbols.tags.all if each.typedef_names == ["Owner"])
    assert owner.body is not None
    assert [node.name for _, node in owner.body.members] == ["$"]
    assert not reported


def test_a_struct_that_is_defined_behind_its_first_use_is_read_in_the_end() -> None:
    symbols, reported = _symbols(
        "struct Body;\n"
        "typedef struct Body* Pointer;\n"
        "typedef Pointer* Table;\n"
        "struct Body { Table table; int count; };\n"
    )
    assert symbols.is_type("Table")
    tag = symbols.tags.named("Body")
    assert tag is not None
    assert tag.body is not None
    assert not reported
