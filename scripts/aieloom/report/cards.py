"""The cards at the top of the page: what a design does, and what it takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.plan.energy import peak_macs
from aieloom.plan.types import AieLayerPlan, ArrayPart
from aieloom.report.parts import percent
from aieloom.report.roofline import multiplies
from aieloom.report.shape import Performance, Summary
from aieloom.spec.device import Device
from aieloom.units.plan import Plan
from aieloom.words import duration, plural


@dataclass(frozen=True, kw_only=True)
class Card:
    """A figure of the overview: what, how much, and who says so."""

    title: str
    value: str
    note: str
    source: str
    measured: bool = False  # on this machine: another value each time


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """What the array multiplies and adds at a rate: GOP/s (two a MAC), and the share of what its cores could."""

    gops: float
    utilisation: float


def arithmetic_of(plan: ArrayPart, images_per_s: float) -> Arithmetic:
    """Return the whole design's arithmetic at a rate; MACs and peaks are those of the layers' own efficiencies."""
    macs = plan.tiles * sum(la.grid.m * la.grid.k * la.grid.n for la in plan.aie if multiplies(la))
    peak = sum(peak_a_second(plan, la) for la in plan.aie)
    return Arithmetic(gops=2 * macs * images_per_s / 1e9, utilisation=macs * images_per_s / peak)


def peak_a_second(plan: ArrayPart, layer: AieLayerPlan) -> float:
    """Return the MACs a second of a layer's cores, those of all copies of the design."""
    stage = plan.cost.stage(layer.name)
    return plan.copies * layer.grid.cores * peak_macs(plan, layer) * stage.clock_mhz * 1e6


def cards(plan: Plan, streams: ArrayPart | None, summary: Summary) -> Iterator[Card]:
    """Yield the cards of a run; `streams` is the design on the array, where all of it works at the same time."""
    performance, item = summary["performance"], item_of(plan)
    model = f"modelled, {performance['produced_by'].partition(',')[0]}"
    yield from _quality(summary)
    frame = streams.frame if streams else None
    cut = f"; {frame.tiles} tiles an image, {frame.halo_share:.1%} of the work is halo" if frame else ""
    yield Card(
        title="throughput",
        value=f"{performance['throughput_fps']:,.0f} {item}s/s",
        note=f"end to end; bound by {performance['bottleneck']}{cut}",
        source=model,
    )
    yield from _rates(performance, model)
    spans = {"stream": "first word in to last word out", "commands": f"of a batch of {plan.schedule.batch:,}"}
    yield Card(
        title="latency",
        value=duration(performance["latency_us"]),
        note=spans.get(plan.schedule.kind, f"of one {item}"),
        source=model,
    )
    yield from _arithmetic(streams, performance, item, model)
    yield from _device(plan, summary)
    yield from _energy(performance)
    if "emulated_s_per_image" in performance:
        yield Card(
            title="emulated",
            value=f"{performance['emulated_s_per_image']:,.3g} s",
            note=f"an image; {performance['emulated_peak_mb']:,.0f} MB of memory at most",
            source="measured on this machine",
            measured=True,
        )


def item_of(plan: Plan) -> str:
    """Return what is computed again and again."""
    return "product" if plan.schedule.kind == "once" else "image"


def _quality(summary: Summary) -> Iterator[Card]:
    quality = summary["quality"]
    best = next((k for k in quality if "emulated" in k), next(iter(quality), ""))
    if best:
        yield Card(
            title=best.removesuffix("_db").replace("_", " "),
            value=f"{quality[best]:.4g}{' dB' if best.endswith('_db') else ''}",
            note=f"{summary['golden']['samples']} samples",
            source="measured in the emulator",
        )


def _rates(performance: Performance, model: str) -> Iterator[Card]:
    """Yield the rates that explain the one end to end."""
    rates = performance.get("rates")
    found = (
        (("the array alone", rates["array"]), ("with movers and memory", rates["memory"])) if rates else ()
    )
    for title, rate in found:
        yield Card(
            title=title,
            value=f"{rate['images_per_s']:,.0f} images/s",
            note=f"bound by {rate['bottleneck']}; leaves out {rate['leaves_out']}",
            source=model,
        )


def _arithmetic(streams: ArrayPart | None, performance: Performance, item: str, model: str) -> Iterator[Card]:
    rate, macs = performance["throughput_fps"], sum(s.get("macs", 0) for s in performance["per_layer"])
    if streams:
        found = arithmetic_of(streams, rate)
        gops, note = (
            found.gops,
            f"{percent(found.utilisation)} of what the design's cores could multiply meanwhile",
        )
    else:
        share = performance.get("share_of_peak")
        gops, note = 2 * macs * rate / 1e9, f"{macs / 1e6:,.3g} million products an {item}"
        note += f"; {share:.1%} of what the array's cores could" if share else ""
    if gops:
        yield Card(title="arithmetic", value=f"{gops:,.4g} GOP/s", note=note, source=model)


def _device(plan: Plan, summary: Summary) -> Iterator[Card]:
    r, board, held = summary["resources"], plan.board, plan.tensor_bytes
    if r["aie_cores"] and isinstance(board, Device):
        yield Card(
            title="AI Engines",
            value=plural(r["aie_cores"], "core"),
            note=f"{r['aie_tiles']} of {board.array.cores} tiles, {r['plio_in']} + {r['plio_out']} PLIO",
            source="the plan",
        )
    yield Card(
        title="logic",
        value=f"{r['pl']['bram36']} BRAM36",
        note=f"{r['pl']['uram288']} URAM, {r['pl']['dsp']} DSP, {r['pl']['lut']:,} LUT",
        source=r["pl"]["produced_by"],
    )
    if held:
        weights = summary["performance"].get("weights_bytes", 0)
        crossing = summary["performance"].get("memory_bytes_per_image", 0)
        yield Card(
            title="device memory",
            value=f"{(weights + held) / 1e6:,.1f} MB",
            note=f"{weights / 1e6:,.1f} MB of weights; {crossing / 1e6:,.1f} MB cross ports an image",
            source="the plan",
        )


def _energy(performance: Performance) -> Iterator[Card]:
    """Yield the card of an image's energy; none where the board's power is not known."""
    energy = performance.get("energy")
    if energy:
        shares = ", ".join(f"{mj:.3g} {who}" for who, mj in energy["mj_by_share"].items() if mj)
        yield Card(
            title="energy",
            value=f"{energy['mj_per_image']:,.3g} mJ an image",
            note=f"{energy['watts']:,.3g} W while images follow one another: {shares}",
            source=f"modelled, {energy['produced_by']}",
        )
