"""Trains an autoencoder of sounds; writes autoencoder.onnx (int8, QDQ) and data/. Run it by `doit train project=autoencoder`.

The topology is MLPerf Tiny's for anomaly detection: 640 values (5 frames of 128 mel bands, in steps of a quarter) through
dense layers 128-128-128-128-8-128-128-128-128 with relu, back to 640. Its recordings (ToyADMOS) are in no PyPI package, so
the sounds are synthetic: a machine has a few steady bands whose strength follows two slow quantities (load and speed), under
a floor of noise; an anomaly has bands that no load or speed gives. What the autoencoder cannot repeat is anomalous. The
same seed gives the same weights.

The ONNX file holds weights of 8 bits and what every result is quantised to: 264 kB instead of 1 MB.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

HERE = Path(__file__).resolve().parent
SEED = 17
BANDS, FRAMES, SIZES = 128, 5, (640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640)
TRAIN, CALIBRATION, TEST = 20_000, 1000, 500
STEP = 0.25  # values are multiples of it

Values = NDArray[np.float32]


def sounds(count: int, seed: int, *, anomalous: bool) -> Values:
    """Return spectra `(count, 640)`, frame after frame."""
    fixed = np.random.default_rng(SEED)
    places, widths = fixed.uniform(0, BANDS, 12), fixed.uniform(1.5, 5, 12)
    load_part, speed_part = fixed.uniform(0.3, 1.2, 12), fixed.uniform(-4, 4, 12)
    random = np.random.default_rng(seed)
    load, speed = random.uniform(0, 2, (count, 1, 1)), random.uniform(-1, 1, (count, 1, 1))
    if anomalous:
        places = places + random.uniform(6, 20, 12)
    band = np.arange(BANDS)[None, None, :, None]
    frame = np.arange(FRAMES)[None, :, None]
    beat = (0.2 * np.sin(frame * (1 + speed)))[..., None]
    shape = np.exp(-(((band - places - speed_part * speed[..., None]) / widths) ** 2))
    spectrum = ((load[..., None] * load_part + beat) * shape).sum(axis=-1)
    spectrum += random.normal(0, 0.15, spectrum.shape)
    steps: Values = (np.round(spectrum / STEP) * STEP).reshape(count, -1).astype(np.float32)
    return steps


def train() -> nn.Sequential:
    """Return the trained float model."""
    torch.manual_seed(SEED)
    torch.set_num_threads(2)
    layers: list[nn.Module] = []
    for a, b in pairwise(SIZES):
        layers += [nn.Linear(a, b), nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    x = torch.from_numpy(sounds(TRAIN, SEED + 1, anomalous=False))
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(20):
        for part in torch.split(torch.randperm(len(x)), 256):
            optimiser.zero_grad()
            loss = nn.functional.mse_loss(model(x[part]), x[part])
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}")
    return model


class Writer:
    """Collects the nodes of a QDQ model."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.last = "x"

    def constant(self, name: str, values: Any) -> str:
        """Add a constant."""
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def add(self, op: str, inputs: list[str], **attributes: Any) -> str:
        """Add a node; return its result's name."""
        made = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [made], name=f"n_{made}", **attributes))
        return made

    def rounded(self, values: Values) -> None:
        """Quantise the flowing tensor to the range of `values`, and dequantise it."""
        low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
        scale = np.float32((high - low) / 255)
        n = len(self.constants)
        names = [
            self.constant(f"scale_{n}", scale),
            self.constant(f"zero_{n}", np.int8(round(-128 - low / float(scale)))),
        ]
        self.last = self.add("QuantizeLinear", [self.last, *names])
        self.last = self.add("DequantizeLinear", [self.last, *names])

    def dense(self, linear: nn.Linear) -> None:
        """Add a Gemm of 8-bit weights, one scale for each output, and its float bias."""
        weight = linear.weight.detach().numpy()
        scale = (np.abs(weight).max(axis=1) / 127).astype(np.float32)
        n = len(self.constants)
        integers = np.clip(np.rint(weight / scale[:, None]), -127, 127).astype(np.int8)
        names = [
            self.constant(f"weight_{n}", integers),
            self.constant(f"scale_{n}", scale),
            self.constant(f"zero_{n}", np.zeros(len(scale), np.int8)),
        ]
        floats = self.add("DequantizeLinear", names, axis=0)
        bias = self.constant(f"bias_{n}", linear.bias.detach().numpy())
        self.last = self.add("Gemm", [self.last, floats, bias], transB=1)


def export(model: nn.Sequential, x: Values) -> onnx.ModelProto:
    """Return the model in QDQ form, calibrated on `x`."""
    writer, y = Writer(), torch.from_numpy(x)
    writer.rounded(x)
    modules = list(model)
    for i, module in enumerate(modules):
        with torch.no_grad():
            y = module(y)
        if isinstance(module, nn.Linear):
            writer.dense(module)
        else:
            writer.last = writer.add("Relu", [writer.last])
        if not (i + 1 < len(modules) and isinstance(modules[i + 1], nn.ReLU)):
            writer.rounded(y.numpy())
    graph = helper.make_graph(
        writer.nodes,
        "autoencoder",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, SIZES[0]])],
        [helper.make_tensor_value_info(writer.last, TensorProto.FLOAT, [1, SIZES[-1]])],
        writer.constants,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made


def main() -> None:
    """Train, and write what network.yaml names."""
    model = train()
    onnx.save(export(model, sounds(CALIBRATION, SEED + 1, anomalous=False)), HERE / "autoencoder.onnx")
    halves = [sounds(TEST // 2, SEED + 2 + i, anomalous=bool(i)) for i in (0, 1)]
    with torch.no_grad():
        errors = [((model(torch.from_numpy(x)).numpy() - x) ** 2).mean(axis=1) for x in halves]
    order = np.sign(errors[1][:, None] - errors[0][None])
    (HERE / "data").mkdir(exist_ok=True)
    np.savez_compressed(HERE / "data" / "test.npz", x=np.concatenate(halves).astype(np.float16))
    print(f"an anomaly is repeated worse than a normal sound in {(order > 0).mean():.1%} of all pairs")


if __name__ == "__main__":
    main()
