"""Which PL kernels stream by default: a file that says otherwise of one of them gains nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.errors import CannotFit
from aieloom.flow.opening import open_any
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.search.mapped import timed
from aieloom.search.scope import remapped
from tests.ops.networks import random_graph_yaml
from tests.ops.system import project as written

SEEDS = (5, 20)  # of networks half as fast while all kernels stream, or none does
SHARES = (1 / 2, 2 / 3, 4 / 3, 3 / 2, 2)  # of the copies that were found
CLOSE = 0.95  # how much of the default's time a better design may take


@pytest.mark.parametrize("seed", SEEDS)
def test_no_layer_gains_by_another_kind_of_kernel(seed: int, tmp_path: Path) -> None:
    """With the cuts that were found each layer of the PL says in turn that its kernel streams or does not, in more or fewer copies."""
    folder = tmp_path / "net"
    folder.mkdir()
    project = open_any(written(folder, random_graph_yaml(seed)), build=tmp_path / "build")
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
