"""The marks of the contract in documentation: from the agreed wordings to a `Contract`."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec.structs import replace

from abigen.model.contract import NO_CONTRACT, Condition, Contract, Lifecycle, Party, Requirement, Zero
from abigen.model.version import Version

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_NAME = r"`?(?P<name>[A-Za-z_]\w*(?:(?:\.|->|::)\w+)*)(?:\(\))?`?"
_NOT_VALID = r"(?<![\w.+-])(?:0(?:\.0+)?|zero|null|nullptr)\b`?\s+is\s+not\s+valid\b"
_NO_OP = r"(?<![\w.+-])(?:0(?:\.0+)?|zero|null|nullptr|false)\b`?(?:\s+value)?\s+(?:is|means)\s+(?:a\s+)?no[- ]?op\b"
_START = r"(?:^|[.;:!*(\[]\s*|\n|(?:^|\s)-\s+)"
"""The start of a sentence or clause: `not required when` states no condition."""
_OPTIONAL = rf"[\[(]optional[\])]|[@\\]optional\b|{_START}optional(?=[.,;:!]|$|\n)"
_REQUIRED = _OPTIONAL.replace("optional", "required")
_CONDITION = (
    rf"{_START}required\s+(?:when\s+`?(?P<when>\w+(?:\.\w+)?)`?\s+is\s+set)?(?:\s+and\s+|\b)"
    r"(?:unless\s+`?(?P<unless>\w+(?:\.\w+)?)`?\s+is\s+set)?(?=\s*[.,;:!)\]]|\s*$|\n)"
)
_DEFAULT = r"\b(?:0|zero|null|nullptr|false)\b`?\s+(?:by\s+default|is\s+meaningful)\b"
_VERSION = r"v?(?P<major>\d+)\.(?P<minor>\d+)(?:\.(?P<patch>\d+))?"
_SINCE = rf"(?:^|[.;:(\[]\s*|\n)\s*[@\\]?since\s+(?:version\s+)?{_VERSION}"
_DEPRECATED_SINCE = rf"\bdeprecated\s+since\s+(?:version\s+)?{_VERSION}"
_RESERVED = r"(?:^|[.;:]\s*|\n)reserved\."
_DEPRECATED = (
    r"(?:^|[.;:!(\[@\\*\n]\s*)\[?deprecated\b(?=[.,;:!)\]]|\s|$)|\bdeprecating soon\b|\bwill be deprecated\b"
    r"|\bto be deprecated\b"
    r"|(?<!that )(?<!which )(?<!who )(?<!argument )(?<!arguments )(?<!parameter )(?<!parameters )"
    r"\b(?:is|are|was|now|has been|have been) (?:now )?deprecated\b"
)
_NOT_DEPRECATED = (
    r"\b(?:not|no longer|un|never)\s*-?deprecated"
    r"|\b(?:for|in|since|from) which (?:the |an? )?\w+ (?:is|are|was) deprecated"
)
_USE = rf"\b(?:[Uu]se|[Rr]eplaced by|[Ss]uperseded by|in favou?r of)\s+(?:the\s+)?{_NAME}"
_REPLACES = rf"(?i:\breplaces\s+(?:the\s+)?{_NAME})"
_UNDERSTOOD = r"\bconsumers\s+must\s+(?:read|understand)\s+this\b"
_SET_BY = (
    r"(?<!struct_size )(?<!struct_size` )\b(?:to be\s+)?"
    r"(?:set|filled|filled in|filled out|populated|initiali[sz]ed|written)\s+by\s+(?:the\s+)?"
    r"(?P<who>plug-?ins?|core|both sides)\b(?!\s+(?:and|or)\s+(?:by\s+)?(?:the\s+)?(?:plug-?ins?|core)\b)"
)
_PARTIES = {"c": Party.CORE, "p": Party.PLUGIN, "b": Party.BOTH}
"""The sides that a comment names, by the first letter: `core`, `plugin`, `plug-in`, `both sides`."""
_RESERVED_NAME = re.compile(r"_*reserved(?:_?\w*)?$", re.IGNORECASE)
_STOP_WORDS = frozenset(
    "the a an this that it of by for to in on with only at as and or when if whatever your its".split()  # noqa: SIM905
)
_PLAIN_WORD = re.compile(r"[a-z]+")
_BEHIND_NAME = (
    r"\s*(?:$|[.,;:!)\]/*]|(?:instead|rather|for|from|in|on|at|with|when|whenever|where|while|if|unless|since|as|to|and|or"
    r"|which|that)\b)"
)
_END_OF_CLAUSE = r"\s*(?:$|[.,;)\]])"


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
    # Where lines are wrapped means nothing: from here on a new line is a new paragraph.
    doc = "\n".join(" ".join(each.split()) for each in _PARAGRAPH.split(doc))
    lower = doc.lower()

    def find(word: str, pattern: str) -> re.Match[str] | None:
        # Patterns are compiled when they are first needed, which many of them never are.
        return re.search(pattern, doc, re.IGNORECASE) if word in lower else None

    zero = Zero.UNSAID
    if find("op", _NO_OP) or (find("not valid", _NOT_VALID) and find("required", _REQUIRED)):
        zero = Zero.NO_OP
    elif find("default", _DEFAULT) or find("meaningful", _DEFAULT):
        zero = Zero.MEANINGFUL
    requirement = Requirement.UNSAID
    if find("optional", _OPTIONAL):
        requirement = Requirement.OPTIONAL
    elif find("required", _REQUIRED):
        requirement = Requirement.REQUIRED
    condition = NO_CONTRACT.condition
    if (said := find("is set", _CONDITION)) and (said["when"] or said["unless"]) and not requirement:
        requirement = Requirement.CONDITIONAL
        condition = Condition(when=said["when"] or "", unless=said["unless"] or "")
    deprecated = bool(find("deprecat", _DEPRECATED) and not find("deprecated", _NOT_DEPRECATED))
    lifecycle = Lifecycle(
        since=_version(find("since", _SINCE)),
        deprecated=deprecated,
        deprecated_since=_version(find("since", _DEPRECATED_SINCE)) if deprecated else None,
        replaced_by=_named(_USE, doc) if deprecated else "",
        replaces=_named(_REPLACES, doc) if "replaces" in lower else "",
    )
    setter = find("by", _SET_BY)
    contract = Contract(
        zero=zero,
        requirement=requirement,
        condition=condition,
        must_be_understood=find("consumers", _UNDERSTOOD) is not None,
        set_by=_PARTIES[setter["who"][0].lower()] if setter else Party.UNKNOWN,
        reserved=find("reserved", _RESERVED) is not None,
        lifecycle=lifecycle,
    )
    return NO_CONTRACT if contract == NO_CONTRACT else contract


def _version(match: re.Match[str] | None) -> Version | None:
    """The release that a wording names; None when it does not occur."""
    return None if match is None else Version(int(match["major"]), int(match["minor"]), int(match["patch"] or 0))


def _named(pattern: str, doc: str) -> str:
    """The identifier that a wording names; empty when what follows is prose."""
    for match in re.finditer(pattern, doc):
        name, written = match["name"], match[0].split()[-1]
        is_stop_word = written.lower() in _STOP_WORDS
        if written == "a" and re.match(_END_OF_CLAUSE, doc[match.end() :]):
            return name  # No clause ends with an article.
        if not (is_stop_word or _PLAIN_WORD.fullmatch(written)):
            return name
        if not is_stop_word and re.match(_BEHIND_NAME, doc[match.end() :]):
            return name
    return ""
