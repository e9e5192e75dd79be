"""Networks whose streaming PL kernels have layers that see neighbours."""

from __future__ import annotations

from tests.ops.networks import network_yaml

STREAMED = "strategy: streaming"


def streamed(shape: tuple[int, ...], rows: list[str], mapping: dict[str, str]) -> str:
    """Return a network with a mapping of some layers."""
    lines = [f"  {name}: {{{keys}}}\n" for name, keys in mapping.items()]
    return network_yaml(shape, rows) + "mapping:\n" + "".join(lines)


# What the vendor's tools would make of a kernel's parts: padding left and right, stages behind stages, a border of another
# value than a convolution's, a stride of the convolution behind, upsampling into lines, folds of whole images.
PLACES = streamed(
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
        "  - {name: up2, op: upsample, scale: [3, 2]}",
        "  - {name: c3, op: conv2d, out_channels: 4, kernel: 3, stride: 2}",
        "  - {name: rel3, op: relu}",
        "  - {name: all, op: global_avg_pool}",
        "  - {name: tail, op: tanh}",
    ],
    {"act": STREAMED, "minus": STREAMED, "tail": STREAMED},
)
# Several readers with a part of the channels each, the last of them with fewer; rows that come while others leave.
PARTS = streamed(
    (1, 18, 18),
    [
        "  - {name: c1, op: conv2d, out_channels: 14, kernel: 3}",
        "  - {name: act, op: relu}",
        "  - {name: pool, op: avg_pool, kernel: [3, 2], stride: [1, 2], padding: [1, 0]}",
        "  - {name: c2, op: conv2d, out_channels: 8, kernel: 3, padding: 1}",
        "  - {name: rel, op: relu}",
        "  - {name: last, op: max_pool, kernel: 2}",
        "  - {name: shown, op: upsample, scale: 2}",
    ],
    {
        "c1": "tile: [4, 10, 32], mmul: [4, 2, 4], groups: 1, plio: 128",
        "pool": "strategy: streaming, readers: 4",
        "c2": "tile: [4, 126, 16], mmul: [4, 2, 4], groups: 2, plio: 128",
        "last": STREAMED,
    },
)
# Words of two rows of channels; images whose rows are no whole beats, so that beats go on in the next row; behind, rows of no layer.
WRAPPED = streamed(
    (2, 15, 13),
    [
        "  - {name: c1, op: conv2d, out_channels: 10, kernel: 3}",
        "  - {name: act, op: leaky_relu, alpha: -0.25}",
        "  - {name: pool, op: max_pool, kernel: 2}",
        "  - {name: c2, op: conv2d, out_channels: 12, kernel: 2}",
        "  - {name: curve, op: tanh}",
        "  - {name: c3, op: conv2d, out_channels: 6, kernel: 3, padding: 1}",
        "  - {name: last, op: avg_pool, kernel: [2, 3], stride: 1, padding: 1}",
    ],
    {
        "c1": "mmul: [4, 4, 2], plio: 128",
        "pool": STREAMED,
        "c2": "mmul: [4, 4, 2], plio: 128",
        "curve": STREAMED,
        "c3": "mmul: [4, 4, 2], plio: 128",
        "last": STREAMED,
    },
)
WRAPPED_INTEGERS = WRAPPED.replace("mmul: [4, 4, 2], ", "")
# Blocks with one pixel, rows of which lie in a word.
PIXELS = streamed(
    (24, 1, 1),
    [
        "  - {name: d1, op: dense, out_features: 40}",
        "  - {name: curve, op: tanh}",
        "  - {name: d2, op: dense, out_features: 36}",
        "  - {name: bend, op: sigmoid}",
    ],
    {"curve": STREAMED, "bend": STREAMED},
)

# A first layer that a PL kernel feeds from memory, one behind a PL kernel, a dense one; chains of 3, 2 and 4, with and without rounds.
CHAINED = """\
name: chained
target: vck190
weights: w.safetensors
input: {name: x, shape: [5, 6, 6]}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: second, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: fc, op: dense, out_features: 6, bias: false}
mapping:
  first: {tile: [8, 16, 16], groups: 2, cascade: 3}
  second: {cascade: 2, groups: 1}
  fc: {cascade: 4}
"""
