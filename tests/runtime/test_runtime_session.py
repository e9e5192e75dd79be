"""Sessions against onnxruntime: which part goes to the device, and that results are what the parts give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import aieloom
from aieloom.api import DesignHandle
from aieloom.errors import Problem, SpecError
from aieloom.network.parts import Part
from aieloom.network.readers import ONNX
from aieloom.runtime.ends import End
from aieloom.runtime.kept import kept_design
from aieloom.runtime.partition import Flow
from tests.heavy import TensorProto, helper, numpy_helper, onnx, onnxruntime
from tests.onnx.models import Builder
from tests.onnx_session import session as onnx_session

Values = NDArray[Any]
X = np.random.default_rng(2).normal(0, 1, (1, 2, 6, 6)).astype(np.float32)


def by_onnxruntime(model: onnx.ModelProto, *inputs: Values) -> list[Values]:
    session = onnx_session(model)
    names = [i.name for i in session.get_inputs()]
    return list(session.run(None, dict(zip(names, inputs, strict=True))))


def surrounded() -> onnx.ModelProto:
    """Return a model of which no device takes all: a second output branches off its start, and it ends with a running sum."""
    b = Builder((1, 2, 6, 6))
    b.add("HardSwish").add("Conv", b.weights("w1", 3, 2, 3, 3), b.weights("b1", 3), kernel_shape=[3, 3])
    b.add("Relu").add("MaxPool", kernel_shape=[2, 2], strides=[2, 2]).add("Flatten")
    b.add("Gemm", b.weights("w2", 4, 12), transB=1).add("CumSum", b.constant("axis", np.int64(1)))
    model = b.model(2)
    model.graph.node.append(helper.make_node("Abs", ["t0"], ["beside"]))
    model.graph.output.append(helper.make_tensor_value_info("beside", TensorProto.FLOAT, [1, 2, 6, 6]))
    onnx.checker.check_model(model)
    return model


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of parts that no other run has; compiled objects are found where they are."""
    monkeypatch.setattr("aieloom.runtime.kept.cache_folder", lambda: tmp_path / "cache")
    return tmp_path


def saved(folder: Path, model: onnx.ModelProto) -> Path:
    onnx.save(model, folder / f"model{ONNX}")
    return folder / f"model{ONNX}"


@pytest.mark.integration
def test_what_the_board_does_not_take_onnxruntime_computes(cache: Path) -> None:
    model = surrounded()
    with aieloom.Session(saved(cache, model), target="zynq-7020") as session:
        assert [p.engine for p in session.places] == ["onnxruntime", "zynq-7020", "onnxruntime"]
        assert session.places[1].nodes == ("Conv", "Relu", "MaxPool", "Flatten", "Gemm")
        y, beside = session.run(None, {"x": X})
        wanted, also = by_onnxruntime(model, X)
        assert np.allclose(y, wanted, rtol=0, atol=1e-5)
        assert y.shape == wanted.shape
        assert beside.tobytes() == also.tobytes(), "what onnxruntime alone computes"
        parts: Any = session._parts
        first, device, last = parts._before, parts._device, parts._behind
        given = first.run({"x": X})
        part = parts._shaped("t5", device.reference(given["t0"]))
        (exact,) = last.run({"t5": part, **given}).values()
        assert y.tobytes() == exact.tobytes(), "to the bit what the parts give"
        (later,) = session.run_async(["beside"], {"x": X}).result()
        assert later.tobytes() == also.tobytes()
    assert [o.name for o in session.get_outputs()] == [o.name for o in model.graph.output]
    assert session.get_inputs()[0].shape == (1, 2, 6, 6)


def test_a_model_that_the_array_takes_is_whole(cache: Path) -> None:
    b = Builder((1, 8))
    model = b.add("Gemm", b.weights("w", 4, 8), transB=1).add("Relu").model(2)
    session = aieloom.Session(saved(cache, model), target="vck190")
    (place,) = session.places
    assert (place.engine, place.nodes, place.inputs) == ("vck190", ("Gemm", "Relu"), ("x",))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda m: aieloom.Session(m, device="fpga"), "[session] there is no device 'fpga'"),
        (lambda m: aieloom.Session(m, target="zcu102"), "[target] there is no device 'zcu102'"),
        (lambda m: aieloom.Session(m.parent / "none"), "[project]"),
        (lambda m: aieloom.Session(m.parent / "none.onnx"), "[session] is no ONNX model"),
        (lambda m: aieloom.Session(m).run(["z"], {"x": X}), "[session] the model has no output 'z'"),
        (lambda m: aieloom.Session(m).run(None, {"X": X}), "[session] the inputs ['X'] are given"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, text: str, cache: Path) -> None:
    b = Builder((1, 8))
    file = saved(cache, b.add("Gemm", b.weights("w", 4, 8), transB=1).model(2))
    with pytest.raises(SpecError) as error:
        make(file)
    assert text in str(error.value)


@pytest.fixture
def trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which parts are tried."""
    folder = tmp_path / "trials"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_of_the_parts_that_are_tried_the_chosen_one_is_kept(cache: Path, trials: Path) -> None:
    """Each part lay in the cache with its weights, for ever: one refused model of 256 MB left 15 GB."""
    session = aieloom.Session(saved(cache, surrounded()), target="zynq-7020")
    assert session.places[1].nodes == ("Conv", "Relu", "MaxPool", "Flatten", "Gemm")
    (kept,) = (cache / "cache" / "sessions").iterdir()
    assert sorted(f.name for f in (kept / "net").iterdir()) == ["network.yaml", "weights.safetensors"]
    assert not [*trials.iterdir()]


def test_of_a_model_that_does_not_fit_nothing_is_kept(
    cache: Path, trials: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = []

    def refused(self: DesignHandle) -> None:
        planned.append(self)
        raise SpecError(Problem(rule="engine-1", text="no room", remedy="use a larger board"))

    monkeypatch.setattr(DesignHandle, "plan", property(refused))
    with pytest.raises(SpecError, match="CumSum"):  # what is wrong with the whole model
        aieloom.Session(saved(cache, surrounded()), target="zynq-7020")
    assert planned
    assert not (cache / "cache").exists()
    assert not [*trials.iterdir()]


def test_what_does_not_fit_is_told_of_the_model() -> None:
    """Not of the network.yaml that was tried, which is gone."""
    yaml = b"name: net\ntarget: vck190\nweights: w.safetensors\ninput: {name: x, shape: [8]}\nlayers:\n  - {name: a, op: no}\n"
    with pytest.raises(SpecError) as error:
        kept_design({"network.yaml": yaml}, "vck190", shown_as="model.onnx")
    assert {p.file for p in error.value.problems} == {"model.onnx"}


def test_sessions_for_two_boards_have_a_project_each(cache: Path) -> None:
    b = Builder((1, 8))
    file = saved(cache, b.add("Gemm", b.weights("w", 4, 8), transB=1).add("Relu").model(2))
    sessions = {target: aieloom.Session(file, target=target) for target in ("zynq-7020", "zcu104")}
    for target, session in sessions.items():
        parts: Any = session._parts
        assert f"target: {target}\n" in parts._device.project.yaml.read_text()
    assert len([*(cache / "cache" / "sessions").iterdir()]) == 2


OPENS = """
import sys, time
from aieloom import Session
from aieloom.emit import files
whole = files.write_whole
def slow(*args, **more):  # whoever else opens the model meets it between two writes
    whole(*args, **more)
    time.sleep(0.2)
files.write_whole = slow
print("ready", flush=True)
sys.stdin.readline()
print(Session(sys.argv[1], target="zynq-7020")._parts._device.project.yaml)
"""


def test_processes_that_open_a_model_at_once_do_not_meet(tmp_path: Path) -> None:
    """One wrote network.yaml without its mapping, then its weights, then the mapping behind it, beside the others."""
    b = Builder((1, 8))
    file = saved(tmp_path, b.add("Gemm", b.weights("w", 4, 8), transB=1).add("Relu").model(2))
    environment = {**os.environ, "AIELOOM_CACHE": str(tmp_path / "cache")}
    words, pipe = [sys.executable, "-c", OPENS, str(file)], subprocess.PIPE
    running = [
        subprocess.Popen(words, env=environment, text=True, stdin=pipe, stdout=pipe, stderr=pipe)
        for _ in range(3)
    ]
    for process in running:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    ends = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * 3, ends
    (file,) = {Path(text.splitlines()[-1]) for text, _ in ends}  # who waits says so before
    assert file.read_text().count("mapping:\n") == 1


def test_ends_are_called_as_by_onnxruntime(cache: Path) -> None:
    file = saved(cache, surrounded())
    ours = aieloom.Session(file, target="zynq-7020")
    theirs = onnx_session(file)
    for own, other in ((ours.get_inputs(), theirs.get_inputs()), (ours.get_outputs(), theirs.get_outputs())):
        assert [(e.name, e.type) for e in own] == [(e.name, e.type) for e in other]
    assert [*ours.get_inputs()[0].shape] == theirs.get_inputs()[0].shape


class Doubling:
    """What a session runs: outputs a and b of x."""

    inputs = (End(name="x", shape=(None, 2)),)
    outputs = (End(name="a", shape=(None, 2)), End(name="b", shape=(None, 2)))

    def run(self, outputs: list[str], inputs: dict[str, Values]) -> dict[str, Values]:
        return {name: inputs["x"] * (1 + "ab".index(name)) for name in outputs}


@pytest.fixture
def doubling(cache: Path) -> aieloom.Session:
    b = Builder((1, 8))
    session = aieloom.Session(saved(cache, b.add("Gemm", b.weights("w", 4, 8), transB=1).model(2)))
    session._parts = Doubling()  # type: ignore[assignment]
    return session


def test_no_names_are_all_outputs_as_in_onnxruntime(doubling: aieloom.Session) -> None:
    given: tuple[list[str] | None, ...] = (None, [])
    for wanted in given:
        a, b = doubling.run(wanted, {"x": np.ones((1, 2))})
        assert (a.tolist(), b.tolist()) == ([[1, 1]], [[2, 2]])
    (b,) = doubling.run(["b"], {"x": np.ones((1, 2))})
    assert b.tolist() == [[2, 2]]


def test_options_of_a_run_ask_for_nothing(doubling: aieloom.Session) -> None:
    x = {"x": np.ones((1, 2))}
    assert len(doubling.run(None, x, None)) == len(doubling.run(None, x, onnxruntime.RunOptions())) == 2
    with pytest.raises(SpecError, match="run_options is a dict"):
        doubling.run(None, x, {"terminate": True})
    options = onnxruntime.RunOptions()
    options.terminate, options.logid = True, "mine"
    with pytest.raises(SpecError, match="these are set: logid, terminate"):
        doubling.run(None, x, options)


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (X.astype(np.float64), r"'x' is float64 of 1 x 2 x 6 x 6, tensor\(float\) of 1 x 2 x 6 x 6 is taken"),
        (X[:, :1], r"'x' is float32 of 1 x 1 x 6 x 6, tensor\(float\) of 1 x 2 x 6 x 6 is taken"),
    ],
)
def test_an_array_that_the_processors_part_does_not_take_is_refused(
    x: Values, said: str, cache: Path
) -> None:
    session = aieloom.Session(saved(cache, surrounded()), target="zynq-7020")
    with pytest.raises(SpecError, match=said):
        session.run(None, {"x": x})


def test_a_model_without_products_is_refused(cache: Path) -> None:
    with pytest.raises(SpecError, match="nothing in it is a product"):
        aieloom.Session(saved(cache, Builder((1, 4)).add("Relu").model(2)))
    b = Builder((1, 4))
    with pytest.raises(SpecError, match="CumSum"):
        aieloom.Session(saved(cache, b.add("CumSum", b.constant("axis", np.int64(1))).model(2)))


@st.composite
def graphs(draw: st.DrawFn) -> onnx.ModelProto:
    """A graph of sums, products and functions of earlier tensors, with one or two inputs."""
    tensors, nodes = [f"x{i}" for i in range(draw(st.integers(1, 2)))], []
    inputs = [helper.make_tensor_value_info(t, TensorProto.FLOAT, [3, 3]) for t in tensors]
    for n in range(draw(st.integers(1, 9))):
        op = draw(st.sampled_from(["MatMul", "Relu", "Add"]))
        reads = [draw(st.sampled_from(tensors)) for _ in range(2 if op == "Add" else 1)]
        nodes.append(
            helper.make_node(op, [*reads, *(["w"] if op == "MatMul" else [])], [f"t{n}"], name=f"n{n}")
        )
        tensors.append(f"t{n}")
    ends = draw(st.lists(st.sampled_from([n.output[0] for n in nodes]), min_size=1, max_size=2, unique=True))
    outputs = [
        helper.make_tensor_value_info(t, TensorProto.FLOAT, [3, 3]) for t in {*ends, nodes[-1].output[0]}
    ]
    weight = numpy_helper.from_array(np.diag([0.5, -1.0, 0.25]).astype(np.float32), "w")
    graph = helper.make_graph(nodes, "g", inputs, outputs, [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@given(graphs(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_every_part_can_be_taken_out_and_put_back(model: onnx.ModelProto, seed: int) -> None:
    """onnxruntime computes what lies before each part, the part, and what lies behind: the model's own results, to the bit."""
    model = onnx.shape_inference.infer_shapes(model)
    flow = Flow(model)
    random = np.random.default_rng(seed)
    inputs = {name: random.normal(0, 1, (3, 3)).astype(np.float32) for name in flow.inputs}
    wanted = dict(zip(flow.outputs, by_onnxruntime(model, *inputs.values()), strict=True))
    found = list(flow.parts(frozenset()))
    products = sum(n.op_type == "MatMul" for n in flow.nodes)
    assert bool(found) == bool(products), "each product is a part of itself"
    for part in found[:6]:
        known: dict[str, Values] = dict(inputs)
        cut = flow.cut(part)
        for starts, ends in (
            (flow.inputs, cut.before),
            (part.sources, (part.result,)),
            (cut.behind, flow.outputs),
        ):
            ends = tuple(e for e in ends if e not in known)  # noqa: PLW2901 - an output may be known
            if ends:
                piece = onnx.utils.Extractor(model).extract_model(list(starts), list(ends))
                session = onnx_session(piece)
                given_here = {i.name: known[i.name] for i in session.get_inputs()}
                known |= dict(zip(ends, session.run(list(ends), given_here), strict=True))
        assert {name: known[name].tobytes() for name in wanted} == {n: v.tobytes() for n, v in wanted.items()}


def test_refused_nodes_are_in_no_part() -> None:
    model = surrounded()
    flow = Flow(onnx.shape_inference.infer_shapes(model))
    part: Part = next(flow.parts(frozenset({0, 6})))
    assert (part.sources, part.result) == (("t0",), "t5")
    assert not any({0, 6} & {*p.numbers} for p in flow.parts(frozenset({0, 6})))


@pytest.mark.integration
def test_a_program_of_torch_export_gives_pytorchs_results(cache: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    module = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 5)).eval()
    torch.export.save(torch.export.export(module, (torch.zeros(1, 16),)), cache / "net.pt2")
    session = aieloom.Session(cache / "net.pt2", target="vck190")
    x = np.random.default_rng(4).normal(0, 1, (3, 16)).astype(np.float32)
    (y,) = session.run(None, {session.get_inputs()[0].name: x})
    with torch.no_grad():
        np.testing.assert_allclose(y, module(torch.from_numpy(x)).numpy(), atol=1e-5)


def test_keras_files_are_made_projects_first(tmp_path: Path) -> None:
    (tmp_path / "net.keras").write_bytes(b"")
    with pytest.raises(SpecError, match=r"aieloom new NAME --model net\.keras"):
        aieloom.Session(tmp_path / "net.keras")


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
def test_a_model_of_several_inputs_is_given_them_by_name(cache: Path) -> None:
    masked = pytest.importorskip("tests.sequential.masked")
    masked.exported(cache / "model.onnx", "fill", layers=1)
    session, x = aieloom.Session(cache / "model.onnx", target="zcu104"), masked.samples(3)
    assert [i.name for i in session.get_inputs()] == list(x)
    (place,) = session.places
    assert place.inputs == tuple(x)
    (y,) = session.run(None, x)
    np.testing.assert_allclose(y, masked.by_onnxruntime(cache / "model.onnx", x), rtol=1e-4, atol=1e-5)
    with pytest.raises(
        SpecError, match="give an array for each of: input_ids, attention_mask, token_type_ids"
    ):
        session.run(None, {"input_ids": x["input_ids"]})


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
def test_what_several_inputs_lead_to_is_a_part(cache: Path) -> None:
    masked = pytest.importorskip("tests.sequential.masked")
    masked.exported(cache / "model.onnx", "product", layers=1, pooled=True)
    session, x = aieloom.Session(cache / "model.onnx", target="zcu104"), masked.samples(3)
    device, behind = session.places
    assert device.inputs == tuple(x)
    assert "CumSum" in behind.nodes
    assert "MatMul" not in behind.nodes
    runner = onnx_session(cache / "model.onnx")
    for i in range(3):  # the model's batch is one
        one = {name: v[i : i + 1] for name, v in x.items()}
        for y, wanted in zip(session.run(None, one), runner.run(None, one), strict=True):
            np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)
