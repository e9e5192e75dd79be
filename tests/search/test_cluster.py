"""The search on a cluster: the same bytes as on one machine; what is wrong with a cluster is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aieloom.errors import SpecError
from aieloom.flow.dse import search
from aieloom.flow.dse_words import FOLDER
from aieloom.flow.opening import open_project
from aieloom.search import cluster
from aieloom.search.candidates import Found, Job
from aieloom.search.write import FILES
from tests.designs import ROOT
from tests.heavy import later

distributed = later("distributed")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Two workers, each a thread of this process."""
    with distributed.LocalCluster(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as local:
        yield local.scheduler_address


def written(build: Path, options: dict[str, str]) -> dict[str, bytes]:
    project = replace(open_project(ROOT / "projects" / "jet"), build=build)
    search(project, options)
    return {name: (build / FOLDER / name).read_bytes() for name in FILES}


@pytest.mark.integration
def test_a_cluster_finds_the_same_to_the_byte(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    evaluated = cluster._evaluated

    def recorded(client: Any, jobs: Sequence[Job]) -> Iterator[Found]:
        sent.extend(job.name for job in jobs)
        return evaluated(client, jobs)

    monkeypatch.setattr(cluster, "_evaluated", recorded)
    there = written(tmp_path / "there", {"dask": address})
    assert set(sent) == {"fc1", "fc2", "fc3", "fc4"}
    assert there == written(tmp_path / "here", {"workers": "1"})


def refused(options: dict[str, str], tmp_path: Path) -> str:
    with pytest.raises(SpecError) as e:
        written(tmp_path, options)
    return str(e.value)


def test_what_is_wrong_is_said(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "'0' is no number of processes" in refused({"workers": "0"}, tmp_path)
    assert "a cluster has its own workers" in refused({"workers": "2", "dask": address}, tmp_path)
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    assert "no scheduler at tcp://127.0.0.1:9" in refused({"dask": "tcp://127.0.0.1:9"}, tmp_path)
    assert "no scheduler at nonsense" in refused({"dask": "nonsense://x"}, tmp_path)
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 30.0)
    monkeypatch.setattr(cluster, "_digest", lambda: "other")
    assert "2 of 2 workers have another aieloom" in refused({"dask": address}, tmp_path)
