"""Rules about objects with external linkage, which one side exports and the other uses."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.comparison import change_rules
from abigen.check.differences import SignatureChange, type_change
from abigen.check.equality import was_is
from abigen.check.pairs import Added, Changed, Removed, is_macro
from abigen.check.reasons import count, gone
from abigen.check.rule import AtRisk, RuleResult
from abigen.check.rules.functions import OTHER_CHARACTERS
from abigen.check.seen_by_linker import HIDDEN, HIDDEN_NOW, linkage_words
from abigen.model.ctype import Array, CType, Qualified
from abigen.model.entities import Variable
from abigen.model.finding import Bump
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError


@change_rules.also("ABI405", lambda comparison: comparison.changed(comparison.pair.variables))
def _object_linkage_changed(variable: Changed[Variable]) -> Iterator[RuleResult]:
    """An object under another symbol, or one that is no longer exported."""
    name, words = variable.name, linkage_words(variable.old, variable.new)
    if not words:
        return
    is_renamed = (variable.old.symbol or name) != (variable.new.symbol or name)
    is_mangled = variable.old.linkage != variable.new.linkage and variable.apis.target.compiler == "msvc"
    plugins = ("", "")
    if is_renamed or is_mangled:
        old_plugin = f"it fails to load: a core built against NEW does not export its symbol for {name}"
        plugins = (old_plugin, f"it fails to load: a core built against OLD does not export its symbol for {name}")
    elif HIDDEN in words or HIDDEN_NOW in words:
        plugins = (f"it fails to load: a core built against NEW does not export {name}", "")
    yield RuleResult(
        f"{name}: " + "; ".join(words),
        Bump.MAJOR if any(plugins) else Bump.NONE,
        help=f"keep the symbol of {name}, and export it" if any(plugins) else "",
        plugins=plugins,
    )


@change_rules.each("ABI411", lambda comparison: comparison.removed(comparison.pair.variables), Bump.MAJOR)
def variable_removed(removed: Removed[Variable]) -> Iterator[RuleResult]:
    """An object was removed.

    What changed: OLD declares an object with external linkage, NEW does not.

    What happens: a plugin built against OLD that refers to it fails to load. Code that names it no longer compiles.

    Instead: keep it. Return such data from a function in new APIs.

    Source: VS, "Conventions"; the symbol is part of the binary interface.
    """
    name, new = removed.old.name, removed.apis.new
    is_macro_now = is_macro(name, new)
    yield RuleResult(
        f"{name} became a macro; its symbol was removed" if is_macro_now else f"{name} was removed",
        help=f"keep {name}",
        plugins=(f"it fails to load: it refers to {name}, which a core built against NEW does not export", ""),
        source="" if is_macro_now else gone(name),
    )


@change_rules.each("ABI412", lambda comparison: comparison.added(comparison.pair.variables), Bump.MINOR)
def variable_added(added: Added[Variable]) -> Iterator[RuleResult]:
    """An object was added.

    What changed: NEW declares an object with external linkage that OLD does not have.

    What happens: nothing breaks for plugins built against OLD. A plugin that refers to it fails to load into an older
    core.

    Instead: return such data from a function, or pass it in a struct that carries its size.

    Source: VS, "SE_MINOR" (adding a variable).
    """
    name, old = added.new.name, added.apis.old
    was_macro = is_macro(name, old)
    reason = f"if it refers to {name}, it fails to load into a core built against OLD"
    yield RuleResult(f"{name} was a macro, is an object" if was_macro else f"{name} was added", plugins=("", reason))


@change_rules.each("ABI413", lambda comparison: comparison.both(comparison.pair.variables), None)
def variable_changed(variable: Changed[Variable]) -> Iterator[RuleResult]:
    """The type of an object changed.

    What changed: the types or what `aligned` and `_Alignas` ask for differ in more than spelling, or the object became
    thread-local, or is no longer thread-local.

    What happens: the plugin and the core read and write the object as different types, and read wrong values. The
    linker compares only names, so the plugin still loads. Binaries are not affected if the object points to a function
    of which only qualifiers changed, or which takes or returns `void*` instead of an opaque handle, or the reverse.

    Instead: add an object with another name.

    Source: VS, "Conventions"; C 6.2.7 paragraph 2 (all declarations of an object have compatible types).
    """
    old, new, apis = variable.old, variable.new, variable.apis
    is_local = old.thread_local != new.thread_local
    was, now = _alignment(old, apis.old_layouts), _alignment(new, apis.new_layouts)
    is_same = apis.equality.same(old.type, new.type)
    if not is_local and is_same and was == now:
        return
    only_qualifiers = not is_local and not is_same and apis.equality.same(_bare(old.type), _bare(new.type))
    change = type_change(old.type, new.type, apis.equality)
    signature = change.signature if change else None
    if not is_local and not is_same and was == now and signature and not signature.breaks_calls:
        yield _pointer_to_function_changed(variable, signature)
        return
    words = was_is(old.type, new.type, apis.equality)
    if is_local:
        words = f"is {'' if new.thread_local else 'no longer '}thread-local"
    elif is_same:
        words = f"was aligned to {count(was, 'byte')}, is aligned to {count(now, 'byte')}"
    reason = "" if only_qualifiers else f"it and the core access {old.name} as different types: it {words}"
    yield RuleResult(
        f"{old.name} {words}",
        None if only_qualifiers else Bump.MAJOR,
        help="add an object with another name",
        plugins=(reason, reason),
        source=f"code that uses {old.name} with the old type may no longer compile",
    )


def _pointer_to_function_changed(variable: Changed[Variable], change: SignatureChange) -> RuleResult:
    """Return what is said of an object that points to a function whose callers pass and read what they did before."""
    name, words = variable.name, "; ".join(change.words)
    contract: str | AtRisk = ""
    if change.is_of_characters:
        contract = AtRisk(OTHER_CHARACTERS)
    elif change.is_converted:
        contract = AtRisk("a number below 0 is read as a large number by the side whose type is unsigned")
    return RuleResult(
        f"{name}: {words}; binaries call the function as before",
        None,
        help="add an object with another name",
        caret=words,
        source=f"code that uses {name} with the old type may no longer compile",
        contract=contract,
    )


def _alignment(variable: Variable, layouts: Layouts) -> int:
    """What an object is aligned to at least, in bytes; 0 where its type is not complete."""
    try:
        natural = layouts.alignment_of(variable.type)
        return natural if variable.alignment is None else max(natural, layouts.alignment(variable.alignment, None))
    except AbigenError:
        return 0


def _bare(type: CType) -> CType:
    """A type without the qualifiers of the object itself."""
    if isinstance(type, Qualified):
        return type.type
    return Array(_bare(type.element), type.length) if isinstance(type, Array) else type
