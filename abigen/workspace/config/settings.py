"""Finds and reads the configuration file. The records state every key of `abigen.toml`.

`python -m tests.manual` makes `schema.json` and the table in the manual of the records and the texts below their keys.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from errno import EISDIR
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeAlias, cast

import msgspec
from msgspec import UNSET, Meta, Struct

from abigen.model.finding import Override
from abigen.model.span import AbigenError, OrAbsent, Span, matching, one_of
from abigen.workspace.files import Files, refuse_leading_out

Names: TypeAlias = tuple[str, ...]
BumpName: TypeAlias = Annotated[str, one_of("none", "patch", "minor", "major")]
LevelName: TypeAlias = Annotated[str, one_of("error", "warning", "note", "off")]

_COMPILER = r"^(none|([A-Za-z0-9_.]+-)*(cc|gcc|clang|icx|tcc|emcc|c[0-9]{2})(-[0-9.]+)?)$"
_NO_COMPILER = "this is not a compiler; name one on PATH, such as gcc-13, or none; set a path or options with --cc"


class BuildTable(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The table `build`."""

    specs: str = ""
    """The folder of specs, relative to this file. Default: spec."""
    out: str = ""
    """The output folder, relative to this file. Default: generated."""
    targets: tuple[
        Annotated[str, matching("^[A-Za-z0-9_-]+$", "name a target; name a folder of one with --target ./DIR")],
        ...,
    ] = ()
    """The targets to build, by name; a folder of a target can only be named on the command line."""
    only: Mapping[str, Names] = {}
    """Groups of specs (folders below that of specs) for which only some targets are built, and these targets."""


class OptionsTable(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Table of options.

    What the policy leaves open.
    """

    major_zero: OrAbsent[Annotated[str, one_of("cargo", "none", "strict")]] = UNSET
    """The bump while MAJOR is 0: cargo (MINOR for a break, PATCH for the rest), none, or strict."""
    source_counts: OrAbsent[bool] = UNSET
    """True if a change that only breaks source code needs MAJOR."""
    patch_counts: OrAbsent[bool] = UNSET
    """True if a PATCH that should have moved and did not fails the diff."""
    macro_body_bump: OrAbsent[BumpName] = UNSET
    """The bump for a changed body of a function-like macro."""
    repurposed_bump: OrAbsent[BumpName] = UNSET
    """The bump for a rewritten comment of an existing member."""
    strict_padding: OrAbsent[bool] = UNSET
    """True if a hole in a versioned struct is an error."""


class ConventionsTable(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Table of conventions.

    What headers cannot say, where they differ from the usual.
    """

    size_field: OrAbsent[str] = UNSET
    """The first member of every versioned struct."""
    extension_field: OrAbsent[str] = UNSET
    """The second member of every versioned struct; empty for none."""
    max_alignment: OrAbsent[Annotated[int, Meta(ge=1)]] = UNSET
    """The largest alignment of a member of a versioned struct, in bytes."""
    sentinels: OrAbsent[Names] = UNSET
    """Patterns for names of enumerators that may grow, as *_COUNT."""
    counts: OrAbsent[
        tuple[
            Annotated[
                str,
                matching(
                    r"^[A-Za-z0-9_]*\*[A-Za-z0-9_]*$",
                    "a count is a name with a *, which is replaced by the pointer's name",
                ),
            ],
            ...,
        ]
    ] = UNSET
    """Patterns for names that count what a pointer points to, as n_*, where * is the pointer's name."""
    size_macro: OrAbsent[
        Annotated[
            str,
            matching(
                r"^([A-Za-z0-9_]*\{(struct|STRUCT|WORDS)\}[A-Za-z0-9_]*)?$",
                "one of {struct}, {STRUCT}, {WORDS} has to be in the pattern, for the struct's name",
            ),
        ]
    ] = UNSET
    """The pattern of size constants: {struct} is XY_DeviceFns, {STRUCT} XY_DEVICEFNS, {WORDS} XY_DEVICE_FNS."""
    filled_by: OrAbsent[Mapping[str, Annotated[str, one_of("core", "plugin")]]] = UNSET
    """Prefix of a struct's name to who fills it: core or plugin."""
    unmarked: OrAbsent[Annotated[str, one_of("required")]] = UNSET
    """The requirement of members that state neither required nor optional; without it they have none."""
    size_member: OrAbsent[Names] = UNSET
    """Further names of a struct's size field: its first member, or a parameter after the pointer to it, as
    op_size. T.size names the member size of the struct T, wherever it is."""
    version_member: OrAbsent[Names] = UNSET
    """Further names of first members that count the versions of their struct, as iVersion; they tell readers which
    members exist."""
    mask_member: OrAbsent[Names] = UNSET
    """Names of members whose bits tell which other members of their struct are set, as field_mask; a reader looks at no
    member whose bit is not set, so that members may be appended."""
    allocated_by: OrAbsent[Mapping[str, Annotated[str, one_of("core", "plugin")]]] = UNSET
    """Name of a struct, or a pattern for names, to the only side that allocates it. The other side receives pointers,
    so that members may be appended."""
    version: OrAbsent[
        Annotated[
            tuple[Annotated[str, matching("^[A-Za-z_][A-Za-z0-9_]*$", "a macro is named by a C identifier")], ...],
            Meta(min_length=1),
        ]
    ] = UNSET
    """The macros that state the version: one, or MAJOR, MINOR and PATCH in this order. A number without parts counts as
    MAJOR then. Names that a header does not define are left out."""
    version_split: OrAbsent[
        Annotated[
            str,
            matching(
                r"^(?:.*\bmajor\b.*\bminor\b.*|0[xX]M+(?:m+|N+)[A-Za-z]*|counter)$",
                "name major and minor with the factor or shift of each, as major << 16 | minor << 8 | patch",
            ),
        ]
    ] = UNSET
    """The formula of a version of one number: `major << 16 | minor << 8 | patch`, `10000*major + 100*minor + patch`,
    `0xMMmmpp`, or `counter`. Without it, the header's own shifts, macros and comments decide."""


class ExceptionTable(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Exception.

    A finding that is accepted, or louder or quieter than usual.
    """

    rule: Annotated[str, matching(r"\S", "name a rule, or a pattern for rules")]
    """Name or code of a rule; * and ? are wildcards."""
    entity: str = "*"
    """The entity of the finding, as Toy.depth; * and ? are wildcards. Default: anything."""
    level: LevelName = "off"
    """The severity; off accepts the finding. Default: off."""
    reason: Annotated[str, matching(r"\S", "state the reason")]
    """The reason, for the person who has to decide about it next."""
    expires: Annotated[
        str, Meta(extra_json_schema={"format": "date", "patternErrorMessage": "a date is written as 2027-01-31"})
    ] = ""
    """The last day on which it holds."""
    against: str = ""
    """The baseline that it is about, as the command line names it: a git revision, a file, or a release of a spec.
    Default: any."""


class ConfigurationFile(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Configuration.

    What a project has decided about abigen: abigen.toml, or [tool.abigen] in pyproject.toml.
    """

    policy: Annotated[str, one_of("default", "binary-only", "strict")] = ""
    """The policy to judge by."""
    baseline: Annotated[
        str, matching(r"^[^-\s:][^\s:]*$", "name a git revision, such as v1.2.0, origin/main or main...")
    ] = ""
    """The git revision that `abigen diff PATH` and editors compare with. Default: the last release by git's tags."""
    targets: Names = ()
    """The targets to judge for, as --abi."""
    includes: Names = ()
    """Directories for included files, as -I, relative to this file."""
    defines: tuple[
        Annotated[
            str,
            matching(
                r"^[A-Za-z_][A-Za-z0-9_]*(\([^()\r\n]*\))?(=[^\r\n]*)?$", "a macro is defined as NAME or NAME=VALUE"
            ),
        ],
        ...,
    ] = ()
    """Macros to define, as -D."""
    undefines: tuple[Annotated[str, matching("^[A-Za-z_][A-Za-z0-9_]*$", "name a macro")], ...] = ()
    """Macros to undefine, as -U."""
    preincludes: tuple[Annotated[str, matching(r'^[^"\r\n]+$', "name a file")], ...] = ()
    """Files to include before each header, as --preinclude, relative to this file."""
    own: Names = ()
    """Included files that are judged, too, as --own."""
    exclude: Names = ()
    """Files that directories do not mean, as --exclude."""
    std: str = ""
    """The C standard to read by, as --std."""
    cc: Annotated[str, matching(_COMPILER, _NO_COMPILER)] = ""
    """The compiler to ask, by its name on PATH, or none."""
    build: BuildTable = BuildTable()
    """The settings of abigen build without arguments."""
    options: OptionsTable = OptionsTable()
    rules: Mapping[str, LevelName] = {}
    """Name of a rule to how loud it is."""
    conventions: ConventionsTable = ConventionsTable()
    exceptions: tuple[ExceptionTable, ...] = ()
    """Findings that are accepted, each with a reason."""


SCHEMA_FILE = Path(__file__).with_name("schema.json")
"""The JSON Schema of `abigen.toml`, as it is published."""

OWN_NAME = "abigen.toml"
SHARED_NAME = "pyproject.toml"
MAX_BYTES = 1024 * 1024
"""The largest file that is read, in bytes."""

_ENDLESS_KEY = re.compile(r"""(?:(?:(?<![A-Za-z0-9_-])[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}""")
"""A key of more parts than anybody needs; Python's parser takes time by the square of their number."""


class Source(msgspec.Struct, frozen=True):
    """A configuration file."""

    path: str
    """The path as users would write it; empty when there is none."""
    text: str


class Settings(msgspec.Struct, frozen=True):
    """The content of a configuration file."""

    path: str = ""
    """The path as users would write it; empty when there is no file."""
    said: ConfigurationFile = ConfigurationFile()
    """Rules and targets by their public names."""
    exceptions: tuple[Override, ...] = ()
    """The overrides of the file, with their places."""
    places: Mapping[str, Span] = {}
    """The place of each value, by dotted name (`options.major-zero`); for an entry of a table of strings, by
    `rules.NAME` as well."""
    text: str = ""


@cache
def config_keys() -> dict[str, Any]:
    """Return the keys that `abigen.toml` may have: each key of its published JSON Schema."""
    return cast(dict[str, Any], json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))["properties"])


def find_configuration(directory: str, files: Files) -> Source:
    """Look for the file that configures what is run in a directory.

    In each directory from here to the root of the working copy (where `.git` stands, else the file system's root),
    `abigen.toml` goes before a `pyproject.toml` with a table `tool.abigen`; the first file found is the only one.

    Args:
        directory: where the command runs.
        files: shows what exists.

    Raises:
        AbigenError: a file cannot be read.
    """
    here = Path(directory)
    for folder in (here, *here.parents):
        for path in (str(folder / OWN_NAME), str(folder / SHARED_NAME)):
            if files.is_file(path):
                content = _read(path, files)
                if path.endswith(OWN_NAME) or _has_section(path, content):
                    return Source(_shown(path), _text(path, content))
        if files.is_entry(folder / ".git"):
            break
    return Source("", "")


def read_configuration(path: str, files: Files) -> Source:
    """Read a configuration file that is known by name.

    Args:
        path: the file; what is no regular file (a pipe) is read once.
        files: shows what exists.

    Raises:
        AbigenError: there is no such file, or it cannot be read.
    """
    return Source(path, _text(path, _read(path, files)))


def _has_section(path: str, content: bytes) -> bool:
    """True if a pyproject.toml configures abigen; one that is no TOML is somebody else's affair."""
    if b"abigen" not in content or len(content) > MAX_BYTES:
        return False
    import tomllib

    text = _decode(path, content)
    try:
        tool = None if _ENDLESS_KEY.search(text) else tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):
        return False
    return isinstance(tool, dict) and "abigen" in tool


def _text(path: str, content: bytes) -> str:
    """Return the text of a file that is a configuration as a whole, or that the user has chosen."""
    if len(content) > MAX_BYTES:
        raise AbigenError.at(None, f"{_shown(path)} is larger than a configuration can be: {MAX_BYTES} bytes")
    text = _decode(path, content)
    if _ENDLESS_KEY.search(text):
        raise AbigenError.at(None, f"{_shown(path)} has a key of more than 32 parts")
    return text


def _read(path: str, files: Files) -> bytes:
    """Return the file, cut off behind the limit."""
    try:
        if files.is_file(path) or not files.exists(path):
            refuse_leading_out(path, files)
            return files.read(path)
        if not files.is_dir(path):
            from abigen.workspace.operand import read_once

            return read_once(path, files)
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    except FileNotFoundError:
        raise AbigenError.at(None, f"there is no file {_shown(path)}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file has such a name"
        raise AbigenError.at(None, f"{_shown(path)} cannot be read: {reason}") from None


def _decode(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AbigenError.at(None, f"{_shown(path)} is not UTF-8", "TOML files are") from None


def _shown(path: str) -> str:
    """Return the path from here, so that it is the same on every machine."""
    try:
        return os.path.relpath(path)
    except (OSError, ValueError):  # another drive, or there is no here any more
        return path
