"""All files of a matrix product's design, printed from its plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aieloom.cpp_text import Constant, joined, wrap
from aieloom.emit.files import FileTree
from aieloom.emit.pl import mover_view
from aieloom.emit.system import SystemView, system_of_units
from aieloom.gemm.links import LinkView, links_of
from aieloom.gemm.movers import MATRICES, kernels_of
from aieloom.gemm.printing import Printer
from aieloom.gemm.types import GemmPlan, Unit
from aieloom.plan.clocks import origin
from aieloom.plan.gap import MOST_STREAMS
from aieloom.plan.gemm import round_up
from aieloom.plan.logic import MoverPlan
from aieloom.spec.types import DataType
from aieloom.words import plural

HOST_TYPES = {
    DataType.FLOAT32: "float",
    DataType.BFLOAT16: "std::uint16_t",
    DataType.INT8: "std::int8_t",
    DataType.INT16: "std::int16_t",
    DataType.INT32: "std::int32_t",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockView:
    """One location constraint."""

    kind: str
    object: str
    where: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PortsView:
    """The PLIOs of one matrix."""

    name: str
    type: str
    count: int
    note: str
    columns_name: str
    columns: tuple[str, ...]


def render_gemm(plan: GemmPlan) -> FileTree:
    """Return every source file of the design."""
    what = f"C = A x B, {joined(plan.request.size, ' x ')}, {plan.request.dtype.value} to {plan.request.out.value}"
    printer, kernel = Printer(what=what, command=command_of(plan)), kernel_values(plan)
    for template, output in (
        ("gemm/gemm.h.j2", "src/aie/gemm.h"),
        ("gemm/gemm.cc.j2", "src/aie/gemm.cc"),
        ("gemm/graph.h.j2", "src/aie/graph.h"),
        ("gemm/graph.cpp.j2", "src/aie/graph.cpp"),
    ):
        printer.print("aie_templates", template, output, k=kernel)
    for unit in {u.mover.name: u for u in plan.units}.values():
        use = unit.mover.template
        printer.print("pl_templates", use.template, use.output, m=_mover(plan, unit))
    printer.print("host_templates", "gemm_host.cpp.j2", "src/host/gemm_host.cpp", h=_host(plan))
    printer.print("host_templates", "system.cfg.j2", "src/system.cfg", s=_system(plan))
    threshold = plan.array.register_mhz
    if threshold != plan.device.register_thresholds[0]:
        printer.print("host_templates", "aie.cfg.j2", "src/aie.cfg", mhz=f"{threshold:g}")
    printer.print("host_templates", "package.cfg.j2", "src/package.cfg")
    printer.print("host_templates", "xrt.ini.j2", "src/xrt.ini")
    return printer.tree


def command_of(plan: GemmPlan) -> str:
    """Return the command that makes the design again."""
    r = plan.request
    words = ["aieloom gemm", *map(str, r.size), f"--target {plan.device.name} --dtype {r.dtype.value}"]
    words += [f"--out-dtype {r.out.value}"] + ([f"--shift {r.shift}"] if r.shift else [])
    words += [f"--cores {r.cores}"] if r.cores else []
    words += [f"--tile {joined(r.tile, ' ')}"] if r.tile else []
    words += [f"--grid {joined(r.grid, ' ')}"] if r.grid else []
    return " ".join(words)


def _why(plan: GemmPlan) -> tuple[str, ...]:
    cut = plan.cut
    if plan.request.told:
        (x, y, z), (tm, tk, tn) = cut.grid, cut.tile
        return (
            f"{x} x {z} chains of {plural(y, 'core')}; a core multiplies {tm} x {tk} of A by {tk} x {tn} of B at a time.",
            f"A's tiles are broadcast along rows of chains, B's along columns; K is cut over {plural(y, 'core')} and passes.",
        )
    (x, y, z), (tm, tk, tn), (mi, ki, ni) = cut.grid, cut.tile, cut.times
    return (
        f"{x} x {z} chains of {plural(y, 'core')}; a core multiplies {tm} x {tk} of A by {tk} x {tn} of B at a time.",
        f"A's tiles are broadcast along rows of chains, B's along columns; K is cut over {plural(y, 'core')} and "
        f"{plural(ki, 'pass')[: None if ki == 1 else -1] + ('es' if ki > 1 else '')}.",
        f"C comes in {mi} x {ni} blocks of {x * tm} x {z * tn}, one after another.",
    )


def kernel_values(plan: GemmPlan) -> dict[str, Any]:
    """Return what the templates of kernels and graph print."""
    cut, request = plan.cut, plan.request
    (m, k, n), (tm, tk, tn), (x, y, z) = cut.mmul, cut.tile, cut.grid
    block = plan.block
    links: tuple[LinkView, ...] = links_of(plan)
    many = cut.times[1] > 1
    blocks, depth = tm // m // block.rows * (tn // n // block.cols), tk // k
    pipelined = "chess_prepare_for_pipelining "
    constants = [
        Constant("kBlocks", blocks, f"{tm} x {tn} in blocks of {block.rows * m} x {block.cols * n}"),
        Constant("kColTiles", tn // n, f"{tn} / {n}"),
        Constant("kDepth", tk // k, f"{tk} / {k}"),
        *(
            [Constant("kPasses", cut.times[1], f"K = {request.k} in tiles of {tk} on {y} cores")]
            if many and not request.told
            else []
        ),
        *([Constant("kResults", tm * tn, f"{tm} x {tn}")] if plan.separate_sums else []),
        *([Constant("kShift", request.shift, "to the right, halves up", "int")] if request.shift else []),
    ]
    return {
        "why": _why(plan),
        "links": links,
        "links_in_all": y,
        "type": request.dtype.cpp,
        "out_type": request.out.cpp,
        "sum_type": request.sums.cpp,
        "shift": "kShift" if request.shift else "",
        "results": tm * tn,
        "pass_note": _pass_note(plan),
        "mmul": joined(cut.mmul),
        "constants": constants,
        "rows": tuple(range(block.rows)),
        "cols": tuple(range(block.cols)),
        "block_note": f"Blocks of {block.rows} x {block.cols} mmuls share the tiles they load.",
        "block_hint": f"{pipelined if plan.flattened else ''}chess_loop_range({blocks}, {blocks})",
        "depth_hint": "chess_flatten_loop"
        if plan.flattened
        else f"{pipelined}chess_loop_range({depth}, {depth})",
        "keeps_sums": many,
        "narrows_sums": plan.separate_sums,
        "graph_note": f"C = A x B: {cut.cores} cores.",
        "cores": cut.cores,
        "grid_note": f"{x} rows x {z} columns of chains x {y} links",
        "plios": _ports(plan),
        "plio_bits": plan.plio_bits,
        "plio_mhz": f"{plan.movers[0].clock_mhz:.12g}",
        "stack": plan.array.aie[0].draft.stack_bytes,
        "chained": y > 1,
        "ends_condition": y > 1,
        "single": cut.results == 1,
        "a_dimensions": f"{{{tm * tk + request.tail_bytes}}}",
        "a_note": f"{tm} x {tk}" + (", and whether it is the last pass" if request.told else ""),
        "told": (tm * tk,) if request.told else (),
        "b_dimensions": f"{{{tk * tn}}}",
        "b_note": f"{tk} x {tn}",
        "c_dimensions": f"{{{tm * tn}}}",
        "c_note": f"{tm} x {tn}",
        "common_blocks": tuple(_blocks(plan, last=False)),
        "last_blocks": tuple(_blocks(plan, last=True)),
        "place_rows": _places(plan),
    }


def _pass_note(plan: GemmPlan) -> str:
    if plan.request.told:
        return ", in as many passes over K as the tiles of A say"
    times = plan.cut.times[1]
    return f", in {times} passes over K" if times > 1 else ""


def _blocks(plan: GemmPlan, *, last: bool) -> list[BlockView]:
    draft, found = plan.array.aie[0].draft, []
    needs = {need.role: need for need in draft.needs}
    for role, slots in draft.memory.slots.items():
        if role.startswith(("out", "param")) != last:
            continue
        where = [f"adf::address(at.col, at.row, {s.offset})" for s in slots]
        buffer = role.startswith(("in", "out"))
        found.append(
            BlockView(
                kind="adf::buffer" if buffer else "adf::stack" if role == "stack" else "adf::parameter",
                object="core" if role == "stack" else f"core.{role}",
                where=f"{{{joined(where)}}}" if buffer else where[0],
                note=f"{needs[role].label}, {needs[role].bytes} B"
                if role in needs
                else "stack, then heap and the tools' own",
            )
        )
    return found


def _places(plan: GemmPlan) -> tuple[str, ...]:
    y = plan.cut.grid[1]
    return wrap(
        (f"{{{joined((*c.tile, c.x * y + c.part, c.z * y + c.part))}}}" for c in plan.cores), indent=6
    )


def _ports(plan: GemmPlan) -> tuple[PortsView, ...]:
    x, y, z = plan.cut.grid
    notes = {"a": f"[x][part of K]: {x} x {y}", "b": f"[z][part of K]: {z} x {y}", "c": f"[x][z]: {x} x {z}"}
    found = []
    for name, note in notes.items():
        columns = [p.column for p in plan.array.plios if p.name.startswith(name)]
        found.append(
            PortsView(
                name=name,
                type="output_plio" if name == "c" else "input_plio",
                count=len(columns),
                note=note,
                columns_name=f"kColumns{name.upper()}",
                columns=wrap(map(str, columns), indent=6),
            )
        )
    return tuple(found)


def _mover(plan: GemmPlan, unit: Unit) -> dict[str, Any]:
    mi, ki, ni = plan.cut.times
    index, mover = unit.matrix, unit.mover
    view = mover_view(mover)
    return {
        "name": mover.name,
        "constants": (
            *view.constants,
            Constant("kStreams", mover.streams, "each with a tile of its own"),
            Constant("kWords", mover.words, "stream words of a tile"),
            Constant("kBlocksM", mi, "blocks of C along M"),
            Constant("kBlocksN", ni, "blocks of C along N"),
            *([Constant("kPasses", ki, "over K")] if mover.reads_memory else []),
        ),
        "port": view.port,
        "ii": view.ii,
        "block": ("mi", "ni")[index % 2],
        "order_note": (
            "A's tiles come again for every ni." if index == 0 else "B's tiles come again for every mi."
        ),
    }


def _laid_out(mover: MoverPlan) -> int:
    """Return for how many streams a mover's memory has room: those of whole memory words."""
    return round_up(mover.streams, mover.memory_bits // mover.bits)


def _host(plan: GemmPlan) -> dict[str, Any]:
    cut, r = plan.cut, plan.request
    (mi, ki, ni), (a, b, c) = cut.times, cut.elements
    last = [[u for u in plan.units if u.matrix == i][-1] for i in range(len(MATRICES))]
    room = [_laid_out(u.mover) for u in last]
    size, out = r.dtype.bytes, r.out.bytes
    names = {
        m: joined([f'"{u.mover.name}:{{{u.name}}}"' for u in plan.units if u.matrix == i])
        for i, m in enumerate(MATRICES)
    }
    sides = ("rows of A and C", "columns of A, rows of B", "columns of B and C")
    lengths = ("rows of chains", "cores of a chain", "columns of chains")
    named = zip(("kM", "kK", "kN"), r.size, sides, strict=True)
    tiles = zip(("kTileM", "kTileK", "kTileN"), cut.tile, "MKN", strict=True)
    blocks = zip(("kBlockM", "kBlockK", "kBlockN"), cut.mmul, "MKN", strict=True)
    grid = zip(("kX", "kY", "kZ"), cut.grid, lengths, strict=True)
    constants = [
        *(Constant(name, value, note) for name, value, note in named),
        *(Constant(name, value, f"{axis} of a core's tile") for name, value, axis in tiles),
        *(Constant(name, value, f"{axis} of an mmul block") for name, value, axis in blocks),
        *(Constant(name, value, note) for name, value, note in grid),
        Constant("kBlocksM", mi, "blocks of C along M"),
        Constant("kBlocksN", ni, "blocks of C along N"),
        Constant("kPasses", ki, "over K"),
        Constant("kLanes", plan.plio_bits // (8 * size), "elements of a stream word of A or B"),
        Constant("kLanesC", plan.plio_bits // (8 * out), "elements of a stream word of C"),
        Constant(
            "kShare", MOST_STREAMS, "streams of a mover at most, whose words lie together in its memory"
        ),
        *(
            Constant(f"kStreams{name.upper()}", streams, f"of {name.upper()}")
            for name, streams in zip(MATRICES, cut.streams, strict=True)
        ),
        *(
            Constant(
                f"kLast{name.upper()}", r, "streams for which the last mover's memory has room: whole words"
            )
            for name, r in zip(MATRICES, room, strict=True)
        ),
        Constant("kTileA", a, f"elements: {cut.tile[0]} x {cut.tile[1]}"),
        Constant("kTileB", b, f"elements: {cut.tile[1]} x {cut.tile[2]}"),
        Constant("kTileC", c, f"elements: {cut.tile[0]} x {cut.tile[2]}"),
    ]
    return {
        "constants": constants,
        "element": HOST_TYPES[r.dtype],
        "result": HOST_TYPES[r.out],
        "element_note": r.dtype.value,
        "result_note": r.out.value,
        "a_shape": f"{r.m} x {r.k}",
        "b_shape": f"{r.k} x {r.n}",
        "c_shape": f"{r.m} x {r.n}",
        "units": names,
        "product_template": "gemm_array.j2",
        "operands": "A B",
        "files": 3,
        "addends": (),
    }


def _system(plan: GemmPlan) -> SystemView:
    mhz = plan.movers[0].clock_mhz
    return system_of_units(
        {kernel: [u.name for u in units] for kernel, units in kernels_of(plan.units).items()},
        ((f"{u.name}.memory", u.bank) for u in plan.units),
        plan.array.connections,
        clock_mhz=mhz,
        clock_origin=origin(plan.device, mhz),
    )
