"""The tables that a thesis wants: what a design takes of the device, its time by the number of images, its quality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aieloom.plan.types import ArrayPart
from aieloom.plan.wire import channels_of
from aieloom.report.cards import item_of
from aieloom.report.outcome import baseline_of
from aieloom.report.parts import Cell, Column, Note, Section, Table, table
from aieloom.report.shape import Summary
from aieloom.report.times import Cells
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from aieloom.spec.device import Device
from aieloom.units.plan import Plan, resources

IMAGES = (1, 10, 100, 1_000, 10_000)
KINDS = {"bram36": "BRAM36", "uram288": "URAM288", "dsp": "DSP58", "lut": "LUT", "ff": "FF"}


@dataclass(frozen=True, kw_only=True)
class Batch:
    """So many images in one run: by the model, and on this machine's processor where that was measured."""

    images: int
    device_us: float  # with movers and memory
    system_us: float  # with the host program, its start included
    processor_us: float | None

    @property
    def cells(self) -> Cells:
        """The row: times and rates, and how many times as fast as the processor device and system are."""
        modelled = {"device": self.device_us, "system": self.system_us}
        cells: Cells = {}
        for what, us in modelled.items():
            time, rate = _time_rate(us, self.images)
            cells |= {what: time, f"{what}_rate": rate}
            if self.processor_us is not None:
                cells[f"{what}_quicker"] = Cell(text=_times(self.processor_us / us), measured=True)
        return _measured(self.images, self.processor_us) | cells


def _measured(images: int, us: float | None) -> Cells:
    """Return the cells of the processor's time."""
    time, rate = ("not measured", "") if us is None else _time_rate(us, images)
    shown = {"processor": Cell(text=time, measured=True), "processor_rate": Cell(text=rate, measured=True)}
    return {"images": f"{images:,}", **shown}


def in_numbers(
    plan: Plan, arrays: Sequence[ArrayPart], streams: ArrayPart | None, summary: Summary
) -> Section:
    """Return the section: shares of the device, times of numbers of images beside the processor's, qualities."""
    parts: list[Note | Table] = [_uses(plan, arrays, summary)]
    if item_of(plan) == "image":
        ends = "The device and end to end: modelled; end to end has the graph's start and the host program. "
        told = f"Time of one run by its number of images. {ends if streams else ''}"
        parts.append(Note(text=told, measured=f"{baseline_of(summary)}."))
        parts += _batches(streams, summary)
    parts += _qualities(summary.get("quality", {}), quantised="quantisation" in summary)
    return Section(id="tables", link="In numbers", title="In numbers", parts=tuple(parts))


def _uses(plan: Plan, arrays: Sequence[ArrayPart], summary: Summary) -> Table:
    """Return what the design takes of each kind, the array's by the plan, the logic's estimated."""
    board, use, estimated = plan.board, resources(plan), summary["resources"]["pl"]["produced_by"]
    found: list[tuple[str, int, int, str]] = []
    if isinstance(board, Device) and use.cores:
        face, cores, counted = board.interface, board.array.cores, "the plan"
        ports = len(board.plio_column_list) * (face.in_channels + face.out_channels)
        channels = sum(channels_of(board, p.bits) for part in arrays for p in part.plios)
        found = [
            ("AI Engine cores", use.cores, cores, counted),
            ("tiles, with lent memories", use.tiles, cores, counted),
            ("PL streams of 64 bits", channels, ports, counted),
        ]
    found += [
        (name, getattr(use, kind), getattr(board.logic, kind), estimated) for kind, name in KINDS.items()
    ]
    columns = {
        "what": Column("what the design takes"),
        "used": Column("used", "n"),
        "there": Column("of the device's", "n"),
        "percent": Column("percent", "n"),
        "source": Column("who says so"),
    }
    rows: Iterator[Cells] = (
        {
            "what": what,
            "used": f"{used:,}",
            "there": f"{there:,}",
            "percent": f"{100 * used / there:.1f}",
            "source": source,
        }
        for what, used, there, source in found
        if there
    )
    return table(columns, rows)


def batches(streams: ArrayPart, summary: Summary) -> tuple[Batch, ...]:
    """Return the time of some numbers of images: the first one's latency, then an interval for each."""
    run = simulate_plan(streams)
    rates, measured = modelled_rates(streams, run), _processor_us(summary)
    host = rates.host.run_us + rates.host.batch_us + rates.host.image_us
    return tuple(
        Batch(
            images=n,
            device_us=run.latency_us + (n - 1) * rates.memory.interval_us,
            system_us=host + run.latency_us + (n - 1) * rates.system.interval_us,
            processor_us=measured.get(n),
        )
        for n in IMAGES
    )


def _processor_us(summary: Summary) -> dict[int, float]:
    rows = summary.get("processor_baseline", {}).get("rows", ())
    return {row["images"]: 1e6 * row["seconds"] for row in rows}


def _batches(streams: ArrayPart | None, summary: Summary) -> Iterator[Table]:
    names = {"device": "device", "system": "end to end", "processor": "processor"}
    columns = {"images": Column("images", "n")}
    for what, name in names.items():
        columns |= {what: Column(name, "n"), f"{what}_rate": Column("images/s", "n")}
    for what in ("device", "system"):
        columns[f"{what}_quicker"] = Column(f"{names[what]} to processor", "n")
    if streams:
        yield table(columns, (b.cells for b in batches(streams, summary)))
    elif measured := _processor_us(summary):
        yield table(columns, (_measured(n, us) for n, us in measured.items()))


def _qualities(q: Mapping[str, float], *, quantised: bool) -> Iterator[Table]:
    """Yield what is measured of the network's results: by PyTorch in float32, by the quantised reference, emulated."""
    kept = "quantised" if quantised else "reference"
    rows = []
    for name, keys in (
        ("accuracy", ("accuracy_float", f"accuracy_{kept}", "accuracy_emulated")),
        ("PSNR, dB", ("psnr_pytorch_db", "", "psnr_emulated_db")),
    ):
        cells = dict(
            zip(("float", "design", "emulated"), (f"{q[k]:.4g}" if k in q else "" for k in keys), strict=True)
        )
        rows += [{"name": name, **cells}] if any(cells.values()) else []
    columns = {
        "name": Column("quality, measured"),
        "float": Column("float32, PyTorch", "n"),
        "design": Column("the design's arithmetic", "n"),
        "emulated": Column("emulated", "n"),
    }
    if rows:
        yield table(columns, rows)


def _times(quicker: float) -> str:
    return f"{quicker:,.0f} x" if quicker >= 100 else f"{quicker:.3g} x"


def _time_rate(us: float, images: int) -> tuple[str, str]:
    text = f"{us:,.4g} us" if us < 1e3 else f"{us / 1e3:,.4g} ms" if us < 1e6 else f"{us / 1e6:,.4g} s"
    return text, f"{1e6 * images / us:,.0f}"
