"""Entries for a CHANGELOG: what each version of an API broke, added and deprecated, the newest first."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import groupby

from abigen.model.finding import Finding
from abigen.model.history import Step
from abigen.model.printable import without_commands
from abigen.report.formats.markdown import escape_text
from abigen.report.wording import KINDS, kind_of

_HEADINGS = dict(zip(KINDS, ("Breaking", "Added", "Deprecated", "Changed", "Fixed"), strict=True))


_UNRELEASED = "Unreleased"
"""What keepachangelog.com calls changes that are in no release yet."""


def changelog(steps: Sequence[Step], *, without_first: bool = False) -> str:
    """Write Markdown in the order and with the headings of keepachangelog.com, and `Breaking` in front of them.

    Args:
        steps: in order of time; those that cannot be read are left out. Steps of one version become one entry.
        without_first: the first step is only what the second is compared with.

    Returns:
        The entries, with a line end at their end; empty when nothing can be read.
    """
    released = {each for step in steps if step.name.release for each in (step.state.version, step.name.release_version)}
    read = [step for step in steps[1 if without_first else 0 :] if not step.state.error]
    versions = groupby(read, lambda step: _heading(step, released))
    entries = ["\n".join(_entry(version, list(group))) for version, group in versions]
    return without_commands("\n".join(reversed([each for each in entries if each])))


def _heading(step: Step, released: Container[str]) -> str:
    """What the entry of a step is called.

    A commit is called by the tag of its release. Without one, it is called by the version that it states, unless a
    release states that version, too, or its tag names it. Other revisions are called by their own name.
    """
    version, label = step.state.version, step.name.label
    if step.name.release:
        return step.name.release
    if step.name.commit and version in released:
        return _UNRELEASED
    if step.name.commit or version == label:
        return version or label
    return f"{version} ({label})" if version else label


def _entry(version: str, steps: Sequence[Step]) -> Iterator[str]:
    """One version; nothing of a revision without a version that changed nothing."""
    findings = [finding for step in steps for finding in (*step.state.breaks, *step.state.others)]
    if not findings and not steps[0].state.version and not steps[0].is_first:
        return
    last = steps[-1].name
    date = "" if version == _UNRELEASED else last.released or last.date
    yield f"## {escape_text(version)}{f' - {date}' if date else ''}\n"
    if steps[0].is_first:
        yield "- The first version.\n"
    elif not findings:
        yield "- Nothing that anyone who uses the API has to know.\n"
    for kind, heading in _HEADINGS.items():
        lines = dict.fromkeys(_message(each) for each in findings if (kind_of(each) or KINDS[0]) == kind)
        if lines:
            yield f"### {heading}\n"
            yield "".join(f"- {escape_text(line)}\n" for line in lines)


def _message(finding: Finding) -> str:
    """What a finding says, with the name of what it is about as code."""
    before, name, after = finding.message.partition(finding.entity)
    return f"{before}`{name}`{after}" if name and not {"`", "."} & set(before[-1:] + after[:1]) else finding.message
