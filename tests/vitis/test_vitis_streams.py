"""What the array's streams carry: against a scalar definition of the convolution, and compared without mercy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.vitis import simdata
from tests.vitis.conftest import Folder


@pytest.fixture
def project(small: Folder) -> Project:
    return open_project(small.path, build=small.path / "build")


@pytest.fixture
def image() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.random.default_rng(5).uniform(-1, 1, (8, 8, 8)).astype(np.float32)


def test_inputs_are_the_windows_of_the_image(
    project: Project, image: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
) -> None:
    made = simdata.streams(project.array, project.parameters, image)
    grid = project.array.aie[0].grid
    first = [s for s in made if s.plio.layer == "first" and s.plio.is_input]
    assert len(first) == grid.groups
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    _, k, n = grid.mmul
    for stream in first:
        values = iter(stream.values.tolist())
        for round_ in range(grid.rounds):
            for _pass in range(grid.passes):
                for nb in range(grid.tile_n // n):
                    for kb in range(grid.tile_k // k):
                        for i in range(k):
                            for j in range(n):
                                row = _pass * grid.tile_k + kb * k + i
                                pixel = (round_ * grid.groups + stream.plio.stream) * grid.tile_n + nb * n + j
                                channel, tap = divmod(row, 9)
                                y, x = pixel // 8 + tap // 3, pixel % 8 + tap % 3
                                assert next(values) == padded[channel, y, x]
        assert next(values, None) is None


def test_agreement_needs_every_value(
    project: Project, image: np.ndarray[tuple[int, ...], np.dtype[np.float32]], tmp_path: Path
) -> None:
    made = simdata.streams(project.array, project.parameters, image)
    outputs = [s for s in made if not s.plio.is_input]

    def write(stream: simdata.Stream, values: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> None:
        file = tmp_path / stream.plio.data_file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(simdata.text_of(values, stream.per_line))

    for stream in outputs:
        write(stream, stream.values)
    right = simdata.compare(tmp_path, made)
    assert right.bit_exact and right.passed(0.0) and right.expected == right.received == 8 * 64 + 4 * 64
    write(outputs[0], outputs[0].values[: -outputs[0].per_line])
    short = simdata.compare(tmp_path, made)
    assert not short.passed(1e9) and "values, not" in short.problems[0]
    write(outputs[0], np.concatenate([outputs[0].values, outputs[0].values]))
    assert not simdata.compare(tmp_path, made).passed(1e9)
    spoilt = outputs[0].values.copy()
    spoilt[3] = np.nan
    write(outputs[0], spoilt)
    wrong = simdata.compare(tmp_path, made)
    assert wrong.max_abs_err == np.inf and not wrong.passed(1e9) and wrong.differing == 1
    (tmp_path / outputs[0].plio.data_file).unlink()
    lost = simdata.compare(tmp_path, made)
    assert not lost.passed(1e9) and "No such file" in lost.problems[0]


def test_padding_does_not_count(
    project: Project, image: np.ndarray[tuple[int, ...], np.dtype[np.float32]], tmp_path: Path
) -> None:
    made = simdata.streams(project.array, project.parameters, image)
    stream = next(s for s in made if not s.plio.is_input)
    counts = stream.counts.copy()
    counts[:4] = False
    stream = replace(stream, counts=counts)
    file = tmp_path / stream.plio.data_file
    file.parent.mkdir(parents=True)
    values = stream.values.copy()
    values[:4] = 77
    file.write_text(simdata.text_of(values, stream.per_line))
    agreement = simdata.compare(tmp_path, (stream,))
    assert agreement.bit_exact and agreement.expected == len(values) - 4


def test_images_follow_each_other_on_a_stream(
    project: Project, image: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
) -> None:
    both = simdata.streams(project.array, project.parameters, np.stack([image, -image]))
    for stream, first, second in zip(
        both,
        simdata.streams(project.array, project.parameters, image),
        simdata.streams(project.array, project.parameters, -image),
        strict=True,
    ):
        assert np.array_equal(stream.values, np.concatenate([first.values, second.values]))
        assert stream.images == 2 and stream.words_per_image * stream.per_line == len(first.values)
