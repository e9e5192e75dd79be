"""What a search asks for again and again is computed once, and never of another file, device or mapping."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.errors import CannotFit
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.plan.remembered import remembered
from aieloom.search.scope import remapped
from aieloom.spec.device import load_device
from tests.designs import SMALL, network_of


def test_results_are_kept_by_what_they_follow_from() -> None:
    calls: list[object] = []

    @remembered(lambda of, more: (id(of), more))
    def asked(of: list[int], more: object) -> int:
        calls.append(more)
        if not of:
            raise CannotFit([])
        return sum(of)

    one, other, none = [1, 2], [1, 2], list[int]()
    assert [asked(one, 0), asked(one, 0), asked(other, 0), asked(one, more=1), asked(one, 1)] == [3] * 5
    assert calls == [0, 0, 1], "an equal list is another object"
    assert [asked(one, [0]) for _ in range(2)] == [3, 3]
    assert calls[3:] == [[0], [0]], "what has no hash is computed anew"
    for _ in range(2):
        with pytest.raises(CannotFit):
            asked(none, 0)
    assert len(calls) == 7, "a refusal is not kept"


def test_no_more_are_kept_than_so_many_the_oldest_first_to_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aieloom.plan.remembered.MOST", 2)
    calls: list[int] = []

    @remembered(lambda n: n)
    def asked(n: int) -> None:
        calls.append(n)

    for n in (1, 2, 3, 3, 2, 1):
        asked(n)
    assert calls == [1, 2, 3, 1]


SAID = st.fixed_dictionaries(
    {},
    optional={
        "groups": st.sampled_from([1, 2, 3]),
        "plio": st.sampled_from([32, 64, 128]),
        "strategy": st.sampled_from(["im2col_gemm", "direct"]),
        "pl": st.sampled_from(["frame", "streaming"]),
    },
)


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(SAID, st.sampled_from([1, 2]), st.sampled_from(["vck190", "vek280"])),
        min_size=2,
        max_size=4,
    )
)
def test_designs_in_any_order_are_those_of_a_file_that_was_just_read(
    said: list[tuple[dict[str, object], int, str]],
) -> None:
    network = network_of(SMALL)
    for keys, copies, board in said:
        plans = []
        for of in (network, network_of(SMALL)):
            mapping = of.spec.mapping
            changed = {**mapping, "first": type(mapping["first"]).model_validate(keys)}
            try:
                plans.append(
                    repr(make_plan(remapped(of, changed, copies=copies), load_device(board), REGISTRY))
                )
            except CannotFit as e:
                plans.append(str(e))
        assert plans[0] == plans[1]
