"""Networks of which some layers have cores of their own and the others take turns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from aieloom.errors import CannotFit, SpecError
from aieloom.flow.opening import open_any
from aieloom.flow.sequential import design_of
from aieloom.reference.results import torch_reference
from aieloom.search.hybrid import candidates, part_of
from aieloom.sequential import commands as c
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import command_list, commands, engines_of
from aieloom.sequential.reference import reference
from aieloom.spec.device import Device, load_board
from aieloom.spec.network import INPUT
from aieloom.units.plan import interval_us, resources
from tests.sequential.command_reader import from_bytes
from tests.sequential.hybrids import NETWORKS, hybrid

SPATIAL = "execution: {spatial: [conv1, act1, pool1, conv2, act2, pool2]}"
INTEGERS = "quantize: {activations: int8, weights: int8, calibration: calib.npz}"
FLOATS = "quantize: {activations: bfloat16, weights: bfloat16}"
FRAMED = "mapping: {pool1: {strategy: frame}}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "engine", "changes"),
    [
        ("front", "aie", ()),
        ("front", "pl", ((SPATIAL, f"{SPATIAL}\nengine: pl"), (INTEGERS, f"{INTEGERS}\n{FRAMED}"))),
        ("back", "aie", ()),
        ("back", "aie", ((INTEGERS, FLOATS),)),
    ],
)
def test_one_design_runs_both_to_the_bit(
    name: str, engine: str, changes: tuple[tuple[str, str], ...], tmp_path: Path
) -> None:
    """The first layers spatial and the large products in turn on a VCK190; the other way round on a VEK280.

    The products are the engine's in the logic, or that on the array, which has columns of its own there.
    """
    project = hybrid(tmp_path, name, *changes)
    plan = project.plan
    in_turn = engines_of(plan)
    assert in_turn.spatial
    assert (in_turn.array is not None) == (engine == "aie")
    if in_turn.array and in_turn.array.gemm:
        ours, theirs = (
            {k.tile for la in p.aie for k in la.kernels}
            for p in (in_turn.spatial.plan, in_turn.array.gemm.array)
        )
        assert max(col for col, _ in ours) < min(col for col, _ in theirs)
        assert not {p.column for p in in_turn.spatial.plan.plios} & {
            p.column for p in in_turn.array.gemm.array.plios
        }
    design = design_of(project)
    design.emulated.make(design.render())
    shape = NETWORKS[name][1]
    x = (
        np.random.default_rng(5).normal(0, 1, (plan.schedule.batch + 1, *shape)).astype(np.float32)
    )  # a batch, and one that is not full
    y = design.emulated.run(x).y
    assert y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()
    assert len(np.unique(y)) > 8
    exact = torch_reference(project.network, project.float_parameters, x).reshape(y.shape)
    assert 10 * np.log10((exact**2).sum() / ((y - exact) ** 2).sum()) > 15
    assert set(design.sources.names) == {
        str(f.relative_to(project.build)) for f in (project.build / "src").rglob("*") if f.is_file()
    }


@pytest.mark.slow
def test_each_part_is_told_and_its_list_is_read_again(tmp_path: Path) -> None:
    project = hybrid(tmp_path, "front")
    plan = project.plan
    lines = plan.remarks
    assert lines[0].startswith("execution: spatial and sequential: ")
    assert any("spatial: conv1, pool1, conv2, pool2: " in line for line in lines)
    assert any("sequential: fc1 to fc3: " in line for line in lines)
    design = engines_of(plan)
    assert {s.layer for s in design.products} == {"fc1", "fc2", "fc3"}
    weights = packed(plan, project.parameters)
    assert from_bytes(c.to_bytes(command_list(plan), weights), weights).commands == commands(plan)
    assert [type(command) for command in commands(plan)][1] is c.Spatial
    assert design.spatial
    assert design.array
    assert resources(plan).lut == design.array.lut + design.spatial.lut


@pytest.mark.integration
def test_auto_takes_the_shorter_and_says_what_it_looked_at(tmp_path: Path) -> None:
    """Beside the engine in the logic convolutions on cores of their own are faster, beside that on the array they are not."""
    plan = hybrid(tmp_path, "front", (SPATIAL, "execution: auto\nengine: pl")).plan
    design = engines_of(plan)
    assert design.spatial
    assert design.spatial.layers == ("conv1", "pool1", "conv2", "pool2")
    assert "(modelled, the shorter is taken)" in design.reason
    in_turn = hybrid(tmp_path, "front", (SPATIAL, "execution: sequential\nengine: pl")).plan
    assert interval_us(plan) < interval_us(in_turn)
    assert engines_of(hybrid(tmp_path, "front", (SPATIAL, "execution: auto")).plan).spatial is None


@pytest.mark.integration
def test_two_graphs_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotFit, match=r"\[hybrid-1\] both graphs would be called gemm_graph"):
        hybrid(tmp_path, "back", ("name: back", "name: gemm"), ("input:", "engine: aie\ninput:"))


def test_what_is_no_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotFit, match=r"\[hybrid-1\] .*read 2 tensors \(input, pool1\)"):
        hybrid(tmp_path, "front", ("[conv1, act1, pool1, conv2, act2, pool2]", "[conv1, conv2]"))
    with pytest.raises(CannotFit, match=r"\[hybrid-1\] all \d+ layers are named"):
        hybrid(tmp_path, "back", ("[conv1, act2, conv2]", "[fc1, act1, fc2, image, conv1, act2, conv2]"))
    with pytest.raises(CannotFit, match=r"\[hybrid-1\] zcu104 has no array"):
        hybrid(tmp_path, "back", ("vek280", "zcu104"))
    with pytest.raises(SpecError, match=r"\[layer\] there is no layer 'conv9'"):
        hybrid(tmp_path, "back", ("[conv1, act2, conv2]", "[conv9]"))


def test_parts_are_those_with_one_tensor_in_and_one_out_that_leave_room(tmp_path: Path) -> None:
    project = hybrid(tmp_path, "front", (SPATIAL, "execution: sequential"))
    network = project.quantised.network if project.quantised else project.network
    device = load_board("vck190")
    assert isinstance(device, Device)
    beginning, end = (side[0].names for side in candidates(network, device))
    assert (beginning[0], beginning[-1]) == ("conv1", "fc1"), (
        "8.4 MB of weights would fill more than half of 13.1 MB"
    )
    assert end == ("fc2", "fc3")
    own = part_of(network, ("conv2", "pool2")).of(network)
    assert [layer.inputs for layer in own.layers] == [(INPUT,), ("conv2",)]


def test_no_part_is_looked_at_that_the_processor_would_share(tmp_path: Path) -> None:
    """A search finds that out after minutes: transformers have layer_norm every few layers."""
    (tmp_path / "network.yaml").write_text(
        "name: norms\ntarget: vck190\nweights: weights.safetensors\nexecution: sequential\n"
        "input: {name: x, shape: [64]}\nlayers:\n"
        "  - {name: first, op: dense, out_features: 64}\n  - {name: norm, op: layer_norm}\n"
        "  - {name: second, op: dense, out_features: 64}\n  - {name: third, op: dense, out_features: 64}\n"
    )
    random = np.random.default_rng(3)
    sizes = {f"{n}.weight": (64, 64) for n in ("first", "second", "third")} | {"norm.weight": (64,)}
    sizes |= {f"{n}.bias": (64,) for n in ("first", "second", "third", "norm")}
    save_file(
        {n: random.normal(0, 0.1, s).astype(np.float32) for n, s in sizes.items()},
        tmp_path / "weights.safetensors",
    )
    project = open_any(tmp_path, build=tmp_path / "build")
    device = load_board("vck190")
    assert isinstance(device, Device)
    beginnings, ends = ([part.names for part in side] for side in candidates(project.network, device))
    assert beginnings == [("first",)]
    assert sorted(ends) == [("second", "third"), ("third",)]
