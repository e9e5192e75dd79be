"""Whoever writes a piece of `aieloom suggest`'s advice into network.yaml finds the rate that it promises."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from aieloom.explain.suggest import suggest
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.search.mapped import timed
from aieloom.search.suggestions import Suggestion
from tests.designs import ROOT
from tests.ops.networks import random_graph_yaml
from tests.ops.system import project as written

PROJECTS = ("xor", "jet")
SEEDS = range(8)  # of random networks
CLOSE = 0.05  # what the search finds for the layers that nothing is said of may differ by that


def nested(said: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return keys with others in their place, those of mappings one by one."""
    both = {k: nested(said[k], v) for k, v in more.items() if isinstance(v, dict) and k in said}
    return said | more | both


def followed(project: Project, advice: Suggestion, to: Path) -> Project:
    """Return a copy of a project whose mapping says what is advised."""
    shutil.copytree(project.folder, to)
    file = to / "network.yaml"
    text, said = yaml.safe_load(file.read_text()), yaml.safe_load("\n".join(advice.yaml))
    file.write_text(yaml.safe_dump(nested(text, {"mapping": said}), sort_keys=False))
    return open_any(to, build=to / "build")


@pytest.mark.parametrize(
    "network", [*PROJECTS, *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS)]
)
def test_advice_that_is_followed_keeps_its_promise(network: str | int, tmp_path: Path) -> None:
    """The first three pieces of advice for each layer."""
    folder = ROOT / "projects" / str(network)
    if isinstance(network, int):
        folder = tmp_path / "net"
        folder.mkdir()
        written(folder, random_graph_yaml(network))
    project = open_any(folder, build=tmp_path / "build")
    plan, tried = project.array, 0
    layers = [*(la.name for la in plan.aie), *(step.layer for kernel in plan.pl for step in kernel.steps)]
    for layer in dict.fromkeys(layers):
        told = suggest(project, layer)
        for advice in told.found[:3]:
            tried += 1
            again = followed(project, advice, tmp_path / f"followed{tried}")
            promised = advice.design.interval_us
            assert timed(again.array).interval_us == pytest.approx(promised, rel=CLOSE), advice.yaml
    assert tried, f"no advice for any of {layers}"
