"""Plans for the oracles: every project on both boards, and random ones by the suite's generators."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

from aieloom.errors import CannotFit
from aieloom.flow.opening import open_project
from tests.designs import ROOT, Design, array_projects, weights_of
from tests.ops.networks import design_of_yaml, random_graph_yaml, random_yaml
from tests.strategies.chained.designs import as_bfloat16
from tests.strategies.chained.walks import chains

BOARDS = ("vck190", "vek280")
PROJECTS = array_projects()
RANDOM = int(os.environ.get("AIELOOM_ORACLE_PLANS", "12"))  # random plans: enough for a daily run


@cache
def project_design(name: str, board: str, build: Path) -> Design | None:
    """Plan a project of the repository as `doit plan` does; None where the board has no such types."""
    try:
        project = open_project(ROOT / "projects" / name, target=board, build=build)
        return Design(project.network, project.array, {k: dict(v) for k, v in project.parameters.items()})
    except CannotFit:
        return None


def random_designs(count: int = RANDOM) -> Iterator[tuple[str, Design]]:
    """Yield so many random networks that a board takes, with their plans: chains of operators, branches, chained layers."""
    found = 0
    chained = _chained(count // 3 + 1)
    for seed in range(10 * count):
        kind = seed % 3
        if kind == 2:
            design = next(chained, None)
            name = f"chained {seed}"
        else:
            board = BOARDS[seed // 3 % 2]
            text = random_yaml(seed) if kind == 0 else random_graph_yaml(seed)
            design, name = design_of_yaml(text, seed, board), f"{board} {seed}"
        if design:
            found += 1
            yield name, design
        if found == count:
            return


def _chained(count: int) -> Iterator[Design]:
    from aieloom.ops import REGISTRY  # noqa: PLC0415 - what only this needs
    from aieloom.plan.build import make_plan  # noqa: PLC0415
    from aieloom.spec.device import load_device  # noqa: PLC0415
    from tests.designs import network_of  # noqa: PLC0415

    texts: list[str] = []

    @settings(
        max_examples=3 * count, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(chains())
    def draw(text: str) -> None:
        texts.append(text)

    draw()
    for text in dict.fromkeys(texts):
        network = as_bfloat16(network_of(text))
        try:
            plan = make_plan(network, load_device("vek280"), REGISTRY)
        except CannotFit:
            continue
        yield Design(network, plan, weights_of(network))
