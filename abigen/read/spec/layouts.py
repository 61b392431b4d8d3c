"""What only a layout shows: members that have no size, bit-fields wider than their type, alignments over the limit."""

from __future__ import annotations

from collections.abc import Sequence

from abigen.model.api import Api
from abigen.model.entities import Struct
from abigen.model.layout import Layout, Layouts
from abigen.model.span import AbigenError
from abigen.model.target import find_target
from abigen.read.spec.messages import Report


def check_layouts(api: Api, targets: Sequence[str], report: Report) -> None:
    """Lay out every struct of the API's own on every target.

    Args:
        api: an API in whose types nothing else is wrong.
        targets: names of targets.
        report: receives what is wrong, once for all targets.
    """
    for target in targets:
        layouts = Layouts(api, find_target(target))
        for key, struct in api.structs.items():
            if not struct.in_api or struct.fields is None:
                continue
            try:
                layout = layouts.of(key)
            except AbigenError as error:
                report.add(error.diagnostics)
                continue
            if api.header and key in api.header.size_macros:
                _check_alignments(api, struct, layout, target, report)


def _check_alignments(api: Api, struct: Struct, layout: Layout, target: str, report: Report) -> None:
    limit = api.conventions.max_alignment
    for member in layout.fields:
        if member.alignment > limit:
            message = (
                f"'{struct.name}.{member.name}' is aligned to {member.alignment} bytes on {target};"
                f" the limit in versioned structs is {limit}"
            )
            report.error(member.field.span, message, "see conventions.max_alignment")
            return
