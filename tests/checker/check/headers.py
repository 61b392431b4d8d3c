"""Headers from text, for tests of the checks."""

from __future__ import annotations

from abigen.headers.reader import read_headers
from abigen.model.api import ApiSet
from abigen.workspace.options import ReadOptions, SourceFile

PREAMBLE = "#include <stddef.h>\n#include <stdint.h>\n"


def read(text: str, *targets: str) -> ApiSet:
    """Read declarations as a header that has size_t and the fixed-width integers."""
    options = ReadOptions(targets=targets or ("x86_64-linux-gnu",))
    return read_headers([SourceFile("api.h", "api.h", PREAMBLE + text)], options)
