"""What a chain of cores reads, walked through in plain Python."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from aieloom.plan.shared_buffers import Access, SharedBuffer

Ints = NDArray[np.int64]


def walk(buffer: SharedBuffer, access: Access, memory: Ints) -> Ints:
    """Return what a reader takes of a buffer: the definition of tiling_parameters [UG1603], loop by loop."""
    found = []
    loops = [range(t.wrap) for t in reversed(access.traversal)]
    tile = [range(n) for n in reversed(access.tile)]
    for steps in np.ndindex(*(len(loop) for loop in loops)):
        base = list(access.offset)
        for t, i in zip(reversed(access.traversal), steps, strict=True):
            base[t.dimension] += i * t.stride
        for at in np.ndindex(*(len(t) for t in tile)):
            place = [b + e for b, e in zip(base, reversed(at), strict=True)]
            edge = access.boundary or buffer.dimensions
            inside = all(0 <= p < e for p, e in zip(place, edge, strict=True))
            flat = sum(p * math.prod(buffer.dimensions[:d]) for d, p in enumerate(place))
            found.append(memory[flat] if inside else 0)
    return np.array(found)


WEIGHTS = st.sampled_from(["constant", "stream", "feeder"])


@st.composite
def chains(draw: st.DrawFn) -> str:
    """Return a chain of convolutions and a dense layer, with pools in them and of their own, borders, bands and parts as they come."""
    height, width = draw(st.integers(6, 11)), draw(st.integers(6, 11))
    lines, mapping = [], []
    for name in ("one", "two"):
        ky, kx = draw(st.integers(1, 3)), draw(st.integers(1, 5))
        py, px = draw(st.integers(0, ky - 1)), draw(st.integers(0, kx - 1))
        height, width = height + 2 * py - ky + 1, width + 2 * px - kx + 1
        if height < 1 or width < 1:
            ky, kx, height, width = 1, 1, height + ky - 1, width + kx - 1
        out = draw(st.integers(1, 40))
        lines.append(
            f"  - {{name: {name}, op: conv2d, out_channels: {out}, kernel: [{ky}, {kx}], padding: [{py}, {px}]}}"
        )
        if min(height, width) > 1 and draw(st.booleans()):
            lines.append(f"  - {{name: {name}_pool, op: max_pool, kernel: 2}}")
            height, width = height // 2, width // 2
        blocks = -(-out // 8)
        parts = draw(st.sampled_from([p for p in range(1, blocks + 1) if -(-blocks // -(-blocks // p)) == p]))
        bands = draw(st.integers(1, min(2, height)))
        cut = f"cores: {parts * bands}, bands: {bands}, weights: {draw(WEIGHTS)}"
        mapping.append(f"  {name}: {{strategy: chained, {cut}}}")
        if parts * bands <= 6 and draw(st.booleans()):  # a pool with cores of its own
            kernel = [draw(st.integers(1, min(4, n))) for n in (height, width)]
            stride = [draw(st.integers(1, 2)) for _ in kernel]
            height, width = (
                (n - k) // s + 1 for n, k, s in zip((height, width), kernel, stride, strict=True)
            )
            lines.append(f"  - {{name: {name}_max, op: max_pool, kernel: {kernel}, stride: {stride}}}")
            parts = draw(st.sampled_from([p for p in (1, 2, 3) if blocks % p == 0]))
            bands = draw(st.integers(1, min(2, height)))
            mapping.append(f"  {name}_max: {{strategy: chained, cores: {parts * bands}, bands: {bands}}}")
        if height < 4 or width < 6:
            break
    if draw(st.booleans()):
        lines += ["  - {name: flat, op: flatten}", "  - {name: last, op: dense, out_features: 11}"]
        cut = f"cores: {draw(st.integers(1, 2))}, weights: {draw(WEIGHTS)}"
        mapping.append(f"  last: {{strategy: chained, {cut}}}")
    if draw(st.integers(0, 4)) == 0:  # a dense layer that the PL feeds
        lines = ["  - {name: last, op: dense, out_features: 11}"]
        mapping = [f"  last: {{strategy: chained, weights: {draw(WEIGHTS)}}}"]
    channels = draw(st.sampled_from([1, 2, 3, 8, 11]))
    head = f"name: c\ntarget: vek280\nweights: w.pt\ninput: {{name: x, shape: [{channels}, 11, 11]}}\nlayers:"
    return "\n".join([head, *lines, "mapping:", *mapping, ""])
