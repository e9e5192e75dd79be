"""Weights that come over streams: what each core is sent, and what the host program keeps in memory for it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from aieloom.cpp_text import View, wrap
from aieloom.emit.names import table_name
from aieloom.network.layers import Parameters
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.products.strategy import strategy_of


def sent_tables(layer: AieLayerPlan, params: Parameters) -> NDArray[np.uint8]:
    """Return the bytes that each part's cores are sent: weights, then biases or multipliers: `(parts, bytes)`."""
    table = layer.draft.streamed
    assert table is not None
    weights, rows = strategy_of(layer.grid).packed_weights(layer, params)
    found = np.zeros((table.streams, table.bytes), np.uint8)
    for at, values in ((0, weights), (table.rows_at, rows)):
        data = np.ascontiguousarray(values).view(np.uint8).reshape(table.streams, -1)
        found[:, at : at + data.shape[1]] = data
    return found


def tables_of(plan: ArrayPart, parameters: Mapping[str, Parameters]) -> tuple[View, ...]:
    """Return each layer's tables as memory holds them: word i of all streams lies together."""
    found = []
    for layer in plan.aie:
        if layer.draft.streamed is None:
            continue
        tables = sent_tables(layer, parameters[layer.name]).view("<u8")
        words = tables.T.ravel().tolist()
        found.append(
            View(
                name=table_name(layer.name),
                words=len(words),
                note=f"{layer.name}: {tables.shape[1]} words for each of {tables.shape[0]} streams",
                lines=wrap((f"0x{word:016x}" for word in words), indent=4),
            )
        )
    return tuple(found)
