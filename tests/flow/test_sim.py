"""`doit sim` as a user types it: what it prints, what it leaves, what it does again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from PIL import Image

from tests.clang_14 import need_clang
from tests.flow.conftest import SMALL, SMALL_SHAPES, Folder, make_project


def done_tasks(output: str) -> set[str]:
    return set(re.findall(r"^\s+done (\S+)", output, re.MULTILINE))


@pytest.mark.integration
def test_sim_passes_and_does_nothing_twice(small: Folder) -> None:
    first = small.doit("sim")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "PASS 16 samples" in first.stdout
    assert "bit for bit equal" in first.stdout
    summary = json.loads((small.build / "report" / "summary.json").read_text())
    assert summary["passed"] is True
    assert summary["golden"]["bit_exact"] is True
    assert summary["mode"] == "emu"
    assert set(summary["timing_s"]) == {"plan", "emit", "compile", "run"}
    for name in ("index.html", "floorplan.svg", "network.svg", "trace.json"):
        assert (small.build / "report" / name).stat().st_size > 1000
    assert summary["layers"] and summary["reproduce"]["commands"][0].startswith("doit sim project=")
    again = small.doit("sim")
    assert again.returncode == 0
    assert done_tasks(again.stdout) == set()
    assert "PASS 16 samples" in again.stdout
    compared = small.doit("report", f"compare={small.build}")
    assert compared.returncode == 0 and done_tasks(compared.stdout) == {"report"}
    assert "Compared with" in (small.build / "report" / "index.html").read_text()
    quiet = small.doit("sim", "quiet=1")
    assert "done report" not in quiet.stdout and "PASS 16 samples" in quiet.stdout
    assert "Compared with" not in (small.build / "report" / "index.html").read_text()


@pytest.mark.slow
def test_a_simulation_in_time_compares_and_says_how_fast_the_array_is(small: Folder) -> None:
    need_clang()
    done = small.doit("-n", "0", "report", "timedsim", "sim", "mode=timed")  # as threads of doit may do
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS aieloom emulate --timed" in done.stdout
    told = json.loads((small.build / "report" / "timed.json").read_text())
    assert told["golden"]["bit_exact"] is True
    performance = told["performance"]
    assert performance["throughput_fps"] > 0 and performance["latency_us"] > performance["interval_us"] / 2
    for name in ("timed.html", "timed-trace.json"):
        assert (small.build / "report" / name).stat().st_size > 1000
    assert "aieloom emulate --timed" in (small.build / "report" / "index.html").read_text()
    again = small.doit("sim", "mode=timed")
    assert done_tasks(again.stdout) == set()


@pytest.mark.integration
def test_retiling_touches_only_its_layer(small: Folder) -> None:
    assert small.doit("sim").returncode == 0
    small.edit("tile: [4, 8, 64]", "tile: [4, 8, 32]")
    retiled = small.doit("sim")
    assert retiled.returncode == 0, retiled.stdout + retiled.stderr
    done = done_tasks(retiled.stdout)
    assert "compile:aie_last" in done
    assert "images" in done
    assert "compile:aie_first" not in done
    assert not any(name.startswith("compile:runtime") for name in done)
    watched_back(small)


def watched_back(small: Folder) -> None:
    """`aieloom watch` in a folder that is built: an edit, then one that is refused."""
    with subprocess.Popen(
        [sys.executable, "-m", "aieloom.cli", "watch", "--project", str(small.path), "--runs", "3"],
        cwd=small.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    ) as running:
        killer = threading.Timer(300, running.kill)  # nothing hangs
        killer.start()
        said: list[str] = []
        edits = iter([("[4, 8, 32]", "[4, 8, 64]"), ("[4, 8, 64]", "[4, 8, 33]")])
        for line in running.stdout or ():
            said.append(line)
            if line.startswith("watching"):
                small.edit(*(f"tile: {tile}" for tile in next(edits)))
        killer.cancel()
        assert running.wait() == 2, "the last edit is refused"
    text = "".join(said)
    assert "PASS in" in text and "bit for bit equal" in text
    assert "mapping.last.tile: [4, 8, 32] -> [4, 8, 64]" in text
    assert "last, cycles" in text.partition("changed:")[2]
    assert "[gemm-2]" in text and "the figures of the run before stand" in text


@pytest.mark.slow
def test_weights_touch_weights_alone(small: Folder) -> None:
    assert small.doit("sim").returncode == 0
    make_project(small.path, SMALL, SMALL_SHAPES, seed=4)
    done = done_tasks(small.doit("sim").stdout)
    assert "compile:graph" in done  # the weights' headers are the graph's
    assert not any(name.startswith(("compile:aie_", "compile:pl_", "compile:runtime")) for name in done)


@pytest.mark.slow
def test_pictures_and_quality(small: Folder) -> None:
    folder = small.path / "data"
    folder.mkdir()
    for i in range(3):
        Image.linear_gradient("L").rotate(90 * i).resize((16, 16)).save(folder / f"ramp{i}.png")
    with (small.path / "network.yaml").open("a") as f:
        f.write("data: {images: data/*.png}\n")
    shown = small.doit("sim")
    assert "psnr emulated" in shown.stdout, shown.stdout + shown.stderr
    with Image.open(small.build / "report" / "images.png") as sheet:
        assert sheet.width > 400
    summary = json.loads((small.build / "report" / "summary.json").read_text())
    assert [row["name"] for row in summary["samples"]] == ["ramp0", "ramp1", "ramp2"]
    assert {"psnr_bicubic_db", "psnr_pytorch_db", "psnr_emulated_db"} <= set(summary["samples"][0])


@pytest.mark.parametrize(
    ("old", "new", "line", "rule"),
    [
        ("kernel: 3", "kernle: 3", 6, "key"),
        ("op: tanh", "op: tahn", 7, "op"),
        ("tile: [8, 10, 32]", "tile: [8, 9, 32]", 11, "mmul"),
        ("out_channels: 4", "out_channels: four", 8, "type"),
        ("weights: weights.safetensors", "weights: nothing.pt", 3, "weights"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    small: Folder, old: str, new: str, line: int, rule: str
) -> None:
    small.edit(old, new)
    shown = small.doit("sim")
    text = shown.stdout + shown.stderr
    assert shown.returncode == 2, text
    assert "Traceback" not in text
    assert "fix:" in text
    if rule != "weights":
        assert f"network.yaml:{line}: [" in text
    assert not (small.build / "src").exists()


def test_a_folder_that_cannot_be_written(small: Folder) -> None:
    (small.path / "build").write_text("a file where the folder should be")
    shown = small.doit("gen")
    text = shown.stdout + shown.stderr
    assert shown.returncode == 2, text
    assert "cannot write here" in text
    assert "Traceback" not in text


def test_no_compiler(small: Folder, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    shown = small.doit("sim", env={"PATH": str(empty), "CXX": "no-such-compiler"})
    text = shown.stdout + shown.stderr
    assert shown.returncode == 1, text
    assert "no-such-compiler" in text
    assert "apt-get install g++" in text
    assert "Traceback" not in text


@pytest.mark.integration
def test_interrupted_runs_recover(small: Folder) -> None:
    with (small.path / "first.log").open("w") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", "doit", "sim"], cwd=small.path, stdout=log, stderr=subprocess.STDOUT
        )
        deadline = time.monotonic() + 60
        while (
            not list((small.build / "emu").glob("*.log"))
            and started.poll() is None
            and time.monotonic() < deadline
        ):
            time.sleep(0.02)
        started.send_signal(signal.SIGKILL)
        started.wait()
    recovered = small.doit("sim")
    assert recovered.returncode == 0, recovered.stdout + recovered.stderr
    assert "PASS 16 samples" in recovered.stdout


INTERRUPTED = "interrupted; the same command goes on from here\n"
HASTY = """
import sys
class CtrlC:
    def find_spec(self, name, *rest):
        if name == "aieloom.messages":
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
"""


def test_ctrl_c_is_told_in_one_line(small: Folder) -> None:
    """While compilers run; as a terminal sends it, to all processes."""
    with subprocess.Popen(
        [sys.executable, "-m", "doit", "sim"],
        cwd=small.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Tests that a script runs in the background have SIGINT ignored, and would hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no other thread forks here
        env=os.environ | {"AIELOOM_CACHE": str(small.path / "cache")},
    ) as started:
        while not list(small.path.glob("build/small/vck190/emu/*.log")) and started.poll() is None:
            time.sleep(0.02)
        os.killpg(started.pid, signal.SIGINT)
        assert started.communicate()[1] == INTERRUPTED


def test_ctrl_c_while_modules_are_imported_is_told_in_one_line(small: Folder) -> None:
    """At the first import that takes time."""
    dodo = small.path / "dodo.py"
    dodo.write_text(HASTY + dodo.read_text())
    assert small.doit("plan").stderr == INTERRUPTED


def test_target_and_project_are_named_when_unknown(small: Folder) -> None:
    shown = small.doit("sim", "target=vck191")
    text = shown.stdout + shown.stderr
    assert shown.returncode == 2
    assert "vck190" in text
    assert "Traceback" not in text


def test_list_explains_every_task(small: Folder) -> None:
    shown = small.doit("list")
    assert shown.returncode == 0
    for task in ("plan", "gen", "sim", "emulate", "report"):
        assert re.search(rf"^{task}\s+\w", shown.stdout, re.MULTILINE), shown.stdout


def test_the_same_input_gives_the_same_bytes_elsewhere(small: Folder, tmp_path: Path) -> None:
    other = make_project(tmp_path / "another" / "place", SMALL, SMALL_SHAPES)
    assert small.doit("gen").returncode == 0
    assert other.doit("gen", env={"PYTHONHASHSEED": "77"}).returncode == 0

    def tree(folder: Folder) -> dict[str, bytes]:
        return {
            str(f.relative_to(folder.build)): f.read_bytes()
            for f in sorted((folder.build / "src").rglob("*"))
            if f.is_file()
        }

    assert tree(small) == tree(other)
    assert len(tree(small)) > 10
