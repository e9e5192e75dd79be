"""Networks whose PL kernels stream where they can, forks and joins too."""

from __future__ import annotations

import numpy as np

from aieloom.pl.kernel import PlKernel
from aieloom.pl.lines.streamable import can_stream
from aieloom.pl.streams import TiledStreams
from aieloom.plan.types import ArrayPart
from tests.designs import plan_of
from tests.ops.networks import design_of_yaml, network_yaml, random_graph_yaml

# A fork of an input, of a layer on the array and of a pool; sums, a concatenation of three, joins behind joins and before
# a pool; pads and upsampling in both branches; a stride behind a fork.
BRANCHES = network_yaml(
    (3, 8, 8),
    [
        "  - {name: c0, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: c1, op: conv2d, out_channels: 4, kernel: 3, padding: 1}",
        "  - {name: a1, op: add, inputs: [c1, c0]}",
        "  - {name: r1, op: relu}",
        "  - {name: p1, op: max_pool, kernel: 2}",
        "  - {name: b1, op: pad, padding: [1, 1, 0, 0], value: 0.25, inputs: [p1]}",
        "  - {name: c2, op: conv2d, out_channels: 6, kernel: 2, inputs: [b1]}",
        "  - {name: c3, op: conv2d, out_channels: 6, kernel: 1, inputs: [p1]}",
        "  - {name: t3, op: tanh}",
        "  - {name: all, op: concat, inputs: [c2, t3, p1]}",
        "  - {name: u1, op: upsample, scale: 2, inputs: [c2]}",
        "  - {name: u2, op: upsample, scale: 2, inputs: [t3]}",
        "  - {name: a2, op: add, inputs: [u1, u2]}",
        "  - {name: m2, op: max_pool, kernel: 3, stride: 1, padding: 1}",
        "  - {name: c4, op: conv2d, out_channels: 5, kernel: 3, stride: 2, padding: 1}",
        "  - {name: c5, op: conv2d, out_channels: 5, kernel: 1, inputs: [all]}",
        "  - {name: d1, op: add, inputs: [c4, c5]}",
        "  - {name: mean, op: global_avg_pool}",
        "  - {name: fc, op: dense, out_features: 5}",
    ],
)
OPS = (
    *("conv2d", "conv2d", "relu", "tanh", "max_pool", "avg_pool", "pad", "upsample", "global_avg_pool"),
    "softmax",
)


def asks(plan: ArrayPart, share: float = 1.0, seed: int = 0) -> str:
    """Return the mapping with which a `share` of the kernels that can stream do, chosen at random."""
    random, lines = np.random.default_rng(seed), dict[str, None]()
    for kernel in plan.pl:
        if can_stream(kernel) and random.random() < share:
            lines |= dict.fromkeys(_asking(kernel))
    return "mapping:\n" + "".join(lines) if lines else ""


def _asking(kernel: PlKernel) -> list[str]:
    if kernel.steps:
        return [f"  {kernel.steps[0].layer}: {{strategy: streaming}}\n"]
    tiled = [i.producer for i in kernel.inlets if isinstance(i.streams, TiledStreams)]
    return [f"  {name}: {{pl: streaming}}\n" for name in tiled]


def all_streaming(text: str) -> str:
    """Return a network all of whose kernels stream that can."""
    return text + asks(plan_of(text))


def random_streaming(seed: int, share: float = 1.0) -> str | None:
    """Return a random network with branches, a `share` of whose kernels stream; None where the device has no room."""
    text = random_graph_yaml(seed, OPS, ("add", "sub", "mul"))
    design = design_of_yaml(text)
    return text + asks(design.plan, share, seed) if design else None
