"""What a rule of form is handed: one API, without a history."""

from __future__ import annotations

from dataclasses import dataclass, field

from abigen.check.embedding import Uses
from abigen.check.policy import Options
from abigen.model.api import Api
from abigen.model.layout import Layouts
from abigen.model.target import find_target


@dataclass(frozen=True)
class Form:
    """One API as one group of targets sees it; `targets` has the preferred one first."""

    api: Api
    targets: tuple[str, ...]
    options: Options
    text: dict[str, str] = field(default_factory=dict)
    """The text of the API's own files by name."""
    _layouts: dict[str, Layouts] = field(default_factory=dict)
    _uses: list[Uses] = field(default_factory=list)

    def layouts(self, target: str = "") -> Layouts:
        """The layouts on a target, each computed when it is asked for.

        Args:
            target: one of `targets`; the first when empty.
        """
        name = target or self.targets[0]
        if name not in self._layouts:
            self._layouts[name] = Layouts(self.api, find_target(name))
        return self._layouts[name]

    @property
    def uses(self) -> Uses:
        """Where structs are used by value."""
        if not self._uses:
            self._uses.append(Uses(self.api))
        return self._uses[0]
