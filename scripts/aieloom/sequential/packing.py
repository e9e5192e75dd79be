"""The weights file: what every command refers to, at the places that the builder gave it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from aieloom.network.layers import Parameters
from aieloom.plan.processor import PsStep
from aieloom.sequential import array_weights
from aieloom.sequential import commands as c
from aieloom.sequential.heads import column_scale
from aieloom.sequential.plan import SequentialPlan
from aieloom.sequential.recurrent import RecurrentStep, packed_recurrence
from aieloom.sequential.row_unit import RowStep, packed_rows
from aieloom.sequential.spatial import SpatialStep
from aieloom.sequential.steps import ConvStep, Step, trained_name
from aieloom.sequential.weights import packed_channels, packed_weights

Trained = c.Conv | c.Call | c.Vector | c.Product | c.Matmul | c.Row | c.Columns | c.Recurrence
Parts = tuple[tuple[c.Span, Any], ...]


def packed(plan: SequentialPlan, parameters: Mapping[str, Parameters]) -> bytes:
    """Return the weights file."""
    whole = bytearray(plan.weights_bytes)
    for step, command in _in_pairs(plan):
        trained = parameters.get(trained_name(step), {})
        parts = _parts_of_unit(command, step, trained) or _parts(plan, command, step, trained)
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


def _parts(plan: SequentialPlan, command: Trained, step: Step, trained: Parameters) -> Parts:
    """Return a command's weights, each with its place."""
    if isinstance(command, c.Conv):
        assert isinstance(step, ConvStep)
        return (
            (command.weights, packed_weights(step, plan.engine, trained)),
            (command.channels, packed_channels(step, plan.engine, trained)),
        )
    if isinstance(command, c.Matmul):
        assert isinstance(step, ConvStep)
        return ((command.channels, packed_channels(step, plan.engine, trained)),)
    if isinstance(command, c.Product):
        assert isinstance(step, ConvStep)
        assert plan.array
        return (
            (command.conv.weights, array_weights.packed_weights(step, plan.array, trained)),
            (command.conv.channels, array_weights.packed_channels(step, plan.array, trained)),
        )
    if isinstance(command, c.Vector):
        if isinstance(step, ConvStep):
            return ((command.table, np.frombuffer(array_weights.packed_depthwise(step, trained), np.int8)),)
        return ((command.table, np.asarray(plan.forms[step.layer].table, np.int8)),)
    assert isinstance(command, c.Call)
    names = step.weights if isinstance(step, PsStep) else ()
    return tuple(
        (span, np.asarray(trained[n], "<f4")) for span, n in zip(command.weights, names, strict=True)
    )


def _in_pairs(plan: SequentialPlan) -> Iterator[tuple[Step, Trained]]:
    """Yield each command that has weights with its step: a product of two activations has one that lays columns out."""
    steps = iter(s for s in plan.placed if not isinstance(s, SpatialStep))
    step: Step | None = None
    for command in plan.commands:
        if isinstance(command, Trained):
            step = step or next(steps)
            yield step, command
        if isinstance(command, Trained | c.Heads) and not isinstance(command, c.Columns):
            step = None
