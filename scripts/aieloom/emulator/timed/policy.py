"""What the vendor's compiler is taken to do with a loop, in three ways that enclose what it does.

- *pipelined*: every innermost loop is software-pipelined, branches in it turned into selections; accesses through different
  pointers never meet.
- *alias-strict*: the same, but a store ends before the next iteration's loads, unless the two are known to be apart:
  different windows, buffers and globals, `restrict` pointers, places on the stack.
- *never*: iterations follow each other.
- *partly*: between the last two, at their geometric mean, where published figures lie of loops that nobody marked and that hold
  streams or scalar code.

The point is by the rules of `decide`, the range goes from the least to the most of the three.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from aieloom.emulator.timed.banks import accesses_of
from aieloom.emulator.timed.dag import Builder
from aieloom.emulator.timed.ir import Block, Function
from aieloom.emulator.timed.loops import Loop, find_loops
from aieloom.schedule.lists import Bound, bound, straight
from aieloom.schedule.loops import (
    FEW_TRIPS,
    GAIN,
    MOST_CYCLES,
    MOST_OPS,
    READ,
    STREAMS,
    least_interval,
    partly,
)
from aieloom.schedule.machine import Machine, Op
from aieloom.schedule.modulo import edges_of, modulo_schedule
from aieloom.schedule.registers import alone, crowded_files, straight_spills, with_registers

PIPELINED, STRICT, NEVER = "pipelined", "alias-strict", "never pipelined"
GUESSED = {
    "routine",
    "divide",
}  # kinds whose figure is a guess: half of it at the range's lower end, twice at its upper end
GUESSES = {PIPELINED: 0.5, NEVER: 2.0}
OVERLAPPED = (PIPELINED,)  # where filling and draining go by beside the code around a loop
PARTLY = "partly pipelined"  # of the point alone
POLICIES = (PIPELINED, STRICT, NEVER)
GAIN_OF_UNITS = 0.5  # the same where a unit that is busy half the time sets what it needs
SCALAR_FLOAT = {"fadd", "fsub", "fmul", "call"}  # of LLVM: they go through the vector unit, a lane each


@dataclass(frozen=True, slots=True)
class LoopCost:
    """An innermost loop: cycles of one iteration alone, and the interval under each policy."""

    header: str
    blocks: tuple[str, ...]
    lines: tuple[int, ...]
    length: int
    intervals: Mapping[str, int]
    bounds: Mapping[str, Bound]
    point: str
    is_marked: bool
    ops: Sequence[Op]
    why: str
    trips: int = 0  # at least each time; 0: nothing says it
    accesses: Sequence[tuple[int, str]] = ()  # to memory, in an iteration at the point: cycle and object

    @property
    def luck(self) -> tuple[str, ...]:
        """What the compiler may find, or not, and the interval hangs on: room in the registers, pointers that never meet."""
        if self.point == NEVER:
            return ()
        strict, free = self.bounds[STRICT], self.bounds[PIPELINED]
        meet = self.intervals[STRICT] > self.intervals[PIPELINED] and strict.by_circle > free.by_circle
        return (("registers",) if strict.file else ()) + (("aliasing",) if meet else ())

    def policy(self, way: str) -> str:
        """Return the policy that holds for the loop in a total: the point chooses its own."""
        return self.point if way == "point" else way


@dataclass(frozen=True, slots=True)
class Word:
    """An access to a stream in a block: its line in the function's body, and the share of the block's cycles before it."""

    line: int
    share: float


@dataclass(frozen=True, slots=True)
class FunctionCost:
    """Cycles of each block of a function under each policy and at the point, by label; the loops that decide."""

    name: str
    cycles: Mapping[str, Mapping[str, int]]  # policy or "point" -> label -> cycles
    loops: Sequence[LoopCost]
    unknown: frozenset[str]
    crowded: Mapping[
        str, int
    ]  # label -> cycles more where what has no register finds no slot beside the other operations
    words: Mapping[str, Sequence[Word]]  # label -> when its words pass streams, in the text's order


@dataclass(frozen=True, slots=True)
class Study:
    """What the costs of a function are found with."""

    builder: Builder
    machine: Machine
    nodes: Mapping[str, str]  # the module's metadata
    line: Callable[[str], int]  # of a debug location


def cost_of(function: Function, study: Study) -> FunctionCost:
    """Return what the blocks of a function cost."""
    cycles: dict[str, dict[str, int]] = {way: {} for way in (*POLICIES, "point")}
    crowded: dict[str, int] = {}
    words: dict[str, Sequence[Word]] = {}
    for label, block in function.blocks.items():
        ops = study.builder.build([block])
        words[label] = _words(ops, study.machine)
        for way, by_label in cycles.items():
            by_label[label] = alone(_guessed(ops, GUESSES.get(way, 1)), study.machine)
        crowded[label] = _spilled(ops, study.machine)
        cycles[NEVER][label] += crowded[label]
    loops = _all(find_loops(function))
    costs = {loop.header: _loop(function, study, loop) for loop in loops if not loop.inner}
    for loop in loops:
        cost = costs.get(loop.header)
        if cost:
            _enter(function, loop, cost, cycles, _hidden(function, study, loop, cost))
        for way, by_label in cycles.items():
            if cost is None or (cost.policy(way) == NEVER and len(loop.blocks) > 1):
                for latch in loop.latches:
                    by_label[latch] += study.machine.branch
    found = [cost for cost in costs.values() if cost]
    in_loops = {label for cost in found for label in cost.blocks}
    crowded = {label: 0 if label in in_loops else n for label, n in crowded.items()}
    return FunctionCost(function.name, cycles, found, frozenset(study.builder.unknown), crowded, words)


def _words(ops: Sequence[Op], machine: Machine) -> Sequence[Word]:
    """Return when a block's words pass streams: read late, as registers are few; written once made."""
    streams = sorted((op.line, n) for n, op in enumerate(ops) if op.kind in STREAMS and op.line >= 0)
    if not streams:
        return ()
    early = straight(ops, machine)
    edges = [e for e in edges_of(ops) if e[3] == 0]
    late = modulo_schedule(ops, edges, max(1, early.cycles), machine) or early.issues
    times = (late[n] if ops[n].kind == READ else early.issues[n] for _, n in streams)
    issues = accumulate(times, max)  # the program's order holds here
    return [
        Word(line, min(1.0, issue / max(1, early.cycles)))
        for (line, _), issue in zip(streams, issues, strict=True)
    ]


def _guessed(ops: Sequence[Op], factor: float) -> Sequence[Op]:
    """Return operations of which those that take what no document says take a multiple of it."""
    if factor == 1 or not any(op.kind in GUESSED for op in ops):
        return ops
    guesses = {n for n, op in enumerate(ops) if op.kind in GUESSED}
    return [
        replace(
            op,
            slots=max(1, round(op.slots * factor)) if n in guesses else op.slots,
            latency=round(op.latency * factor) if n in guesses else op.latency,
            inputs={p: round(c * factor) if p in guesses else c for p, c in op.inputs.items()},
        )
        for n, op in enumerate(ops)
    ]


def _spilled(ops: Sequence[Op], machine: Machine) -> int:
    """Return the cycles that straight code takes more where each store to the stack takes one of its own."""
    cycles = straight(ops, machine).cycles
    return cycles + straight_spills(ops, cycles, machine) - alone(ops, machine)


def gains_by_flattening(cost: FunctionCost) -> bool:
    """Whether a function whose short inner loops are flattened has its longest loop pipelined then; else they stay loops.

    It gains too where a unit is then busy in every cycle: nothing takes less. (MaxEVA's float product, 64 of 85 cycles.)
    """
    longest = max(cost.loops, key=lambda loop: loop.length, default=None)
    if longest is None:
        return False
    interval = longest.intervals[STRICT]
    return interval <= GAIN * longest.length or interval == longest.bounds[STRICT].by_units < longest.length


def fills(cost: FunctionCost) -> bool:
    """Whether the pipelines of a function's short loops fill: all their iterations take as long as one does from end to end.

    A loop that ends before its pipeline is full gains nothing by being one. Of onnx2versal, Conv1x1Relu with two trips of a
    product takes 12.6 cycles a tile, ConvHx4Relu with two of 18 its 36 and what fills and drains.
    """
    short = [loop for loop in cost.loops if loop.is_marked and 0 < loop.trips <= FEW_TRIPS]
    steady = ((loop, loop.bounds[STRICT]) for loop in short)
    return all(loop.trips * max(b.by_units, b.by_circle, 1) >= loop.length for loop, b in steady)


def _all(loops: Sequence[Loop]) -> list[Loop]:
    return [x for loop in loops for x in (loop, *_all(loop.inner))]


def _properties(node: str, nodes: Mapping[str, str]) -> dict[str, int]:
    """Return what chess_*() said of a loop."""
    found = {}
    for inner in re.findall(r"!(\d+)", nodes.get(node, "")):
        said = re.match(r'!\{!"aieloom\.(\w+)", i32 (\d+)\}', nodes.get(inner, ""))
        if said:
            found[said[1]] = int(said[2])
    return found


def _loop(function: Function, study: Study, loop: Loop) -> LoopCost | None:
    blocks = [function.blocks[b] for b in loop.blocks]
    builder, machine = study.builder, study.machine
    ops = _in_pipeline(builder.build(blocks), builder)
    crowded = crowded_files(ops, machine)
    if crowded:
        ops = _in_pipeline(builder.build(blocks), builder, crowded)
    if any(op.name == "call" for op in ops):
        return None
    once = alone(ops, machine)
    meets = _memory(ops, builder)
    strict = with_registers(ops, bound(ops, machine, meets), machine, once, meets)
    bounds = {PIPELINED: bound(ops, machine), STRICT: strict}
    marks = _properties(loop.node, study.nodes)
    trips = trips_of(function, loop, marks)
    intervals = {w: least_interval(b.interval, once, trips) for w, b in bounds.items()}
    intervals[NEVER] = max(once, 1)
    intervals[PARTLY] = partly(intervals[STRICT], intervals[NEVER])
    is_circle = bounds[STRICT].by_circle > bounds[STRICT].by_units
    is_sum = is_circle and all(ops[i].accumulate or ops[i].unit == "none" for i in bounds[STRICT].circle)
    body = Body(
        blocks, ops, marks, once, intervals[STRICT], is_circle=is_circle, is_sum=is_sum, has_trips=trips > 0
    )
    point, why = decide(body, builder)
    lines = tuple(sorted({x for op in ops if (x := study.line(op.debug))}))
    found = accesses_of(ops, machine, intervals[point], is_pipelined=point != NEVER)
    accesses = [(cycle, builder.pointers.home(base)) for cycle, base in found]
    return LoopCost(
        loop.header,
        loop.blocks,
        lines,
        once,
        intervals,
        bounds,
        point,
        "pipelined" in marks,
        ops,
        why,
        trips,
        accesses,
    )


@dataclass(frozen=True, slots=True)
class Body:
    """An innermost loop as the rules see it; `once` and `interval` are cycles of an iteration alone, and pipelined."""

    blocks: Sequence[Block]
    ops: Sequence[Op]
    marks: Mapping[str, int]
    once: int
    interval: int
    is_circle: bool  # a circle of dependences sets the interval, not a unit
    is_sum: bool  # that of a sum to which each iteration adds
    has_trips: bool  # it is known how often it runs at least

    @property
    def streams(self) -> bool:
        """Whether words of streams pass in it."""
        return any(op.kind in STREAMS for op in self.ops)

    @property
    def is_scalar(self) -> bool:
        """Whether no vector operation is in it."""
        return not any(op.unit in {"vector", "srs"} and op.name not in SCALAR_FLOAT for op in self.ops)

    @property
    def is_copy(self) -> bool:
        """Whether an iteration is one load, one store, and what is between."""
        loads = sum(op.is_load and op.unit != "none" for op in self.ops)
        carries = any(op.carried and not op.only_addresses and op.unit == "scalar" for op in self.ops)
        return loads <= 1 and not carries


def decide(body: Body, builder: Builder) -> tuple[str, str]:
    """Return the policy that the point takes for a loop, and why.

    A loop needs a known least number of trips to be pipelined deeply [UG1079, Loops]. Streams and windows that are not
    `__restrict` stay in order (AMD's performance analysis tutorial: 102 cycles for 8 iterations so, 4 bytes a cycle with it).
    """
    real = sum(op.slots for op in body.ops if op.unit != "none")
    moves = any(op.is_store or op.unit.startswith("stream") for op in body.ops)
    open_ = builder.pointers.parameters - builder.pointers.restricted  # those that are not `__restrict`
    stores = any(op.is_store and op.base in open_ for op in body.ops)
    gains = body.interval < (GAIN if body.is_circle else GAIN_OF_UNITS) * body.once
    rules = (
        (real > MOST_OPS or body.once > MOST_CYCLES, NEVER, f"its body of {real} operations is long"),
        (len(body.blocks) > 1 and moves, NEVER, "branches with stores or streams in them stay branches"),
        (body.streams and stores, NEVER, "a stream between accesses to windows that are not __restrict"),
        ("pipelined" in body.marks, STRICT, "marked"),
        (not body.has_trips, NEVER, "nothing says how often it runs at least, and it is not marked"),
        (gains and body.streams, PARTLY, "not marked, with streams in it"),
        (gains and body.is_sum, STRICT, "a sum to which each iteration adds"),
        (gains and body.is_scalar and not body.is_copy, PARTLY, "not marked, and scalar code"),
        (True, STRICT, "innermost"),
    )
    return next((policy, why) for holds, policy, why in rules if holds)


def _in_pipeline(ops: Sequence[Op], builder: Builder, crowded: frozenset[str] = frozenset()) -> list[Op]:
    """Return a loop's operations as they are left in it.

    Counting and addresses ride on loads and the hardware loop itself; what every iteration would find again is found before,
    except what comes into files that are crowded without it.
    """
    stores = [op for op in ops if op.is_store]
    fixed: set[int] = set()
    for n, op in enumerate(ops):
        moves = op.is_store or op.unit.startswith("stream") or op.kind in {"stream_read", "stream_write"}
        if op.is_load and not op.is_pointer:
            moves = moves or any(may_meet(s, op, builder) for s in stores)
        moves = moves or not crowded.isdisjoint(file for file, _ in op.results)
        if not moves and not op.carried and not op.varies and fixed.issuperset(op.inputs):
            fixed.add(n)
    for n, op in enumerate(ops):
        if op.only_addresses or n in fixed:
            op.unit, op.latency, op.slots, op.accumulate = "none", 0, 1, 0
            op.is_fixed = n in fixed
            op.results = op.results if op.is_fixed else ()
        op.inputs = {p: 0 if p in fixed else c for p, c in op.inputs.items()}
    return list(ops)


def trips_of(function: Function, loop: Loop, marks: Mapping[str, int]) -> int:
    """Return how often a loop runs at least each time: from its counter, or from chess_loop_range(); 0 when nothing says it."""
    inside = [function.blocks[b] for b in loop.blocks]
    made = {i.dest: i for b in inside for i in b.instructions}
    for block in inside:
        if _is_once_more(function.blocks[loop.header].phis.get(block.condition, {}), loop):
            return 2
        test = made.get(block.condition)
        last = re.search(r"icmp (?:eq|ne|[us][lg][te]) \S+ (%[\w.$-]+), (-?\d+)", test.text) if test else None
        step = (
            re.search(r"add .*?(%[\w.$-]+), (-?\d+)", made[last[1]].text)
            if last and last[1] in made
            else None
        )
        # What is tested is the counter's next value, or this one.
        counter = step[1] if step else last[1] if last else ""
        by = step or next((s for i in inside for s in _steps(i, counter)), None)
        starts = [
            v
            for label, v in function.blocks[loop.header].phis.get(counter, {}).items()
            if label not in loop.blocks
        ]
        if last and by and len(starts) == 1 and re.fullmatch(r"-?\d+", starts[0]) and int(by[2]):
            return max(1, -((int(starts[0]) - int(last[2])) // int(by[2])) + (step is None))
    return marks.get("range", 0)


def _is_once_more(phi: Mapping[str, str], loop: Loop) -> bool:
    """Whether a loop's test is a flag that is true the first time and false then, as LLVM writes two trips."""
    first = {v for label, v in phi.items() if label not in loop.blocks}
    then = {v for label, v in phi.items() if label in loop.blocks}
    return first in ({"true"}, {"false"}) and then in ({"true"}, {"false"}) and first != then


def _steps(block: Block, counter: str) -> list[re.Match[str]]:
    """Return the additions of a number to a counter in a block."""
    found = (re.match(rf"add .*?({re.escape(counter)}), (-?\d+)", i.text) for i in block.instructions)
    return [f for f in found if f]


def _memory(ops: Sequence[Op], builder: Builder) -> list[tuple[int, int, int]]:
    """Return edges from stores to the loads of the next iteration that may read what they wrote."""
    stores = [n for n, op in enumerate(ops) if op.is_store]
    loads = [n for n, op in enumerate(ops) if op.is_load]
    return [(s, n, ops[s].latency) for s in stores for n in loads if may_meet(ops[s], ops[n], builder)]


def may_meet(a: Op, b: Op, builder: Builder) -> bool:
    """Whether two accesses may be of one place, for all that the source says."""
    if a.base == b.base:
        return True
    apart = builder.pointers.parameters | builder.pointers.restricted
    if a.base.startswith("@") and b.base.startswith("@"):
        return False
    return not (a.base in apart and b.base in apart) and not (
        {a.base, b.base} & builder.pointers.slots or {a.base, b.base} & builder.pointers.restricted
    )


def _hidden(function: Function, study: Study, loop: Loop, cost: LoopCost) -> int:
    """Return the cycles of filling and draining that go by beside the code around a loop.

    A pipeline's first and last iterations are straight code (the preamble and the postamble [UG1079, Loops]), which can be
    scheduled with what stands before and behind it. No document says whether the vendor's compiler does.
    """
    around = [b for b in _around(function, loop) if b]
    if not around or cost.point == NEVER:
        return 0
    before, after = _around(function, loop)
    body = [function.blocks[b] for b in loop.blocks]
    alone = sum(straight(study.builder.build([b]), study.machine).cycles for b in around)
    alone += straight(study.builder.build(body), study.machine).cycles
    blocks = [*([before] if before else []), *body, *([after] if after else [])]
    together = straight(study.builder.build(blocks, is_run=True), study.machine).cycles
    return max(0, min(alone - together, cost.length - cost.intervals[cost.point]))


def _around(function: Function, loop: Loop) -> tuple[Block | None, Block | None]:
    """Return the block from which alone a loop is entered, and that to which alone it is left."""
    before = [p for p in function.blocks[loop.header].predecessors if p not in loop.blocks]
    after = {s for b in loop.blocks for s in function.blocks[b].successors} - set(loop.blocks)
    first = function.blocks[before[0]] if len(before) == 1 else None
    last = function.blocks[after.pop()] if len(after) == 1 else None
    return (
        first if first and len(first.successors) == 1 else None,
        last if last and len(last.predecessors) == 1 else None,
    )


def _enter(
    function: Function, loop: Loop, cost: LoopCost, cycles: dict[str, dict[str, int]], hidden: int
) -> None:
    """Give a loop's cycles to its first block, and those of filling and draining to where it is entered."""
    before = [p for p in function.blocks[loop.header].predecessors if p not in loop.blocks]
    for way, by_label in cycles.items():
        policy = cost.policy(way)
        if policy == NEVER and len(loop.blocks) > 1:
            continue  # its blocks stay as they are
        interval = cost.intervals[policy]
        for label in loop.blocks:
            by_label[label] = 0
        by_label[loop.header] = interval
        for label in before:
            if len(function.blocks[label].successors) == 1:
                by_label[label] += cost.length - interval - (hidden if way in OVERLAPPED else 0)
