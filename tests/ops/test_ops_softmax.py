"""A softmax of one pixel in a streaming kernel: a chain of tasks, several images one after another, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.spec.quantize import QuantizeSpec
from tests.designs import plan_of
from tests.ops.lines import STREAMED, streamed
from tests.ops.test_ops_kernels import check
from tests.quantize.test_quantize_kernels import BFLOAT16, INT16, integer_design

ASKS = {"shares": STREAMED}
FC, SHARES = "  - {{name: fc, op: dense, out_features: {}}}", "  - {name: shares, op: softmax}"
# Functions before and behind, a fold of an image and upsampling in the same kernel, a layer on the array behind.
AMONG = [
    streamed(
        (3, 5, 5),
        [
            "  - {name: conv, op: conv2d, out_channels: 9, kernel: 3}",
            "  - {name: all, op: global_avg_pool}",
            "  - {name: curve, op: tanh}",
            SHARES,
            "  - {name: bounded, op: clip, min: 0.05, max: 0.5}",
            FC.format(7),
        ],
        {"all": STREAMED},
    ),
    streamed(
        (2, 3, 3),
        [
            FC.format(6),
            SHARES,
            "  - {name: up, op: upsample, scale: 2}",
            "  - {name: pool, op: max_pool, kernel: 2}",
        ],
        ASKS,
    ),
]
# A softmax of what is joined, before two readers.
JOINED = streamed(
    (4, 1, 1),
    [
        FC.format(6),
        "  - {name: other, op: dense, out_features: 6, inputs: [x]}",
        "  - {name: sum, op: add, inputs: [fc, other]}",
        SHARES,
        "  - {name: last, op: dense, out_features: 6, inputs: [shares]}",
        "  - {name: more, op: add, inputs: [last, shares]}",
    ],
    {"sum": STREAMED, "more": STREAMED},
)


def head(classes: int) -> str:
    return streamed((2, 3, 3), [FC.format(classes), SHARES], ASKS)


@pytest.mark.parametrize("classes", [1, 2, 5, 10, 33, 1000])
def test_a_head_of_any_width_gives_the_references_bits(classes: int, tmp_path: Path) -> None:
    (gap,) = (g for g in plan_of(head(classes)).gaps if g.steps)
    assert gap.streaming
    assert gap.streaming.ways == 1
    check([head(classes)], tmp_path)


def test_among_other_layers_it_gives_the_references_bits(tmp_path: Path) -> None:
    check([*AMONG, JOINED], tmp_path)


@pytest.mark.parametrize("spec", [QuantizeSpec(), INT16, BFLOAT16], ids=["int8", "int16", "bfloat16"])
def test_it_gives_the_references_elements(spec: QuantizeSpec, tmp_path: Path) -> None:
    board = "vek280" if spec is BFLOAT16 else "vck190"
    texts = [t.replace("vck190", board) for t in (head(1), head(10), head(200), *AMONG)]
    check(texts, tmp_path, lambda text: integer_design(text, spec))
