"""The tables that a thesis wants: what a design takes of the device, its time by the number of images, its quality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aieloom.pl.use import logic_use
from aieloom.plan.types import ArrayPart
from aieloom.plan.wire import channels_of
from aieloom.report.shape import Summary
from aieloom.simulation.of_plan import modelled_rates, simulate_plan

IMAGES = (1, 10, 100, 1_000, 10_000)
KINDS = (("LUT", "lut"), ("FF", "ff"), ("BRAM36", "bram36"), ("URAM288", "uram288"), ("DSP58", "dsp"))


@dataclass(frozen=True, kw_only=True)
class Use:
    """How much of something the design takes, of all that the device has."""

    what: str
    used: int
    there: int
    source: str

    @property
    def percent(self) -> float:
        """The share in percent."""
        return 100 * self.used / self.there if self.there else 0.0


@dataclass(frozen=True, kw_only=True)
class Batch:
    """So many images in one run: by the model, and on this machine's processor where that was measured."""

    images: int
    device_us: float  # with movers and memory
    system_us: float  # with the host program, its start included
    processor_us: float | None

    @property
    def modelled(self) -> tuple[str, ...]:
        """The row's text as far as it is modelled: images, time and rate of the device and of the system."""
        device, system = (_time_rate(us, self.images) for us in (self.device_us, self.system_us))
        return (f"{self.images:,}", *device, *system)

    @property
    def measured(self) -> tuple[str, ...]:
        """What follows from the processor's time: its time and rate, and how many times as fast device and system are."""
        if self.processor_us is None:
            return ("not measured", "", "", "")
        quicker = (self.processor_us / us for us in (self.device_us, self.system_us))
        return (
            *_time_rate(self.processor_us, self.images),
            *(f"{q:,.0f} x" if q >= 100 else f"{q:.3g} x" for q in quicker),
        )


def uses(plan: ArrayPart) -> tuple[Use, ...]:
    """Return what the design takes of each kind, the array's by the plan, the logic's estimated."""
    device = plan.device
    face = device.interface
    ports = len(device.plio_column_list) * (face.in_channels + face.out_channels)
    channels = sum(channels_of(device, p.bits) for p in plan.plios)
    taken = logic_use(plan.pl, plan.movers, plan.copies)
    counted, estimated = "the plan", "aieloom's estimate"
    return (
        Use(what="AI Engine cores", used=plan.cores, there=device.array.cores, source=counted),
        Use(
            what="tiles, with lent memories", used=plan.tiles_in_use, there=device.array.cores, source=counted
        ),
        Use(what="PL streams of 64 bits", used=channels, there=ports, source=counted),
        *(
            Use(what=name, used=getattr(taken, key), there=getattr(device.logic, key), source=estimated)
            for name, key in KINDS
        ),
    )


def batches(plan: ArrayPart, summary: Summary) -> tuple[Batch, ...]:
    """Return the time of some numbers of images: the first one's latency, then an interval for each."""
    run = simulate_plan(plan)
    rates = modelled_rates(plan, run)
    baseline = {
        r["images"]: 1e6 * r["seconds"] for r in summary.get("processor_baseline", {}).get("rows", ())
    }
    return tuple(
        Batch(
            images=n,
            device_us=run.latency_us + (n - 1) * rates.memory.interval_us,
            system_us=rates.host.run_us
            + rates.host.batch_us
            + rates.host.image_us
            + run.latency_us
            + (n - 1) * rates.system.interval_us,
            processor_us=baseline.get(n),
        )
        for n in IMAGES
    )


def qualities(summary: Summary) -> tuple[tuple[str, str, str, str], ...]:
    """Return what is measured of the network's results: by PyTorch in float32, by the quantised reference, emulated."""
    return tuple(_qualities(summary.get("quality", {}), quantised="quantisation" in summary))


def _qualities(q: Mapping[str, float], *, quantised: bool) -> Iterator[tuple[str, str, str, str]]:
    kept = "quantised" if quantised else "reference"
    for name, keys in (
        ("accuracy", ("accuracy_float", f"accuracy_{kept}", "accuracy_emulated")),
        ("PSNR, dB", ("psnr_pytorch_db", "", "psnr_emulated_db")),
    ):
        cells = [f"{q[k]:.4g}" if k in q else "" for k in keys]
        if any(cells):
            yield name, cells[0], cells[1], cells[2]


def _time_rate(us: float, images: int) -> tuple[str, str]:
    text = f"{us:,.4g} us" if us < 1e3 else f"{us / 1e3:,.4g} ms" if us < 1e6 else f"{us / 1e6:,.4g} s"
    return text, f"{1e6 * images / us:,.0f}"
