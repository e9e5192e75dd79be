"""Sizes in the configuration of a Keras file that are none, or huge: a refusal by layer, never another exception."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.flow.onnx_project import onnx_project_files
from tests.heavy import later

os.environ.setdefault("KERAS_BACKEND", "torch")
h5py, keras, L = later("h5py"), later("keras"), later("keras.layers")
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
SIZES = """cropping depth_multiplier dilation_rate filters groups kernel_size pool_size size strides units""".split()  # noqa: SIM905
NONE: tuple[Any, ...] = (0, -1, -(2**40), 10**30, 1.5, "3", True, {})
LARGE = (7, 2**16, 2**20, 2**28, 2**31, 2**40)


def layers() -> Any:
    """Return a network with every kind of size that a layer has."""
    return keras.Sequential(
        [
            keras.Input((12, 10, 4)),
            L.Conv2D(8, 3, groups=2, padding="same"),
            L.ZeroPadding2D(1),
            L.Cropping2D(1),
            L.DepthwiseConv2D(3, depth_multiplier=2),
            L.SeparableConv2D(6, 3),
            L.MaxPooling2D(2),
            L.UpSampling2D(2),
            L.Conv2DTranspose(4, 3),
            L.Reshape((80, 4)),
            L.Conv1D(5, 3, dilation_rate=2),
            L.AveragePooling1D(2),
            L.TimeDistributed(L.Dense(3)),
            L.Flatten(),
            L.Dense(4),
        ]
    )


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    file = tmp_path_factory.mktemp("keras") / "net.keras"
    layers().save(file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def numbers(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of a configuration's numbers."""
    if isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from numbers(value, (*path, key))
    elif isinstance(node, int | float):
        yield path


def refusal(members: dict[str, bytes], place: tuple[Any, ...], value: object, folder: Path) -> str:
    """Return what is said of a file with another value at a place; nothing where it is taken."""
    config = json.loads(members["config.json"])
    at = config
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    with zipfile.ZipFile(folder / "bad.keras", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, json.dumps(config) if name == "config.json" else data)
    try:
        onnx_project_files(folder / "bad.keras", "net", "vck190")
    except SpecError as e:
        return str(e)
    return ""


def test_what_is_no_size_is_refused_by_its_key(members: dict[str, bytes], tmp_path: Path) -> None:
    config = json.loads(members["config.json"])
    places = [p for p in numbers(config) if any(key in SIZES for key in p[-4:]) and "build_config" not in p]
    assert {key for p in places for key in p} >= set(SIZES)
    for i, place in enumerate(places):
        key = next(k for k in place if k in SIZES)
        for value in NONE[i % 4 :: 4]:
            if key == "cropping" and value == 0:
                continue
            said = refusal(members, place, value, tmp_path)
            assert f"has {key} " in said or "configuration cannot be read" in said, (place, value, said)


def test_other_numbers_are_taken_or_refused(members: dict[str, bytes], tmp_path: Path) -> None:
    random, refused = np.random.default_rng(8), 0
    places = [p for p in numbers(json.loads(members["config.json"])) if "build_config" not in p]
    for at in random.permutation(len(places))[:50]:
        value = (*LARGE, *NONE)[random.integers(len(LARGE) + len(NONE))]
        refused += bool(refusal(members, places[at], value, tmp_path))
    assert refused > 10


def test_arrays_of_other_shapes_are_refused(members: dict[str, bytes], tmp_path: Path) -> None:
    random, name = np.random.default_rng(2), "model.weights.h5"
    with h5py.File(io.BytesIO(members[name]), "r") as file:
        found: dict[str, tuple[int, ...]] = {}
        file.visititems(lambda n, a: found.update({n: a.shape}) if isinstance(a, h5py.Dataset) else None)
    assert len(found) > 10
    for place, right in found.items():
        near = [right[::-1], (*right, 1), right[1:], (*right[:-1], right[-1] + 1), (0, *right[1:]), ()]
        others = [s for s in near if s != right]
        for shape in (
            others[random.integers(len(others))],
            tuple(random.integers(0, 6, random.integers(1, 6))),
        ):
            data = io.BytesIO(members[name])
            with h5py.File(data, "r+") as file:
                del file[place]
                file[place] = np.full(shape, 0.1, np.float32)
            said = refusal({**members, name: data.getvalue()}, ("name",), "net", tmp_path)
            assert "fix: " in said or shape == right, (place, shape)
