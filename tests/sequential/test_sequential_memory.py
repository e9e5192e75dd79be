"""Places in device memory: what lives at the same time lies apart, and nothing takes more than it must."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from aieloom.errors import CannotFit
from aieloom.sequential.commands import ALIGNMENT
from aieloom.sequential.memory import Lifetime, allocated
from tests.sequential.networks import plan_of

SPANS = st.tuples(st.integers(1, 5000), st.integers(0, 30), st.integers(0, 10))


@given(st.lists(SPANS, max_size=30))
def test_what_lives_together_lies_apart(spans: list[tuple[int, int, int]]) -> None:
    tensors = [
        Lifetime(name=str(i), bytes=size, first=first, last=first + more)
        for i, (size, first, more) in enumerate(spans)
    ]
    places, total = allocated(tensors)
    for i, a in enumerate(tensors):
        assert places[a.name] % ALIGNMENT == 0
        assert places[a.name] + a.bytes <= total
        for b in tensors[i + 1 :]:
            if a.first <= b.last and b.first <= a.last:
                begin, end = sorted((a, b), key=lambda t: places[t.name])
                assert places[begin.name] + begin.bytes <= places[end.name]
    alive = max((sum(t.bytes for t in tensors if t.first <= i <= t.last) for i in range(41)), default=0)
    assert total >= alive


def test_a_chain_takes_two_places() -> None:
    chain = [Lifetime(name=str(i), bytes=640, first=i, last=i + 1) for i in range(9)]
    assert allocated(chain)[1] == 1280


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        (
            [1, 8192, 8192],
            r"1 image take 12,884,901,888 bytes .*'input as 1x8192x8192 float32' 4,294,967,296; 2,147,483,648 are",
        ),
        ([1, 1, (1 << 20) + 1], r"is 1 x 1 x 1,048,577 in device memory; 1,048,576 a side are the most"),
    ],
    ids=["bytes", "side"],
)
def test_tensors_that_commands_cannot_name_are_refused(shape: list[int], says: str, tmp_path: Path) -> None:
    """The design's own host program would refuse the list."""
    (tmp_path / "network.yaml").write_text(
        "name: large\ntarget: vck190\nexecution: sequential\nweights: w.safetensors\n"
        f"input: {{name: x, shape: {shape}}}\n"
        "layers: [{name: conv, op: conv2d, out_channels: 2, kernel: 1, bias: false}]\n"
    )
    save_file({"conv.weight": np.ones((2, 1, 1, 1), np.float32)}, tmp_path / "w.safetensors")
    with pytest.raises(CannotFit, match=says):
        _ = plan_of(tmp_path).plan
