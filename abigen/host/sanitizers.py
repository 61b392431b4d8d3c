"""Plugins that are built with a sanitizer: its runtime has to be in the process before anything else."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which

from abigen.host.libraries import SharedLibrary

_AGAIN = "ABIGEN_SANITIZED"
"""In the environment of a run whose first library is the runtime."""
_RUNTIME = re.compile(r"lib(clang_rt\.)?(asan|tsan)\b.*\.so")
_SIGNALS = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0"
_OPTIONS = {
    "ASAN_OPTIONS": f"detect_leaks=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:{_SIGNALS}",
    "TSAN_OPTIONS": _SIGNALS,
}
"""Crashes are told by the checks, and leaks are looked for by them, which takes that freed memory is used again."""


def environment_for(binary: SharedLibrary | None) -> Mapping[str, str] | None:
    """The environment in which a plugin that is built with a sanitizer can be loaded.

    Args:
        binary: the plugin.

    Returns:
        None where the plugin needs no runtime, where there is none, and where this process has it.
    """
    if binary is None or sys.platform != "linux" or _AGAIN in os.environ:
        return None
    named = next((each for each in binary.libraries if _RUNTIME.match(each)), "")
    kind = next((each for each in ("asan", "tsan") if any(need.startswith(f"__{each}_") for need in binary.needs)), "")
    runtime = named or (_runtime_of_clang(kind) if kind else "")
    if not runtime:
        return None
    options = {name: ":".join(filter(None, (text, os.environ.get(name)))) for name, text in _OPTIONS.items()}
    return {**os.environ, **options, "LD_PRELOAD": runtime, _AGAIN: "1"}


def _runtime_of_clang(kind: str) -> str:
    """The path of the runtime, which clang does not link to libraries; empty where there is no clang."""
    clang = which("clang")
    if clang is None:
        return ""
    name = f"libclang_rt.{kind}-{platform.machine()}.so"
    found = subprocess.run([clang, f"-print-file-name={name}"], capture_output=True, text=True, check=False).stdout
    return found.strip() if Path(found.strip()).is_file() else ""
