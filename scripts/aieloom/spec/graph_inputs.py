"""A network's inputs, where it has several: a design takes them as one record, in which they lie one after another.

So there is one input tensor for everything that carries it: files, the host program, its protocol, the references. What each
input is, a layer `graph_input` says, at which the record's reader picks it; these layers stand before all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod

from aieloom.spec.network import GRAPH_INPUT, INPUT, InputSpec, LayerCatalog, LayerSpec
from aieloom.spec.types import DataType


def record_of(inputs: Sequence[InputSpec]) -> InputSpec:
    """Return what the design takes in place of several inputs: a row of the values of all; it has a name that no layer has."""
    total = sum(prod(i.shape) for i in inputs)
    return InputSpec.model_construct(
        name=INPUT, shape=(total,), dtype=DataType.FLOAT32, integers=None, below=None
    )


def graph_input_layers(inputs: Sequence[InputSpec], catalog: LayerCatalog) -> tuple[LayerSpec, ...]:
    """Return the layer of each input: what of the record it is."""
    if not inputs:
        return ()
    model = catalog.layer_model(GRAPH_INPUT)
    offsets = accumulate((prod(i.shape) for i in inputs), initial=0)
    return tuple(
        model.model_validate(
            {"name": i.name, "op": GRAPH_INPUT, "inputs": [INPUT], "shape": list(i.shape), "offset": at}
        )
        for i, at in zip(inputs, offsets, strict=False)
    )
