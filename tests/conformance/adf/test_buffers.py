"""Buffers, windows, margins, multirate, broadcast, parameters, templates, classes: against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conformance.adf import buffers
from tests.conformance.adf.project import Ran, run_project, write_numbers, write_project

RUNS = 3
Ints = NDArray[np.int64]


def inputs() -> dict[str, Ints]:
    rng = np.random.default_rng(20)
    size = {"typed": 32, "margins": 32}
    names = [lane[0] for lane in buffers.LANES] + ["fan", "rtp"]
    return {n: rng.integers(-100, 100, (RUNS, size.get(n, 16))) for n in names}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("buffers")
    write_project(folder, {**buffers.KERNELS, "graph.cpp": buffers.graph()})
    per_line = {"typed": 2, "margins": 2, "circular": 2, "fan": 4}
    for name, values in inputs().items():
        write_numbers(folder / "data" / f"{name}.txt", values, per_line.get(name, 1))
    done = run_project(folder)
    assert done.result.stderr == ""
    return done


def with_margin(x: Ints, margin: int) -> Ints:
    """Return each buffer with the end of the one before in front of it; zeros before the first."""
    before = np.vstack([np.zeros((1, margin), dtype=np.int64), x[:-1, -margin:]])
    return np.hstack([before, x])


@pytest.mark.integration
def test_program_s_own_exit_code_and_sums(ran: Ran) -> None:
    x = inputs()["rtp"]
    assert ran.result.code == 7
    assert ran.result.stdout.split() == [str(x[:2].sum()), str(x.sum())]


def test_windows_wrap_both_ways(ran: Ran) -> None:
    x = inputs()["windows"]
    want = x.copy()
    want[:, -4] = x[:, -2] + 1
    want[:, -3] = x[:, -1] * 10
    want[:, -1] = x[:, -1]
    np.testing.assert_array_equal(ran.ints("windows.txt"), want.ravel())


def test_typed_windows_start_at_the_margin(ran: Ran) -> None:
    x = inputs()["typed"]
    whole = with_margin(x, 8)  # 40 elements; 8 are skipped, so the 32 of the buffer follow
    np.testing.assert_array_equal(ran.ints("typed.txt"), whole[:, 8:].ravel())


def test_buffers_of_one_dimension_say_elements_and_margin(ran: Ran) -> None:
    whole = with_margin(inputs()["one_dimension"], 4)
    np.testing.assert_array_equal(ran.ints("one_dimension.txt"), np.ravel(whole[..., :16] + 7))


def test_buffer_margins(ran: Ran) -> None:
    whole = with_margin(inputs()["margins"], 8)
    want = [[row[i : i + 9].sum() for i in range(32)] for row in whole]
    np.testing.assert_array_equal(ran.ints("margins.txt"), np.ravel(want))


def test_inherited_extents_and_dimensions(ran: Ran) -> None:
    np.testing.assert_array_equal(ran.ints("circular.txt"), inputs()["circular"][:, ::-1].ravel())
    assert len(ran.lines("circular.txt")[0].split()) == 2  # 64 bits


def test_asynchronous_buffers(ran: Ran) -> None:
    # Two acquisitions a call: the second call's input is the file's next block.
    x = inputs()["async"].ravel()
    np.testing.assert_array_equal(ran.ints("async.txt"), x - 1)


def test_statics_belong_to_a_core_and_initialisation_runs_once(ran: Ran) -> None:
    for name, start in (("counted", 0), ("counted2", 1000)):
        want = inputs()[name] * 2 + start + np.arange(1, RUNS + 1)[:, None]
        np.testing.assert_array_equal(ran.ints(f"{name}.txt"), want.ravel())


def test_templates_are_instantiated_by_their_source(ran: Ran) -> None:
    weights = np.array([7, 11, 13])[np.arange(16) % 3]
    np.testing.assert_array_equal(ran.ints("plus.txt"), (inputs()["plus"] + 5 + weights).ravel())
    np.testing.assert_array_equal(ran.ints("scaled.txt"), (inputs()["scaled"] * 3).ravel())


def test_kernel_class_with_parameters_keeps_state(ran: Ran) -> None:
    table = np.array([4, 9, 16, 25]) << 2
    want = table[inputs()["table"] & 3] + np.arange(1, RUNS + 1)[:, None]
    np.testing.assert_array_equal(ran.ints("table.txt"), want.ravel())


def test_multirate_and_broadcast(ran: Ran) -> None:
    x = inputs()["fan"] + 100
    for i in range(3):
        sums = x.reshape(RUNS << i, 16 >> i).sum(axis=1)
        np.testing.assert_array_equal(ran.ints(f"fan{i}.txt"), sums)


def test_synchronous_and_asynchronous_parameters(ran: Ran) -> None:
    x = inputs()["rtp"]
    gain = np.array([10, 20, -1])[:, None]
    offset = np.tile([1, 2, 3, 4], 4) * np.array([1, 1, -1])[:, None]
    np.testing.assert_array_equal(ran.ints("rtp.txt"), (x * gain + offset).ravel())
