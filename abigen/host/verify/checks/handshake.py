"""The library itself, and how plugin and core come together: versions that are equal, older, newer, and foreign."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.host.process import InapplicableError, StoppedError
from abigen.host.verify.check import BinaryView, Observation, check, file_check
from abigen.host.verify.harness import Harness, Reply
from abigen.host.verify.scenario import equal, foreign, newer, older, other_entries
from abigen.host.verify.session import Session
from abigen.host.verify.shim import core_functions
from abigen.model.ctype import Basic
from abigen.model.finding import Level


@file_check("ABI010", always=True)
def entry_point_missing(view: BinaryView) -> Iterator[Observation]:
    """The library does not export a function that the spec demands of plugins, such as the entry point.

    What happens: Core looks it up by name after loading, and does not find it. Without the entry point it takes the
    library for none of its plugins.

    Instead: Define it with C linkage (`extern "C"`) and default visibility, under exactly this name.

    Source: VS, "By Comparing SE_MAJOR at Registration Time"; System V ABI, "Symbol Table".
    """
    binary, entry, api = view.trial.binary, view.trial.first, view.trial.api
    if entry is None or binary is None:
        return
    others = (
        each
        for each in api.functions.values()
        if each.in_api and each.is_demanded and not (each.entry_point or each.found_by)
    )
    for function in (entry, *others):
        name = function.symbol or function.name
        if name not in binary.exports:
            mangled = sorted(each for each in binary.exports if each.startswith("_Z") and name in each)
            details = (("exported", f"{mangled[0]}, which is its name in C++"),) if mangled else ()
            help = f'declare {name} extern "C"' if mangled else f"define {name} with default visibility"
            yield Observation(function.name, f"the library does not export {name}", help=help, details=details)


@file_check("ABI011")
def symbol_unknown(view: BinaryView) -> Iterator[Observation]:
    """The library needs a symbol that core does not have.

    What happens: Core loads plugins with all symbols bound at once, and the loader refuses the library; with lazy
    binding the process ends at the first call.

    Instead: Link the library that has it, or do without it. A function that came with a later release of core has to
    be looked up when it is needed (`dlsym`), not linked.

    Source: System V ABI, "Dynamic Linking"; dlopen(3), RTLD_NOW.
    """
    latest = core_functions((view.trial.latest,))
    for name in view.missing:
        since = latest[name][0].contract.lifecycle.since if name in latest else None
        reason = f": core has it from release {since} on" if since is not None else ""
        yield Observation(name, f"the library needs {name}, which neither core nor a library has{reason}")


@file_check("ABI012", level=Level.NOTE)
def library_missing(view: BinaryView) -> Iterator[Observation]:
    """The library needs another library that this machine does not have.

    What happens: The loader refuses the plugin, unless core has loaded that library itself. The other checks have run
    with an empty library in its place.

    Instead: Nothing, when the library is core's own. Otherwise ship it, or link it statically.

    Source: dlopen(3); System V ABI, "Shared Object Dependencies".
    """
    for name in view.libraries:
        yield Observation(name, f"the library needs {name}, which is not on this machine")


@file_check("ABI013", level=Level.WARNING)
def core_symbol_exported(view: BinaryView) -> Iterator[Observation]:
    """The library exports a function that is core's.

    What happens: Where the loader searches the plugin first, the plugin calls its own copy and core never hears of
    it; where it searches core first, the copy is dead weight. Which of the two depends on how it was loaded.

    Instead: Do not define or link in core's functions; let the loader find them in the process.

    Source: System V ABI, "Shared Object Dependencies", symbol search order.
    """
    binary = view.trial.binary
    known = core_functions((view.trial.api, *view.trial.others))
    for name in sorted(binary.exports if binary is not None else ()):
        if name in known:
            yield Observation(name, f"the library exports {name}, which is a function of core's")


@file_check("ABI014", always=True)
def library_not_loaded(view: BinaryView) -> Iterator[Observation]:
    """The loader refuses the library.

    What happens: Core goes on without the plugin. No other check can be run.

    Instead: See what the loader says. Most often the file is for another machine, or another library is missing.

    Source: dlopen(3).
    """
    if view.problem:
        yield Observation(view.trial.plugin.name, f"{view.trial.plugin.name}: {view.problem}")


@check("ABI020", quick=True)
def handshake_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin does not accept a core of the very release that it is tried against.

    What happens: Core unloads it, and the user has no device.

    Instead: Refuse only another MAJOR, and report what is missing otherwise: the message is all that the user sees.
    An entry point that reports the API's code for what is not written yet is only warned of.

    Source: VS, "By Comparing SE_MAJOR at Registration Time".
    """
    yield from _refusal(harness)


@check("ABI021", scenarios=older, unless=("ABI020",), level=Level.WARNING)
def older_core_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin does not accept an earlier release of core with the same MAJOR.

    What happens: Whoever has not updated core cannot use the plugin, although all that core lacks are members that
    were appended since, and `struct_size` says so.

    Instead: Leave out what core does not know. When the plugin cannot do without a newer member, this finding is
    right and can be accepted.

    Source: VS, "Extending Functionality".
    """
    yield from _refusal(harness)


@check("ABI022", scenarios=newer, unless=("ABI020",))
def newer_core_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin does not accept a later release of core with the same MAJOR.

    What happens: An update of core takes the user's device away. A later MINOR has only appended members, which the
    plugin need not know.

    Instead: Compare MAJOR alone; compare sizes only with the smallest that the plugin can work with, never for
    equality. While MAJOR is 0 nothing is promised, so that this is only warned of.

    Source: VS, "Producer Has Newer Header Files"; Semantic Versioning 2.0.0, clause 7.
    """
    yield from _refusal(harness, Level.WARNING if harness.scenario.version.major == 0 else None)


@check("ABI023", scenarios=foreign, quick=True)
def foreign_major_accepted(harness: Harness) -> Iterator[Observation]:
    """The plugin accepts a core of another MAJOR.

    What happens: Members have other meanings and places there. The plugin writes what core takes for something else.

    Instead: In the entry point compare the MAJOR that core states with the one of the plugin's own header, before
    anything else is touched, and report an error in the status.

    Source: VS, "By Comparing SE_MAJOR at Registration Time".
    """
    _needs_versions(harness)
    session = Session(harness)
    if not session.refused(session.begin()):
        entry = harness.trial.entry.name
        help = "compare MAJOR, and report an error in the status when it differs"
        yield Observation(entry, f"{entry} accepts {harness.scenario.name}", help=help)


@check("ABI024", scenarios=foreign, level=Level.WARNING)
def refusal_says_nothing(harness: Harness) -> Iterator[Observation]:
    """The plugin refuses core without a message.

    What happens: The user learns that something failed, and not who is too old.

    Instead: Put both versions into the status, and who has to be updated.

    Source: VS, "By Comparing SE_MAJOR at Registration Time": the plugin outputs an error.
    """
    _needs_versions(harness)
    session = Session(harness)
    reply = session.begin()
    if reply.code and not reply.message.strip():
        entry = harness.trial.entry.name
        yield Observation(entry, f"{entry} refuses {harness.scenario.name} with code {reply.code} and an empty message")


@check("ABI025", scenarios=foreign)
def unusable_after_refusal(harness: Harness) -> Iterator[Observation]:
    """After the plugin has refused once, it does not work any more.

    What happens: Core that tries again, with the version that fits or after the user has corrected something, fails
    for no reason that anybody could see.

    Instead: Check before anything is initialised, and leave nothing behind when refusing.

    Source: VS, "By Comparing SE_MAJOR at Registration Time": a refused plugin is unloaded and may be loaded again.
    """
    _needs_versions(harness)
    first = Session(harness)
    if not first.refused(first.begin()):
        raise StoppedError("the plugin does not refuse")
    harness.scenario = next(equal(harness.trial.api))
    second = Session(harness)
    reply = second.enter()
    if second.refused(reply):
        entry = harness.trial.entry.name
        message = f"{entry} refuses a core of its own release after it has refused another: {_words(reply)}"
        yield Observation(entry, message)


@check("ABI026", level=Level.NOTE)
def entry_point_without_effect(harness: Harness) -> Iterator[Observation]:
    """An entry point of another API, which the library exports as well, calls nothing of core's.

    What happens: Core calls it after loading, so that the plugin can register what it has. Nothing is registered.

    Instead: Register there, or leave the function out where core does not demand it.

    Source: the spec's `entry_point`.
    """
    names = other_entries(harness.trial)
    if not names:
        raise InapplicableError("the library exports no entry point of another API that takes nothing")
    Session(harness).start()
    for name in names:
        before = harness.calls_of_core()
        harness.call_symbol(name)
        if harness.calls_of_core() == before:
            yield Observation(name, f"{name} calls nothing of core's")


@check("ABI872")
def index_past_the_end(harness: Harness) -> Iterator[Observation]:
    """A function that lists what the plugin has returns something for an index past the end.

    What happens: Core counts up until it gets NULL. It never ends, or uses memory behind the plugin's list.

    Instead: Return NULL for each index that is not in the list.

    Source: the spec's `listed_by`.
    """
    entry = harness.trial.entry
    if not entry.listed_by:
        raise InapplicableError(f"{entry.name} does not list anything")
    session = Session(harness).start()
    count = 1
    while count < _MOST_LISTED and session.list_one(count):
        count += 1
    if harness.scenario.settings:
        return  # these were listed already
    step = max(1, count // _MOST_TRIED)
    for index in range(step, count, step):
        key = f"{entry.name}.{entry.listed_by}"
        harness.trace.write(variant=f"{entry.name}({index})", settings={key: index})
    for index in (count, count + 1, 1000 + count, (1 << 31) - 1):
        if count < _MOST_LISTED and session.list_one(index):
            message = f"{entry.name} returns NULL for {count}, and something for {index}"
            yield Observation(entry.name, message, help=f"return NULL from {count} up")
            return


_MOST_LISTED, _MOST_TRIED = 4096, 12
"""How many entries of a list are counted, and of how many of them all functions are called."""


def _refusal(harness: Harness, level: Level | None = None) -> Iterator[Observation]:
    """What the entry point says when it does not accept core."""
    session, entry = Session(harness), harness.trial.entry.name
    reply = session.begin()
    if session.refused(reply):
        message = f"{entry} does not accept {harness.scenario.name}: {_words(reply)}"
        level = Level.WARNING if harness.is_unimplemented(reply) else level
        yield Observation(entry, message, level=level)


def _words(reply: Reply) -> str:
    return f"code {reply.code}, {reply.message!r}" if reply.code else f"it returns {reply.refusal or reply.value}"


def _needs_versions(harness: Harness) -> None:
    """Core can only say another version where the entry point is told, and be refused where it has an answer."""
    entry, api = harness.trial.entry, harness.api
    handed = (api.pointee(each.type) for each in entry.type.parameters)
    stated = {each.version_part for struct in handed if struct is not None for each in struct.fields or ()}
    if "major" not in stated.union(each.version_part for each in entry.type.parameters):
        raise InapplicableError(f"core states its version nowhere to {entry.name}")
    is_silent = harness.layouts.resolve(entry.type.result) == Basic("void")
    if is_silent and not any(api.is_status(each.type) for each in entry.type.parameters):
        raise InapplicableError(f"{entry.name} has no way to refuse")
