"""log_softmax in models: ONNX's LogSoftmax, torch.nn.LogSoftmax."""

from __future__ import annotations

from aieloom.network.readers import onnx_nodes, torch_ops
from aieloom.network.readers.registry import from_onnx, from_torch

onnx_node = from_onnx("LogSoftmax", rows=True)(onnx_nodes.softmax("log_softmax"))
torch_call = from_torch("log_softmax", "_log_softmax")(torch_ops.along("LogSoftmax"))
