"""What a spec leaves unsaid of calls: how they fail, and what they keep. Headers have no words for it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from abigen.check.lint_context import LintContext, lint_rules, member, whole
from abigen.check.rule import RuleResult, Subject
from abigen.model.contract import Party
from abigen.model.ctype import Basic, FunctionType, NamedType
from abigen.model.identifiers import words_of
from abigen.model.roles import is_of_plugin, retained, scope
from abigen.model.verbs import ENDS, KEEPING, PAIRS, QUESTIONS


class _Call(msgspec.Struct, frozen=True):
    """A function that one side calls: one of the API, or one that a member of a struct points to."""

    subject: Subject
    key: str
    type: FunctionType
    is_plugins: bool
    """The plugin implements it."""
    is_entry_point: bool = False


def _calls(context: LintContext) -> Iterator[_Call]:
    """All functions of an API that a spec describes; none of a header."""
    if context.api.header is None or context.is_compared:
        return
    for each in context.functions:
        yield _Call(whole(each), each.name, each.type, each.implemented_by is Party.PLUGIN, each.entry_point)
    for struct in context.structs:
        for field in struct.fields or ():
            type = context.api.function_behind(field.type)
            if type is not None and field.name:
                is_plugins = is_of_plugin(field)
                yield _Call(member(struct, field), f"{struct.name}.{field.name}", type, is_plugins)


@lint_rules.whole("ABI821")
def failure_unsaid(context: LintContext) -> Iterator[RuleResult]:
    """A function of the plugin cannot report failure.

    What it means: it has no status, and the spec does not state which of its results means failure. Functions whose
    names say that they destroy or query are not reported.

    What happens: the core treats every call as a success. Generated bindings cannot report a failure: they reject a
    callback that throws when it is created, or its author must choose the result for the core.

    Instead: state it in `conventions.errors`, or add a status to the function. If the function cannot fail, accept the
    finding: `// abigen: accept failure-unsaid: reason`.

    Source: design, `conventions.errors`.
    """
    quiet = {*QUESTIONS, *ENDS, *PAIRS.values()}
    for call in _calls(context):
        api = context.api
        is_said = api.status_position(call.type, call.key) is not None or bool(
            api.outcome(call.type, call.key, entry_point=call.is_entry_point)
        )
        if not call.is_plugins or is_said or quiet & {*words_of(call.key.rpartition(".")[2])}:
            continue
        is_void = api.resolve(call.type.result) == Basic("void")
        what = (
            "it returns nothing and has no status"
            if is_void
            else "the spec does not state which of its results means failure"
        )
        yield RuleResult(
            f"{call.key} cannot report failure: {what}",
            help="state it in `conventions.errors`, or add a status",
            about=call.subject,
        )


@lint_rules.whole("ABI822")
def retention_unsaid(context: LintContext) -> Iterator[RuleResult]:
    """A function probably retains a callback, and the spec does not state for how long.

    What it means: its name suggests that it registers, adds or sets an object, a parameter points to a function, and
    neither `retains` of the function nor `scope` of the callback's type states how long the callback is used.

    What happens: a caller, or a generated binding, frees the callback after the call. A later call of the callback uses
    freed memory and crashes.

    Instead: state `retains: [parameter]` at the function, or `scope` at the callback.

    Source: design, `retains` and `scope`.
    """
    api = context.api
    for call in _calls(context):
        if not {*words_of(call.key.rpartition(".")[2])} & {*KEEPING}:
            continue
        for each in call.type.parameters:
            of_type = scope(api, each.type.name) if isinstance(each.type, NamedType) else ""
            if (
                api.function_behind(each.type)
                and each.name
                and not of_type
                and each.name not in retained(api, call.key)
            ):
                yield RuleResult(
                    f"the spec does not state how long {call.key} may call {each.name}",
                    help=f"state `retains: [{each.name}]` at {call.key}, or `scope` at the type of {each.name}",
                    about=call.subject,
                )
