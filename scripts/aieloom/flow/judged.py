"""How good a run's results are: beside the reference, PyTorch, the float network, and what `quality:` asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from aieloom.arrays import Floats, Values
from aieloom.flow.designs import Design
from aieloom.flow.pytorch import PytorchResults, pytorch_results
from aieloom.flow.quality import Measured, accuracy, check_measurable, remedy_for
from aieloom.flow.quality import faults as broken_bounds
from aieloom.flow.samples import Samples, psnr
from aieloom.network.readers.models import is_quantised_model
from aieloom.reference.evaluated import Evaluated
from aieloom.reference.layerwise import LayerError, difference
from aieloom.reference.results import Analysis
from aieloom.spec.quality import Bounds, QualitySpec
from aieloom.spec.types import DataType

if TYPE_CHECKING:
    from aieloom.quantize.loss import LayerLoss, LossMeter
    from aieloom.quantize.network import Quantised


TOGETHER = 1 << 26  # values of all layers' outputs for which there is memory, each 8 bytes
Evaluate = Callable[[Values], Iterator[Evaluated]]


@dataclass(frozen=True, kw_only=True)
class Walk:
    """What a walk through all layers gives.

    Attributes:
        y: the results `(n, channels, height, width)`, of integers what they mean.
        losses: what integers lose, of each layer; none where it was not asked for.
        errors: how far layers are from the outputs that were wanted.
    """

    y: Floats
    losses: tuple[LayerLoss, ...] = ()
    errors: tuple[LayerError, ...] = ()


def walked(
    evaluate: Evaluate,
    x: Values,
    *,
    q: Quantised | None = None,
    wanted: Mapping[str, Values] | None = None,
    shown: Mapping[str, str] | None = None,
) -> Walk:
    """Walk through the layers of a design, with `x` `(n, channels, height, width)`.

    Args:
        evaluate: gives the layers of a batch.
        x: the samples.
        q: the network whose losses are asked for.
        wanted: outputs of layers for the first samples, by name.
        shown: which layer's output an integer layer gives.
    """
    meter, errors, results = _meter(q) if q else None, [], []
    size = max(1, TOGETHER // q.floats.values) if q else len(x)
    for begin in range(0, len(x), size):
        batch = x[begin : begin + size]
        see = meter.batch(batch) if meter else None
        for layer in evaluate(batch):
            if see:
                see(layer)
            name = (shown or {}).get(layer.name, layer.name)
            if begin == 0 and wanted and name in wanted:
                error = _compared(name, layer.made.meaning, wanted[name])
                errors += [error] if error else []
        results.append(layer.made.meaning)
    return Walk(
        y=np.concatenate(results).astype(np.float32, copy=False),
        losses=meter.losses if meter else (),
        errors=tuple(errors),
    )


def _meter(q: Quantised) -> LossMeter:
    from aieloom.quantize.loss import LossMeter  # noqa: PLC0415 - where losses are asked for

    return LossMeter(q)


def _compared(name: str, found: Values, wanted: Values) -> LayerError | None:
    """Compare a layer's output for the first samples; None where the other one has another number of values."""
    first = found[: len(wanted)]
    return difference(name, first, wanted) if first.size == wanted.size else None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Everything a run is judged by."""

    samples: Samples
    y: Floats
    hardware: Floats  # what the reference gives
    tolerance: float  # the largest absolute error against it that counts as agreement
    pytorch: PytorchResults | None  # None where it is not installed
    quality: QualitySpec
    lost: Callable[[], tuple[LayerLoss, ...]]  # by each layer; of float32 computed when something asks
    errors: tuple[LayerError, ...]  # of each layer, against PyTorch; none where it is not installed
    remedy: str  # what makes the design lose less
    analysis: Analysis | None = None  # what rounding can make of the results, where it is known
    quantised: Quantised | None = None
    floats: Floats | None = None  # of a quantised network: what the float one gives
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
    def torch(self) -> Floats | None:
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
        results["quantised" if self.quantised else "reference"] = self.hardware
        results["emulated"] = self.y
        return {who: accuracy(y, labels, classes=self.classes) for who, y in results.items()}

    @property
    def golden_error(self) -> Floats:
        """Largest absolute error of each sample against the reference; NaN counts as infinite, where the reference has none."""
        with np.errstate(invalid="ignore"):  # an infinity less itself
            error = np.abs(self.y.astype(np.float64) - self.hardware)
        bits = [np.ascontiguousarray(v, np.float32).view(np.uint32) for v in (self.y, self.hardware)]
        error = np.where(bits[0] == bits[1], 0.0, np.nan_to_num(error, nan=np.inf))
        return np.asarray(error.reshape(len(self.samples), -1).max(axis=1), np.float32)

    @property
    def psnr(self) -> Floats | None:
        """Each picture's PSNR in dB; None without pictures to compare with."""
        return None if self.samples.expected is None else psnr(self.y, self.samples.expected)

    @property
    def psnr_loss(self) -> Floats | None:
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
        wrong = [i for i, error in enumerate(self.golden_error) if not error <= self.tolerance]
        if wrong:
            worst = max(wrong, key=lambda i: float(self.golden_error[i]))
            found.append(
                f"{len(wrong)} of {len(self.samples)} samples differ from the reference by more than "
                f"{self.tolerance:g}; worst {self.samples.names[worst]}: {self.golden_error[worst]:.3g}"
            )
        return tuple(found)


def judged(design: Design, samples: Samples, y: Floats | None = None) -> Comparison:
    """Return how good results `y` of the samples are; without any, how good the reference's are."""
    project = design.project
    q, network = project.quantised, project.network
    check_measurable(network.spec, samples)
    pytorch = pytorch_results(project, samples.x)
    lost: Callable[[], tuple[LayerLoss, ...]] = partial(_losses, design, samples.x)
    analysis = design.analysis(samples.x)
    if analysis is None:
        walk = walked(
            design.evaluated,
            samples.x,
            q=q,
            wanted=pytorch.layers if pytorch else None,
            shown=project.shown_layers,
        )
        hardware, errors = walk.y, walk.errors
        lost = (lambda: walk.losses) if q else lost
    else:
        hardware, errors = analysis.hardware, _errors(design, samples.x, pytorch)
    dtype = project.elements or DataType.FLOAT32
    return Comparison(
        samples=samples,
        y=hardware if y is None else y,
        hardware=hardware,
        tolerance=design.emulated_tolerance,
        pytorch=pytorch,
        quality=network.spec.quality,
        lost=lost,
        errors=errors,
        remedy=remedy_for(q.settings if q else None, imported=is_quantised_model(project.weights)),
        analysis=analysis,
        quantised=q,
        floats=_floats(q, samples.x) if q else None,
        dtype=dtype.value,
        classes=network.layers[-1].op == "argmax" and network.y.elements == 1,
    )


def _losses(design: Design, x: Floats) -> tuple[LayerLoss, ...]:
    """Return what each layer loses: of floats, what their tables lose."""
    from aieloom.quantize.network import unquantised  # noqa: PLC0415 - of floats most ask for none

    project = design.project
    q = project.quantised or unquantised(project.network, project.float_parameters)
    return walked(design.evaluated, x, q=q).losses


def _errors(design: Design, x: Floats, pytorch: PytorchResults | None) -> tuple[LayerError, ...]:
    """Return how far each layer is from PyTorch's, for the first samples."""
    if pytorch is None:
        return ()
    project = design.project
    some = project.layer_samples(x)
    return walked(design.evaluated, some, wanted=pytorch.layers, shown=project.shown_layers).errors


def _floats(q: Quantised, x: Floats) -> Floats:
    """Return the float network's results."""
    from aieloom.quantize.floats import float_activations  # noqa: PLC0415 - networks of integers alone

    *_, (_, y) = float_activations(q.floats, q.float_parameters, x, q.holds)
    return np.asarray(y, np.float32)
