"""Layers of sums of products on AI Engines, C[out, pixels] = W[out, taps] @ x[taps, pixels] + bias: what all cuts share.

The input reaches the cores as tiles over PLIO, the weights stay in the cores' memories. Each strategy has a cut (strategies/).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

from typing_extensions import TypeVar

from aieloom.cost.blocks import Loops
from aieloom.cost.kernels import depth_nest
from aieloom.cost.loops import paired_loads
from aieloom.cost.machine import SUM_BYTES, access_count, emulated_issue
from aieloom.cpp_text import TemplateUse
from aieloom.hardware.mmul import MmulMode, Shape
from aieloom.hardware.registers import Registers
from aieloom.layout.grid import TileGrid, Window
from aieloom.network.layers import Layer
from aieloom.plan.cascade import chain_fault, check_chain
from aieloom.plan.gemm import (
    IllegalTile,
    best_first,
    blocking_of,
    check_tile,
    find_mode,
    gemm_of,
    nearest_tiles,
    program_bytes,
    round_up,
    usable_modes,
)
from aieloom.plan.memory import MemoryMap, Need, arrange, conflict_share, reserved_bytes
from aieloom.plan.product_cycles import ProductCode, product_code, product_nests, scheduled_product
from aieloom.plan.published import Call, doubts
from aieloom.plan.route import interface_capacity
from aieloom.plan.scaling_code import requant_note, row_vectors
from aieloom.plan.types import AieLayerDraft, Region
from aieloom.plan.weights import streamed_weights, weight_needs
from aieloom.spec.device import Device
from aieloom.spec.features import features
from aieloom.spec.network import NetworkSpec
from aieloom.spec.product import PlaceSpec, ProductMapping
from aieloom.spec.types import Buffers, DataType

LOAD_UNITS = 2  # of a core: vectors that it loads in a cycle [AM009, AM020]
MAX_MEMORIES = 2  # a kernel's own tile and one beside it
ROWS = {False: "bias", True: "biases and multipliers"}  # repeated along a block's row
PASS_COUNTS = (1, 2, 4, 8, 16, 32)  # K splits that the planner tries
CHAINS = (1, 2, 4, 8, 16, 32)  # chains of cores that it tries, where no core alone can hold K


Grid = TypeVar("Grid", bound=TileGrid, default=Any)  # what a strategy cuts layers into


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A layer of sums of products that is to be cut for a device."""

    spec: NetworkSpec
    device: Device
    layer: Layer
    mapping: ProductMapping
    window: Window  # how it reads its input
    has_bias: bool


def draft_names(spec: NetworkSpec, layer: Layer, place: PlaceSpec | None) -> dict[str, Any]:
    """Return what a draft says of a layer, however it is cut."""
    name = layer.name
    return {
        "name": name,
        "class_name": name[0].upper() + name[1:],
        "op": layer.op,
        "layer_index": layer.index,
        "at": spec.at_mapping(name),
        "dtype": layer.x.dtype,
        "region": Region(col=place.col, row=place.row, cols=place.cols, rows=place.rows) if place else None,
    }


class ProductCut(Generic[Grid]):
    """Builds drafts of one layer for one device: a strategy says which tiles there are, what they cost, what prints them."""

    key: ClassVar[str]  # what network.yaml calls the strategy
    kind: ClassVar[str] = "product"  # what is published about such kernels
    block = "the mmul's {}"  # what tiles are multiples of, in messages
    tall: ClassVar[bool] = False  # there are tiles of many rows, of which a quick search tries few
    by_mmul = True  # the kernel multiplies by aie::mmul, whose shape a mapping may say

    def __init__(
        self,
        product: Product,
    ) -> None:
        self.spec = product.spec
        self.device = product.device
        self.layer = layer = product.layer
        self.mapping = mapping = product.mapping
        self.window = product.window
        self.has_bias = product.has_bias
        self.size: Shape = (layer.y.shape[0], self.window.taps, self.window.pixels)
        self.bits = mapping.plio
        self.streamed = mapping.weights == "stream"

    def draft(self) -> AieLayerDraft:
        """Return the layer as its mapping says, choosing what the mapping leaves out.

        Raises:
            CannotFit: the mapping breaks a rule; the message names legal values near it.
        """
        try:
            self._check_weights()
            modes = self.modes()
            return self._explicit(modes[0], self.mapping.tile) if self.mapping.tile else self._chosen(modes)
        except IllegalTile as e:
            raise e.of_layer(self.spec, self.layer.name) from e

    def modes(self) -> list[MmulMode]:
        """Return the mmul that the mapping names, or all: those first that its tile suits, of these the best."""
        dtype = self.layer.x.dtype
        if self.mapping.mmul:
            return [find_mode(self.device, dtype, self.mapping.mmul)]
        modes = self._known(usable_modes(self.device.architecture, dtype))
        best = best_first(modes) if modes else [find_mode(self.device, dtype, (0, 0, 0))]
        return sorted(best, key=self.misfit) if self.mapping.tile else best

    def _known(self, modes: tuple[MmulMode, ...]) -> tuple[MmulMode, ...]:
        """Return the modes that the release has which the design is for; all where it has none, for a rule to refuse."""
        if self.spec.vitis is None:
            return modes
        dtype, arch = self.layer.x.dtype, self.device.architecture.value
        since = features().product_since
        known = tuple(m for m in modes if since(arch, dtype.cpp, dtype.bytes, m.shape) <= self.spec.vitis)
        return known or modes

    def misfit(self, mode: MmulMode) -> bool:
        """Tell whether blocks of a mode do not fill the mapping's tile, or it is more than the whole matrix then."""
        tile = self.mapping.tile or self.step(mode)
        limits = zip(tile, self.size, self.step(mode), strict=True)
        return any(length % step or length > round_up(whole, step) for length, whole, step in limits)

    def _explicit(self, mode: MmulMode, tile: Shape) -> AieLayerDraft:
        check_tile(self.size, tile, self.step(mode), self.block)
        self._check_words(mode, tile)
        tiles_n = -(-self.size[2] // tile[2])
        groups = self.mapping.groups or tiles_n
        if groups > tiles_n:
            text = f"{groups} groups, but N = {self.size[2]} has only {tiles_n} tiles of {tile[2]} pixels"
            raise IllegalTile("gemm-3", "groups", text, f"use at most {tiles_n}, or a smaller N in the tile")
        grid = self.grid(mode, tile, groups, self.mapping.cascade or 1)
        check_chain(self.device, grid)
        self._check_passes(mode, grid)
        self._check_cores(mode, grid)
        draft = self._fit(mode, grid)
        if draft is None:
            remedy = self._near(mode, tile) or self._instead()
            raise IllegalTile("mem-1", "tile", self._too_large(grid), remedy)
        return draft

    def _instead(self) -> str:
        """Return what to do where no tile near the mapping's fits: the planner's own, or why there is none."""
        try:
            grid = self._chosen(self.modes()).grid
        except IllegalTile as e:
            return e.remedy
        chain = f", cascade: {grid.cascade}" if grid.cascade > 1 else ""
        return f"use tile: {list(grid.tile)}{chain}, which the planner takes"

    def _chosen(self, modes: Sequence[MmulMode]) -> AieLayerDraft:
        """Choose the tile for the first mmul that has one: a small one is for long sums, whose weights fill a memory."""
        chains = CHAINS[:1] if self.streamed else CHAINS
        for cascade in (self.mapping.cascade,) if self.mapping.cascade else chains:
            for mode in modes:
                draft = self._chosen_for(mode, cascade)
                if draft:
                    return draft
        m, size = min(mode.shape[0] for mode in modes), self.layer.x.dtype.bytes
        text = (
            f"no tile of {list(self.size)} fits into a core's memory: the weights of {m} outputs alone are "
            f"{m} x {self.size[1]} x {size} = {m * self.size[1] * size} B, "
            f"a memory has {self.device.tile.memory_bytes} B"
        )
        raise IllegalTile(
            "mem-1", "tile", text, "use fewer inputs: fewer channels, a smaller kernel, or a pool before it"
        )

    def _chosen_for(self, mode: MmulMode, cascade: int) -> AieLayerDraft | None:
        """Choose the tile of one mmul: the fewest cores that keep up with the PL kernel that feeds them."""
        best: tuple[tuple[int, ...], Grid] | None = None
        for tile, groups in self._candidates(mode, cascade):
            grid = self.grid(mode, tile, groups, cascade)
            fits = self._placed(grid)
            if fits is None:
                continue
            columns = grid.slot_columns(fits[1].memories)
            rank = (grid.chains * columns, grid.passes, -tile[2], -tile[0])
            if best is None or rank < best[0]:
                best = rank, grid
        return self._fit(mode, best[1]) if best else None

    def _candidates(self, mode: MmulMode, cascade: int) -> Iterator[tuple[Shape, int]]:
        # AIE cycles per image
        budget = self.input_words(mode) * self.device.clocks.aie_mhz / self.device.clocks.default_pl_mhz
        cores = self.device.array.cores
        for tile in self.tilings(mode) if cascade == 1 else self.chain_tilings(mode, cascade):
            grid = self.grid(mode, tile, 1, cascade)
            rounds = max(1, int(budget // self.cycles(mode, grid)))
            groups = self.mapping.groups or -(-grid.rounds // rounds)
            if (
                groups <= grid.rounds
                and groups * grid.parts * cascade <= cores
                and not self.odd_words(tile, self.bits)
            ):
                yield tile, groups

    def input_words(self, mode: MmulMode) -> int:
        """Return stream words of an image: what the planner's choice keeps up with."""
        raise NotImplementedError

    def tilings(self, mode: MmulMode) -> Iterator[Shape]:
        """Yield the tiles worth trying with an mmul."""
        raise NotImplementedError

    def chain_tilings(self, mode: MmulMode, cascade: int) -> Iterator[Shape]:  # noqa: ARG002
        """Yield the tiles worth trying for chains of so many cores; none, where a core takes all of K."""
        yield from ()

    def grid(self, mode: MmulMode, tile: Shape, groups: int, cascade: int = 1) -> Grid:
        """Return how the layer is cut."""
        raise NotImplementedError

    def cycles(self, mode: MmulMode, grid: Grid) -> int:
        """Return the cycles of a kernel call, by schedules of its code as a timed run finds them; without bank conflicts."""
        return scheduled_product(self.code(mode), grid)

    def loops(self, mode: MmulMode, grid: Grid) -> tuple[Loops, ...]:
        """Return what the source says of the kernel's loops."""
        return tuple(nest.loops for nest in product_nests(self.code(mode), grid))

    def code(self, mode: MmulMode) -> ProductCode:
        """Return what the kernel's code is made for."""
        return product_code(self.device.architecture, mode, self.layer.x.dtype, self.layer.requant)

    def program(self, mode: MmulMode, grid: Grid) -> int:
        """Estimate the kernel's program memory."""
        return program_bytes(blocking_of(grid), mode)

    def pairs(self, mode: MmulMode, grid: Grid) -> float:
        """Return the cycles of a kernel call in which both load units load."""
        return grid.passes * paired_loads(depth_nest(gemm_of(grid, mode, self.layer.x.dtype)))

    def registers(self, mode: MmulMode, grid: Grid) -> Registers:
        """Return what the kernel's inner loop keeps in registers."""
        return mode.registers(*grid.block)

    def trip(self, mode: MmulMode, grid: Grid) -> tuple[float, float]:
        """Return the loads of a trip of the inner loop, and the cycles of its MACs."""
        (m, k, n), size = mode.shape, self.layer.x.dtype.bytes
        rows, cols = grid.block
        issue = emulated_issue(mode.issue_cycles) if mode.emulated else mode.issue_cycles
        return rows * access_count(m * k, size) + cols * access_count(k * n, size), rows * cols * issue

    def templates(self, grid: Grid) -> tuple[TemplateUse, ...]:
        """Return the templates that print the layer, and the files that they make."""
        raise NotImplementedError

    def step(self, mode: MmulMode) -> Shape:
        """Return what tiles are multiples of."""
        return mode.shape

    @property
    def sums_apart(self) -> bool:
        """Whether sums between passes have an array of their own; floats are summed in the output buffer."""
        return self.layer.x.dtype.bytes < SUM_BYTES

    def cuts(self, mode: MmulMode, *, chains: bool) -> Iterator[tuple[Shape, int]]:
        """Yield what a search tries with an mmul: tiles for single cores and for chains, each with its chain's length."""
        yield from ((tile, 1) for tile in self.tilings(mode))
        for cascade in CHAINS[1:] if chains else ():
            yield from ((tile, cascade) for tile in self.chain_tilings(mode, cascade))

    def odd_words(self, tile: Shape, bits: int) -> bool:
        """Tell whether a tile's buffers leave a stream word part full; `bits` are those of the input."""
        size = 8 * self.layer.x.dtype.bytes
        out = self.mapping.plio_out or bits
        return bool(tile[1] * tile[2] % (bits // size) or tile[0] * tile[2] % (out // size))

    def _check_weights(self) -> None:
        cores = self.mapping.cascade or 1
        if self.streamed and cores > 1:
            text = f"weights: stream with chains of {cores} cores: their weights are compiled in"
            raise IllegalTile("weights-1", "weights", text, "use weights: constant, or leave cascade out")

    def _check_passes(self, mode: MmulMode, grid: Grid) -> None:
        if self.layer.x.dtype is DataType.INT16 and grid.passes > 1:
            text = f"tile K = {grid.tile_k} takes K = {grid.k} in {grid.passes} passes; int16 sums have more than 32 bits"
            whole = round_up(grid.k, self.step(mode)[1])
            raise IllegalTile(
                "gemm-4", "tile", text, f"use K = {whole}, or cascade: {grid.passes} with K = {grid.tile_k}"
            )

    def _check_words(self, mode: MmulMode, tile: Shape) -> None:
        if self.odd_words(tile, self.bits):
            text = f"tile {list(tile)}: its buffers do not fill whole {self.bits}-bit stream words"
            raise IllegalTile(
                "plio-2", "plio", text, f"use plio: 32, or a multiple of {mode.shape[2] * 2} for N"
            )

    def _check_cores(self, mode: MmulMode, grid: Grid) -> None:
        cores = self.device.array.cores
        if grid.cores > cores:
            text = (
                f"tile [{grid.tile_m}, {grid.tile_k}, {grid.tile_n}] asks for {grid.parts} x {grid.groups}"
                f"{f' x {grid.cascade}' if grid.cascade > 1 else ''} = {grid.cores} cores, "
                f"{self.device.name} has {cores}"
            )
            most = max(1, cores // (grid.parts * grid.cascade))
            remedy = f"use groups: {most} or fewer (in rounds), or a larger N or M in the tile"
            near = self._near(mode, grid.tile)
            raise IllegalTile("core-1", "tile", text, f"{remedy}; {near}" if near else remedy)

    def _fit(self, mode: MmulMode, grid: Grid) -> AieLayerDraft | None:
        """Return the layer cut so; None when its kernel's data fit nowhere."""
        fits = self._placed(grid)
        if fits is None:
            return None
        buffers, memory = fits
        return self._assemble(mode, grid, buffers, self._needs(grid, buffers), memory)

    def _placed(self, grid: Grid) -> tuple[Buffers, MemoryMap] | None:
        """Arrange the kernel's data; ping-pong and one tile are preferred where the choice is open."""
        choices = (self.mapping.buffers,) if self.mapping.buffers else (Buffers.PING_PONG, Buffers.SINGLE)
        for memories in range(1, _most_memories(grid) + 1):
            for buffers in choices:
                memory = self._arranged(grid, buffers, memories)
                if memory:
                    return buffers, memory
        return None

    def kept(self, grid: Grid, buffers: Buffers) -> MemoryMap | None:
        """Return where a kernel's data lie, in as few tiles' memories as they fit into; None when they fit nowhere."""
        found = (self._arranged(grid, buffers, count) for count in range(1, _most_memories(grid) + 1))
        return next((memory for memory in found if memory), None)

    def conflicts(self, mode: MmulMode, grid: Grid, buffers: Buffers, memory: MemoryMap) -> int:
        """Return the cycles of a kernel call in which a load waits for another one at a bank."""
        share = conflict_share(self.device, self._needs(grid, buffers), memory)
        return round(self.pairs(mode, grid) * share) if share else 0

    def _arranged(self, grid: Grid, buffers: Buffers, memories: int) -> MemoryMap | None:
        return arrange(self.device, self._needs(grid, buffers), stack=self.mapping.stack, memories=memories)

    def _needs(self, grid: Grid, buffers: Buffers) -> tuple[Need, ...]:
        size = self.layer.x.dtype.bytes
        copies = buffers.copies
        table, rows = weight_needs(
            *self._table(grid), ROWS[bool(self.layer.requant)], streamed=self.streamed, ports=grid.in_ports
        )
        sums = grid.out_elements * SUM_BYTES  # between the passes
        role = "param[0]" if self.streamed else "param[2]"
        return (
            Need(role="out[0]", label="output", bytes=grid.out_elements * size, copies=copies),
            *([rows] if rows else []),
            Need(role="in[0]", label="input", bytes=grid.in_elements * size, copies=copies, operand="B"),
            table,
            *([Need(role=role, label="sums", bytes=sums)] if self.sums_apart and grid.passes > 1 else []),
        )

    def _table(self, grid: Grid) -> tuple[int, int]:
        """Return the bytes of a core's weights and of what stands beside them for each row."""
        rows = row_vectors(self.layer.requant) * grid.tile_m * grid.mmul[2] * SUM_BYTES
        return self.weight_elements(grid) * self.layer.x.dtype.bytes, rows

    def weight_elements(self, grid: Grid) -> int:
        """Return elements of a core's weights."""
        return grid.passes * grid.tile_m * grid.tile_k

    def call(self, mode: MmulMode, grid: Grid, cycles: int) -> Call:
        """Return a kernel call of so many cycles, as what is published is compared with it."""
        loads, macs = self.trip(mode, grid)
        return Call(
            architecture=self.device.architecture,
            dtype=self.layer.x.dtype,
            kind="product" if self.window.kernel == (1, 1) else self.kind,
            products=grid.passes * grid.tile_m * grid.tile_k * grid.tile_n,
            cycles=cycles,
            peak=self.peak(mode),
            loads=loads,
            macs=macs,
            vectors=self.registers(mode, grid).vectors,
            of_vectors=mode.files.vectors,
        )

    def peak(self, mode: MmulMode) -> float:
        """Return the MACs that a core does in a cycle."""
        m, k, n = mode.shape
        return m * k * n / mode.issue_cycles

    def printed_by(self, header: str, kernel: str, graph: str = "product") -> tuple[TemplateUse, ...]:
        """Return the files of a layer, with the folders of templates that print its kernel, its weights and its graph."""
        name = self.layer.name
        return (
            TemplateUse(template=f"{header}/kernel.h.j2", output=f"src/aie/{name}_kernel.h"),
            TemplateUse(template=f"{kernel}/kernel.cc.j2", output=f"src/aie/{name}.cc"),
            *self.weights_file(),
            TemplateUse(template=f"{graph}/graph.h.j2", output=f"src/aie/{name}_graph.h"),
        )

    def weights_file(self) -> tuple[TemplateUse, ...]:
        """Return the header of the weights that are compiled in."""
        output = f"src/aie/{self.layer.name}_weights.h"
        return () if self.streamed else (TemplateUse(template="product/weights.h.j2", output=output),)

    def more(self, grid: Grid) -> tuple[str, ...]:  # noqa: ARG002
        """Return what else the plan says."""
        return ()

    def _assemble(
        self, mode: MmulMode, grid: Grid, buffers: Buffers, needs: tuple[Need, ...], memory: MemoryMap
    ) -> AieLayerDraft:
        layer, mapping = self.layer, self.mapping
        conflicts = self.conflicts(mode, grid, buffers, memory)
        cycles = self.cycles(mode, grid) + conflicts
        loads, macs = self.trip(mode, grid)
        return AieLayerDraft(
            **draft_names(self.spec, layer, mapping.place),
            x=layer.x,
            y=layer.y,
            strategy=self.key,
            grid=grid,
            window=self.window,
            has_bias=self.has_bias,
            buffers=buffers,
            plio_bits=self.bits,
            plio_out_bits=mapping.plio_out,
            needs=needs,
            memory=memory,
            stack_bytes=memory.stack_bytes,
            program_bytes=self.program(mode, grid),
            registers=self.registers(mode, grid),
            kernel_cycles=cycles,
            bank_conflicts=conflicts,
            trip_cycles=max(loads / LOAD_UNITS, macs),
            templates=self.templates(grid),
            why=(*why_of(self, grid, memory), *doubts(self.call(mode, grid, cycles))),
            requant=layer.requant,
            loops=self.loops(mode, grid),
            accumulator=mode.accumulator,
            streamed=streamed_weights(*self._table(grid), grid.parts) if self.streamed else None,
        )

    def _too_large(self, grid: Grid) -> str:
        buffers = self.mapping.buffers or Buffers.SINGLE
        needs = self._needs(grid, buffers)
        parts = " + ".join(f"{n.label} {n.copies} x {n.bytes}" for n in needs)
        rest = reserved_bytes(self.device, self.mapping.stack or self.device.tile.default_stack_bytes)
        size = self.device.tile.memory_bytes
        return (
            f"tile [{grid.tile_m}, {grid.tile_k}, {grid.tile_n}] needs {parts} B "
            f"beside {rest} B for stack, heap and tools; each block must lie in one memory of {size} B, "
            f"and a kernel has {'two' if grid.cascade == 1 else 'one, in a chain'}"
        )

    def _near(self, mode: MmulMode, tile: Shape) -> str:
        """Name the nearest tiles that pass this layer's rules; empty when changing one length finds none."""
        return nearest_tiles(tile, self.size, self.step(mode), lambda other: self._legal(mode, other))

    def _legal(self, mode: MmulMode, tile: Shape) -> bool:
        tiles_n = -(-self.size[2] // tile[2])
        grid = self.grid(mode, tile, min(self.mapping.groups or tiles_n, tiles_n), self.mapping.cascade or 1)
        draft = None if self.odd_words(tile, self.bits) else self._fit(mode, grid)
        if (
            draft is None
            or grid.chains * draft.slot_columns > self.device.array.cores
            or chain_fault(self.device, grid)
        ):
            return False
        return grid.chains <= interface_capacity(self.device, is_input=False)


def _most_memories(grid: TileGrid) -> int:
    """Return how many tiles' memories a kernel may have: in a chain the tiles beside it are its neighbours'."""
    return MAX_MEMORIES if grid.cascade == 1 else 1


def why_of(gemm: ProductCut, grid: TileGrid, memory: MemoryMap) -> tuple[str, ...]:
    """Return how the layer is cut and why it fits, a line for each fact."""
    m, k, n = gemm.size
    lines = [
        f"M x K x N = {m} x {k} x {n}: output channels x inputs of one output x output pixels",
        f"cut into {grid.parts} x {grid.passes * grid.cascade} x {grid.groups * grid.rounds} tiles of "
        f"{grid.tile_m} x {grid.tile_k} x {grid.tile_n}; "
        f"{grid.parts} x {grid.groups} = {grid.chains} {'cores' if grid.cascade == 1 else 'chains'}",
    ]
    if grid.cascade > 1:
        lines.append(f"each chain is {grid.cascade} cores: K is cut over them, sums pass along the cascade")
    lines += gemm.more(grid)
    if grid.passes > 1:
        where = "an array of 32-bit sums" if gemm.sums_apart else "the output buffer"
        lines.append(f"K in {grid.passes} passes, summed in {where}")
    if grid.rounds > 1:
        lines.append(f"each core works on {grid.rounds} tiles of an image, one after another")
    if memory.memories > 1:
        lines.append(
            f"{memory.used_bytes[0]} B in its own tile, {memory.used_bytes[1]} B in the one beside it: "
            f"together more than {gemm.device.tile.memory_bytes} B"
        )
    if gemm.streamed:
        lines.append("the weights come over streams, once: the cores of all groups share a part's")
    if gemm.layer.requant:
        lines.append(requant_note(gemm.layer.requant))
    return tuple(lines)
