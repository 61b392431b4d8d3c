"""What a plugin is called: the name that its author gave, and the names that follow from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from abigen.model.api import Api
from abigen.model.pattern import parse_pattern
from abigen.model.span import AbigenError, Diagnostic

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_LONGEST = 40
"""Characters of a name: files and symbols are named after it."""


@dataclass(frozen=True, kw_only=True)
class PluginIdentity:
    """The names of a plugin."""

    name: str
    """As core and its users know it: `MY_XPU`."""
    device_type: str
    """The type of its devices, for APIs that have such; the name unless its author says otherwise."""

    @property
    def stem(self) -> str:
        """What its functions and files begin with: `my_xpu`."""
        return "_".join(filter(None, self.name.lower().split("_")))

    @property
    def capitals(self) -> str:
        """What its macros begin with: `MY_XPU`."""
        return self.stem.upper()

    @property
    def camel(self) -> str:
        """What its types begin with: `MyXpu`."""
        return "".join(word.capitalize() for word in self.stem.split("_"))

    @property
    def dashed(self) -> str:
        """What packages are named after: `my-xpu`."""
        return self.stem.replace("_", "-")


def identify(name: str, device_type: str | None, api: Api) -> PluginIdentity:
    """Check the names of a plugin by what its API wants of them.

    Args:
        name: of the plugin.
        device_type: None: the same.
        api: whose members say by their patterns what the names that they hold look like.

    Raises:
        AbigenError: a name cannot be used, with one that could.
    """
    identity = PluginIdentity(name=name, device_type=device_type or name)
    problems = list(_problems(identity, api))
    if problems:
        raise AbigenError(problems)
    return identity


def _problems(identity: PluginIdentity, api: Api) -> Iterator[Diagnostic]:
    texts = {"plugin_name": ("name", identity.name), "device_type": ("device type", identity.device_type)}
    refused: set[str] = set()
    for struct in api.structs.values():
        for member in struct.fields or ():
            if not struct.in_api or not member.pattern or member.stands_for not in texts:
                continue
            what, text = texts[member.stands_for]
            if text not in refused and not parse_pattern(member.pattern).matches(text):
                refused.add(text)
                message = f"the {what} '{text}' cannot be used: {struct.name}.{member.name} wants {member.pattern}"
                yield Diagnostic(None, message, _suggestion(text, member.pattern))
    if not _IDENTIFIER.fullmatch(identity.name) or len(identity.name) > _LONGEST:
        message = f"the name '{identity.name}' cannot be used: files and functions are named after it"
        yield Diagnostic(None, message, f"at most {_LONGEST} letters, digits and underscores, a letter first")


def _suggestion(text: str, pattern: str) -> str:
    """A name close to what was asked for; empty when nothing close would do."""
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII)
    lettered = re.sub(r"[\d_]+", "_", plain).strip("_")
    wanted = parse_pattern(pattern)
    for candidate in (plain, plain.upper(), plain.lower(), lettered, lettered.upper(), lettered.lower()):
        if candidate and wanted.matches(candidate):
            return f"did you mean {candidate}?"
    return ""
