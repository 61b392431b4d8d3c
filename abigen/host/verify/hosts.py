"""Hosts, tried out with plugins that abigen makes: one per release, some that cannot be, and each without one member.

The plugins are made from offsets, so that one compiler and no header is enough. They write a line to a file for each
call, and keep pages that nobody may touch behind the structs that are their own.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from abigen.host.libraries import kept_library
from abigen.host.verify.check import Observation
from abigen.host.verify.scenario import Scenario, equal, foreign, newer, older
from abigen.model.api import Api
from abigen.model.contract import Party, ResultKind
from abigen.model.ctype import Basic, CType, EnumType, FunctionType, Pointer, RecordType
from abigen.model.entities import Field, Function, Struct
from abigen.model.finding import FAILED, PASSED, Bump, CheckRun, Finding, Level, Page
from abigen.model.layout import Layouts
from abigen.model.span import AbigenError
from abigen.model.target import Target
from abigen.shipped import TEMPLATES, shipped


def _page(code: str, name: str, *words: str) -> Page:
    sections = tuple(zip(("What happens", "Instead", "Source"), words[1:], strict=True))
    return Page(code=code, name=name, group="Hosts", commands=("verify",), summary=words[0], sections=sections)


HOST_PAGES = (
    _page(
        "ABI090", "fitting-plugin-refused",
        "The host refuses a plugin of the same MAJOR, or ends because of it.",
        "Plugins that were built with another release stop working, although the contract says that they go on.",
        "Compare `struct_size` with the end of each member that is used, not for equality and not with `sizeof`.",
        'VS, "Conventions".',
    ),
    _page(
        "ABI091", "refusal-ignored",
        "The host goes on with a plugin that has refused it.",
        "It calls functions of a plugin that is of another MAJOR, with other arguments than that expects.",
        "Look at what the entry point reports before anything of the plugin is used, and end with another code than 0.",
        'VS, "Detecting Incompatibility".',
    ),
    _page(
        "ABI092", "host-reads-past-end",
        "The host reads behind the end of a plugin's struct.",
        "It takes for a member what an older plugin has never heard of, and calls it.",
        "Before each member compare its end with `struct_size`.",
        'VS, "By Checking Struct Size".',
    ),
    _page(
        "ABI093", "host-writes-past-end",
        "The host writes behind the end of a plugin's struct.",
        "It destroys what an older plugin has behind the struct.",
        "Before each member compare its end with `struct_size`.",
        'VS, "By Checking Struct Size".',
    ),
    _page(
        "ABI094", "null-member-called",
        "The host calls an optional function that the plugin does not have.",
        "The process crashes with every plugin that leaves the function out, which it may.",
        "Compare the member with NULL first.",
        "the spec's `optional`.",
    ),
)  # fmt: skip
_LOG = "ABIGEN_PROBE"


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A plugin that is handed to the host."""

    scenario: Scenario
    """The release that it is of."""
    what: str
    refuses: bool = False
    """Whether it refuses the host, as one of another MAJOR does."""
    without: str = ""
    """The optional function that it does not have: `Struct.member`."""


@dataclass(frozen=True)
class _Run:
    """What the host did with a probe."""

    code: int
    lines: tuple[str, ...]
    is_late: bool

    @property
    def crashed(self) -> bool:
        """Whether a signal has ended it, or a shell says so."""
        return self.code < 0 or self.code > 128


def probes(api: Api) -> Iterator[Probe]:
    """The plugins for an API, one that fits in every way first."""
    (same,) = equal(api)
    yield Probe(scenario=same, what="a plugin of the same release")
    for each in older(api):
        yield Probe(scenario=each, what=f"a plugin of release {each.version}")
    for each in newer(api):
        yield Probe(scenario=each, what=f"a plugin of release {each.version}, which does not exist yet")
    for each in foreign(api):
        yield Probe(scenario=each, what=f"a plugin of another MAJOR, {each.version}", refuses=True)
    for struct in api.structs.values():
        for member in struct.fields or () if struct.in_api else ():
            if member.contract.is_optional and api.callback(member.type) and member.filler is not Party.CORE:
                name = f"{struct.name}.{member.name}"
                yield Probe(scenario=same, what=f"a plugin without {name}", without=name)


def verify_host(
    command: str,
    api: Api,
    target: Target,
    entry: Function,
    seconds: float,
    folder: Path,
    announce: Callable[[str], None],
) -> tuple[tuple[CheckRun, ...], tuple[Finding, ...]]:
    """Run a host with each probe; how each check went, and what was found.

    Args:
        command: the host's, with `{plugin}` where the plugin's path belongs; it ends with 0 when it accepts the plugin.
        api: the API's current release.
        target: of this machine.
        entry: the function that the host calls first.
        seconds: how long a run may take.
        folder: where the plugins are kept.
        announce: is told what is being done.

    Raises:
        AbigenError: the host cannot be started, or does not call the plugin at all.
    """
    found: dict[tuple[str, str], Finding] = {}
    pages = {each.code: each for each in HOST_PAGES}
    for number, probe in enumerate(probes(api)):
        announce(f"running the host with {probe.what}")
        library = kept_library(_Source(api, target, probe, entry).text(), ("-w",), folder)
        run = _run(command, library, seconds)
        if f"call {entry.name}" not in run.lines and number == 0:
            message = f"the host ends with {run.code} and does not call {entry.name}"
            raise AbigenError.at(None, message, "it has to load the plugin that {plugin} names")
        for code, each in _judge(probe, run, entry):
            level = Level.ERROR
            finding = Finding(
                code=code, rule=pages[code].name, entity=each.entity, bump=Bump.NONE, level=level, message=each.message
            )
            found.setdefault((code, each.entity), finding)
    failed = {code for code, _ in found}
    runs = tuple(
        CheckRun(code=each.code, name=each.name, result=FAILED if each.code in failed else PASSED)
        for each in HOST_PAGES
    )
    return runs, tuple(found[key] for key in sorted(found))


def _run(command: str, library: Path, seconds: float) -> _Run:
    """Run the host with a plugin."""
    with tempfile.TemporaryDirectory(prefix="abigen-") as folder:
        log = Path(folder, "log")
        log.touch()
        words = [each.replace("{plugin}", str(library)) for each in shlex.split(command)]
        try:
            done = subprocess.run(
                words, env={**os.environ, _LOG: str(log)}, timeout=seconds, capture_output=True, check=False
            )
        except subprocess.TimeoutExpired:
            return _Run(0, tuple(log.read_text().splitlines()), is_late=True)
        except OSError as error:
            raise AbigenError.at(None, f"{words[0]} cannot be started: {error.strerror}") from None
        return _Run(done.returncode, tuple(log.read_text().splitlines()), is_late=False)


def _judge(probe: Probe, run: _Run, entry: Function) -> Iterator[tuple[str, Observation]]:
    """What is wrong with what the host did."""
    touched = [line.split(" ") for line in run.lines if line.startswith(("reads ", "writes ", "behind "))]
    for kind, entity in touched:
        does = "writes" if kind == "writes" else "reads"
        message = f"the host {does} behind the end of {entity.partition('.')[0]} of {probe.what}"
        message += f": {entity}" if "." in entity else ""
        yield "ABI093" if kind == "writes" else "ABI092", Observation(entity, message)
    how = "does not come to its end" if run.is_late else f"ends with {run.code}"
    if probe.refuses:
        calls = [line.removeprefix("call ") for line in run.lines if line.startswith("call ")]
        later = next((each for each in calls if each != entry.name), "")
        if entry.name in calls and (later or run.code == 0):
            then = f"calls {later} of" if later else "ends with 0 for"
            yield "ABI091", Observation(entry.name, f"the host {then} {probe.what}, which has refused it")
    elif touched or not (run.is_late or run.code):
        return
    elif probe.without and run.crashed:
        yield "ABI094", Observation(probe.without, f"the host {how} with {probe.what}: it calls NULL")
    else:
        yield "ABI090", Observation(probe.without or entry.name, f"the host {how} with {probe.what}")


class _Source:
    """The source of one probe."""

    def __init__(self, latest: Api, target: Target, probe: Probe, entry: Function) -> None:
        self._api, self._probe, self._entry = probe.scenario.api, probe, entry
        self._layouts, self._latest = Layouts(self._api, target), Layouts(latest, target)
        self._fills: dict[str, str] = {}
        self._stubs: dict[str, str] = {}

    def text(self) -> str:
        """The whole of it."""
        entry = self._function(
            self._entry.symbol or self._entry.name, self._entry.name, self._entry.type, is_entry=True
        )
        prelude = (shipped(TEMPLATES) / "verify/_core/probe.c").read_text(encoding="utf-8")
        names = chain(self._fills, self._stubs)
        declared = [f"static {'void' if each in self._fills else 'long long'} {each}();" for each in names]
        parts = [prelude, *declared, *self._fills.values(), *self._stubs.values(), entry]
        return "\n".join(parts) + "\n"

    def _function(self, symbol: str, name: str, type: FunctionType, *, is_entry: bool = False) -> str:
        """A function of the plugin's: it says that it was called, and fills what it can."""
        parameters, body = [], [f'say("call", "{name}");']
        for at, each in enumerate(type.parameters):
            parameters.append(f"{self._declared(each.type)} a{at}")
            if self._api.is_status(each.type):
                body += self._status(f"a{at}") if is_entry else []
                continue
            body += [] if self._api.is_const_pointer(each.type) else self._given(each.type, f"a{at}")
        result = self._result(name, type, is_entry=is_entry)
        linkage = '__attribute__((visibility("default"))) ' if is_entry else "static "
        lines = "\n".join(f"  {each}" for each in [*body, f"return (long long){result};"])
        return f"{linkage}long long {symbol}({', '.join(parameters) or 'void'}) {{\n{lines}\n}}"

    def _declared(self, type: CType) -> str:
        resolved = self._layouts.resolve(type)
        if isinstance(resolved, RecordType):
            raise AbigenError.at(None, "a probe cannot take structs by value")
        if isinstance(resolved, Basic) and resolved.name in ("float", "double"):
            return resolved.name
        return "void*" if isinstance(resolved, Pointer) else "long long"

    def _given(self, type: CType, place: str) -> list[str]:
        """What is done with an argument that is no status: a struct is filled, a handle stored."""
        struct = self._api.pointee(type)
        if struct is not None and struct.fields:
            return [f"if ({place}) {self._fill(struct)}((char*){place});"]
        plain = self._layouts.resolve(type)
        inner = self._layouts.resolve(plain.target) if isinstance(plain, Pointer) else None
        if isinstance(inner, Pointer):
            return [f"if ({place}) *(void**){place} = dummy;"]
        return []

    def _status(self, place: str) -> list[str]:
        errors = self._api.conventions.errors
        if not self._probe.refuses or errors is None or not errors.set:
            return []
        code = errors.codes.get("failed_precondition", "")
        numbers = {each.name: each.value for enum in self._api.enums.values() for each in enum.enumerators or ()}
        return [f'refuse("{errors.set}", {place}, {numbers.get(code, 9)});']

    def _result(self, name: str, type: FunctionType, *, is_entry: bool) -> str:
        outcome = self._api.outcome(type, name, entry_point=is_entry)
        struct = self._api.pointee(type.result)
        if is_entry and self._probe.refuses:
            return {ResultKind.NEGATIVE: "-22", ResultKind.COMPLAINT: "dummy"}.get(
                outcome.kind, self._number(outcome.failed)
            )
        if struct is not None and struct.fields and outcome.kind is not ResultKind.COMPLAINT:
            return self._own(struct)
        if outcome.kind is ResultKind.TRUTH:
            return "1"
        is_pointer = (
            isinstance(self._layouts.resolve(type.result), Pointer) and outcome.kind is not ResultKind.COMPLAINT
        )
        return "dummy" if is_pointer else self._number(outcome.ok)

    def _number(self, code: str) -> str:
        numbers = {each.name: each.value for enum in self._api.enums.values() for each in enum.enumerators or ()}
        return str(numbers.get(code, code if code.lstrip("-").isdigit() else 0))

    def _own(self, struct: Struct) -> str:
        """A struct of the plugin's own, with a page behind it that nobody may touch."""
        layout = self._layouts.of(struct.name)
        size = layout.unpadded_size if struct.is_versioned else layout.size
        return f'own({size}, {max(layout.alignment, 8)}, "{struct.name}", {self._fill(struct)})'

    def _fill(self, struct: Struct) -> str:
        """The function that fills a struct as a plugin of the probe's release does."""
        name = f"fill_{struct.name}"
        if name in self._fills:
            return name
        self._fills[name] = ""
        layout, latest = self._layouts.of(struct.name), self._latest.of(struct.name)
        size = layout.named(struct.size_member) if struct.size_member else None
        end = layout.unpadded_size
        room = f"*(size_t*)(p + {size.offset})" if size is not None else str(layout.size)
        lines = [f"size_t room = {room}, own_size = {end};"]
        for each in layout.fields:
            value = (
                ""
                if each is size or each.bit_width is not None
                else self._value(struct, each.field, f"p + {each.offset}")
            )
            if value:
                lines.append(f"if (room >= {each.offset + each.size}) {{ {value} }}")
        for each in latest.fields:  # what an older plugin knows nothing of is nobody's to read
            is_later = layout.named(each.field.name) is None and self._latest.api.callback(each.field.type)
            if size is not None and is_later and each.field.filler is not Party.CORE:
                trap = self._trap(f"{struct.name}.{each.field.name}")
                lines.append(f"if (room >= {each.offset + each.size}) *(void**)(p + {each.offset}) = (void*){trap};")
        if size is not None and struct.filler is not Party.CORE:
            lines.append(f"*(size_t*)(p + {size.offset}) = room < own_size ? room : own_size;")
        body = "\n".join(f"  {each}" for each in lines)
        self._fills[name] = f"static void {name}(char* p) {{\n{body}\n}}"
        return name

    def _trap(self, name: str) -> str:
        symbol = f"trap_{name.replace('.', '_')}"
        self._stubs[symbol] = f'static long long {symbol}() {{ say("behind", "{name}"); return 0; }}'
        return symbol

    def _value(self, struct: Struct, member: Field, place: str) -> str:
        """The statement that sets a member; empty for what stays as it is."""
        if (member.filler is Party.CORE and member.allocated_by is not Party.CORE) or member.contract.reserved:
            return ""
        name = f"{struct.name}.{member.name}"
        callback, target = self._api.callback(member.type), self._api.pointee(member.type)
        if callback is not None:
            if name == self._probe.without or callback.variadic:
                return ""
            excluded = struct.member(member.excludes) if member.excludes else None
            if excluded is not None and f"{struct.name}.{excluded.name}" != self._probe.without:
                return ""
            symbol = f"stub_{struct.name}_{member.name}"
            if symbol not in self._stubs:
                self._stubs[symbol] = ""
                self._stubs[symbol] = self._function(symbol, name, callback)
            return f"*(void**)({place}) = (void*){symbol};"
        if target is not None and target.fields:
            if member.allocated_by is Party.CORE:
                return f"if (*(char**)({place})) {self._fill(target)}(*(char**)({place}));"
            return f"*(void**)({place}) = {self._own(target)};" if target.filler is not Party.CORE else ""
        resolved = self._layouts.resolve(member.type)
        if struct.filler is Party.CORE and member.filler is not Party.PLUGIN:
            return ""
        if isinstance(resolved, Pointer):
            return f'*(const void**)({place}) = "PROBE";' if member.contract.is_required else ""
        is_number = isinstance(resolved, Basic | EnumType) and member.contract.is_required
        return f"*(char*)({place}) = 1;" if is_number else ""
