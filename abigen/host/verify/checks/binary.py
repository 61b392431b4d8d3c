"""The library itself: what it exports, what it needs."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.host.verify.check import BinaryView, Observation, file_check
from abigen.host.verify.shim import core_functions
from abigen.model.finding import Level


@file_check("ABI010", always=True)
def entry_point_missing(view: BinaryView) -> Iterator[Observation]:
    """The library does not export the function by which core finds a plugin.

    What happens: Core looks it up by name after loading, does not find it, and takes the library for none of its
    plugins.

    Instead: Define it with C linkage (`extern "C"`) and default visibility, under exactly this name.

    Source: VS, "By Comparing SE_MAJOR at Registration Time"; System V ABI, "Symbol Table".
    """
    binary, entry = view.trial.binary, view.trial.entry
    name = entry.symbol or entry.name
    if binary is not None and name not in binary.exports:
        mangled = sorted(each for each in binary.exports if each.startswith("_Z") and name in each)
        details = (("exported", f"{mangled[0]}, which is its name in C++"),) if mangled else ()
        help = f'declare {name} extern "C"' if mangled else f"define {name} with default visibility"
        yield Observation(entry.name, f"the library does not export {name}", help=help, details=details)


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
