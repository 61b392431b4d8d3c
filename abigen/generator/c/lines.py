"""C text of at most 80 columns, documentation as comments, and the names of generated helpers.

Comments use the wording of the contract and contain nothing that could end a comment early. Names of helpers follow
from the names of the API and never equal one of them.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Collection, Mapping
from typing import cast

from msgspec.structs import replace

from abigen.model.api import Api
from abigen.model.attributes import attributes_of
from abigen.model.contract import FIXED_SIZE, Contract, Party, Zero
from abigen.model.ctype import Array, CType, FunctionType, Name, Node, Parameter, Pointer, rebuilt
from abigen.model.entities import Callback, Entity, Field, Function, Struct
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.spelling import spell
from abigen.model.version import Version

_IN_BOTH_LANGUAGES = {"_Bool": "bool", "__builtin_va_list": "va_list", "restrict": "__restrict"}
"""Names of C's own that C++ lacks, or that are a compiler's, to those of the standard headers."""

_OF_ONE_LANGUAGE = re.compile(rf"\b({'|'.join(_IN_BOTH_LANGUAGES)})\b")
_STARS_AT_THE_NAME = re.compile(r"(?<=\w) (\*+)(?! )")


def with_suffix(name: str, suffix: str) -> str:
    """Return a name with a word behind it, in the style of the name.

    Args:
        name: `XY_Device`, `xy_device_t`.
        suffix: `Check`.

    Returns:
        `XY_Device_Check`, `xy_device_check`.
    """
    return f"{name.removesuffix('_t')}_{suffix.lower()}" if name.islower() else f"{name}_{suffix}"


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return a name that nothing has yet: the wanted one, with as many underscores behind it as it takes."""
    while wanted in taken:
        wanted += "_"
    return wanted


def file_beside(header: str, ending: str) -> str:
    """Return the path of a file that belongs to a header: `dir/api.h` and `_checks.h` give `dir/api_checks.h`."""
    return header[: header.rindex(".")] + ending


def names_in(api: Api) -> dict[str, Entity]:
    """Return all declarations of an API outside of structs, by every name that they have in C."""
    groups = (api.structs, api.enums, api.typedefs, api.functions, api.variables, api.constants, api.macros)
    found: dict[str, Entity] = {name: entity for group in groups for name, entity in group.items()}
    found |= {each.name: each for each in api.size_constants.values()}
    found |= api.enumerators
    found |= {name: struct for struct in api.structs.values() for name in struct.typedef_names}
    return found


def refuse_clashes(made: Mapping[str, str], api: Api, hint: str) -> None:
    """Refuse to make what the API itself has declared.

    Args:
        made: names, with the rest of a sentence about each that identifies it.
        api: whose names those may not be.
        hint: what to do.

    Raises:
        AbigenError: all that are taken.
    """
    taken = names_in(api)
    found = [Diagnostic(taken[name].span, f"`{name}` {text}", hint) for name, text in made.items() if name in taken]
    if found:
        raise AbigenError(found)


def as_written(type: CType) -> CType:
    """Return a type with the lengths of arrays by the names that a spec has for them."""
    return cast(CType, _as_written(type))


def _as_written(part: Node) -> Node:
    if isinstance(part, Parameter):
        return replace(part, type=as_written(part.type))
    part = rebuilt(part, _as_written)
    return replace(part, length=Name(part.written)) if isinstance(part, Array) and part.written else part


class Speller:
    """Spells the types of one API."""

    def __init__(self, api: Api) -> None:
        """Use the names of an API.

        Args:
            api: where structs and enumerations are looked up.
        """
        self._api = api

    def declare(self, type: CType, name: str = "") -> str:
        """Spell a declaration.

        Args:
            type: its type.
            name: what it declares; empty for a type name.

        Returns:
            One line without a semicolon, stars at the type: `void* (*f)(const char* a)`.
        """
        text = _STARS_AT_THE_NAME.sub(r"\1 ", spell(as_written(type), name, self._api))
        text = _OF_ONE_LANGUAGE.sub(lambda found: _IN_BOTH_LANGUAGES[found[0]], text)
        return text.replace("* ,", "*,").replace("* )", "*)").rstrip()


WIDTH = 80
"""Columns of a line in generated C."""

_ITEM = re.compile(r"([-*+]|\d+[.)]) ")
_CODE_INDENT = 4
_DROPPED = ("Cc", "Cs", "Cf", "Zl", "Zp")
"""Unicode's categories of characters that could end a line, make code look like something else, or be encoded by
nobody."""
_KEPT_FORMAT_CHARACTERS = "\u200c\u200d"
"""Zero-width joiners, which words in some languages need."""

_LINE_CONTINUATIONS = ("\\", "??/")
"""At the end of a line these join the next line to the comment (C 5.1.1.2 phases 1 and 2)."""

_CONTINUATION = 4
"""Columns by which a line is indented that continues the one before, where nothing better aligns it."""

_SETTING = {
    side: rf"\b(?:set|filled(?: in| out)?|populated|initiali[sz]ed|written) by (?:the )?{words}\b"
    for side, words in ((Party.CORE, "core"), (Party.PLUGIN, "plug-?ins?"), (Party.BOTH, "both sides"))
}
"""The phrases by which documentation already states which side sets something."""
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?")


def documented(
    doc: str,
    contract: Contract,
    *,
    pointer: bool = False,
    born: Version | None = None,
    agreed: str = "",
    verb: str = "Set",
) -> str:
    """Put the contract into words beside the documentation.

    Args:
        doc: the documentation as its author wrote it.
        contract: what the two sides have agreed.
        pointer: whether the entity is a pointer, whose zero is NULL.
        born: the release that brought what the entity is part of; of that age nothing is said.
        agreed: what the two sides have agreed besides.
        verb: what a side does that sets the entity: `Set`, or `Filled` for a struct.

    Returns:
        Plain text; paragraphs are separated by blank lines. Source of the wording: C_API_versioning_strategy.md,
        "By Value Inspection" and "Deprecation with Extension".
    """
    text, life = cleaned(doc), contract.lifecycle
    deprecated = f"Deprecated since {life.deprecated_since}." if life.deprecated_since else "Deprecated."
    parts = (("when", contract.condition.when), ("unless", contract.condition.unless))
    conditions = [f"{word} `{member}` is set" for word, member in parts if member]
    condition = f"Required {' and '.join(conditions)}." if conditions else ""
    before = {
        deprecated: life.deprecated,
        f"Use `{life.replaced_by}`.": life.deprecated and life.replaced_by,
        "Required.": contract.is_required,
        condition: condition,
        "Optional.": contract.is_optional,
    }
    zero = contract.no_op if contract.zero is Zero.NO_OP else "by default"
    behind = {
        agreed: agreed,
        f"Replaces `{life.replaces}`.": life.replaces,
        f"{verb} by {'both sides' if contract.set_by is Party.BOTH else contract.set_by}.": contract.set_by
        and not re.search(_SETTING[contract.set_by], " ".join(text.split()), re.IGNORECASE),
        f"{'NULL' if pointer else '0'} {zero}.": contract.zero,
        "Consumers must read this.": contract.must_be_understood,
        "Reserved.": contract.reserved,
        f"Since {life.since}.": life.since not in (None, born),
    }
    marks = [
        " ".join(mark for mark, holds in marks.items() if holds and not _says(text, mark)) for marks in (before, behind)
    ]
    single = "\n\n" not in text and not _is_structured(text)
    return (" " if single else "\n\n").join(part for part in (marks[0], text, marks[1]) if part)


def _says(text: str, mark: str) -> bool:
    """True if a text has a mark already: as a sentence or, if it is of several words, anywhere.

    `Required when x is set` must begin a sentence or clause: `not required when x is set` states something else.
    """
    words = " ".join(text.split()).replace("`", "").casefold()
    plain = mark.replace("`", "").casefold()
    if plain.startswith("required "):
        return re.search(rf"(?:^|[.;:!*(\[] ?| - ){re.escape(plain[:-1])}(?= ?[.,;:!)\]]|$)", words) is not None
    return f" {plain}" in f" {words}" or (
        " " in plain and re.search(rf"\b{re.escape(plain[:-1])}\b", words) is not None
    )


def documentation(entity: Entity, api: Api, owner: Entity | None = None) -> str:
    """Return the comment of an entity: its documentation and its contract.

    Args:
        entity: the entity.
        api: where its type is looked up.
        owner: the struct or enumeration that it is part of; None for what is part of nothing.
    """
    pointer = isinstance(entity, Field) and isinstance(api.resolve(entity.type), Pointer)
    born = owner.contract.lifecycle.since if owner else None
    verb = "Filled" if isinstance(entity, Struct) else "Set"
    agreed = " ".join(filter(None, (_agreed(entity), FIXED_SIZE if _is_frozen(entity, api) else "")))
    text = documented(entity.doc, entity.contract, pointer=pointer, born=born, agreed=agreed, verb=verb)
    return "\n\n".join(filter(None, (text, of_parameters(entity))))


def _is_frozen(entity: Entity, api: Api) -> bool:
    """True for a struct that never grows, in an API in which others do, and that crosses by pointer."""
    if not isinstance(entity, Struct) or entity.is_union or not entity.fields or entity.may_grow or entity.by_value:
        return False
    return any(each.in_api and each.is_versioned for each in api.structs.values())


def of_parameters(entity: Entity) -> str:
    """Return the contract of the parameters of a function, or of a pointer to one, as a list; empty for no contract."""
    type = entity.function if isinstance(entity, Callback) else getattr(entity, "type", None)
    type = type.target if isinstance(type, Pointer) else type
    if not isinstance(entity, (Callback, Field, Function)) or not isinstance(type, FunctionType):
        return ""
    lines = []
    for each in type.parameters:
        marks = {"May be NULL.": each.name in entity.nullable, "Not NULL.": each.name in entity.non_null}
        words = " ".join(filter(None, (" ".join(cleaned(each.doc).split()), *(mark for mark in marks if marks[mark]))))
        lines += [f"- `{each.name}`: {words}"] if words else []
    return "\n".join(lines)


def _agreed(entity: Entity) -> str:
    """Return the contract about lifetimes and flags."""
    said = [each for each in attributes_of(type(entity)) if each.sentence and each.values(entity)]
    said.sort(key=lambda each: each.key == "thread")  # which is told last
    return " ".join(filter(None, (each.in_comment(entity) for each in said)))


def cleaned(text: str) -> str:
    """Drop from a text what no comment should hold, and fold its line endings.

    Control characters could end a line, marks of text direction could make code look like something else (Trojan
    Source), and surrogates cannot be encoded.
    """
    lines = text.expandtabs(4).splitlines()
    return "\n".join("".join(filter(_may_stand, line)).rstrip() for line in lines).strip("\n")


def comment(text: str, indent: int = 0) -> str:
    """Write text as line comments.

    Args:
        text: paragraphs, lists and indented code, as in Markdown.
        indent: columns before the comment.

    Returns:
        Lines joined by newlines, each with its indentation.
    """
    margin = " " * indent
    lines = wrapped(cleaned(text), WIDTH - indent - len("// "))
    return "\n".join(f"{margin}// {_harmless(line)}".rstrip() for line in lines)


def one_line(text: str) -> str:
    """Return text as a comment behind code; empty when it takes more than one line however much room there is."""
    text = cleaned(text)
    if not text or "\n\n" in text or _is_structured(text):
        return ""
    return f"// {_harmless(' '.join(text.split()))}"


def heading(text: str) -> str:
    """Return text that may stand in a block comment of one line."""
    return " ".join(cleaned(text).split()).replace("*/", "* /").replace("/*", "/ *")


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most so many columns; list items hang, and indented code, tables and headings keep their lines."""
    lines: list[str] = []
    paragraph: list[str] = []
    for line in text.split("\n"):
        code = line.startswith(" " * _CODE_INDENT) and not paragraph
        kept = not line.strip() or line.startswith(("|", "#")) or code
        if kept or _ITEM.match(line.lstrip()):
            lines += _fill(paragraph, width)
            paragraph = []
        if kept:
            lines.append(line if line.strip() else "")
        else:
            paragraph.append(line)
    return lines + _fill(paragraph, width)


def _may_stand(character: str) -> bool:
    return unicodedata.category(character) not in _DROPPED or character in _KEPT_FORMAT_CHARACTERS


def _is_structured(text: str) -> bool:
    """True if some line of it must stay a line of its own."""
    return any(_ITEM.match(line) or line.startswith((" " * _CODE_INDENT, "|", "#")) for line in text.split("\n"))


def _fill(paragraph: list[str], width: int) -> list[str]:
    """Return one paragraph or list item, its lines joined and broken anew."""
    if not paragraph:
        return []
    first = paragraph[0]
    lead = first[: len(first) - len(first.lstrip())]
    item = _ITEM.match(first.lstrip())
    return textwrap.wrap(
        " ".join(" ".join(paragraph).split()),
        width,
        initial_indent=lead,
        subsequent_indent=lead + " " * (len(item[0]) if item else 0),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _harmless(line: str) -> str:
    """Return the line with something behind it where it would join the next line to the comment."""
    return f"{line} //" if line.endswith(_LINE_CONTINUATIONS) else line


def wrap_declaration(text: str, indent: int = 0, end: str = ";") -> str:
    """Break a declaration after the commas of its parameter list.

    Args:
        text: the declaration on one line, without its semicolon.
        indent: columns before it.
        end: what stands behind it.

    Returns:
        Lines joined by newlines, the first without its indentation. Parameters align with the first of them, or stand
        below the declaration when they do not fit there. What has no parameters is broken before its name.
    """
    return "\n".join(_wrap(text, indent, indent, end))


def wrap_macro(head: str, body: str) -> str:
    r"""Break a macro definition at spaces, with a backslash at the end of each line but the last.

    Args:
        head: `#define NAME(PARAMETERS)`.
        body: what it stands for; may be empty. Its string and character constants stay whole.

    Returns:
        Lines joined by newlines.
    """
    whole = f"{head} {body}".rstrip()
    if len(whole) <= WIDTH:
        return whole
    body = _QUOTED.sub(lambda found: found[0].replace(" ", "\0"), body)
    lines = textwrap.wrap(
        body,
        WIDTH - len(" \\"),
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return " \\\n".join((head, *lines)).replace("\0", " ")


def _wrap(text: str, column: int, indent: int, end: str) -> list[str]:
    """Lines for text that begins at a column of a line with this indentation; the first comes without padding."""
    if column + len(text) + len(end) <= WIDTH:
        return [text + end]
    below = indent + _CONTINUATION
    found = _parameters(text)
    if found is None:
        head, _, name = text.rpartition(" ")
        return [head, " " * below + name + end] if head else [text + end]
    opening, parameters = found
    head, closing = text[: opening + 1], text.rindex(")")
    pairs = [(parameter, ",") for parameter in parameters[:-1]] + [(parameters[-1], text[closing:] + end)]
    aligned = column + len(head)
    if all(aligned + len(parameter) + len(after) <= WIDTH for parameter, after in pairs):
        first, *rest = _side_by_side(pairs, aligned)
        return [head + first, *(" " * aligned + line for line in rest)]
    return [head, *(" " * below + line for line in _side_by_side(pairs, below))]


def _side_by_side(pairs: list[tuple[str, str]], column: int) -> list[str]:
    """Parameters, each with what follows it, side by side from a column on; one that is too long is broken itself."""
    lines: list[str] = []
    broken = True
    for parameter, after in pairs:
        if not broken and column + len(lines[-1]) + 1 + len(parameter) + len(after) <= WIDTH:
            lines[-1] += f" {parameter}{after}"
        else:
            first, *rest = _wrap(parameter, column, column, after)
            lines += [first, *(line[column:] for line in rest)]
            broken = bool(rest)
    return lines


def _parameters(text: str) -> tuple[int, list[str]] | None:
    """Return the position of the parenthesis that closes last and the text in it; None where there is none."""
    end = text.rfind(")")
    depth, parameters = 0, list[str]()
    for at in range(end, -1, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth == 0 or (depth == 1 and text[at] == ","):
            parameters.insert(0, text[at + 1 : end].strip())
            end = at
        if depth == 0:
            return (at, parameters) if parameters != [""] else None
    return None
