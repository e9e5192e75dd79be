"""`doit sim`: run the samples through the emulated system, compare with the references, tell it in numbers and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from typing import cast

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from aieloom import messages
from aieloom.emit.files import write_text
from aieloom.flow.baseline import CALLS, machine
from aieloom.flow.batch import Run
from aieloom.flow.emulation import run_system
from aieloom.flow.own_integers import own_integers
from aieloom.flow.pictures import Column, side_by_side
from aieloom.flow.project import Project
from aieloom.flow.pytorch import PytorchResults, layer_samples, pytorch_results
from aieloom.flow.quality import Measured, check_measurable, remedy_for
from aieloom.flow.quality import faults as broken_bounds
from aieloom.flow.quantised import is_quantised_model
from aieloom.flow.reproduce import reproduce
from aieloom.flow.samples import Samples, load_samples, psnr
from aieloom.flow.timing import record, stage_times
from aieloom.flow.tool_runs import RESULT
from aieloom.quantize.floats import float_activations
from aieloom.quantize.loss import LayerLoss, accuracy, chosen_classes, layer_losses
from aieloom.quantize.network import Quantised, unquantised
from aieloom.reference.layerwise import layer_errors
from aieloom.reference.results import Analysis, analyse
from aieloom.report import summary
from aieloom.report.shape import (
    Baseline,
    BaselineRow,
    ConfusionCounts,
    FurtherParts,
    LayerFigures,
    Quantisation,
    Sample,
    Summary,
)
from aieloom.report.site import SUMMARY, read_summary
from aieloom.spec.quality import Bounds, QualitySpec
from aieloom.spec.types import DataType
from aieloom.version import __version__

GOLDEN_TOLERANCE = 2e-5  # largest absolute error against the hardware reference; 0 is what we expect
SHOWN_ROWS = 12
PICTURES = "images.png"
AGAINST = {
    "float32": "hardware reference, float32 in the plan's order of accumulation",
    "bfloat16": "hardware reference, bfloat16 products summed in float32 in the plan's order of accumulation",
    "int8": "hardware reference, exact integers",
    "int16": "hardware reference, exact integers",
}

Values = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Everything a run is judged by."""

    samples: Samples
    y: Values
    analysis: Analysis
    pytorch: PytorchResults | None  # None where it is not installed
    quality: QualitySpec
    lost: Callable[[], tuple[LayerLoss, ...]]  # by each layer; of float32 computed when something asks
    remedy: str  # what makes the design lose less
    quantised: Quantised | None = None
    floats: Values | None = None  # of a quantised network: what the float one gives
    dtype: str = "float32"
    classes: bool = False  # the network ends with an argmax: results are classes, not scores

    @cached_property
    def losses(self) -> tuple[LayerLoss, ...]:
        """What each layer loses."""
        return self.lost()

    @property
    def bounds(self) -> Bounds:
        """What the run is held to."""
        given = self.quantised is not None and self.quantised.is_given
        return self.quality.bounds(DataType(self.dtype), given=given)

    @property
    def torch(self) -> Values | None:
        """PyTorch's results."""
        return self.pytorch.y if self.pytorch else None

    @property
    def accuracies(self) -> dict[str, float]:
        """Accuracy with float weights, of the hardware reference, and emulated; empty without labels."""
        labels = self.samples.labels
        if labels is None:
            return {}
        floats = self.floats if self.floats is not None else self.torch
        results = {} if floats is None else {"float": floats}
        results["quantised" if self.quantised else "reference"] = self.analysis.hardware
        results["emulated"] = self.y
        return {who: accuracy(y, labels, classes=self.classes) for who, y in results.items()}

    @property
    def golden_error(self) -> Values:
        """Largest absolute error of each sample against the hardware reference; NaN counts as infinite."""
        error = np.abs(self.y.astype(np.float64) - self.analysis.hardware)
        return np.asarray(
            np.nan_to_num(error, nan=np.inf).reshape(len(self.samples), -1).max(axis=1), np.float32
        )

    @property
    def psnr(self) -> Values | None:
        """Each picture's PSNR in dB; None without pictures to compare with."""
        return None if self.samples.expected is None else psnr(self.y, self.samples.expected)

    @property
    def psnr_loss(self) -> Values | None:
        """What each picture loses against the float network, in dB; None without pictures to compare with."""
        floats, found = self.floats if self.floats is not None else self.torch, self.psnr
        if floats is None or found is None or self.samples.expected is None:
            return None
        return np.asarray(psnr(floats, self.samples.expected) - found, np.float32)

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, one sentence each; empty when the run passes."""
        measured = Measured(
            names=self.samples.names,
            psnr=self.psnr,
            psnr_loss=self.psnr_loss,
            accuracies=self.accuracies,
            losses=lambda: self.losses,
        )
        found = list(broken_bounds(measured, self.quality, self.bounds, self.remedy))
        wrong = [i for i, error in enumerate(self.golden_error) if not error <= GOLDEN_TOLERANCE]
        if wrong:
            worst = max(wrong, key=lambda i: float(self.golden_error[i]))
            found.append(
                f"{len(wrong)} of {len(self.samples)} samples differ from the hardware reference by more than "
                f"{GOLDEN_TOLERANCE:g}; worst {self.samples.names[worst]}: {self.golden_error[worst]:.3g}"
            )
        return tuple(found)


def simulate(project: Project, run: Callable[[Project, Values], Run] = run_system) -> None:
    """Run all samples, write the result, summary.json and images.png.

    `run` takes the samples through the emulated system; by default it runs what is linked in the build folder.

    Raises:
        RunFailed: the emulated system refuses or fails.
        SpecError: a picture cannot be used.
    """
    samples = load_samples(project)
    check_measurable(project.network.spec, samples)
    done = run(project, samples.x)
    record(project.build, "run", done.seconds)
    compared = judged(project, samples, done.y)
    text = json.dumps(_summary(project, compared, done.peak_bytes), indent=1) + "\n"
    folder = project.build / "report"
    for name in pictures(project):
        side_by_side(_columns(compared), samples.names, folder / name)
    for name in (RESULT, SUMMARY):
        write_text(folder / name, text)


def pictures(project: Project) -> tuple[str, ...]:
    """Return the names of the pictures that a run of the project makes."""
    return (PICTURES,) if project.images else ()


def judged(project: Project, samples: Samples, y: Values | None = None) -> Comparison:
    """Return how good results `y` of the samples are; without any, how good the hardware reference's are."""
    q, plan, spec = project.quantised, project.plan, project.network.spec
    check_measurable(spec, samples)
    imported = is_quantised_model(project.weights)
    analysis = analyse(plan, project.parameters, samples.x)
    return Comparison(
        samples=samples,
        y=analysis.hardware if y is None else y,
        analysis=analysis,
        pytorch=pytorch_results(project, samples.x),
        quality=spec.quality,
        lost=lambda: layer_losses(
            plan, q or unquantised(project.network, project.float_parameters), samples.x
        ),
        remedy=remedy_for(q.settings if q else None, imported=imported),
        quantised=q,
        floats=_floats(q, samples.x) if q else None,
        dtype=plan.elements.value,
        classes=plan.steps[-1].op == "argmax" and plan.y.elements == 1,
    )


def _floats(q: Quantised, x: Values) -> Values:
    """Return the float network's results."""
    *_, (_, y) = float_activations(q.floats, q.float_parameters, x, q.holds)
    return np.asarray(y, np.float32)


def _summary(project: Project, c: Comparison, peak_bytes: int) -> Summary:
    plan = project.plan
    own = own_integers(project, c.samples.x, c.y)
    optional: FurtherParts = {}
    if c.quantised:
        optional["quantisation"] = _quantisation(c)
    if baseline := _processor_baseline(c):
        optional["processor_baseline"] = baseline
    if c.samples.labels is not None:
        optional["confusion"] = _confusion(c)
    return {
        "project": project.name,
        "target": project.target,
        "mode": "emu",
        "produced_by": f"aieloom {__version__}, its own emulator",
        "passed": not c.faults,
        "faults": list(c.faults),
        "golden": {
            "against": AGAINST[c.dtype],
            "max_abs_err": float(c.golden_error.max()),
            "tolerance": GOLDEN_TOLERANCE,
            "bit_exact": bool(np.array_equal(c.y, c.analysis.hardware)),
            "samples": len(c.samples),
        },
        "float64": {
            "against": "the same tables in float64; errors as a part of the peak",
            "unreached_max_err": c.analysis.unreached_error(c.y),
            "reached_share": round(float(c.analysis.reached.mean()), 5),
            "share_within_1e-4": round(c.analysis.share_within(1e-4, c.y), 5),
            "flips": c.analysis.flips,
            "tables": [
                {"layer": t.layer, "values": t.values, "near_a_step": t.near, "flips": t.flips}
                for t in c.analysis.tables
            ],
        },
        "quality": _quality(c) | (own.quality if own else {}),
        "bounds": {k: v for k, v in asdict(c.bounds).items() if v is not None},
        "samples": _rows(c),
        "network_yaml": project.network.spec.source.data,
        "resources": summary.resources(plan),
        "performance": summary.performance(plan),
        "remarks": [*plan.remarks, *([own.line] if own else [])],
        "layers": _layer_errors(project, c),
        **optional,
        "reproduce": reproduce(project),
        "timing_s": stage_times(project.build),
        "peak_memory_bytes": peak_bytes,
    }


def _processor_baseline(c: Comparison) -> Baseline | None:
    """Return what PyTorch takes on this machine; None where it is not installed."""
    if c.pytorch is None:
        return None
    rows: list[BaselineRow] = [
        {"images": n, "seconds": round(s, 7), "images_per_s": round(n / s, 1)}
        for n, s in c.pytorch.times.seconds.items()
    ]
    what = (
        f"measured: PyTorch {version('torch')}, float32, one thread of this machine, median of {CALLS} calls"
    )
    return {"produced_by": what, "machine": machine(), "rows": rows, "noise": c.pytorch.times.noise}


def _layer_errors(project: Project, c: Comparison) -> list[LayerFigures]:
    """Return each layer's error: against PyTorch, of the first samples; without it what narrow types lose."""
    if c.pytorch is None:
        lost = c.losses if c.quantised else ()
        return [{"layer": la.layer, "max_abs_err": None, "sqnr_db": round(la.sqnr_db, 2)} for la in lost]
    errors = layer_errors(
        project.plan,
        project.parameters,
        layer_samples(project, c.samples.x),
        c.pytorch.layers,
        project.shown_layers,
    )
    return [cast(LayerFigures, asdict(e)) for e in errors]


def _confusion(c: Comparison) -> ConfusionCounts:
    """Return how often each class was taken for each; a single score is a yes above one half."""
    assert c.samples.labels is not None
    scores = c.y.reshape(len(c.y), -1)
    chosen = chosen_classes(c.y, classes=c.classes)
    classes = max(scores.shape[1], 2, int(c.samples.labels.max()) + 1, int(chosen.max()) + 1)
    counts = np.zeros((classes, classes), np.int64)
    np.add.at(counts, (c.samples.labels, chosen), 1)
    return {"labels": list(range(classes)), "counts": counts.tolist()}


def _quality(c: Comparison) -> dict[str, float]:
    """Return the means over all samples."""
    quality: dict[str, float] = {}
    expected = c.samples.expected
    if expected is not None and c.samples.bicubic is not None:
        quality["psnr_bicubic_db"] = _mean(psnr(c.samples.bicubic, expected))
        quality["psnr_emulated_db"] = _mean(psnr(c.y, expected))
    if c.torch is not None:
        quality["max_abs_err_pytorch"] = float(np.abs(c.y - c.torch).max())
        if expected is not None:
            quality["psnr_pytorch_db"] = _mean(psnr(c.torch, expected))
    if c.psnr_loss is not None:
        quality["psnr_largest_loss_db"] = round(float(c.psnr_loss.max()), 4)
    quality |= {f"accuracy_{who}": round(value, 5) for who, value in c.accuracies.items()}
    return quality


def _quantisation(c: Comparison) -> Quantisation:
    """Return what the integers lose, layer by layer and end to end."""
    assert c.quantised is not None
    settings = c.quantised.settings
    return {
        "activations": c.dtype,
        "weights": settings.weights,
        "scales": settings.scales,
        "sqnr_db": round(c.losses[-1].sqnr_db, 2),
        "layers": [
            {"layer": la.layer, "sqnr_db": round(la.sqnr_db, 2), "own_sqnr_db": round(la.own_sqnr_db, 2)}
            for la in c.losses
        ],
    }


def _mean(values: Values) -> float:
    return round(float(values.mean()), 4)


def _rows(c: Comparison) -> list[Sample]:
    """Return one entry a sample: its error, and its PSNR where there is a picture to compare with."""
    rows: list[Sample] = [
        {"name": name, "max_abs_err": float(error)}
        for name, error in zip(c.samples.names, c.golden_error, strict=True)
    ]
    expected = c.samples.expected
    if expected is not None and c.samples.bicubic is not None:
        columns = {"psnr_bicubic_db": c.samples.bicubic, "psnr_pytorch_db": c.torch, "psnr_emulated_db": c.y}
        for key, images in columns.items():
            if images is not None:
                for row, value in zip(rows, psnr(images, expected), strict=True):
                    row[key] = round(float(value), 3)
    return rows


def _columns(c: Comparison) -> list[Column]:
    """Return the columns of the sheet of pictures."""
    columns = [Column(title="input", images=c.samples.x, captions=c.samples.names)]
    expected = c.samples.expected
    for title, images in (("bicubic", c.samples.bicubic), ("PyTorch", c.torch), ("emulated", c.y)):
        if images is not None:
            values = psnr(images, expected) if expected is not None else None
            captions = [f"{v:.2f} dB" for v in values] if values is not None else [" "] * len(images)
            columns.append(Column(title=title, images=images, captions=captions))
    return columns if c.y.shape[1] in {1, 3} else columns[:1]


def show(project: Project) -> bool:
    """Print the table of the last run; return whether it passed."""
    folder = project.build / "report"
    s = read_summary(folder)
    console = messages.console()
    console.print(_table(s))
    golden, resources = s["golden"], s["resources"]
    verdict = "[green]PASS[/]" if s["passed"] else "[red]FAIL[/]"
    exact = "bit for bit equal" if golden["bit_exact"] else f"largest error {golden['max_abs_err']:.3g}"
    console.print(
        f"{verdict} {golden['samples']} samples in aieloom's emulator; against the hardware reference: {exact}"
    )
    for fault in s["faults"]:
        console.print(f"  {fault}", markup=False)
    console.print(_quality_line(s["quality"]))
    if "quantisation" in s:
        console.print(_quantisation_line(s["quantisation"]))
    console.print(
        f"{resources['aie_cores']} AIE cores on {resources['aie_tiles']} tiles, "
        f"{resources['plio_in']} + {resources['plio_out']} PLIO in and out"
    )
    performance = s["performance"]
    console.print(
        f"modelled on the board ({performance['produced_by']}, not measured): {performance['latency_us']:.1f} us latency, "
        f"{performance['throughput_fps']:,.0f} images/s with movers and memory, slowest {performance['bottleneck']}"
    )
    for line in performance["rates"]["lines"]:
        console.print(f"  {line}", markup=False)
    for line in performance["rates"]["published"]:
        console.print(line, markup=False)
    for remark in s["remarks"]:
        console.print(remark, markup=False)
    if "tiles" in performance:
        cut = performance["tiles"]
        console.print(f"an image is {cut['of_an_image']} tiles; {cut['halo_share']:.1%} of the work is halo")
    console.print(f"pictures and floor plan: {_relative(project)}/report/index.html", markup=False)
    return bool(s["passed"])


def _relative(project: Project) -> str:
    return (
        f"build/{project.name}/{project.target}" if project.build.parts[-3] == "build" else str(project.build)
    )


def _quality_line(quality: dict[str, float]) -> str:
    parts = [
        f"{k.removesuffix('_db').replace('_', ' ')} {v:.2f} dB"
        for k, v in quality.items()
        if k.endswith("_db")
    ]
    parts += [f"{k.replace('_', ' ')} {v:.4f}" for k, v in quality.items() if k.startswith("accuracy_")]
    if parts:
        return "mean over all: " + ", ".join(parts)
    if "max_abs_err_pytorch" in quality:
        return f"largest difference to PyTorch {quality['max_abs_err_pytorch']:.3g}"
    return "not compared with PyTorch, which is not installed"


def _quantisation_line(q: Quantisation) -> str:
    """Say how much signal is left, and where most is lost."""
    worst = min(q["layers"], key=lambda la: float(la["own_sqnr_db"]))
    scales = f" ({q['scales']})" if q["activations"] in ("int8", "int16") else ""
    return (
        f"{q['activations']}{scales}: {q['sqnr_db']:.1f} dB signal to quantisation noise end to end; "
        f"'{worst['layer']}' loses most by itself ({worst['own_sqnr_db']:.1f} dB)"
    )


def _table(s: Summary) -> Table:
    """Return the samples as a table; the first ones and the worst one when there are many."""
    rows = s["samples"]
    keys = [k for k in ("psnr_bicubic_db", "psnr_pytorch_db", "psnr_emulated_db") if k in rows[0]]
    table = Table(title=f"{s['project']} on {s['target']} ({s['produced_by']})", title_justify="left")
    table.add_column("sample")
    for key in keys:
        table.add_column(key.removeprefix("psnr_").removesuffix("_db") + " dB", justify="right")
    table.add_column("error vs reference", justify="right")
    for row in rows[:SHOWN_ROWS]:
        table.add_row(str(row["name"]), *(f"{row[k]:.2f}" for k in keys), f"{row['max_abs_err']:.1e}")
    if len(rows) > SHOWN_ROWS:
        table.add_row(f"... {len(rows) - SHOWN_ROWS} more in summary.json")
    return table
