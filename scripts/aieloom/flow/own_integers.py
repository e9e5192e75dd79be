"""A model that came quantised beside its own runtime: how many integers of a run are those of onnxruntime or LiteRT."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.flow.project import Project
from aieloom.network.inputs import quantised
from aieloom.network.readers import LITE
from aieloom.network.readers.models import read_model
from aieloom.network.readers.onnx_external import whole_model
from aieloom.network.readers.tflite_build import TO_NHWC
from aieloom.network.tensor import Quantisation, tensor_of
from aieloom.spec.network import IntegersSpec

if TYPE_CHECKING:
    from aieloom.network.readers.onnx_import import OnnxNetwork

Results = NDArray[Any]
Runtime: TypeAlias = Callable[[Path, Mapping[str, Results]], list[Results]]  # of arrays by the model's names
ONNXRUNTIME, LITERT = "onnxruntime", "LiteRT"
PACKAGE = {ONNXRUNTIME: "onnxruntime", LITERT: "ai-edge-litert"}
HOW = {ONNXRUNTIME: "without its optimiser", LITERT: "with its reference kernels"}
NOT = "not compared with the model's own integers"
_ELEMENTS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


@dataclass(frozen=True, kw_only=True)
class OwnIntegers:
    """What the comparison gave: a sentence, and the share of equal integers where there are two to compare."""

    line: str
    share: float | None = None

    @property
    def quality(self) -> dict[str, float]:
        """What summary.json has of it."""
        return {} if self.share is None else {"share_equal_integers": round(self.share, 6)}


def own_integers(project: Project, x: Values, y: Values) -> OwnIntegers | None:
    """Compare results `y` of inputs `x`, `(n, channels, height, width)`, with the model's own; None of other projects."""
    if project.quantised is None or not project.quantised.is_given:
        return None
    path = project.weights
    model = read_model(path, shown_as=path.name)
    name, runtime = (LITERT, _litert) if path.suffix == LITE else (ONNXRUNTIME, _onnxruntime)
    try:
        results = runtime(path, _given(project, model, x))
    except ImportError:
        return OwnIntegers(line=f"{NOT}: {name} is not installed (pip install {PACKAGE[name]})")
    except Exception as e:  # the runtimes' own have no class in common
        said = str(e).splitlines()[0] if str(e) else type(e).__name__
        return OwnIntegers(line=f"{NOT}: {name} does not run it: {said}")
    meaning = model.output_integers or model.quants.get(str(model.layers[-1]["name"]))
    if len(results) != 1 or (meaning is None and results[0].dtype.kind == "f"):
        return OwnIntegers(line=f"{NOT}: its results are no one tensor of integers")
    (own,) = results
    found = project.network.y.to_outside(y)
    if path.suffix == LITE and found.ndim == own.ndim == len(TO_NHWC):
        found = found.transpose(TO_NHWC)
    equal = int((_steps(found, meaning).reshape(-1) == _steps(own, meaning).reshape(-1)).sum())
    share = equal / own.size
    return OwnIntegers(
        line=f"{share:.2%} of {own.size:,} integers are the model's own, by {name} {HOW[name]}", share=share
    )


def _steps(values: Results, meaning: IntegersSpec | Quantisation | None) -> NDArray[np.int64]:
    """Return the integers that values are, or that real values stand for; without a meaning whole numbers, as classes."""
    if values.dtype.kind != "f" or meaning is None:
        return np.rint(values).astype(np.int64)
    return np.rint(values / np.float64(meaning.scale)).astype(np.int64) + meaning.zero_point


def _given(project: Project, model: OnnxNetwork, x: Values) -> dict[str, Results]:
    """Return what the model takes, by its own names: integers where its inputs are integers, whole numbers of tokens."""
    inputs = project.network.spec.graph_inputs
    if len(inputs) == 1:
        parts = [project.network.x.to_outside(x)]
    else:
        ends = np.cumsum([prod(i.shape) for i in inputs])[:-1]
        parts = [
            tensor_of(i.shape, i.dtype).to_outside(part)
            for i, part in zip(inputs, np.split(x.reshape(len(x), -1), ends, axis=1), strict=True)
        ]
    named = zip(model.names, inputs, parts, strict=True)
    return {name: quantised(part, i.integers) if i.integers else part for name, i, part in named}


def _onnxruntime(path: Path, given: Mapping[str, Results]) -> list[Results]:
    from aieloom.network.readers.onnx_session import session_of  # noqa: PLC0415 - where it is installed

    session = session_of(whole_model(path))
    ends = session.get_inputs()
    made = []
    for at in range(len(next(iter(given.values())))):
        feeds = {}
        for end in ends:
            x = given[end.name][at]
            sizes = [1, *(s if isinstance(s, int) else -1 for s in end.shape[1:])]
            feeds[end.name] = x.reshape(sizes).astype(_ELEMENTS.get(end.type, x.dtype))
        made.append(session.run(None, feeds))
    return [np.concatenate([np.atleast_1d(m) for m in each]) for each in zip(*made, strict=True)]


def _litert(path: Path, given: Mapping[str, Results]) -> list[Results]:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: PLC0415 - where it is installed

    from aieloom.network.readers.tflite_file import load_lite  # noqa: PLC0415
    from aieloom.network.readers.tflite_onnx import is_plain  # noqa: PLC0415

    interpreter = Interpreter(str(path), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    (end,), (out,) = interpreter.get_input_details(), interpreter.get_output_details()
    (values,) = given.values()
    if values.ndim == len(end["shape"]) == len(TO_NHWC) and not is_plain(load_lite(path, path.name)):
        values = values.transpose(TO_NHWC)
    made = []
    for x in values:
        interpreter.set_tensor(end["index"], x.reshape(end["shape"]).astype(end["dtype"]))
        interpreter.invoke()
        made.append(interpreter.get_tensor(out["index"]))
    return [np.concatenate(made)]
