"""Processes that share the streams of a kernel with frame buffers: uneven shares, in rounds, at a join and behind a fork."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.plan.fanout import served
from tests.designs import plan_of
from tests.ops.system import check

# Tiles of c come in three rounds; 19 streams are shared as 10 and 9, 23 as 12 and 11.
UNEVEN = """\
name: uneven
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 12, 19]}
layers:
  - {name: a, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: b, op: conv2d, out_channels: 8, kernel: 3, padding: 1, inputs: [x]}
  - {name: sum, op: add, inputs: [a, b]}
  - {name: c, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
mapping:
  a: {tile: [8, 28, 4], mmul: [4, 2, 4], groups: 19, plio: 64}
  b: {tile: [4, 28, 8], mmul: [4, 2, 4], groups: 10, plio: 32}
  sum: {strategy: frame}
  c: {tile: [4, 72, 4], mmul: [4, 2, 4], groups: 23, plio: 64}
"""


@pytest.mark.integration
def test_shared_streams_carry_the_same_bits(tmp_path: Path) -> None:
    kernels = plan_of(UNEVEN).pl
    inlets = [i.streams.streams for k in kernels for i in k.inlets]
    outlets = [o.streams.streams for k in kernels for o in k.outlets]
    assert sorted(n for n in inlets if n > 16) == [19, 20, 23]
    assert sorted(n for n in outlets if n > 16) == [19, 23]
    assert max(map(served, kernels)) == 12
    check(tmp_path, UNEVEN, 3)
