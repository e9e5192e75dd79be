"""All files of the design of a product over the array, printed from its plan."""

from __future__ import annotations

from collections.abc import Mapping

from aieloom.cpp_text import Constant, View, joined
from aieloom.emit.files import FileTree
from aieloom.emit.instance import Instance
from aieloom.emit.movers import mover_kernel
from aieloom.emit.printer import Printer
from aieloom.emit.system import system
from aieloom.pl.streams import MOST_STREAMS
from aieloom.plan.gemm import round_up
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.movers import MATRICES
from aieloom.strategies.array_gemm.types import PlacedProduct, Unit
from aieloom.strategies.array_gemm.view import kernel_values
from aieloom.strategies.array_gemm.whole import product_of
from aieloom.units.plan import Plan

HOST = "src/host/gemm_host.cpp"
HOST_HEADERS = ("array_product.h", "product.h")  # of the library, that the host program includes
HOST_TYPES = {
    DataType.FLOAT32: "float",
    DataType.BFLOAT16: "std::uint16_t",
    DataType.INT8: "std::int8_t",
    DataType.INT16: "std::int16_t",
    DataType.INT32: "std::int32_t",
}


def render_gemm(plan: Plan) -> FileTree:
    """Return every source file of the design."""
    product = product_of(plan)
    r, array = product.request, product.array
    what = f"C = A x B, {joined(r.size, ' x ')}, {r.dtype.value} to {r.out.value}"
    printer, kernel = Printer(plan.project, command=command_of(plan)), kernel_values(product)
    for template, output in (
        ("array_gemm/gemm.h.j2", "src/aie/gemm.h"),
        ("array_gemm/gemm.cc.j2", "src/aie/gemm.cc"),
        ("array_gemm/graph.h.j2", "src/aie/graph.h"),
        ("array_gemm/graph.cpp.j2", "src/aie/graph.cpp"),
    ):
        printer.print("aie_templates", template, output, what, k=kernel)
    for unit in {u.mover.name: u for u in product.units}.values():
        printer.kernel(_mover(product, unit, what))
    print_host(printer, plan, what, _host(product))
    if array.needed_register_mhz:
        printer.print("host_templates", "aie.cfg.j2", "src/aie.cfg", what, mhz=f"{array.register_mhz:g}")
    return printer.tree


def print_host(printer: Printer, plan: Plan, what: str, values: Mapping[str, object]) -> None:
    """Print a product's host program, and what v++ and XRT are told."""
    linked = system(plan)
    printer.print("host_templates", "gemm_host.cpp.j2", HOST, what, h=values)
    printer.print("host_templates", "system.cfg.j2", "src/system.cfg", what, s=linked)
    printer.print("host_templates", "package.cfg.j2", "src/package.cfg", what, s=linked)
    printer.print("host_templates", "xrt.ini.j2", "src/xrt.ini", what)


def command_of(plan: Plan) -> str:
    """Return the command that makes the design again."""
    r = product_of(plan).request
    words = ["aieloom gemm", *map(str, r.size), f"--target {plan.board.name} --dtype {r.dtype.value}"]
    words += [f"--out-dtype {r.out.value}"] + ([f"--shift {r.shift}"] if r.shift else [])
    words += [f"--cores {r.cores}"] if r.cores else []
    words += [f"--tile {joined(r.tile, ' ')}"] if r.tile else []
    words += [f"--grid {joined(r.grid, ' ')}"] if r.grid else []
    return " ".join(words)


def _mover(product: PlacedProduct, unit: Unit, title: str) -> Instance:
    mi, ki, ni = product.cut.times
    blocks = {"kWords": unit.mover.words, "kBlocksM": mi, "kBlocksN": ni}
    passes = {"kPasses": ki, "kBlockOfM": int(unit.matrix == 0)} if unit.mover.reads_memory else {}
    return mover_kernel(unit.mover, title, more={**blocks, **passes})


def _host(product: PlacedProduct) -> dict[str, object]:
    cut, r = product.cut, product.request
    (mi, ki, ni), (a, b, c) = cut.times, cut.elements
    last = [[u for u in product.units if u.matrix == i][-1] for i in range(len(MATRICES))]
    # For how many streams a mover's memory has room: those of whole memory words.
    room = [round_up(u.mover.streams, u.mover.memory_bits // u.mover.bits) for u in last]
    size, out = r.dtype.bytes, r.out.bytes
    names = {
        m: joined([f'"{u.mover.name}:{{{u.name}}}"' for u in product.units if u.matrix == i])
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
        Constant("kLanes", product.plio_bits // (8 * size), "elements of a stream word of A or B"),
        Constant("kLanesC", product.plio_bits // (8 * out), "elements of a stream word of C"),
        Constant(
            "kShare", MOST_STREAMS, "streams of a mover at most, whose words lie together in its memory"
        ),
        *(
            Constant(f"kStreams{name.upper()}", streams, f"of {name.upper()}")
            for name, streams in zip(MATRICES, cut.port_streams, strict=True)
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
        "units": names,
        "headers": HOST_HEADERS,
        "runner": "host::ArrayProduct<Product>",
        "engines": (),
        "truths": (View(name="kAdds", value="false", note="whether a third matrix is added"),),
        "factors": (),
    }
