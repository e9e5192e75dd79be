"""All files of a design that runs layer by layer: the engine, the host program, the command list, the weights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aieloom.cpp_text import Constant, View, enumerators
from aieloom.emit.files import Files
from aieloom.emit.graph import graph_view
from aieloom.emit.host import array_view, whole_network
from aieloom.emit.library import copies
from aieloom.emit.names import CONFIGURATIONS, function_headers, host_library, host_program
from aieloom.emit.on_host import on_host
from aieloom.emit.printer import Printer, environment
from aieloom.emit.steps import detail_view
from aieloom.emit.system import system
from aieloom.layout.channel_words import LANES
from aieloom.network.layers import Parameters
from aieloom.network.scaled import MOST_ELEMENTS
from aieloom.ops.integer_pairs import LEFT_SHIFT
from aieloom.pl.steps import ELEMENTWISE, REORDER
from aieloom.plan.processor import WHOLE, Function
from aieloom.sequential import array, row_unit
from aieloom.sequential import commands as c
from aieloom.sequential import recurrent_unit as ru
from aieloom.sequential import vector as vu
from aieloom.sequential.array import ArrayEngine
from aieloom.sequential.builder import TYPES
from aieloom.sequential.emit_array import (
    BUNDLES,
    CONTROL_INCLUDES,
    ELEMENTS,
    EXPONENTIAL,
    FOLDER,
    GRAPH,
    NUMBERS,
    TOP,
    graph_files,
    graph_values,
    host_values,
    kernel_templates,
    logic_values,
    mover_values,
    number_template,
    row_values,
    unit_names,
)
from aieloom.sequential.engine import CHANNEL_BYTES, DTYPES, NAME, turns_of
from aieloom.sequential.float_rows import Arithmetic
from aieloom.sequential.onchip import emit as on_rows
from aieloom.sequential.onchip import engine as rows
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import InTurn, command_list, commands, engines_of
from aieloom.sequential.recurrent import Cell
from aieloom.sequential.recurrent_unit import CELL_CYCLES, RecurrentUnit
from aieloom.sequential.spatial import source_names, sources_of
from aieloom.sequential.steps import is_by_place
from aieloom.spec.quantize import Scales
from aieloom.spec.types import DataType
from aieloom.units.plan import Plan

SOURCE, UNIT_SOURCE = (f"src/pl/{n}.cpp" for n in (NAME, vu.NAME))
ROW_SOURCE = f"src/pl/{row_unit.NAME}.cpp"
RECURRENT_SOURCE = f"src/pl/{ru.NAME}.cpp"
COMMANDS, WEIGHTS, READABLE = (f"src/host/{n}" for n in (c.FILE, c.WEIGHTS_FILE, "commands.json"))
IMAGE_REGISTERS = ("images", "height", "width", "words", "out_height", "out_width")
WINDOW_REGISTERS = ("kernel_y", "kernel_x", "stride_y", "stride_x", "top", "left")
REGISTERS = (
    "x_at", "w_at", "channels_at", "y_at", "sets", *IMAGE_REGISTERS,
    "group_words", "tap_words", "set_words", *WINDOW_REGISTERS, "groups", "depthwise",
    "outside", "zero", "shift", "low", "high",
)  # fmt: skip
UNIT_REGISTERS = (
    "a_at", "b_at", "table_at", "y_at", "operation", *IMAGE_REGISTERS,
    *WINDOW_REGISTERS, "counts_padding", "zero_a", "zero_b", "zero",
    "multiplier_a", "multiplier_b", "multiplier_y", "shift_a", "shift_b", "shift", "low", "high",
)  # fmt: skip
RECURRENT_REGISTERS = ("x_at", "w_at", "y_at", "images", "steps", "hidden", "cell", "reverse")
BURSTS = "max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16"
FINISH = {
    Scales.MULTIPLIER: "sequential/finish_multiplier.j2",
    Scales.MULTIPLIER16: "sequential/finish_multiplier16.j2",
    Scales.POWER_OF_TWO: "sequential/finish_power_of_two.j2",
    Scales.ONNX: "sequential/finish_onnx.j2",
}


def kernel_sources(plan: Plan) -> tuple[str, ...]:
    """Return the files of the kernels in the logic."""
    return tuple(f"src/pl/{name}.cpp" for name in plan.in_logic)


def graph_sources(design: InTurn) -> tuple[str, ...]:
    """Return the files of the array's kernels and graph."""
    return tuple(graph_files(_folder(design))) if design.array else ()


def _folder(design: InTurn) -> str:
    """Return the folder of the sources of the engine on the array: its own beside layers with cores of their own."""
    return FOLDER if design.spatial else ""


def graph_kernels(design: InTurn) -> tuple[str, ...]:
    """Return the sources of the cores' kernels."""
    layers = design.spatial.plan.aie if design.spatial else ()
    own = tuple(file for layer in layers for file in layer.draft.sources)
    return (*own, *(name for name in graph_sources(design) if name.endswith(".cc")))


def output_names(plan: Plan) -> tuple[str, ...]:
    """Return the files that `render` makes, without making them."""
    design = engines_of(plan)
    beside = source_names(design.spatial) if design.spatial else ()
    names = (
        *kernel_sources(plan),
        *beside,
        *graph_sources(design),
        f"{host_program(plan.project)}.cpp",
        *host_library(_headers(design)),
        *copies(_engine_headers(design)),
        COMMANDS,
        WEIGHTS,
        READABLE,
        *CONFIGURATIONS,
    )
    return tuple(dict.fromkeys(names))  # the host program may include what kernels do


def render(plan: Plan, parameters: Mapping[str, Parameters]) -> Files:
    """Return every file of the design; `parameters[layer]` holds the tensors of a layer."""
    design = engines_of(plan)
    printer = Printer(plan.project)

    weights = packed(plan, parameters)
    if design.has_engine:
        printer.print(
            "pl_templates",
            "sequential/conv_engine.cpp.j2",
            SOURCE,
            "the convolution engine",
            e=_engine(design),
        )
    if design.array:
        _array(printer, plan.project, design, design.array)
    if design.unit:
        printer.print(
            "pl_templates",
            "sequential/vector_unit/vector_unit.cpp.j2",
            UNIT_SOURCE,
            "the vector unit",
            v=_unit(design, design.unit),
        )
    if design.row_unit:
        printer.print(
            "pl_templates",
            "sequential/row_unit/row_unit.cpp.j2",
            ROW_SOURCE,
            "the row unit",
            r=row_values(design.engine, design.array, design.row_unit, BURSTS),
            step=detail_view(Arithmetic(), function=row_unit.NAME),
        )
    if design.recurrent:
        printer.print(
            "pl_templates",
            "sequential/recurrent_unit.cpp.j2",
            RECURRENT_SOURCE,
            "the recurrent unit",
            r=_recurrent(design.recurrent),
        )
    host = f"{host_program(plan.project)}.cpp"
    printer.print("host_templates", "host.cpp.j2", host, f"{plan.project} on the processor", h=_host(plan))
    printer.configurations(system(plan))
    return {
        **(sources_of(design.spatial, parameters) if design.spatial else {}),
        **printer.tree,
        COMMANDS: c.to_bytes(command_list(plan), weights),
        WEIGHTS: weights,
        READABLE: json.dumps(c.to_json(command_list(plan)), indent=1) + "\n",
    }


def _headers(design: InTurn) -> tuple[str, ...]:
    """Return the headers of the library that the host program includes."""
    functions = function_headers(design.functions)[1:] if design.functions else ()
    return (*(["subgraphs.h"] if design.spatial else []), "layers_in_turn.h", *functions, "main.h")


def _engine_headers(design: InTurn) -> tuple[str, ...]:
    """Return the headers of the library that kernels of an engine on the array include."""
    header = "row_memory" if design.staying else "array_layer"
    of_floats = design.row_unit is not None and design.row_unit.element != "int8"
    engine = [f"aieloom/pl/engine/{header}.h"] if design.array else []
    return (*engine, *([EXPONENTIAL] if design.recurrent or of_floats else []))


def _kernel_templates(design: InTurn) -> dict[str, str]:
    """Return the kernels of an engine on the array, each with its template."""
    if design.staying:
        return on_rows.kernel_templates(design.staying)
    return kernel_templates(design.array) if design.array else {}


def _array(printer: Printer, project: str, design: InTurn, array: ArrayEngine) -> None:
    """Print the engine on the array: its movers, kernels and graph."""
    values, adding = _movers(design, array), _adding(design)
    for kernel, template in _kernel_templates(design).items():
        printer.print(
            "pl_templates",
            template,
            f"src/pl/{kernel}.cpp",
            "the engine on the array",
            a=values,
            v=adding,
        )
    graph = graph_values(array, _folder(design))
    for output, template in graph_files(_folder(design)).items():
        printer.print("aie_templates", template, output, "the engine on the array", k=graph)
    if design.spatial:
        both = graph_view(design.spatial.plan).but(beside=(GRAPH,))
        printer.print("aie_templates", f"{TOP}.j2", f"src/aie/{TOP}", f"the graphs of {project}", g=both)


def _movers(design: InTurn, array: ArrayEngine) -> dict[str, Any]:
    """Return what the templates of the array's movers and of the sequencer print."""
    finish = _finish(design)
    if design.staying:
        return on_rows.row_values(design.staying, finish=finish, bursts=BURSTS)
    vectors, units = (u.units if u else 0 for u in (design.unit, design.row_unit))
    return mover_values(array, vectors=vectors, row_units=units, finish=finish, bursts=BURSTS)


def _engine(design: InTurn) -> dict[str, Any]:
    engine = design.engine
    integers = engine.element == "int8"
    return {
        "name": NAME,
        "why": engine.why(),
        "constants": (
            Constant("kLanes", LANES, "channels of a word of device memory", "int"),
            Constant("kPixels", engine.pixels, "output pixels side by side", "int"),
            Constant("kOut", engine.out, "output channels side by side: a tile", "int"),
            Constant("kOutWords", engine.out // LANES, "words of them", "int"),
            Constant("kRounds", engine.rounds, "rounds of pixels that share a load of weights", "int"),
            Constant("kTurns", engine.turns, "rounds that take turns at least while an adder works", "int"),
            Constant("kDepth", engine.depth, "words of input channels of a block", "int"),
            Constant(
                "kWordChannels",
                engine.word_bytes // CHANNEL_BYTES,
                "whose numbers beside weights lie in a word",
                "int",
            ),
        ),
        "element": "std::int8_t" if integers else "float",
        "factor": "std::int16_t" if integers else "float",
        "sum": "std::int32_t" if integers else "float",
        "bias": "std::int32_t" if integers else "float",
        "turns": engine.turns,
        "pixels": engine.pixels,
        "finish_template": _finish(design),
        "bundles": BUNDLES[NAME],
        "registers": REGISTERS,
        "bursts": BURSTS,
    }


def _recurrent(unit: RecurrentUnit) -> dict[str, Any]:
    return {
        "name": ru.NAME,
        "why": unit.why(),
        "constants": (
            Constant("kLanes", LANES, "channels of a word of device memory", "int"),
            Constant("kImages", unit.images, "images side by side", "int"),
            Constant("kMostGates", unit.most_gates, "gates of a step, filled up to whole words", "int"),
            Constant("kMostHidden", unit.most_hidden, "features of h, filled up to whole words", "int"),
            Constant("kLeastWords", turns_of("float32"), "words of a row of weights at least", "int"),
            Constant("kMostWords", unit.most_words, "of a row of weights", "int"),
            Constant("kHeldWords", max(1, unit.held_words), "words of weights on the chip", "int"),
        ),
        "cells": enumerators(Cell),
        "turns": turns_of("float32"),
        "cell_cycles": CELL_CYCLES,
        "held_in": "uram" if unit.in_uram else "bram",
        "ports": ru.PORTS,
        "registers": RECURRENT_REGISTERS,
        "bursts": BURSTS,
    }


def _adding(design: InTurn) -> dict[str, Any]:
    """Return what the templates of additions of integers print."""
    scaling = _scaling(design)
    add = (
        "sequential/vector_unit/vector_add_onnx.j2"
        if scaling is Scales.ONNX
        else "sequential/vector_unit/vector_add_tflite.j2"
    )
    return {
        "add": add,
        "adding": ("sequential/vector_unit/vector_held.j2", add)
        if scaling
        else ("sequential/vector_unit/vector_add_float32.j2",),
        "elements": () if scaling else (f"sequential/elements_{design.element}.j2",),
        "left": LEFT_SHIFT[DataType.INT8],
    }


def _unit(design: InTurn, unit: vu.VectorUnit) -> dict[str, Any]:
    integers = unit.element == "int8"
    return {
        "name": vu.NAME,
        "why": (
            f"{unit.lanes} elements of {unit.element} a cycle: {unit.dsp} DSP, {unit.lut} LUT, modelled",
        ),
        "constants": (
            Constant("kLanes", LANES, "channels of a word of device memory", "int"),
            Constant("kBlock", vu.BLOCK_WORDS, "words of a pixel that are folded together", "int"),
            Constant("kQueue", 2 * vu.BLOCK_WORDS, "words between loads, folds and stores", "int"),
            Constant("kApart", unit.apart, "turns from a word's tap to its next one", "int"),
            *(
                [Constant("kMostWeights", vu.MOST_WEIGHTS, "words of weights", "int")]
                if unit.weighted
                else []
            ),
            *([Constant("kVectorUnits", unit.units, "that share images", "int")] if design.array else []),
        ),
        "operations": enumerators(vu.Operation),
        "element": ELEMENTS[unit.element],
        "sum": "std::int32_t" if integers else "float",
        "interval": unit.interval,
        "table": vu.LARGEST_TABLE,
        "arithmetic": "sequential/vector_unit/vector_int8.j2"
        if integers
        else "sequential/vector_unit/vector_float32.j2",
        **_adding(design),
        **({} if unit.adds else {"add": "sequential/vector_unit/vector_add_none.j2"}),
        "top": "sequential/vector_unit/vector_control.j2"
        if design.array
        else "sequential/vector_unit/vector_registers.j2",
        "trained": _trained_template(unit),
        "numbers": f"sequential/numbers_{unit.element}.j2",
        "word_numbers": vu.word_bytes(unit.element) // 4,
        "trained_static": _trained(unit),
        "finish_template": _finish(design),
        "number_template": number_template(unit.element),
        "includes": CONTROL_INCLUDES if design.array else (),
        "controlled": (NUMBERS,) if design.array else (),
        "ports": vu.PORTS,
        "bundles": BUNDLES[vu.NAME],
        "registers": UNIT_REGISTERS,
        "bursts": BURSTS,
    }


def _finish(design: InTurn) -> str:
    """Return the template of what makes elements of sums."""
    scaling = _scaling(design)
    return FINISH[scaling] if scaling else f"sequential/finish_{design.element}.j2"


def _scaling(design: InTurn) -> Scales | None:
    """Return how sums become integers, one way where a layer by itself has no product; None of a network of floats."""
    by_default = Scales.MULTIPLIER if design.element == "int8" else None
    return next((s.requant.scaling for s in design.products if s.requant), by_default)


def _host(plan: Plan) -> dict[str, Any]:
    design = engines_of(plan)
    views = tuple(_functions(plan))
    spatial = array_view(design.spatial.plan) if design.spatial else None
    units = _numbers(plan, design) | _limits(design)
    return {
        **whole_network(plan.x, plan.y, plan.project, tuple(s.called for s in design.steps if s.called)),
        "spatial": (spatial,) if spatial else (),
        "weights": spatial.weights if spatial else (),
        "headers": _headers(design),
        "runner": "host::LayersInTurn<Units>",
        "use": f"Runs {plan.project} on the board: loads the xclbin, executes commands.bin for the images, compares and times.",
        "device_template": "sequential/design_sequential.j2",
        "batch": plan.schedule.batch,
        "batch_note": "they share loads of weights",
        "functions": views,
        "units": tuple(_member(name, value) for name, value in units.items() if value),
        "kernels": tuple(_units(design)),
    }


def _numbers(plan: Plan, design: InTurn) -> dict[str, int | str | bool]:
    """Return what the host program knows of the network, and the kernels that it starts itself."""
    alone = not design.array
    return {
        "kElement": TYPES[DTYPES[design.element]],
        "kOut": design.engine.out,
        "kProgram": design.program,
        "kImageValues": plan.x.elements,
        "kResultValues": plan.y.elements,
        "kThreads": plan.board.processor.cores,
        "kEngine": NAME if design.has_engine else "",
        "kVectorUnit": vu.NAME if design.unit and alone else "",
        "kRowUnit": row_unit.NAME if design.row_unit and alone else "",
        "kRecurrentUnit": ru.NAME if design.recurrent else "",
    }


def _limits(design: InTurn) -> dict[str, int | str | bool]:
    """Return what the host program checks commands against."""
    found: dict[str, int | str | bool] = {
        "kHasVectors": bool(design.unit or (design.staying and design.staying.folds)),
        "kVectorAdds": bool(design.unit and design.unit.adds),
        "kHasDepthwise": any(u and u.weighted for u in (design.staying, design.unit)),
        "kMostVectorWords": vu.BLOCK_WORDS,
        "kMostVectorWeights": vu.MOST_WEIGHTS,
    }
    if design.row_unit:
        found |= {
            "kHasRowUnit": True,
            "kFloatRows": design.row_unit.element != "int8",
            "kMostRowWords": design.row_unit.most_words,
            "kMostRowElements": MOST_ELEMENTS,
            "kHeldWords": design.row_unit.held_words,
            "kMostSums": design.row_unit.most_sums,
        }
    if design.recurrent:
        found |= {
            "kMostHidden": design.recurrent.most_hidden,
            "kMostGates": design.recurrent.most_gates,
            "kLeastRow": turns_of("float32"),
        }
    if design.staying:
        return found | on_rows.host_values(design.staying)
    if design.array:
        return found | host_values(design.array)
    return found | logic_values(design.engine)


def _units(design: InTurn) -> Iterator[View]:
    """Yield the kernels behind what issues layers, by what the host program calls them, with their compute units."""
    if not design.array:
        return
    names = {"loads": array.LOAD, "weights": array.WEIGHTS, "stores": array.STORE}
    if design.staying:
        names |= {"loads": rows.LOAD, "stores": rows.STORE, "tables": rows.TABLES, "memories": rows.MEMORY}
    for name, kernel in names.items():
        units = (
            on_rows.unit_names(design.staying, kernel) if design.staying else unit_names(design.array, kernel)
        )
        yield View(name=name, kernel=kernel, count=len(units))
    if design.unit:
        yield View(name="vector_units", kernel=vu.NAME, count=design.unit.units)
    if design.row_unit:
        yield View(name="row_units", kernel=row_unit.NAME, count=design.row_unit.units)


def _member(name: str, value: int | str | bool) -> View:
    """Return a member of a C++ struct."""
    if isinstance(value, str):
        return View(type="const char*", name=name, value=f'"{value}"')
    if isinstance(value, bool):
        return View(type="bool", name=name, value="true")
    return View(type="std::uint64_t", name=name, value=f"{value}U")


def _trained_template(unit: vu.VectorUnit) -> str:
    """Return the template of what a layer was trained to."""
    if not unit.weighted:
        return "sequential/vector_unit/vector_untrained.j2"
    return (
        "sequential/vector_unit/vector_trained.j2"
        if unit.element == "int8"
        else "sequential/vector_unit/vector_trained_floats.j2"
    )


def _trained(unit: vu.VectorUnit) -> tuple[str, ...]:
    """Return the statements that get a layer's weights."""
    if not unit.weighted:
        return ("const Trained trained;",)
    return ("static Trained trained;", "take_trained(table + n[3], l, trained);")


def _functions(plan: Plan) -> Iterator[View]:
    """Yield the layers on the processor: each one's C++ function, and how the command list calls it."""
    called = [command for command in commands(plan) if isinstance(command, c.Call)]
    for step, command in zip(engines_of(plan).functions, called, strict=True):
        source = f"{step.function}_source"
        text, name = on_host(step, environment, source=source, size=step.x.elements)
        _, height, width = step.x.shape
        place = f"int {source}(int channel, int y, int x) {{ return (channel * {height} + y) * {width} + x; }}\n\n"
        yield View(
            title=f"{step.layer}: {step.op}, {step.x} to {step.y}",
            why=step.why,
            name=step.layer,
            type=TYPES[step.y.dtype],
            inputs=", ".join(str(t.elements) for t in (step.x, *step.others)),
            weights=", ".join(str(span.size // 4) for span in command.weights),
            results=step.y.elements,
            by_place="true" if is_by_place(step) else "false",
            text=(place if f"{source}(" in text else "") + _without_pragmas(text).rstrip("\n"),
            call=tuple(_call(step, name)),
        )


def _without_pragmas(text: str) -> str:
    """Return a function for the processor, whose compiler knows no directives for logic."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#pragma HLS"))


def _call(step: Function, called: str) -> Iterator[str]:
    """Yield the statements that call a layer's function by what it is called."""
    kind = "float" if step.y.quant is None else f"std::{step.y.dtype.value}_t"
    types = (step.x, *step.others)
    x = [f"static_cast<const {kind}*>(g.x[{i}])" for i in range(len(types))]
    y = f"static_cast<{kind}*>(g.y)"
    if step.kind == ELEMENTWISE:
        yield f"std::transform({x[0]}, {x[0]} + {step.x.elements}, {y}, {called});"
    elif step.kind == REORDER:
        sizes = ", ".join(map(str, (*step.y.shape, *step.x.shape[1:])))
        yield f"host::gather<{sizes}>({x[0]}, {y}, {called});"
    elif step.kind == WHOLE:
        trained = [f"g.weights[{i}]" for i in range(len(step.weights))]
        yield f"{called}({', '.join([*x, *trained, y])});"
    else:  # a process between frame buffers
        maps = [f"static_cast<const {kind} (*)[{t.elements}]>(g.x[{i}])" for i, t in enumerate(types)]
        yield f"hls::stream<{kind}> results({y});"
        if step.template.endswith(".j2"):
            yield f"{called}({', '.join([*maps, 'results'])});"
        else:
            whole = [
                f"*static_cast<const {kind} (*)[1][{t.elements}]>(g.x[{i}])" for i, t in enumerate(types)
            ]
            yield f"{called}({', '.join(['results', *whole])});"
