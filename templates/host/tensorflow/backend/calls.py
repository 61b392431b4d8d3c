"""Calls into a plugin: noted while they last, and with errors that name the callback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plugin_api_runtime_v1 import FieldNotAvailable, FieldNotSet, StatusError

from abigen.host.backend import PluginError
from abigen.host.process import calling


@contextmanager
def call(plugin: str, what: str) -> Iterator[None]:
    """While it is entered, a callback of a plugin is being called.

    Args:
        plugin: its file.
        what: the callback.

    Raises:
        PluginError: the callback has failed, or is not there.
    """
    try:
        with calling(what):
            yield
    except StatusError as error:
        raise PluginError.at(None, f"{plugin}: {what} failed: {error}") from error
    except (FieldNotAvailable, FieldNotSet) as error:
        raise PluginError.at(None, f"{plugin}: {error}") from error
