"""Direct convolutions in lanes."""

from __future__ import annotations

# A stride of 1 and of 2, a row that no lanes divide, channels that fill no block, K in passes, tiles in rounds and groups.
LAYERS = """\
name: direct
target: {target}
weights: w.safetensors
input: {{name: x, shape: [5, 8, 9]}}
layers:
  - {{name: c1, op: conv2d, out_channels: 18, kernel: 3, padding: 1}}
  - {{name: r1, op: relu}}
  - {{name: c2, op: conv2d, out_channels: 6, kernel: [3, 2], padding: [1, 0], stride: 2}}
  - {{name: six, op: clip, min: 0, max: 0.4}}
  - {{name: c3, op: conv2d, out_channels: 4, kernel: [2, 3], padding: [0, 1], stride: [1, 3]}}
  - {{name: r3, op: relu}}
mapping:
  c1: {{strategy: direct, tile: {first}, mmul: {mmul}, groups: 2, plio: 32}}
  r1: {{strategy: streaming}}
  c2: {{strategy: direct, tile: {second}, groups: 1, buffers: single}}
  c3: {{strategy: direct, plio: 128}}
  r3: {{strategy: streaming}}
"""
FLOATS = LAYERS.format(target="vck190", first="[8, 36, 18]", mmul="[4, 2, 4]", second="[4, 60, 8]")
