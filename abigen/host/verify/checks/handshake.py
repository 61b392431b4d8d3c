"""How plugin and core come together: versions that are equal, older, newer, and foreign."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.host.process import StoppedError
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness, Reply
from abigen.host.verify.scenario import equal, foreign, newer, older
from abigen.host.verify.session import Session
from abigen.host.verify.trial import entry_points, version_part
from abigen.model.finding import Level


@check("ABI020")
def handshake_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin does not accept a core of the very release that it is tried against.

    What happens: Core unloads it, and the user has no device.

    Instead: Refuse only another MAJOR, and report what is missing otherwise: the message is all that the user sees.

    Source: VS, "By Comparing SE_MAJOR at Registration Time".
    """
    session = Session(harness)
    reply = session.begin()
    if session.refused(reply):
        yield _refusal(harness, reply)


@check("ABI021", scenarios=older, unless=("ABI020",), level=Level.WARNING)
def older_core_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin does not accept an earlier release of core with the same MAJOR.

    What happens: Whoever has not updated core cannot use the plugin, although all that core lacks are members that
    were appended since, and `struct_size` says so.

    Instead: Leave out what core does not know. When the plugin cannot do without a newer member, this finding is
    right and can be accepted.

    Source: VS, "Extending Functionality".
    """
    session = Session(harness)
    reply = session.begin()
    if session.refused(reply):
        yield _refusal(harness, reply)


@check("ABI022", scenarios=newer, unless=("ABI020",))
def newer_core_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin does not accept a later release of core with the same MAJOR.

    What happens: An update of core takes the user's device away. A later MINOR has only appended members, which the
    plugin need not know.

    Instead: Compare MAJOR alone; compare sizes only with the smallest that the plugin can work with, never for
    equality. While MAJOR is 0 nothing is promised, so that this is only warned of.

    Source: VS, "Producer Has Newer Header Files"; Semantic Versioning 2.0.0, clause 7.
    """
    session = Session(harness)
    reply = session.begin()
    if session.refused(reply):
        level = Level.WARNING if harness.scenario.version.major == 0 else None
        yield _refusal(harness, reply)._replace(level=level)


@check("ABI023", scenarios=foreign)
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
    others = {each.symbol or each.name: each for api in harness.trial.others for each in entry_points(api)}
    exported = harness.trial.binary.exports if harness.trial.binary is not None else frozenset()
    names = [name for name, entry in others.items() if name in exported and not entry.type.parameters]
    if not names:
        raise StoppedError("the library exports no entry point of another API that takes nothing")
    Session(harness).start()
    for name in names:
        before = harness.calls_of_core()
        harness.call_symbol(name)
        if harness.calls_of_core() == before:
            yield Observation(name, f"{name} calls nothing of core's")


def _refusal(harness: Harness, reply: Reply) -> Observation:
    entry = harness.trial.entry.name
    return Observation(entry, f"{entry} does not accept {harness.scenario.name}: {_words(reply)}")


def _words(reply: Reply) -> str:
    return f"code {reply.code}, {reply.message!r}" if reply.code else f"it returns {reply.value}"


def _needs_versions(harness: Harness) -> None:
    """Core can only say another version where a member states it."""
    fields = (each for struct in harness.api.structs.values() for each in struct.fields or ())
    parts = {*(each.version_part for each in fields), *map(version_part, harness.trial.entry.type.parameters)}
    if "major" not in parts:
        raise StoppedError("core states its version nowhere")
