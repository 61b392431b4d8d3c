"""The Pythons of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

SUPPORTED = ("3.11", "3.12", "3.13", "3.14")


def find_python(version: str) -> Path | None:
    """Return a Python of a version that runs: from the path, else the newest that pyenv keeps.

    Args:
        version: major and minor, `3.12`.
    """
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    names = sorted(kept.glob(f"{version}.*"), key=lambda path: [int(part) for part in path.name.split(".")[2:] or [0]])
    on_path = shutil.which(f"python{version}")
    candidates = [*([Path(on_path)] if on_path else []), *(path / "bin" / "python" for path in reversed(names))]
    return next((path for path in candidates if _runs(path, version)), None)


def _runs(python: Path, version: str) -> bool:
    """True if it starts, can make virtual environments, and is of the version: pyenv's shims may do none of these."""
    script = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        run = subprocess.run([python, "-c", script], capture_output=True, text=True)
    except OSError:
        return False
    return run.returncode == 0 and run.stdout.strip() == version
