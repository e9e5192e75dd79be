"""All files of a design whose products run on the matrix engine, printed from its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aieloom.cpp_text import Constant, float_lines, joined
from aieloom.emit.files import FileTree
from aieloom.emit.host import whole_network
from aieloom.emit.library import copies
from aieloom.emit.names import CONFIGURATIONS, function_headers, host_library, host_program
from aieloom.emit.printer import Printer, environment
from aieloom.emit.processor import processor_view
from aieloom.emit.system import system
from aieloom.matrix_engine.emit import SOURCE, host_values, kernel_of
from aieloom.matrix_engine.engine import engine_of
from aieloom.matrix_engine.network import LayerProduct, on_processor, products
from aieloom.network.layers import Parameters
from aieloom.units.plan import Plan
from aieloom.units.types import Task

WEIGHTS = "src/host/weights.h"
HEADERS = ("products.h", "network.h", "main.h")  # of the library, that the host program includes


def output_names(plan: Plan) -> tuple[str, ...]:
    """Return the files that `render` makes, without making them."""
    host = host_program(plan.project)
    return (
        SOURCE,
        f"{host}.cpp",
        f"{host}.h",
        WEIGHTS,
        *copies(kernel_of(engine_of(plan), "").headers),
        *host_library((*HEADERS, *function_headers(on_processor(plan.tasks).steps))),
        *CONFIGURATIONS,
    )


def render(plan: Plan, parameters: Mapping[str, Parameters]) -> FileTree:
    """Return every source file of the design; `parameters[layer]` holds the trained tensors of a layer."""
    printer = Printer(plan.project)

    host = host_program(plan.project)
    inside = products(plan.tasks)
    layers = joined([task.name for task in inside])
    printer.kernel(kernel_of(engine_of(plan), f"the matrix engine of {layers}"))
    # its parts ask a subgraph for no more than an engine's layer has
    processor = processor_view(on_processor(plan.tasks), inside, parameters, environment, (plan.x, plan.y))
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
    layers = [_layer(task, number) for number, task in enumerate(products(plan.tasks), 1)]
    names = joined(["EngineTraits", *(str(layer["name"]) for layer in layers)])
    return {
        **whole_network(plan.x, plan.y, plan.project, on_processor(plan.tasks).steps),
        "headers": HEADERS,
        "device_template": "matrix_engine/design_engine.j2",
        "runner": f"host::Network<processor::Layers, host::Products<{names}>>",
        "batch": plan.schedule.batch,
        "batch_note": "their windows make one product",
        "weights": (WEIGHTS,),
        "processors": (processor,),
        "engine": host_values(engine_of(plan)),
        "layers": layers,
    }


def _layer(task: Task, number: int) -> dict[str, object]:
    form = task.read(LayerProduct)
    (m, n, k), w = form.size, form.window
    sizes = {
        "kM": (m, "output channels"),
        "kN": (n, "output places"),
        "kK": (k, "inputs of an output"),
        "kInValues": (task.x.elements, "of an image"),
    }
    window = {
        "kHeight": (w.height, "of the input"),
        "kWidth": (w.width, "of the input"),
        "kKernelY": (w.kernel[0], "rows of the window"),
        "kKernelX": (w.kernel[1], "columns of the window"),
        "kStrideY": (w.stride[0], "rows between places"),
        "kStrideX": (w.stride[1], "columns between places"),
        "kTop": (w.padding[0], "rows above the input"),
        "kLeft": (w.padding[1], "columns left of it"),
        "kPlacesX": (w.out_width, "places of a row"),
    }
    return {
        "what": f"{task.name}: {task.op}, {task.x} to {task.y}, {m} x {n} x {k} (M x N x K) for an image",
        "name": f"Layer{number}",
        "constants": (
            *(Constant(name, *size, "std::size_t") for name, size in sizes.items()),
            *(Constant(name, *size, "int") for name, size in window.items()),
        ),
        "weight": f"k{task.name}_weight",
        "bias": f"weights::k{task.name}_bias" if form.adds else "nullptr",
    }
