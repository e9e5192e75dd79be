"""All files of a design, printed from its plan."""

from __future__ import annotations

from collections.abc import Mapping

import jinja2

from aieloom.cpp_text import View, float_lines
from aieloom.emit.files import FileTree
from aieloom.emit.graph import graph_view
from aieloom.emit.host import host_view
from aieloom.emit.kernel import kernel_view
from aieloom.emit.movers import mover_kernel
from aieloom.emit.names import WEIGHTS_HEADER, graph_use, host_program
from aieloom.emit.printer import Printer, environment, template_problem
from aieloom.emit.system import system
from aieloom.errors import SpecError
from aieloom.network.layers import Parameters
from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.plan.frame import FramePlan
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.plan.whole import whole
from aieloom.products.strategy import strategy_of
from aieloom.products.view import copy_view
from aieloom.words import plural

KERNEL_TEMPLATE = "kernel/kernel.cpp.j2"


def render(plan: ArrayPart, parameters: Mapping[str, Parameters]) -> FileTree:
    """Return every source file of the design.

    `parameters[layer]` holds the trained tensors of each parametric layer.
    """
    printer = Printer(plan.project)
    for number, layer in enumerate(plan.aie):
        _layer(printer, layer, parameters.get(layer.name, {}), plan.others[number :: len(plan.aie)])
    graph = graph_view(plan)
    printer.print("aie_templates", "graph.h.j2", "src/aie/graph.h", f"the graph of {plan.project}", g=graph)
    printer.print(
        "aie_templates", "graph.cpp.j2", "src/aie/graph.cpp", f"the graph of {plan.project}", g=graph
    )
    for kernel in plan.pl:
        _kernel(printer, kernel, _trained(kernel, parameters))
    for mover in plan.movers:
        _mover(printer, mover, None if mover in plan.weights else plan.frame)
    _system(printer, plan, parameters)
    if plan.weights:
        from aieloom.emit.tables import tables_of  # noqa: PLC0415 - most designs have constant weights

        tables = tables_of(plan, parameters)
        what = "weights that the cores are sent"
        printer.print("host_templates", "weights.h.j2", WEIGHTS_HEADER, what, tables=tables)
    return printer.tree


def _layer(
    printer: Printer, layer: AieLayerPlan, parameters: Parameters, copies: tuple[AieLayerPlan, ...]
) -> None:
    view = strategy_of(layer.grid).view(layer, parameters)
    what = f"{layer.name}, {layer.draft.x} to {layer.draft.y} by {layer.draft.strategy}"
    for use in layer.draft.templates:
        printer.print("aie_templates", use.template, use.output, what, k=view)
    for copy in copies:
        use = graph_use(copy)
        printer.print("aie_templates", use.template, use.output, what, k=copy_view(view, copy))


Lines = Mapping[str, Mapping[str, tuple[str, ...]]]


def _trained(kernel: PlKernel, parameters: Mapping[str, Parameters]) -> Lines:
    """Return the trained tensors of a kernel's layers as lines of literals, by layer and name."""
    return {
        step.layer: {name: float_lines(v, indent=4) for name, v in parameters[step.layer].items()}
        for step in kernel.steps
        if step.layer in parameters
    }


def _kernel(printer: Printer, kernel: PlKernel, trained: Lines) -> None:
    names = ", ".join(s.layer for s in kernel.steps) or "no layer"
    what = f"{names} on programmable logic, {kernel.x} to {kernel.y}"
    printer.print(
        "pl_templates", KERNEL_TEMPLATE, kernel.output, what, trained=trained, k=kernel_view(kernel)
    )


def _mover(printer: Printer, mover: MoverPlan, frame: FramePlan | None) -> None:
    ends = "memory to " if mover.reads_memory else "memory from "
    what = ends + f"{plural(mover.streams, 'stream')} of {mover.bits} bits"
    printer.kernel(mover_kernel(mover, what, frame))


def _processor(printer: Printer, plan: ArrayPart, parameters: Mapping[str, Parameters]) -> View | None:
    """Print the layers on the processor, if there are any."""
    if plan.processor is None:
        return None
    from aieloom.emit.processor import processor_view  # noqa: PLC0415 - most designs leave it none

    try:
        view = processor_view(plan.processor, plan.subgraphs, parameters, environment, (plan.x, plan.y))
    except jinja2.TemplateError as e:
        raise SpecError(template_problem(e, "a layer on the processor")) from e
    names = ", ".join(step.layer for step in plan.processor.steps)
    what = f"{plural(len(plan.processor.steps), 'layer')} on the processor, {names}"
    printer.print("host_templates", "processor.h.j2", f"{host_program(plan.project)}.h", what, p=view)
    return view


def _system(printer: Printer, plan: ArrayPart, parameters: Mapping[str, Parameters]) -> None:
    host = host_view(plan, _processor(printer, plan, parameters))
    printer.print(
        "host_templates",
        "host.cpp.j2",
        f"{host_program(plan.project)}.cpp",
        f"{plan.project} on the processor",
        h=host,
    )
    printer.configurations(system(whole(plan)))
