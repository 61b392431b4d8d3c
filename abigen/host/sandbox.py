"""A plugin's process in a sandbox of bubblewrap: no network, no home, and a system that can only be read.

bubblewrap makes the sandbox around a process that does nothing. The supervisor of the plugin's process enters it before
it starts that one; so only what the plugin does happens inside, and its process needs nothing but what is loaded.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from abigen.model.span import AbigenError

_HIDDEN = ("/home", "/root", "/tmp", "/var/tmp", "/run", "/mnt", "/media", "/srv")
"""Where people's own files and the sockets of services are; the home folder besides."""
_ROOM = 1 << 26
"""Bytes that can be written to /tmp, which is memory."""
_NAMESPACES = 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x00020000
"""Control groups, host name, IPC, users, processes, network and mounts, by their numbers in setns(2)."""
_SET_DUMPABLE, _DROP_CAPABILITY, _NO_NEW_PRIVILEGES, _ALL_CAPABILITIES = 4, 24, 38, range(64)
"""Numbers of prctl(2), and of capabilities."""
_CAPABILITY_VERSION = 0x20080522


def prctl(option: int, value: int) -> None:
    """prctl(2), where there is such a thing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))


class _Holder(msgspec.Struct, frozen=True):
    """The process that bubblewrap has made a sandbox around."""

    bubblewrap: subprocess.Popen[bytes]
    inside: int
    """The number of a process in the sandbox."""


class Sandbox(msgspec.Struct, frozen=True):
    """What a plugin's process can see of the machine."""

    readable: tuple[Path, ...]
    """Files and folders that can be read although they are in a hidden place."""

    @classmethod
    def around(cls, plugins: Collection[Path], others: Iterable[Path]) -> Sandbox:
        """A sandbox in which Python and some plugins can be run; it is tried out.

        Args:
            plugins: libraries; what lies beside them can be read, too, unless that is a whole folder of what is hidden.
            others: files and folders that are read.

        Raises:
            AbigenError: there is no bubblewrap, or it may not make a sandbox; with what to do.
        """
        python = [sys.prefix, sys.base_prefix, *(each for each in sys.path if each and Path(each) != Path.cwd())]
        beside = [*map(Path, python), *(each.resolve().parent for each in plugins)]
        hidden = _hidden_folders()
        given = [Path(__file__).parents[1], *plugins, *others]
        given += [each for each in beside if not any(Path(folder).is_relative_to(each) for folder in hidden)]
        visible = {each for path in given if path.exists() for each in (path.absolute(), path.resolve())}
        found = cls(tuple(sorted(visible, key=lambda each: len(each.parts))))
        found._hold().bubblewrap.communicate()
        return found

    def enter(self) -> object:
        """Go into a sandbox; of processes, only those that this one starts from now on are in.

        Returns:
            What keeps the sandbox: it ends when nothing refers to this any more, or this process ends.

        Raises:
            AbigenError: the sandbox cannot be made.
        """
        holder, place = self._hold(), Path.cwd()
        library = ctypes.CDLL(None, use_errno=True)
        try:
            if library.setns(os.pidfd_open(holder.inside), _NAMESPACES) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            os.chdir(place)
        except OSError as error:
            message = f"the sandbox cannot be entered: {error.strerror}"
            raise AbigenError.at(None, message, "it takes Linux 5.8 or later") from None
        return holder

    @staticmethod
    def give_up_rights() -> None:
        """Keep none of the rights that a process has which enters a sandbox, and get none by what it runs."""
        for each in _ALL_CAPABILITIES:
            prctl(_DROP_CAPABILITY, each)
        prctl(_NO_NEW_PRIVILEGES, 1)
        prctl(_SET_DUMPABLE, 1)
        header, nothing = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
        if ctypes.CDLL(None).capset(header, nothing) != 0:
            raise PermissionError("the rights of the sandbox cannot be given up")

    def _hold(self) -> _Holder:
        """Make the sandbox, around a process that waits until nobody writes to it any more."""
        hidden, place = _hidden_folders(), str(Path.cwd())
        arguments = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--ro-bind", "/", "/"]
        arguments += ["--dev", "/dev", "--proc", "/proc"]
        for folder in hidden:
            arguments += ["--size", str(_ROOM), "--tmpfs", folder]
        below = tuple(f"{each}/" for each in hidden)
        for path in map(str, self.readable):
            arguments += ["--ro-bind", path, path] if path.startswith(below) else []
        arguments += ["--dir", place] if f"{place}/".startswith(below) else []
        for folder in set(hidden) - {"/tmp"}:
            arguments += ["--remount-ro", folder]
        told, tells = os.pipe()
        try:
            bubblewrap = subprocess.Popen(
                ["bwrap", "--info-fd", str(tells), *arguments, "sh", "-c", "echo ready; exec cat"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[tells],
            )  # fmt: skip
        except OSError:
            hint = "install it: the package is called bubblewrap"
            raise AbigenError.at(None, "--sandbox needs bubblewrap, and there is no `bwrap`", hint) from None
        assert bubblewrap.stdout is not None
        if not bubblewrap.stdout.readline():
            said = bubblewrap.communicate()[1].decode("utf-8", "replace").strip()
            message = f"bubblewrap cannot make a sandbox: {said.removeprefix('bwrap: ')}"
            raise AbigenError.at(None, message, "most often users may not make namespaces; see user_namespaces(7)")
        found = int(json.loads(os.read(told, 1 << 16))["child-pid"])
        os.close(told)
        os.close(tells)
        return _Holder(bubblewrap, found)


def _hidden_folders() -> list[str]:
    """The folders that are empty in a sandbox, but for what can be read nevertheless."""
    folders = (*map(Path, _HIDDEN), Path.home().resolve())
    return [str(each) for each in dict.fromkeys(folders) if each.is_dir() and each != Path("/")]
