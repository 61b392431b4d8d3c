"""Rules about functions and objects: symbols that one side exports and the other uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from abigen.checker.comparison import ApiComparison, IncludedChange, change_rules
from abigen.checker.equality import Equality, was_is
from abigen.checker.pairs import (
    Added,
    ApisOnTarget,
    Changed,
    Removed,
    SignatureChange,
    broken_use,
    compare_signatures,
    fine_callers,
    integer_of,
    is_macro,
    type_change,
)
from abigen.checker.rule import HIDDEN, HIDDEN_NOW, AtRisk, Numbers, RuleResult, Subject, count, gone, linkage_words
from abigen.checker.rules.types import other_handle
from abigen.model.contract import Party
from abigen.model.ctype import Array, CType, NamedType, Qualified
from abigen.model.entities import Function, Variable
from abigen.model.finding import Bump, Detail
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.spelling import spell


def _is_only_in_specs(function: Function, apis: ApisOnTarget) -> bool:
    """True if no header declares a function, so that the side that is one says nothing of it."""
    return bool(function.declared_by) and not (apis.old.header and apis.new.header)


@change_rules.each(
    "ABI401", lambda comparison: comparison.removed(comparison.pair.functions, comparison.renamed_functions), Bump.MAJOR
)
def function_removed(removed: Removed[Function]) -> Iterator[RuleResult]:
    """A function was removed or renamed."""
    function, new, apis, name = removed.old, removed.successor, removed.apis, removed.old.name
    if _is_only_in_specs(function, apis):
        return
    plugins = (
        f"it fails to load: it calls {name}, which a core built against NEW does not export",
        f"it fails to load: it calls {new.name}, which a core built against OLD does not export" if new else "",
    )
    if function.implemented_by is Party.PLUGIN:
        plugins = (
            f"a core built against NEW looks for {new.name}, which it does not have" if new else "",
            f"a core built against OLD looks for {name}, which it does not have",
        )
    stays = is_macro(name, apis.new)
    gone_words = f"{name} became a macro; its symbol was removed" if stays else f"{name} was removed"
    is_unnoticed = function.static and (stays or not apis.options.source_counts)
    yield RuleResult(
        f"{name} was renamed to {new.name}" if new else gone_words,
        Bump.PATCH if is_unnoticed else Bump.MAJOR,
        help=f"keep {name}, mark it deprecated" + (f", and let it call {new.name}" if new else ""),
        caret=f"was {name}" if new else "",
        plugins=("", "") if function.static else plugins,
        source="" if stays else gone(name),
    )


@change_rules.each(
    "ABI402", lambda comparison: comparison.added(comparison.pair.functions, comparison.renamed_functions)
)
def function_added(added: Added[Function]) -> Iterator[RuleResult]:
    """A function was added."""
    function, name = added.new, added.new.name
    if _is_only_in_specs(function, added.apis):
        return
    by_plugin = function.implemented_by is Party.PLUGIN
    required = function.is_demanded
    old_plugin = new_plugin = ""
    if required:
        old_plugin = f"it does not have {name}, which a core built against NEW requires"
    elif not by_plugin and not function.static:
        new_plugin = f"it fails to load into a core built against OLD, unless it looks {name} up at run time"
        if function.is_looked_up:
            new_plugin = AtRisk(f"it must check for NULL: a core built against OLD does not have {name}")
    yield RuleResult(
        (f"{name} was a macro, is a function" if is_macro(name, added.apis.old) else f"{name} was added")
        + (", and plugins must implement it" if required else ""),
        Bump.MAJOR if required else Bump.MINOR,
        help=f"mark {name} `Optional.`, and let the core work without it" if required else "",
        plugins=(old_plugin, new_plugin),
    )


@change_rules.each("ABI403", lambda comparison: comparison.both(comparison.pair.functions))
def function_signature_changed(function: Changed[Function]) -> Iterator[RuleResult]:
    """The signature of a function changed."""
    old, new, equality = function.old, function.new, function.apis.equality
    if old.type == new.type and equality.names_are_enough:
        return
    change = compare_signatures(old.type, new.type, equality)
    if not change.words:
        return
    words, by_plugin = "; ".join(change.words), new.implemented_by is Party.PLUGIN
    is_mangled = change.loses_a_handle and old.linkage == new.linkage == "C++"
    if change.loses_a_handle and not is_mangled:
        yield other_handle(old.name, f"{old.name}: {words}", words)
        return
    breaks_calls = change.breaks_calls or is_mangled
    source = broken_use(change, equality, is_defined_by_users=by_plugin)
    is_break = (breaks_calls and not new.static) or (bool(source) and function.apis.options.source_counts)
    plugins = ("", "")
    if breaks_calls and not (old.static and new.static):
        plugins = (
            f"it calls {old.name} of a core built against NEW with the signature of OLD ({words})",
            f"it calls {old.name} of a core built against OLD with the signature of NEW ({words})",
        )
        if by_plugin:
            plugins = (
                f"a core built against NEW calls its {old.name} with the signature of NEW ({words})",
                f"a core built against OLD calls its {old.name} with the signature of OLD ({words})",
            )
        fine = fine_callers(old.type, new.type, equality)[:: -1 if by_plugin else 1]
        plugins = ("" if fine[0] else plugins[0], "" if fine[1] else plugins[1])
    source, contract = _of_converted(change, source, equality) if change.is_converted else (source, "")
    yield RuleResult(
        f"{old.name}: {words}",
        Bump.MAJOR if is_break else Bump.PATCH,
        help="add a function with another name and deprecate this one" if is_break else "",
        plugins=plugins,
        source=source,
        details=(
            Detail("was", spell(old.type, old.name, equality.old)),
            Detail("is", spell(new.type, new.name, equality.new)),
        ),
        contract=contract,
        numbers=integers_of(change, equality),
        about=replace(function.about, new=change.place or new.span),
    )


OTHER_CHARACTERS = "a byte above 127 is read as a number below 0 by the side whose characters are signed"


def _of_converted(change: SignatureChange, source: str, equality: Equality) -> tuple[str, str]:
    """Return why source code and the contract are at risk where integers or characters became others, in calls that
    pass the same bytes."""
    source = source or AtRisk(
        "only C++ code that takes the address of the function, or declares it again, no longer compiles"
    )
    signs = [
        (integer_of(old, equality.old_layouts), integer_of(new, equality.new_layouts)) for old, new in change.integers
    ]
    is_other_sign = any(old is not None and new is not None and old != new for old, new in signs)
    if change.is_of_characters:
        return source, AtRisk(OTHER_CHARACTERS)
    reason = "a number below 0 is read as a large number by the side whose type is unsigned"
    return source, AtRisk(reason) if is_other_sign else ""


def integers_of(change: SignatureChange, equality: Equality) -> Numbers:
    """Return size (in bytes) and sign of the first integer or enumeration that became another one, on this target."""
    for old, new in change.integers:
        before, after = integer_of(old, equality.old_layouts), integer_of(new, equality.new_layouts)
        if before is not None and after is not None and before != after:
            sizes = {"old_size": before[0], "new_size": after[0]} if before[0] != after[0] else {}
            return {**sizes, "old_sign": before[1], "new_sign": after[1]}
    return {}


@change_rules.also("ABI403", lambda comparison: comparison.changed(comparison.pair.functions))
def _returns_now(function: Changed[Function]) -> Iterator[RuleResult]:
    """A function returns to callers whose compilers left out what follows the call, or cannot be called at all."""
    name, before, after = function.name, function.old.flags, function.new.flags
    by_plugin = function.new.implemented_by is Party.PLUGIN
    lost, gained = "noreturn" in before and "noreturn" not in after, "noreturn" in after and "noreturn" not in before
    if lost if by_plugin else gained:
        callee, caller = ("a core built against OLD", f"the newer {name}") if by_plugin else ("it", f"an older {name}")
        returns = f"{callee} is compiled for a {name} that never returns, so {caller} must not return either"
        yield RuleResult(
            f"{name} " + ("may now return" if by_plugin else "must no longer return"),
            Bump.MINOR,
            help="add `noreturn` only to a function that never returned",
            plugins=("", AtRisk(returns)),
            contract=AtRisk("compilers emit no code after the call: if the function returns, arbitrary code runs"),
        )
    elif lost or gained:
        reason = "{} for a function that never returns, so arbitrary code runs if it returns"
        caller = reason.format("a core built against NEW is compiled" if by_plugin else "it is compiled")
        yield RuleResult(
            f"{name} " + ("must no longer return" if by_plugin else "may now return"),
            Bump.MAJOR,
            help="add a function with another name and deprecate this one",
            plugins=(caller, ""),
        )
    refused = [each for each in ("error", "unavailable") if each in after and each not in before]
    if refused:
        yield RuleResult(
            f"{name} has the attribute {refused[0]}: compilers refuse each call",
            Bump.MAJOR if function.apis.options.source_counts else Bump.PATCH,
            help=f"mark {name} deprecated instead",
            source=f"code that calls {name} no longer compiles",
        )


@change_rules.also("ABI403", lambda comparison: comparison.included("function"))
def _passed_struct_changed(passed: IncludedChange) -> Iterator[RuleResult]:
    """A function takes or returns an included struct by value whose layout changed."""
    struct, name, new = passed.struct, passed.struct.name, passed.struct.apis.new.functions.get(passed.use.holder)
    was, now = struct.old_layout.size, struct.new_layout.size
    if new is None:
        return
    old = struct.apis.old.functions[passed.use.holder]
    yield RuleResult(
        f"{passed.use.clause(name)}, which comes from an included header and had {was} bytes, has {now}",
        Bump.MAJOR,
        help=f"pass {name} by pointer, or keep the header that defines it as in OLD",
        caret=f"{name} by value",
        plugins=(
            f"it passes {name} with {was} bytes; a core built against NEW expects {now} bytes",
            f"it passes {name} with {now} bytes; a core built against OLD expects {was} bytes",
        ),
        about=Subject(old.name, old.span, new.span, struct.sizes),
    )


def _calls(comparison: ApiComparison) -> Iterator[tuple[Subject, CType, CType]]:
    """Yield the callable entities of both sides that have a type of their own, with both types."""
    for function in comparison.changed(comparison.pair.functions):
        yield function.about, function.old.type, function.new.type
    for member in comparison.members(lambda fields: fields.kept):
        before, after = member.old.field.type, member.new.field.type
        if before != after and not isinstance(after, NamedType):
            about = replace(member.about, entity=member.struct.entity(member.name), numbers={})
            yield about, before, after
    for typedef in comparison.changed(comparison.pair.typedefs):
        if not isinstance(typedef.new.type, NamedType):
            yield typedef.about, typedef.old.type, typedef.new.type


@change_rules.whole("ABI404", Bump.PATCH)
def parameter_renamed(comparison: ApiComparison) -> Iterator[RuleResult]:
    """A parameter was renamed, and nothing else about the call differs."""
    for about, old, new in _calls(comparison):
        before = comparison.function_behind(old, new=False)
        after = comparison.function_behind(new, new=True)
        if before is None or after is None or before == after:
            continue
        change = compare_signatures(before, after, comparison.equality)
        if change.renamed and not change.breaks_calls:
            pairs = [(each.old.name, each.new.name) for each in change.renamed if each.old and each.new]
            place = next((each.new.span for each in change.renamed if each.new), None)
            yield RuleResult(
                f"{about.entity}: " + ", ".join(f"parameter {was} was renamed to {now}" for was, now in pairs),
                about=replace(about, new=place or about.new),
            )


def _exported(comparison: ApiComparison) -> Iterator[Changed[Function]]:
    """Return functions of both sides that differ, or of which two headers that are generated may say otherwise."""
    functions, headers = comparison.pair.functions, (comparison.old.header, comparison.new.header)
    return comparison.both(functions) if all(headers) else comparison.changed(functions)


@change_rules.each("ABI405", _exported)
def linkage_changed(function: Changed[Function]) -> Iterator[RuleResult]:
    """The symbol of a function or an object changed or was removed."""
    name, words, only_new = function.name, linkage_words(function.old, function.new), function.old.static
    headers = function.apis.old.header, function.apis.new.header
    if headers[0] and headers[1] and headers[0].export_of(function.old) and not headers[1].export_of(function.new):
        words.append(HIDDEN)
    by_plugin = Party.PLUGIN in (function.old.implemented_by, function.new.implemented_by)
    if by_plugin and (
        function.old.implemented_by != function.new.implemented_by or bool(headers[0]) != bool(headers[1])
    ):
        # A spec's header exports what plugins implement; for other headers plugins do it themselves.
        words = [each for each in words if each != HIDDEN]
    words = list(dict.fromkeys(words))
    if not words:
        return
    is_cpp = function.old.linkage != function.new.linkage
    by_cpp = f", if one side is compiled as C++ ({words[0]})" if is_cpp else ""
    old_plugin = f"it fails to load: a core built against NEW does not export its symbol for {name}{by_cpp}"
    new_plugin = f"it fails to load: a core built against OLD does not export its symbol for {name}{by_cpp}"
    yield RuleResult(
        f"{name}: " + "; ".join(words),
        Bump.MINOR if only_new else Bump.MAJOR,
        help="" if only_new else f"keep the symbol of {name}",
        plugins=_cut_off(function, words, old_plugin, new_plugin),
    )


def _cut_off(function: Changed[Function], words: Sequence[str], old: str, new: str) -> tuple[str, str]:
    """Return the side that does not find a symbol, in the reasons for an old and a new plugin.

    What is no longer exported is missed by those who link against it, whatever they were built against; the other
    version of who implements it still has it.
    """
    if function.old.static:
        return "", "" if function.new.static else new
    if function.new.static or set(words) <= {HIDDEN, HIDDEN_NOW}:
        if function.new.implemented_by is Party.PLUGIN and not function.new.static:
            return "", f"it does not export {function.name}, which the core looks up"
        return old, ""
    return old, new


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
    """An object was removed."""
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
    """An object was added."""
    name, old = added.new.name, added.apis.old
    was_macro = is_macro(name, old)
    reason = f"if it refers to {name}, it fails to load into a core built against OLD"
    yield RuleResult(f"{name} was a macro, is an object" if was_macro else f"{name} was added", plugins=("", reason))


@change_rules.each("ABI413", lambda comparison: comparison.both(comparison.pair.variables), None)
def variable_changed(variable: Changed[Variable]) -> Iterator[RuleResult]:
    """The type of an object changed."""
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
    """Return the least alignment of an object, in bytes; 0 where its type is not complete."""
    try:
        natural = layouts.alignment_of(variable.type)
        return natural if variable.alignment is None else max(natural, layouts.alignment(variable.alignment, None))
    except AbigenError:
        return 0


def _bare(type: CType) -> CType:
    """Return a type without the qualifiers of the object itself."""
    if isinstance(type, Qualified):
        return type.type
    return Array(_bare(type.element), type.length) if isinstance(type, Array) else type
