"""Write docs/violations.md: what headers of well-known plugin APIs promised, and what their releases did.

    python -m tests.violations                 write docs/violations.md anew
    python -m tests.violations xla-ffi         print the part on one API
    python -m tests.violations pjrt --page pjrt.html    write a page that draws how its structs changed
    python -m tests.violations --list          list the APIs

The headers come out of the wheels on the Python package index, of which only the headers are fetched; `abigen history`
judges them. It takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import msgspec

PAGE = Path("docs/violations.md")
INDEX = "https://pypi.org/simple/{}/"
_RELEASE = re.compile(r"\d+(?:\.\d+)*(?:\.(?:post|dev)\d+)?")


class Promised(msgspec.Struct, frozen=True):
    """An API, what its header promises, and where its releases are."""

    name: str
    title: str
    promise: str
    packages: tuple[str, ...]
    root: str
    """Folder of includes inside the wheel."""
    header: str
    """Below the root."""
    needed: str
    """Pattern of the headers that they include."""
    after: str = ""
    """The text after the rule, where the reader has to know more."""


APIS = (
    Promised(
        "stream-executor",
        "TensorFlow: StreamExecutor C API",
        "Its design (RFC 'StreamExecutor C API Versioning Strategy') states that members are only appended, that one "
        "that is no longer wanted is set to zero instead of removed, and that a change that breaks moves `SE_MAJOR`.",
        ("tensorflow-cpu",),
        "tensorflow/include/",
        "tensorflow/c/experimental/stream_executor/stream_executor.h",
        r"tensorflow/c/[a-z_]*\.h|tensorflow/tsl/c/.*\.h|(xla/)?tsl/c/.*\.h",
        "Its header still says 0.0.1.",
    ),
    Promised(
        "xla-ffi",
        "XLA: FFI",
        "The header carries `XLA_FFI_API_MAJOR` and `XLA_FFI_API_MINOR`, a `struct_size` in every struct, and a size "
        "constant for each, so that a handler that was built against one release runs in another.",
        ("jaxlib",),
        "jaxlib/include/",
        "xla/ffi/api/c_api.h",
        r"xla/ffi/api/.*\.h",
    ),
    Promised(
        "pjrt",
        "XLA: PJRT",
        "The header states that an incompatible change moves `PJRT_API_MAJOR` and an addition `PJRT_API_MINOR`; the "
        "plugin and the framework compare them when they meet.",
        ("tensorflow-cpu", "tf-nightly"),
        "tensorflow/include/",
        "xla/pjrt/c/pjrt_c_api.h",
        r"xla/pjrt/c/.*\.h",
        "`python -m tests.violations pjrt --page FILE` draws what became of each struct. JAX 0.10.2 and "
        "0.8.3 were tried as hosts (`abigen verify --host`): they take plugins with members that they do not know, and "
        "check that an optional function is there before they call it. The header does not say which functions are "
        "optional; a plugin that describes its topology needs `PJRT_TopologyDescription_PlatformName`, "
        "`PJRT_TopologyDescription_PlatformVersion` and `PJRT_TopologyDescription_Attributes`: JAX calls them without "
        "a check.",
    ),
    Promised(
        "dlpack",
        "DLPack",
        "Tensors go from one framework to another by these structs, which carry no size. Since 1.0 the header says "
        "that MAJOR moves when their layout changes.",
        ("torch",),
        "torch/include/",
        "ATen/dlpack.h",
        r"ATen/dlpack\.h",
        "PyTorch ships a copy with each release, which it has changed at times; before 1.0 the header had one number, "
        "`DLPACK_VERSION`.",
    ),
)


def _wheels(packages: Sequence[str]) -> dict[str, str]:
    """Address of a wheel for Linux of each release and of each night's build, the oldest first."""
    from packaging.version import Version

    found: dict[str, str] = {}
    for package in packages:
        accepted = {"Accept": "application/vnd.pypi.simple.v1+json"}
        with urllib.request.urlopen(urllib.request.Request(INDEX.format(package), headers=accepted), timeout=60) as got:
            files = json.load(got)["files"]
        for each in files:
            version, _, tags = each["filename"].removesuffix(".whl").split("-", 1)[1].partition("-")
            is_fit = tags.endswith("x86_64") and "linux" in tags and not each.get("yanked")
            if is_fit and each["filename"].endswith(".whl") and _RELEASE.fullmatch(version):
                found.setdefault(version, each["url"])
    return dict(sorted(found.items(), key=lambda item: Version(item[0])))


def _fetch(api: Promised, folder: Path) -> list[str]:
    """Fetch the headers of each release to a folder of its own; give the paths of the API's own header.

    A night's build is left out where the header is that of the one before.
    """
    from remotezip import RemoteZip

    found, last = [], b""
    for version, address in _wheels(api.packages).items():
        print(f"{api.name}: {version}", file=sys.stderr)
        with RemoteZip(address) as wheel:
            below = {name[len(api.root) :]: name for name in wheel.namelist() if name.startswith(api.root)}
            if api.header not in below:
                continue
            text = wheel.read(below[api.header])
            if "dev" in version and text == last:
                continue
            last = text
            found.append(f"{version}/{api.header}")
            for path, name in below.items():
                if re.fullmatch(api.needed, path) or path == api.header:
                    target = folder / version / path
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(wheel.read(name))
    return found


def history(api: Promised, form: str) -> str:
    """Return the output of `abigen history` about an API's releases, in one of its formats."""
    with tempfile.TemporaryDirectory(prefix="abigen-violations-") as folder:
        command = ["history", *_fetch(api, Path(folder)), "--no-config", "--cc", "none", "--format", form]
        return subprocess.run(
            [sys.executable, "-m", "abigen", *command], capture_output=True, text=True, check=True, cwd=folder
        ).stdout


def section(api: Promised) -> str:
    """Return the part of the page on one API."""
    rows = [line for line in history(api, "markdown").splitlines()[1:] if "| cannot be read |" not in line]
    head = f"## {api.title}\n\n{api.promise}{' ' + api.after if api.after else ''}\n"
    packages = " and ".join(f"`{each}`" for each in api.packages)
    source = f"Releases of {packages} on the Python package index, `{api.header}`."
    return "\n".join([head, source, *rows, "", f"To check: `python -m tests.violations {api.name}`.", ""])


def main() -> None:
    """Write the page, or print a part of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", nargs="?", choices=[api.name for api in APIS])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write a page that draws how the structs changed")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(f"{api.name}: {api.title}" for api in APIS))
    elif arguments.name:
        api = next(api for api in APIS if api.name == arguments.name)
        if arguments.page:
            arguments.page.write_text(history(api, "html"), encoding="utf-8")
        else:
            print(section(api))
    else:
        PAGE.write_text("\n".join([_INTRODUCTION, *map(section, APIS)]), encoding="utf-8")


_INTRODUCTION = """\
# What headers promised, and what their releases did

Headers of plugin APIs promise with their version numbers that binaries from different days work together. This page
holds the releases of some of them against what they say of themselves. `abigen history` has made every row from the
headers that the releases ship; `python -m tests.violations` fetches them and writes the page anew.

A row that is marked **broken** is a release that changed more than its version number says, or one that left a size
constant behind. "Enough for this version" speaks of versions below 1.0, in which MINOR takes the place of MAJOR.
Releases that a C compiler rejects are left out of the tables, and counted.
"""


if __name__ == "__main__":
    main()
