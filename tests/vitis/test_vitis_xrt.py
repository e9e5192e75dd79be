"""The generated host program against the real XRT: its headers on both processors, its library in no-device mode.

Runs where Debian's libxrt-dev (XRT 2.13) is installed: apt-get install libxrt-dev g++-aarch64-linux-gnu
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aieloom.emit.files import write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.emit.project import render
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any, open_project
from aieloom.flow.project import Project
from aieloom.reference.results import hardware_reference
from tests.vitis.conftest import Folder, make_project
from tests.vitis.designs import circuit, in_logic, in_turn

HERE = Path(__file__).parent
HEADERS = Path("/usr/include/xrt/xrt/xrt_graph.h")
LIBRARY = next(iter(Path("/usr/lib").glob("*/libxrt_coreutil.so")), None)
OPTIONS = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror")
TRIES, PATIENCE_S = 3, 60
pytestmark = pytest.mark.skipif(
    not HEADERS.is_file() or LIBRARY is None or shutil.which("g++") is None, reason="needs libxrt-dev and g++"
)


@pytest.fixture(scope="module", params=["one subgraph", "two subgraphs"])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = make_project(tmp_path_factory.mktemp("host") / "small")
    if request.param == "two subgraphs":
        folder.edit("squash: {lut: {entries: 256, range: [-4, 4]}}", "squash: {engine: ps}")
    made = open_project(folder.path, build=folder.path / "build")
    assert len(made.array.subgraphs) == 1 + (request.param == "two subgraphs")
    write_tree(made.build, render(made.array, made.parameters), owned=SOURCE_FOLDERS)
    return made


def compiled(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def run_host(*words: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a program of the real library; again where it does not end.

    A thread of XRT 2.13 sleeps for ever where the program leaves before it waits: xrt_core::kds::stop(), at exit, wakes nobody
    then and joins it (seen once in some hundred runs, on a machine with four times as many processes as cores).
    """
    for _ in range(TRIES):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return subprocess.run(
                words,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=PATIENCE_S,
            )
    pytest.fail(f"{' '.join(words)} did not end within {PATIENCE_S} s, {TRIES} times")


def source(project: Project) -> str:
    return str(project.build / "src/host/small_host.cpp")


def test_the_host_program_links_with_the_real_library(project: Project, tmp_path: Path) -> None:
    includes = ("-I/usr/include/xrt", "-I/usr/include")
    compiled(
        "g++",
        *OPTIONS,
        *includes,
        source(project),
        "-lxrt_coreutil",
        "-luuid",
        "-pthread",
        "-o",
        f"{tmp_path}/host",
    )
    said = run_host(str(tmp_path / "host"), folder=tmp_path, environment={**os.environ})
    assert said.returncode == 2 and "two files are wanted" in said.stderr


@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-g++") is None, reason="needs g++-aarch64-linux-gnu")
def test_the_host_program_compiles_for_the_boards_processor(project: Project, tmp_path: Path) -> None:
    for name in ("xrt", "uuid"):  # headers only: this machine's own system headers must not be seen
        (tmp_path / name).symlink_to(f"/usr/include/{name}")
    includes = (f"-I{tmp_path}/xrt", f"-I{tmp_path}")
    compiled("aarch64-linux-gnu-g++", *OPTIONS, *includes, "-c", source(project), "-o", f"{tmp_path}/host.o")
    needs = subprocess.run(
        ["nm", "-C", tmp_path / "host.o"], capture_output=True, text=True, check=True
    ).stdout
    for symbol in ("xrt::graph::run(", "xrt::kernel::kernel(", "xrt::bo::sync(", "xrt::device::load_xclbin("):
        assert f"U {symbol}" in needs


@pytest.mark.parametrize("made", [in_turn, in_logic, circuit], ids=lambda f: f.__name__)
def test_host_programs_of_other_designs_link_with_the_real_library(
    made: Callable[[Path], Folder], tmp_path: Path
) -> None:
    folder = made(tmp_path / "small").path
    opened = open_any(folder, build=folder / "build")
    design = design_of(opened)
    write_tree(opened.build, design.render(), owned=SOURCE_FOLDERS)
    host = str(opened.build / design.sources.host)
    libraries = ("-lxrt_coreutil", "-luuid", "-pthread")
    compiled(
        "g++", *OPTIONS, "-I/usr/include/xrt", "-I/usr/include", host, *libraries, "-o", f"{tmp_path}/host"
    )
    said = run_host(
        str(tmp_path / "host"), "a.xclbin", "--serve", folder=tmp_path, environment={**os.environ}
    )
    assert said.returncode in {1, 2} and "error: " in said.stderr, "there is no device here"


def test_its_calls_run_in_the_real_librarys_no_device_mode(project: Project, tmp_path: Path) -> None:
    assert LIBRARY is not None
    if not (LIBRARY.parent / "libxrt_noop.so").exists():
        pytest.skip("this XRT has no no-device mode")
    compiled(
        "g++", *OPTIONS, "-I/usr/include/xrt", str(HERE / "xclbin_writer.cpp"), "-o", f"{tmp_path}/writer"
    )
    kernels = [m.name for m in project.array.movers] + [
        f"{k.name}:frames" for k in project.array.pl if k.frames
    ]
    assert any(k.endswith(":frames") for k in kernels)
    compiled(f"{tmp_path}/writer", f"{tmp_path}/small.xclbin", *kernels)
    includes = (
        f"-I{HERE}/xrt_noop",
        "-I/usr/include/xrt",
        "-I/usr/include",
    )  # its own graph: noop opens none
    compiled(
        "g++",
        *OPTIONS,
        *includes,
        source(project),
        "-lxrt_coreutil",
        "-luuid",
        "-pthread",
        "-o",
        f"{tmp_path}/host",
    )
    (tmp_path / "root").mkdir()
    (tmp_path / "root/lib").symlink_to(LIBRARY.parent)
    x = np.random.default_rng(1).uniform(-1, 1, (5, *project.plan.x.shape)).astype("<f4")
    x.tofile(tmp_path / "input.bin")
    hardware_reference(project.array, project.parameters, x).astype("<f4").tofile(tmp_path / "golden.bin")
    environment = {**os.environ, "XILINX_XRT": str(tmp_path / "root"), "XCL_EMULATION_MODE": "noop"}

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        words = (str(tmp_path / "host"), "small.xclbin", "input.bin", "--batch", "2", *more)
        return run_host(*words, folder=tmp_path, environment=environment)

    ran = run("--output", "output.bin")
    assert ran.returncode == 0, ran.stderr
    graph = [line for line in ran.stdout.splitlines() if line.startswith("graph")]
    turns = (
        [2, 2, 1] if project.array.processor else [5]
    )  # one start for all batches, where the processor has no layers
    assert graph == [
        "graph small_graph reset",
        *(line for n in turns for line in (f"graph run {n}", "graph wait")),
    ]
    assert (tmp_path / "output.bin").stat().st_size == 5 * project.plan.y.elements * 4
    compared = run(
        "--golden", "golden.bin"
    )  # without a device nothing is computed, and the program must say so
    assert compared.returncode == 1 and "TEST FAILED" in compared.stdout
    absent = run("--output", "nowhere/output.bin")
    assert absent.returncode == 2 and "cannot write" in absent.stderr
