"""Masks of keys: what is added to scores, followed back to an input of 0 and 1."""

from __future__ import annotations

import pytest

from aieloom.quantize.key_mask import traced
from tests.designs import network_of

KEYS = 3
YAML = """\
name: n
target: zcu104
weights: w.pt
execution: sequential
inputs:
  - {{name: x, shape: [3]}}
  - {{name: m, shape: {shape}, below: 2}}
  - {{name: other, shape: {shape}, below: 2}}
layers:
{layers}
  - {{name: ends, op: graph_outputs, inputs: [{last}, x, m, other]}}
"""
HIDES = "  - {name: hides, op: scale, factor: 1.0e+4, offset: -1.0e+4, inputs: [m]}"
EACH = "  - {name: each, op: rearrange, shape: [3, 3], sizes: [3, 3], strides: [0, 1]}"


@pytest.mark.parametrize(
    ("layers", "shape", "why"),
    [
        ([HIDES, EACH], [3], ""),
        (
            [
                EACH.replace("}", ", inputs: [m]}"),
                "  - {name: hidden, op: scale, factor: -1, offset: 1}",
                "  - {name: sign, op: sign}",
                "  - {name: both, op: mul, inputs: [hidden, sign]}",
                "  - {name: low, op: scale, factor: -3.0e+38}",
            ],
            [3],
            "",
        ),
        (
            [HIDES.replace("-1.0e+4", "1.0e+4"), EACH],
            [3],
            "is from 20000 to 20000 where 'm' is 1, up to 10000 where it is 0, and a mask is 0 and below -1000 there",
        ),
        (
            [HIDES.replace("1.0e+4", "5"), EACH],
            [3],
            "is from 0 to 0 where 'm' is 1, up to -5 where it is 0, and a mask is 0 and below -1000 there",
        ),
        (
            [HIDES, EACH.replace("[0, 1]", "[1, 0]")],
            [3],
            "is not of each key its own value of 'm', the same for all queries and heads",
        ),
        ([HIDES, EACH], [1, 1, 3], "follows from 'm' of 1 x 1 x 3 values, and there are 3 keys"),
        (["  - {name: two, op: mul, inputs: [m, other]}", EACH], [3], None),
        (["  - {name: mean, op: softmax, inputs: [m]}", EACH], [3], None),
        (["  - {name: mixed, op: mul, inputs: [m, x]}", EACH], [3], None),
    ],
)
def test_what_hides_keys_and_nothing_else(layers: list[str], shape: list[int], why: str | None) -> None:
    last = layers[-1].split("name: ")[1].split(",")[0]
    found = traced(network_of(YAML.format(layers="\n".join(layers), shape=shape, last=last)))
    assert (found[last].why_no_key_mask(KEYS) if last in found else None) == why
