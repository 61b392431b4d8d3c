"""What the linker sees of a function or an object: its symbol, and whether it is exported."""

from __future__ import annotations

from abigen.model.entities import Function, Variable

HIDDEN = "it is no longer exported"
HIDDEN_NOW = "it became hidden"


def linkage_words(old: Function | Variable, new: Function | Variable) -> list[str]:
    """A clause for each difference that the linker sees."""
    was_static, is_static = (isinstance(each, Function) and each.static for each in (old, new))
    if was_static and is_static:
        return []
    if was_static or is_static:
        return ["it became static, so its symbol was removed" if is_static else "it was static, and got a symbol"]
    before, after = old.symbol or old.name, new.symbol or new.name
    is_own = old.in_api and new.in_api  # what other headers say to a C++ compiler is not looked at
    words = {
        '`extern "C"` was removed': is_own and old.linkage == "C" and new.linkage != "C",
        '`extern "C"` was added': is_own and old.linkage == "C++" and new.linkage == "C",
        HIDDEN: bool(old.exported and not new.exported),
        HIDDEN_NOW: new.exported is False and old.exported is None,
        f"its symbol was `{before}`, is `{after}`": before != after,
    }
    return [word for word, holds in words.items() if holds]
