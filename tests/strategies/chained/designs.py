"""Chains of layers for tests: plans of bfloat16 without weights."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aieloom.errors import CannotFit
from aieloom.network.layers import Network
from aieloom.network.tensor import Quantisation, TensorType
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.plan.types import ArrayPart
from aieloom.spec.device import load_device
from aieloom.spec.types import DataType
from tests.designs import network_of

CHAIN = """\
name: chain
target: vek280
weights: w.safetensors
input: {name: x, shape: [1, 14, 14]}
layers:
  - {name: conv1, op: conv2d, out_channels: 16, kernel: 3}
  - {name: act1, op: relu}
  - {name: pool1, op: max_pool, kernel: 2}
  - {name: conv2, op: conv2d, out_channels: 24, kernel: 3, padding: 1}
  - {name: act2, op: relu}
  - {name: fc, op: dense, out_features: 10}
  - {name: shares, op: softmax}
mapping:
  conv1: {strategy: chained, cores: 4, bands: 2}
  conv2: {strategy: chained, cores: 3}
  fc: {strategy: chained}
"""


# eight cores before give `two` a stream from each of two memory tiles
TWO_PORTS = """\
name: ports
target: vek280
weights: w.safetensors
input: {name: x, shape: [2, 6, 9]}
layers:
  - {name: one, op: conv2d, out_channels: 16, kernel: 3, padding: 1}
  - {name: two, op: conv2d, out_channels: 8, kernel: [2, 3]}
mapping:
  one: {strategy: chained, cores: 8, bands: 4, weights: stream}
  two: {strategy: chained, cores: 1, weights: stream}
"""


# a pool on a core of its own, beside the core before it; a feeder on the tile beside that one
POOLED = """\
name: pooled
target: vek280
weights: w.safetensors
input: {name: x, shape: [2, 8, 9]}
layers:
  - {name: one, op: conv2d, out_channels: 8, kernel: 1}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: low, op: relu}
  - {name: two, op: conv2d, out_channels: 8, kernel: [1, 2]}
mapping:
  one: {strategy: chained, weights: feeder, place: {col: 10, row: 0, cols: 2, rows: 1}}
  pool: {strategy: chained, place: {col: 11, row: 1, cols: 1, rows: 1}}
  two: {strategy: chained, place: {col: 12, row: 0, cols: 1, rows: 1}}
"""


def as_bfloat16(network: Network) -> Network:
    """Return a network whose elements are bfloat16."""
    return _narrow(network, DataType.BFLOAT16)


def _narrow(network: Network, dtype: DataType, zero_point: int | None = None) -> Network:
    quant = None if zero_point is None else Quantisation(scale=0.1, zero_point=zero_point)

    def of(t: TensorType) -> TensorType:
        return replace(t, dtype=dtype, quant=quant)

    layers = tuple(
        replace(la, x=of(la.x), y=of(la.y), others=tuple(map(of, la.others))) for la in network.layers
    )
    return replace(network, layers=layers)


def bfloat16_plan(text: str, *, float32_on: str = "") -> ArrayPart:
    """Plan a network in bfloat16, or as `target=` would in float32 on another board."""
    network = network_of(text)
    if float32_on:
        spec = network.spec.model_copy(update={"target": float32_on})
        return make_plan(replace(network, spec=spec), load_device(float32_on), REGISTRY)
    return make_plan(as_bfloat16(network), load_device(network.spec.target), REGISTRY)


def integer_like(text: str, *, zero_point: int) -> str:
    """Return the refusal of a network whose elements are int8 with a zero point."""
    network = _narrow(network_of(text), DataType.INT8, zero_point)
    with pytest.raises(CannotFit) as e:
        make_plan(network, load_device(network.spec.target), REGISTRY)
    return str(e.value)
