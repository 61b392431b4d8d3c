"""What the structs of a header that carry their size have in common: how they begin, and what states their sizes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from abigen.model.api import Api
from abigen.model.entities import Field, Struct
from abigen.model.spelling import spell

_OFFSET_OF_END = re.compile(r"^\(?\s*offsetof\s*\(.*\)\s*\+\s*sizeof\b")


class SizedStructs:
    """The structs of one API that carry their size."""

    def __init__(self, api: Api) -> None:
        """Look at one API."""
        self._api = api
        self.leading = self._common_members()
        """The members that they begin with."""

    def _common_members(self) -> list[Field]:
        """The members that versioned structs begin with: the size, and what stands behind it in most of them."""
        structs = [each for each in self._api.structs.values() if each.in_api and each.is_versioned and each.fields]
        firsts = Counter(self._declaration(each.fields[0]) for each in structs if each.fields)
        if not firsts:
            return []
        size = firsts.most_common(1)[0][0]
        begun = [each for each in structs if each.fields and self._declaration(each.fields[0]) == size]
        first = next(each.fields[0] for each in begun if each.fields)
        seconds = Counter(self._declaration(each.fields[1]) for each in begun if each.fields and len(each.fields) > 1)
        text, number = seconds.most_common(1)[0] if seconds else ("", 0)
        if number < 2 or number * 2 < len(begun):
            return [first]
        others = (each.fields[1] for each in begun if each.fields and len(each.fields) > 1)
        return [first, next(each for each in others if self._declaration(each) == text)]

    def _declaration(self, member: Field) -> str:
        return spell(member.type, member.name, self._api)

    def leading_of(self, struct: Struct) -> list[Field]:
        """How many of the common members a struct begins with."""
        found: list[Field] = []
        for common, member in zip(self.leading, struct.fields or (), strict=False):
            if not struct.is_versioned or self._declaration(common) != self._declaration(member):
                break
            found.append(common)
        return found

    def sizes(self) -> Mapping[str, str]:
        """Struct to the name of the macro, or enumerator, that a spec makes for its size."""
        sizes: dict[str, str] = {}
        for each in self._api.size_constants.values():
            if not each.in_api:
                continue
            struct = self._api.structs.get(each.struct)
            last = struct.fields[-1].name if struct is not None and struct.fields else ""
            if struct is not None and self.leading_of(struct) and last == each.last_member:
                sizes.setdefault(struct.name, each.name)
        return sizes

    def offset_of_end(self) -> str:
        """The macro that size constants are made with, when the header, or one that it uses, has one."""
        names = (each.name for each in self._api.macros.values() if _OFFSET_OF_END.search(each.body))
        return next(names, "")
