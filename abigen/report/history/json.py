"""A history for programs: one JSON object, described by `abigen/report/history.schema.json`."""

from __future__ import annotations

import json
from dataclasses import asdict

from abigen.model.history import Step
from abigen.report.history.subject import HistoryReport
from abigen.report.subject import Style


def render(report: HistoryReport, style: Style) -> str:
    """The object; sizes and offsets are in bytes, on the first of the targets."""
    document = {
        "schema": "abigen-history/1",
        "of": report.operand,
        "policy": report.policy,
        "targets": list(report.targets),
        "summary": report.summary(),
        "steps": [_step(step) for step in report.steps],
        "stale": [
            {
                "constant": each.constant,
                "struct": each.struct,
                "left_out": list(each.left_out),
                "since": each.since.label,
                "until": each.until.label if each.until else None,
            }
            for each in report.stale_periods
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _step(step: Step) -> dict[str, object]:
    state, name = step.state, step.name
    return {
        "revision": name.label,
        "commit": name.commit or None,
        "operand": name.operand,
        "date": name.date or None,
        "title": name.title or None,
        "version": state.version or None,
        "error": state.error or None,
        "is_first": step.is_first,
        "required_bump": state.required.value,
        "demanded_bump": state.demanded.value,
        "declared_bump": state.declared,
        "ok": state.ok and not state.error,
        "breaks": [
            {"code": each.code, "rule": each.rule, "entity": each.entity, "message": each.message}
            for each in state.breaks
        ],
        "others": dict(state.others),
        "stale": [asdict(each) for each in state.stale],
        "structs": [
            {"name": each.name, "size": each.size, "members": [member._asdict() for member in each.members]}
            for each in state.structs
        ],
    }
