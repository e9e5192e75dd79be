"""AXI streams of one loop: kernels keep to those of AMD's switch, what does not is told."""

from __future__ import annotations

import re

import pytest

from aieloom.flow.opening import open_project
from aieloom.pl.streams import MOST_STREAMS, TiledStreams, shares_of
from aieloom.plan.fanout import crowded_loops, served
from tests.designs import ESPCN, ROOT, design_of, plan_of
from tests.pl.streams import FAST

CALL = re.compile(r"^    (\w+)<[^()]*>(?:::\w+)?\((.*?)\);$", re.MULTILINE | re.DOTALL)


def test_readers_of_a_streaming_kernel_share_its_streams() -> None:
    """32 streams come from conv2, of 16 groups and two parts: a reader alone would serve all of them in one loop."""
    kernels = [g for g in plan_of(FAST).pl if g.part]
    tiled = [(g, g.source) for g in kernels if isinstance(g.source, TiledStreams)]
    assert any(source.streams > MOST_STREAMS for _, source in tiled)
    for g, source in tiled:
        assert g.part is not None
        assert served(g) <= MOST_STREAMS or g.part.tasks.readers == source.grid.parts, g.name


def test_shares_are_all_streams_in_order_and_even() -> None:
    for streams in range(1, 257):
        shares = shares_of(streams)
        assert [s for share in shares for s in share] == list(range(streams))
        assert max(len(shares), *map(len, shares)) <= 16
        assert len({len(share) for share in shares[:-1]} | {max(map(len, shares))}) == 1


def test_no_process_of_espcn_serves_more_than_amds_switch() -> None:
    """Every stream is served by one process, in order, and none has more than 16 of any kind."""
    sources = dict(design_of(ESPCN).files())
    most = {}
    for name, inlets, outlets in (("tanh1", 16, 32), ("tanh2", 128, 16)):
        text = str(sources[f"src/pl/pl_{name}.cpp"])
        calls = [re.findall(r"\w+(?:\[\d+\])?", arguments) for _, arguments in CALL.findall(text)]
        assert max(map(len, calls)) == 16 + 1, "and the queue between"
        for port, count in (("in", inlets), ("out", outlets)):
            each = [int(s) for call in calls for a in call for s in re.findall(rf"^{port}\[(\d+)\]$", a)]
            assert each == list(range(count))
        most[name] = len(calls)
    assert most == {"tanh1": 1 + 1 + 1 + 1 + 2, "tanh2": 8 + 1 + 1 + 1 + 1}


def test_what_serves_more_is_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    one = ESPCN.replace("tanh2: {engine: pl,", "tanh2: {engine: pl, strategy: streaming, readers: 1,")
    (told,) = crowded_loops(plan_of(one))
    assert "pl_tanh2 serves 128 AXI streams in one loop, more than the 16" in told
    for name in ("espcn", "espcn-fast"):
        project = open_project(ROOT / "projects" / name, build=tmp_path_factory.mktemp(name))
        assert project.plan.remarks == (), name
