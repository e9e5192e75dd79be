"""The cycles of a sliding convolution by schedules of its kernel's code, as its template writes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from aieloom.cost.blocks import MOST_UNROLLED, Nest, Rows, call_cycles, rows_of
from aieloom.plan.product_cycles import passes_cycles
from aieloom.schedule.code import Code, Total
from aieloom.schedule.machine import Machine, machine_of
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType
from aieloom.strategies.sliding.cost import slides_of
from aieloom.strategies.sliding.grid import LANES, LineGrid

VECTOR = LANES * DataType.FLOAT32.bytes


def sliding_nest(grid: LineGrid) -> Nest:
    """Return the kernel's loops."""
    lines, taps = grid.window.kernel
    code = _Code(
        lines=lines, taps=taps, together=grid.together, pieces=grid.line_loads, weights=grid.weight_vectors
    )
    return Nest(blocks=code, trips=(grid.channels,), outer=grid.blocks)


def scheduled_sliding(grid: LineGrid) -> int:
    """Return the cycles of a call, by schedules of the kernel's code as its template writes it."""
    machine, cols = machine_of(Architecture.AIE), grid.tile_n // LANES
    start = _begin(min(cols, MOST_UNROLLED + 1)).cycles(grid.tile_m, cols)
    return call_cycles(2, machine) + start + passes_cycles(grid.passes, sliding_nest(grid).cycles, machine)


@lru_cache(maxsize=8)
def _begin(cols: int) -> Rows:
    """Return the schedules of what begins each row of the output with its channel's bias."""

    def load(code: Code) -> None:
        code.keep("bias", code.load(VECTOR, (0,), "rows"))

    def store(code: Code) -> None:
        code.store(VECTOR, code.kept("bias", VECTOR), "out")

    return rows_of(load, store, cols, machine_of(Architecture.AIE))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Code:
    """What a kernel's code is made for: lines and taps, outputs together, pieces of a line and vectors of its weights."""

    lines: int
    taps: int
    together: int
    pieces: int
    weights: int

    @property
    def machine(self) -> Machine:
        """The core."""
        return machine_of(Architecture.AIE)

    @property
    def sums(self) -> dict[str, Total]:
        """What is added up, by name."""
        names = (f"s{o}" for o in range(self.together))
        return {n: Total(n, "vector", 8 * VECTOR, is_float=True, is_matrix=False) for n in names}

    def start(self, code: Code) -> None:
        """Go on with what the output holds."""
        for total in self.sums.values():
            code.begin(total, code.load(VECTOR, (0, 1, 2), "out"))

    def trip(self, code: Code) -> None:
        """Load a channel's lines in pieces, and slide along them."""
        sums, slides = self.sums, slides_of(self.taps, self.together, self.weights)
        for y in range(self.lines):
            code.say(f"aie::vector<float, 2 * kLanes> d{y};")
            line, weights = list[int](), list[int]()
            for i in range(self.pieces):
                line.append(code.load(VECTOR // 2, (1, 2), "in"))
                code.say(f"d{y}.insert({i}, aie::load_v<4>(line + {y} * kInWidth + {i} * 4));")
            for v in range(self.weights):
                weights.append(code.load(VECTOR, (0,), "weights"))
                code.say(
                    f"const auto w{y}{v} = aie::load_v<kLanes>(w + ({y} * {self.weights} + {v}) * kLanes);"
                )
            for total, v, coefficient, start in slides:
                code.mac(sums[total], [*line, weights[v]], slots=1)
                code.say(f"{total} = Slide::mac({total}, w{y}{v}, {coefficient}, d{y}, {start});")

    def end(self, code: Code) -> None:
        """Store the sums."""
        for total in self.sums.values():
            code.store(VECTOR, code.take(total, bits=8 * VECTOR), "out")
