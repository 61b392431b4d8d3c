"""The two sides of a comparison: which folder is whose, and where each looks for what it includes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from abigen.files import Files, absolute
from abigen.links import is_below, typed
from abigen.model.span import AbigenError
from abigen.read.operand import EmptyOperand, parse_operand
from abigen.read.options import ReadOptions, Side


def options_of_sides(
    pair: Sequence[str | EmptyOperand], options: ReadOptions, includes: Sequence[Sequence[str]]
) -> list[ReadOptions]:
    """How to read OLD, and how to read NEW: each looks into its own tree first.

    A directory of the include path that is in the other side's tree stands for the one in the same place in one's own,
    as it does at a git revision.

    Args:
        pair: OLD and NEW.
        options: what holds for both.
        includes: `--old-include` and `--new-include`.
    """
    roots = _roots(pair, options.files)
    found = []
    for name, own, other, mine in zip(("old", "new"), roots, roots[::-1], includes, strict=True):
        near = list(mine)
        for directory in options.include_dirs if own and other else ():
            whole = absolute(directory)
            if is_below(whole, other) and not is_below(own, other):
                whole = os.path.normpath(Path(own) / os.path.relpath(whole, other))
                near += [typed(whole)] if options.files.is_dir(whole) else []
            elif is_below(whole, own):
                near.append(directory)
        include_dirs = tuple(dict.fromkeys((*near, *options.include_dirs)))
        side = Side(name, tuple(mine), "" if own and is_below(own, other) else other)
        found.append(replace(options, include_dirs=include_dirs, side=side))
    return found


def _roots(pair: Sequence[str | EmptyOperand], files: Files) -> tuple[str, str]:
    """The folders in which the trees of OLD and NEW part; empty where they are not two trees on disk.

    What they call the same at the end is not told apart: `a/include/x.h` and `b/include/x.h` are in `a` and `b`.
    """
    if files.variable("GIT_DIFF_PATH_TOTAL"):  # git shows a file of a tree as one that stands alone somewhere
        return "", ""
    folders: list[list[str]] = []
    for each in pair:
        try:
            operand = None if isinstance(each, EmptyOperand) else parse_operand(each, files)
        except AbigenError:  # which reading it will tell of
            operand = None
        if operand is None or operand.revision or not (files.is_dir(operand.path) or files.is_file(operand.path)):
            return "", ""
        whole = Path(absolute(operand.path))
        folders.append(list((whole if files.is_dir(whole) else whole.parent).parts))
    old, new = folders
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    return (str(Path(*old)), str(Path(*new))) if len(old) > 1 and len(new) > 1 else ("", "")
