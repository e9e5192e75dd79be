"""Random float32 graphs of what the ONNX reader takes: onnxruntime's values or a refusal, never other values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.flow.scaffold import new_project
from aieloom.network.readers import onnx_import
from aieloom.network.readers.onnx_expanded import RULES
from aieloom.network.readers.onnx_functions import FUNCTIONS
from aieloom.network.readers.onnx_import import MOVED, translators
from aieloom.network.readers.onnx_layers import JOINS
from aieloom.network.readers.onnx_nodes import Piece
from aieloom.network.readers.onnx_quant import QUANTISED
from aieloom.network.readers.onnx_views import OWN
from tests.fuzz.onnx_graphs import MAKERS, X, draw_graph
from tests.fuzz.onnx_judge import SAMPLES, Tally
from tests.heavy import helper, later, onnx
from tests.onnx.models import Builder, run_imported
from tests.onnx_session import session as onnx_session

ReferenceEvaluator = later("onnx.reference", "ReferenceEvaluator")


def judge(tally: Tally, seed: int, *ops: str) -> None:
    g, model = draw_graph(seed, ops)
    x = g.random.normal(0, 1, (SAMPLES, *g.shapes[X])).astype(np.float32)
    tally.add(f"seed {seed}, opset {g.opset}", model, x)


def test_every_operator_that_is_taken_is_drawn() -> None:
    taken = {*translators(), *JOINS, *RULES, *MOVED} - {*OWN, *QUANTISED}
    assert {op for op in taken if "." not in op} <= MAKERS.keys()


def test_a_node_of_each_operator_is_equal_or_refused() -> None:
    tally = Tally()
    for place, op in enumerate(sorted(MAKERS)):
        judge(tally, place, op)
    assert not tally.wrong, tally.wrong
    assert len(tally.equal) > 25, tally.text()


@pytest.mark.slow
def test_two_thousand_random_graphs() -> None:
    tally = Tally()
    seed = 0
    while tally.outcomes["equal"] + tally.outcomes["refused"] + tally.outcomes["wrong"] < 2000:
        seed += 1
        judge(tally, seed)
    print(tally.text())
    assert not tally.wrong, tally.wrong
    assert tally.outcomes["equal"] > 900, tally.text()
    assert tally.equal.keys() >= MAKERS.keys() - {"GroupNormalization", "Swish"}  # of the newest opsets alone


@pytest.mark.parametrize(
    ("op", "opset", "attributes", "words"),
    [
        ("LayerNormalization", 17, {"stash_type": 16}, "its attribute stash_type = 16 is not supported"),
        ("Resize", 18, {"keep_aspect_ratio_policy": "not_larger"}, "keep_aspect_ratio_policy = not_larger"),
        ("Conv", 17, {"kernel_shape": [1, 3]}, r"kernel_shape \[1, 3\], its weight has \[3, 3\]"),
    ],
)
def test_an_attribute_that_is_not_read_is_refused_by_name(
    op: str, opset: int, attributes: dict[str, object], words: str, tmp_path: Path
) -> None:
    b = Builder(["n", 3, 8, 8], opset)
    inputs = {
        "LayerNormalization": lambda: [b.constant("s", np.ones((3, 8, 8), np.float32))],
        "Resize": lambda: ["", "", b.constant("to", np.array([1, 3, 16, 16]))],
        "Conv": lambda: [b.weights("w", 4, 3, 3, 3)],
    }[op]()
    more: dict[str, Any] = {"axis": 1, **attributes} if op == "LayerNormalization" else attributes
    path = b.add(op, *inputs, **more).save(tmp_path / "m.onnx")
    with pytest.raises(SpecError, match=words):
        run_imported(path, np.zeros((1, 3, 8, 8), np.float32))


def test_a_dropout_that_trains_is_refused_and_one_that_does_not_is_nothing(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(0, 1, (2, 3, 4, 4)).astype(np.float32)
    for training in (False, True):
        b = Builder(["n", 3, 4, 4], 17)
        names = (b.constant("share", np.float32(0.5)), b.constant("trains", np.array(training)))
        path = b.add("Dropout", *names).add("Relu").save(tmp_path / f"{training}.onnx")
        if training:
            with pytest.raises(SpecError, match="drops values at random"):
                run_imported(path, x)
        else:
            np.testing.assert_array_equal(run_imported(path, x)[0], np.maximum(x, 0))


def test_space_to_depth_of_either_mode_is_onnx_s_own_definition(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(0, 1, (2, 3, 4, 6)).astype(np.float32)
    for mode in ("DCR", "CRD"):
        b = Builder(["n", 3, 4, 6], onnx.defs.onnx_opset_version())
        model = b.add("SpaceToDepth", blocksize=2, mode=mode).model()
        onnx.save(model, tmp_path / "m.onnx")
        (want,) = ReferenceEvaluator(model).run(None, {"x": x})
        np.testing.assert_array_equal(run_imported(tmp_path / "m.onnx", x)[0], want)


def picked(b: Builder) -> Builder:
    return b.add("Gather", b.constant("at", np.array([2, 0, 1])), axis=1)


def backwards(b: Builder) -> Builder:
    names = ("from", -1), ("to", -(1 << 40)), ("axis", 3), ("step", -1)
    return b.add("Slice", *(b.constant(n, np.array([v])) for n, v in names))


def rolled(b: Builder) -> Builder:
    ends = [
        [b.constant(f"{n}{i}", np.array([v])) for n, v in zip("abc", e, strict=True)]
        for i, e in enumerate(((3, 8, 2), (0, 3, 2)))
    ]
    whole = b.last
    low = b.add("Slice", *ends[0]).last
    b.last = whole
    b.add("Slice", *ends[1])
    return b.add("Concat", low, first=False, axis=2)


def below_all(b: Builder) -> Builder:
    sides, value = (
        b.constant("sides", np.array([0, 0, 1, 1, 0, 0, 1, 1])),
        b.constant("least", np.float32(-np.inf)),
    )
    return b.add("Pad", sides, value).add("MaxPool", kernel_shape=[3, 3], strides=[2, 2])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (picked, r"picks the places \[2, 0, 1\] of axis 1"),
        (backwards, "goes backwards along axis 3, in steps of -1"),
        (rolled, r"\(Concat\): is along axis 2 of \(1, 3, 5, 8\)"),
        (below_all, "pads by -inf"),
    ],
)
def test_a_form_that_no_layer_has_is_told_truly_and_nothing_is_written(
    make: Callable[[Builder], Builder], words: str, tmp_path: Path
) -> None:
    b = Builder(["n", 3, 8, 8], 17)
    path = make(b.add("Conv", b.weights("w", 3, 3, 1, 1))).save(tmp_path / "m.onnx")
    with pytest.raises(SpecError, match=words):
        new_project(tmp_path / "net", model=path)
    assert not (tmp_path / "net").exists()


def test_layers_that_do_not_fit_together_are_the_model_s_fault_before_a_project_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a reader overlooks: what it makes of a file is checked as the project would be."""
    taken = {**FUNCTIONS, "Neg": lambda _node, pieces: [*pieces, Piece("max_pool", {"kernel": 9})]}
    monkeypatch.setattr(onnx_import, "FUNCTIONS", taken)
    b = Builder(["n", 3, 8, 8], 17)
    path = b.add("Conv", b.weights("w", 3, 3, 1, 1)).add("Neg").save(tmp_path / "m.onnx")
    with pytest.raises(SpecError, match=r"m.onnx: \[onnx\] its nodes make layers that do not fit together"):
        new_project(tmp_path / "net", model=path)
    assert not (tmp_path / "net").exists()


def test_a_function_of_the_model_s_own_is_named_and_the_remedy_helps(tmp_path: Path) -> None:
    b = Builder(["n", 3, 4, 4], 17)
    b.nodes.append(helper.make_node("Act", ["x"], ["y"], domain="my"))
    b.last = "y"
    model = b.model()
    body = [helper.make_node("Neg", ["a"], ["b"]), helper.make_node("Relu", ["b"], ["c"])]
    model.functions.append(helper.make_function("my", "Act", ["a"], ["c"], body, model.opset_import))
    model.opset_import.append(helper.make_opsetid("my", 1))
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    x = np.random.default_rng(0).normal(0, 1, (2, 3, 4, 4)).astype(np.float32)
    with pytest.raises(SpecError, match="Act is a function of the model's own") as e:
        run_imported(path, x)
    (found,) = e.value.problems
    command = found.remedy.removeprefix("write it as its nodes: ")
    pytest.importorskip("onnx.inliner")
    exec(command, {"onnx": onnx, "FILE": str(path)})
    np.testing.assert_array_equal(run_imported(path, x)[0], np.maximum(-x, 0))


def test_a_second_result_is_given_or_refused_by_name(tmp_path: Path) -> None:
    b = Builder([1, 5, 6], 17)
    b.add("LayerNormalization", b.constant("s", np.ones(6, np.float32)), outputs=2)
    model = b.model(3)
    model.graph.output.append(helper.make_tensor_value_info("t0_1", onnx.TensorProto.FLOAT, [None] * 3))
    onnx.save(model, tmp_path / "m.onnx")
    with pytest.raises(SpecError, match="gives the output 't0_1', which is not its first result"):
        run_imported(tmp_path / "m.onnx", np.zeros((1, 5, 6), np.float32))


@pytest.mark.parametrize("op", ["LSTM", "GRU"])
@pytest.mark.parametrize("way", ["forward", "reverse", "bidirectional"])
def test_the_last_state_is_onnxruntimes(op: str, way: str, tmp_path: Path) -> None:
    ways, gates = (2 if way == "bidirectional" else 1), {"LSTM": 4, "GRU": 3}[op]
    b = Builder([1, 5, 6], 17).add("Transpose", perm=[1, 0, 2])
    weights = b.weights("w", ways, 4 * gates, 6), b.weights("r", ways, 4 * gates, 4)
    b.add(op, *weights, outputs=2, hidden_size=4, direction=way)
    b.last = "t1_1"
    b.add("Transpose", perm=[1, 0, 2]).add("Reshape", b.constant("to", np.array([1, -1])))
    onnx.save(b.model(2), tmp_path / "m.onnx")
    x = np.random.default_rng(1).normal(0, 1, (1, 5, 6)).astype(np.float32)
    want = onnx_session(b.model(2)).run(None, {"x": x})[0]
    np.testing.assert_allclose(run_imported(tmp_path / "m.onnx", x)[0].reshape(want.shape), want, atol=1e-6)


def test_a_kernel_that_dilations_make_larger_than_memory_is_refused(tmp_path: Path) -> None:
    """The result is small: its border is as large as the kernel's gaps."""
    b = Builder(["n", 3, 8, 8], 17)
    path = b.add("Conv", b.weights("w", 4, 3, 3, 3), dilations=[20000] * 2, pads=[20000] * 4).save(
        tmp_path / "m.onnx"
    )
    with pytest.raises(
        SpecError, match=r"with its dilations \[20000, 20000\] has a kernel of \(4, 3, 40001, 40001\)"
    ):
        run_imported(path, np.zeros((1, 3, 8, 8), np.float32))
