"""What keys of one item may not contradict, and text that must not break out of its line in the header."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from abigen.model.pattern import parse_pattern
from abigen.model.span import AbigenError
from abigen.read.spec.c_text import tokens_of
from abigen.read.spec.item import Item
from abigen.read.spec.messages import Report, did_you_mean
from abigen.read.spec.names import Names
from abigen.read.spec.nodes import Mapping as MappingNode
from abigen.read.spec.nodes import Scalar
from abigen.read.spec.plan import StructPlan


def check_contracts(root: Item, plans: Sequence[StructPlan], names: Names, report: Report) -> None:
    """Check all items of a spec for themselves.

    Args:
        root: the spec.
        plans: its structs.
        names: all names that it may use.
        report: receives what is wrong.
    """
    structs = {plan.item.name: _members_of(plan) for plan in plans}
    for plan in plans:
        limit = _alignment_limit(root) if plan.versioned else None
        siblings = structs[plan.item.name]
        if not siblings:
            hint = "list it among the handles if only one side knows its members"
            report.error(plan.item.name_span, f"'{plan.item.name}' has no members", hint)
        for field in plan.item.items("fields"):
            _check_field(field, plan.item, siblings, limit, report)
            _check_condition(field, plan.item, structs, report)
    for function in root.items("functions"):
        if function.flag("entry_point") and function.text("implemented_by") == "core":
            message = f"the entry point '{function.name}' has to be implemented by the plugin: the core calls it"
            report.error(function.span("implemented_by"), message)
    _check_errors(root, names, report)
    functions = {name: None for name, declared in names.ordinary.items() if declared.kind == "function"}
    for item in (*root.items("handles"), *root.items("structs")):
        for key in ("create", "destroy"):
            _check_callee(item, key, functions, structs, report)
        _check_failure(item, functions, report)
    _check_cpp_names(root, names, report)


def check_replacements(root: Item, report: Report) -> None:
    """Check what macros and constants stand for, before anything is computed from it.

    Args:
        root: the spec.
        report: receives what is wrong.
    """
    for macro in root.items("macros"):
        for parameter in macro.scalars("parameters")[:-1]:
            if parameter.text == "...":
                report.error(parameter.span, "'...' can only be the last parameter")
        _check_replacement(macro.scalar("body"), report)
    for constant in root.items("constants"):
        _check_constant(constant, report)


def _alignment_limit(root: Item) -> int:
    conventions = root.item("conventions")
    return (conventions.number("max_alignment") if conventions else None) or 8


def _members_of(plan: StructPlan) -> list[str]:
    return [each.name for each in plan.leading] + [each.name for each in plan.item.items("fields")]


def _check_field(field: Item, struct: Item, siblings: Sequence[str], limit: int | None, report: Report) -> None:
    required = field.flag("required") or field.item("required") is not None
    if required and field.flag("optional"):
        report.error(field.span("optional"), f"'{field.name}' cannot be both required and optional")
    if required and field.flag("reserved"):
        report.error(field.span("required"), f"'{field.name}' is reserved, so nobody can be required to set it")
    alignment = field.number("alignment")
    if alignment and limit and alignment > limit:
        message = (
            f"'{struct.name}.{field.name}' is aligned to {alignment} bytes; the limit in versioned structs is {limit}"
        )
        report.error(field.span("alignment"), message, "see conventions.max_alignment")
    if field.has("bits") and field.has("alignment"):
        report.error(field.span("alignment"), f"the bit-field '{field.name}' cannot have an alignment of its own")
    if field.has("count"):
        count = field.text("count")
        if count not in siblings:
            hint = did_you_mean(count, siblings)
            report.error(field.span("count"), f"'{struct.name}' has no member '{count}' that could count", hint)

    if field.has("destroy") and field.text("destroy") not in siblings:
        hint = did_you_mean(field.text("destroy"), siblings)
        message = f"'{struct.name}' has no member '{field.text('destroy')}' that could destroy"
        report.error(field.span("destroy"), message, hint)


def _check_condition(field: Item, struct: Item, structs: Mapping[str, Sequence[str]], report: Report) -> None:
    """What `required: {when: ...}` and `pattern` say of a member."""
    condition = field.item("required") or field
    stated = [key for key in ("when", "unless") if condition.has(key)]
    if condition is not field and not stated:
        report.error(field.span("required"), "a condition says when, or unless which member is set")
    if len({field.required(key).removeprefix(f"{struct.name}.") for key in stated}) < len(stated):
        report.error(condition.span("unless"), f"'{field.required('unless')}' cannot be both set and not set")
    for key in stated:
        owner, _, member = field.required(key).rpartition(".")
        owner = owner or struct.name
        place = condition.span(key)
        if owner not in structs:
            report.error(place, f"there is no struct '{owner}'", did_you_mean(owner, structs))
        elif member not in structs[owner]:
            report.error(place, f"'{owner}' has no member '{member}'", did_you_mean(member, structs[owner]))
        elif (owner, member) == (struct.name, field.name):
            report.error(place, f"'{field.name}' cannot be its own condition")
    if field.has("excludes"):
        _check_exclusion(field, struct, structs[struct.name], report)
    if field.has("pattern"):
        try:
            parse_pattern(field.text("pattern"), field.span("pattern"))
        except AbigenError as error:
            report.add(error.diagnostics)


def _check_exclusion(field: Item, struct: Item, siblings: Sequence[str], report: Report) -> None:
    other = field.text("excludes")
    if other not in siblings:
        hint = did_you_mean(other, siblings)
        report.error(field.span("excludes"), f"'{struct.name}' has no member '{other}' to exclude", hint)
    elif other == field.name:
        report.error(field.span("excludes"), f"'{other}' cannot exclude itself")
    elif field.required("when").removeprefix(f"{struct.name}.") == other:
        report.error(field.span("excludes"), f"'{other}' makes '{field.name}' required, so it cannot exclude it")


def _check_errors(root: Item, names: Names, report: Report) -> None:
    """What `conventions.errors` names has to be declared, here or in a used spec."""
    conventions = root.item("conventions")
    errors = conventions.item("errors") if conventions else None
    if errors is None:
        return
    codes = errors.item("codes")
    stated: list[tuple[str, Scalar | None, tuple[str, ...]]] = [
        ("type", errors.scalar("status"), ("handle", "typedef", "struct"))
    ]
    stated += [("function", errors.scalar(key), ("function",)) for key in ("set", "code", "message")]
    for entry in codes.node if codes else ():
        value = entry.value if isinstance(entry.value, Scalar) else None
        stated.append(("code", value, ("constant", "enumerator")))
    for what, scalar, kinds in stated:
        known = [name for name, declared in names.ordinary.items() if declared.kind in kinds]
        if scalar is not None and scalar.text not in known:
            report.error(scalar.span, f"there is no {what} '{scalar.text}'", did_you_mean(scalar.text, known))


def _check_callee(
    item: Item, key: str, functions: Collection[str], structs: Mapping[str, Collection[str]], report: Report
) -> None:
    """`create` and `destroy` name a function, or a member as `Struct.member`."""
    if not item.has(key):
        return
    owner, dot, member = item.text(key).partition(".")
    place = item.span(key)
    if dot and owner not in structs:
        report.error(place, f"there is no struct '{owner}'", did_you_mean(owner, structs))
    elif dot and member not in structs[owner]:
        report.error(place, f"'{owner}' has no member '{member}'", did_you_mean(member, structs[owner]))
    elif not dot and owner not in functions:
        report.error(place, f"there is no function '{owner}'", did_you_mean(owner, functions))


def _check_failure(item: Item, functions: Collection[str], report: Report) -> None:
    """`failure` names a function."""
    name = item.text("failure")
    if name and name not in functions:
        report.error(item.span("failure"), f"there is no function '{name}'", did_you_mean(name, functions))


def _check_cpp_names(root: Item, names: Names, report: Report) -> None:
    """Names for C++ are given to what has a class or a method there."""
    conventions = root.item("conventions")
    cpp = conventions.item("cpp") if conventions else None
    given = cpp.item("names") if cpp else None
    known = [name for name, each in names.ordinary.items() if each.kind in ("handle", "struct", "function")]
    for entry in given.node if given else ():
        if entry.key.text not in known:
            message = f"there is no handle, struct or function '{entry.key.text}'"
            report.error(entry.key.span, message, did_you_mean(entry.key.text, known))


def _check_constant(constant: Item, report: Report) -> None:
    cases = constant.items("value")
    _check_replacement(constant.scalar("value"), report)
    for position, case in enumerate(cases):
        _check_replacement(case.scalar("if"), report)
        _check_replacement(case.scalar("text"), report)
        if not case.has("if") and position + 1 < len(cases) and isinstance(case.node, MappingNode):
            report.error(case.node.span, "a case without 'if' holds always, so it has to be the last")
        if case.has("if") and position + 1 == len(cases):
            message = f"what '{constant.name}' stands for otherwise is not said"
            report.error(case.node.span, message, "add a last case that has no 'if'")


def _check_replacement(scalar: Scalar | None, report: Report) -> None:
    """What goes into a directive stays on its line: no comments, no backslash at an end, no stray characters."""
    if scalar is None:
        return
    for token in tokens_of(scalar):
        if token.kind in ("other", "pragma"):
            report.error(token.span, f"'{token.text}' cannot stand in a macro")
            return
    if _has_comment(scalar.text):
        report.error(scalar.span, "a comment cannot stand in a macro", "say it in 'doc'")


def _has_comment(text: str) -> bool:
    """Whether a comment opens outside of string and character constants."""
    quote = ""
    position = 0
    while position < len(text):
        character = text[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "\"'":
            quote = character
        elif text.startswith(("//", "/*"), position):
            return True
        position += 1
    return False
