"""Checks of the library, of its entry point, and of crashes and hangs.

Versions of core and plugin that are equal, older, newer, and foreign.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import msgspec

from abigen.model.ctype import Basic
from abigen.model.finding import Level
from abigen.model.layout import Layout, Layouts
from abigen.runner.verify.check import BinaryView, Observation, ProcessEnd, check, end_check, file_check
from abigen.runner.verify.harness import LOADING, Harness, Reply
from abigen.runner.verify.scenario import core_functions, equal, foreign, newer, older, other_entries
from abigen.runner.verify.session import Session
from abigen.workspace.process import Ending, Event, InapplicableError, Outcome, StoppedError

_REPORT = re.compile(r"(?:ERROR|WARNING): (AddressSanitizer|ThreadSanitizer): ([\w-]+(?: race)?)")
"""The start of a sanitizer's report."""


@end_check("ABI001", spoils=True)
def callback_crashes(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin crashes.

    What happens: The process that loaded the plugin ends, and its work is lost.

    Instead: Run the program that is named below under a debugger, or build the plugin with `-fsanitize=address`. The
    usual cause is a pointer that is NULL, or that points to a destroyed object.

    Source: C 3.4.3, undefined behaviour.
    """
    if not _ended_by_exception(end.outcome) and _fault(end.outcome) is None:
        name = signal.Signals(end.outcome.signal).name if end.outcome.signal else ""
        yield from _ended(
            end, Ending.KILLED, f"crashes with {name}{_fault_address_words(end.outcome)}", level=_level(end)
        )


@end_check("ABI002", spoils=True)
def callback_hangs(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin does not return.

    What happens: The calling thread waits for ever, often with a lock held.

    Instead: Wait only for events that are certain, and never for work that the calling thread itself has to do. If the
    function only takes long, allow more time with `--timeout`.

    Source: the contract has functions that return.
    """
    yield from _ended(end, Ending.HUNG, "does not return", level=_level(end))


@end_check("ABI003", spoils=True)
def plugin_exits(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin ends the process.

    What happens: The program that uses the plugin ends without a message.

    Instead: Report the error to the caller, by the status object or by the result, and let it decide.

    Source: a plugin is a guest in its process.
    """
    if _REPORT.search(end.outcome.output) is None:
        yield from _ended(end, Ending.EXITED, f"ends the process with exit code {end.outcome.status}")


@end_check("ABI038", spoils=True)
def sanitizer_reports(end: ProcessEnd) -> Iterator[Observation]:
    """The sanitizer that the plugin is built with has found something.

    What happens: The program continues with memory that does not belong to the plugin, or with data that two threads
    write at once.

    Instead: Read the report of the sanitizer about this place.

    Source: `-fsanitize=address` and `-fsanitize=thread` of gcc and clang.
    """
    found = _REPORT.search(end.outcome.output)
    if found is not None:
        frames = re.findall(r"#\d+ (?:0x\w+ in )?(.+)", end.outcome.output[found.end() :])
        places = tuple(("place", frame.strip()) for frame in frames[:3])
        first = end.trial.first.name if end.trial.first is not None else LOADING
        where = frames[0].split()[0] if frames and end.outcome.finished else first
        entity = end.outcome.pending[-1] if end.outcome.pending else where
        yield Observation(entity, f"{entity}: {found[1]}: {found[2].strip()}", details=places)


@end_check("ABI004", spoils=True)
def exception_escapes(end: ProcessEnd) -> Iterator[Observation]:
    """A C++ exception leaves a function of the plugin.

    What happens: The caller may be C: nothing there catches the exception, and the process is aborted.

    Instead: Catch everything at the boundary (`try { ... } catch (...)`), and report it in the status.

    Source: C++ [except.terminate]; C has no exceptions that could cross it.
    """
    if _ended_by_exception(end.outcome):
        yield from _ended(end, Ending.KILLED, "lets a C++ exception escape")


@end_check("ABI005")
def writes_past_end(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin writes outside of a struct that it received.

    What happens: The core has allocated the struct with the size of its own release. Bytes after the end belong to
    other data of the core: a neighbouring object, the stack, or the heap. The write destroys them.

    Instead: Before each access to a member, compare its end with the `struct_size` that the core has set, and leave out
    members that do not fit. Do not assign a whole struct (`*params = (T){SIZE}`): that writes as many bytes as the
    plugin's own header states.

    Source: versioning strategy, "By Checking Struct Size".
    """
    if not end.scenario.shorter:
        yield from _outside_structs(end, written=True)


@end_check("ABI006")
def reads_past_end(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin reads past the end of a struct that it received.

    What happens: The plugin reads other data of the core, or unused memory, as the value of a member.

    Instead: Before each access to a member, compare its end with `struct_size`, and use zero for a member that does not
    fit. Do not copy a whole struct.

    Source: versioning strategy, "By Checking Struct Size".
    """
    if not end.scenario.shorter:
        yield from _outside_structs(end, written=False)


@end_check("ABI007", spoils=True)
def touches_what_has_ended(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin uses a struct of the core after the end of its lifetime.

    What happens: The memory holds other data by then. The lifetime of parameters ends with the call. The lifetime of
    other structs ends when the function that destroys them is called.

    Instead: Copy the data that is needed later.

    Source: the contract's functions for creation and destruction; C 6.2.4 paragraph 2.
    """
    touch = _fault(end.outcome)
    if touch is not None and touch.retired:
        for entity in touch.by:
            message = f"{entity} {touch.verb} {touch.struct}, which has ended"
            yield Observation(entity, message, help="copy the data that is needed later")


@end_check("ABI008", spoils=True)
def files_of_others_closed(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin closes files that it has not opened.

    What happens: Connections and files of the program are closed, and their numbers may refer to other files.

    Instead: Close only files that the plugin has opened. Start a helper process with `posix_spawn`, and use flags that
    close files there (`O_CLOEXEC`).

    Source: POSIX, close(); a plugin is a guest in its process.
    """
    yield from _ended(end, Ending.CUT, "closes a file of the core")


@end_check("ABI009", spoils=True)
def limit_exceeded(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin uses more of the machine than it may.

    What happens: The program that uses the plugin becomes slow or ends, and so do other programs on the machine.

    Instead: Start at most as many threads as there are processors, and free resources that are no longer needed. If the
    plugin needs that much, allow it with `--limit`.

    Source: a plugin is a guest in its process.
    """
    yield from _ended(end, Ending.EXCEEDED, f"uses {end.outcome.exceeded}", help="see --limit")


@end_check("ABI049", unless=("ABI017", "ABI040"), spoils=True)
def call_fails(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin reports an error for correct arguments.

    What happens: The core ends the operation, and the user sees the error. Checks that need the function are not run.

    Instead: Implement the function. A function that returns the API's code for "not implemented" causes only a warning.

    Source: the contract's functions, as the spec describes them.
    """
    for event in end.outcome.of_kind("failed"):
        entity = str(event["failed"])
        yield Observation(entity, f"{entity} {event['said']}", level=Level(str(event["level"])))


@end_check("ABI036", level=Level.WARNING, unless=("ABI005", "ABI006"))
def struct_size_ignored(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin does not look at `struct_size` before it touches the last member of a struct.

    What happens: Nothing, as long as no core is older than that member. The check plays an older core: a struct ends
    one member earlier than in any release so far. It does so only if the API does not state how old its members are and
    its MAJOR is 0, because such APIs have grown without a new version.

    Instead: Compare the end of each member with `struct_size` before each access. Code that abigen generates does so.

    Source: versioning strategy, "By Checking Struct Size".
    """
    if end.scenario.shorter:
        yield from _outside_structs(end, written=True)
        yield from _outside_structs(end, written=False)


@end_check("ABI870", spoils=True)
def core_block_misused(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin frees memory with a function of the core that has not given it, or that has freed it already.

    What happens: The core's allocator destroys its own data, or memory that another object uses by then.

    Instead: Free each block once, with the function that belongs to its allocator. Memory of `malloc` goes to `free`.

    Source: the functions that the core offers, as the spec describes them; C 7.24.3.3 for `free`.
    """
    for event in end.outcome.of_kind("misfreed"):
        entity, by = str(event["misfreed"]), str(event["by"])
        message = f"{entity} passes memory to {by} that is not the core's, or that is freed already"
        yield Observation(entity, message)


@end_check("ABI871")
def core_called_on_wrong_thread(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin calls a function of the core on a thread on which the spec does not allow it.

    What happens: The core takes no lock in that function, because only one thread should call it. Data of the core
    becomes inconsistent.

    Instead: Call it on the thread that has called the plugin, or let that thread do the work.

    Source: the spec's `thread`.
    """
    for event in end.outcome.of_kind("wrong_thread"):
        entity, during, wanted = (str(event[key]) for key in ("wrong_thread", "during", "wanted"))
        message = f"a thread of the plugin's own calls {entity}, which only the {wanted} thread may call"
        yield Observation(entity, message, details=(("during", during),))


class _Touch(msgspec.Struct, frozen=True):
    """An access of the plugin outside of a struct, or to a struct that has ended."""

    by: tuple[str, ...]
    """The functions that were being called."""
    struct: str
    offset: int
    """In bytes from the start of the struct."""
    length: int
    """The number of bytes; 0 if it is unknown."""
    is_write: bool
    retired: bool = False
    size: int | None = None
    """Of memory that is no struct, whose name `struct` is then, in bytes."""

    @property
    def verb(self) -> str:
        """`writes` or `reads`."""
        return "writes" if self.is_write else "reads"


def _outside_structs(end: ProcessEnd, *, written: bool) -> Iterator[Observation]:
    """Yield an observation of each access outside of structs: each write if `written`, otherwise each read."""
    layouts, latest = Layouts(end.scenario.api, end.trial.target), Layouts(end.trial.latest, end.trial.target)
    for touch in _touches(end):
        if touch.retired or touch.is_write != written:
            continue
        if touch.size is not None:
            yield from _outside_buffer(end, touch)
            continue
        layout = layouts.of(touch.struct)
        is_versioned = end.scenario.api.structs[touch.struct].is_versioned
        member = _member(latest.of(touch.struct), touch, layout.unpadded_size if is_versioned else layout.size)
        padded = f" ({layout.size} with padding)" if layout.unpadded_size != layout.size else ""
        where = f"before {touch.struct}" if touch.offset < 0 else f"at offset {touch.offset} of {touch.struct}"
        bounds = f"which has {layout.unpadded_size} bytes{padded}: {member}"
        help = f"touch {member} only when struct_size of {touch.struct} reaches to its end" if touch.offset >= 0 else ""
        length = (("length", f"{touch.length} bytes"),) if touch.length else ()
        for entity in touch.by:
            message = f"{entity} {touch.verb} {where}, {bounds}"
            yield Observation(member, message, help=help, details=(("core", end.scenario.name), *length))


def _outside_buffer(end: ProcessEnd, touch: _Touch) -> Iterator[Observation]:
    """Yield an observation of an access outside of an argument or block that is no struct."""
    where = "before" if touch.offset < 0 else f"at offset {touch.offset} of"
    length = (("length", f"{touch.length} bytes"),) if touch.length else ()
    for entity in touch.by:
        message = f"{entity} {touch.verb} {where} {touch.struct}, which has {touch.size} bytes"
        details = (("core", end.scenario.name), *length)
        yield Observation(entity, message, help=f"stay within the {touch.size} bytes", details=details)


def _touches(end: ProcessEnd) -> Iterator[_Touch]:
    """Yield every place outside of structs that was written to, then the one at which the process crashed."""
    for event in end.outcome.of_kind("overrun"):
        offset, length = _number(event, "offset"), _number(event, "length")
        name = str(event["overrun"] or event["buffer"])
        size = None if event["overrun"] else _number(event, "size")
        yield _Touch((str(event["by"]),), name, offset, length, is_write=True, size=size)
    fault = _fault(end.outcome)
    if fault is not None:
        yield fault


def _fault(outcome: Outcome) -> _Touch | None:
    """Return the access that crashed the process, if it is within the memory around a struct or buffer of the
    core's."""
    for fault in outcome.of_kind("fault")[-1:]:
        address = _number(fault, "address")
        for memory in outcome.of_kind("memory"):
            start = _number(memory, "start")
            if start <= address < _number(memory, "end"):
                retired = any(_number(each, "start") == start for each in outcome.of_kind("retired"))
                offset, is_write = address - _number(memory, "address"), fault["write"] is True
                name = str(memory["memory"] or memory["buffer"])
                size = None if memory["memory"] else _number(memory, "size")
                return _Touch(_called_for(outcome), name, offset, 0, is_write, retired, size)
    return None


def _member(latest: Layout, touch: _Touch, capacity: int) -> str:
    """Return the member that was touched, if it ends behind the core's struct; otherwise the struct."""
    for each in latest.fields:
        if each.offset <= touch.offset < each.offset + each.size and each.offset + each.size > capacity:
            return f"{touch.struct}.{each.name}"
    return touch.struct


def _ended(
    end: ProcessEnd, ending: Ending, what: str, *, help: str = "", level: Level | None = None
) -> Iterator[Observation]:
    """Say of all that the plugin was called for what it has done, if the process has ended in this way."""
    if end.outcome.ending is ending:
        lines = [line.strip() for line in end.outcome.output.splitlines() if line.strip()]
        said = tuple(("output", line) for line in lines[-3:])
        for entity in _called_for(end.outcome):
            yield Observation(entity, f"{entity} {what}", help=help, details=said, level=level)


def _level(end: ProcessEnd) -> Level | None:
    return Level.WARNING if end.scenario.shorter else None


def _called_for(outcome: Outcome) -> tuple[str, ...]:
    """Return the functions that the plugin was executing when the process ended."""
    return outcome.pending or ("a thread of the plugin's own",)


def _ended_by_exception(outcome: Outcome) -> bool:
    thrown = ("terminate called", "libc++abi: terminating", "uncaught exception")
    return outcome.signal == signal.SIGABRT and any(each in outcome.output for each in thrown)


def _fault_address_words(outcome: Outcome) -> str:
    faults = outcome.of_kind("fault")
    return f" at address {_number(faults[-1], 'address'):#x}" if faults and outcome.signal != signal.SIGABRT else ""


def _number(event: Event, key: str) -> int:
    value = event[key]
    assert isinstance(value, int)
    return value


@file_check("ABI010", always=True)
def entry_point_missing(view: BinaryView) -> Iterator[Observation]:
    """The library does not export a function that the spec demands of plugins, such as the entry point.

    What happens: The core looks it up by name after loading, and does not find it. Without the entry point, the core
    does not use the library as a plugin.

    Instead: Define it with C linkage (`extern "C"`) and default visibility, under exactly this name.

    Source: versioning strategy, "By Comparing SE_MAJOR at Registration Time"; System V ABI, "Symbol Table".
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
    """The library needs a symbol that the core does not have.

    What happens: The core loads plugins with all symbols bound at once, and the loader refuses the library; with lazy
    binding the process ends at the first call.

    Instead: Link the library that has it, or do not use it. Look up a function of a later release of the core when it
    is needed (`dlsym`), and do not link it.

    Source: System V ABI, "Dynamic Linking"; dlopen(3), RTLD_NOW.
    """
    latest = core_functions((view.trial.latest,))
    for name in view.missing:
        since = latest[name][0].contract.lifecycle.since if name in latest else None
        reason = f": the core has it from release {since} on" if since is not None else ""
        yield Observation(name, f"the library needs {name}, which neither the core nor a library has{reason}")


@file_check("ABI012", level=Level.NOTE)
def library_missing(view: BinaryView) -> Iterator[Observation]:
    """The library needs another library that this machine does not have.

    What happens: The loader refuses the plugin, unless the core has loaded that library itself. The other checks have
    run with an empty library in its place.

    Instead: If the library belongs to the core, do nothing. Otherwise ship it, or link it statically.

    Source: dlopen(3); System V ABI, "Shared Object Dependencies".
    """
    for name in view.libraries:
        yield Observation(name, f"the library needs {name}, which is not on this machine")


@file_check("ABI013", level=Level.WARNING)
def core_symbol_exported(view: BinaryView) -> Iterator[Observation]:
    """The library exports a function of the core.

    What happens: If the loader searches the plugin first, the plugin calls its own copy, and the core is not called. If
    it searches the core first, the copy is never used. The order depends on how the plugin was loaded.

    Instead: Do not define or link functions of the core in the plugin; the loader finds them in the process.

    Source: System V ABI, "Shared Object Dependencies", symbol search order.
    """
    binary = view.trial.binary
    known = core_functions((view.trial.api, *view.trial.others))
    for name in sorted(binary.exports if binary is not None else ()):
        if name in known:
            yield Observation(name, f"the library exports {name}, which is a function of the core")


@file_check("ABI014", always=True)
def library_not_loaded(view: BinaryView) -> Iterator[Observation]:
    """The loader refuses the library.

    What happens: The core continues without the plugin. No other check can run.

    Instead: Read the message of the loader. The usual cause is a file for another machine, or a missing library.

    Source: dlopen(3).
    """
    if view.problem:
        yield Observation(view.trial.plugin.name, f"{view.trial.plugin.name}: {view.problem}")


@check("ABI020", quick=True)
def handshake_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin refuses a core of the release that it is verified against.

    What happens: The core unloads the plugin, and its devices are missing.

    Instead: Refuse only another MAJOR; otherwise report in the message what is missing, because users see only the
    message. An entry point that returns the API's code for "not implemented" causes only a warning.

    Source: versioning strategy, "By Comparing SE_MAJOR at Registration Time".
    """
    yield from _refusal(harness)


@check("ABI021", scenarios=older, unless=("ABI020",), level=Level.WARNING)
def older_core_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin does not accept an earlier release of the core with the same MAJOR.

    What happens: Users with an older core cannot use the plugin, although that core lacks only members that were
    appended since, and `struct_size` states it.

    Instead: Do not use members that the core does not have. If the plugin needs a newer member, this finding is right
    and can be accepted.

    Source: versioning strategy, "Extending Functionality".
    """
    yield from _refusal(harness)


@check("ABI022", scenarios=newer, unless=("ABI020",))
def newer_core_refused(harness: Harness) -> Iterator[Observation]:
    """The plugin does not accept a later release of the core with the same MAJOR.

    What happens: After an update of the core, the plugin's devices are missing. A later MINOR has only appended
    members, which the plugin need not know.

    Instead: Compare MAJOR only. Compare sizes only with the smallest that the plugin can use, never for equality. While
    MAJOR is 0, no compatibility is required, so this is only a warning.

    Source: versioning strategy, "Producer Has Newer Header Files"; Semantic Versioning 2.0.0, clause 7.
    """
    yield from _refusal(harness, Level.WARNING if harness.scenario.version.major == 0 else None)


@check("ABI023", scenarios=foreign, quick=True)
def foreign_major_accepted(harness: Harness) -> Iterator[Observation]:
    """The plugin accepts a core of another MAJOR.

    What happens: The structs of another MAJOR have other members at these offsets. Each side misreads what the other
    writes.

    Instead: In the entry point, compare the MAJOR of the core with that of the plugin's own header before any other
    access, and report an error in the status.

    Source: versioning strategy, "By Comparing SE_MAJOR at Registration Time".
    """
    _needs_versions(harness)
    session = Session(harness)
    if not session.refused(session.begin()):
        entry = harness.trial.entry.name
        help = "compare MAJOR, and report an error in the status when it differs"
        yield Observation(entry, f"{entry} accepts {harness.scenario.name}", help=help)


@check("ABI024", scenarios=foreign, level=Level.WARNING)
def refusal_says_nothing(harness: Harness) -> Iterator[Observation]:
    """The plugin refuses the core without a message.

    What happens: The user learns that loading failed, but not which side is too old.

    Instead: State both versions in the status, and the side that has to be updated.

    Source: versioning strategy, "By Comparing SE_MAJOR at Registration Time": the plugin outputs an error.
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

    What happens: A core that tries again, with a matching version or after the user has corrected a setting, fails
    without a visible reason.

    Instead: Check before anything is initialised, and undo everything before the function refuses.

    Source: versioning strategy, "By Comparing SE_MAJOR at Registration Time": a refused plugin is unloaded and may
    be loaded again.
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
    """An entry point of another API, which the library exports as well, calls no function of the core.

    What happens: The core calls it after loading, so that the plugin registers its kernels and devices. None is
    registered.

    Instead: Register there, or leave the function out where the core does not demand it.

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
            yield Observation(name, f"{name} calls no function of the core")


@check("ABI872")
def index_past_the_end(harness: Harness) -> Iterator[Observation]:
    """A function that lists the plugin's entries returns one for an index past the end.

    What happens: The core counts up until it gets NULL. It does not end, or uses memory past the end of the plugin's
    list.

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
            message = f"{entry.name} returns NULL for {count}, and another value for {index}"
            yield Observation(entry.name, message, help=f"return NULL from {count} up")
            return


_MOST_LISTED, _MOST_TRIED = 4096, 12
"""The most entries of a list that are counted, and the most of which all functions are called."""


def _refusal(harness: Harness, level: Level | None = None) -> Iterator[Observation]:
    """Yield an observation if the entry point does not accept the core."""
    session, entry = Session(harness), harness.trial.entry.name
    reply = session.begin()
    if session.refused(reply):
        message = f"{entry} does not accept {harness.scenario.name}: {_words(reply)}"
        level = Level.WARNING if harness.is_unimplemented(reply) else level
        yield Observation(entry, message, level=level)


def _words(reply: Reply) -> str:
    return f"code {reply.code}, {reply.message!r}" if reply.code else f"it returns {reply.refusal or reply.value}"


def _needs_versions(harness: Harness) -> None:
    """End a check if the core cannot state its version to the entry point, or if the entry point cannot refuse."""
    entry, api = harness.trial.entry, harness.api
    handed = (api.pointee(each.type) for each in entry.type.parameters)
    stated = {each.version_part for struct in handed if struct is not None for each in struct.fields or ()}
    if "major" not in stated.union(each.version_part for each in entry.type.parameters):
        raise InapplicableError(f"the core does not state its version to {entry.name}")
    is_silent = harness.layouts.resolve(entry.type.result) == Basic("void")
    if is_silent and not any(api.is_status(each.type) for each in entry.type.parameters):
        raise InapplicableError(f"{entry.name} has no way to refuse")
