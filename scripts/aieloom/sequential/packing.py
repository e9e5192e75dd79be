"""The weights file: tables of every command, at the places that the builder gave it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields

import numpy as np

from aieloom.layout.nest import Table
from aieloom.network.layers import Parameters
from aieloom.sequential import commands as c
from aieloom.sequential.heads import column_tables
from aieloom.sequential.plan import InTurn, engines_of
from aieloom.sequential.recurrent import RecurrentStep, recurrence_tables
from aieloom.sequential.row_unit import RowStep, row_tables
from aieloom.sequential.steps import ConvStep, Step
from aieloom.sequential.weights import array_tables, depthwise_tables, engine_tables
from aieloom.units.plan import Plan

TABLES: Mapping[str, Callable[..., Iterable[Table]]] = {
    RecurrentStep.unit: recurrence_tables,
    RowStep.unit: row_tables,
}
Trained = c.Conv | c.Call | c.Vector | c.Product | c.Matmul | c.Row | c.Columns | c.Recurrence


def packed(plan: Plan, parameters: Mapping[str, Parameters]) -> bytes:
    """Return the weights file."""
    design = engines_of(plan)
    steps = {step.layer: step for step in design.steps}
    whole = bytearray(design.weights_bytes)
    for turn in plan.schedule.turns:
        if isinstance(turn.record, Trained):
            step = steps[turn.name]
            spans = _spans(turn.record, step)
            filled = dict.fromkeys(spans, b"")
            for table in _tables(design, turn.record, step, parameters.get(step.part_of, {})):
                filled[table.name] += table.elements.tobytes()
            for name, span in spans.items():
                assert len(filled[name]) == span.size
                whole[span.offset : span.offset + span.size] = filled[name]
    return bytes(whole)


def _spans(command: Trained, step: Step) -> Mapping[str, c.Span]:
    """Return a command's parts of the file by the names of the tables that lie there, one after another."""
    if isinstance(command, c.Call):
        return dict(zip(step.called.weights if step.called else (), command.weights, strict=True))
    record = command.conv if isinstance(command, c.Product) else command
    places = {f.name: getattr(record, f.name) for f in fields(record)}
    return {name: span for name, span in places.items() if isinstance(span, c.Span)}


def _tables(design: InTurn, command: Trained, step: Step, trained: Parameters) -> Iterable[Table]:
    """Return what a command reads beside its tensors."""
    if step.product:
        return _of_product(design, command, step.product, trained)
    if step.unit in TABLES:
        return TABLES[step.unit](step, trained)
    if step.layer in design.forms:
        return (Table("table", np.asarray(design.forms[step.layer].table, np.int8)),)
    return (Table(n, np.asarray(trained[n], "<f4")) for n in (step.called.weights if step.called else ()))


def _of_product(design: InTurn, command: Trained, step: ConvStep, trained: Parameters) -> Iterable[Table]:
    match command:
        case c.Columns():
            return column_tables(step, trained)
        case c.Vector():
            return depthwise_tables(step, trained)
        case c.Product():
            assert design.array
            return array_tables(step, design.array, trained)
    return engine_tables(step, design.engine, trained)
