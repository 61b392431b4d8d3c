"""Writing a header anew without changing what it says: order, wrapping, comments, names of parameters, spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from abigen.model.api import Api
from abigen.model.ctype import CType, FunctionType, Parameter, types_in

_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*\n?", re.MULTILINE)


def rewrite(text: str, api: Api) -> str:
    """Return another header with the same API.

    Args:
        text: of a header.
        api: what was read from it.
    """
    return rewrap(move_comments(respell(reorder(rename_parameters(text, api)))))


def rename_parameters(text: str, api: Api) -> str:
    """Give every named parameter another name, by its place, but for those that are the length of another; comments go
    on naming the old one."""
    lines = text.split("\n")
    places = {(each.span.line, each.span.column, each.name) for each in _parameters(api) if each.span and each.name}
    for line, column, name in sorted(places, reverse=True):
        source = lines[line - 1]
        is_a_length = re.search(rf"\[[^\]]*\b{name}\b", source) is not None
        if source[column - 1 : column - 1 + len(name)] == name and not is_a_length:
            lines[line - 1] = f"{source[: column - 1]}{name}_again{source[column - 1 + len(name) :]}"
    return "\n".join(lines)


def _parameters(api: Api) -> Iterator[Parameter]:
    """Yield all parameters of functions and of pointers to functions that the API's own declarations have."""
    types: list[CType] = [each.type for each in api.functions.values() if each.in_api and not each.static]
    types += [each.type for each in api.typedefs.values() if each.in_api]
    types += [field.type for struct in api.structs.values() if struct.in_api for field in struct.fields or ()]
    for type in types:
        for each in types_in(type):
            if isinstance(each, FunctionType):
                yield from each.parameters


class Chunk(msgspec.Struct, frozen=True):
    """A declaration or a directive with the comments before it."""

    text: str
    is_barrier: bool

    @property
    def words(self) -> frozenset[str]:
        """The identifiers in it, comments aside."""
        return frozenset(re.findall(r"[A-Za-z_]\w*", _TOKEN.sub(" ", self.text)))

    @property
    def declared(self) -> frozenset[str]:
        """The identifiers that it may declare."""
        bare = _TOKEN.sub(" ", self.text)
        return self.words - _KNOWN if (not self.is_barrier and "{" in bare) or ";" in bare else self.words


_KNOWN = {"typedef", "struct", "union", "enum", "const", "void", "char", "int", "unsigned", "signed", "long", "short"}
_KNOWN |= {"float", "double", "size_t", "static", "extern", "inline", "bool", "_Bool", "volatile", "restrict"}
_KNOWN |= {f"{sign}int{width}_t" for sign in ("", "u") for width in (8, 16, 32, 64)}


def reorder(text: str) -> str:
    """Put the last declarations first, as far as C allows: those that have an identifier in common keep their order."""
    parts: list[str] = []
    movable: list[Chunk] = []
    for chunk in _chunks(text):
        if chunk.is_barrier:
            parts += [*_backwards(movable), chunk.text]
            movable = []
        else:
            movable.append(chunk)
    return "".join([*parts, *_backwards(movable)])


def _backwards(chunks: Sequence[Chunk]) -> list[str]:
    """Return the texts of declarations from the last one that can stand first to those that nothing may precede."""
    waiting = list(chunks)
    found: list[str] = []
    while waiting:
        free = next(
            place
            for place in reversed(range(len(waiting)))
            if not any(waiting[place].declared & before.declared for before in waiting[:place])
        )
        found.append(waiting.pop(free).text)
    return found


def _chunks(text: str) -> Iterator[Chunk]:
    """Yield a header's text in pieces; what a conditional or a block of linkage encloses keeps its place."""
    place = 0
    while place < len(text):
        end, is_barrier = _end_of_chunk(text, place)
        yield Chunk(text[place:end], is_barrier)
        place = end


def _end_of_chunk(text: str, start: int) -> tuple[int, bool]:
    """Return the end of the piece that begins at `start`, and true if nothing may be moved past it."""
    place, depth = start, 0
    while place < len(text):
        comment = _TOKEN.match(text, place)
        directive = _DIRECTIVE.match(text, place) if place == 0 or text[place - 1] == "\n" else None
        if comment:
            place = comment.end()
            continue
        if directive:
            if depth == 0:
                return directive.end(), True
            place = directive.end()
            continue
        character = text[place]
        place += 1
        if character == "{":
            if re.search(r'extern\s*"C"\s*$', text[start : place - 1]):
                return _line_end(text, place), True
            depth += 1
        elif character == "}":
            if depth == 0:
                return _line_end(text, place), True
            depth -= 1
            if depth == 0 and _is_body(text[start:place]):
                return _line_end(text, place), False
        elif character == ";" and depth == 0:
            return _line_end(text, place), False
    return place, True


def _is_body(text: str) -> bool:
    """True if a closed brace ends a function rather than a type."""
    return re.search(r"\)\s*\{", text) is not None and not re.match(r"\s*(?:typedef|struct|union|enum)", text)


def _line_end(text: str, place: int) -> int:
    """Return the end of the line, when only a comment follows."""
    rest = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/)?[ \t]*\n").match(text, place)
    return rest.end() if rest else place


_SPELLINGS: Mapping[str, str] = {
    r"\bconst (char|void|uint8_t|int32_t|int64_t|uint64_t|float|double)\b(?! const)": r"\1 const",
    r"\bunsigned int\b": "unsigned",
    r"\bunsigned(?= \w+;)(?! (?:int|char|short|long)\b)": "unsigned int",
    r"(?<!signed )\blong long\b(?! int)": "signed long long int",
    r"(?<!unsigned )(?<!signed )\bshort\b(?! int)": "signed short int",
    r"(?<=[,(] )int(?= \w+[,)])": "signed",
    r"(?m)^( +)int32_t(?= \w+(?:\[\w+\])?;)": r"\1__INT32_TYPE__",
    r"(?m)^( +)uint64_t(?= \w+(?:\[\w+\])?;)": r"\1__UINT64_TYPE__",
    r"(?m)^( +)uint8_t(?= \w+(?:\[\w+\])?;)": r"\1unsigned char",
}


def respell(text: str) -> str:
    """Spell types otherwise; comments, strings and directives stay as they are."""
    return _outside(text, _respelled)


def _respelled(code: str) -> str:
    """`respell` for code alone."""
    if "unsigned long long" not in code:
        for pattern, replacement in _SPELLINGS.items():
            code = re.sub(pattern, replacement, code)
    return re.sub(r"\btypedef struct (\w+) \{([^{}]*)\} \1;", r"struct \1 {\2};\ntypedef struct \1 \1;", code)


def rewrap(text: str) -> str:
    """Break declarations at commas, join those that were broken, and turn line comments before a line into blocks."""
    text = _outside(text, lambda code: re.sub(r",[ \t]*\n?[ \t]*(?=[A-Za-z_.])", ",\n        ", code))
    text = _outside(text, lambda code: re.sub(r"[ \t]*\*[ \t]*(?=[A-Za-z_])", " *", code))
    return re.sub(r"(?m)(^[ \t]*//(?!/)[^\n]*\n)+", _as_block, text)


def _as_block(comment: re.Match[str]) -> str:
    """Return a run of line comments as one block comment, with its lines broken elsewhere."""
    words = " ".join(line.strip().removeprefix("//").strip() for line in comment[0].splitlines()).split()
    if "*/" in comment[0] or "/*" in comment[0] or not words or len(set("".join(words))) < 3:
        return comment[0]
    indent = re.match(r"[ \t]*", comment[0])
    space = indent[0] if indent else ""
    lines = [" ".join(words[start : start + 5]) for start in range(0, len(words), 5)]
    return f"{space}/* " + f"\n{space} * ".join(lines) + " */\n"


_BEHIND_MEMBER = re.compile(r"(?P<indent>[ \t]+)(?P<code>[A-Za-z_][^/\"'#{}]*[;,])[ \t]*//[ \t]*(?P<words>\w.*)")


def move_comments(text: str) -> str:
    """Put each comment behind a member on the lines before it, in the style of documentation tools."""
    lines = text.split("\n")
    found: list[str] = []
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        member = _BEHIND_MEMBER.fullmatch(line)
        has_another = before.strip().startswith(("//", "/*", "*")) or after.strip().startswith("//")
        is_whole = member is not None and member["code"].count(";") < 2 and _is_balanced(member["code"])
        if member is None or not is_whole or has_another or "*/" in line or "/*" in line:
            found.append(line)
            continue
        indent = member["indent"]
        found += ["", f"{indent}/**", f"{indent} * {member['words']}", f"{indent} */", indent + member["code"]]
    return "\n".join(found)


def _is_balanced(code: str) -> bool:
    """True if every bracket of a line is closed on it, so that it is no piece of a longer declaration."""
    return all(code.count(opened) == code.count(closed) for opened, closed in ("()", "[]"))


def _outside(text: str, change) -> str:  # type: ignore[no-untyped-def]
    """Apply a change to code only: not to comments, strings, characters and directives."""
    parts: list[str] = []
    last = 0
    for kept in re.finditer(f"{_DIRECTIVE.pattern}|{_TOKEN.pattern}", text, re.DOTALL | re.MULTILINE):
        parts += [text[last : kept.start()], kept[0]]
        last = kept.end()
    parts.append(text[last:])
    return "".join(part if place % 2 else change(part) for place, part in enumerate(parts))
