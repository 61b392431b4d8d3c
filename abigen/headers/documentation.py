"""Documentation in comments, and the marks in it that state a contract (`@since`, `required`)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from itertools import takewhile

import msgspec
from msgspec.structs import replace

from abigen.headers.syntax.trees import Stream
from abigen.headers.unit import Comment
from abigen.model.contract import NO_CONTRACT, Condition, Contract, Lifecycle, Party, Requirement, Zero
from abigen.model.ctype import CType, FunctionType, Pointer
from abigen.model.span import Span
from abigen.model.version import Version

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_MARK_NAME = r"`?(?P<name>[A-Za-z_]\w*(?:(?:\.|->|::)\w+)*)(?:\(\))?`?"
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
_USE = rf"\b(?:[Uu]se|[Rr]eplaced by|[Ss]uperseded by|in favou?r of)\s+(?:the\s+)?{_MARK_NAME}"
_REPLACES = rf"(?i:\breplaces\s+(?:the\s+)?{_MARK_NAME})"
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
    (
        *re.findall(r"\w+", "the a an this that it of by for to in on with only at as and or when if your its"),
        "whatever",
    )
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
    """Return the marks in a documentation; the same sentences occur again and again."""
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
    """Return the release that a wording names; None when it does not occur."""
    return None if match is None else Version(int(match["major"]), int(match["minor"]), int(match["patch"] or 0))


def _named(pattern: str, doc: str) -> str:
    """Return the identifier that a wording names; empty when what follows is prose."""
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


_DECORATION = re.compile(r"^[\s*/=#~_+<>!-]*$")
_IF_NOT_DEFINED = re.compile(r"\s*#\s*(?:ifndef|if\s*!\s*defined)\b[\s(]*(?P<name>\w+)")
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)
_BANNER = re.compile(r"\A\W*(?:auto\w*[ -]?)?generated (?:by|from)\b|\bdo not (?:edit|modify)\b", re.IGNORECASE)
"""The mark of a file that a program writes."""
_LINE_MARK = re.compile(r"^[ \t]*//+[!<]*")
_SIMPLE = re.compile(r"//[/!]?<?[ \t]*([A-Za-z0-9`'\"(\[][^\n]*[^\s*=~#-])[ \t\r]*\Z")
_BLOCK_LINE = re.compile(r"^[ \t]*\*+(?!/)[ \t]?")
_BRIEF = re.compile(r"^[\\@](?:brief|short|file|details)\b[ \t]*(?:\n|(?=\S))")
_NAME = re.compile(r"^[\\@]name\s+(?P<title>\S[^\n]*)")
_RULE = "-=*#~/"
_ACCEPTS = re.compile(r"(?://[/!]?|/\*[*!]?)\s*abigen:\s*accept\b[^\n]*")
"""A comment that accepts a finding: it documents nothing, and documentation above it stays that of the declaration."""
_LONGEST_HEADING = 200
_MOST_LINES = 400
_MOST_TOKENS = 400


class _Block(msgspec.Struct):
    """Comments that stand together."""

    comments: list[Comment]
    trailing: bool
    follows: bool = False
    """It stands on the line below a comment behind code, and may continue that."""

    @property
    def first_line(self) -> int:
        return self.comments[0].line

    @property
    def last_line(self) -> int:
        return self.comments[-1].end_line


class _File(msgspec.Struct):
    """The blocks of one file, by the lines where they begin and end."""

    blocks: list[_Block] = msgspec.field(default_factory=list)
    by_last_line: dict[int, _Block] = msgspec.field(default_factory=dict)
    trailing_at: dict[int, list[_Block]] = msgspec.field(default_factory=dict)
    following_at: dict[int, _Block] = msgspec.field(default_factory=dict)
    headings: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """Titles of sections, by line."""
    accepting: set[int] = msgspec.field(default_factory=set)
    """The lines of comments that accept a finding."""

    def above(self, line: int) -> int:
        """Return the line above another one, without comments that accept a finding."""
        line -= 1
        while line in self.accepting:
            line -= 1
        return line


class Commentary:
    """Finds the documentation of what stands at a place in the API's own files."""

    def __init__(self, comments: Sequence[Comment], texts: Mapping[str, str]) -> None:
        """Sort comments by where they stand.

        Args:
            comments: those of all own files, those of each file in order.
            texts: of the own files, by name.
        """
        self._files: dict[str, _File] = {}
        self._texts = texts
        self._lines: dict[str, list[str]] = {}
        for comment in comments:
            self._add(self._files.setdefault(comment.file, _File()), comment)
        for file in self._files.values():
            for block in file.blocks:
                if heading := _heading(block):
                    file.headings.append((block.first_line, heading))
                elif block.trailing:
                    file.trailing_at.setdefault(block.first_line, []).append(block)
                else:
                    file.by_last_line[block.last_line] = block
                    if block.follows:
                        file.following_at[block.first_line] = block

    def _add(self, file: _File, comment: Comment) -> None:
        """Put a comment in the block that it continues, or begin a new one."""
        if _ACCEPTS.fullmatch(comment.text.rstrip()):
            file.accepting |= set() if comment.trailing else {comment.line}
            return
        last = file.blocks[-1] if file.blocks else None
        follows = False
        if last is not None and not comment.trailing and file.above(comment.line) == last.last_line:
            previous = last.comments[-1]
            aligned = comment.column == previous.column
            same_kind = comment.text[:2] == previous.text[:2]
            continues = not last.trailing and same_kind and comment.text.startswith("//")
            if (last.trailing and aligned) or (continues and (aligned or not last.follows)):
                last.comments.append(comment)
                return
            follows = last.trailing
        file.blocks.append(_Block([comment], comment.trailing, follows=follows))

    def of_declaration(self, stream: Stream, start: int, end: int, *, in_body: bool) -> tuple[str, Contract]:
        """Documentation and contract of a top-level declaration or a nested struct.

        Args:
            stream: the tokens.
            start: index of the declaration's first token.
            end: index behind its last (the semicolon), or of the brace that ends a struct's body: what stands behind
                the last member belongs to that.
            in_body: it stands in a struct; then comments on its last line belong to the member.
        """
        tokens = stream.tokens
        file = self._files.get(tokens[start].file)
        if file is None:
            return "", NO_CONTRACT
        doc = self._before(file, stream, start)
        closes = any(token.text == "}" for token in tokens[end - 1 : end + 1])
        if not doc and not in_body and not closes:
            doc = self._behind_last(file, stream, start, end)
        return doc, read_contract(doc)

    def of_member(self, stream: Stream, start: int, end: int, name: str) -> tuple[str, Contract]:
        """Documentation and contract of a member or enumerator; arguments as in `of_declaration`."""
        file = self._files.get(stream.tokens[start].file)
        doc = ""
        if file is not None:
            both = self._before(file, stream, start), self._behind_last(file, stream, start, end)
            doc = "\n\n".join(each for each in both if each)
        return doc, read_contract(doc, name)

    def with_parameters(self, type: CType, stream: Stream, start: int, end: int) -> CType:
        """Return the type of a function, or of a pointer to one, with the comments behind its parameters.

        Args:
            type: the type of what is declared.
            stream: the tokens.
            start: index of the declaration's first token.
            end: index behind its last.
        """
        first, last = stream.tokens[start], stream.tokens[end - 1]
        file = self._files.get(first.file)
        if file is None or first.line == last.line or not self._has_inner(file, first.line, last.line):
            return type
        if isinstance(type, Pointer):
            return replace(type, target=self.with_parameters(type.target, stream, start, end))
        if not isinstance(type, FunctionType):
            return type
        parameters = list(type.parameters)
        for index, parameter in enumerate(parameters):
            following = parameters[index + 1].span if index + 1 < len(parameters) else None
            place = parameter.span
            if place is not None and place.file == first.file and (following is None or following.line != place.line):
                parameters[index] = replace(parameter, doc=self._behind(file, place.line))
        return replace(type, parameters=tuple(parameters))

    def group(self, name: str, line: int, after_line: int) -> str:
        """Return the heading that a member stands under.

        Args:
            name: the file.
            line: the member's.
            after_line: where its struct begins; headings before it do not count.
        """
        headings = self._files[name].headings if name in self._files else []
        at, title = headings[found - 1] if (found := bisect_left(headings, (line, ""))) else (0, "")
        return title if at >= after_line else ""

    def of_macro(self, place: Span, name: str) -> str:
        """Return the documentation of a macro, which may be above an `#ifndef` of the macro."""
        file = self._files.get(place.file, _File())
        above = file.above(place.line)
        lines = self._lines_of(place.file)[above - 1 : above] if above else []
        asked = _IF_NOT_DEFINED.match(lines[0]) if lines else None
        if asked is not None and asked["name"] == name:
            above = file.above(above)
        return _plain(file.by_last_line.get(above)) or self._behind_macro(file, place)

    def _behind_macro(self, file: _File, place: Span) -> str:
        """Return the comment behind a macro on its line; one before a part of its text describes that part only."""
        blocks = file.trailing_at.get(place.line)
        last = blocks[-1].comments[-1] if blocks else None
        lines = self._lines_of(place.file)[last.end_line - 1 : last.end_line] if last is not None else []
        end = last.text.rpartition("\n")[2] if last is not None else ""
        if lines and lines[0].rpartition(end)[2].strip():
            return ""
        return self._behind(file, place.line)

    def of_file(self, file: str, declared_at: Set[int]) -> str:
        """Return the comment at the top of a file that says what it is for.

        Args:
            file: the file's name.
            declared_at: the lines where declarations begin; what stands directly before one documents it, and what
                stands behind the first is no comment at the top.
        """
        first = min(declared_at, default=1 << 30)
        for block in takewhile(lambda block: block.first_line < first, self._files.get(file, _File()).blocks):
            doc = "" if block.trailing or block.last_line + 1 in declared_at else _plain(block)
            if doc and not _LICENCE.search(doc) and not _BANNER.search(doc):
                return doc
        return ""

    def _before(self, file: _File, stream: Stream, start: int) -> str:
        """Return the comment directly before a declaration: on the line above it, or on its line."""
        first, blocks = stream.tokens[start], file.by_last_line
        block = blocks.get(file.above(first.line)) or blocks.get(first.line)
        block = block or blocks.get(self._above_conditions(first.file, first.line))
        if block is None:
            return ""
        place = block.comments[-1].span
        if block.last_line == first.line and place.column > first.column:
            return ""
        previous = stream.tokens[start - 1] if start else first
        if previous.line == block.last_line and previous.file == first.file and previous.column > place.column:
            return ""
        if block.last_line < first.line and (_is_inside_its_line(stream, start) or _is_deeper(block, first.column)):
            return ""
        doc = _plain(block)
        return "" if block.first_line <= 2 and _LICENCE.search(doc) else doc

    def _above_conditions(self, name: str, line: int) -> int:
        """Return the line above an `#if ... #endif` with attributes directly before a line; 0 for none."""
        lines, depth = self._lines_of(name), 0
        for number in range(min(line - 1, len(lines)), max(line - 1 - _MOST_LINES, 0), -1):
            text = lines[number - 1].strip()
            directive = text[1:].lstrip() if text.startswith("#") else ""
            if directive.startswith("endif"):
                depth += 1
            elif depth == 0:
                return number if number < line - 1 else 0
            elif directive.startswith("if"):
                depth -= 1
            elif directive.startswith(("define", "undef", "include")) or any(each in text for each in ";{}"):
                return 0
        return 0

    def _lines_of(self, name: str) -> list[str]:
        """Return the lines of a file."""
        if name not in self._lines:
            self._lines[name] = self._texts.get(name, "").splitlines()
        return self._lines[name]

    def _behind_last(self, file: _File, stream: Stream, start: int, end: int) -> str:
        """Return the comment behind a declaration, unless another declaration or a parameter on that line has it."""
        tokens = stream.tokens
        last = tokens[end - 1]
        blocks = file.trailing_at.get(last.line)
        if blocks is None:
            return ""
        first = tokens[start]
        if first.line != last.line and self._has_inner(file, first.line, last.line):
            return ""
        following = tokens[end + 1] if end + 1 < len(tokens) else last
        limit = following.column if following.line == last.line and following is not last else 1 << 30
        for block in blocks:
            if last.column < block.comments[0].column < limit:
                more = file.following_at.get(block.last_line + 1)
                if more is not None and _is_deeper(more, first.column):
                    block = _Block([*block.comments, *more.comments], trailing=True)
                return _plain(block)
        return ""

    def _has_inner(self, file: _File, first: int, last: int) -> bool:
        """True if a line of a declaration before its last one has a comment behind it."""
        return any(line in file.trailing_at for line in range(first, min(last, first + _MOST_LINES)))

    def _behind(self, file: _File, line: int) -> str:
        """Return the comment behind all code of a line."""
        return _plain(file.trailing_at[line][-1]) if line in file.trailing_at else ""


def _is_deeper(block: _Block, column: int) -> bool:
    """True if a comment continues the one behind the line above: it is indented deeper than declarations there are.

    Columns count a tab as one, so that it need not stand below the beginning of what it continues.
    """
    return block.follows and block.comments[0].column > column


def _is_inside_its_line(stream: Stream, start: int) -> bool:
    """True if the struct or enumeration around a declaration begins on the same line, and owns the comment above it."""
    tokens = stream.tokens
    first = tokens[start]
    for index in range(start - 1, max(start - _MOST_TOKENS, 0) - 1, -1):
        token = tokens[index]
        if token.line != first.line or token.file != first.file:
            return False
        if token.text == "{":
            return True
    return start > _MOST_TOKENS


def _heading(block: _Block) -> str:
    """Return the title when a block is a section's heading and documents nothing."""
    if block.trailing:
        return ""
    text = block.comments[0].text
    if len(block.comments) == 1 and "\n" not in text:
        return _heading_of_line(text.strip()) if len(text) <= _LONGEST_HEADING else ""
    lines = [line for comment in block.comments for line in comment.text.split("\n")]
    if len(lines) >= 3 and _is_rule(lines[0]) and _is_rule(lines[-1]):
        titles = [title for line in lines[1:-1] if (title := _strip(line))]
        return titles[0] if len(titles) == 1 else ""
    return ""


def _heading_of_line(text: str) -> str:
    """Return the title in `/*** TITLE ***/`, `// ---- Title ----`, `/* == Title == */` or `/** @name Title */`."""
    is_block = text.startswith("/*")
    inner = text[2:-2].strip() if is_block else text[2:].strip()
    name = _NAME.match(inner.lstrip("*!/ \t"))
    if name is not None:
        return name["title"].strip()
    title = inner.strip(_RULE).strip()
    if not title or not title[0].isalnum():
        return ""
    before, after = len(inner) - len(inner.lstrip(_RULE)), len(inner) - len(inner.rstrip(_RULE))
    if before >= 2 and after >= 1:
        return title
    return title if before >= 4 else ""


def _is_rule(line: str) -> bool:
    """True if a line of a comment is nothing but decoration, and plenty of it."""
    return len(line.strip()) >= 10 and _DECORATION.match(line) is not None


def _strip(line: str) -> str:
    """Return a line of a comment without its markers."""
    line = _LINE_MARK.sub("", line)
    return line.strip().removesuffix("*/").removeprefix("/*").strip("*").strip()


def _plain(block: _Block | None) -> str:
    """Return the text of a block, if there is one, without markers and decoration, its paragraphs kept."""
    if block is None:
        return ""
    if len(block.comments) == 1 and (simple := _SIMPLE.match(block.comments[0].text)):
        return simple[1]
    return _plain_text(tuple(comment.text for comment in block.comments))


@lru_cache(maxsize=4096)
def _plain_text(comments: tuple[str, ...]) -> str:
    """Return the text of comments that are one block; an editor asks for the same ones with each keystroke."""
    lines: list[str] = []
    for text in comments:
        if text.startswith("//"):
            lines.append(_LINE_MARK.sub("", text))
            continue
        text = text.removesuffix("*/")[2:].lstrip("*!<")
        inner = text.split("\n")
        lines.append(inner[0])
        rest = inner[1:]
        starred = all(not line.strip() or line.lstrip().startswith("*") for line in rest)
        lines += [_BLOCK_LINE.sub("", line) if starred else line for line in rest]
    lines = ["" if _DECORATION.match(line) else line.rstrip() for line in lines]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        return ""
    first = lines[0].strip()
    rest_indent = min((len(line) - len(line.lstrip()) for line in lines[1:] if line), default=0)
    doc = "\n".join([first, *(line[rest_indent:] for line in lines[1:])])
    return re.sub(r"\n{3,}", "\n\n", _BRIEF.sub("", doc))
