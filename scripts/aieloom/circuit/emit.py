"""All files of a network as a circuit, printed from its plan."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aieloom.circuit.fold import NAME, Fold, folds
from aieloom.cpp_text import View, integer_lines
from aieloom.emit.files import FileTree
from aieloom.emit.kernel_host import kernel_host
from aieloom.emit.names import host_program
from aieloom.emit.printer import Printer
from aieloom.emit.system import system
from aieloom.layout.grid import Window
from aieloom.layout.nest import plain
from aieloom.network.layers import Parameters, weight_matrix
from aieloom.network.tensor import TensorType
from aieloom.sequential.emit import FINISH
from aieloom.sequential.steps import ConvStep
from aieloom.sequential.vector import Operation
from aieloom.spec.quantize import Scales
from aieloom.units.plan import Plan
from aieloom.units.types import Task

SOURCE = f"src/pl/{NAME}.cpp"
FUNCTIONS = {Operation.MAXIMUM: "maximum", Operation.TABLE: "table"}  # as templates are called
HEADERS = ("aieloom/pl/engine/finish.h",)  # of the library
BURSTS = "max_read_burst_length=64 max_write_burst_length=64"


def render(plan: Plan, parameters: Mapping[str, Parameters]) -> FileTree:
    """Return every file of the design; `parameters[layer]` holds the integers of a layer."""
    printer, host = Printer(plan.project), f"{host_program(plan.project)}.cpp"
    what = f"{plan.project} as a circuit"
    printer.print("pl_templates", "circuit/circuit.cpp.j2", SOURCE, what, c=_circuit(plan, parameters))
    printer.print(
        "host_templates",
        "host.cpp.j2",
        host,
        f"{plan.project} on the processor",
        h=kernel_host(plan, NAME, "the circuit"),
    )
    printer.configurations(system(plan))
    return printer.tree


def _circuit(plan: Plan, parameters: Mapping[str, Parameters]) -> dict[str, object]:
    frames = _frames(plan)
    stages = tuple(
        _stage(task, x, y, parameters.get(task.name, {}))
        for task, x, y in zip(plan.tasks, frames, frames[1:], strict=False)
    )
    requants = (fold.product.requant for fold in folds(plan) if fold.product)
    scaling = next((requant.scaling for requant in requants if requant), Scales.MULTIPLIER)
    return {
        "name": NAME,
        "why": plan.remarks,
        "finish": FINISH[scaling],
        "stages": stages,
        "frames": frames,
        "given": frames[0],
        "made": frames[-1],
        "calls": tuple(f"{s.name}({s.x.name}, {s.y.name});" for s in stages),
        "bursts": BURSTS,
    }


def _frames(plan: Plan) -> tuple[View, ...]:
    """Return elements of an image between two processes or at an end, pixel by pixel, the input's first."""
    types = (plan.tasks[0].x, *(task.y for task in plan.tasks))
    written = (1, *(fold.lanes for fold in folds(plan)))
    read = (*(fold.depth if fold.product else fold.lanes for fold in folds(plan)), 1)
    return tuple(
        View(name=f"frame{i}", pixels=t.pixels, channels=t.shape[0], size=t.elements, banks=_banks(w, r))
        for i, (t, w, r) in enumerate(zip(types, written, read, strict=True))
    )


def _banks(*together: int) -> int:
    """Return a power of two of memories with two ports, for so many channels `together` on each side."""
    least = max(n if n & (n - 1) == 0 else -(-n // 2) for n in together)
    return 1 << (least - 1).bit_length()


def _stage(task: Task, x: View, y: View, trained: Parameters) -> View:
    fold, given = task.read(Fold), task.x
    product, window = fold.product, fold.window
    function = None if isinstance(window, Window) else window
    return View(
        name=f"{task.name}_layer",
        title=f"{task.name}: {task.op}, {given} to {task.y}, {fold.lanes} output channels side by side",
        template=f"circuit/circuit_{FUNCTIONS[function.operation] if function else 'product'}.j2",
        x=x,
        y=y,
        element=_element(given, x),
        height=given.shape[1],
        width=given.shape[2],
        out_width=task.y.shape[2],
        kernel_y=window.kernel[0],
        kernel_x=window.kernel[1],
        stride_y=window.stride[0],
        stride_x=window.stride[1],
        top=window.padding[0],
        left=window.padding[1],
        outside=given.zero if product else -128,
        pixels=task.y.pixels,
        channels=given.shape[0],
        outs=task.y.shape[0],
        taps=window.kernel[0] * window.kernel[1],
        lanes=fold.lanes,
        depth=fold.depth,
        weights=_weights(product, fold, trained) if product else (),
        channel_rows=_channels(fold.lanes, trained) if product else (),
        finish=_finish(product) if product else "",
        table=integer_lines(np.asarray(function.table), 4) if function else (),
    )


def _element(given: TensorType, frame: View) -> str:
    """Return where the element of `place` and `channel` lies: elsewhere where the layer before made another shape of them."""
    if given.shape[0] == frame.channels:
        return "x[place][channel]"
    flat = "channel" if given.pixels == 1 else f"channel * {given.pixels} + place"
    return f"x[({flat}) % {frame.pixels}][({flat}) / {frame.pixels}]"


def _weights(step: ConvStep, fold: Fold, trained: Parameters) -> tuple[str, ...]:
    """Return initializers of what a step multiplies by: [tap][input channels][output channels], each of depth x lanes."""
    matrix, window = weight_matrix(np.asarray(trained["weight"]), step.window.taps), step.window
    outputs = {"outputs": len(matrix) // fold.lanes, "lane": fold.lanes}
    inputs = {"inputs": window.channels // fold.depth, "channel": fold.depth}
    order = plain("", outputs | inputs | {"tap": window.kernel[0] * window.kernel[1]})
    laid = order.ordered("tap", "inputs", "outputs", "channel").gather(matrix.reshape(order.sizes))
    rows = laid.reshape(-1, fold.depth * fold.lanes)
    return tuple(line for row in rows for line in ("{", *integer_lines(row, 4), "},"))


def _channels(lanes: int, trained: Parameters) -> tuple[str, ...]:
    """Return an initializer for each output channel: bias, multiplier and shift."""
    columns = [np.asarray(trained[name]).reshape(-1) for name in ("bias", "multiplier", "shift")]
    rows = [f"{{ {', '.join(str(int(v)) for v in row)}, 0 }}," for row in zip(*columns, strict=True)]
    return tuple(line for i in range(0, len(rows), lanes) for line in ("{", *rows[i : i + lanes], "},"))


def _finish(step: ConvStep) -> str:
    """Return the initializer of how sums become elements: zero point, shift, smallest and largest."""
    r = step.requant
    assert r is not None
    return f"{{ {step.y.zero}, {r.shift}, {r.low}, {r.high} }}"
