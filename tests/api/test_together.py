"""Designs used from many sides at once: each call's result is that of its own input, weights and target."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import pickle
import shutil
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import aieloom
from aieloom.api import DesignHandle
from aieloom.emulator.scratch import PREFIX
from aieloom.flow import programs
from aieloom.flow.batch import Run
from aieloom.flow.designs import design_of
from aieloom.flow.emulated_system import EmulatedSystem
from aieloom.flow.opening import open_any
from aieloom.flow.reproduce import _digest
from tests.api.together import OUTPUTS, Tiny, Values, called, expected, given, make, tensors

CALLS = 48


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    return make(tmp_path / "tiny")


def check(design: DesignHandle, seeds: range, results: list[Values], name: str = "a") -> None:
    for seed, y in zip(seeds, results, strict=True):
        np.testing.assert_array_equal(y, expected(name, given(seed)))
    for folder in design.project.build.parent.iterdir():
        assert not list(folder.glob(f"emu/{PREFIX}*")), "nothing is left of runs"


def test_threads_get_the_results_of_their_own_inputs(tiny: Tiny) -> None:
    design = tiny.design()
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda seed: called(design, seed), range(CALLS)))
    check(design, range(CALLS), results)


@pytest.mark.parametrize("execution", ["spatial", "sequential"])
def test_a_program_and_what_it_should_give_are_of_the_same_weights(tiny: Tiny, execution: str) -> None:
    """Whatever is written between the two: a training that ends while a report is made, for instance."""
    yaml = tiny.folder / "network.yaml"
    yaml.write_text(yaml.read_text() + f"execution: {execution}\n")
    now = tiny.design()._present()
    program, (layer, _) = now.program, now.alone("only")
    save_file(tensors("b"), tiny.weights("a"))
    x = given(7)
    for wanted in (design_of(program.project).reference(x), layer.reference((x,))):
        np.testing.assert_array_equal(wanted.reshape(-1, OUTPUTS), expected("a", x))


def test_integers_and_the_floats_beside_them_are_of_the_same_weights(tiny: Tiny) -> None:
    yaml = tiny.folder / "network.yaml"
    quantize = "quantize: {activations: int8, weights: int8, calibration: calib.npz}\n"
    yaml.write_text(yaml.read_text() + quantize)
    np.savez(tiny.folder / "calib.npz", x=given(7))
    project = open_any(tiny.folder, build=tiny.folder / "build")
    save_file(tensors("b"), tiny.weights("a"))
    for name, values in project.float_parameters["only"].items():
        np.testing.assert_array_equal(values, tensors("a")[f"only.{name}"])


def test_tasks_of_asyncio_get_the_results_of_their_own_inputs(tiny: Tiny) -> None:
    design = tiny.design()

    async def all_calls() -> list[Values]:
        return await asyncio.gather(*(asyncio.to_thread(called, design, seed) for seed in range(CALLS)))

    check(design, range(CALLS), asyncio.run(all_calls()))


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes_get_the_results_of_their_own_inputs(tiny: Tiny, start: str) -> None:
    """The handle is an argument; its first calls build, in all processes at once."""
    design = tiny.design()
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(start)) as pool:
        results = list(pool.map(called, [design] * 8, range(8)))
    check(design, range(8), results)


def test_a_process_that_is_forked_while_threads_work_is_not_stuck(tiny: Tiny) -> None:
    """It has none of the locks that the threads had, and keeps none of theirs."""
    design = tiny.design()
    design.emulate(given(0))
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            called(design, 1)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        context = multiprocessing.get_context("fork")
        for seed in range(6):
            child = context.Process(target=called, args=(design, seed))
            child.start()
            child.join(60)
            assert child.exitcode == 0
    finally:
        stop.set()
        worker.join()


def test_runs_go_on_side_by_side(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two calls meet while both run: neither waits for the other's end."""
    design = tiny.design()
    design.emulate(given(0))
    meeting, run_in = threading.Barrier(2, timeout=60), EmulatedSystem.run_in

    def met(*words: object) -> Run:
        meeting.wait()
        return run_in(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(EmulatedSystem, "run_in", met)
    with ThreadPoolExecutor(2) as pool:
        check(design, range(2), list(pool.map(lambda seed: called(design, seed), range(2))))


@pytest.mark.slow
def test_designs_with_other_weights_keep_their_own_programs(tiny: Tiny) -> None:
    """Also when doit builds other weights in the project's build folder meanwhile."""
    designs = {name: tiny.design(name) for name in "ab"}
    for seed in range(3):
        for name, design in designs.items():
            np.testing.assert_array_equal(called(design, seed), expected(name, given(seed)))
    assert "PASS" in tiny.doit("sim", "weights=c.safetensors").stdout
    for name, design in designs.items():
        np.testing.assert_array_equal(called(design, 5), expected(name, given(5)))
    shown = tiny.doit("sim", "weights=c.safetensors")
    assert "PASS" in shown.stdout and "done compile" not in shown.stdout, "doit's own build is as it left it"


def test_reports_are_of_their_own_design(tiny: Tiny) -> None:
    designs = [tiny.design(name) for name in "ab"]
    with ThreadPoolExecutor(2) as pool:
        pages = list(pool.map(lambda design: design.report(), designs))
    assert pages[0] != pages[1]
    for page, name in zip(pages, "ab", strict=True):
        summary = json.loads((page.parent / "summary.json").read_text())
        assert summary["passed"] and summary["golden"]["bit_exact"]
        digest = _digest(tiny.weights(name))
        assert summary["reproduce"]["inputs"][f"{name}.safetensors"] == digest


def test_new_contents_are_seen_whatever_their_time(tiny: Tiny) -> None:
    """Weights that are replaced with their time and size kept, as cp -p and tar do."""
    file, before = tiny.weights("a"), tiny.weights("a").stat()
    design = tiny.design()
    np.testing.assert_array_equal(called(design, 1), expected("a", given(1)))
    for name in ("b", "a", "c"):
        save_file(tensors(name), file)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert file.stat().st_size == before.st_size
        np.testing.assert_array_equal(called(design, 1), expected(name, given(1)))


@pytest.mark.parametrize("fault", ["removed", "truncated", "changed", "folder", "build"])
def test_a_program_that_is_gone_or_damaged_is_made_again(tiny: Tiny, fault: str) -> None:
    design = tiny.design()
    called(design, 0)
    system = design_of(design.project).emulated
    for file in (system.program, system.xclbin):
        whole = file.read_bytes()
        if fault == "removed":
            file.unlink()
        elif fault == "truncated":
            file.write_bytes(whole[: len(whole) // 2])
        elif fault == "changed":
            file.write_bytes(whole[:-9] + bytes(9))
        else:
            shutil.rmtree(file.parent if fault == "folder" else tiny.folder / "build")
        np.testing.assert_array_equal(called(design, 1), expected("a", given(1)))
        assert file.read_bytes() == whole


def test_a_handle_finds_its_project_from_everywhere(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny.folder)
    design = aieloom.design(".", weights="b.safetensors")
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(called(design, 1), expected("b", given(1)))
    again = pickle.loads(pickle.dumps(design))
    np.testing.assert_array_equal(called(again, 2), expected("b", given(2)))


def test_the_programs_that_are_kept_are_those_used_last(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older ones are made again when they are called; reports and sources stay."""
    monkeypatch.setattr(programs, "KEPT", 2)
    first = tiny.design("a")
    called(first, 0)
    folder = first.project.build
    for name in "bc":
        np.testing.assert_array_equal(called(tiny.design(name), 3), expected(name, given(3)))
    kept = [f for f in folder.parent.iterdir() if (f / "emu").is_dir()]
    assert len(kept) == 2 and folder not in kept
    assert (folder / "src" / "aie" / "graph.h").is_file()
    np.testing.assert_array_equal(called(first, 1), expected("a", given(1)))
