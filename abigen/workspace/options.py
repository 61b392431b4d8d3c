"""Options of readers."""

from __future__ import annotations

import msgspec

from abigen.model.span import Compared
from abigen.workspace.files import Files, is_below

USUAL_STANDARD = "gnu17"
"""The C standard of headers for which nobody has named one."""


class Side(msgspec.Struct, frozen=True):
    """A side of a comparison."""

    name: str
    """`old` or `new`."""
    include_dirs: tuple[str, ...] = ()
    """Directories that are named for this side only; they are among those of `ReadOptions` as well."""
    foreign: str = ""
    """The folder of the other side's tree, of which nothing may be read; empty where there are not two trees."""
    in_git: bool = False
    """True if OLD or NEW is read at a git revision. Each side then finds its includes anywhere in its own tree."""


class ReadOptions(Compared, frozen=True, kw_only=True):
    """The options for reading an operand; for specs only `targets` and `include_dirs` matter."""

    NOT_COMPARED = frozenset(("files",))

    targets: tuple[str, ...]
    """Names of targets (`x86_64-linux-gnu`, ...), the preferred one first; never empty."""
    include_dirs: tuple[str, ...] = ()
    """`-I`, in order."""
    defines: tuple[str, ...] = ()
    """`-D`: `NAME` or `NAME=VALUE`."""
    undefines: tuple[str, ...] = ()
    """`-U`."""
    preincludes: tuple[str, ...] = ()
    """`--preinclude`: files that are included before each header, which then knows their types."""
    version: tuple[str, ...] = ()
    """The macros that state the version, by their order MAJOR, MINOR, PATCH; empty to find them by their names."""
    version_split: str = ""
    """The formula of a version of one number, as `major << 16 | minor << 8 | patch`; empty if headers state it."""
    std: str = USUAL_STANDARD
    """The C standard, as compilers name it."""
    own: tuple[str, ...] = ()
    """`--own`: globs for included files whose declarations are the API's own; empty for what is usual."""
    exclude: tuple[str, ...] = ()
    """`--exclude`: globs for files that a directory does not mean."""
    cc: str | None = None
    """The compiler to preprocess with: None finds one, `none` uses the pure-Python preprocessor."""
    side: Side | None = None
    """The side; None where nothing is compared."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(directory on disk, what stands for it in messages): files of a git revision lie in a temporary directory."""
    checkouts: tuple[tuple[str, str], ...] = ()
    """(folder that stands for the tree of a git revision, top of the working tree that it is from, empty for none)."""
    cache: bool = True
    """True if what was read may be kept between runs, and taken from there."""
    files: Files = msgspec.field(default_factory=Files)
    """The way to all files; what readers look at goes through it."""

    def display_name(self, path: str) -> str:
        """Return the name that spans and messages use for a file on disk that is not a `SourceFile` of its own.

        Args:
            path: the file, as the reader met it (an included header, a used spec).

        Returns:
            `path`, or `HEAD~1:dir/file.h` when it lies below a directory that `aliases` names.
        """
        for directory, alias in self.aliases:
            if path.startswith(directory):
                return alias + path[len(directory) :].lstrip("/\\")
        return path

    def place_on_disk(self, path: str) -> str:
        """Return the place in the working tree of a path in the tree of a git revision; any other path as it is.

        It is empty in a bare repository. Only such a path may be used in a hint.
        """
        for folder, top in self.checkouts:
            if is_below(path, folder):
                return f"{top}{path[len(folder) :]}" if top else ""
        return path


class SourceFile(msgspec.Struct, frozen=True):
    """A file to read: the name that users know it by, where it stands on disk, and its text.

    `name` is what spans and messages say (`HEAD~1:api.h`, `-`); `path` is what relative includes start from.
    """

    name: str
    path: str
    text: str
    is_part: bool = False
    """True if it is read only where another one includes it."""
