"""All files of a design that runs layer by layer: the engine, the host program, the command list, the weights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aieloom.cpp_text import View
from aieloom.emit.files import Files
from aieloom.emit.graph import graph_view
from aieloom.emit.host import array_view, whole_network
from aieloom.emit.instance import Instance, memories, memory, registers
from aieloom.emit.library import copies
from aieloom.emit.names import CONFIGURATIONS, function_headers, host_library, host_program
from aieloom.emit.on_host import on_host
from aieloom.emit.printer import Printer, environment
from aieloom.emit.system import system
from aieloom.network.layers import Parameters
from aieloom.network.scaled import MOST_ELEMENTS
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
    CONTROLS,
    FOLDER,
    GRAPH,
    NUMBERS,
    TOP,
    VALUES,
    graph_files,
    host_values,
    logic_values,
    movers,
    row_kernel,
    sequencer,
    unit_names,
    word_type,
)
from aieloom.sequential.engine import CHANNEL_BYTES, DTYPES, NAME, turns_of
from aieloom.sequential.onchip import emit as on_rows
from aieloom.sequential.onchip import engine as rows
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import InTurn, command_list, commands, engines_of
from aieloom.sequential.recurrent_unit import CELL_CYCLES, RecurrentUnit
from aieloom.sequential.spatial import source_names, sources_of
from aieloom.sequential.steps import is_by_place
from aieloom.spec.quantize import Scales
from aieloom.strategies.array_gemm.view import kernel_values
from aieloom.units.plan import Plan

COMMANDS, WEIGHTS, READABLE = (f"src/host/{n}" for n in (c.FILE, c.WEIGHTS_FILE, "commands.json"))
IMAGE = "images height width words out_height out_width"  # registers of an image, and of a window
WINDOW = "kernel_y kernel_x stride_y stride_x top left"
REGISTERS = f"sets {IMAGE} group_words tap_words set_words {WINDOW} groups depthwise outside zero shift"
FINISH = {
    Scales.MULTIPLIER: "MultiplierFinish",
    Scales.MULTIPLIER16: "Multiplier16Finish",
    Scales.POWER_OF_TWO: "PowerOfTwoFinish",
    Scales.ONNX: "OnnxFinish",
}  # types of the library that make elements of sums


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
        *copies(header for kernel in kernels(design) for header in kernel.headers),
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
    for kernel in kernels(design):
        printer.kernel(kernel)
    if design.array:
        _graphs(printer, plan.project, design, design.array)
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


def kernels(design: InTurn) -> tuple[Instance, ...]:
    """Return the kernels in the logic."""
    found = [_engine(design)] if design.has_engine else []
    if design.staying:
        found += on_rows.kernels(design.staying, finish=_finish(design), sums=_sums(design))
    elif design.array:
        vectors, units = (u.units if u else 0 for u in (design.unit, design.row_unit))
        found += movers(design.array, finish=_finish(design), sums=_sums(design))
        found.append(sequencer(design.array, vectors=vectors, row_units=units))
    if design.unit:
        found.append(_unit(design, design.unit))
    if design.row_unit:
        found.append(row_kernel(design.engine, design.array, design.row_unit))
    if design.recurrent:
        found.append(_recurrent(design.recurrent))
    return tuple(found)


def _graphs(printer: Printer, project: str, design: InTurn, array: ArrayEngine) -> None:
    """Print the kernels and the graph of an engine on the array."""
    assert array.gemm
    graph = kernel_values(array.gemm, _folder(design))
    for output, template in graph_files(_folder(design)).items():
        printer.print("aie_templates", template, output, "the engine on the array", k=graph)
    if design.spatial:
        both = graph_view(design.spatial.plan).but(beside=(GRAPH,))
        printer.print("aie_templates", f"{TOP}.j2", f"src/aie/{TOP}", f"the graphs of {project}", g=both)


def _engine(design: InTurn) -> Instance:
    engine = design.engine
    values, word = VALUES[engine.element], word_type(engine.element)
    return Instance(
        name=NAME,
        title="the convolution engine",
        libraries=("engine/conv_engine",),
        function="conv::engine",
        what="Computes a convolution or matrix product of tensors in device memory.",
        why=engine.why(),
        types={"Values": values, "Finished": _finish(design)},
        numbers={
            "kPixels": engine.pixels,
            "kOut": engine.out,
            "kRounds": engine.rounds,
            "kTurns": engine.turns,
            "kDepth": engine.depth,
            "kWordChannels": engine.word_bytes // CHANNEL_BYTES,
        },
        arguments=(
            *memories(
                BUNDLES[NAME],
                x=f"const {word}",
                w=f"const {word}",
                channels=f"const Channel<{values}::Sum>",
                y=word,
            ),
            *registers("x_at w_at channels_at y_at", "unsigned"),
            *registers(REGISTERS),
            *registers("low high", f"{values}::Sum"),
        ),
    )


def _recurrent(unit: RecurrentUnit) -> Instance:
    return Instance(
        name=ru.NAME,
        title="the recurrent unit",
        libraries=("engine/recurrent_unit",),
        function="recurrent::unit",
        what="Computes an LSTM or GRU over all steps of `images` images, kImages at a time.",
        why=unit.why(),
        types={"HeldStorage": "Uram" if unit.in_uram else "Bram"},
        numbers={
            "kImages": unit.images,
            "kMostGates": unit.most_gates,
            "kMostHidden": unit.most_hidden,
            "kLeastWords": turns_of("float32"),
            "kMostWords": unit.most_words,
            "kHeldWords": max(1, unit.held_words),
            "kCellCycles": CELL_CYCLES,
        },
        arguments=(
            memory("const Word<float>", "x"),
            memory("const Word<float>", "w"),
            memory("Word<float>", "y"),
            *registers("x_at w_at y_at", "unsigned"),
            *registers("images steps hidden cell reverse"),
        ),
    )


def _sums(design: InTurn) -> str:
    """Return the type of the library that adds two tensors."""
    scaling = _scaling(design)
    if not scaling:
        return f"FloatSum<{VALUES[design.element]}>"
    return "OnnxSum" if scaling is Scales.ONNX else "TfliteSum"


def _unit(design: InTurn, unit: vu.VectorUnit) -> Instance:
    values, word = VALUES[unit.element], word_type(unit.element)
    table = word if design.array else f"{values}::Element"
    told = (*registers("unit"), *CONTROLS)
    started = (
        *registers("a_at b_at table_at y_at", "unsigned"),
        *registers(f"operation {IMAGE} {WINDOW} counts_padding zero_a zero_b zero"),
        *registers("multiplier_a multiplier_b", "std::int64_t"),
        *registers("multiplier_y shift_a shift_b shift"),
        *registers("low high", f"{values}::Sum"),
    )
    return Instance(
        name=vu.NAME,
        title="the vector unit",
        libraries=("engine/vector_unit",),
        function="vector::told" if design.array else "vector::started",
        what="Sums of two tensors, pools, depthwise convolutions, functions by table and bounds.",
        why=(f"{unit.lanes} elements of {unit.element} a cycle: {unit.dsp} DSP, {unit.lut} LUT, modelled",),
        types={
            "Values": values,
            "Sums": _sums(design) if unit.adds else "NoSum",
            "Trained": _trained(design, unit),
        },
        numbers={
            "kInterval": unit.interval,
            "kApart": unit.apart,
            **({"kUnits": unit.units, "kNumbers": NUMBERS} if design.array else {}),
        },
        arguments=(
            *memories(BUNDLES[vu.NAME], a=f"const {word}", b=f"const {word}", table=f"const {table}", y=word),
            *(told if design.array else started),
        ),
    )


def _trained(design: InTurn, unit: vu.VectorUnit) -> str:
    """Return the type of the library that keeps what a layer was trained to."""
    if not unit.weighted:
        return "vector::Untrained"
    if unit.element == "int8":
        return f"vector::IntegerWeights<{_finish(design)}, {vu.MOST_WEIGHTS}>"
    return f"vector::FloatWeights<{vu.MOST_WEIGHTS}>"


def _finish(design: InTurn) -> str:
    """Return the type of the library that makes elements of sums."""
    scaling = _scaling(design)
    return FINISH[scaling] if scaling else f"FloatFinish<{VALUES[design.element]}>"


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
