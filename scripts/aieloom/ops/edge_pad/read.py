"""edge_pad in PyTorch programs: ReflectionPad2d, ReplicationPad2d. ONNX's Pad of all modes is read in onnx_nodes."""

from __future__ import annotations

from aieloom.network.readers.onnx_nodes import Piece
from aieloom.network.readers.refused import Refused
from aieloom.network.readers.registry import from_torch
from aieloom.network.readers.torch_ops import IMAGE, Call, Layers

MODES = {"reflection_pad2d": "reflect", "replication_pad2d": "replicate"}


@from_torch(*MODES)
def torch_call(call: Call) -> Layers:
    """Return the border."""
    left, right, top, bottom = (int(p) for p in call.args["padding"])
    if len(call.x.shape) != IMAGE or min(left, right, top, bottom) < 0:
        raise Refused(f"pads {list(call.x.shape)} by {[left, right, top, bottom]}", "pad height and width")
    mode = MODES[call.op.partition(".")[0]]
    return [Piece("edge_pad", {"padding": [top, left, bottom, right], "mode": mode})]
