"""The code of a product's blocks as the templates write it: operands loaded, aie::mmul, what begins and ends the sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aieloom.cost.machine import SUM_BYTES, emulated_issue, split_macs
from aieloom.hardware.mmul import MmulMode
from aieloom.hardware.registers import FLOAT_SUMS, LANE_BITS
from aieloom.schedule.code import Code, Total
from aieloom.schedule.machine import Machine, machine_of
from aieloom.spec.architecture import Architecture

# makes elements of a vector of sums; the axes along which its row moves
Scale = Callable[[Code, int, tuple[int, ...]], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """An operand of mmuls: its name in the source, bytes, the axes of blocks along which its place moves, and what loads it."""

    name: str
    size: int
    axes: tuple[int, ...]
    base: str
    text: str


# a product: its sums and operands, by name
Mac = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """A block of sums in flight, and the axes along which its row of biases moves."""

    name: str
    row: str
    axes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Products:
    """Matrix products in flight by one mode of aie::mmul."""

    mode: MmulMode
    architecture: Architecture
    element: int  # bytes
    flight: tuple[Flight, ...]
    is_float: bool

    @property
    def machine(self) -> Machine:
        """The core."""
        return machine_of(self.architecture)

    @property
    def lanes(self) -> int:
        """Sums of a block."""
        return self.mode.shape[0] * self.mode.shape[2]

    def total(self, name: str) -> Total:
        """Return a block's sums."""
        in_vectors = self.mode.accumulator == FLOAT_SUMS and self.machine.float_sums == "vector"
        bits = self.lanes * LANE_BITS[self.mode.accumulator]
        return Total(name, "vector" if in_vectors else "accumulator", bits, self.is_float)

    @property
    def beats(self) -> int:
        """Cycles of a block's sums on the cascade: on AIE 8 lanes of 48 bits or floats each, 4 of 80 [UG1079, put_mcd]."""
        lane = LANE_BITS[self.mode.accumulator]
        if self.architecture is Architecture.AIE:
            lane = max(lane, LANE_BITS["acc48"])
        return -(-self.lanes // (self.architecture.facts.cascade_bits // lane))

    def load(self, code: Code, operand: Operand) -> int:
        """Load an operand; one that is multiplied in parts is taken apart."""
        n = code.load(operand.size, operand.axes, operand.base)
        if not self.mode.emulated:
            return n
        return code.op(
            "mac_float", [n], slots=split_macs(operand.size // self.element), bits=12 * operand.size
        )

    def write(
        self, code: Code, operands: Iterable[Operand], macs: Iterable[Mac], there: dict[str, int]
    ) -> None:
        """Load operands in order, then add products, whose operands are these or `there` from before."""
        for operand in operands:
            there[operand.name] = self.load(code, operand)
            code.say(f"const auto {operand.name} = {operand.text};")
        issue = self.mode.issue_cycles
        slots = round(emulated_issue(issue)) if self.mode.emulated else issue
        for name, a, b in macs:
            code.mac(self.total(name), (there[a], there[b]), slots=slots)
            code.say(f"{name}.mac({a}, {b});")

    def begin_with_rows(self, code: Code) -> None:
        """Begin each block with its row of biases, which blocks of one row share."""
        rows: dict[str, int] = {}
        for f in self.flight:
            if f.row not in rows:
                rows[f.row] = code.load(self.lanes * SUM_BYTES, f.axes, "rows")
            code.begin(self.total(f.name), rows[f.row])

    def begin_with_sums(self, code: Code) -> None:
        """Begin each block with what a pass before it left in memory."""
        for f in self.flight:
            code.begin(self.total(f.name), code.load(self.lanes * SUM_BYTES, (0, 1, 2), "sums"))

    def begin_with_cascade(self, code: Code) -> None:
        """Begin each block with what the core before it sends."""
        for f in self.flight:
            total = self.total(f.name)
            code.begin(total, code.op("stream_read", slots=self.beats, bits=total.bits, file=total.file))

    def end_in_sums(self, code: Code) -> None:
        """Leave the sums for the next pass."""
        for f in self.flight:
            value = code.take(self.total(f.name), bits=8 * SUM_BYTES * self.lanes)
            code.store(SUM_BYTES * self.lanes, value, "sums")

    def end_in_cascade(self, code: Code) -> None:
        """Send the sums to the next core."""
        for f in self.flight:
            value = code.take(self.total(f.name), bits=0, kind="move")
            code.op("stream_write", [value], slots=self.beats)

    def end_in_elements(self, code: Code, scale: Scale) -> None:
        """Scale the sums back to elements and store them."""
        for f in self.flight:
            code.store(self.element * self.lanes, scale(code, self.take(code, f), f.axes), "out")

    def take(self, code: Code, f: Flight) -> int:
        """Round a block's sums to vectors of 32 bits, or to elements where those follow by a shift."""
        return code.take(self.total(f.name), bits=8 * SUM_BYTES * self.lanes)
