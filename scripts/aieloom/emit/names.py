"""Where a design's files and their templates lie: what is asked without printing any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from aieloom.cpp_text import TemplateUse
from aieloom.emit.library import LIBRARIES, copies
from aieloom.plan.processor import Function
from aieloom.plan.types import AieLayerPlan, ArrayPart

SOURCE_FOLDERS = ("src/aie", "src/pl", "src/host", "src/include")
# Folders of what a host program is made of, and headers of the PL library that know no types of HLS
_OF_LOGIC = ("elements", "exponential", "folds", "functions", "maps", "reorder", "requantise", "tables")
HOST_FOLDERS = (
    *("src/host/", "src/include/aieloom/host/"),
    *(f"src/include/aieloom/pl/{name}.h" for name in _OF_LOGIC),
)
CONFIGURATIONS = ("src/system.cfg", "src/package.cfg", "src/xrt.ini", "src/session.h")
GRAPH_FILE = "_graph.h"
SIMULATED_IMAGES = 3  # of a simulation of the array alone: two intervals, the second in the steady state
LOGIC = "logic.h"  # of the library: what layers in the logic do
EXACT = "ps/exact.h"  # of the library: what formulas of layers on the processor are made of
KERNEL_HEADERS = ("kernel.h", "main.h")  # of the library, that the host program of one kernel includes
WEIGHTS_HEADER = "src/host/weights.h"


def host_program(project: str) -> str:
    """Return where a host program's sources lie, without what their names end in."""
    return f"src/host/{project}_host"


def host_headers(plan: ArrayPart) -> tuple[str, ...]:
    """Return the headers of the library that a plan's host program includes."""
    return (*(("subgraphs.h", "network.h") if plan.processor else ("design.h",)), "main.h")


def host_library(headers: Iterable[str]) -> tuple[str, ...]:
    """Return the files that a host program is given a copy of which includes these headers of the library."""
    return tuple(copies(f"aieloom/host/{header}" for header in headers))


def function_headers(steps: Iterable[Function]) -> tuple[str, ...]:
    """Return the headers of the library that functions of layers on the processor take."""
    own = set()
    for step in steps:
        if step.folder != LIBRARIES["pl"]:
            own.add(step.template if step.template.endswith(".h") else EXACT)
        elif not step.template.endswith(".j2"):
            own.add(LOGIC)
    return ("gather.h", *sorted(own))


def graph_use(layer: AieLayerPlan) -> TemplateUse:
    """Return the file that the graph of a layer's copy goes to."""
    use = next(u for u in layer.draft.templates if u.output.endswith(GRAPH_FILE))
    return replace(use, output=f"src/aie/{layer.name}{GRAPH_FILE}")


def logic_library(plan: ArrayPart) -> tuple[str, ...]:
    """Return the copies of the library's headers that kernels in the logic include."""
    from aieloom.emit.kernel import library_of  # noqa: PLC0415 - larger than names
    from aieloom.emit.movers import MOVES  # noqa: PLC0415

    kernels = [header for kernel in plan.pl for header in library_of(kernel).headers]
    return tuple(copies(f"aieloom/pl/{h}.h" for h in (*kernels, *(MOVES[m.task][0] for m in plan.movers))))


def output_names(plan: ArrayPart) -> tuple[str, ...]:
    """Return the files that `render` makes, without making them."""
    units = (
        *(use for layer in plan.aie for use in layer.draft.templates),
        *(graph_use(copy) for copy in plan.others),
    )
    names = (
        *(use.output for use in units),
        *(m.output for m in plan.movers),
        *(k.output for k in plan.pl),
        *logic_library(plan),
        "src/aie/graph.h",
        "src/aie/graph.cpp",
        *((f"{host_program(plan.project)}.h",) if plan.processor else ()),
        f"{host_program(plan.project)}.cpp",
        *host_library(
            (*host_headers(plan), *(function_headers(plan.processor.steps) if plan.processor else ()))
        ),
        *([WEIGHTS_HEADER] if plan.weights else []),
        *CONFIGURATIONS,
    )
    return tuple(dict.fromkeys(names))  # the host program may include what kernels do


def table_name(layer: str) -> str:
    """Return the array's name in the host program."""
    return f"{layer}_table"
