"""The code of a chained layer's kernel: what its template prints, and the cycles of its schedules."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from aieloom.cost.blocks import Nest, call_cycles
from aieloom.cost.machine import SUM_BYTES
from aieloom.cpp_text import float_literal
from aieloom.hardware.registers import FLOAT_SUMS, LANE_BITS
from aieloom.network.layers import Requant
from aieloom.plan.scaling_code import VECTOR_BYTES, Scaling, scaling_of
from aieloom.schedule.code import Code, Total
from aieloom.schedule.machine import Machine, machine_of
from aieloom.spec.architecture import Architecture
from aieloom.strategies.chained.cost import ACCUMULATOR
from aieloom.strategies.chained.grid import BLOCK, PIXELS, BlockGrid, ChainGrid, row_loads

PIXEL_AXES, WEIGHT_AXES = (1, 2), (0,)  # steps along the channels, down the rows, along a row
VECTOR = PIXELS * BLOCK
ELEMENT = {1: "int8", 2: "bfloat16"}  # by its bytes


def chained_nest(grid: ChainGrid, requant: Requant | None) -> Nest:
    """Return the kernel's loops."""
    outer = (grid.block_steps, grid.row_steps, grid.col_steps)
    trips = tuple(grid.trips(p) for p in range(len(grid.in_blocks)))
    return Nest(blocks=chained_code(grid, requant), trips=trips, outer=outer)


def scheduled_chained(grid: ChainGrid, requant: Requant | None) -> int:
    """Return the cycles of a call."""
    nest = chained_nest(grid, requant)
    return call_cycles(1 + len(nest.trips), nest.blocks.machine) + nest.cycles


def chained_code(grid: ChainGrid, requant: Requant | None) -> ChainedCode:
    """Return the code of a step over the image."""
    return ChainedCode(
        rows=grid.step_rows, blocks=grid.step_blocks * grid.halves, halves=grid.halves, positions=grid.positions,
        fold=grid.fold, taps=grid.taps[1], element=grid.element_bytes, outputs=grid.mmul[2],
        bounds=bounds_of(grid), early=requant is not None and not requant.wrap,
        begin=", kBiasShift" if requant and requant.bias_shift else "",
        scale=scaling_of(
            requant, lanes=PIXELS * grid.mmul[2], size=grid.element_bytes, architecture=Architecture.AIE_ML
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bounds:
    """What keeps results within the bounds of a fused layer: a function of aie_api and a value, one for each."""

    element: int  # bytes
    limits: tuple[tuple[str, str], ...]

    def keep(self, code: Code, value: int, name: str, lanes: int) -> int:
        """Keep a vector of results within them."""
        element, size = ELEMENT[self.element], self.element * lanes
        for function, limit in self.limits:
            value = code.op("compare", [value, code.constant(size)], bits=8 * size)
            bound = f"aie::broadcast<{element}, {lanes}>({element}({limit}))"
            code.say(f"{name} = aie::{function}({name}, {bound});")
        return value


def bounds_of(grid: BlockGrid) -> Bounds:
    """Return those of a layer."""
    limits = ((grid.low, "max"), (grid.high, "min"))
    told = ((function, float_literal(limit)) for limit, function in limits if limit is not None)
    return Bounds(grid.element_bytes, tuple(told))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainedCode:
    """What a kernel's code is made for."""

    rows: int  # of pixels in flight
    blocks: int  # mmuls along the output channels, halves of blocks of 8 apart
    halves: int
    positions: int  # sums of which each output is the largest
    fold: int  # neighbouring pixels each way of which the largest is kept
    taps: int  # kernel columns
    element: int  # bytes
    outputs: int  # of an mmul
    bounds: Bounds
    early: bool  # integers are compared before they are scaled, which is dearer and changes no order, unless they wrap
    begin: str  # what follows the bias where sums start with it
    scale: Scaling

    @property
    def machine(self) -> Machine:
        """The core."""
        return machine_of(Architecture.AIE_ML)

    @property
    def lanes(self) -> int:
        """Sums of an mmul."""
        return PIXELS * self.outputs

    @property
    def words(self) -> int:
        """Bytes of an mmul's sums."""
        return SUM_BYTES * self.lanes

    def total(self, r: int, i: int, p: int) -> Total:
        """Return the sums of a row, an mmul of its channels and a position."""
        accumulator = ACCUMULATOR[self.element]
        bits = LANE_BITS[accumulator] * self.lanes
        return Total(f"c{r}_{i}_{p}", "accumulator", bits, is_float=accumulator == FLOAT_SUMS)

    def start(self, code: Code) -> None:
        """Begin the sums with biases that are there for all steps over the image."""
        for r, i, p in product(range(self.rows), range(self.blocks), range(self.positions)):
            total = self.total(r, i, p)
            code.begin(total, code.kept(f"start{i}", self.words))
            code.say(f"Mmul {total.name}(start{i}{self.begin});")

    def trip(self, code: Code, port: int = 0) -> None:
        """Multiply a kernel row of a block of input channels: pixels are loaded once and shifted along its columns."""
        lines = [self._line(code, port, r) for r in range(self.rows)]
        weights, outputs = BLOCK * self.outputs, self.blocks * self.positions
        stored = ".cast_to<bfloat16>()" if self.element > 1 else ""
        for tap in range(self.taps):
            seen = [self._seen(code, line, r, tap) for r, line in enumerate(lines)]
            for i, p in product(range(self.blocks), range(self.positions)):
                name, at = f"w{tap}_{i}_{p}", (tap * outputs + i * self.positions + p) * weights
                loaded = code.load(weights * self.element, WEIGHT_AXES, "weights")
                code.say(f"const auto {name} = aie::load_v<Mmul::size_B>(w + {at}){stored};")
                for r in range(self.rows):
                    total, (pixels, value) = self.total(r, i, p), seen[r]
                    code.mac(total, [value, loaded], slots=1)
                    code.say(f"{total.name}.mac({pixels}, {name});")

    def _line(self, code: Code, port: int, r: int) -> list[int]:
        """Load the pixels of a row that the kernel's columns see, the last of them half a vector where that will do."""
        vectors, short = row_loads(self.taps, self.element)
        found = []
        for v in range(vectors):
            is_half = short and v == vectors - 1
            found.append(code.load(VECTOR * self.element // (1 + is_half), PIXEL_AXES, "in"))
            at = f"a{port}_{r}{f' + {v * VECTOR}' if v else ''}"
            grown = f".grow<{VECTOR}>()" if is_half else ""
            code.say(f"const auto v{r}_{v} = aie::load_v<{VECTOR // (1 + is_half)}>({at}){grown};")
        return found

    def _seen(self, code: Code, line: list[int], r: int, tap: int) -> tuple[str, int]:
        """Return the pixels of a row under a kernel column, by name."""
        v, shift = divmod(tap, PIXELS)
        if not shift:
            return f"v{r}_{v}", line[v]
        size = VECTOR * self.element
        code.say(f"const auto p{r}_{tap} = aie::shuffle_down_fill(v{r}_{v}, v{r}_{v + 1}, {shift * BLOCK});")
        slots = -(-size // VECTOR_BYTES)
        return f"p{r}_{tap}", code.op("shuffle", [line[v], line[v + 1]], slots=slots, bits=8 * size)

    def end(self, code: Code) -> None:
        """Take the largest sums, scale them back, put halves together, and store."""
        for r in range(0, self.rows, self.fold):
            made = [self._elements(code, r, i) for i in range(self.blocks)]
            for b in range(self.blocks // self.halves):
                self._stored(code, r, b, made[b * self.halves : (b + 1) * self.halves])

    def _elements(self, code: Code, r: int, i: int) -> int:
        """Return an mmul's elements."""
        totals = [self.total(r + f, i, p) for f in range(self.fold) for p in range(self.positions)]
        values = [code.take(t, bits=8 * self.words) for t in totals]
        if self.early:
            self._say_largest(code, f"Sums s{r}_{i}", [f"{t.name}.to_vector<int32>()" for t in totals])
            again = code.op("srs", [self._largest(code, values, self.words)], bits=8 * self.words)
            code.say(f"const Elements e{r}_{i} = scaled_back(Mmul(s{r}_{i}), row{i});")
            return self.scale(code, again, WEIGHT_AXES)
        self._say_largest(code, f"Elements e{r}_{i}", [f"scaled_back({t.name}, row{i})" for t in totals])
        scaled = [self.scale(code, v, WEIGHT_AXES) for v in values]
        return self._largest(code, scaled, self.element * self.lanes)

    def _largest(self, code: Code, values: list[int], size: int) -> int:
        largest = values[0]
        for v in values[1:]:
            largest = code.op("compare", [largest, v], slots=-(-size // VECTOR_BYTES), bits=8 * size)
        return largest

    def _say_largest(self, code: Code, variable: str, values: list[str]) -> None:
        name = variable.rsplit(maxsplit=1)[-1]
        code.say(f"{variable} = {values[0]};")
        for value in values[1:]:
            code.say(f"{name} = aie::max({name}, {value});")

    def _stored(self, code: Code, r: int, b: int, halves: list[int]) -> None:
        size, element = VECTOR * self.element, ELEMENT[self.element]
        whole, text = halves[0], f"e{r}_{b}"
        if len(halves) > 1:
            whole = code.op("shuffle", halves, slots=2 * -(-size // VECTOR_BYTES), bits=8 * size)
            of = f"e{r}_{2 * b}, e{r}_{2 * b + 1}, {self.outputs}"
            code.say(f"const auto z{r}_{b} = aie::interleave_zip({of});")
            text = f"aie::concat(z{r}_{b}.first, z{r}_{b}.second)"
        code.say(f"const aie::vector<{element}, {VECTOR}> q{r}_{b} = {text};")
        text = f"q{r}_{b}"
        if self.fold > 1:
            size //= self.fold
            even, odd = (code.op("shuffle", [whole], bits=8 * size) for _ in range(2))
            whole = code.op("compare", [even, odd], bits=8 * size)
            text = f"aie::max(aie::filter_even({text}, {BLOCK}), aie::filter_odd({text}, {BLOCK}))"
        name = f"y{r}_{b}"
        code.say(f"aie::vector<{element}, {VECTOR // self.fold}> {name} = {text};")
        whole = self.bounds.keep(code, whole, name, VECTOR // self.fold)
        code.store(size, whole, "out")
        row, block = f"y * kOutRows + {r // self.fold}", f"step * kStepBlocks + {b}"
        code.say(
            f"aie::store_v(out + (({row}) * kOutBlocks + {block}) * kOutPitch + x * kOutPixels, {name});"
        )
