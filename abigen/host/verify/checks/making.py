"""What the plugin makes, how it ends, and whether that can be done again, and by several at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from abigen.host.process import StoppedError
from abigen.host.verify.check import Report, check
from abigen.host.verify.life import Life, Made
from abigen.host.verify.setting import equal_with_pages, newer, older, shortened
from abigen.host.verify.stage import Stage
from abigen.model.finding import Level

_ROUNDS = 20
_WARM_UP, _LEAK_ROUNDS = 50, 400
_LEAK_SECONDS = 0.5
_LEAST_LEAK = 16
"""Bytes each time: the smallest block of an allocator. Fewer are the tool's own, or fill a cache."""


@check("ABI040")
def creation_fails(stage: Stage) -> Iterator[Report]:
    """A function that makes something does not.

    What happens: Core gives up the device, and reports whatever the plugin has put into the status.

    Instead: Make it. When the machine lacks what it takes, say so in the status of the entry point. What is not written
    yet and says so itself, by the API's code for that, is only warned of.

    Source: the contract's functions for creation.
    """
    yield from _failures(_made(stage), "")


@check("ABI041", settings=older, unless=("ABI040",))
def creation_fails_on_older_core(stage: Stage) -> Iterator[Report]:
    """With an earlier release of core, which the plugin has accepted, a function that makes something does not.

    What happens: Core has registered the plugin and then gets no device from it.

    Instead: Refuse in the entry point, or make it, without the members that core does not know.

    Source: VS, "Extending Functionality".
    """
    yield from _failures(_made(stage), f" for {stage.setting.name}")


@check("ABI042", settings=newer, unless=("ABI040",))
def creation_fails_on_newer_core(stage: Stage) -> Iterator[Report]:
    """With a later release of core, which the plugin has accepted, a function that makes something does not.

    What happens: An update of core takes the user's device away.

    Instead: Do not compare sizes for equality: a struct of core's may be larger than the plugin's own header says.

    Source: VS, "Producer Has Newer Header Files".
    """
    yield from _failures(_made(stage), f" for {stage.setting.name}")


@check("ABI043", settings=shortened, unless=("ABI040",))
def creation_fails_on_shorter_structs(stage: Stage) -> Iterator[Report]:
    """The plugin accepts structs that end one member earlier, and does not work with them.

    What happens: Core that is older than that member gets a plugin that it cannot use.

    Instead: Refuse in the entry point with a message, or work without the member.

    Source: VS, "By Checking Struct Size".
    """
    life = Life(stage)
    if not life.refused(life.begin()):
        life.create_all()
        yield from (report for report in _failures(life, f" for {stage.setting.name}") if not report.details)


@check("ABI044", settings=equal_with_pages)
def not_again_after_the_end(stage: Stage) -> Iterator[Report]:
    """What was destroyed cannot be made again.

    What happens: Core that makes its devices anew, as it does for each session, finds none the second time.

    Instead: Free in the functions that destroy what those that create have allocated, and nothing else.

    Source: the contract's functions for creation and destruction.
    """
    life = Life(stage)
    life.strict = True
    life.start()
    life.create_all()
    if any(not made.reply.ok for made in life.made):
        raise StoppedError("what is to be made again could not be made once")
    for _ in life.query_all():
        pass
    again = [made for made in life.made if made.destroy]
    for made in reversed(life.made):
        life.destroy(made)
    life.made.clear()
    life.create_all()
    names = {made.entity for made in again}
    failures = [report for report in _failures(life, " after it has been destroyed") if report.entity in names]
    life.destroy_all()
    yield from failures


@check("ABI045")
def reload_fails(stage: Stage) -> Iterator[Report]:
    """After the library has been unloaded and loaded again, it does not work.

    What happens: Core that unloads plugins, for a test or because another one failed, cannot get this one back.

    Instead: Leave nothing behind: no threads, no functions to be called at exit, nothing registered elsewhere.

    Source: VS, "Detecting Incompatibility": core may unload the plugin; dlclose(3).
    """
    for number in (1, 2, 3):
        life = Life(stage)
        reply = life.begin()
        if life.refused(reply):
            if number == 1:
                raise StoppedError("the plugin does not accept core")
            entry = stage.plan.entry.name
            yield Report(entry, f"{entry} refuses after the library was loaded {number} times: {reply.message!r}")
            return
        life.create_all()
        life.destroy_all()
        stage.unload()


@check("ABI046")
def handle_given_twice(stage: Stage) -> Iterator[Report]:
    """Two objects that exist at the same time have the same handle.

    What happens: Core destroys one of them, and the other is gone as well.

    Instead: Allocate an object for each call.

    Source: the contract's functions for creation and destruction.
    """
    life = _made(stage)
    for made in [made for made in life.made if made.handles and made.reply.ok]:
        other = life.repeat(made)
        for first, second in zip(made.handles, other.handles if other is not None else (), strict=False):
            if first.address and first.address == second.address:
                message = f"{made.entity} gives the same {first.name} twice, although the first one still exists"
                yield Report(made.entity, message)


@check("ABI047", unless=("ABI040",))
def fails_with_two_threads(stage: Stage) -> Iterator[Report]:
    """Called by two threads at once, a function that makes something fails, or gives both the same.

    What happens: Core uses its devices from many threads. What two of them get is one object, or none.

    Instead: Protect what all calls share, or share nothing.

    Source: core calls plugins from all of its threads, without a lock around them.
    """
    life = _made(stage)
    whole = [made for made in life.made if made.reply.ok and made.destroy]
    makers = [made for made in whole if made.handles] or whole  # tables are made by one thread, one after the other
    stage.watching = False
    shared = _Shared()
    threads = [threading.Thread(target=_make_and_destroy, args=(life, makers, shared)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stage.watching = True
    stage.look(makers[0].entity if makers else stage.plan.entry.name)
    for entity, problem in sorted(shared.problems.items()):
        yield Report(entity, f"{entity} {problem} when two threads call it")


@check("ABI048", level=Level.WARNING, unless=("ABI040",))
def destruction_leaks(stage: Stage) -> Iterator[Report]:
    """What is made and destroyed again leaves memory behind.

    What happens: Core makes such objects for each step of a program; the process grows until it is ended.

    Instead: Free in the function that destroys what the one that creates has allocated.

    Source: the contract's functions for creation and destruction.
    """
    life = _made(stage)
    stage.watching = False
    for made in [made for made in life.made if made.handles and made.destroy and made.reply.ok]:
        _repeat(life, made, _WARM_UP)
        before = stage.allocated()
        rounds = _repeat(life, made, _LEAK_ROUNDS)
        left = stage.allocated() - before
        if rounds and left >= rounds * _LEAST_LEAK:
            entity = f"{made.table.name}.{made.destroy}"
            yield Report(
                entity, f"{entity} leaves {left // rounds} bytes each time of what {made.entity} has allocated"
            )


def _repeat(life: Life, made: Made, most: int) -> int:
    """Make and destroy something again and again, for a while; how often that was."""
    end = time.monotonic() + _LEAK_SECONDS
    for number in range(most):
        other = life.repeat(made) if time.monotonic() < end else None
        if other is None or not other.reply.ok:
            return number
        life.destroy(other)
    return most


class _Shared:
    """What the threads have in common."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.alive: set[tuple[str, int]] = set()
        self.problems: dict[str, str] = {}
        self.begin = threading.Barrier(2)


def _make_and_destroy(life: Life, makers: list[Made], shared: _Shared) -> None:
    """What each thread does."""
    for made in makers:
        shared.begin.wait()
        for _ in range(_ROUNDS):
            try:
                other = life.repeat(made)
            except StoppedError:
                break
            if other is None:
                break
            handles = [(handle.name, handle.address) for handle in other.handles]
            with shared.lock:
                if not other.reply.ok or not all(address for _, address in handles):
                    shared.problems[made.entity] = "fails"
                elif shared.alive.intersection(handles):
                    shared.problems[made.entity] = "gives both the same"
                shared.alive.update(handles)
            with shared.lock:
                shared.alive.difference_update(handles)
            if other.reply.ok:
                life.destroy(other)


def _made(stage: Stage) -> Life:
    """A plugin that has been asked for all that it can make."""
    life = Life(stage).start()
    life.create_all()
    return life


def _failures(life: Life, when: str) -> Iterator[Report]:
    """What was not made; with details where the plugin has said why."""
    for made in life.made:
        empty = [handle.name for handle in made.handles if not handle.address]
        if not made.reply.ok:
            said = (("status", f"code {made.reply.code}, {made.reply.message!r}"),)
            level = Level.WARNING if life.stage.is_unimplemented(made.reply) else None
            yield Report(made.entity, f"{made.entity} fails{when}", details=said, level=level)
        elif empty:
            yield Report(made.entity, f"{made.entity} reports success{when}, and gives no {empty[0]}")
