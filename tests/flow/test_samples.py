"""What a run is fed, and how pictures are judged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image
from safetensors.numpy import save

from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.emulated_system import EmulatedSystem
from aieloom.flow.opening import open_project
from aieloom.flow.programs import Program
from aieloom.flow.project import Project
from aieloom.flow.samples import labels_of, load_samples, psnr
from aieloom.flow.sim import Column, side_by_side
from tests.designs import network_of, stored_of
from tests.flow.conftest import Folder


def with_pictures(project: Folder, sizes: list[tuple[int, int]], mode: str = "L") -> None:
    (project.path / "data").mkdir()
    for i, size in enumerate(sizes):
        Image.linear_gradient("L").resize(size).convert(mode).save(project.path / "data" / f"p{i}.png")
    with (project.path / "network.yaml").open("a") as f:
        f.write("data: {images: data/*.png}\n")


def test_kernels_of_a_few_images_are_compiled_quickly_and_others_run_quickly(small: Folder) -> None:
    """Half of a first run's time went to optimising kernels for three generated images; a program gets who knows how many."""

    def levels(system: EmulatedSystem) -> set[bool]:
        return {"-O1" in s.unit.options for s in system.steps() if s.name.startswith(("pl_", "host_"))}

    design = design_of(open_project(small.path))
    assert levels(design.emulated) == {True}
    assert levels(Program.of(design).system) == {False}
    with_pictures(small, [(8, 8)])
    assert levels(design_of(open_project(small.path)).emulated) == {False}


def test_pictures_of_the_output_s_size_are_reduced(small: Folder) -> None:
    with_pictures(small, [(16, 16), (16, 16)], mode="RGB")
    samples = load_samples(open_project(small.path))
    assert samples.x.shape == (2, 1, 8, 8)
    assert samples.expected is not None
    assert samples.expected.shape == (2, 1, 16, 16)
    with Image.open(small.path / "data" / "p0.png") as picture:
        expected = np.asarray(picture.convert("L").resize((8, 8), Image.Resampling.BICUBIC), np.float32) / 255
    np.testing.assert_allclose(samples.x[0, 0], expected, atol=1e-6)


def test_pictures_of_the_input_s_size_are_taken_as_they_are(small: Folder) -> None:
    with_pictures(small, [(8, 8)])
    samples = load_samples(open_project(small.path))
    assert samples.expected is None
    assert samples.x.shape == (1, 1, 8, 8)


@pytest.mark.parametrize(
    ("sizes", "words"), [([(9, 8)], "9x8 pixels"), ([(8, 8), (16, 16)], "some pictures"), ([], "no picture")]
)
def test_pictures_that_do_not_fit_are_refused(
    small: Folder, sizes: list[tuple[int, int]], words: str
) -> None:
    with_pictures(small, sizes)
    with pytest.raises(SpecError, match=words):
        load_samples(open_project(small.path))


def test_a_file_that_is_no_picture_is_named(small: Folder) -> None:
    with_pictures(small, [(8, 8)])
    (small.path / "data" / "z.png").write_text("not a picture")
    with pytest.raises(SpecError, match=r"z\.png"):
        load_samples(open_project(small.path))


def test_generated_inputs_repeat(small: Folder) -> None:
    first, second = (load_samples(open_project(small.path)).x for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert len(np.unique(first)) > 500


def test_psnr_is_its_definition() -> None:
    expected = np.zeros((2, 1, 4, 4), np.float32)
    y = np.full((2, 1, 4, 4), 0.1, np.float32)
    y[1] = 0.5
    assert psnr(y, expected) == pytest.approx([20.0, -10 * math.log10(0.25)], abs=1e-4)


def test_the_sheet_holds_every_column(tmp_path: Path) -> None:
    black, white = np.zeros((3, 1, 4, 4), np.float32), np.ones((3, 1, 4, 4), np.float32)
    columns = [
        Column(title="a", images=black, captions=["", "", ""]),
        Column(title="b", images=white, captions=["", "", ""]),
    ]
    side_by_side(columns, ["x", "y", "z"], tmp_path / "sheet.png")
    with Image.open(tmp_path / "sheet.png") as sheet:
        pixels = np.asarray(sheet.convert("L"))
    middle = pixels[26 + 64]  # through the first row of images
    assert (middle[12:140] == 0).all()
    assert (middle[12 + 140 : 12 + 268] == 255).all()


FOUR_CLASSES = """\
name: four
target: vck190
weights: w.safetensors
input: {name: x, shape: [6]}
layers:
  - {name: fc, op: dense, out_features: 4}
data: {samples: test.npz}
"""
LABELS = st.one_of(
    arrays.arrays(np.int64, 5, elements=st.integers(-1, 4)),
    arrays.arrays(
        np.float64, 5, elements=st.sampled_from([0.0, 1.0, 3.0, 0.5, 4.0, -1.0, 1e6, np.nan, np.inf, 1e300])
    ),
    arrays.arrays(arrays.scalar_dtypes(), 5),
)


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("four")
    (folder / "network.yaml").write_text(FOUR_CLASSES)
    (folder / "w.safetensors").write_bytes(save(stored_of(network_of(FOUR_CLASSES))))
    return open_project(folder)


@settings(max_examples=150, deadline=None)
@given(LABELS)
def test_labels_are_classes_or_refused(four: Project, labels: NDArray[Any]) -> None:
    np.savez(four.folder / "test.npz", x=np.zeros((5, 6), np.float32), labels=labels)
    try:
        found = load_samples(four).labels
    except SpecError as e:
        assert "'labels' has" in str(e)
        assert labels.dtype.kind not in "biuf" or not np.isin(labels, range(4)).all()
        return
    assert found is not None
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, labels.astype(float))
    assert np.isin(found, range(4)).all()


@pytest.mark.parametrize("label", [0.5, -1, 10**6, 2.0**63, "a", None])
def test_a_label_that_is_none_is_refused_before_anything_is_counted(label: Any) -> None:
    with pytest.raises(SpecError, match="'labels' has"):
        labels_of(np.array([0, 1, label], object if label is None else None), 3, 4, "test.npz")
