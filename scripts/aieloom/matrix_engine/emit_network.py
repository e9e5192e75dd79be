"""All files of a design whose products run on the matrix engine, printed from its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aieloom.cpp_text import View, float_lines, joined
from aieloom.emit.files import FileTree
from aieloom.emit.host import whole_network
from aieloom.emit.names import CONFIGURATIONS, host_program
from aieloom.emit.printer import Printer, environment
from aieloom.emit.processor import processor_view
from aieloom.emit.system import system
from aieloom.matrix_engine.emit import SOURCE, TEMPLATE, host_values, kernel_values
from aieloom.matrix_engine.engine import engine_of
from aieloom.matrix_engine.network import LayerProduct, on_processor, products
from aieloom.network.layers import Parameters
from aieloom.units.plan import Plan
from aieloom.units.types import Task

WEIGHTS = "src/host/weights.h"


def output_names(plan: Plan) -> tuple[str, ...]:
    """Return the files that `render` makes, without making them."""
    host = host_program(plan.project)
    return (SOURCE, f"{host}.cpp", f"{host}.h", WEIGHTS, *CONFIGURATIONS)


def render(plan: Plan, parameters: Mapping[str, Parameters]) -> FileTree:
    """Return every source file of the design; `parameters[layer]` holds the trained tensors of a layer."""
    printer = Printer(plan.project)

    host = host_program(plan.project)
    inside = products(plan.tasks)
    layers, engine = joined([task.name for task in inside]), kernel_values(engine_of(plan))
    printer.print("pl_templates", TEMPLATE, SOURCE, f"the matrix engine of {layers}", e=engine)
    # its parts ask a subgraph for no more than an engine's layer has
    processor = processor_view(on_processor(plan.tasks), inside, parameters, environment)
    printer.print("host_templates", "processor.h.j2", f"{host}.h", "layers on the processor", p=processor)
    printer.print(
        "host_templates",
        "matrix_engine/engine_weights.h.j2",
        WEIGHTS,
        f"weights of {layers}",
        w=_weights(inside, parameters),
    )
    printer.print(
        "host_templates",
        "host.cpp.j2",
        f"{host}.cpp",
        f"{plan.project} on the processor",
        h=_host(plan, processor),
    )
    printer.configurations(system(plan))
    return printer.tree


def _weights(inside: Sequence[Task], parameters: Mapping[str, Parameters]) -> dict[str, object]:
    tensors = [
        {
            "name": f"k{task.name}_{name}",
            "size": parameters[task.name][name].size,
            "lines": float_lines(parameters[task.name][name], 4),
        }
        for task in inside
        for name in ("weight", *(["bias"] if task.read(LayerProduct).adds else []))
    ]
    return {"tensors": tensors}


def _host(plan: Plan, processor: object) -> dict[str, object]:
    return {
        **whole_network(plan.x, plan.y, plan.project, on_processor(plan.tasks).steps),
        "use": f"Runs {plan.project} on the board: loads the xclbin, sends images through, compares and times.",
        "device_template": "matrix_engine/design_engine.j2",
        "batch": plan.schedule.batch,
        "batch_note": "their windows make one product",
        "file_converts": ("convert_float32.j2",),
        "weights": (WEIGHTS,),
        "processors": (processor,),
        "network": _network(plan),
        "engine": host_values(engine_of(plan)),
        "layers": [_layer(task, number) for number, task in enumerate(products(plan.tasks), 1)],
    }


def _network(plan: Plan) -> View:
    """Return how a batch goes through: all images through one product, then through the next."""
    given, parts = "images + i * kImageValues", list[View]()
    for number, task in enumerate(products(plan.tasks), 1):
        values = task.y.elements
        parts.append(
            View(
                what=f"from {task.sends} to {task.receives}",
                before=f"before_{number}",
                given=given,
                received=f"received_{number}",
                in_values=str(task.x.elements),
                out_values=str(values),
                calls=(f"design_.run_{number}(sent.data(), count, received_{number}.data());",),
                run=f"run_{number}",
                member="",
            )
        )
        given = f"&received_{number}[i * {values}]"
    return View(subgraphs=tuple(parts), begin=(), end=(), given=given, members=())


def _layer(task: Task, number: int) -> dict[str, object]:
    form = task.read(LayerProduct)
    (m, n, k), w = form.size, form.window
    window = (w.height, w.width, *w.kernel, *w.stride, *w.padding, w.out_width)
    return {
        "what": f"{task.name}: {task.op}, {task.x} to {task.y}, {m} x {n} x {k} (M x N x K) for an image",
        "number": number,
        "m": m,
        "n": n,
        "k": k,
        "image_values": task.x.elements,
        "window": joined(window),
        "weight": f"k{task.name}_weight",
        "beta": "1.0F" if form.adds else "0.0F",
        "bias": f"weights::k{task.name}_bias[i]" if form.adds else "static_cast<float>(i - i)",
    }
