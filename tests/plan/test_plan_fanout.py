"""AXI streams of one loop: streaming kernels keep to those of AMD's switch, others are told."""

from __future__ import annotations

import pytest

from aieloom.flow.opening import open_project
from aieloom.pl.streams import MOST_STREAMS, TiledStreams
from aieloom.plan.fanout import crowded_loops, served
from tests.designs import ROOT, plan_of
from tests.pl.streams import FAST


def test_readers_of_a_streaming_kernel_share_its_streams() -> None:
    """32 streams come from conv2, of 16 groups and two parts: a reader alone would serve all of them in one loop."""
    kernels = [g for g in plan_of(FAST).pl if g.part]
    tiled = [(g, g.source) for g in kernels if isinstance(g.source, TiledStreams)]
    assert any(source.streams > MOST_STREAMS for _, source in tiled)
    for g, source in tiled:
        assert g.part is not None
        assert served(g) <= MOST_STREAMS or g.part.tasks.readers == source.grid.parts, g.name


def test_what_serves_more_is_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    plan = open_project(ROOT / "projects" / "espcn", build=tmp_path_factory.mktemp("espcn")).plan
    told = list(crowded_loops(plan))
    assert [line.split()[0] for line in told] == [g.name for g in plan.pl if served(g) > MOST_STREAMS]
    assert "pl_tanh2 serves 128 AXI streams in one loop, more than the 16" in told[1]
    assert list(plan.remarks) == told
    fast = open_project(ROOT / "projects" / "espcn-fast", build=tmp_path_factory.mktemp("fast")).plan
    assert fast.remarks == ()
