"""Kernels of random networks in the emulator, one by one, against the reference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.designs import Design
from tests.ops.cases import Case, Values, cases_of, run_cases
from tests.ops.lines import CHAINED
from tests.ops.networks import (
    PRODUCTS,
    design_of_yaml,
    network_yaml,
    random_yaml,
)

# Operators side by side that the random networks meet seldom: windows behind windows, values before and behind them,
# a border of another value than a convolution's, a maximum of nothing but negative values, a wide softmax.
CHOSEN = [
    network_yaml(
        (3, 7, 6),
        [
            "  - {name: act, op: relu}",
            "  - {name: big, op: max_pool, kernel: 3, stride: 2, padding: 1}",
            "  - {name: sig, op: sigmoid}",
            "  - {name: mean, op: avg_pool, kernel: 2, stride: 1, padding: 1, count_include_pad: false}",
            "  - {name: up, op: upsample, scale: [1, 2]}",
            "  - {name: border, op: pad, padding: [1, 0, 2, 1], value: -0.5}",
            "  - {name: slope, op: leaky_relu, alpha: -0.25}",
            "  - {name: conv, op: conv2d, out_channels: 5, kernel: 3, padding: 1}",
            "  - {name: minus, op: clip, max: -0.001}",
            "  - {name: max2, op: max_pool, kernel: 2, padding: [1, 1, 0, 0]}",
            "  - {name: shares, op: softmax}",
        ],
    ),
    network_yaml(
        (2, 3, 3),
        [
            "  - {name: fc, op: dense, out_features: 1000}",
            "  - {name: shares, op: softmax}",
            "  - {name: bounded, op: clip, min: 0.0001, max: 0.01}",
        ],
    ),
    network_yaml(  # rows that a border makes an image of, flattened row after row
        (9, 7),
        [
            "  - {name: border, op: pad, padding: [1, 1, 0, 2], value: -0.26}",
            "  - {name: fc, op: dense, out_features: 10}",
            "  - {name: row, op: flatten}",
            "  - {name: curve, op: tanh}",
            "  - {name: last, op: dense, out_features: 3}",
        ],
    ),
]
# Lines for direct convolutions: from a frame buffer and from a line buffer, in passes, with a stride of rows.
DIRECT = """\
name: lines
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 8, 16]}
layers:
  - {name: pre, op: relu}
  - {name: first, op: conv2d, out_channels: 6, kernel: 5, padding: 2}
  - {name: curve, op: tanh}
  - {name: second, op: conv2d, out_channels: 5, kernel: 3, padding: 1}
  - {name: rel, op: relu}
  - {name: third, op: conv2d, out_channels: 4, kernel: [3, 1], padding: [1, 0], stride: [2, 1]}
mapping:
  first: {strategy: direct, tile: [2, 75, 32], groups: 2, plio: 128}
  curve: {strategy: streaming}
  second: {strategy: direct, tile: [5, 18, 16], groups: 3, plio: 128}
  rel: {strategy: streaming}
  third: {strategy: direct, tile: [4, 15, 32], groups: 1}
"""
ELEMENTWISE = ("clip", "identity", "leaky_relu", "relu", "sigmoid", "tanh", "conv2d", "dense")
STREAMED = """\
name: streamed
target: vck190
weights: w.safetensors
input: {{name: x, shape: [{channels}, 8, 8]}}
layers:
  - {{name: pre, op: identity}}
  - {{name: first, op: conv2d, out_channels: 15, kernel: 3, padding: 1}}
  - {{name: act, op: tanh}}
  - {{name: second, op: conv2d, out_channels: 7, kernel: 3, padding: 1, stride: {stride}}}
  - {{name: rel, op: relu}}
  - {{name: third, op: conv2d, out_channels: 8, kernel: 3}}
  - {{name: shuffle, op: pixel_shuffle, upscale: 2}}
mapping:
  pre: {{strategy: streaming}}
  first: {{tile: [4, {taps}, 8], mmul: [4, 2, 4], groups: 2, plio: 128}}
  act: {{strategy: streaming, lut: {{entries: 64, range: [-4, 4]}}, readers: {readers}}}
  second: {{tile: [8, 68, {pixels}], mmul: [4, 2, 4], groups: 2, plio: {plio}}}
  rel: {{strategy: streaming}}
  third: {{tile: [4, 32, 4], mmul: [4, 2, 4], plio: 64}}
  shuffle: {{strategy: streaming}}
"""
# Rows that come while others leave, a stride, several readers, words of two pixels, an image of one channel.
STREAMS = [
    STREAMED.format(channels=2, taps=18, stride=1, readers=2, pixels=8, plio=128),
    STREAMED.format(channels=1, taps=10, stride=2, readers=4, pixels=4, plio=128),
    STREAMED.format(channels=2, taps=18, stride=1, readers=1, pixels=4, plio=64),
]
# what comes from memory for chains of cores, and a streaming kernel before others; windows two columns apart; words of two pixels
CHAINS = CHAINED.replace("mapping:\n", "mapping:\n  act: {strategy: streaming}\n")
APART = """\
name: apart
target: vck190
weights: w.safetensors
input: {name: x, shape: [1, 20, 20]}
layers:
  - {name: conv, op: conv2d, out_channels: 8, kernel: [2, 4], stride: 2}
mapping:
  conv: {tile: [8, 8, 20], mmul: [4, 2, 4], plio: 128}
"""
NEIGHBOURS = APART.replace("kernel: [2, 4], stride: 2", "kernel: 3").replace("[8, 8, 20]", "[8, 10, 36]")


def streaming(seed: int) -> str:
    """Return a random network whose PL kernels are all streaming."""
    text = random_yaml(seed, ELEMENTWISE)
    names = [line.split()[2].rstrip(",") for line in text.splitlines() if line.startswith("  - {name:")]
    names = [n for n in names if not any(f"name: {n}, op: {op}" in text for op in (*PRODUCTS, "batch_norm"))]
    return text + "".join(
        ["mapping:\n"] + [f"  {n}: {{strategy: streaming}}\n" for n in names] if names else []
    )


def random_image(seed: int, shape: tuple[int, ...]) -> Values:
    return np.random.default_rng(seed).normal(0, 2, shape).astype(np.float32)


def check(
    texts: list[str],
    folder: Path,
    plan: Callable[[str], Design | None] = design_of_yaml,
    image_of: Callable[[int, tuple[int, ...]], Values] = random_image,
) -> None:
    """Compare bits; any NaN equals any other, for which of them comes out is no definition's affair."""
    designs: list[tuple[Design, list[Case], str]] = []
    for i, text in enumerate(texts):
        design = plan(text)
        if design is None:
            continue
        designs.append((design, cases_of(design, image_of(i, design.network.x.shape)), text))
    results = iter(run_cases([(d, cases) for d, cases, _ in designs], folder))
    for _, cases, text in designs:
        for case, counts, wanted in (
            (c, *ends) for c in cases for ends in zip(c.counts, c.wanted, strict=True)
        ):
            y = np.where(counts, next(results), wanted)
            if wanted.dtype == np.float32:
                y = np.where(np.isnan(y) & np.isnan(wanted), wanted, y)
            wrong = np.flatnonzero(y.view(np.int8) != wanted.view(np.int8))
            assert not wrong.size, (
                f"{case.kernel.name}: {wrong.size} of {y.nbytes} bytes differ, the first at {wrong[0]}, in\n{text}"
            )
    assert len(designs) > len(texts) // 2, "most of the networks did not fit"
