"""Reading headers again after an edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from abigen.model.api import ApiSet
from abigen.model.span import AbigenError
from abigen.read.c.reader import read_headers
from abigen.read.c.rereading.confirmation import is_confirmed
from abigen.read.c.rereading.plan import plan
from abigen.read.options import ReadOptions, SourceFile


def reread_headers(previous: ApiSet, sources: Sequence[SourceFile], options: ReadOptions) -> ApiSet:
    """Read headers of which an earlier state is known; the result is that of `read_headers`.

    Args:
        previous: what that state was read as, with the same options, and the same state of all files that they include.
        sources: as in `read_headers`.
        options: as in `read_headers`.

    Raises:
        AbigenError: with every error found, each at a place in the user's files.
    """
    proposed = plan(previous, sources)
    if proposed is not None:
        try:
            api = read_headers(proposed.sources, options, proposed.known)
        except AbigenError:
            pass  # the whole text has to say what is wrong with it
        else:
            if is_confirmed(proposed, previous, api):
                return replace(api, sources={source.name: source.text for source in sources})
    return read_headers(sources, options)
