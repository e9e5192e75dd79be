"""What a rule says of a tile is applied: the same rule takes every tile that it names."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import SpecError
from aieloom.plan.gemm import IllegalTile, check_tile
from tests.designs import plan_of

SIZES = st.tuples(*[st.integers(1, 300)] * 3)
TEXT = """\
name: small
target: {target}
weights: w.safetensors
input: {{name: x, shape: [{channels}, {height}, {width}]}}
layers:
  - {{name: conv, op: conv2d, out_channels: {outputs}, kernel: {kernel}, padding: 1, stride: {stride}}}
mapping:
  conv: {{strategy: {strategy}, tile: {tile}{more}}}
"""


def tiles_of(remedy: str) -> list[str]:
    return re.findall(r"\[\d+, \d+, \d+\]", remedy)


@settings(max_examples=150, deadline=None)
@given(size=SIZES, tile=SIZES, step=st.tuples(*[st.sampled_from([1, 2, 4, 8, 9, 16, 100])] * 3))
def test_the_nearest_tiles_are_legal(
    size: tuple[int, int, int], tile: tuple[int, int, int], step: tuple[int, int, int]
) -> None:
    try:
        check_tile(size, tile, step)
    except IllegalTile as e:
        named = tiles_of(e.remedy)
        assert 1 <= len(named) <= 2
        for one in named:
            m, k, n = (int(v) for v in re.findall(r"\d+", one))
            check_tile(size, (m, k, n), step)
        assert all(f"{axis} = " in e.problem for axis, t, s in zip("MKN", tile, step, strict=True) if t % s)


def problems(text: str) -> list[tuple[str, str]]:
    """Return the rules that refuse a network, each with its remedy."""
    try:
        plan_of(text)
    except SpecError as e:
        return [(p.rule, p.remedy) for p in e.problems]
    return []


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_layer_with_a_tile_that_gemm_2_names_is_no_longer_refused_by_it(data: st.DataObject) -> None:
    draw = data.draw
    said = {
        "target": draw(st.sampled_from(["vck190", "vek280"])),
        "strategy": draw(st.sampled_from(["im2col_gemm", "direct"])),
        "channels": draw(st.integers(1, 9)),
        "outputs": draw(st.integers(1, 12)),
        "height": draw(st.integers(3, 9)),
        "width": draw(st.integers(3, 20)),
        "kernel": draw(st.sampled_from([1, 3, 5])),
        "stride": draw(st.sampled_from([1, 2])),
        "more": draw(st.sampled_from(["", "", ", plio: 32", ", mmul: [4, 2, 4]"])),
    }
    tile = [draw(st.integers(1, 40)) for _ in range(3)]
    for rule, remedy in problems(TEXT.format(tile=tile, **said)):
        if rule == "gemm-2":
            for named in tiles_of(remedy):
                again = problems(TEXT.format(tile=named, **said))
                assert "gemm-2" not in {r for r, _ in again}, (said, tile, named, again)
