"""The comment that accepts a finding, as an edit of the file in which the finding is."""

from __future__ import annotations

import re

from abigen.checker.header_text import HeaderText, is_generated
from abigen.checker.policy import declaration_lines
from abigen.model.api import ApiSet
from abigen.model.finding import Finding, Fix

PLACEHOLDER = "TODO: why"
"""The reason until the author writes one."""
_SPEC = (".yaml", ".yml")
_OF_NO_API = "ABI9"
"""The beginning of the codes of rules about exceptions: a comment accepts none of their findings."""
_OF_RELEASES = "ABI7"
"""The beginning of the codes of rules about the version: only the rule and the entity name their findings."""


def accepting(finding: Finding, new: ApiSet) -> Fix | None:
    """Return the edit that inserts `abigen: accept RULE: TODO: why` on a line above the declaration.

    The comment names the entity where its place is not enough: for a removed entity, and for a line with several names.
    `--fix` never makes this edit, since it would hide all findings.

    Args:
        finding: a finding of a comparison or an inspection.
        new: the API that is edited.

    Returns:
        None if no comment in the files of NEW can accept the finding.
    """
    own = {file for group in new.groups for file in group.api.files} & {*new.sources}
    entity = re.sub(r"[^\w.]", "?", finding.entity)
    if finding.code.startswith(_OF_NO_API) or not entity or not own:
        return None
    name = finding.new.file if finding.new is not None and finding.new.file in own else _file_of_old(finding, own)
    source = HeaderText(name, new.sources[name]) if name else None
    if source is None or is_generated(source.text):
        return None
    place = _line_above(finding, source)
    is_apart = place is None
    if place is None:  # at the end of the file: the entity has no declaration in NEW
        place = len(source.text)
    is_named = is_apart or not _is_the_only_one(finding, place, source)
    words = f"abigen: accept {finding.rule}{f' {entity}' if is_named else ''}: {PLACEHOLDER}"
    is_line = source.has_line_comments
    comment = f"# {words}" if name.endswith(_SPEC) else f"// {words}" if is_line else f"/* {words} */"
    line = source.text[place : source.line_end(place)]
    indentation = "" if is_apart else line[: len(line) - len(line.lstrip())]
    above = "" if not is_apart or source.text.endswith("\n") or not source.text else "\n"
    edit = source.edit(place, place, f"{above}{indentation}{comment}\n")
    return Fix(f"accept {finding.code} with a reason", (edit,), is_safe=False)


def _file_of_old(finding: Finding, own: set[str]) -> str:
    """Return the file for a finding without a place in NEW: the only one, or one with the name of OLD's; else empty."""
    if len(own) == 1:
        return next(iter(own))
    old = re.split(r"[/\\]", finding.old.file)[-1] if finding.old is not None else ""
    alike = [each for each in sorted(own) if re.split(r"[/\\]", each)[-1] == old]
    return alike[0] if len(alike) == 1 else ""


def _line_above(finding: Finding, source: HeaderText) -> int | None:
    """Return the index of the line before which a comment may be; None if the finding has no place in this file."""
    if finding.new is None or finding.new.file != source.name:
        return None
    place = source.line_begin(source.offset(finding.new))
    if source.name.endswith(_SPEC):
        return place
    while place and (source.comment_around(place) or source.text[:place].endswith("\\\n")):
        comment = source.comment_around(place)
        place = source.line_begin(comment[0] if comment is not None else place - 1)
    return place


def _is_the_only_one(finding: Finding, place: int, source: HeaderText) -> bool:
    """True if a comment before a line is about the entity of a finding, and about no other one.

    Args:
        finding: the finding.
        place: the index of the first character of the line.
        source: the file.
    """
    there = finding.new
    if there is None or finding.old is None or finding.code.startswith(_OF_RELEASES):
        return False
    before = source.text[:place].count("\n")
    rows = source.text.splitlines()
    first, last = declaration_lines(["", *rows[before:]], 0, 0, source.name)
    begin, end = first + before - 1, last + before - 1
    declared = "\n".join((rows if source.name.endswith(_SPEC) else source.code.split("\n"))[begin - 1 : end])
    is_about_it = source.text.startswith(finding.entity.rpartition(".")[2], source.offset(there))
    outside = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", declared))
    names = len(re.findall(r"[;,{]", outside.rstrip().rstrip(";,{")))
    return begin <= there.line <= end and is_about_it and not names
