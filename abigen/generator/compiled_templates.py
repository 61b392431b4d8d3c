"""Templates that this process has compiled already: compiling them is most of the work of a small build."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import CodeType

from jinja2.bccache import Bucket, BytecodeCache


class CompiledTemplates(BytecodeCache):
    """The compiled templates of one vocabulary, kept in memory only: stored code could be replaced, and would run."""

    def __init__(self) -> None:
        """Begin without any."""
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Use what was compiled of the same template with the same text."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        if bucket.code is not None:
            self._codes[bucket.key, bucket.checksum] = bucket.code


@lru_cache(maxsize=16)
def compiled_templates(vocabulary: frozenset[tuple[str, Callable[..., object]]]) -> CompiledTemplates:
    """Compiled templates of a vocabulary; a filter of a constant is worked out when a template is compiled.

    Args:
        vocabulary: name and function of each filter.
    """
    return CompiledTemplates()
