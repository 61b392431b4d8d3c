"""Handlers: functions that XLA calls, which have names that the plugin chooses."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.host.verify.check import Observation, check
from abigen.host.verify.harness import Harness
from abigen.model.finding import Level

from .calls import handlers, mixed, sights
from .core import PREFIX


@check("ABI860", quick=True)
def handler_missing(harness: Harness) -> Iterator[Observation]:
    """The library exports no function that answers XLA's question for its version.

    What happens: JAX refuses to register the function, or takes it for one of another version.

    Instead: Define handlers with C linkage and default visibility. They look for the extension of type
    `XLA_FFI_Extension_Metadata` in the call frame before they do anything else.

    Source: `XLA_FFI_Metadata_Extension`.
    """
    if not handlers(harness):
        entity = f"{PREFIX}Handler"
        yield Observation(entity, "the library exports no function that answers XLA's question for its version")


@check("ABI861", quick=True)
def handler_version_foreign(harness: Harness) -> Iterator[Observation]:
    """A handler says that it was built with a version of the header that XLA does not take.

    What happens: JAX raises an exception when the handler is registered.

    Instead: Write `XLA_FFI_API_MAJOR` and `XLA_FFI_API_MINOR` of the header that it is built with.

    Source: `XLA_FFI_Api_Version`.
    """
    major, minor = (harness.value_of(f"{PREFIX}API_{part}") for part in ("MAJOR", "MINOR"))
    for name, said in handlers(harness).items():
        if said[0] != major or not 0 <= said[1] <= minor:
            version = f"{said[0]}.{said[1]}"
            yield Observation(name, f"{name} says version {version}; XLA takes {major}.0 to {major}.{minor}")


@check("ABI862", quick=True, level=Level.WARNING)
def frame_unchecked(harness: Harness) -> Iterator[Observation]:
    """A handler crashes, hangs or ends the process when it is called with what it does not expect.

    What happens: A mistake in a Python program, such as one argument too few, ends the interpreter.

    Instead: Compare the number of arguments, results and attributes, their kinds, types and ranks before they are
    used, and give an error.

    Source: `XLA_FFI_Args`, `XLA_FFI_Rets`, `XLA_FFI_Attrs`.
    """
    yield from _seen(harness, "ended")


@check("ABI863", quick=True)
def handler_error_foreign(harness: Harness) -> Iterator[Observation]:
    """A handler returns something that is no error of XLA's.

    What happens: XLA destroys what it takes for an error of its own, and crashes.

    Instead: Return NULL, or what `XLA_FFI_Error_Create` gives.

    Source: `XLA_FFI_Handler`, `XLA_FFI_Error`.
    """
    yield from _seen(harness, "foreign")


@check("ABI864", level=Level.WARNING)
def handler_error_lost(harness: Harness) -> Iterator[Observation]:
    """A handler makes an error, and neither returns nor destroys it.

    What happens: Nobody learns of it, and its memory is lost.

    Instead: Return it, or call `XLA_FFI_Error_Destroy`, also with errors that XLA's functions have given.

    Source: `XLA_FFI_Error`.
    """
    yield from _seen(harness, "lost")


@check("ABI865", quick=True)
def handler_arguments_malformed(harness: Harness) -> Iterator[Observation]:
    """A handler calls XLA's functions with too few arguments, or makes an error that says nothing.

    What happens: XLA refuses the call, or users read an exception without a text.

    Instead: Set `struct_size` to the constant of the struct. Give each error a text and a code that is not OK.

    Source: `XLA_FFI_Error_Create_Args`; `struct_size`.
    """
    yield from _seen(harness, "malformed")


@check("ABI866", quick=True)
def argument_written(harness: Harness) -> Iterator[Observation]:
    """A handler writes into its arguments.

    What happens: XLA uses the same array for other operations, which then compute with something else.

    Instead: Write results only. An argument that may be overwritten arrives as a result, too.

    Source: `XLA_FFI_Buffer`, `XLA_FFI_Args`.
    """
    yield from _seen(harness, "lent")


@check("ABI867", quick=True)
def result_overrun(harness: Harness) -> Iterator[Observation]:
    """A handler writes beyond the end of an array.

    What happens: What is behind it belongs to somebody else.

    Instead: Compare the dimensions of arguments and results before anything is written.

    Source: `XLA_FFI_Buffer`.
    """
    yield from _seen(harness, "overrun")


@check("ABI868")
def handler_results_mix(harness: Harness) -> Iterator[Observation]:
    """Called by several threads at once, a handler gives other results.

    What happens: Wrong results, now and then: XLA calls a handler from all of its threads.

    Instead: Keep what a call needs in local variables, or protect it.

    Source: XLA runs operations of one program, and several programs, at the same time.
    """
    for name, what in mixed(harness):
        yield Observation(name, f"{name} {what} when {harness.trial.threads} threads call it")


def _seen(harness: Harness, kind: str) -> Iterator[Observation]:
    """What was seen of one kind, the first of each handler."""
    told = set()
    for each in sights(harness):
        if each.kind == kind and each.handler not in told:
            told.add(each.handler)
            yield Observation(each.handler, f"{each.handler} {each.text}")
