"""Random networks over the registry: every PL kernel's code gives the hardware reference's bits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from aieloom.ops import REGISTRY
from aieloom.pl.kernel import PlKernel
from tests.designs import Design
from tests.ops.cases import INCLUDE, program_of
from tests.ops.kernels import APART, CHAINS, CHOSEN, DIRECT, NEIGHBOURS, STREAMS, check, streaming
from tests.ops.networks import (
    MAKERS,
    PRODUCTS,
    design_of_yaml,
    network_yaml,
    random_graph_yaml,
    random_yaml,
)

FLOAT_JOINS = ("add", "sub", "mul")
# Two tensors place by place, the second as large, one value a channel, one row.
CHOSEN.append(
    network_yaml(
        (3, 4, 5),
        [
            "  - {name: c, op: conv2d, out_channels: 3, kernel: 1}",
            "  - {name: gate, op: sigmoid}",
            "  - {name: ratio, op: div, inputs: [c, gate]}",
            "  - {name: mean, op: global_avg_pool, inputs: [c]}",
            "  - {name: scaled, op: mul, inputs: [ratio, mean]}",
            "  - {name: row, op: conv2d, out_channels: 1, kernel: [4, 1], inputs: [c]}",
            "  - {name: less, op: sub, inputs: [scaled, row]}",
            "  - {name: turned, op: transpose, axes: [height, width, channels]}",
            "  - {name: last, op: conv2d, out_channels: 2, kernel: 1}",
        ],
    )
)


@pytest.mark.integration
def test_kernels_give_the_references_bits(tmp_path: Path) -> None:
    branches = (random_graph_yaml(seed) for seed in range(3))
    check(
        [
            *CHOSEN,
            *STREAMS,
            DIRECT,
            CHAINS,
            APART,
            NEIGHBOURS,
            *(random_yaml(seed, tuple(MAKERS)) for seed in range(6)),
            *branches,
        ],
        tmp_path,
    )


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 400, 30))
def test_kernels_of_many_networks_give_the_references_bits(first: int, tmp_path: Path) -> None:
    check([random_yaml(seed, tuple(MAKERS)) for seed in range(first, first + 30)], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 60, 30))
def test_streaming_kernels_of_many_networks_give_the_references_bits(first: int, tmp_path: Path) -> None:
    check([streaming(seed) for seed in range(first, first + 30)], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 340, 30))
def test_kernels_of_many_branches_give_the_references_bits(first: int, tmp_path: Path) -> None:
    check([random_graph_yaml(seed) for seed in range(first, first + 30)], tmp_path)


def test_a_wrong_kernel_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference whose pool is shifted by one must fail, with the network's text in the message."""
    pool = type(REGISTRY["max_pool"])
    right = pool.hardware  # type: ignore[attr-defined]
    monkeypatch.setattr(pool, "hardware", lambda *a: np.roll(right(*a), 1, axis=3))
    text = network_yaml(
        (1, 4, 4),
        ["  - {name: c, op: conv2d, out_channels: 2, kernel: 1}", "  - {name: p, op: max_pool, kernel: 2}"],
    )
    with pytest.raises(AssertionError, match="op: max_pool"):
        check([text], tmp_path)


def test_every_operators_code_compiles_without_a_warning(tmp_path: Path) -> None:
    """With clang++ too; g++ has compiled the programs above with warnings as errors."""
    compiler = shutil.which("clang++")
    if not compiler:
        pytest.skip("there is no clang++ here")
    wanted, seed = set(MAKERS) - {"batch_norm", "div", *PRODUCTS}, 0
    designs: list[tuple[Design, list[PlKernel]]] = []
    while wanted:
        text = random_graph_yaml(seed, joins=FLOAT_JOINS) if seed % 2 else random_yaml(seed, tuple(MAKERS))
        design = design_of_yaml(text)
        seed += 1
        for kernel in design.plan.pl if design else ():
            if design and wanted & {s.op for s in kernel.steps}:
                wanted -= {s.op for s in kernel.steps}
                designs.append((design, [kernel]))
    source = tmp_path / "kernels.cpp"
    source.write_text(program_of(designs))
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    done = subprocess.run([*command, f"-I{INCLUDE}", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
