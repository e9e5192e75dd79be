"""Places in device memory: what lives at the same time lies apart, and nothing takes more than it must."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aieloom.sequential.commands import ALIGNMENT
from aieloom.sequential.memory import Lifetime, allocated

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
