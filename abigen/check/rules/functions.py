"""Rules about functions: symbols that one side exports and the other calls."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import OK, at_risk, axes, breaks
from abigen.check.comparison import Comparison, StructPair
from abigen.check.direction import implementer, is_looked_up
from abigen.check.embedding import Use
from abigen.check.included import changed_uses
from abigen.check.rule import Report, change_rule
from abigen.check.sides import PLUGIN
from abigen.check.signature import SignatureChange
from abigen.check.sources import broken_use, source_bump
from abigen.model.ctype import CType, NamedType
from abigen.model.entities import Function
from abigen.model.finding import Axes, Bump, Detail
from abigen.model.span import Span
from abigen.model.spelling import spell


@change_rule("ABI401")
def function_removed(comparison: Comparison) -> Iterator[Report]:
    """A function is gone, or has another name.

    What changed: OLD declares it and NEW does not, not even through an #include. When NEW has a function of the same
    signature whose name resembles it, or that stands in its place, it is taken for a rename and reported once.

    What happens: a binary that refers to the symbol no longer loads, or stops at the first call; code that calls the
    function no longer compiles. Of a function that the plugin implements, an older core still looks for the symbol.

    Instead: keep it, mark it deprecated, and let it call its successor.

    Source: VS, "Conventions"; the symbol is part of the binary interface.
    """
    names = _renames(comparison)
    for function in comparison.functions.removed:
        new = names.get(function.name)
        what = f"is called {new.name} now" if new else "was removed"
        yield Report(
            entity=function.name,
            bump=_static_bump(function, comparison, Bump.MAJOR),
            message=f"{function.name} {what}",
            help=f"keep {function.name}, mark it deprecated" + (f", and let it call {new.name}" if new else ""),
            axes=_removed_axes(function, new, comparison),
            old=function.span,
            new=new.span if new else None,
            caret=f"was {function.name}" if new else "",
        )


@change_rule("ABI402")
def function_added(comparison: Comparison) -> Iterator[Report]:
    """A function is new.

    What changed: NEW declares a function that OLD does not have. Who implements it follows from the spec, from an entry
    point's mark, or from a comment (`Implemented by the plugin.`); without any of these it is the owner of the header.

    What happens: implemented by the core, it is an addition; but a plugin that calls it does not load into an older
    core, unless it looks the symbol up at run time and does without. Implemented by the plugin, it is an addition when
    it is optional; when it is required, plugins of today lack it.

    Instead: for the core's, let plugins look it up, or hand it over in a function table with a size. For the plugin's,
    mark it `Optional.` and let the core do without.

    Source: VS, "SE_MINOR" (adding a method).
    """
    renames = {each.name for each in _renames(comparison).values()}
    for function in comparison.functions.added:
        if function.name in renames:
            continue
        by_plugin = implementer(function) == PLUGIN
        required = by_plugin and not is_looked_up(function) and not function.static
        yield Report(
            entity=function.name,
            bump=Bump.MAJOR if required else Bump.MINOR,
            message=f"{function.name} is new" + (", and plugins have to implement it" if required else ""),
            help=f"mark {function.name} `Optional.`, and let the core do without it" if required else "",
            axes=_added_axes(function, by_plugin, required),
            new=function.span,
            caret="new",
        )


@change_rule("ABI403")
def function_signature_changed(comparison: Comparison) -> Iterator[Report]:
    """A function is called in another way.

    What changed: a parameter was added, removed, moved or retyped, or the return type, further arguments (`...`) or the
    calling convention differ. Each difference is named. `()` against `(void)`, other spellings of the same type and a
    qualifier of the parameter itself are no difference.

    What happens: caller and callee disagree about registers and stack. Where only `const` or `volatile` behind a
    pointer differ, binaries do not notice; source code breaks in the direction that C and C++ reject.

    Instead: add a function with another name, and deprecate this one.

    Source: VS, "SE_MAJOR"; C 6.7.6.3 paragraph 15 (compatible function types), 6.5.16.1 (what may be assigned).
    """
    functions, names_are_enough = comparison.functions, comparison.equality.names_are_enough
    for old, new in functions.changed if names_are_enough else functions.both:
        if names_are_enough and old.type == new.type:
            continue
        change = comparison.signature(old.type, new.type)
        if not change.words:
            continue
        source = broken_use(change, comparison, is_defined_by_users=implementer(new) == PLUGIN)
        bump = Bump.MAJOR if change.breaks_calls and not new.static else source_bump(comparison, is_broken=bool(source))
        yield Report(
            entity=old.name,
            bump=bump,
            message=f"{old.name}: " + "; ".join(change.words),
            help="add a function with another name and deprecate this one" if bump is Bump.MAJOR else "",
            axes=_signature_axes(old, new, change, source),
            details=(Detail("was", spell(old.type, old.name)), Detail("is", spell(new.type, new.name))),
            old=old.span,
            new=_place_of_change(change) or new.span,
        )
    for use, pair, _ in changed_uses(comparison):
        if use.holder in comparison.new.functions and use.kind in ("parameter", "result"):
            yield _passes_changed(comparison.old.functions[use.holder], comparison.new.functions[use.holder], use, pair)


def _passes_changed(old: Function, new: Function, use: Use, pair: StructPair) -> Report:
    """The report about a function that takes or returns an included struct by value whose layout changed."""
    was, now = pair.old_layout.size, pair.new_layout.size
    return Report(
        entity=old.name,
        bump=Bump.MAJOR,
        message=f"{use.clause(pair.name)}, which comes from an included header and had {was} bytes, has {now}",
        help=f"pass {pair.name} by pointer, or stay with the header in which it is as it was",
        axes=axes(
            old_plugin=breaks(
                f"it passes {pair.name} as OLD lays it out; a core built against NEW expects {now} bytes"
            ),
            new_plugin=breaks(
                f"it passes {pair.name} as NEW lays it out; a core built against OLD expects {was} bytes"
            ),
        ),
        old=old.span,
        new=new.span,
        caret=f"{pair.name} by value",
        numbers={"old_size": was, "new_size": now},
    )


@change_rule("ABI404")
def parameter_renamed(comparison: Comparison) -> Iterator[Report]:
    """A parameter has another name, and nothing else about the call differs.

    What changed: the name of a parameter of a function, of a member that is a function pointer, or of a callback's
    typedef. A parameter that had no name and gets one, or loses it, is not worth a word.

    What happens: nothing; names of parameters are documentation. A name that now says something else may tell of a
    changed meaning.

    Instead: nothing, once a person has had a look.

    Source: C 6.2.1 paragraph 4 (a parameter's name ends with its declarator).
    """
    for entity, old, new, old_place, new_place in _calls(comparison):
        before = comparison.function_behind(old, new=False)
        after = comparison.function_behind(new, new=True)
        if before is None or after is None or before == after:
            continue
        change = comparison.signature(before, after)
        if not change.renamed or change.breaks_calls:
            continue
        pairs = [(each.old.name, each.new.name) for each in change.renamed if each.old and each.new]
        place = next((each.new.span for each in change.renamed if each.new), None)
        yield Report(
            entity=entity,
            bump=Bump.PATCH,
            message=f"{entity}: " + ", ".join(f"parameter {was} is called {now} now" for was, now in pairs),
            old=old_place,
            new=place or new_place,
        )


@change_rule("ABI405")
def linkage_changed(comparison: Comparison) -> Iterator[Report]:
    """A function or an object is found under another symbol, or no longer at all.

    What changed: `extern "C"` was lost or gained, so that C++ compilers give it another name; an attribute that exports
    it was taken away; an asm label names another symbol; or it was made `static`, so that there is no symbol any more.

    What happens: a binary of the other version does not find the symbol and does not load.

    Instead: keep the symbol; export the new one beside it.

    Source: ISO/IEC 14882, [dcl.link]; the dynamic linker goes by the symbol alone.
    """
    for old, new in comparison.functions.changed:
        words = _linkage_words(old, new)
        if not words:
            continue
        only_new = old.static and not new.static
        by_cpp = f", as far as one side is compiled as C++: {words[0]}" if old.linkage != new.linkage else ""
        gone = breaks(f"{old.name} is not under the symbol that it was linked against any more{by_cpp}")
        missing = breaks(f"a core built against OLD does not have the symbol that it is linked against{by_cpp}")
        yield Report(
            entity=old.name,
            bump=Bump.MINOR if only_new else Bump.MAJOR,
            message=f"{old.name}: " + "; ".join(words),
            help="" if only_new else f"keep the symbol of {old.name}",
            axes=axes(old_plugin=OK if only_new else gone, new_plugin=OK if new.static else missing),
            old=old.span,
            new=new.span,
        )
    for before, after in comparison.variables.changed:
        if before.exported and not after.exported:
            yield Report(
                entity=before.name,
                bump=Bump.MAJOR,
                message=f"{before.name}: it is no longer exported",
                help=f"export {before.name} again",
                axes=axes(
                    old_plugin=breaks("the symbol that it was linked against is not there any more"),
                    new_plugin=OK,
                ),
                old=before.span,
                new=after.span,
            )


@change_rule("ABI406")
def function_deprecated(comparison: Comparison) -> Iterator[Report]:
    """A function is marked deprecated.

    What changed: its comment says so (`Deprecated.`, `Deprecating soon.`, `Use x.`), an attribute, or the spec.

    What happens: nothing yet. Compilers warn where an attribute says it.

    Instead: name the replacement (`Use x.`), and keep the function until the next MAJOR release.

    Source: VS, "Deprecating Functionality" and "Deprecation with Extension", case 3.
    """
    for old, new in comparison.functions.changed:
        lifecycle = new.contract.lifecycle
        if not lifecycle.deprecated or old.contract.lifecycle.deprecated:
            continue
        yield Report(
            entity=old.name,
            bump=Bump.MINOR,
            message=f"{old.name} is deprecated" + (f"; use {lifecycle.replaced_by}" if lifecycle.replaced_by else ""),
            old=old.span,
            new=new.span,
            caret="deprecated",
        )


def _renames(comparison: Comparison) -> dict[str, Function]:
    """Functions of OLD that have another name in NEW."""
    functions = comparison.functions
    if not (functions.removed and functions.added):
        return {}
    from abigen.check.pairing.likeness import renamed

    def is_equal(old: Function, new: Function) -> bool:
        same = comparison.equality.same_function(old.type, new.type)
        return same and old.static == new.static and implementer(old) == implementer(new)

    found = renamed(comparison.old.functions, comparison.new.functions, functions.removed, functions.added, is_equal)
    for old in functions.removed:
        alias = comparison.new.constants.get(old.name)
        new = comparison.new.functions.get(alias.text.strip("() ")) if alias is not None else None
        if old.name not in found and new in functions.added and new not in found.values() and is_equal(old, new):
            found[old.name] = new
    return found


def _static_bump(function: Function, comparison: Comparison, bump: Bump) -> Bump:
    """What a change needs; of a function that users compile themselves, only source code notices."""
    return source_bump(comparison, is_broken=True) if function.static else bump


def _removed_axes(function: Function, new: Function | None, comparison: Comparison) -> Axes:
    """Who misses a function."""
    name = function.name
    stays = name in comparison.new.macros or name in comparison.new.constants
    source = OK if stays else breaks(f"code that names {name} no longer compiles")
    if function.static:
        return axes(source=source)
    if implementer(function) == PLUGIN:
        new_plugin = breaks(f"a core built against OLD looks for {name}, which it does not have")
        old_plugin = breaks(f"a core built against NEW looks for {new.name}, which it does not have") if new else OK
        return axes(old_plugin=old_plugin, new_plugin=new_plugin, source=source)
    return axes(
        old_plugin=breaks(f"it calls {name}, which a core built against NEW does not export: it does not load"),
        new_plugin=breaks(f"it calls {new.name}, which a core built against OLD does not export") if new else OK,
        source=source,
    )


def _added_axes(function: Function, by_plugin: bool, required: bool) -> Axes:
    """Who misses a function that only NEW has."""
    name = function.name
    if function.static:
        return axes()
    if by_plugin:
        return axes(old_plugin=breaks(f"a core built against NEW needs {name}, which it lacks") if required else OK)
    if is_looked_up(function):
        return axes(new_plugin=at_risk(f"it has to check that a core built against OLD does not have {name}"))
    return axes(
        new_plugin=breaks(f"unless it looks {name} up at run time, it does not load into a core built against OLD")
    )


def _signature_axes(old: Function, new: Function, change: SignatureChange, source: str) -> Axes:
    """Who passes what to whom."""
    broken = breaks(source) if source else OK
    if not change.breaks_calls or (old.static and new.static):
        return axes(source=broken)
    words = "; ".join(change.words)
    if implementer(new) == PLUGIN:
        return axes(
            old_plugin=breaks(
                f"a core built against NEW calls it in the new way ({words}), and it expects the old one"
            ),
            new_plugin=breaks(
                f"a core built against OLD calls it in the old way, and it expects the new one ({words})"
            ),
            source=broken,
        )
    return axes(
        old_plugin=breaks(f"it calls a core built against NEW in the old way ({words})"),
        new_plugin=breaks(f"it calls a core built against OLD in the new way ({words})"),
        source=broken,
    )


def _place_of_change(change: SignatureChange) -> Span | None:
    """Where NEW's text shows the first difference."""
    return next((each.new.span for each in change.parameters if each.new is not None and each.new.span), None)


def _linkage_words(old: Function, new: Function) -> list[str]:
    """A clause for each difference that the linker sees."""
    if old.static or new.static:
        if old.static == new.static:
            return []
        return [
            "every user compiles it now, and there is no symbol" if new.static else "it is a symbol to link against now"
        ]
    words = []
    if old.linkage == "C" and new.linkage != "C":
        words.append('`extern "C"` was lost')
    elif old.linkage == "C++" and new.linkage == "C":
        words.append('`extern "C"` was added')
    if old.exported and not new.exported:
        words.append("it is no longer exported")
    if new.exported is False and old.exported is None:
        words.append("it is hidden now")
    if (old.symbol or old.name) != (new.symbol or new.name):
        words.append(f"its symbol was `{old.symbol or old.name}`, is `{new.symbol or new.name}`")
    return words


def _calls(comparison: Comparison) -> Iterator[tuple[str, CType, CType, Span | None, Span | None]]:
    """Everything that can be called on both sides and is described by its own type: entity, types, places."""
    for old, new in comparison.functions.changed:
        yield old.name, old.type, new.type, old.span, new.span
    for pair in comparison.structs:
        for each in pair.fields.kept:
            before, after = each.old.field, each.new.field
            if before.type != after.type and not isinstance(after.type, NamedType):
                yield pair.entity(before.name), before.type, after.type, before.span, after.span
    for typedef, now in comparison.typedefs.changed:
        if not isinstance(now.type, NamedType):
            yield typedef.name, typedef.type, now.type, typedef.span, now.span
