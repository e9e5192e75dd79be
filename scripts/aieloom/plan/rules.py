"""The design rules: does the plan respect the device? Checked on the finished plan, whoever chose it.

Each rule has an id (docs/errors.md), and says what was used of how much; a broken one names the line to edit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aieloom.errors import CannotFit, Problem
from aieloom.hardware.registers import register_files
from aieloom.plan.cascade import cascades
from aieloom.plan.finding import Finding, Rule, findings, worst
from aieloom.plan.memory import reserved_bytes
from aieloom.plan.rules_graph import GRAPH_RULES
from aieloom.plan.rules_streams import STREAM_RULES
from aieloom.plan.types import AieLayerDraft, AieLayerPlan, ArrayPart
from aieloom.plan.weights import FEEDER_STACK_BYTES
from aieloom.spec.device import Tile
from aieloom.spec.features import VECTOR_BITS, features, vector_bits
from aieloom.spec.lines import KeyPath
from aieloom.spec.network import NetworkSpec
from aieloom.units.types import KernelPlan


def needs(plan: ArrayPart, draft: AieLayerDraft) -> Iterator[tuple[str, str, str]]:
    """Yield what a layer's kernels use: the release that has it first, what it is, what to do without."""
    table, arch = features(), plan.device.architecture.value
    used = ["buffer_ports"]
    used += ["cascade_types"] if draft.grid.cascade > 1 else []
    used += draft.grid.uses
    for name in used:
        feature = table.features[name]
        yield feature.release, feature.what, feature.instead
    if draft.grid.by_mmul:
        types = (draft.dtype.cpp, draft.dtype.cpp)
        shape = draft.grid.mmul
        what = f"aie::mmul<{', '.join(map(str, shape))}, {', '.join(types)}>"
        yield table.mmul_since(arch, *types, shape), what, "use another mmul"
        if vector_bits(shape, draft.dtype.bytes) > VECTOR_BITS:
            wide = table.features["wide_vectors"]
            yield wide.release, f"{wide.what} (of {what})", wide.instead


def release(plan: ArrayPart) -> Iterator[Finding]:
    """release-1: the release of Vitis that the plan is for has what its kernels use, and its board."""
    limit = float(plan.vitis) if plan.vitis else float("inf")
    board = plan.device.platform
    yield Finding(
        rule="release-1",
        what=f"first Vitis release with a platform for {plan.device.name}",
        used=float(board.since),
        limit=limit,
        where=board.name,
        at=("vitis",),
        remedy=f"use vitis: {board.since} or newer",
    )
    for layer in plan.aie:
        for since, what, instead in needs(plan, layer.draft):
            yield Finding(
                rule="release-1",
                what=f"first Vitis release with {what}",
                used=float(since),
                limit=limit,
                where=layer.name,
                at=layer.draft.at,
                remedy=f"use vitis: {since} or newer, or {instead}",
            )


RELEASE_RULES: tuple[Rule, ...] = (release,)


def check(plan: ArrayPart, spec: NetworkSpec) -> ArrayPart:
    """Apply every rule; return the plan with the results.

    Raises:
        CannotFit: with every broken rule.
    """
    every: list[Finding] = []
    for rules in (FIRST_RULES, RULES):
        found = [f for rule in rules for f in rule(plan)]
        if any(f.broken for f in found):
            raise CannotFit(_problems(found, spec))
        every += found
    return replace(plan, checks=worst(every))


def _problems(found: Sequence[Finding], spec: NetworkSpec) -> Iterator[Problem]:
    """Yield one problem for each rule and place in the file: the worst, and how many are like it."""
    alike: dict[tuple[str, int], list[Finding]] = defaultdict(list)
    for f in found:
        if f.broken:
            alike[f.rule, spec.source.line(f.at)].append(f)
    for group in alike.values():
        f = max(group, key=lambda f: f.share)
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        text = f"{f.where}: {f.what}: {f.used:g}, at most {f.limit:g}{more}"
        yield spec.source.problem(f.rule, f.at, text, f.remedy)


def _kernels(plan: ArrayPart) -> Iterator[tuple[AieLayerPlan, int, KernelPlan]]:
    for layer in plan.all_aie:
        for i, k in enumerate(layer.kernels):
            yield layer, i, k


def _name(layer: AieLayerPlan, index: int) -> str:
    return f"{layer.name}[{index}]"


def names(plan: ArrayPart) -> Iterator[Finding]:
    """name-1: no two generated files or PL kernels of one name, also where case does not count."""
    owner = {use.output: (la.name, la.draft.at) for la in plan.aie for use in la.draft.templates}
    outputs = [use.output for la in plan.aie for use in la.draft.templates]
    for g in plan.pl:
        outputs.append(g.output)
        owner[g.output] = (g.name, g.steps[-1].at if g.steps else ("layers",))
    outputs += ["src/aie/graph.h", "src/aie/graph.cpp", *(m.output for m in plan.movers)]
    count = Counter(o.lower() for o in outputs)
    for output, (name, at) in owner.items():
        yield Finding(
            rule="name-1",
            what=f"files called {output.rsplit('/', 1)[-1]}",
            used=count[output.lower()],
            limit=1,
            where=name,
            at=at,
            remedy="rename one of the layers",
        )
    movers = {m.name.lower(): m.name for m in plan.movers}
    for step in plan.tile_steps:
        if step.name.lower() in movers:
            yield Finding(
                rule="name-1",
                what=f"PL kernels called {movers[step.name.lower()]}, of a subgraph's movers",
                used=1,
                limit=0,
                where=step.name,
                at=step.at,
                remedy="rename the layer",
            )


def layers_apart(plan: ArrayPart) -> Iterator[Finding]:
    """place-2: no tile belongs to two layers, be it by its core or by its memory."""
    for i, layer in enumerate(plan.all_aie):
        before = {t: la.name for la in plan.all_aie[:i] for t in la.tiles}
        shared = sorted(t for t in layer.tiles if t in before)
        with_whom = f" with {before[shared[0]]}, first {shared[0]}" if shared else ""
        yield Finding(
            rule="place-2",
            what=f"tiles shared{with_whom}",
            used=len(shared),
            limit=0,
            where=layer.name,
            at=(*layer.draft.at, "place"),
            remedy=_free_place(plan, layer),
        )


def one_kernel_per_core(plan: ArrayPart) -> Iterator[Finding]:
    """core-2: no two kernels on one core, no kernel outside the array."""
    taken: dict[Tile, str] = {}
    for layer, i, k in _kernels(plan):
        outside = not plan.device.has_tile(k.tile)
        other = taken.setdefault(k.tile, _name(layer, i))
        clash = 0 if other == _name(layer, i) else 1
        yield Finding(
            rule="core-2",
            what=f"kernels on core {k.tile}" + (f" ({other} is there)" if clash else ""),
            used=1 + clash + outside,
            limit=1,
            where=_name(layer, i),
            at=(*layer.draft.at, "place"),
            remedy="place the layers apart",
        )


def memory_is_reached(plan: ArrayPart) -> Iterator[Finding]:
    """mem-4: every block lies in a memory that its kernel's core reaches (row parity on AIE)."""
    for layer, i, k in _kernels(plan):
        reach = plan.device.reach(k.tile)
        for role, places in k.blocks.items():
            far = [a.tile for a in places if a.tile not in reach]
            yield Finding(
                rule="mem-4",
                what=f"blocks of {role} out of reach of core {k.tile}" + (f", in {far[0]}" if far else ""),
                used=len(far),
                limit=0,
                where=_name(layer, i),
                at=layer.draft.at,
                remedy="place it away from the array's edge, or use a smaller tile",
            )


def memory_blocks(plan: ArrayPart) -> Iterator[Finding]:
    """mem-2, mem-3: blocks of a tile fit beside stack, heap and tools, do not overlap, and are aligned."""
    spans: dict[Tile, list[tuple[int, int, str, KeyPath]]] = defaultdict(list)
    for layer, i, k in _kernels(plan):
        sizes = {n.role: n.bytes for n in layer.draft.needs}
        sizes["stack"] = reserved_bytes(plan.device, layer.draft.stack_bytes)
        for role, places in k.blocks.items():
            for a in places:
                label = f"{_name(layer, i)} {role}"
                spans[a.tile].append((a.offset, a.offset + sizes[role], label, layer.draft.at))
        if layer.feeders:
            end = plan.device.tile.memory_bytes
            own = reserved_bytes(plan.device, FEEDER_STACK_BYTES)
            feeder = (end - own, end, f"{_name(layer, i)} feeder's stack", layer.draft.at)
            spans[layer.feeders[i]].append(feeder)
    for tile, blocks in spans.items():
        yield from _tile_blocks(plan, tile, sorted(blocks))


def _tile_blocks(
    plan: ArrayPart, tile: Tile, blocks: list[tuple[int, int, str, KeyPath]]
) -> Iterator[Finding]:
    facts = plan.device.tile
    end = total = 0
    for start, stop, label, at in blocks:
        total += stop - start
        overlap = max(0, end - start)
        off = start % facts.buffer_alignment_bytes
        where = f"{label} in tile {tile}"
        yield Finding(
            rule="mem-3",
            what=f"bytes over its neighbour's or off {facts.buffer_alignment_bytes}-byte alignment",
            used=overlap + off,
            limit=0,
            where=where,
            at=at,
            remedy="give the layers regions that do not share tiles (place:)",
        )
        end = max(end, stop)
    yield Finding(
        rule="mem-2",
        what="bytes of data memory",
        used=total if end <= facts.memory_bytes else end,
        limit=facts.memory_bytes,
        where=f"tile {tile}",
        at=blocks[-1][3],
        remedy="use a smaller tile or buffers: single",
    )


def dma_channels(plan: ArrayPart) -> Iterator[Finding]:
    """dma-1, dma-2, lock-1: channels, buffer descriptors and locks of each tile's memory module."""
    facts = plan.device.tile
    ins: Counter[Tile] = Counter()
    outs: Counter[Tile] = Counter()
    buffers: Counter[Tile] = Counter()
    owner: dict[Tile, AieLayerPlan] = {}
    locks: Counter[Tile] = Counter()
    for layer, _, k in _kernels(plan):
        for role, places in k.blocks.items():
            if role.startswith(("in", "out")):
                locks.update(a.tile for a in places)
                owner[places[0].tile] = layer
                if (role.startswith("out") and layer.draft.hands) or role == layer.draft.fed_role:
                    continue  # the core behind reads it there, or the core beside wrote it
                (ins if role.startswith("in") else outs)[places[0].tile] += 1
                buffers.update(a.tile for a in places)
    for tile, layer in owner.items():
        numbers = (
            ("dma-1", "S2MM channels", ins[tile], facts.s2mm_channels),
            ("dma-1", "MM2S channels", outs[tile], facts.mm2s_channels),
            ("dma-2", "buffer descriptors", buffers[tile], facts.buffer_descriptors),
            ("lock-1", "locks", locks[tile], facts.locks),
        )
        where, remedy = f"{layer.name}, tile {tile}", "spread the layer over more tiles"
        yield from findings(numbers, where=where, at=layer.draft.at, remedy=remedy)


def one_dma(plan: ArrayPart) -> Iterator[Finding]:
    """dma-3: the copies of a buffer that a DMA fills or empties lie in its own tile's memory."""
    for layer, i, k in _kernels(plan):
        for role, places in k.blocks.items():
            if role.startswith(("in", "out")):
                yield Finding(
                    rule="dma-3",
                    what=f"tiles that hold the copies of {role}, which one DMA serves",
                    used=len({a.tile for a in places}),
                    limit=1,
                    where=_name(layer, i),
                    at=layer.draft.at,
                    remedy="use buffers: single or a smaller tile",
                )


def program_memory(plan: ArrayPart) -> Iterator[Finding]:
    """prog-1: the kernel's code, estimated, fits the core's program memory."""
    for layer in plan.all_aie:
        yield Finding(
            rule="prog-1",
            what="bytes of program memory (estimate)",
            used=layer.draft.program_bytes,
            limit=plan.device.tile.program_bytes,
            where=layer.name,
            at=layer.draft.at,
            remedy="use a smaller mmul",
        )


def registers(plan: ArrayPart) -> Iterator[Finding]:
    """reg-1, reg-2: an inner loop's operands and sums fit the registers; else the compiler spills them."""
    files = register_files(plan.device.architecture)
    for layer in plan.all_aie:
        vectors, bits = layer.draft.registers.vectors, layer.draft.registers.accumulator_bits
        numbers = (
            ("reg-1", "vector registers of 256 bits in the inner loop", vectors, files.vectors),
            ("reg-2", "bits of accumulators in the inner loop", bits, files.accumulator_bits),
        )
        yield from findings(numbers, where=layer.name, at=layer.draft.at, remedy="use a smaller mmul")


def memory_banks(plan: ArrayPart) -> Iterator[Finding]:
    """bank-1: how many cycles of a kernel call both load units want one bank; counted in its time, it refuses nothing."""
    for layer in plan.all_aie:
        draft = layer.draft
        yield Finding(
            rule="bank-1",
            what="cycles of a kernel call in which two loads meet in a bank (modelled)",
            used=draft.bank_conflicts,
            limit=draft.kernel_cycles,
            where=layer.name,
            at=draft.at,
            remedy="use a smaller tile or buffers: single",
        )


def memory_tiles(plan: ArrayPart) -> Iterator[Finding]:
    """memtile-1 to memtile-9, of plans that have buffers there."""
    if plan.buffers:
        from aieloom.plan.memory_tiles.rules import MEMORY_TILE_RULES  # noqa: PLC0415 - few plans have any

        for rule in MEMORY_TILE_RULES:
            yield from rule(plan)


def _free_place(plan: ArrayPart, layer: AieLayerPlan) -> str:
    """Name a region of the layer's size that touches no other layer, when there is one."""
    mine = layer.tiles
    low = (min(t[0] for t in mine), min(t[1] for t in mine))
    size = (max(t[0] for t in mine) - low[0] + 1, max(t[1] for t in mine) - low[1] + 1)
    others = {t for other in plan.all_aie if other.name != layer.name for t in other.tiles}
    array = plan.device.array
    for col in range(array.columns - size[0] + 1):
        tiles = {(c, r) for c in range(col, col + size[0]) for r in range(low[1], low[1] + size[1])}
        if not tiles & others:
            return f"use place: {{col: {col}, row: {low[1]}, cols: {size[0]}, rows: {size[1]}}}"
    return "place the layers apart, or use larger tiles and so fewer cores"


FIRST_RULES: tuple[Rule, ...] = (names, layers_apart)  # where these are broken, the others find only echoes
RULES: tuple[Rule, ...] = (
    one_kernel_per_core,
    memory_is_reached,
    memory_blocks,
    dma_channels,
    one_dma,
    program_memory,
    registers,
    memory_banks,
    cascades,
    *STREAM_RULES,
    *GRAPH_RULES,
    memory_tiles,
    *RELEASE_RULES,
)
