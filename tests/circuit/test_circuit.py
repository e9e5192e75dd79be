"""Networks as one circuit in the logic: a published one to its integers, others to the integers' reference, whatever their folding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.numpy import save_file

import aieloom
from aieloom.circuit.fold import Circuit, Fold, folds
from aieloom.circuit.plan import PIPELINE, plan_circuit
from aieloom.cli import main
from aieloom.errors import CannotFit, SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.dse import search
from aieloom.flow.onnx_project import write_onnx_project
from aieloom.flow.opening import open_any
from aieloom.flow.project import Project
from aieloom.ops import REGISTRY
from aieloom.search.made import Candidate
from aieloom.sequential.reference import reference
from aieloom.spec.device import load_board
from aieloom.units.logic import tags_of
from aieloom.units.plan import interval_us, resources
from aieloom.units.types import Bank, Cause, Use
from tests.circuit.networks import NETWORK, SHAPES, written
from tests.heavy import onnx
from tests.qonnx.exclusive_or import PUBLISHED, by_onnxruntime, every_input, exclusive_or

ATTENTION = """\
name: shares
target: vck190
weights: weights.safetensors
execution: sequential
input: {name: x, shape: [6, 32]}
layers:
  - {name: qkv, op: dense, out_features: 96}
  - {name: mix, op: attention, heads: 2, width: 16, first: [0, 32, 64], inputs: [qkv, qkv, qkv]}
quantize: {activations: int8, weights: int8, calibration: calib.npz}
"""


def opened(folder: Path) -> Project:
    project = open_any(folder, build=folder / "build")
    assert project.home == "circuit"
    return project


def by_definition(project: Project, x: NDArray[np.float32]) -> NDArray[np.float32]:
    return reference([fold.step for fold in folds(project.plan)], project.parameters, x)


def published(folder: Path, more: str) -> Path:
    folder.mkdir()
    onnx.save(exclusive_or(), folder / "xor.onnx")
    write_onnx_project(folder / "p", folder / "xor.onnx", "zynq-7020")
    with (folder / "p" / "network.yaml").open("a") as f:
        f.write(more)
    return folder / "p"


def test_a_published_network_gives_its_published_integers(tmp_path: Path) -> None:
    project = opened(published(tmp_path / "xor", "engine: pl\n"))
    integers = project.network.spec.input.integers
    assert integers is not None
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32).reshape(4, 2, 1, 1)
    design = design_of(project)
    design.emulated.make(design.render())
    y = design.emulated.run(x).y
    assert tuple(np.rint(y.ravel() / 0.006079525221139193 - 79).astype(int)) == PUBLISHED
    assert y.tobytes() == by_definition(project, x).tobytes()
    assert set(design.sources.names) == {
        str(f.relative_to(project.build)) for f in (project.build / "src").rglob("*") if f.is_file()
    }
    session = aieloom.Session(project.folder)
    every = every_input(18)
    (found,) = session.run(None, {project.network.spec.input.name: every})
    wanted = by_onnxruntime(exclusive_or(), every).astype(int)
    assert (np.rint(found.ravel() / 0.006079525221139193 + 49).astype(int) == wanted.ravel()).all()


def test_convolutions_pools_and_functions_equal_the_reference(tmp_path: Path) -> None:
    project = opened(written(tmp_path))
    x = np.random.default_rng(5).normal(0, 1, (7, 3, 9, 7)).astype(np.float32)
    handle = aieloom.design(project.folder)
    y = handle.emulate(x)
    assert y.tobytes() == by_definition(project, x).tobytes()
    assert y.tobytes() == handle.reference(x).tobytes()
    assert len(np.unique(y)) > 20, "of values that differ"
    text = (handle.project.build / "src/pl/circuit.cpp").read_text()
    assert "#pragma HLS dataflow" in text
    assert "as one circuit" in repr(handle)
    with pytest.raises(
        SpecError, match=r"\[sequential-3\] .* no systems of single layers: it runs as one circuit"
    ):
        handle.layer("conv").emulate(x)
    x[0, 0, 0, 0] = np.nan
    with pytest.raises(
        SpecError, match="1 of 1323 values that are NaN, which the device cannot carry in int8"
    ):
        handle.emulate(x)


@given(seed=st.integers(0, 99), dsp=st.integers(0, 400), lut=st.integers(13_000, 60_000))
@settings(max_examples=25)
def test_a_smaller_board_folds_more_and_never_beyond_it(
    seed: int, dsp: int, lut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project = opened(written(tmp_path_factory.mktemp("folded")))
    board = load_board("zynq-7020")
    logic = board.logic.model_copy(update={"dsp": dsp, "lut": lut + seed})
    network = project.quantised.network if project.quantised else project.network
    try:
        plan = plan_circuit(network, board.model_copy(update={"logic": logic}), REGISTRY, "a test")
    except CannotFit as e:
        assert "the smallest circuit of small has" in str(e)
        assert dsp < 3 * 7 or lut < 25_000, (
            "three products a cycle at least, each with a multiplier of its own for the scale"
        )
        return
    use, room = resources(plan), logic.room(plan.in_logic["circuit"].clock_mhz)
    assert use.dsp <= dsp and use.lut <= logic.lut
    within = use.dsp <= room.dsp and use.lut <= room.lut
    assert within != any("may not close" in line for line in plan.remarks)
    for task in plan.tasks:
        fold, channels = task.read(Fold), task.y.shape[0]
        assert channels % fold.lanes == 0
        if fold.products:
            work = task.y.elements * fold.weights // channels
            assert work % fold.products == 0
            assert fold.cycles == work // fold.products
            assert fold.cycles <= plan.units[0].read(Circuit).interval - PIPELINE


def test_images_come_as_fast_as_the_slowest_process(tmp_path: Path) -> None:
    """2 elements in, 1 out, layers of 3 x 2 and 1 x 3 products; a process has 12 cycles more, memory 64 on each side and two processes."""
    plan = opened(published(tmp_path / "xor", "engine: pl\n")).plan
    assert [(f.lanes, f.depth, f.cycles, f.weights) for f in folds(plan)] == [(3, 1, 2, 6), (1, 3, 1, 3)]
    circuit = plan.units[0].read(Circuit)
    assert circuit.cycles == {Cause.READ: 2 + 12, Cause.COMPUTE: 2 + 12, Cause.WRITE: 1 + 12}
    assert circuit.interval == 14 and circuit.latency == 2 + 2 + 1 + 1 + 8 * 12 + 2 * 64
    # 4 lanes of 6 DSP and 700 LUT that finish sums, 2 processes, 2 ports, 9 weights and 2 x 9 elements in LUTs of 64 bits;
    # 6 products of 1 DSP, 32 LUT, 48 FF.
    control = 4 * 700 + 2 * 600 + 4_000 + 8 * (9 + 2 * 9) // 64
    assert resources(plan) == Use(dsp=4 * 6 + 6, lut=control + 6 * 32, ff=2 * control + 6 * 48)
    mhz, cpu = plan.board.clocks.default_pl_mhz, plan.board.processor
    starts = (cpu.kernel_start_us + 2 * cpu.sync_us) / 4096
    wanted = 14 / mhz + 3 * cpu.cycles_per_operation / cpu.mhz + starts
    assert interval_us(plan) == pytest.approx(wanted, rel=1e-12)
    assert "bound by dense1" in "\n".join(plan.remarks)
    waiting = plan.board.model_copy(update={"processor": cpu.model_copy(update={"mhz": 0.1})})
    slow = plan_circuit(opened(tmp_path / "xor" / "p").planned, waiting, REGISTRY, "a test")
    assert "bound by the host program" in "\n".join(slow.remarks)


def test_both_memory_ports_are_on_the_first_bank(tmp_path: Path) -> None:
    """One link each: the cost counts bytes of both in one bank."""
    text = NETWORK.replace("zynq-7020", "vck190")
    plan = opened(written(tmp_path / "p", text)).plan
    tags = tags_of(plan.board)
    assert len(tags) > 1
    found = [(link.source.port, link.way) for link in plan.links if link.source]
    assert found == [("x", Bank(tag=tags[0])), ("y", Bank(tag=tags[0]))]


def test_the_default_is_as_fast_as_the_best_that_dse_finds(tmp_path: Path) -> None:
    """Within 1 %, and no larger."""
    project = opened(written(tmp_path / "p"))
    best = search(project, {}).winner
    assert isinstance(best, Candidate)
    assert interval_us(project.plan) <= 1.01 * best.interval_us
    assert resources(project.plan).dsp <= best.use.dsp


def test_auto_takes_a_circuit_for_what_is_small_without_an_array(tmp_path: Path) -> None:
    opened(published(tmp_path / "xor", "execution: auto\n"))
    text = NETWORK.replace("engine: pl", "execution: auto").replace(
        "out_features: 10", "out_features: 10, bias: true"
    )
    large = written(tmp_path / "large", text.replace("op: sigmoid", "op: softmax"))
    assert open_any(large).home == "sequential"


@pytest.mark.parametrize(
    ("was", "becomes", "text"),
    [
        ("quantize: {activations: int8, weights: int8, calibration: calib.npz}\n", "", "network.yaml:4: [circuit-1] engine: pl makes a circuit"),
        ("op: sigmoid", "op: softmax", "layer 'sig' (softmax) has no form in a circuit"),
        ("{name: flat, op: flatten}", "{name: sum, op: add, inputs: [pool, pool]}", "[circuit-1] layer 'sum' reads pool, pool"),
        ("out_features: 10}", "out_features: 8000}", "[circuit-1] the smallest circuit of small has"),
    ],
)  # fmt: skip
def test_what_no_circuit_has_is_refused(was: str, becomes: str, text: str, tmp_path: Path) -> None:
    assert was in NETWORK
    folder = written(tmp_path, NETWORK.replace(was, becomes))
    if "8000" in becomes:
        save_file(
            {
                n: np.full((8000, *s[1:]) if n.startswith("fc") else s, 0.1, np.float32)
                for n, s in SHAPES.items()
            },
            folder / "weights.safetensors",
        )
    with pytest.raises(SpecError) as error:
        opened(folder)
    assert text in str(error.value)
    assert "execution: sequential" in str(error.value)


def test_steps_that_a_layer_becomes_are_refused_where_the_layer_stands(tmp_path: Path) -> None:
    random, weight = np.random.default_rng(4), "qkv.weight"
    (tmp_path / "network.yaml").write_text(ATTENTION)
    arrays = {weight: random.normal(0, 0.2, (96, 32)), "qkv.bias": random.normal(0, 0.2, 96)}
    save_file({n: v.astype(np.float32) for n, v in arrays.items()}, tmp_path / "weights.safetensors")
    np.savez(tmp_path / "calib.npz", x=random.normal(0, 1, (8, 6, 32)).astype(np.float32))
    project = open_any(tmp_path)
    with pytest.raises(CannotFit) as error:
        plan_circuit(project.planned, load_board("zynq-7020"), REGISTRY, "a test")
    assert "network.yaml:8: [circuit-1] layer 'mix_scores' reads qkv, qkv" in str(error.value)


def test_commands_tell_what_a_circuit_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path)
    assert main(["check", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "one circuit in the logic" in said and "products of int8 a cycle" in said
    assert main(["explain", "fc", "--project", str(folder)]) == 0
    assert "new weights are a new bitstream" in capsys.readouterr().out
    assert main(["explain", "fd", "--project", str(folder)]) == 2
