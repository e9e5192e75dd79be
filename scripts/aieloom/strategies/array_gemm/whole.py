"""A product over the array as a design of its own: cores, their movers and a host program, which works once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from aieloom.pl.streams import MOST_STREAMS
from aieloom.plan.whole import cores_of, inside, placed, task_of, wired
from aieloom.strategies.array_gemm.plan import NAME
from aieloom.strategies.array_gemm.types import PlacedProduct
from aieloom.units import plan as one
from aieloom.units import types as u
from aieloom.units.types import logic_use


def product_of(plan: one.Plan) -> PlacedProduct:
    """Return the product of a plan of one: the body of its cores."""
    return plan.units[0].read(PlacedProduct)


def whole(product: PlacedProduct) -> one.Plan:
    """Return a product with what it needs to stand alone: a turn of cores and movers, one of the host program, which tiles."""
    array, device = product.array, product.device
    kernels = [(m, [c for c in product.units if c.mover.name == m.name]) for m in product.movers]
    movers = (
        placed(device, mover, tuple(unit.name for unit in own), logic_use([mover], len(own)))
        for mover, own in kernels
    )
    units = (*(replace(unit, body=product) for unit in cores_of(array)), *movers, u.HOST)
    ports = (
        u.Link(
            source=u.End(unit=mover.name, port="memory", instance=i), target=None, way=u.Bank(tag=unit.bank)
        )
        for mover, own in kernels
        for i, unit in enumerate(own)
    )
    streamed = product.cost.memory.interval_us
    us: dict[str, float] = {u.Cause.HOST: product.cost.system.interval_us - streamed}
    turns = (u.turn(NAME, {u.Cause.STREAM: streamed}, NAME), u.turn(u.PROCESSOR, us))
    return one.Plan(
        project=NAME,
        board=device,
        x=array.x,
        y=array.y,
        tasks=(task_of(array.aie[0].draft, NAME),),
        units=units,
        links=(*wired(array.connections, units, array.plios), *ports, *inside(array)),
        schedule=u.Schedule(kind="once", batch=1, turns=turns),
        remarks=tuple(_remarks(product)),
    )


def _remarks(product: PlacedProduct) -> Iterator[str]:
    """Yield the plan in a few lines."""
    cut, cost, r = product.cut, product.cost, product.request
    (x, y, z), (mi, ki, ni) = cut.grid, cut.times
    tile, mmul = (" x ".join(map(str, v)) for v in (cut.tile, cut.mmul))
    a, b, c = cut.port_streams
    yield f"C = A x B, {r.m} x {r.k} x {r.n}, {r.dtype.value} to {r.out.value}, on {product.device.name}"
    yield f"  {cut.cores} cores: {x} rows x {z} columns of chains of {y}; tile {tile}, mmul {mmul}"
    yield f"  {mi} x {ni} blocks of C, {ki} passes over K; {a} + {b} streams in, {c} out, {product.plio_bits} bits"
    yield f"  modelled ({cost.produced_by}):"
    for rate in cost.rates:
        yield (
            f"    {rate.what}: {rate.interval_us:,.1f} us, {cut.operations / rate.interval_us / 1e6:.3f} Top/s; bound by "
            f"{rate.bottleneck}; leaves out {rate.leaves_out}"
        )
    yield f"    the array from block to block, as publications give it: {cost.steady_tera_ops:.2f} Top/s"
    yield f"  {len(product.units)} movers with a memory port each, for at most {MOST_STREAMS} streams each"
