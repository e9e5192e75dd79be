"""All files of a design whose products run on the matrix engine, printed from its plan."""

from __future__ import annotations

from collections.abc import Mapping

from aieloom.cpp_text import float_lines, joined
from aieloom.emit.files import FileTree
from aieloom.emit.host import NetworkView, SubgraphView, whole_network
from aieloom.emit.printer import CONFIGURATIONS, Printer, environment
from aieloom.emit.processor import processor_view
from aieloom.emit.system import system
from aieloom.matrix_engine.adapter import adapted
from aieloom.matrix_engine.emit import SOURCE, TEMPLATE, host_values, kernel_values
from aieloom.matrix_engine.network import EngineStep, LogicPlan
from aieloom.network.layers import Parameters

WEIGHTS = "src/host/weights.h"


def program_name(plan: LogicPlan) -> str:
    """Return the host program's file name."""
    return f"{plan.project}_host"


def output_names(plan: LogicPlan) -> tuple[str, ...]:
    """Return the files that `render` makes, without making them."""
    host = f"src/host/{program_name(plan)}"
    return (SOURCE, f"{host}.cpp", f"{host}.h", WEIGHTS, *CONFIGURATIONS)


def render(plan: LogicPlan, parameters: Mapping[str, Parameters]) -> FileTree:
    """Return every source file of the design; `parameters[layer]` holds the trained tensors of a layer."""
    printer = Printer(plan.project)

    host = f"src/host/{program_name(plan)}"
    layers = joined([s.layer for s in plan.products])
    printer.print(
        "pl_templates", TEMPLATE, SOURCE, f"the matrix engine of {layers}", e=kernel_values(plan.engine)
    )
    # its parts ask a subgraph for no more than an engine's layer has
    processor = processor_view(plan.processor, plan.products, parameters, environment)
    printer.print("host_templates", "processor.h.j2", f"{host}.h", "layers on the processor", p=processor)
    printer.print(
        "host_templates",
        "matrix_engine/engine_weights.h.j2",
        WEIGHTS,
        f"weights of {layers}",
        w=_weights(plan, parameters),
    )
    printer.print(
        "host_templates",
        "host.cpp.j2",
        f"{host}.cpp",
        f"{plan.project} on the processor",
        h=_host(plan, processor),
    )
    printer.configurations(system(adapted(plan)))
    return printer.tree


def _weights(plan: LogicPlan, parameters: Mapping[str, Parameters]) -> dict[str, object]:
    tensors = [
        {
            "name": _tensor(s, name),
            "size": parameters[s.layer][name].size,
            "lines": float_lines(parameters[s.layer][name], 4),
        }
        for s in plan.products
        for name in ("weight", *(["bias"] if s.has_bias else []))
    ]
    return {"tensors": tensors}


def _tensor(step: EngineStep, name: str) -> str:
    return f"k{step.layer}_{name}"


def _host(plan: LogicPlan, processor: object) -> dict[str, object]:
    return {
        **whole_network(plan.x, plan.y, plan.project, plan.steps),
        "use": f"Runs {plan.project} on the board: loads the xclbin, sends images through, compares and times.",
        "device_template": "matrix_engine/design_engine.j2",
        "batch": adapted(plan).schedule.batch,
        "batch_note": "their windows make one product",
        "file_converts": ("convert_float32.j2",),
        "weights": (WEIGHTS,),
        "processors": (processor,),
        "network": _network(plan),
        "engine": host_values(plan.engine),
        "layers": [_layer(s, number) for number, s in enumerate(plan.products, 1)],
    }


def _network(plan: LogicPlan) -> NetworkView:
    """Return how a batch goes through: all images through one product, then through the next."""
    given, parts = "images + i * kImageValues", list[SubgraphView]()
    for number, step in enumerate(plan.products, 1):
        values = step.y.elements
        parts.append(
            SubgraphView(
                what=f"from {step.sends} to {step.receives}",
                before=f"before_{number}",
                given=given,
                received=f"received_{number}",
                in_values=str(step.x.elements),
                out_values=str(values),
                calls=(f"design_.run_{number}(sent.data(), count, received_{number}.data());",),
                run=f"run_{number}",
                member="",
            )
        )
        given = f"&received_{number}[i * {values}]"
    return NetworkView(subgraphs=tuple(parts), begin=(), end=(), given=given, members=())


def _layer(step: EngineStep, number: int) -> dict[str, object]:
    m, n, k = step.size
    w = step.window
    window = (w.height, w.width, *w.kernel, *w.stride, *w.padding, w.out_width)
    return {
        "what": f"{step.layer}: {step.op}, {step.x} to {step.y}, {m} x {n} x {k} (M x N x K) for an image",
        "number": number,
        "m": m,
        "n": n,
        "k": k,
        "image_values": step.x.elements,
        "window": joined(window),
        "weight": _tensor(step, "weight"),
        "beta": "1.0F" if step.has_bias else "0.0F",
        "bias": f"weights::{_tensor(step, 'bias')}[i]" if step.has_bias else "static_cast<float>(i - i)",
    }
