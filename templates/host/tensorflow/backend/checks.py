"""What plugins fill, checked; what is wrong with it as errors."""

from __future__ import annotations

from collections.abc import Callable

from plugin_api_runtime_v1 import address_of

from abigen.host.backend import PluginError
from abigen.model.span import Diagnostic

from .library import Library, Pointer


def check(library: Library, plugin: str, function: Callable[..., int], *structs: Pointer) -> None:
    """Check a struct that a plugin has filled.

    Args:
        library: the core's.
        plugin: its file, for messages.
        function: one of the library's `abigen_core_check_...`.
        structs: what the function is given before whom to tell.

    Raises:
        PluginError: it cannot be used, with everything that is wrong.
    """
    errors: list[Diagnostic] = []

    def report(_: Pointer, is_error: int, message: Pointer) -> None:
        if is_error:
            errors.append(Diagnostic(None, f"{plugin}: {library.text(message)}"))

    callback = library.ffi.callback("abigen_core_report", report)
    given = [library.ffi.cast("void*", address_of(each)) for each in structs]
    if function(*given, callback, library.ffi.NULL):
        raise PluginError(errors)
