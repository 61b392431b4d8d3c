"""Shared libraries, and the functions in them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, Self

import cffi  # type: ignore[import-untyped, unused-ignore]

from .memory import CData, ffi

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .functions import Signature


class SymbolNotFound(AttributeError):
    """No library that was searched has a function of that name."""


_loaded: list[Any] = []
"""Open libraries: cffi unloads one without references, while tables may still point to its functions."""


class _Binary:
    """A shared library that is open: one of its own, or all that the process has loaded."""

    def __init__(self, path: str | None, flags: int) -> None:
        self.name = path or "this process"
        self._path = path
        self._known: set[str] = set()
        self._names: Any = cffi.FFI()
        self._open = self._names.dlopen(path, flags)
        if path is not None:
            _loaded.append(self._open)

    def find(self, name: str) -> CData | None:
        """Return the address of a function; None when there is none of that name."""
        if name not in self._known:
            self._names.cdef(f"void {name}(void);")
            self._known.add(name)
        try:
            return ffi.cast("void*", self._names.addressof(self._open, name))
        except AttributeError:
            return None

    def close(self) -> None:
        """Unload it, unless other code still uses it."""
        if self._path is not None:
            _loaded[:] = [each for each in _loaded if each is not self._open]
            self._names.dlclose(self._open)


class Core:
    """The libraries in which the functions are looked up that core implements; without any, the process itself."""

    def __init__(self) -> None:
        self._libraries: list[_Binary] = []
        self._watchers: list[tuple[dict[str, Any], str]] = []

    def load(self, path: str | os.PathLike[str], flags: int = 0) -> None:
        """Look functions up in a shared library as well, before those that were loaded earlier.

        Args:
            path: of the library.
            flags: of `dlopen`; 0 for lazy and global, so that plugins which are loaded later find its functions.

        Raises:
            OSError: it cannot be loaded.
        """
        flags = flags or getattr(os, "RTLD_LAZY", 0) | getattr(os, "RTLD_GLOBAL", 0)
        self._libraries.insert(0, _Binary(os.fspath(path), flags))
        self._forget()

    def unload(self) -> None:
        """Look functions up in the process alone again. The libraries stay loaded, since others may use them."""
        self._libraries.clear()
        self._forget()

    def find(self, name: str) -> CData:
        """Return the address of a function.

        Raises:
            SymbolNotFound: no library has it.
        """
        libraries = self._libraries or _process()
        for each in libraries:
            found = each.find(name)
            if found is not None:
                return found
        looked = ", ".join(each.name for each in libraries) or "this process"
        raise SymbolNotFound(
            f"there is no function {name} in {looked}; load what has it with core.load(path)",
            name=name,
        )

    def watch(self, names: dict[str, Any], name: str) -> None:
        """Drop an entry of a dictionary when other libraries are loaded."""
        self._watchers.append((names, name))

    def _forget(self) -> None:
        for names, name in self._watchers:
            names.pop(name, None)
        self._watchers.clear()


def _process() -> list[_Binary]:
    """Return the libraries that the process itself has loaded; none where the system cannot search them (Windows)."""
    try:
        return [_Binary(None, 0)]
    except OSError:
        return []


class Symbols:
    """Functions by name, each looked up when it is used first."""

    def __init__(
        self, functions: Mapping[str, Signature], library: _Binary | Core
    ) -> None:
        """Name functions.

        Args:
            functions: name to type.
            library: the library that has them.
        """
        self._functions = functions
        self._library = library

    def __getattr__(self, name: str) -> CData:
        """Look a function up.

        Raises:
            SymbolNotFound: nothing has it.
        """
        if name.startswith("_") and name not in self.__dict__.get("_functions", ()):
            raise AttributeError(name)
        signature = self._functions[name]
        if isinstance(self._library, Core):
            address = self._library.find(name)
            self._library.watch(self.__dict__, name)
        else:
            found = self._library.find(name)
            if found is None:
                raise SymbolNotFound(
                    f"{self._library.name} exports no function {name}", name=name
                )
            address = found
        function = signature.cast(address)
        self.__dict__[name] = function
        return function

    def watch(self, names: dict[str, Any], name: str) -> None:
        """Drop an entry of a dictionary when another function may be found by its name."""
        if isinstance(self._library, Core):
            self._library.watch(names, name)


class Library:
    """A shared library that implements a part of an API; its functions are methods."""

    _functions: ClassVar[Mapping[str, Signature]] = {}

    def __init__(self, path: str | os.PathLike[str], flags: int = 0) -> None:
        """Load a library.

        Args:
            path: of the library.
            flags: of `dlopen`; 0 for what the system does by default.

        Raises:
            OSError: it cannot be loaded.
        """
        self.path = os.fspath(path)
        self._binary = _Binary(self.path, flags)
        self.symbols = Symbols(self._functions, self._binary)

    def has(self, name: str) -> bool:
        """True if the library exports a function of the API.

        Raises:
            AttributeError: the API has no such function.
        """
        if name not in self._functions:
            raise AttributeError(
                f"{type(self).__name__} has no function {name}", name=name
            )
        return self._binary.find(name) is not None

    def close(self) -> None:
        """Unload it; its objects and functions must not be used after that."""
        self._binary.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path!r})"
