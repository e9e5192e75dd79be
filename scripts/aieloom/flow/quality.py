"""Is a run good enough? Its losses against the bounds of `quality:`, in sentences that name the layer to mend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.errors import SpecError
from aieloom.flow.samples import Samples
from aieloom.spec.network import NetworkSpec
from aieloom.spec.quality import Bounds, QualitySpec
from aieloom.spec.quantize import QuantizeSpec

if TYPE_CHECKING:
    from aieloom.quantize.loss import LayerLoss

NEEDS = {  # of a bound: what samples must have, and what gives them that
    "min_psnr_db": ("pictures of the output's size", "name such pictures in 'data: images'"),
    "max_psnr_loss_db": ("pictures of the output's size", "name such pictures in 'data: images'"),
    "max_accuracy_loss": ("labels", "add an array 'labels' to the file of 'data: samples'"),
}


def check_measurable(spec: NetworkSpec, samples: Samples) -> None:
    """Refuse bounds that the project's samples cannot be held to.

    Raises:
        SpecError: there are some; each is named on its line.
    """
    has = {
        "min_psnr_db": samples.expected is not None,
        "max_psnr_loss_db": samples.expected is not None,
        "max_accuracy_loss": samples.labels is not None,
    }
    said = [key for key, there in has.items() if getattr(spec.quality, key) is not None and not there]
    if said:
        raise SpecError(
            spec.source.problem(
                "quality",
                ("quality", key),
                f"{key} cannot be measured: the samples have no {NEEDS[key][0]}",
                f"{NEEDS[key][1]}, or leave {key} out",
            )
            for key in said
        )


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a run gives of what the bounds are about; None or nothing where there is nothing to compare with."""

    names: Sequence[str]  # of the samples
    psnr: Values | None  # of each picture, in dB
    psnr_loss: Values | None  # against the float network
    accuracies: Mapping[str, float]
    losses: Callable[[], tuple[LayerLoss, ...]]  # asked for when they are needed


def faults(found: Measured, quality: QualitySpec, bounds: Bounds, remedy: str) -> tuple[str, ...]:
    """Return a sentence for each bound that a run breaks: the figures, the layer that loses most, what helps."""
    broken = [*_pictures(found, quality, bounds), *_layers(found, bounds), *_labels(found, bounds)]
    return tuple(f"{text}; {blamed(found.losses())}; {remedy}" for text in broken)


def blamed(losses: Sequence[LayerLoss]) -> str:
    """Name the layer that loses most by itself, with its figures."""
    worst = min(losses, key=lambda la: la.own_sqnr_db)
    return f"the layer that loses most by itself is '{worst.layer}' ({worst.own_sqnr_db:.1f} dB)"


def _pictures(found: Measured, quality: QualitySpec, bounds: Bounds) -> Iterator[str]:
    least, most = bounds.min_psnr_db, bounds.max_psnr_loss_db
    if found.psnr is not None and least is not None and not (mean := float(found.psnr.mean())) >= least:
        lowest = int(found.psnr.argmin())
        yield (
            f"the pictures' mean PSNR is {mean:.2f} dB, min_psnr_db is {least:g}; lowest {found.names[lowest]}: "
            f"{float(found.psnr[lowest]):.2f} dB"
        )
    loss = found.psnr_loss
    if loss is not None and not float(loss.max()) <= most:
        worst = int(np.nan_to_num(loss, nan=np.inf).argmax())
        yield (
            f"{int((~(loss <= most)).sum())} of {len(loss)} pictures lose more than max_psnr_loss_db {most:g} against the "
            f"float network; worst {found.names[worst]}: {float(loss[worst]):.2f} dB"
        )
    if found.psnr is not None and loss is None and quality.max_psnr_loss_db is not None:
        yield "max_psnr_loss_db is not measured: PyTorch, whose result is the float network's, is not installed"


def _layers(found: Measured, bounds: Bounds) -> Iterator[str]:
    if bounds.min_sqnr_db is None:
        return
    for loss in found.losses():
        if not loss.sqnr_db >= bounds.min_sqnr_db:
            yield (
                f"layer '{loss.layer}': quantisation leaves {loss.sqnr_db:.1f} dB signal to noise, min_sqnr_db is "
                f"{bounds.min_sqnr_db:g}"
            )
            return  # what follows has this noise too


def _labels(found: Measured, bounds: Bounds) -> Iterator[str]:
    a = found.accuracies
    if "float" in a and not a["float"] - a["emulated"] <= bounds.max_accuracy_loss:
        yield (
            f"accuracy {a['emulated']:.4f} instead of {a['float']:.4f} with float weights, "
            f"max_accuracy_loss is {bounds.max_accuracy_loss:g}"
        )


def remedy_for(settings: QuantizeSpec | None, *, imported: bool) -> str:
    """Return what makes a design lose less; `settings` are those of a quantised one, `imported` ones its model's own."""
    raised = "or change the bound under quality:"
    if imported:
        return f"quantise the model again, calibrated on typical inputs, {raised}"
    if settings is None:
        return f"give tables more entries (mapping: {{NAME: {{lut: {{entries: ...}}}}}}), {raised}"
    if settings.calibration is None:
        return f"use a wider type, {raised}"
    better = ["calibrate on typical inputs"]
    if settings.method != "mse":
        better.append("method: mse")
    if settings.per_channel is False and settings.scales != "power_of_two":
        better.append("per_channel: true")
    if settings.activations == "int8":
        better.append("activations and weights: int16")
    return f"{', '.join(better)}, {raised}"


def chosen_classes(scores: Values, *, classes: bool = False) -> NDArray[np.int64]:
    """Return the class of each sample: the largest score's, 1 for a single score above one half, or the result itself."""
    flat = scores.reshape(len(scores), -1)
    if classes:
        return np.asarray(np.rint(flat[:, 0]), np.int64)
    return np.asarray(flat.argmax(axis=1) if flat.shape[1] > 1 else flat[:, 0] > 0.5, np.int64)


def accuracy(scores: Values, labels: Values, *, classes: bool = False) -> float:
    """Return the share of samples whose class is their label; `classes` tells that results are classes, not scores."""
    return float((chosen_classes(scores, classes=classes) == labels.reshape(-1)).mean())
