"""The engine on the AI Engine array: a grid of chains of cores that multiplies for every layer, and its movers in the logic.

`grid` is rows x links x columns of chains, as of the whole-array product: a row of chains has TILE_M pixels of a band of
an image, a column of chains TILE_N output channels, a link its part of K. One compiled graph serves all layers: each tile of
pixels ends with a word that says whether it is the last pass over K. A mover for each row of chains keeps the rows of the
input that a band's windows see and makes windows of them (im2col, padding, groups); one for each column keeps the weights of a
tile of output channels while all pixels of a batch pass; one for each row makes elements of sums and writes them. A sequencer
sends them layer after layer from device memory, or an issuer, each as the host program tells it. Which grid: the one of least
modelled time for the network's layers.
Of floats every chain adds the parts of K in the same order, wherever it stands: a result does not depend on which row has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import inf

from aieloom.errors import CannotFit
from aieloom.layout.channel_words import LANES, words_of
from aieloom.plan.gemm import find_mode
from aieloom.sequential.engine import BRAM_BITS, BRAM_WORDS, DTYPES, FINISH_DSP, FINISH_LUT, Element
from aieloom.sequential.row_unit import ROW_MASTERS
from aieloom.sequential.steps import ConvStep, Mode, Step, products_of
from aieloom.sequential.vector import LANE_DSP, LANE_LUT, UNIT_MASTERS
from aieloom.spec.board import Board, LogicRoom
from aieloom.spec.device import Device
from aieloom.spec.network import EngineSpec, Sequencer
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.cost import CLOCK_MHZ, pass_cycles, stream_cycles
from aieloom.strategies.array_gemm.grid import ArrayGrid, array_grid
from aieloom.strategies.array_gemm.plan import planned
from aieloom.strategies.array_gemm.search import modes
from aieloom.strategies.array_gemm.types import TAIL_BYTES, PlacedProduct, Request

LOAD, WEIGHTS, STORE = "array_load", "array_weights", "array_store"
ISSUERS: dict[Sequencer, str] = {"logic": "sequencer", "host": "issuer"}  # what tells movers of layers
GRIDS = tuple((x, y, z) for x in (2, 4, 8) for y in (2, 3, 4) for z in (2, 4, 8))
TILE_M, TILE_N = 32, 32
DEPTHS: dict[Element, tuple[int, ...]] = {
    "int8": (64, 96, 128),
    "float32": (16, 32),
    "bfloat16": (64, 96, 128),
}  # of K of a core's tile: two of A and of B beside two of C
PLIO_BITS = 128
STREAM_WORD = PLIO_BITS // 8
LINE_BYTES = 1 << 18  # of 16 channels each, that a mover keeps of a band, at most
URAM_WORDS = 4096  # of 72 bits [AM007]; two lie side by side for 128
LUT_SHARE = 0.8  # of those that a design may use: vector units and an engine in the logic stand beside them
ROWS_LUT_SHARE = 0.65  # the same beside row units of floats, each of which takes about a tenth
MOVER_LUT = 9_000  # a mover's addresses, divisions, ports [U]
MOST_TOGETHER = 16  # tiles of output channels that share loads of the input, at most
CACHES = (1, 2, 4)  # times the UltraRAM blocks that one tile's weights want
SUM_INTERVAL = 2  # cycles of a word to which another tensor's is added
TRIED = 6  # grids that are placed and checked before the engine in the logic is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How a layer is cut: bands of `rows` rows of the output, tiles of a group's output channels, passes over K."""

    rows: int
    bands: int  # of an image
    tiles: int
    passes: int
    blocks: int  # of TILE_M pixels of a band
    together: int  # tiles at most that share loads of the input: those whose weights a mover keeps


@dataclass(frozen=True, kw_only=True)
class ArrayEngine:
    """A grid with its movers, for the layers of one network."""

    device: Device
    element: Element
    grid: tuple[int, int, int]
    depth: int
    line_words: int
    cache_words: int
    mmul: tuple[int, int, int]
    sequencer: Sequencer = "logic"  # who issues commands
    gemm: PlacedProduct | None = None  # where it stands

    @property
    def issuer(self) -> str:
        """The kernel that tells movers of layers."""
        return ISSUERS[self.sequencer]

    @property
    def masters(self) -> int:
        """Masters of the network on chip: one of what loads and of what stores, of a column, and of what issues layers."""
        return 2 * self.rows + self.columns + (self.sequencer == "logic")

    @property
    def dtype(self) -> DataType:
        """Type of the elements."""
        return DTYPES[self.element]

    @property
    def word_bytes(self) -> int:
        """Bytes of a word of device memory: 16 channels of a pixel."""
        return LANES * self.dtype.bytes

    @property
    def rows(self) -> int:
        """Rows of chains."""
        return self.grid[0]

    @property
    def parts(self) -> int:
        """Links of a chain: parts of K."""
        return self.grid[1]

    @property
    def columns(self) -> int:
        """Columns of chains."""
        return self.grid[2]

    @property
    def cores(self) -> int:
        """Cores in all."""
        return self.rows * self.parts * self.columns

    @property
    def tile_channels(self) -> int:
        """Output channels of all columns of chains."""
        return self.columns * TILE_N

    @property
    def weight_words(self) -> int:
        """Words of a core's tile of weights."""
        return self.depth * TILE_N * self.dtype.bytes // STREAM_WORD

    @property
    def units(self) -> int:
        """Movers."""
        return 2 * self.rows + self.columns

    @property
    def request(self) -> Request:
        """The product of a block in two passes, as the array's planner takes it."""
        x, y, z = self.grid
        return Request(
            m=x * TILE_M,
            k=2 * y * self.depth,
            n=z * TILE_N,
            dtype=self.dtype,
            out=DataType.INT32 if self.element == "int8" else DataType.FLOAT32,
            told=True,
        )

    @property
    def cut(self) -> ArrayGrid:
        """How it is cut over cores."""
        mode = find_mode(self.device, self.dtype, self.mmul)
        cut = array_grid(self.request.size, (TILE_M, self.depth, TILE_N), mode, self.grid)
        return replace(cut, in_order=self.element != "int8")

    @cached_property
    def pass_us(self) -> float:
        """Microseconds of a pass over K of all cores, in the steady state."""
        device, mode = self.device, find_mode(self.device, self.dtype, self.mmul)
        work = pass_cycles(device, self.cut.tile, mode, self.dtype, cascade=self.parts > 1)
        fill, _ = stream_cycles(device, self.request, self.cut, PLIO_BITS)
        return max(work, fill) / device.clocks.aie_mhz

    @property
    def bram(self) -> int:
        """Block RAMs: a band's rows where they lie there."""
        blocks = -(-8 * self.word_bytes // BRAM_BITS) * -(-self.line_words // BRAM_WORDS)
        return 2 * self.rows * self.parts * blocks if self.lines_in_bram else 0

    @property
    def lines_in_bram(self) -> bool:
        """Whether a band's rows lie in block RAM: wide words of which an UltraRAM would be three quarters empty."""
        return 4 * self.line_words <= URAM_WORDS

    @property
    def uram(self) -> int:
        """UltraRAM blocks: two of every mover's memory, so that one fills while the other is read."""

        def blocks(words: int) -> int:
            return 2 * -(-words // URAM_WORDS)

        lines = self.rows * self.parts * blocks(self.line_words) * (self.word_bytes // STREAM_WORD)
        lines = 0 if self.lines_in_bram else lines
        return 2 * (lines + self.columns * self.parts * blocks(self.cache_words))

    @property
    def dsp(self) -> int:
        """DSP slices of the movers: a word of elements a cycle, and one of elements with sums every SUM_INTERVAL."""
        sums = -(-(FINISH_DSP[self.element] + LANE_DSP[self.element]) // SUM_INTERVAL)
        return self.rows * LANES * (FINISH_DSP[self.element] + sums)

    @property
    def lut(self) -> int:
        """LUTs of the movers."""
        sums = -(-(FINISH_LUT[self.element] + LANE_LUT[self.element]) // SUM_INTERVAL)
        return self.units * MOVER_LUT + self.rows * LANES * (FINISH_LUT[self.element] + sums)

    @property
    def peak_gops(self) -> float:
        """Products and sums a second, in 10^9, of cores that never wait."""
        m, k, n = self.mmul
        per_cycle = m * k * n / find_mode(self.device, self.dtype, self.mmul).issue_cycles
        return 2 * self.cores * per_cycle * self.device.clocks.aie_mhz / 1e3

    def why(self) -> tuple[str, ...]:
        """Return what it is made of, in words."""
        x, y, z = self.grid
        return (
            f"{x} x {z} chains of {y} cores on the array: {x * TILE_M} pixels x {self.tile_channels} output channels, "
            f"{y * self.depth} of K a pass; {self.peak_gops:,.0f} GOP/s at {self.device.clocks.aie_mhz:g} MHz at most",
            f"{self.units} movers in the logic: {self.dsp} DSP, {self.lut} LUT, {self.uram} UltraRAM blocks"
            f"{f', {self.bram} block RAMs' * bool(self.bram)}, modelled",
        )


def tap_words(step: ConvStep) -> int:
    """Return the words of 16 input channels that a group's tap has."""
    return words_of(step.window.channels // step.engine_groups)


def group_words(step: ConvStep) -> int:
    """Return the words of 16 output channels of a group."""
    return words_of(step.y.shape[0] // step.engine_groups)


def k_words(step: ConvStep) -> int:
    """Return the words of K: taps and words of input channels."""
    return step.window.kernel[0] * step.window.kernel[1] * tap_words(step)


def on_array(step: ConvStep) -> bool:
    """Tell whether the array takes a layer.

    Not where every channel sees itself alone, a row has no room, or what it multiplies by was just made.
    """
    return (
        step.mode is not Mode.DEPTHWISE
        and not step.sets
        and _line_words(step, 1) <= most_line_words(step.x.dtype)
    )


def on_array_of(steps: Iterable[Step]) -> tuple[ConvStep, ...]:
    """Return the products that the array takes."""
    return tuple(p for p in products_of(steps) if on_array(p))


def most_line_words(dtype: DataType) -> int:
    """Return the words of 16 channels that a mover keeps of a band, at most."""
    return LINE_BYTES // (LANES * dtype.bytes)


def _line_words(step: ConvStep, rows: int) -> int:
    """Return the words of the input that a band of so many rows of the output sees."""
    window = step.window
    return ((rows - 1) * window.stride[0] + window.kernel[0]) * window.width * tap_words(step)


def passes_of(step: ConvStep, parts: int, depth: int) -> int:
    """Return a layer's passes over K."""
    return -(-k_words(step) * LANES // (parts * depth))


def split_of(step: ConvStep, engine: ArrayEngine, images: int) -> Split:
    """Return how a layer is cut for so many images: the rows of a band that take the fewest blocks, then the fewest bands."""
    _, height, width = step.y.shape
    found: list[tuple[int, int]] = []
    for rows in range(1, height + 1):
        if rows > 1 and _line_words(step, rows) > engine.line_words:
            break
        rounds = -(-images * -(-height // rows) // engine.rows)
        found.append((rounds * -(-rows * width // TILE_M), -rows))
    rows = -min(found)[1]
    tiles = -(-group_words(step) * LANES // engine.tile_channels)
    passes = passes_of(step, engine.parts, engine.depth)
    return Split(
        rows=rows,
        bands=-(-height // rows),
        tiles=tiles,
        passes=passes,
        blocks=-(-rows * width // TILE_M),
        together=max(1, min(tiles, MOST_TOGETHER, engine.cache_words // (passes * engine.weight_words))),
    )


def weight_bytes(step: ConvStep, engine: ArrayEngine) -> int:
    """Return the bytes of a layer's weights in device memory."""
    tiles = step.engine_groups * -(-group_words(step) * LANES // engine.tile_channels)
    words = passes_of(step, engine.parts, engine.depth) * engine.weight_words
    return tiles * engine.columns * engine.parts * words * STREAM_WORD


def candidates(
    device: Device, products: Sequence[ConvStep], element: Element, sequencer: Sequencer
) -> Iterator[ArrayEngine]:
    """Yield the grids whose memories, streams and cores a device has."""
    dtype = DTYPES[element]
    mode, most = modes(device, dtype), most_line_words(dtype)
    for grid in GRIDS:
        x, y, z = grid
        for depth in DEPTHS[element]:
            if (
                not mode
                or depth % mode[0].shape[1]
                or x * y * z > device.array.core_rows * device.array.columns
            ):
                continue
            passes = max(passes_of(s, y, depth) for s in products)
            rows = max(_line_words(s, 1) for s in products)
            blocks = -(-passes * depth * TILE_N * dtype.bytes // STREAM_WORD // URAM_WORDS)
            for times, lines in product(CACHES, _line_choices(rows, element)):
                yield ArrayEngine(
                    device=device,
                    element=element,
                    grid=grid,
                    depth=depth,
                    line_words=min(most, lines),
                    cache_words=times * blocks * URAM_WORDS,
                    mmul=mode[0].shape,
                    sequencer=sequencer,
                )


def is_sized(engine: ArrayEngine, sized: EngineSpec) -> bool:
    """Tell whether an engine has the grid and the depth that network.yaml says."""
    return sized.grid in (None, engine.grid) and sized.depth in (None, engine.depth)


def asked(sized: EngineSpec) -> str:
    """Say which size network.yaml asks for; nothing where it asks for none."""
    said = {key: value for key, value in (("grid", sized.grid), ("depth", sized.depth)) if value}
    return "".join(f"; {key}: {list(v) if isinstance(v, tuple) else v}" for key, v in said.items())


def _line_choices(rows: int, element: Element) -> tuple[int, ...]:
    """Return the words of lines that are worth while, where a row of the output sees `rows`.

    Of single bytes an UltraRAM at least, and two rows; words of floats are wider, and their block RAM is scarce.
    """
    if element == "int8":
        return (max(URAM_WORDS, 1 << (2 * rows - 1).bit_length()),)
    one = 1 << (rows - 1).bit_length()
    return one, 2 * one, 4 * one


def fits(engine: ArrayEngine, room: LogicRoom, share: float = LUT_SHARE) -> bool:
    """Tell whether so much of the logic has what the movers take, beside a vector unit and a row unit: a `share` of LUTs."""
    if engine.dsp + LANES * LANE_DSP[engine.element] > room.dsp:
        return False
    if engine.masters + UNIT_MASTERS + ROW_MASTERS > masters_of(engine.device):
        return False
    return engine.uram <= room.uram288 and engine.bram <= room.bram36 and engine.lut <= share * room.lut


def masters_of(board: Board) -> float:
    """Return how many m_axi ports a board's network on chip has masters for; endless where nothing says it."""
    most = board.platform.noc_masters if isinstance(board, Device) else None
    return most or inf


def room_of(device: Device, sized: EngineSpec) -> LogicRoom:
    """Return what an engine may take of the logic: the margin's part, or all for one whose size network.yaml says."""
    margin, whole = device.rooms
    return whole if asked(sized) else margin


def placed(engine: ArrayEngine) -> PlacedProduct | None:
    """Return where a grid stands; None where the design rules refuse it."""
    try:
        return planned(engine.device, engine.request, engine.cut, PLIO_BITS)
    except CannotFit:
        return None


TAIL_WORDS = TAIL_BYTES // STREAM_WORD
MOVER_MHZ = CLOCK_MHZ
