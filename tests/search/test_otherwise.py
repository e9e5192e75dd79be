"""What the search finds by default: nothing gains by one thing otherwise, and what `doit dse` finds is no better."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.errors import CannotFit
from aieloom.flow.dse import search
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.search.candidates import Space, layer_fronts
from aieloom.search.figures import CORES
from aieloom.search.mapped import timed, with_choices
from aieloom.search.scope import remapped
from tests.designs import ROOT
from tests.ops.networks import random_graph_yaml
from tests.ops.system import project as written

# Random networks whose default was half as fast or less while all PL kernels streamed, or none; 25 and 37 want copies and a cut at once.
WAYS, SHORT = (5, 20), (25, 37)
SHARES = (1 / 2, 2 / 3, 4 / 3, 3 / 2, 2)  # of the copies that were found
CLOSE = 0.95  # how much of the default's time a better design may take


def random_project(seed: int, tmp_path: Path) -> Project:
    """Return a random network as a project that says nothing of how it is mapped."""
    folder = tmp_path / "net"
    folder.mkdir()
    return open_any(written(folder, random_graph_yaml(seed)), build=tmp_path / "build")


@pytest.mark.parametrize("seed", [WAYS[0], *(pytest.param(s, marks=pytest.mark.slow) for s in WAYS[1:])])
def test_no_layer_gains_by_another_kind_of_kernel(seed: int, tmp_path: Path) -> None:
    """With the cuts that were found each layer of the PL says in turn that its kernel streams or not, in more or fewer copies."""
    project = random_project(seed, tmp_path)
    found, plan, tried = project.planned, project.array, 0
    for step in (s for kernel in plan.pl for s in kernel.steps):
        mapping = found.spec.mapping[step.layer]
        if "strategy" not in type(mapping).model_fields:
            continue
        for way in ("frame", "streaming"):
            said = {**found.spec.mapping, step.layer: mapping.model_copy(update={"strategy": way})}
            for copies in {plan.copies, *(int(plan.copies * share) for share in SHARES)} - {0}:
                try:
                    other = make_plan(remapped(found, said, copies=copies), plan.device, REGISTRY)
                except CannotFit:
                    continue
                tried += 1
                assert timed(other).interval_us >= CLOSE * timed(plan).interval_us, (step.layer, way, copies)
    assert tried > 1


@pytest.mark.integration
@pytest.mark.parametrize("seed", [SHORT[0], *(pytest.param(s, marks=pytest.mark.slow) for s in SHORT[1:])])
def test_a_search_of_all_there_is_finds_nothing_faster(seed: int, tmp_path: Path) -> None:
    project = random_project(seed, tmp_path)
    best = search(project, {"workers": "1"}).winner
    assert best.interval_us >= CLOSE * timed(project.array).interval_us


@pytest.mark.parametrize("name", ["iris", "jet"])
def test_no_layer_gives_back_cores_at_the_same_rate(name: str, tmp_path: Path) -> None:
    """Of designs of one rate the smaller is taken: every smaller cut of a layer is slower, or refused."""
    project = open_any(ROOT / "projects" / name, target="vck190", build=tmp_path)
    network, plan, tried = project.planned, project.array, 0
    rate = timed(plan)
    for layer in layer_fronts(network, plan, REGISTRY, Space(most=2000)):
        own = next(la.grid.cores for la in plan.aie if la.name == layer.name)
        for pick in (i for i, f in enumerate(layer.figures) if f[CORES] < own):
            smaller = with_choices(network, {layer.name: layer.choices[pick]})
            try:
                made = make_plan(smaller, plan.device, REGISTRY)
            except CannotFit:
                continue
            tried += 1
            assert timed(made).interval_us > rate.interval_us, (layer.name, layer.choices[pick])
    assert tried
