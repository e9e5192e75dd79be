"""What a run is fed: a project's pictures, or seeded numbers where it has none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from aieloom.errors import Problem, SpecError
from aieloom.flow.project import Project
from aieloom.flow.quantised import read_samples

Values = NDArray[np.float32]
GENERATED = 16  # samples when a project has no pictures


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Inputs `(n, channels, height, width)` in [0, 1] for pictures.

    For networks that enlarge, `expected` are the pictures themselves and `bicubic` what interpolation makes of the input.
    """

    names: tuple[str, ...]
    x: Values
    expected: Values | None = None
    bicubic: Values | None = None
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
        given = project.network.x
        shape = (GENERATED, *given.outside)
        x = given.to_inside(np.random.default_rng(spec.seed).uniform(-1, 1, shape).astype(np.float32))
        return Samples(names=tuple(f"generated {i}" for i in range(GENERATED)), x=x)
    if project.samples:
        return _named(read_samples(project.samples, project.network.x))
    if not files:
        text = f"no picture matches '{spec.data.images}'"
        remedy = (
            "put pictures there (doit train writes its test crops), or remove 'data:' for generated inputs"
        )
        raise SpecError(spec.source.problem("data", ("data", "images"), text, remedy))
    return _read(project, files)


def _named(arrays: dict[str, NDArray[np.float32]]) -> Samples:
    x, labels = arrays["x"], arrays.get("labels")
    if labels is not None and labels.shape != (len(x),):
        text = f"'labels' has the shape {labels.shape} for {len(x)} samples"
        raise SpecError(Problem(rule="data", text=text, remedy="give each sample a class"))
    classes = None if labels is None else labels.astype(np.int64)
    return Samples(names=tuple(f"sample {i}" for i in range(len(x))), x=x, labels=classes)


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
                Problem(
                    rule="data", file=str(file), text=text, remedy="crop it or leave it out of 'data: images'"
                )
            )
    if pictures and len(pictures) != len(inputs):
        text = "some pictures have the size of the input, others that of the output"
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
        raise SpecError(
            Problem(rule="data", file=str(file), text=text, remedy="remove 'data:' from network.yaml")
        )
    try:
        with Image.open(file) as picture:
            return picture.convert(modes[channels])
    except (
        Exception
    ) as e:  # Pillow raises many kinds for damaged files: OSError, SyntaxError, struct.error ...
        raise SpecError(
            Problem(
                rule="data",
                file=str(file),
                text=f"not a readable picture: {e}",
                remedy="save it again as PNG",
            )
        ) from e


def _values(picture: Image.Image) -> Values:
    values = np.asarray(picture, np.float32) / np.float32(255)
    return values[None] if values.ndim == 2 else np.ascontiguousarray(values.transpose(2, 0, 1))


def psnr(y: Values, expected: Values) -> Values:
    """Return the peak signal-to-noise ratio of each image in dB, for values in [0, 1]."""
    error = ((np.clip(y, 0, 1).astype(np.float64) - expected) ** 2).reshape(len(y), -1).mean(axis=1)
    with np.errstate(divide="ignore"):
        return np.asarray(-10 * np.log10(error), np.float32)
