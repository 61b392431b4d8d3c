"""The files that a header includes and that belong to its API."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from abigen.files import Files, absolute
from abigen.links import is_below
from abigen.model.api import ApiSet

_WORD = re.compile(r"[A-Za-z_]\w*")


def following(read: ApiSet) -> Iterator[str]:
    """The files that a header includes behind its first declaration: they need what it declares, and are part of it.

    What it includes below a condition, or from the system, is none of them.
    """
    from abigen.emit.imported.keys import way_to
    from abigen.read.c.preprocessor.lexemes import outline_of

    api = read.groups[0].api
    written = {one for text in read.sources.values() for one in outline_of(text).includes}
    groups = (api.typedefs, api.structs, api.enums, api.functions)
    places = [way_to(each.span, api) for group in groups for each in group.values() if each.in_api and each.span]
    for each in api.included:
        if each.place is None or each.is_system or each.place.file not in api.files or each.file in api.files:
            continue
        if each.name in written and each.name[0] == '"' and places and min(places) < way_to(each.place, api):
            yield each.file


def companions(read: ApiSet, include_dirs: Sequence[str], files: Files) -> list[str]:
    """The files of one's own that a header includes in quotes, or takes types or macros from: below its folder or -I.

    What the system has is none of them, also where -I names a folder of the system's, as for compilers.
    """
    api = read.groups[0].api
    own = {*api.files, *(each.file for each in api.included if each.is_system)}
    words = set(_WORD.findall("\n".join(read.sources.values())))
    folders = [*include_dirs, *(str(Path(each).parent) for each in api.files if files.is_file(each))]
    roots = [*map(files.real, folders), *map(absolute, folders)]  # what is included may lie behind a link
    groups = (api.typedefs, api.structs, api.enums, api.macros, api.constants)
    named = [each.span.file for group in groups for each in group.values() if each.span and each.name in words]
    found = []
    quoted = [each for each in api.included if each.name[:1] == '"' and not {*each.by}.isdisjoint(api.files)]
    beside = {each.file for each in quoted if ".." in each.name.strip('"').split("/")}
    for file in dict.fromkeys((*named, *(each.file for each in quoted))):
        is_reached = any(is_below(place, root) for root in roots for place in (files.real(file), absolute(file)))
        if file not in own and files.is_file(file) and (is_reached or file in beside):
            found.append(file)
    return found
