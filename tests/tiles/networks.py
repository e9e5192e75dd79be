"""Networks whose images are cut into tiles, for tests."""

from __future__ import annotations

ESPCN = """\
name: enlarger
target: vck190
weights: w.safetensors
input: {name: y, shape: [1, 40, 56]}
tiles: {size: [24, 24]}
layers:
  - {name: conv1, op: conv2d, out_channels: 8, kernel: 5, padding: 2}
  - {name: tanh1, op: tanh}
  - {name: conv2, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: tanh2, op: tanh}
  - {name: conv3, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: shuffle, op: pixel_shuffle, upscale: 2}
mapping:
  conv1: {strategy: direct, tile: [4, 25, 24], groups: 2, plio: 128}
  conv2: {strategy: direct, tile: [4, 72, 24], groups: 2, plio: 128}
  conv3: {strategy: direct, tile: [4, 36, 24], groups: 1, plio: 128}
  tanh1: {strategy: streaming}
  tanh2: {strategy: streaming}
  shuffle: {strategy: streaming}
"""

# strides and pools: tiles begin at multiples of 4; 37 and 51 are no multiples of anything
POOLED = """\
name: pooled
target: vck190
weights: w.safetensors
input: {name: x, shape: [2, 37, 51]}
tiles: {size: [25, 31]}
layers:
  - {name: border, op: pad, padding: [1, 2, 0, 1], value: 0.25}
  - {name: conv1, op: conv2d, out_channels: 8, kernel: 3, stride: 2, padding: 1}
  - {name: act1, op: relu}
  - {name: pool, op: max_pool, kernel: 3, stride: 2, padding: 1}
  - {name: conv2, op: conv2d, out_channels: 4, kernel: [3, 1], padding: [1, 0]}
  - {name: twice, op: upsample, scale: [1, 2]}
  - {name: shares, op: softmax}
"""

RESIDUAL = """\
name: residual
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 27, 30]}
tiles: {size: [15, 18]}
layers:
  - {name: conv1, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: act1, op: relu}
  - {name: conv2, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: sum, op: add, inputs: [act1, conv2]}
  - {name: act2, op: relu}
  - {name: both, op: concat, inputs: [act2, act1]}
  - {name: mean, op: avg_pool, kernel: 3, stride: 1, padding: 1, count_include_pad: false}
  - {name: conv3, op: conv2d, out_channels: 2, kernel: 1}
"""

# both architectures' narrow types; `%s` is what makes them
NARROW = """\
name: narrow
target: %s
weights: w.safetensors
input: {name: x, shape: [3, 26, 38]}
tiles: {size: [14, 20]}
copies: 2
layers:
  - {name: conv1, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act1, op: relu}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: conv2, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: shuffle, op: pixel_shuffle, upscale: 2}
quantize: {%s}
"""
