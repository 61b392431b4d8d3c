"""Calls into a plugin: noted while they last, and with errors that name the callback."""

from __future__ import annotations

from types import TracebackType

from abigen.host.backend import PluginError
from abigen.host.diary import Calling

from ..tensorflow_plugin_api._runtime import FieldNotAvailable, FieldNotSet, StatusError


class Call(Calling):
    """While it is entered, a callback of a plugin is being called."""

    def __init__(self, plugin: str, what: str) -> None:
        """Name what is about to be called.

        Args:
            plugin: its file.
            what: the callback.
        """
        super().__init__(what)
        self._plugin = plugin

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, StatusError):
            raise PluginError.at(None, f"{self._plugin}: {self.what} failed: {error}") from error
        if isinstance(error, FieldNotAvailable | FieldNotSet):
            raise PluginError.at(None, f"{self._plugin}: {error}") from error
