"""What the plugin makes, how it ends, and whether that can be done again, and by several at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

from abigen.host.libraries import read_library
from abigen.host.process import InapplicableError, StoppedError
from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.host.verify.offered import Creation
from abigen.host.verify.repetition import held, held_since, left_behind, open_files, repeat
from abigen.host.verify.scenario import equal_with_pages, newer, older, other_entries, shortened
from abigen.host.verify.session import Session, made_session
from abigen.model.finding import Level

_ROUNDS, _SECONDS = 200_000, 0.25
"""How often threads that call at once do so, and for how long at most."""
_WITHOUT_THREADS = ("libc.", "libm.", "libpthread.", "libdl.", "librt.", "libgcc_s.", "libstdc++.", "ld-linux")
"""How the names of libraries begin that start no threads of their own."""
_STARTS = ("pthread_create", "thrd_create")


@check("ABI040", spoils=True, quick=True)
def creation_fails(harness: Harness) -> Iterator[Observation]:
    """A function that makes something does not.

    What happens: Core gives up the device, and reports whatever the plugin has put into the status.

    Instead: Make it. When the machine lacks what it takes, say so in the status of the entry point. What is not written
    yet and says so itself, by the API's code for that, is only warned of.

    Source: the contract's functions for creation.
    """
    yield from _failures(made_session(harness), "")


@check("ABI041", scenarios=older, unless=("ABI040",))
def creation_fails_on_older_core(harness: Harness) -> Iterator[Observation]:
    """With an earlier release of core, which the plugin has accepted, a function that makes something does not.

    What happens: Core has registered the plugin and then gets no device from it.

    Instead: Refuse in the entry point, or make it, without the members that core does not know.

    Source: VS, "Extending Functionality".
    """
    yield from _failures(made_session(harness), f" for {harness.scenario.name}")


@check("ABI042", scenarios=newer, unless=("ABI040",))
def creation_fails_on_newer_core(harness: Harness) -> Iterator[Observation]:
    """With a later release of core, which the plugin has accepted, a function that makes something does not.

    What happens: An update of core takes the user's device away.

    Instead: Do not compare sizes for equality: a struct of core's may be larger than the plugin's own header says.

    Source: VS, "Producer Has Newer Header Files".
    """
    yield from _failures(made_session(harness), f" for {harness.scenario.name}")


@check("ABI043", scenarios=shortened, unless=("ABI040",))
def creation_fails_on_shorter_structs(harness: Harness) -> Iterator[Observation]:
    """The plugin accepts structs that end one member earlier, and does not work with them.

    What happens: Core that is older than that member gets a plugin that it cannot use.

    Instead: Refuse in the entry point with a message, or work without the member.

    Source: VS, "By Checking Struct Size".
    """
    session = Session(harness)
    if not session.refused(session.begin()):
        session.create_all()
        yield from (report for report in _failures(session, f" for {harness.scenario.name}") if not report.details)


@check("ABI029")
def example_fails(harness: Harness) -> Iterator[Observation]:
    """A function reports an error for the arguments that the spec gives as examples.

    What happens: What the spec's own documentation shows does not work.

    Instead: Do what the function is there for. The check calls every function that neither makes nor ends something and
    that no other check knows: with what the plugin has made, with the spec's examples, and for an API without checks of
    its own with made-up texts, numbers, buffers and structs; errors for these are no finding. What cannot be called is
    listed.

    Source: the spec's `example`.
    """
    for entity, reply in made_session(harness).try_all():
        if not reply.ok:
            level = Level.WARNING if harness.is_unimplemented(reply) else None
            said = f"{reply.refusal or f'code {reply.code}'}, {reply.message!r}"
            yield Observation(entity, f"{entity} fails for the spec's examples: {said}", level=level)


@check("ABI028", unless=("ABI040",))
def null_refused(harness: Harness) -> Iterator[Observation]:
    """A function reports an error for NULL where the spec says that core may hand that over.

    What happens: Core has nothing to hand over there, as the spec allows, and the plugin does not do its work. A plugin
    that reads through the pointer crashes; `callback-crashes` tells of that.

    Instead: Ask whether the pointer is NULL before it is used, and do without what it would lead to.

    Source: the spec's `nullable`.
    """
    entry = harness.trial.entry
    session = Session(harness)
    if session.refused(session.begin(entry.nullable)):
        if not entry.nullable:
            raise StoppedError(f"{entry.name} does not accept {harness.scenario.name}")
        names = " and ".join(f"`{each}`" for each in entry.nullable)
        yield Observation(entry.name, f"{entry.name} refuses NULL for {names}, which may be NULL")
        return
    session.create_all()
    for entity, name, reply in session.hand_over_null():
        if not reply.ok:
            level = Level.WARNING if harness.is_unimplemented(reply) else None
            said = f"{reply.refusal or f'code {reply.code}'}, {reply.message!r}"
            yield Observation(entity, f"{entity} fails for NULL as `{name}`, which may be NULL: {said}", level=level)


@check("ABI044", scenarios=equal_with_pages, quick=True)
def not_again_after_the_end(harness: Harness) -> Iterator[Observation]:
    """What was destroyed cannot be made again.

    What happens: Core that makes its devices anew, as it does for each session, finds none the second time.

    Instead: Free in the functions that destroy what those that create have allocated, and nothing else.

    Source: the contract's functions for creation and destruction.
    """
    session = Session(harness)
    session.strict = True
    session.start()
    session.create_all()
    if any(not made.reply.ok for made in session.made):
        raise StoppedError("what is to be made again could not be made once")
    for _ in session.query_all():
        pass
    for _ in () if harness.trial.has_own_checks else session.try_all(rounds=2):
        pass
    again = [made for made in session.made if made.destroy]
    for made in reversed(session.made):
        session.destroy(made)
    session.made.clear()
    session.create_all()
    names = {made.entity for made in again if made.is_whole}
    failures = [report for report in _failures(session, " after it has been destroyed") if report.entity in names]
    session.destroy_all()
    yield from failures


@check("ABI045", unless=("ABI039",))
def reload_fails(harness: Harness) -> Iterator[Observation]:
    """After the library has been unloaded and loaded again, it does not work, or it leaves files open each time.

    What happens: Core that unloads plugins, for a test or because another one failed, cannot get this one back. Files
    that stay open are warned of: a process may have only so many.

    Instead: Leave nothing behind: no threads, no functions to be called at exit, nothing registered elsewhere. What the
    entry points open is closed by the function that destroys the platform, or when the library is unloaded.

    Source: VS, "Detecting Incompatibility": core may unload the plugin; dlclose(3).
    """
    _needs_unloading(harness)
    entry, problem = harness.trial.entry.name, "the library does not work when it was unloaded and loaded again"
    files: list[int] = []
    opened: dict[str, list[int]] = {name: [] for name in other_entries(harness.trial)}
    for number in (1, 2, 3):
        session = Session(harness)
        reply = session.begin()
        if session.refused(reply):
            if number == 1:
                raise StoppedError("the plugin does not accept core")
            yield Observation(entry, f"{entry} refuses after the library was loaded {number} times: {reply.message!r}")
            return
        for name, numbers in opened.items():
            before = open_files()
            harness.call_symbol(name)
            numbers.append(open_files() - before)
        with harness.staking(entry, problem) if number > 1 else nullcontext():
            session.create_all()
            session.destroy_all()
        with harness.staking(entry, problem):
            harness.unload()
        if harness.trial.plugin in harness.mapped():
            opened.clear()  # it has stayed, and core does not call these a second time
        files.append(open_files())
    left = min(after - before for before, after in pairwise(files))
    if left > 0:  # those that the first time alone has left may be caches of other libraries
        entry = next((name for name, numbers in opened.items() if min(numbers) >= left), entry)
        files_left = f"{left} file{'s' * (left > 1)}"
        message = f"{entry} leaves {files_left} open each time that the library is loaded and unloaded"
        yield Observation(entry, message, help="close what was opened", level=Level.WARNING)


@check("ABI046")
def handle_given_twice(harness: Harness) -> Iterator[Observation]:
    """Two objects that exist at the same time have the same handle.

    What happens: Core destroys one of them, and the other is gone as well.

    Instead: Allocate an object for each call.

    Source: the contract's functions for creation and destruction.
    """
    session = made_session(harness)
    lists = {made.entity for made in session.made if made.destroy is None and harness.api.is_vendors}
    for made in [made for made in session.made if made.handles and made.is_whole and made.entity not in lists]:
        other = session.repeat(made)
        for first, second in zip(made.handles, other.handles if other is not None else (), strict=False):
            if first.address and first.address == second.address:
                message = f"{made.entity} gives the same {first.name} twice, although the first one still exists"
                yield Observation(made.entity, message)


@check("ABI047", unless=("ABI040",))
def fails_with_two_threads(harness: Harness) -> Iterator[Observation]:
    """Called by several threads at once, a function that makes something fails, or gives two the same.

    What happens: Core uses its devices from many threads. What two of them get is one object, or none.

    Instead: Protect what all calls share, or share nothing. Functions of which the spec says on which `thread` they are
    called are called by no other. `--threads` lets more than two call. What a plugin that is built with
    `-fsanitize=thread` reports meanwhile is a finding of its own.

    Source: core calls plugins from all of its threads, without a lock around them.
    """
    session = made_session(harness)
    harness.watching = False
    found: dict[str, str] = {}
    for made in session.made:
        if made.is_whole and made.handles and not _is_bound(session, made):
            programs = [session.cycle(made, claimed=True) for _ in range(harness.trial.threads)]
            if None in programs:
                continue
            with harness.staking(made.entity, f"{made.entity} fails when {len(programs)} threads call it"):
                repeat(harness, made.entity, [each for each in programs if each is not None], _ROUNDS, _SECONDS)
            found |= {entity: said for each in programs if each is not None for entity, said in each.problems()}
    harness.watching = True
    harness.look(session.made[-1].entity if session.made else harness.trial.entry.name)
    for entity, problem in sorted(found.items()):
        yield Observation(entity, f"{entity} {problem} when {harness.trial.threads} threads call it")


@check("ABI048", level=Level.WARNING, unless=("ABI040",))
def destruction_leaks(harness: Harness) -> Iterator[Observation]:
    """Memory, open files or threads are left behind each time that an object is destroyed or a function is called.

    What happens: Core makes such objects for each step of a program; the process grows until it is ended.

    Instead: Free in the function that destroys what the one that creates has allocated. Of functions that use an
    object, those are tried that give and take nothing.

    Source: the contract's functions for creation and destruction.
    """
    session = made_session(harness)
    harness.watching = False
    for made in session.made:
        program = session.cycle(made, claimed=False) if made.is_whole else None
        left = left_behind(harness, made.entity, program) if program is not None else ""
        if left:
            entity = made.destroy.entity if made.destroy is not None else made.entity
            yield Observation(entity, f"{entity} leaves {left} each time of what {made.entity} has made")
    for entity, program in () if harness.trial.has_own_checks else session.uses():
        if left := left_behind(harness, entity, program):
            yield Observation(entity, f"{entity} leaves {left} each time that it is called")


@check("ABI039")
def thread_outlives_library(harness: Harness) -> Iterator[Observation]:
    """A thread of the plugin's still runs when the library has been unloaded.

    What happens: Its code is gone; the process crashes as soon as the thread goes on.

    Instead: End all threads, and wait for them, in the functions that destroy, or when the library is unloaded.

    Source: dlclose(3).
    """
    _needs_unloading(harness)
    before, known = held(), harness.mapped()
    session = Session(harness).start()
    session.create_all()
    session.destroy_all()
    others = harness.mapped() - known - {harness.trial.plugin}
    if any(_starts_threads(each) for each in others):
        raise InapplicableError("threads may belong to other libraries")
    entry = harness.trial.entry.name
    with harness.staking(entry, "a thread of the plugin's runs code that has been unloaded"):
        harness.unload()
        left = held_since(before)["threads"]
    if left > 0 and harness.trial.plugin not in harness.mapped():
        yield Observation(entry, f"{left} threads of the plugin's still run when all was destroyed and unloaded")


def _needs_unloading(harness: Harness) -> None:
    """End a check for the API of a vendor, of whose hosts nobody has said that they unload plugins."""
    if harness.api.is_vendors:
        raise InapplicableError("the spec does not say that a host unloads plugins")


def _starts_threads(library: Path) -> bool:
    """Whether a library may have threads of its own."""
    binary = None if library.name.startswith(_WITHOUT_THREADS) else read_library(library)
    return binary is not None and any(each.endswith(_STARTS) or "_M_start_thread" in each for each in binary.needs)


def _is_bound(session: Session, made: Creation) -> bool:
    """True if the spec says of what makes or ends something that one thread calls it; of a vendor's API it must say."""
    functions = (each for each in (made.maker, made.destroy) if each is not None)
    threads = {said.thread for each in functions for said in session.offered.agreed(each)}
    unsaid = set() if session.harness.api.is_vendors else {""}
    return bool(threads - {"any", *unsaid})


def _failures(session: Session, when: str) -> Iterator[Observation]:
    """What was not made; with details where the plugin has said why."""
    for made in session.made:
        empty = [handle.name for handle in made.handles if not handle.is_there]
        if made.made_up and (not made.reply.ok or session.returns_handle(made.maker)):
            continue  # the error may be right
        if not made.reply.ok:
            by_status = f"code {made.reply.code}, {made.reply.message!r}"
            details = (("status", by_status) if made.reply.code else ("returned", made.reply.refusal),)
            level = Level.WARNING if session.harness.is_unimplemented(made.reply) else None
            yield Observation(made.entity, f"{made.entity} fails{when}", details=details, level=level)
        elif empty:
            is_result = session.returns_handle(made.maker)
            said = f"returns NULL{when} instead of a" if is_result else f"reports success{when}, and gives no"
            yield Observation(made.entity, f"{made.entity} {said} {empty[0]}")
