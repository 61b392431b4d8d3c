"""All pages of the manual: of the rules about APIs, and of the checks of plugins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abigen.model.finding import Page


def all_pages() -> tuple[Page, ...]:
    """Every page, by code."""
    from abigen.check.manual import pages
    from abigen.host.verify.check import api_checks, generic_checks

    checks = (*generic_checks(), *api_checks(verify_folders("")))
    return tuple(sorted((*pages(), *tuple(check.page for check in checks)), key=lambda page: page.code))


def verify_folders(api: str) -> Iterable[Path]:
    """The folders with checks that are about one API.

    Args:
        api: its name, the path of its spec below the folder of specs; empty for all APIs.
    """
    from abigen.shipped import shipped

    root = shipped("templates") / "verify"
    if api:
        return (root / api.rpartition("/")[2],)
    return tuple(sorted(path for path in root.glob("*") if path.is_dir() and not path.name.startswith("_")))
