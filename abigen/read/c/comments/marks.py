"""The marks of the contract in documentation: from the agreed wordings to a `Contract`."""

from __future__ import annotations

import re
from functools import lru_cache

from abigen.model.dataclass import replace
from abigen.model.entities import NO_CONTRACT, Contract, Deprecation, Version

_ANY_MARK = re.compile(
    r"no[- ]?op|optional|by\s+default|deprecat|replaces|consumers|\bby\s+(?:the\s+)?(?:plug-?ins?|core)\b"
    r"|\bsince\s+v?\d|is\s+meaningful|\breserved\.",
    re.IGNORECASE,
)
"""Part of every mark: what has none of it need not be looked at any closer."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_NAME = r"`?(?P<name>[A-Za-z_]\w*(?:(?:\.|->|::)\w+)*)(?:\(\))?`?"
_NO_OP = re.compile(
    r"(?<![\w.+-])(?:0(?:\.0+)?|zero|null|nullptr|false)\b`?(?:\s+value)?\s+(?:is|means)\s+(?:a\s+)?no[- ]?op\b",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(
    r"[\[(]optional[\])]|[@\\]optional\b|(?:^|[.;:!*(\[]\s*|\n|(?:^|\s)-\s+)optional(?=[.,;:!]|$|\n)", re.IGNORECASE
)
_DEFAULT = re.compile(r"\b(?:0|zero|null|nullptr|false)\b`?\s+(?:by\s+default|is\s+meaningful)\b", re.IGNORECASE)
_VERSION = r"v?(?P<major>\d+)\.(?P<minor>\d+)(?:\.(?P<patch>\d+))?"
_SINCE = re.compile(rf"(?:^|[.;:(\[]\s*|\n)\s*[@\\]?since\s+(?:version\s+)?{_VERSION}", re.IGNORECASE)
_DEPRECATED_SINCE = re.compile(rf"\bdeprecated\s+since\s+(?:version\s+)?{_VERSION}", re.IGNORECASE)
_RESERVED = re.compile(r"(?:^|[.;:]\s*|\n)reserved\.", re.IGNORECASE)
_DEPRECATED = re.compile(
    r"(?:^|[.;:!(\[@\\*\n]\s*)\[?deprecated\b(?=[.,;:!)\]]|\s|$)|\bdeprecating soon\b|\bwill be deprecated\b"
    r"|\bto be deprecated\b"
    r"|(?<!that )(?<!which )(?<!who )(?<!argument )(?<!arguments )(?<!parameter )(?<!parameters )"
    r"\b(?:is|are|was|now|has been|have been) (?:now )?deprecated\b",
    re.IGNORECASE,
)
_NOT_DEPRECATED = re.compile(r"\b(?:not|no longer|un|never)\s*-?deprecated", re.IGNORECASE)
_USE = re.compile(rf"\b(?:[Uu]se|[Rr]eplaced by|[Ss]uperseded by|in favou?r of)\s+(?:the\s+)?{_NAME}")
_REPLACES = re.compile(rf"\breplaces\s+(?:the\s+)?{_NAME}", re.IGNORECASE)
_UNDERSTOOD = re.compile(r"\bconsumers\s+must\s+(?:read|understand)\s+this\b", re.IGNORECASE)
_SET_BY = re.compile(
    r"(?<!struct_size )(?<!struct_size` )\b(?:to be\s+)?"
    r"(?:set|filled|filled in|filled out|populated|initiali[sz]ed|written)\s+by\s+(?:the\s+)?"
    r"(?P<who>plug-?ins?|core)\b(?!\s+(?:and|or)\s+(?:by\s+)?(?:the\s+)?(?:plug-?ins?|core)\b)",
    re.IGNORECASE,
)
_RESERVED_NAME = re.compile(r"_*reserved(?:_?\w*)?$", re.IGNORECASE)
_STOP_WORDS = frozenset(
    "the a an this that it of by for to in on with only at as and or when if whatever your its".split()  # noqa: SIM905
)
_PLAIN_WORD = re.compile(r"[a-z]+")
_BEHIND_NAME = re.compile(
    r"\s*(?:$|[.,;:!)\]/*]|(?:instead|rather|for|from|in|on|at|with|when|whenever|where|while|if|unless|since|as|to|and|or"
    r"|which|that)\b)"
)
_END_OF_CLAUSE = re.compile(r"\s*(?:$|[.,;)\]])")
_PLUGIN = re.compile(r"plug", re.IGNORECASE)


def read_contract(doc: str, name: str = "") -> Contract:
    """Read the marks in an entity's documentation.

    Args:
        doc: the documentation as plain text.
        name: the entity's name; `reserved` and the like mark it too.

    Returns:
        What the two sides have agreed on; `NO_CONTRACT` when nothing is said.

    Source: the wordings of C_API_versioning_strategy ("Conventions", "Deprecating Functionality") and of
    stream_executor_c_api, which headers of this kind have taken over.
    """
    contract = _read_marks(doc) if doc else NO_CONTRACT
    if name and _RESERVED_NAME.match(name) is not None:
        return replace(contract, reserved=True)
    return contract


@lru_cache(maxsize=4096)
def _read_marks(doc: str) -> Contract:
    """The marks in a documentation; the same sentences occur again and again."""
    if not _ANY_MARK.search(doc):
        return NO_CONTRACT
    # Where lines are wrapped means nothing: from here on a new line is a new paragraph.
    doc = "\n".join(" ".join(each.split()) for each in _PARAGRAPH.split(doc))
    zero = ""
    if _NO_OP.search(doc):
        zero = "no-op"
    elif _DEFAULT.search(doc):
        zero = "meaningful"
    deprecated: Deprecation | None = None
    if _DEPRECATED.search(doc) and not _NOT_DEPRECATED.search(doc):
        deprecated = Deprecation(since=_version(_DEPRECATED_SINCE, doc), use=_named(_USE, doc))
    setter = _SET_BY.search(doc)
    contract = Contract(
        zero=zero,
        optional=_OPTIONAL.search(doc) is not None,
        deprecated=deprecated,
        replaces=_named(_REPLACES, doc),
        must_be_understood=_UNDERSTOOD.search(doc) is not None,
        set_by="" if setter is None else "plugin" if _PLUGIN.match(setter["who"]) else "core",
        since=_version(_SINCE, doc),
        reserved=_RESERVED.search(doc) is not None,
    )
    return NO_CONTRACT if contract == NO_CONTRACT else contract


def _version(pattern: re.Pattern[str], doc: str) -> Version | None:
    """The release that a wording names; None when it does not occur."""
    match = pattern.search(doc)
    return None if match is None else Version(int(match["major"]), int(match["minor"]), int(match["patch"] or 0))


def _named(pattern: re.Pattern[str], doc: str) -> str:
    """The identifier that a wording names; empty when what follows is prose."""
    for match in pattern.finditer(doc):
        name, written = match["name"], match[0].split()[-1]
        is_stop_word = written.lower() in _STOP_WORDS
        if written == "a" and _END_OF_CLAUSE.match(doc, match.end()):
            return name  # No clause ends with an article.
        if not (is_stop_word or _PLAIN_WORD.fullmatch(written)):
            return name
        if not is_stop_word and _BEHIND_NAME.match(doc, match.end()):
            return name
    return ""
