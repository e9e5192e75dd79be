"""What a run is fed: a project's pictures, or seeded numbers where it has none."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from aieloom.arrays import Floats
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.network.layers import Network
from aieloom.spec.network import MASK

GENERATED = 16  # samples when a project has no pictures


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Inputs `(n, channels, height, width)` in [0, 1] for pictures.

    For networks that enlarge, `expected` are the pictures themselves and `bicubic` what interpolation makes of the input.
    """

    names: tuple[str, ...]
    x: Floats
    expected: Floats | None = None
    bicubic: Floats | None = None
    labels: NDArray[np.int64] | None = None  # classes, where a file of samples has them

    def __len__(self) -> int:
        return len(self.names)


def load_samples(project: Project) -> Samples:
    """Return what `doit sim` runs.

    Raises:
        SpecError: a picture cannot be read or has neither the input's nor the output's size.
    """
    files = project.images
    spec = project.network.spec
    if spec.data is None:
        x = _generated(project.network)
        return Samples(names=tuple(f"generated {i}" for i in range(GENERATED)), x=x)
    if project.samples:
        from aieloom.flow.sample_file import read_samples  # noqa: PLC0415 - most projects name none

        return _named(project, project.samples.name, read_samples(project.samples, project.network))
    if not files:
        text = f"no picture matches '{spec.data.images}'"
        remedy = (
            "put pictures there (doit train writes its test crops), or remove 'data:' for generated inputs"
        )
        raise SpecError(spec.source.problem("data", ("data", "images"), text, remedy))
    return _read(project, files)


def _generated(network: Network) -> Floats:
    """Return seeded samples: from -1 to 1, or whole numbers below what an input says.

    Of an input of 0 and 1 they are as a padded sequence's mask: ones, then zeros, of every sample another number.
    """
    random, inputs = np.random.default_rng(network.spec.seed), network.spec.graph_inputs
    found = {}
    for given in inputs:
        shape = (GENERATED, *(given.shape if len(inputs) > 1 else network.x.outside))
        if given.below == MASK:
            flat = np.arange(prod(shape[1:])) < random.integers(1, prod(shape[1:]) + 1, (GENERATED, 1))
            found[given.name] = flat.astype(np.float32).reshape(shape)
        elif given.below:
            found[given.name] = random.integers(0, given.below, shape).astype(np.float32)
        else:
            found[given.name] = random.uniform(-1, 1, shape).astype(np.float32)
    from aieloom.network.inputs import taken_record  # noqa: PLC0415 - where there is no other sample

    return taken_record(found, network.x, inputs)


def _named(project: Project, file: str, arrays: dict[str, NDArray[Any]]) -> Samples:
    x, given = arrays["x"], arrays.get("labels")
    labels = None if given is None else labels_of(given, len(x), class_count(project.network), file)
    return Samples(names=tuple(f"sample {i}" for i in range(len(x))), x=x, labels=labels)


def class_count(network: Network) -> int:
    """Return how many classes a network tells apart: a single score is a yes or a no, an argmax chooses a channel."""
    last = network.layers[-1]
    if last.op == "argmax" and last.y.elements == 1:
        return last.x.shape[0]
    return max(network.y.elements, 2)


def labels_of(given: NDArray[Any], count: int, classes: int, file: str) -> NDArray[np.int64]:
    """Return labels as classes.

    Raises:
        SpecError: there is not one for each sample, or one that is no class of the network.
    """

    def refuse(text: str, remedy: str) -> SpecError:
        return SpecError(rule="data", file=file, text=text, remedy=remedy)

    if given.shape != (count,):
        raise refuse(f"'labels' has the shape {given.shape} for {count} samples", "give each sample a class")
    if given.dtype.kind not in "biuf":
        raise refuse(
            f"'labels' has elements of type {given.dtype}", f"give numbers of classes, 0 to {classes - 1}"
        )
    with np.errstate(invalid="ignore"):  # an infinity has no remainder
        whole = given % 1 == 0 if given.dtype.kind == "f" else np.ones(count, bool)
    bad = given[~((given >= 0) & (given < classes) & whole)]
    if len(bad):
        text = f"'labels' has {len(bad)} of {count} values that are no class, the first is {bad[0]}"
        raise refuse(text, f"the network gives {classes} classes: label them 0 to {classes - 1}")
    return given.astype(np.int64)


def _read(project: Project, files: tuple[Path, ...]) -> Samples:
    x_shape, y_shape = project.network.x.shape, project.network.y.shape
    enlarges = y_shape[0] == x_shape[0] and y_shape[1:] != x_shape[1:]
    inputs, pictures, bicubics = [], [], []
    for file in files:
        picture = _open(file, x_shape[0])
        size = (picture.height, picture.width)
        if enlarges and size == y_shape[1:]:
            small = picture.resize((x_shape[2], x_shape[1]), Image.Resampling.BICUBIC)
            inputs.append(_values(small))
            pictures.append(_values(picture))
            bicubics.append(_values(small.resize((y_shape[2], y_shape[1]), Image.Resampling.BICUBIC)))
        elif size == x_shape[1:]:
            inputs.append(_values(picture))
        else:
            sizes = " or ".join(
                f"{w}x{h}" for h, w in dict.fromkeys((x_shape[1:], *([y_shape[1:]] if enlarges else [])))
            )
            text = f"is {picture.width}x{picture.height} pixels; the network takes {sizes}"
            raise SpecError(
                rule="data", file=str(file), text=text, remedy="crop it or leave it out of 'data: images'"
            )
    if pictures and len(pictures) != len(inputs):
        count = f"{len(pictures)} and {len(inputs) - len(pictures)} of {len(inputs)}"
        text = f"some pictures have the size of the output, others that of the input: {count}"
        raise SpecError(
            project.network.spec.source.problem("data", ("data", "images"), text, "use one size for all")
        )
    return Samples(
        names=tuple(f.stem for f in files),
        x=np.stack(inputs),
        expected=np.stack(pictures) if pictures else None,
        bicubic=np.stack(bicubics) if bicubics else None,
    )


def _open(file: Path, channels: int) -> Image.Image:
    modes = {1: "L", 3: "RGB"}
    if channels not in modes:
        text = f"pictures have 1 or 3 channels, the network's input has {channels}"
        raise SpecError(rule="data", file=str(file), text=text, remedy="remove 'data:' from network.yaml")
    try:
        with Image.open(file) as picture:
            return picture.convert(modes[channels])
    except (
        Exception
    ) as e:  # Pillow raises many kinds for damaged files: OSError, SyntaxError, struct.error ...
        raise SpecError(
            rule="data", file=str(file), text=f"not a readable picture: {e}", remedy="save it again as PNG"
        ) from e


def _values(picture: Image.Image) -> Floats:
    values = np.asarray(picture, np.float32) / np.float32(255)
    return values[None] if values.ndim == 2 else np.ascontiguousarray(values.transpose(2, 0, 1))


def psnr(y: Floats, expected: Floats) -> Floats:
    """Return the peak signal-to-noise ratio of each image in dB, for values in [0, 1]."""
    error = ((np.clip(y, 0, 1).astype(np.float64) - expected) ** 2).reshape(len(y), -1).mean(axis=1)
    with np.errstate(divide="ignore"):
        return np.asarray(-10 * np.log10(error), np.float32)
