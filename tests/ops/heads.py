"""Classifiers that end in softmax, among other kernels of the logic."""

from __future__ import annotations

from tests.ops.lines import STREAMED, streamed

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
