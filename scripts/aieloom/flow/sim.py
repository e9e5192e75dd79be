"""`doit sim`: run the samples through the emulated system, compare with the references, keep it in numbers and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import cast

import numpy as np
from PIL import Image, ImageDraw

from aieloom.arrays import Floats
from aieloom.emit.files import write_bytes, write_text
from aieloom.flow.batch import Run
from aieloom.flow.designs import Design
from aieloom.flow.judged import Comparison, judged
from aieloom.flow.pytorch import CALLS, machine
from aieloom.flow.quality import check_measurable, chosen_classes
from aieloom.flow.reproduce import reproduce
from aieloom.flow.samples import load_samples, psnr
from aieloom.flow.timing import record, stage_times
from aieloom.flow.tool_runs import RESULT, pictures, write_summary
from aieloom.progress import working
from aieloom.reference.results import Analysis
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
from aieloom.version import __version__


def simulate(design: Design, run: Callable[[Floats], Run] | None = None) -> None:
    """Run all samples, write the result, summary.json and images.png.

    `run` takes the samples through the emulated system; by default it runs what is linked in the build folder.

    Raises:
        RunFailed: the emulated system refuses or fails.
        SpecError: the samples cannot be used.
    """
    project = design.project
    samples = load_samples(project)
    check_measurable(project.network.spec, samples)
    with working(f"emulating {len(samples)} samples"):
        done = (run or design.emulated.run)(samples.x)
    record(project.build, "run", done.seconds)
    with working("computing the reference"):
        compared = judged(design, samples, done.y)
    folder = project.build / "report"
    for name in pictures(project):
        side_by_side(_columns(compared), samples.names, folder / name)
    write_text(folder / RESULT, json.dumps(_summary(design, compared, done), indent=1) + "\n")
    write_summary(project)


def _summary(design: Design, c: Comparison, run: Run) -> Summary:
    project = design.project
    own = None
    if c.quantised:
        from aieloom.flow.own_integers import own_integers  # noqa: PLC0415 - of models that came quantised

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
            "against": design.against,
            "max_abs_err": float(c.golden_error.max()),
            "tolerance": c.tolerance,
            "bit_exact": not c.golden_error.any(),
            "samples": len(c.samples),
        },
        **_float64(c),
        "quality": _quality(c) | (own.quality if own else {}),
        "bounds": {k: v for k, v in asdict(c.bounds).items() if v is not None},
        "samples": _rows(c),
        "network_yaml": project.network.spec.source.data,
        "resources": design.resources(),
        "performance": {
            **design.performance(),
            "emulated_s_per_image": round(run.seconds / len(c.samples), 3),
            "emulated_peak_mb": round(run.peak_bytes / 1e6, 1),
        },
        "remarks": [*design.remarks, *([own.line] if own else [])],
        "layers": _layer_errors(c),
        **optional,
        "reproduce": reproduce(project),
        "timing_s": stage_times(project.build),
        "peak_memory_bytes": run.peak_bytes,
    }


def _float64(c: Comparison) -> FurtherParts:
    """Return what rounding does to tables of floats, and that it does nothing to integers; of other floats nothing is known."""
    if c.analysis is None and c.quantised is None:
        return {}
    found = c.analysis or Analysis.of_exact(c.hardware)
    return {
        "float64": {
            "against": "the same tables in float64; errors as a part of the peak",
            "unreached_max_err": found.unreached_error(c.y),
            "reached_share": round(float(found.reached.mean()), 5),
            "share_within_1e-4": round(found.share_within(1e-4, c.y), 5),
            "flips": found.flips,
            "tables": [
                {"layer": t.layer, "values": t.values, "near_a_step": t.near, "flips": t.flips}
                for t in found.tables
            ],
        }
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


def _layer_errors(c: Comparison) -> list[LayerFigures]:
    """Return each layer's error: against PyTorch, of the first samples; without it what narrow types lose."""
    if c.pytorch is None:
        lost = c.losses if c.quantised else ()
        return [{"layer": la.layer, "max_abs_err": None, "sqnr_db": round(la.sqnr_db, 2)} for la in lost]
    return [cast(LayerFigures, asdict(e)) for e in c.errors]


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
        quality["peak_pytorch"] = float(np.abs(c.torch).max())
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


def _mean(values: Floats) -> float:
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


TILE = 128  # pixels of the longer side of one image
GAP, TITLE, CAPTION = 12, 26, 18
ROWS = 24  # samples shown


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: a title, images `(n, channels, height, width)` in [0, 1], and a caption for each."""

    title: str
    images: Floats
    captions: Sequence[str]


def side_by_side(columns: Sequence[Column], names: Sequence[str], path: Path) -> None:
    """Write the sheet as PNG.

    Raises:
        SpecError: the place cannot be written.
    """
    rows = min(ROWS, len(names))
    per_row = max(1, 4 if len(columns) <= 2 else 2)  # samples beside each other
    lines = -(-rows // per_row)
    cell_w, cell_h = TILE + GAP, TILE + GAP + CAPTION
    block = len(columns) * cell_w + 2 * GAP
    sheet = Image.new("RGB", (per_row * block + GAP, TITLE + lines * cell_h + GAP), "white")
    draw = ImageDraw.Draw(sheet)
    for i in range(rows):
        left, top = GAP + i % per_row * block, TITLE + i // per_row * cell_h
        for c, column in enumerate(columns):
            x = left + c * cell_w
            if i < per_row:
                draw.text((x, 8), column.title, fill="black")
            sheet.paste(_image(column.images[i]), (x, top))
            draw.text((x, top + TILE + 2), column.captions[i] or (names[i] if c == 0 else ""), fill="#444444")
    data = BytesIO()
    sheet.save(data, format="PNG")
    write_bytes(path, data.getvalue())


def _image(values: Floats) -> Image.Image:
    pixels = (np.clip(values, 0, 1) * 255 + 0.5).astype(np.uint8)
    picture = (
        Image.fromarray(pixels[0], "L")
        if len(pixels) == 1
        else Image.fromarray(pixels.transpose(1, 2, 0), "RGB")
    )
    scale = TILE / max(picture.size)
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture.convert("RGB").resize(size, Image.Resampling.NEAREST)
