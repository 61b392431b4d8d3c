"""Policies: how loud each rule is, what counts, and which findings a project has accepted. Data, not code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from abigen.model.finding import Bump, Level
from abigen.model.span import AbigenError, Span

LEVELS = ("error", "warning", "note", "off")
MAJOR_ZERO = ("cargo", "none", "strict")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Settings that are not about a single rule."""

    major_zero: str = "cargo"
    """What has to move while MAJOR is 0: `cargo` (a break MINOR, else PATCH), `none`, `strict` (as if 1 or more)."""
    source_counts: bool = True
    """Whether a change that only breaks source code needs MAJOR."""
    macro_body_bump: Bump = Bump.NONE
    """What a changed body of a function-like macro needs."""
    repurposed_bump: Bump = Bump.NONE
    """What a rewritten comment of an existing member needs."""
    strict_padding: bool = False
    """Whether a hole in a versioned struct is an error."""


@dataclass(frozen=True, kw_only=True)
class Override:
    """What a project decides about some findings: by rule and entity, for a reason, for a time."""

    rule: str
    """Name or code; `*` and `?` are wildcards."""
    entity: str = "*"
    """`*` and `?` are wildcards."""
    level: str = "off"
    """One of LEVELS; `off` accepts the findings, and they no longer count towards the bump."""
    reason: str
    expires: str = ""
    """The last day on which it holds, `YYYY-MM-DD`; empty for no end."""
    place: Span | None = None
    """Where the configuration says so."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A named policy; `levels` says how loud a rule is, by public name, where `DEFAULT_LEVELS` is not to apply."""

    name: str = "default"
    levels: Mapping[str, str] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    overrides: tuple[Override, ...] = ()
    today: str = ""
    """The date to hold `expires` against, `YYYY-MM-DD`; empty for the real one."""

    def level_of(self, rule: str, bump: Bump, usual: str = "") -> str:
        """How loud a finding is before overrides: one of LEVELS.

        Args:
            rule: public name.
            bump: what the finding requires; it decides where no level is given for the rule.
            usual: what the rule itself says of this finding; the policy's own word about the rule goes before it.
        """
        level = self.levels.get(rule) or usual or DEFAULT_LEVELS.get(rule)
        return level or (Level.ERROR if bump is Bump.MAJOR else Level.NOTE).value


DEFAULT_LEVELS: Mapping[str, str] = {
    "bump-missing": "error",
    "version-went-back": "error",
    "bump-not-reset": "warning",
    "field-deprecated": "warning",
    "renamed-by-deprecation": "warning",
    "type-deprecated": "warning",
    "enumerator-deprecated": "warning",
    "function-deprecated": "warning",
    "field-undeprecated": "warning",
    "removed-without-deprecation": "warning",
}
"""Rules whose level does not follow from the bump that their finding requires (MAJOR: error, else note)."""

POLICIES: Mapping[str, Policy] = {
    "default": Policy(),
    "binary-only": Policy(name="binary-only", options=Options(source_counts=False)),
    "strict": Policy(
        name="strict",
        options=Options(
            major_zero="strict", macro_body_bump=Bump.MAJOR, repurposed_bump=Bump.MAJOR, strict_padding=True
        ),
    ),
}


def find_policy(name: str) -> Policy:
    """A policy that is shipped, by name.

    Raises:
        AbigenError: there is none of that name.
    """
    if name not in POLICIES:
        from difflib import get_close_matches

        close = get_close_matches(name, POLICIES, 1)
        hint = f"did you mean `{close[0]}`?" if close else "known are " + ", ".join(f"`{each}`" for each in POLICIES)
        raise AbigenError.at(None, f"there is no policy `{name}`", hint)
    return POLICIES[name]


def with_overrides(policy: Policy, overrides: tuple[Override, ...]) -> Policy:
    """The same policy with a project's own decisions; later ones win over earlier ones."""
    return replace(policy, overrides=policy.overrides + overrides)
