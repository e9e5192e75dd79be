"""Small ONNX models for tests, built node by node, and what aieloom makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.network.inputs import taken_record
from aieloom.network.layers import Network, infer_shapes
from aieloom.network.readers.onnx_import import OnnxNetwork, read_onnx
from aieloom.ops import REGISTRY
from aieloom.reference.results import torch_reference
from aieloom.spec.lines import SourceFile
from aieloom.spec.load import parse_network
from tests.heavy import TensorProto, helper, numpy_helper, onnx

Values = NDArray[np.float32]
_IR_OF_OPSET = {9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 15: 8}


class Builder:
    """Collects nodes and constants; each `add` reads the tensor before it."""

    def __init__(self, shape: Sequence[int | str], opset: int = 17, seed: int = 0) -> None:
        self.shape, self.opset = list(shape), opset
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, NDArray[Any]] = {}
        self.last = "x"

    def weights(self, name: str, *shape: int) -> str:
        """Add random weights; return their name."""
        scale = 1 / math.sqrt(max(1, math.prod(shape[1:])))
        return self.constant(name, self.random.normal(0, scale, shape).astype(np.float32))

    def constant(self, name: str, values: Any) -> str:
        """Add a constant; return its name."""
        self.constants[name] = np.asarray(values)
        return name

    def add(self, op: str, *others: str, first: bool = True, outputs: int = 1, **attributes: Any) -> Builder:
        """Add a node that reads the last tensor first (or last), then `others`."""
        index = len(self.nodes)
        names = [f"t{index}", *(f"t{index}_{i}" for i in range(1, outputs))]
        inputs = [self.last, *others] if first else [*others, self.last]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op.lower()}_{index}", **attributes))
        self.last = names[0]
        return self

    def model(self, out_rank: int = 4) -> onnx.ModelProto:
        """Return the model, unchecked."""
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(self.last, TensorProto.FLOAT, [None] * out_rank)],
            [numpy_helper.from_array(v, n) for n, v in self.constants.items()],
        )
        ir = _IR_OF_OPSET.get(self.opset, 8 if self.opset < 19 else 10)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=ir)

    def save(self, path: Path, out_rank: int = 4) -> Path:
        """Write the model."""
        onnx.save(self.model(out_rank), path)
        return path


def network_of(imported: OnnxNetwork) -> Network:
    """Return the imported layers as a network with shapes."""
    data: dict[str, object] = {
        "name": "net",
        "target": "vck190",
        "weights": "w.onnx",
        "inputs": [dict(i) for i in imported.inputs],
        "layers": [dict(layer) for layer in imported.layers],
    }
    return infer_shapes(parse_network(SourceFile("network.yaml", data, {(): 1}), REGISTRY), REGISTRY)


def run_record(path: Path, x: dict[str, NDArray[Any]]) -> Values:
    """Return what the imported layers give for several inputs in PyTorch's operators."""
    network, parameters, _ = _read(path)
    names = [str(i.name) for i in network.spec.graph_inputs]
    record = taken_record({name: x[name] for name in names}, network.x, network.spec.graph_inputs)
    return network.layers[-1].y.to_outside(torch_reference(network, parameters, record))


def run_imported(path: Path, x: Values) -> tuple[Values, OnnxNetwork]:
    """Return what the imported layers give for `x` in PyTorch's operators, without image axes for features."""
    network, parameters, imported = _read(path)
    given = x.reshape(-1, *network.spec.input.shape)
    y = torch_reference(network, parameters, network.x.to_inside(given))
    return network.layers[-1].y.to_outside(y), imported


def _read(path: Path) -> tuple[Network, dict[str, dict[str, Values]], OnnxNetwork]:
    """Return an imported file as a network, its tensors by layer, and itself."""
    imported = read_onnx(path, shown_as=path.name)
    network = network_of(imported)
    parameters: dict[str, dict[str, Values]] = {}
    for name, values in imported.tensors.items():
        owner, _, short = name.rpartition(".")
        parameters.setdefault(owner, {})[short] = values
    for layer in network.layers:
        have = {n: v.shape for n, v in parameters.get(layer.name, {}).items()}
        assert have == {p.name: p.shape for p in layer.parameters}, layer.name
    return network, parameters, imported
