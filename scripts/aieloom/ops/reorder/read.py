"""edge_pad in PyTorch programs: ReflectionPad2d, ReplicationPad2d; ONNX's Pad of all modes is read in onnx_nodes."""

from __future__ import annotations

from aieloom.network.readers.registry import from_torch
from aieloom.network.readers.torch_ops import Call, Calls, padded

MODES = {"reflection_pad2d": "reflect", "replication_pad2d": "replicate"}


@from_torch(*MODES)
def torch_call(b: Calls, call: Call) -> str:
    """Return the border."""
    return padded(b, call, [int(p) for p in call.args["padding"]], MODES[call.op.partition(".")[0]])
