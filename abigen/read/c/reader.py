"""Reading C headers: from files to the API that they declare."""

from __future__ import annotations

from collections.abc import Sequence

from abigen.model.api import Api, ApiGroup, ApiSet
from abigen.model.span import AbigenError, Diagnostic
from abigen.model.target import Target, find_target
from abigen.read.c.chunks import balance, split
from abigen.read.c.context import SystemContext
from abigen.read.c.declarations import EntityBuilder
from abigen.read.c.documentation import Commentary
from abigen.read.c.preprocess import preprocess
from abigen.read.c.symbols import Symbols
from abigen.read.c.unit import Unit
from abigen.read.options import ReadOptions, SourceFile


def read_headers(sources: Sequence[SourceFile], options: ReadOptions) -> ApiSet:
    """Read headers as the API that they declare.

    Args:
        sources: the files whose declarations are the API's own, in the order in which they are included.
        options: how to preprocess them, and for which targets.

    Returns:
        One API for all targets when no header asks what the target is, else one per group of targets that agree.

    Raises:
        AbigenError: with every error found, each at a place in the user's files.
    """
    target = find_target(options.targets[0])
    unit = preprocess(sources, options, target)
    api = _read_unit(unit, options, target, sources)
    texts = {source.name: source.text for source in sources}
    return ApiSet((ApiGroup(options.targets, api),), texts, unit.dependencies)


def _read_unit(unit: Unit, options: ReadOptions, target: Target, sources: Sequence[SourceFile]) -> Api:
    """Read one preprocessed unit."""
    diagnostics: list[Diagnostic] = list(unit.diagnostics)
    symbols = Symbols(options.std, SystemContext(unit.system_texts), diagnostics.append)
    stream, errors = balance(unit.tokens)
    diagnostics += errors
    chunks, errors = split(stream)
    diagnostics += errors
    symbols.declare(chunks)
    symbols.assign_keys()
    commentary = Commentary(unit.comments)
    builder = EntityBuilder(symbols, unit.own_files, commentary, diagnostics.append)
    builder.build()
    errors = [each for each in diagnostics if each.severity == "error"]
    if errors:
        raise AbigenError(sorted(set(errors), key=lambda each: (each.place is not None, each.place)))
    return Api(
        name=sources[0].name,
        structs=builder.structs,
        enums=builder.enums,
        typedefs=builder.typedefs,
        functions=builder.functions,
        variables=builder.variables,
        files=unit.own_files,
        doc=commentary.of_file(sources[0].name),
        warnings=tuple(each for each in diagnostics if each.severity != "error"),
    )
