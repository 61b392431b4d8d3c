"""The types of a package, as cffi knows them: read from their declarations, or compiled."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any

import cffi  # type: ignore[import-untyped, unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Sequence


class Declarations:
    """The declarations of a package, and those that they need."""

    def __init__(
        self,
        package: str,
        include: str,
        pieces: Sequence[tuple[str, int]],
        uses: Sequence[Declarations] = (),
    ) -> None:
        """Declare types.

        Args:
            package: the package's full name.
            include: the header that declares the same.
            pieces: C declarations, each with the alignment in bytes that its structs are packed to; 0 for none.
            uses: the declarations that these need.

        Raises:
            ImportError: some of them are compiled and these are not.
        """
        self.package = package
        self.include = include
        self.pieces = tuple(pieces)
        self.uses = tuple(uses)
        parts = (
            *(each.digest for each in uses),
            *(f"{pack}\n{text}" for text, pack in pieces),
        )
        self.digest: str = sha256("\n".join(parts).encode()).hexdigest()
        compiled = self._compiled()
        self.is_compiled = compiled is not None
        """True if the C compiler has checked the types (API mode)."""
        self.ffi: Any = self._declared() if compiled is None else compiled
        """Of cffi."""

    @property
    def compiled_name(self) -> str:
        """The name of the compiled module; another for other declarations, so that an old one is never used."""
        return f"{self.package}._compiled_{self.digest[:12]}"

    @cached_property
    def builder(self) -> Any:
        """A builder of cffi's with these types and those that they need."""
        builder: Any = cffi.FFI()
        for each in self.uses:
            builder.include(each.builder)
        self._declare(builder)
        return builder

    def _compiled(self) -> Any:
        try:
            return import_module(self.compiled_name).ffi
        except ModuleNotFoundError as error:
            if error.name != self.compiled_name:
                raise
            return None

    def _declared(self) -> Any:
        ffi: Any = cffi.FFI()
        for each in self.uses:
            if each.is_compiled:
                message = f"{each.package} is compiled and {self.package}, which uses it, is not: compile all or none"
                raise ImportError(message, name=self.package)
            ffi.include(each.ffi)
        self._declare(ffi)
        return ffi

    def _declare(self, ffi: Any) -> None:
        for text, pack in self.pieces:
            if pack:
                ffi.cdef(text, pack=pack)
            else:
                ffi.cdef(text)
