"""Small networks for tests: YAML text in, network, plan and seeded weights out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aieloom.emit.files import FileTree
from aieloom.emit.project import render
from aieloom.errors import SpecError
from aieloom.network.layers import Array, Network, infer_shapes
from aieloom.ops import REGISTRY
from aieloom.plan.build import make_plan
from aieloom.plan.types import ArrayPart
from aieloom.spec.device import array_names, load_device
from aieloom.spec.lines import parse_yaml
from aieloom.spec.load import parse_network

ROOT = Path(__file__).resolve().parents[1]


def array_projects() -> list[str]:
    """Return the repository's projects for boards with an array."""
    files = sorted((ROOT / "projects").glob("*/network.yaml"))
    boards = array_names()
    return [
        f.parent.name
        for f in files
        if parse_yaml(f.read_text(encoding="utf-8"), f.name).data["target"] in boards
    ]


ESPCN = (ROOT / "projects" / "espcn" / "network.yaml").read_text(encoding="utf-8")
FILE = "network.yaml"

SMALL = """\
name: small
target: vck190
weights: weights.pt
input: {name: x, shape: [2, 6, 6]}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act, op: tanh}
  - {name: second, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: shuffle, op: pixel_shuffle, upscale: 2}
mapping:
  first: {tile: [8, 18, 12], mmul: [4, 2, 4]}
  act: {lut: {entries: 64, range: [-4, 4]}}
  second: {tile: [4, 36, 20], mmul: [4, 2, 4]}
"""
# two copies of it, and its weights sent
TWO_COPIES = SMALL.replace("layers:", "copies: 2\nlayers:").replace("weights.pt", "w.safetensors")
SENT_COPIES = TWO_COPIES.replace("second: {tile:", "second: {weights: stream, tile:")
STREAMED = """\
name: streamed
target: vck190
weights: weights.pt
input: {name: x, shape: [3, 8, 16]}
layers:
  - {name: first, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: second, op: conv2d, out_channels: 8, kernel: 3, padding: 1}
  - {name: sum, op: add, inputs: [second, pool]}
  - {name: third, op: conv2d, out_channels: 4, kernel: 1}
  - {name: last, op: tanh}
mapping:
  first: {strategy: direct}
  act: {strategy: streaming}
  second: {tile: [8, 72, 8], mmul: [4, 2, 4]}
  sum: {strategy: streaming}
  third: {tile: [4, 8, 8], mmul: [4, 2, 4]}
  last: {strategy: streaming, lut: {entries: 16, range: [-2, 2]}}
"""
SENT_WEIGHTS = """\
name: sent
target: vck190
weights: w.safetensors
input: {name: x, shape: [2, 12, 16]}
layers:
  - {name: lines, op: conv2d, out_channels: 4, kernel: 3, padding: 1}
  - {name: act, op: relu}
  - {name: passes, op: conv2d, out_channels: 8, kernel: 3}
  - {name: pool, op: max_pool, kernel: 2}
  - {name: fc, op: dense, out_features: 5}
mapping:
  lines: {strategy: direct, tile: [2, 18, 64], groups: 2, weights: stream}
  passes: {tile: [4, 18, 28], mmul: [4, 2, 4], weights: stream}
  fc: {weights: stream}
"""
RESIDUAL_MLP = """\
name: mlp
target: {target}
weights: w.safetensors
{more}input: {{name: x, shape: [5, 12]}}
layers:
  - {{name: up, op: dense, out_features: 16}}
  - {{name: act, op: relu}}
  - {{name: norm, op: layer_norm, over: channels}}
  - {{name: mid, op: dense, out_features: 16}}
  - {{name: act2, op: relu}}
  - {{name: norm2, op: layer_norm, over: channels}}
  - {{name: down, op: dense, out_features: 12}}
  - {{name: sum, op: add, inputs: [down, x]}}
"""


@dataclass(frozen=True, slots=True)
class Design:
    """A planned network with seeded weights."""

    network: Network
    plan: ArrayPart
    parameters: dict[str, dict[str, Array]]

    def images(self, count: int, seed: int = 0) -> Array:
        """Return seeded inputs between -1 and 1."""
        shape = (count, *self.network.x.shape)
        return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)

    def files(self) -> FileTree:
        """Return the generated sources."""
        return render(self.plan, self.parameters)


def network_of(text: str) -> Network:
    """Read a network.yaml's text."""
    return infer_shapes(parse_network(parse_yaml(text, FILE), REGISTRY), REGISTRY)


def plan_of(text: str) -> ArrayPart:
    """Plan a network.yaml's text."""
    network = network_of(text)
    return make_plan(network, load_device(network.spec.target), REGISTRY)


def weights_of(network: Network, seed: int = 1) -> dict[str, dict[str, Array]]:
    """Return seeded weights, scaled so that sums stay around one."""
    rng = np.random.default_rng(seed)
    found: dict[str, dict[str, Array]] = {}
    for layer in network.layers:
        for p in layer.parameters:
            scale = 1 / math.sqrt(math.prod(p.shape[1:]))
            values = rng.normal(0, scale, p.shape).astype(np.float32)
            found.setdefault(layer.name, {})[p.name] = values
    return found


def stored_of(network: Network, seed: int = 1) -> dict[str, Array]:
    """Return seeded weights as a file holds them: by `layer.parameter`, those of a matmul transposed."""
    turned = {(la.name, p.name) for la in network.layers for p in la.parameters if p.transposed}
    return {
        f"{layer}.{n}": np.ascontiguousarray(v.T) if (layer, n) in turned else v
        for layer, values in weights_of(network, seed).items()
        for n, v in values.items()
    }


def design_of(text: str = SMALL) -> Design:
    """Plan a network.yaml's text and give it weights."""
    network = network_of(text)
    return Design(
        network, make_plan(network, load_device(network.spec.target), REGISTRY), weights_of(network)
    )


def refusal(text: str) -> str:
    """Return the message with which reading or planning `text` ends; it must end with one."""
    try:
        plan_of(text)
    except SpecError as e:
        return str(e)
    raise AssertionError("the network was not refused")


def line_of(text: str, part: str) -> int:
    """Return the 1-based line of the first line that holds `part`."""
    return next(i for i, line in enumerate(text.splitlines(), 1) if part in line)


def edited(text: str, old: str, new: str) -> str:
    """Return `text` with `old`, which must be in it once, replaced."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)
