"""A design for each kind of host program: together they print every template of host_templates, and every part of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from aieloom.flow.designs import design_of
from aieloom.flow.gemm.engine import EngineRequest, plan_product, render_engine
from aieloom.flow.gemm.files import render_gemm
from aieloom.flow.opening import open_any
from aieloom.spec.device import load_board
from aieloom.strategies.array_gemm.whole import whole
from tests.circuit import networks as circuits
from tests.designs import RESIDUAL_MLP, SENT_COPIES, SENT_WEIGHTS, SMALL, TWO_COPIES, network_of
from tests.emit.golden import BETWEEN, sources
from tests.matrix_engine.projects import opened as opened_in_logic
from tests.ops.system import project
from tests.sequential import networks, on_chip
from tests.strategies.array_gemm.plans import plan_of as gemm_of
from tests.tiles.networks import ESPCN

# Every function of the processor, on images and on rows.
IMAGES = """\
name: images
target: vck190
weights: w.safetensors
input: {name: x, shape: [4, 6, 6]}
layers:
  - {name: scale, op: affine, over: channels}
  - {name: slope, op: prelu}
  - {name: border, op: pad, padding: 1}
  - {name: conv, op: conv2d, out_channels: 4, kernel: 3}
  - {name: most, op: max_pool, kernel: 3, stride: 1, padding: 1}
  - {name: mean, op: avg_pool, kernel: 3, stride: 1, padding: 1}
  - {name: norm, op: layer_norm}
  - {name: curve, op: gelu}
  - {name: sum, op: add, inputs: [curve, slope]}
  - {name: both, op: concat, inputs: [sum, curve]}
  - {name: log, op: log_softmax}
  - {name: shares, op: softmax}
  - {name: core, op: conv2d, out_channels: 8, kernel: 1}
  - {name: pixels, op: reduce_mean, axes: [width]}
  - {name: best, op: argmax}
mapping:
  conv: {engine: ps}
  border: {engine: ps}
  slope: {engine: ps}
  most: {engine: ps}
  mean: {engine: ps}
  sum: {engine: ps}
  both: {engine: ps}
  shares: {engine: ps}
"""
ROWS = """\
name: rows
target: vck190
weights: w.safetensors
inputs:
  - {name: tokens, shape: [5]}
  - {name: mask, shape: [5]}
layers:
  - {name: words, op: embedding, tokens: 9, features: 12, inputs: [tokens]}
  - {name: back, op: lstm, hidden: 3, reverse: true}
  - {name: wide, op: dense, out_features: 12}
  - {name: forth, op: lstm, hidden: 3}
  - {name: again, op: dense, out_features: 12}
  - {name: gates, op: gru, hidden: 4}
  - {name: gates_back, op: gru, hidden: 4, reverse: true, reset_after: false, inputs: [again]}
  - {name: seen, op: attention, width: 4, inputs: [gates, gates_back, gates_back, mask]}
  - {name: all, op: attention, width: 4, inputs: [seen, gates, gates]}
  - {name: pairs, op: batch_matmul, transpose: true, inputs: [all, gates]}
  - {name: head, op: dense, out_features: 4}
"""
# Recurrences, whole rows and products of two activations on the units of a design whose layers take turns.
UNITS = """\
name: units
target: TARGET
execution: sequential
weights: w.safetensors
input: {name: x, shape: [6, 32]}
layers:
  - {name: gates, op: dense, out_features: 96}
  - {name: steps, op: gru, hidden: 32}
  - {name: wide, op: dense, out_features: 96}
  - {name: before, op: gru, hidden: 32, reset_after: false, reverse: true}
  - {name: norm, op: layer_norm, over: channels}
  - {name: mix, op: attention, heads: 2, width: 16, factor: 0.25, inputs: [norm, steps, steps]}
  - {name: pairs, op: batch_matmul, transpose: true, inputs: [mix, norm]}
  - {name: out, op: dense, out_features: 8}
  - {name: shares, op: softmax}
"""
TURNS_THEN_CORES = """\
name: back
target: vek280
weights: w.safetensors
execution: {spatial: [conv1, act2, conv2]}
input: {name: x, shape: [64]}
layers:
  - {name: fc1, op: dense, out_features: 256}
  - {name: act1, op: relu}
  - {name: image, op: reshape, shape: [4, 8, 8]}
  - {name: conv1, op: conv2d, out_channels: 16, kernel: 3, padding: 1}
  - {name: act2, op: relu}
  - {name: conv2, op: conv2d, out_channels: 3, kernel: 3, padding: 1}
mapping:
  conv1: {weights: stream}
"""
INTEGERS = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"
Tree = Mapping[str, str | bytes]
Make = Callable[[Path], Tree]
HOST_ISSUES = "sequencer: host\n"


def _opened(folder: Path) -> Tree:
    opened = open_any(folder, build=folder / "build")
    return design_of(opened).render()


def _text(text: str) -> Make:
    return lambda _folder: sources(text)


def _on_processor(text: str) -> Make:
    return lambda folder: _opened(project(folder, text))


def _quantised(text: str) -> Make:
    def make(folder: Path) -> Tree:
        shape = network_of(text).x.outside
        np.savez(folder / "calib.npz", x=np.random.default_rng(2).normal(size=(8, *shape)).astype(np.float32))
        return _opened(project(folder, text + INTEGERS))

    return make


def _in_turn(text: str) -> Make:
    def make(folder: Path) -> Tree:
        networks.opened(folder, text)
        return _opened(folder)

    return make


def _rows(folder: Path) -> Tree:
    on_chip.staying(folder)
    file = folder / "network.yaml"
    file.write_text(file.read_text() + HOST_ISSUES)
    return _opened(folder)


def _rows_without_tables(folder: Path) -> Tree:
    """No layer is depthwise: what loads tensors takes no weights, and is started without arguments."""
    on_chip.staying(folder, without="apart")
    return _opened(folder)


def _engine(folder: Path) -> Tree:
    opened_in_logic(folder)
    return _opened(folder)


def _circuit(folder: Path) -> Tree:
    return _opened(circuits.written(folder, circuits.NETWORK.replace("zynq-7020", "vck190")))


def _gemm_engine(_folder: Path) -> Tree:
    request = EngineRequest(m=37, k=29, n=21, element="float32", beta=0.5, block=(16, 16, 8))
    return render_engine(plan_product(load_board("zynq-7020"), request))


DESIGNS: dict[str, Make] = {
    "layers_with_cores": _text(SMALL),
    "processor_between": _text(BETWEEN),
    "functions_of_images": _on_processor(IMAGES),
    "functions_of_rows": _on_processor(ROWS),
    "copies": _text(TWO_COPIES),
    "copies_around_the_processor": _text(
        RESIDUAL_MLP.format(target="vck190", more="copies: 2\n") + "mapping: {mid: {weights: stream}}\n"
    ),
    "copies_that_are_sent_weights": _text(SENT_COPIES),
    "sent_weights": _text(SENT_WEIGHTS),
    "tiles": _text(ESPCN),
    "copies_of_tiles": _text(ESPCN.replace("layers:", "copies: 2\nlayers:")),
    "product_on_the_array": lambda _folder: render_gemm(whole(gemm_of(512, 512, 512, dtype="int8"))),
    "product_in_the_logic": _gemm_engine,
    "engine_of_layers": _engine,
    "circuit": _circuit,
    "in_turn_on_the_array": _in_turn(networks.quantised("multiplier") + "engine: aie\n"),
    "in_turn_issued_by_the_host": _in_turn(networks.quantised("multiplier") + "engine: aie\n" + HOST_ISSUES),
    "in_turn_in_the_logic": _in_turn(networks.NETWORK),
    "rows_issued_by_the_host": _rows,
    "rows_without_tables": _rows_without_tables,
    "units_of_floats": _on_processor(
        UNITS.replace("TARGET", "zcu104").replace("op: softmax", "op: log_softmax")
    ),
    "units_beside_the_array": _quantised(UNITS.replace("TARGET", "vck190")),
    "turns_then_cores": _quantised(TURNS_THEN_CORES),
}
