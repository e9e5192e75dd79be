"""The weights file: what every command refers to, at the places that the builder gave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aieloom.network.layers import Parameters
from aieloom.plan.processor import PsStep
from aieloom.sequential import array_weights
from aieloom.sequential import commands as c
from aieloom.sequential.heads import column_scale
from aieloom.sequential.plan import InTurn, engines_of
from aieloom.sequential.recurrent import RecurrentStep, packed_recurrence
from aieloom.sequential.row_unit import RowStep, packed_rows
from aieloom.sequential.steps import ConvStep, Step, trained_name
from aieloom.sequential.weights import packed_channels, packed_weights
from aieloom.units.plan import Plan

Trained = c.Conv | c.Call | c.Vector | c.Product | c.Matmul | c.Row | c.Columns | c.Recurrence
Parts = tuple[tuple[c.Span, Any], ...]


def packed(plan: Plan, parameters: Mapping[str, Parameters]) -> bytes:
    """Return the weights file."""
    design = engines_of(plan)
    steps = {step.layer: step for step in design.steps}
    whole = bytearray(design.weights_bytes)
    for turn in plan.schedule.turns:
        command = turn.record
        if not isinstance(command, Trained):
            continue
        step = steps[turn.name]
        trained = parameters.get(trained_name(step), {})
        parts = _parts_of_unit(command, step, trained) or _parts(design, command, step, trained)
        for span, values in parts:
            assert values.nbytes == span.size
            whole[span.offset : span.offset + span.size] = values.tobytes()
    return bytes(whole)


def _parts_of_unit(command: Trained, step: Step, trained: Parameters) -> Parts:
    """Return what a command of the row unit or the recurrent unit reads beside its tensors; nothing of another."""
    if isinstance(command, c.Recurrence):
        assert isinstance(step, RecurrentStep)
        return ((command.weights, packed_recurrence(step, trained)),)
    if isinstance(command, c.Row):
        assert isinstance(step, RowStep)
        return ((command.table, np.frombuffer(packed_rows(step, trained), np.int8)),)
    if isinstance(command, c.Columns):
        assert isinstance(step, ConvStep)
        assert step.heads
        return ((command.table, np.frombuffer(column_scale(step.heads, trained), np.int8)),)
    return ()


def _parts(design: InTurn, command: Trained, step: Step, trained: Parameters) -> Parts:
    """Return a command's weights, each with its place."""
    if isinstance(command, c.Conv):
        assert isinstance(step, ConvStep)
        return (
            (command.weights, packed_weights(step, design.engine, trained)),
            (command.channels, packed_channels(step, design.engine, trained)),
        )
    if isinstance(command, c.Matmul):
        assert isinstance(step, ConvStep)
        return ((command.channels, packed_channels(step, design.engine, trained)),)
    if isinstance(command, c.Product):
        assert isinstance(step, ConvStep)
        assert design.array
        return (
            (command.conv.weights, array_weights.packed_weights(step, design.array, trained)),
            (command.conv.channels, array_weights.packed_channels(step, design.array, trained)),
        )
    if isinstance(command, c.Vector):
        if isinstance(step, ConvStep):
            return ((command.table, np.frombuffer(array_weights.packed_depthwise(step, trained), np.int8)),)
        return ((command.table, np.asarray(design.forms[step.layer].table, np.int8)),)
    assert isinstance(command, c.Call)
    names = step.weights if isinstance(step, PsStep) else ()
    return tuple(
        (span, np.asarray(trained[n], "<f4")) for span, n in zip(command.weights, names, strict=True)
    )
