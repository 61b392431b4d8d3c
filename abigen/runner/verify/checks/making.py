"""Checks of objects that a plugin creates, destroys and creates again, and of the members that it sets."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

from abigen.model.contract import Party
from abigen.model.ctype import Basic, Pointer
from abigen.model.entities import Field
from abigen.model.finding import Level
from abigen.model.layout import FieldLayout
from abigen.model.pattern import parse_pattern
from abigen.model.roles import is_of_core
from abigen.runner.verify.check import Observation, ProcessEnd, check, end_check
from abigen.runner.verify.harness import Harness, held, held_since, left_behind, open_files, repeat
from abigen.runner.verify.repro import StructInstance
from abigen.runner.verify.scenario import equal_with_pages, newer, older, other_entries, shortened
from abigen.runner.verify.session import Creation, Session, made_session
from abigen.workspace.libraries import read_library
from abigen.workspace.process import InapplicableError, StoppedError


@check("ABI030", quick=True)
def required_member_missing(harness: Harness) -> Iterator[Observation]:
    """The plugin leaves a member NULL that it has to fill.

    What happens: The core refuses the plugin, or calls the member without a check and crashes.

    Instead: Set it. If the device cannot perform a function, the function reports that in its status.

    Source: the spec's `required`.
    """
    session = _asked_session(harness)
    for entity, record, name, each in _members(session):
        if _is_required(each.field, record, session) and not record.read(each.name):
            value = "NULL" if record.is_pointer(each.name) else "0"
            yield Observation(name, f"{entity} leaves {name} {value}, although it is required")


@check("ABI873", quick=True)
def value_wrong(harness: Harness) -> Iterator[Observation]:
    """A member of a struct that the plugin fills has another value than the spec states.

    What happens: The core treats the plugin as one of another kind or version, and refuses it or calls it with wrong
    arguments.

    Instead: Set the member to the constant that the spec names.

    Source: the spec's `value`.
    """
    for entity, record, name, each in _members(_asked_session(harness)):
        if each.field.value and record.knows(each.name):
            known = {*map(harness.number, each.field.values)}
            wrong = [(place, found) for place, found in _numbers(harness, record, each) if found not in known]
            for place, found in wrong[:1]:
                message = f"{entity} sets {name}{place} to {found}, not to {each.field.value}"
                yield Observation(name, message, help=f"set {name}{place} to {each.field.value}")


def _numbers(harness: Harness, record: StructInstance, member: FieldLayout) -> Iterator[tuple[str, int]]:
    """Yield the number that a member is, or those that it points to, each with its place: `[2]`."""
    resolved = harness.layouts.resolve(member.field.type)
    found, count = int(record.read(member.name)), member.field.count
    if not isinstance(resolved, Pointer):
        yield "", found
        return
    size = harness.layouts.size_of(resolved.target)
    for at in range(int(record.read(count))) if found and record.knows(count) else ():
        yield f"[{at}]", int.from_bytes(ctypes.string_at(found + at * size, size), sys.byteorder, signed=True)


@check("ABI031", quick=True)
def struct_size_wrong(harness: Harness) -> Iterator[Observation]:
    """The plugin sets the size of a struct to one that no release of the struct has.

    What happens: The core compares the size with the end of each member. If the size is too small, it treats members as
    missing. If the size counts padding, it treats a member as present that the plugin does not have.

    Instead: Set `struct_size` to the constant of the plugin's own header, the end of the last member, not `sizeof`.

    Source: versioning strategy, "By Checking Struct Size"; the API's conventions: `struct_size` is the unpadded size.
    """
    for entity, record in made_session(harness).filled:
        problem = _problem_of_size(record, harness) if record.struct.is_versioned else ""
        latest = harness.latest.of(record.struct.name)
        if not problem and record.size > latest.size:
            message = f"{entity} states {record.size} bytes for {record.name}, more than any release of the spec has"
            help = "set the constant of the header; a plugin of a release that this spec does not have yet may be right"
            yield Observation(record.name, message, help=help, level=Level.WARNING)
        if problem:
            yield Observation(record.name, f"{entity} states {record.size} bytes for {record.name}, {problem}")


@check("ABI032", level=Level.WARNING)
def deprecated_member_used(harness: Harness) -> Iterator[Observation]:
    """The plugin sets a deprecated member, and not the one that replaces it.

    What happens: Nothing yet. The next MAJOR removes the member, and its value is lost.

    Instead: Set its successor, and set this one only for cores that are older than the successor.

    Source: versioning strategy, "Deprecating Functionality".
    """
    for entity, record, name, each in _members(made_session(harness)):
        lifecycle = each.field.contract.lifecycle
        if not lifecycle.deprecated or each.field.contract.is_required or not record.read(each.name):
            continue
        successor = record.struct.member(lifecycle.replaced_by.removeprefix(f"{record.struct.name}."))
        # A struct that ends before its successor is of a plugin from before the deprecation.
        if successor is not None and (not record.knows(successor.name) or record.read(successor.name)):
            continue
        since = f" since {lifecycle.deprecated_since}" if lifecycle.deprecated_since else ""
        help = f"use {lifecycle.replaced_by}" if lifecycle.replaced_by else ""
        yield Observation(name, f"{entity} fills {name}, which is deprecated{since}", help=help)


@check("ABI033", quick=True)
def core_member_overwritten(harness: Harness) -> Iterator[Observation]:
    """The plugin changes a member that the core sets.

    What happens: The core uses the changed value: another version, another device, a pointer that is NULL. The usual
    cause is an assignment of the whole struct (`*params = (T){SIZE}`), which zeroes the members that the core has set.

    Instead: Assign the members that the plugin sets, one by one.

    Source: the spec's `set_by`, and the API's conventions for prefixes.
    """
    for entity, record, before in made_session(harness).handed:
        for name, each in record.members():
            if each.name != record.struct.size_member and is_of_core(each.field):
                start, end = each.offset, each.offset + each.size
                is_now = ctypes.string_at(record.address + start, each.size)
                if each.bit_width is None and before[start:end] != is_now:
                    was, is_ = int.from_bytes(before[start:end], sys.byteorder), int.from_bytes(is_now, sys.byteorder)
                    yield Observation(name, f"{entity} changes {name}, which the core owns, from {was:#x} to {is_:#x}")


@check("ABI034", quick=True)
def text_malformed(harness: Harness) -> Iterator[Observation]:
    """A name that the plugin sets does not match the pattern of the contract.

    What happens: The core refuses the plugin.

    Instead: Choose another name.

    Source: the spec's `pattern`.
    """
    session = made_session(harness)
    for _, record in (*session.filled, *session.parameters):
        for name, text in _texts(record, harness):
            field = record.field(name)
            assert field is not None
            if field.pattern and not parse_pattern(field.pattern).matches(text):
                entity = f"{record.name}.{name}"
                yield Observation(entity, f"{entity} is {text!r}, which does not match {field.pattern}")


@check("ABI035")
def text_does_not_last(harness: Harness) -> Iterator[Observation]:
    """A text that the plugin returns changes after the call.

    What happens: The pointer refers to a buffer that the plugin has reused or freed, often a local string. The core
    reads the name again later, and finds other bytes.

    Instead: Use a string literal, or a text whose lifetime ends with the struct.

    Source: C 6.2.4 paragraph 2; the struct's members are the core's to read until it is destroyed.
    """
    session = Session(harness)
    session.start()
    before = [(record, dict(_texts(record, harness))) for _, record in session.filled]
    session.create_all()
    before += [(record, dict(_texts(record, harness))) for _, record in session.filled[len(before) :]]
    _use_heap_and_stack()
    for _ in session.query_all():
        _use_heap_and_stack()
    for record, texts in before:
        is_now = dict(_texts(record, harness))
        for name, text in texts.items():
            if is_now.get(name) != text:
                entity = f"{record.name}.{name}"
                yield Observation(entity, f"{entity} was {text!r}, and is {is_now.get(name)!r} later")


@check("ABI037")
def exclusive_members_set(harness: Harness) -> Iterator[Observation]:
    """The plugin fills two members of which one excludes the other.

    What happens: The core uses one of them, or refuses the plugin.

    Instead: Set the intended one, and leave the other zero.

    Source: the spec's `excludes`.
    """
    for entity, record, name, each in _members(made_session(harness)):
        other = each.field.excludes
        if other and record.has(each.name) and record.has(other):
            yield Observation(name, f"{entity} fills {name} and {record.name}.{other}, which exclude each other")


def _asked_session(harness: Harness) -> Session:
    """Return a session in which all is made; a vendor's plugin has also been asked what its library describes."""
    session = made_session(harness)
    if harness.api.is_vendors:
        for _ in session.query_all():
            pass
    return session


def _members(session: Session) -> Iterator[tuple[str, StructInstance, str, FieldLayout]]:
    """Yield each member that the plugin has to fill: the function that fills it, the struct, the name, the place."""
    for entity, record in session.filled:
        yield from ((entity, record, *member) for member in record.members())
    for entity, record in session.parameters:
        yield from ((entity, record, *member) for member in record.members() if _is_plugins(member[1].field))


def _is_plugins(field: Field) -> bool:
    """True if the plugin sets a member of a struct of the core's; false if the member points to memory to be filled."""
    return field.filler is not Party.CORE and bool(field.filler) and not field.allocated_by


def _is_required(field: Field, record: StructInstance, session: Session) -> bool:
    """True if a member must not be zero. Conditions on other members are taken into account."""
    if is_of_core(field):
        return False
    if field.contract.is_required:
        return True
    condition = field.contract.condition
    for path, wanted in ((condition.when, True), (condition.unless, False)):
        if path:
            struct, _, member = path.rpartition(".")
            other = session.structs.get(struct) if struct else record
            if other is None or other.field(member) is None or bool(other.read(member)) != wanted:
                return False
    return bool(condition)


def _problem_of_size(record: StructInstance, harness: Harness) -> str:
    """Return the mistake in the current size of a struct, in words; empty for none."""
    latest = harness.latest.of(record.struct.name)
    size = record.size
    if size in harness.ends_of(record.struct.name) or size == record.layout.unpadded_size:
        return ""
    if size == latest.size or size == record.layout.size:
        return f"which counts padding; the last member ends at {latest.unpadded_size}"
    if size == 0:
        return "which holds no member"
    if size > latest.size:  # a plugin that is newer than this core may know more
        return "" if size < 4 * latest.size else "which is larger than any release of it"
    return f"which is not the size of any release; in this one it is {record.layout.unpadded_size}"


def _texts(record: StructInstance, harness: Harness) -> Iterator[tuple[str, str]]:
    """Yield the members that are texts of the plugin's, with their contents."""
    for each in record.layout.fields:
        if record.struct.filler is Party.CORE and not _is_plugins(each.field):
            continue
        resolved = harness.layouts.resolve(each.field.type)
        if isinstance(resolved, Pointer) and harness.layouts.resolve(resolved.target) == Basic("char"):
            with harness.calling(f"reading {record.name}.{each.name}"):
                text = record.text(each.name)
            if text is not None:
                yield each.name, text


def _use_heap_and_stack() -> None:
    """Use much of heap and stack, so that freed memory is used again."""

    def deep(levels: int) -> int:
        block = ctypes.create_string_buffer(b"#" * 2048)
        return len(block) + (deep(levels - 1) if levels else 0)

    deep(40)
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    for size in (16, 24, 32, 48, 64, 96, 128, 256):
        blocks = [library.malloc(ctypes.c_size_t(size)) for _ in range(64)]
        for block in blocks:
            ctypes.memset(block, ord("#"), size)
        for block in blocks:
            library.free(ctypes.c_void_p(block))


@end_check("ABI015")
def process_changed(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin leaves something changed that belongs to the whole process, or to the thread.

    What happens: Other parts of the program are affected: results are rounded differently, signals do not arrive, files
    are written to another folder or with other permissions, numbers are read and written in another locale.

    Instead: Do not change such settings, or restore them before the function returns. Setting up the process is the
    task of the program.

    Source: a plugin is a guest in its process; POSIX for each of these.
    """
    for event in end.outcome.of_kind("changed"):
        entity, names = str(event["changed"]), event["what"]
        assert isinstance(names, list)
        level = Level.WARNING if set(names) <= {"the environment", "child processes"} else None
        yield Observation(entity, f"{entity} changes {' and '.join(names)}", level=level)


@end_check("ABI016", level=Level.NOTE)
def prints_something(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin writes to standard output or standard error.

    What happens: Other programs read the output of the program. Additional text makes it invalid.

    Instead: Report errors in the status, or with the API's own functions for logging.

    Source: a plugin is a guest in its process.
    """
    for event in end.outcome.of_kind("printed"):
        entity = str(event["printed"])
        level = Level.WARNING if event["stream"] == "standard output" else None
        yield Observation(entity, f"{entity} writes to {event['stream']}", level=level)


@end_check("ABI017")
def impossible_value(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin returns a value outside of its enumeration, or NaN.

    What happens: The core looks up the meaning of the value and finds none, or computes with it.

    Instead: Return a value that the API names.

    Source: the API's enumerations.
    """
    for event in end.outcome.of_kind("impossible"):
        entity = str(event["impossible"])
        yield Observation(entity, f"{entity} {event['said']}")


@end_check("ABI018")
def const_struct_written(end: ProcessEnd) -> Iterator[Observation]:
    """A function of the plugin changes a struct that it was given by a pointer to const.

    What happens: The core, or another thread, uses the changed values.

    Instead: Do not write to it. Store the plugin's own data in its own memory.

    Source: the function's type; C 6.7.3 paragraph 6.
    """
    for event in end.outcome.of_kind("lent"):
        entity = str(event["lent"])
        yield Observation(entity, f"{entity} changes {event['struct']}, which it was given by a pointer to const")


@end_check("ABI019")
def status_misused(end: ProcessEnd) -> Iterator[Observation]:
    """The plugin frees the status that it was given, or uses one after the call.

    What happens: The status belongs to the core, and is often on its stack. If it is freed twice, or written later,
    other data is destroyed.

    Instead: Store the outcome before the function returns, and do not free the status. Work that ends later reports its
    errors in its stream.

    Source: the function's type; C 6.2.4 paragraph 2.
    """
    for event in end.outcome.of_kind("misused"):
        entity = str(event["misused"])
        yield Observation(entity, f"{entity} {event['how']} a status of the core")


_ROUNDS, _SECONDS = 200_000, 0.25
"""The most rounds, and the most seconds, for which threads call at once."""
_WITHOUT_THREADS = ("libc.", "libm.", "libpthread.", "libdl.", "librt.", "libgcc_s.", "libstdc++.", "ld-linux")
"""Prefixes of the names of libraries that start no threads of their own."""
_STARTS = ("pthread_create", "thrd_create")


@check("ABI040", spoils=True, quick=True)
def creation_fails(harness: Harness) -> Iterator[Observation]:
    """A function that makes something does not.

    What happens: The core does not use the device, and reports the message in the status.

    Instead: Create the object. If the machine lacks a requirement, report that in the status of the entry point. A
    function that returns the API's code for "not implemented" causes only a warning.

    Source: the contract's functions for creation.
    """
    yield from _failures(made_session(harness), "")


@check("ABI041", scenarios=older, unless=("ABI040",))
def creation_fails_on_older_core(harness: Harness) -> Iterator[Observation]:
    """With an earlier release of the core, which the plugin has accepted, a function that makes something does not.

    What happens: The core has registered the plugin, and then gets no device from it.

    Instead: Refuse in the entry point, or create the object without the members that the core does not have.

    Source: versioning strategy, "Extending Functionality".
    """
    yield from _failures(made_session(harness), f" for {harness.scenario.name}")


@check("ABI042", scenarios=newer, unless=("ABI040",))
def creation_fails_on_newer_core(harness: Harness) -> Iterator[Observation]:
    """With a later release of the core, which the plugin has accepted, a function that makes something does not.

    What happens: After an update of the core, the plugin's devices are missing.

    Instead: Do not compare sizes for equality: a struct of the core may be larger than in the plugin's own header.

    Source: versioning strategy, "Producer Has Newer Header Files".
    """
    yield from _failures(made_session(harness), f" for {harness.scenario.name}")


@check("ABI043", scenarios=shortened, unless=("ABI040",))
def creation_fails_on_shorter_structs(harness: Harness) -> Iterator[Observation]:
    """The plugin accepts structs that end one member earlier, and does not work with them.

    What happens: A core that is older than that member gets a plugin that it cannot use.

    Instead: Refuse in the entry point with a message, or work without the member.

    Source: versioning strategy, "By Checking Struct Size".
    """
    session = Session(harness)
    if not session.refused(session.begin()):
        session.create_all()
        yield from (report for report in _failures(session, f" for {harness.scenario.name}") if not report.details)


@check("ABI029")
def example_fails(harness: Harness) -> Iterator[Observation]:
    """A function reports an error for the example arguments of the spec.

    What happens: An example in the spec's own documentation does not work.

    Instead: Implement the function. The check calls every function that neither creates nor destroys an object and that
    no other check calls. Its arguments are objects of the plugin and the examples of the spec. For an API without
    checks of its own, they are also generated texts, numbers, buffers and structs; errors for these are no finding. The
    report lists functions that cannot be called.

    Source: the spec's `example`.
    """
    for entity, reply in made_session(harness).try_all():
        if not reply.ok:
            level = Level.WARNING if harness.is_unimplemented(reply) else None
            said = f"{reply.refusal or f'code {reply.code}'}, {reply.message!r}"
            yield Observation(entity, f"{entity} fails for the spec's examples: {said}", level=level)


@check("ABI028", unless=("ABI040",))
def null_refused(harness: Harness) -> Iterator[Observation]:
    """A function reports an error for NULL where the spec allows the core to pass NULL.

    What happens: The core has no object to pass, as the spec allows, and the plugin does not do its work. A plugin that
    reads through the pointer crashes; `callback-crashes` reports that.

    Instead: Compare the pointer with NULL before it is used, and work without the object.

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
    """An object that was destroyed cannot be created again.

    What happens: A core that creates its devices for each session finds none the second time.

    Instead: In the functions that destroy objects, free only the memory that creating them allocated.

    Source: the contract's functions for creation and destruction.
    """
    session = Session(harness)
    session.strict = True
    session.start()
    session.create_all()
    if any(not made.reply.ok for made in session.made):
        raise StoppedError("the object could not be created even once")
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

    What happens: A core that unloads plugins, for a test or because another one failed, cannot load this one again.
    Open files cause a warning: the number of files of a process is limited.

    Instead: Leave no threads, no functions to be called at exit, and no registrations elsewhere. Close the files of the
    entry points in the function that destroys the platform, or when the library is unloaded.

    Source: versioning strategy, "Detecting Incompatibility": core may unload the plugin; dlclose(3).
    """
    _needs_unloading(harness)
    entry, problem = harness.trial.entry.name, "the library does not work after it was unloaded and loaded again"
    files: list[int] = []
    opened: dict[str, list[int]] = {name: [] for name in other_entries(harness.trial)}
    for number in (1, 2, 3):
        session = Session(harness)
        reply = session.begin()
        if session.refused(reply):
            if number == 1:
                raise StoppedError("the plugin refuses the core")
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
        yield Observation(entry, message, help="close the files that were opened", level=Level.WARNING)


@check("ABI046")
def handle_given_twice(harness: Harness) -> Iterator[Observation]:
    """Two objects that exist at the same time have the same handle.

    What happens: The core destroys one of them, and with it the other.

    Instead: Allocate an object for each call.

    Source: the contract's functions for creation and destruction.
    """
    session = made_session(harness)
    lists = {made.entity for made in session.made if made.destroy is None and harness.api.is_vendors}
    for made in [made for made in session.made if made.handles and made.is_whole and made.entity not in lists]:
        other = session.repeat(made)
        for first, second in zip(made.handles, other.handles if other is not None else (), strict=False):
            if first.address and first.address == second.address:
                message = f"{made.entity} returns the same {first.name} twice, although the first one still exists"
                yield Observation(made.entity, message)


@check("ABI047", unless=("ABI040",))
def fails_with_two_threads(harness: Harness) -> Iterator[Observation]:
    """A function that creates objects fails when several threads call it at once, or returns one object twice.

    What happens: The core uses its devices from many threads. Two threads may get the same object, or none.

    Instead: Protect the data that calls share, or share none. Functions whose `thread` the spec states are called on
    that thread only. `--threads` sets the number of threads. Reports of a plugin that is built with `-fsanitize=thread`
    are findings of their own.

    Source: the core calls plugins from all of its threads, without a lock around them.
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

    What happens: The core creates such objects for each step of a program; the memory of the process grows until it is
    ended.

    Instead: In the function that destroys an object, free the memory that creating it allocated. The check also calls
    functions that use an object and neither take nor return ownership.

    Source: the contract's functions for creation and destruction.
    """
    session = made_session(harness)
    harness.watching = False
    for made in session.made:
        program = session.cycle(made, claimed=False) if made.is_whole else None
        left = left_behind(harness, made.entity, program) if program is not None else ""
        if left:
            entity = made.destroy.entity if made.destroy is not None else made.entity
            yield Observation(entity, f"{entity} leaks {left} of {made.entity} each time")
    for entity, program in () if harness.trial.has_own_checks else session.uses():
        if left := left_behind(harness, entity, program):
            yield Observation(entity, f"{entity} leaks {left} each time that it is called")


@check("ABI039")
def thread_outlives_library(harness: Harness) -> Iterator[Observation]:
    """A thread of the plugin's still runs when the library has been unloaded.

    What happens: The code of the thread was unloaded; the process crashes when the thread continues.

    Instead: End all threads and wait for them, in the functions that destroy objects, or when the library is unloaded.

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
    with harness.staking(entry, "a thread of the plugin runs code that was unloaded"):
        harness.unload()
        left = held_since(before)["threads"]
    if left > 0 and harness.trial.plugin not in harness.mapped():
        yield Observation(
            entry,
            f"{left} threads of the plugin still run after all objects were destroyed and the library was unloaded",
        )


def _needs_unloading(harness: Harness) -> None:
    """End a check for the API of a vendor: its spec does not state that hosts unload plugins."""
    if harness.api.is_vendors:
        raise InapplicableError("the spec does not state that a host unloads plugins")


def _starts_threads(library: Path) -> bool:
    """True if a library may start threads of its own."""
    binary = None if library.name.startswith(_WITHOUT_THREADS) else read_library(library)
    return binary is not None and any(each.endswith(_STARTS) or "_M_start_thread" in each for each in binary.needs)


def _is_bound(session: Session, made: Creation) -> bool:
    """True if the spec says of what makes or ends something that one thread calls it; of a vendor's API it must say."""
    functions = (each for each in (made.maker, made.destroy) if each is not None)
    threads = {said.thread for each in functions for said in session.offered.agreed(each)}
    unsaid = set() if session.harness.api.is_vendors else {""}
    return bool(threads - {"any", *unsaid})


def _failures(session: Session, when: str) -> Iterator[Observation]:
    """Yield an observation of each object that was not created, with the plugin's reason where it has given one."""
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
            said = f"returns NULL{when} instead of a" if is_result else f"reports success{when}, and creates no"
            yield Observation(made.entity, f"{made.entity} {said} {empty[0]}")
