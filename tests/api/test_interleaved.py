"""Random interleavings of designs, threads, `doit` and damage in one project: each result equals that of a fresh folder."""

from __future__ import annotations

import json
import os
import random
import shutil
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from aieloom.api import DesignHandle
from tests.api.together import OUTPUTS, called, expected, given, make, tensors

THREADS = 3
TARGETS = ("vck190", "vek280")


class Interleaved:
    """One project, four designs of it that are used from three threads, and what each must give.

    `a` and `b` are files of weights that do not change, the project's own file `own` gets others now and then: what is called
    while it is written has the results of the weights before or after.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.tiny, self.random = make(folder), random.Random(seed)
        yaml = folder / "network.yaml"
        yaml.write_text(yaml.read_text().replace("a.safetensors", "own.safetensors"))
        self.contents = ["c"]  # of the project's own weights, one after another
        save_file(tensors("c"), self.tiny.weights("own"))
        self.designs = [(name, self.tiny.design(name)) for name in ("a", "b", "own")]
        self.designs.append(("a", self.tiny.design("a", target=TARGETS[1])))
        self.guard, self.pending = threading.Lock(), list[Future[None]]()

    def call(self, name: str, design: DesignHandle, seed: int) -> None:
        with self.guard:
            first = len(self.contents) - 1
        y = called(design, seed)
        with self.guard:
            possible = self.contents[first:] if name == "own" else [name]
        assert any(np.array_equal(y, expected(n, given(seed))) for n in possible), (name, possible)

    def report(self, name: str, design: DesignHandle) -> None:
        summary = json.loads((design.report().parent / "summary.json").read_text())
        assert summary["passed"] and summary["golden"]["bit_exact"], name

    def edit(self) -> None:
        """Give the project other weights, half the times with size and date of the old ones."""
        file, name = self.tiny.weights("own"), self.random.choice("abc")
        before, new = file.stat(), file.with_suffix(".new")
        save_file(tensors(name), new)
        if self.random.random() < 0.5:
            os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        with self.guard:
            self.contents.append(name)
            new.replace(file)

    def doit(self) -> None:
        name = self.random.choice(["a", "b"])
        done = self.tiny.doit("sim", f"weights={name}.safetensors", f"target={self.random.choice(TARGETS)}")
        assert "PASS" in done.stdout and "bit for bit equal" in done.stdout, done.stdout + done.stderr

    def damage(self) -> None:
        """Remove, shorten or overwrite some file of build/, or remove all of it; nobody builds meanwhile."""
        self.wait()
        files = sorted(f for f in (self.tiny.folder / "build").rglob("*") if f.is_file())
        if not files or self.random.random() < 0.1:
            shutil.rmtree(self.tiny.folder / "build", ignore_errors=True)
            return
        file = self.random.choice(files)
        how = self.random.choice(["remove", "shorten", "overwrite"])
        if how == "remove":
            file.unlink()
        else:
            whole = file.read_bytes()
            half = len(whole) // 2
            file.write_bytes(whole[:half] + (b"" if how == "shorten" else bytes(len(whole) - half)))

    def step(self, pool: ThreadPoolExecutor) -> None:
        name, design = self.random.choice(self.designs)
        what = self.random.choices(["call", "edit", "damage", "report", "doit"], [12, 3, 3, 1, 1])[0]
        if what == "call":
            self.pending.append(pool.submit(self.call, name, design, self.random.randrange(1000)))
        elif what == "report":
            self.pending.append(pool.submit(self.report, name, design))
        else:
            getattr(self, what)()

    def wait(self) -> None:
        for call in self.pending:
            call.result()
        self.pending.clear()

    def run(self, steps: int) -> None:
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in range(steps):
                self.step(pool)
            self.wait()


@pytest.mark.parametrize("target", TARGETS)
def test_a_fresh_folder_gives_the_definition(tmp_path: Path, target: str) -> None:
    design = make(tmp_path).design("a", target=target)
    y = called(design, 7)
    np.testing.assert_array_equal(y, expected("a", given(7)))
    np.testing.assert_array_equal(y, design.reference(given(7)).reshape(-1, OUTPUTS))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "steps"), [(1, 25), *((s, 60) for s in range(2, 12))])
def test_any_order_gives_the_results_of_fresh_folders(tmp_path: Path, seed: int, steps: int) -> None:
    Interleaved(tmp_path / "tiny", seed).run(steps)
