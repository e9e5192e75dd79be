"""A residual block."""

from __future__ import annotations

from tests.ops.networks import network_yaml

# A fork before an add, an add of two array layers, a fork and a join of layers on programmable logic.
RESIDUAL = network_yaml(
    (3, 8, 8),
    [
        "  - {name: c0, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: r0, op: relu}",
        "  - {name: c1, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: r1, op: relu}",
        "  - {name: c2, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: a1, op: add, inputs: [c2, r0]}",
        "  - {name: ra1, op: relu}",
        "  - {name: c3, op: conv2d, out_channels: 8, kernel: 3, padding: 1, stride: 2}",
        "  - {name: r3, op: relu}",
        "  - {name: c4, op: conv2d, out_channels: 8, kernel: 3, padding: 1}",
        "  - {name: c5, op: conv2d, out_channels: 8, kernel: 1, stride: 2, inputs: [ra1]}",
        "  - {name: a2, op: add, inputs: [c4, c5]}",
        "  - {name: ra2, op: relu}",
        "  - {name: mean, op: global_avg_pool}",
        "  - {name: most, op: max_pool, kernel: 4, inputs: [ra2]}",
        "  - {name: both, op: concat, inputs: [most, mean]}",
        "  - {name: fc, op: dense, out_features: 5}",
    ],
)
