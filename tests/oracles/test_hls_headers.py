"""Generated PL kernels compile against AMD's published headers of Vitis HLS, as C++14, which is what the tool takes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from aieloom.errors import SpecError
from aieloom.flow.opening import open_any
from tests.designs import ROOT
from tests.emit.compiling import compiler, complaints, together
from tests.hls_lint.kernels import project_kernels
from tests.oracles.checkouts import checkout
from tests.oracles.plans import BOARDS, PROJECTS
from tests.sequential.zoo import made

ZOO = ("resnet18", "ds_cnn", "lstm")
STUBS = ROOT / "tests" / "headers" / "built"  # mpfr.h with declarations alone


def kernels(name: str, board: str, folder: Path) -> list[Path]:
    """Write a design's kernels; none where the board has no such product or no room."""
    try:
        project = open_any(
            made(name) if name in ZOO else ROOT / "projects" / name, target=board, build=folder / "build"
        )
        files = list(project_kernels(project, folder))
    except SpecError:
        return []
    for file in files:  # in one source of all, kernels of one name would be one function
        file.write_text(file.read_text().replace('extern "C" ', ""))
    return files


def refused(files: list[Path], folder: Path) -> str:
    """Return what the published headers refuse of kernels, in one source."""
    include = checkout("hls-utilities") / "simulation_headers" / "include"
    flags = ("-std=c++14", "-fsyntax-only", "-w", "-isystem", str(STUBS), "-isystem", str(include))
    return complaints([[compiler("clang++"), *flags, str(together(folder, files))]])


@pytest.mark.integration
@pytest.mark.parametrize(("name", "board"), [("espcn", "vck190"), ("mnist", "vek280")])
def test_kernels_of_some_projects_compile(name: str, board: str, tmp_path: Path) -> None:
    checkout("hls-utilities")
    files = kernels(name, board, tmp_path)
    assert files
    assert refused(files, tmp_path) == ""


def designs(folder: Path) -> Iterator[tuple[str, list[Path], Path]]:
    """Write the kernels of every project and of the zoo on both boards."""
    for name, board in itertools.product([*PROJECTS, *ZOO], BOARDS):
        place = folder / f"{name}-{board}"
        place.mkdir()
        yield f"{name} on {board}", kernels(name, board, place), place


@pytest.mark.slow
def test_kernels_of_all_projects_and_of_the_zoo_compile(tmp_path: Path) -> None:
    checkout("hls-utilities")
    count, said = 0, {}
    for name, files, folder in designs(tmp_path):
        count += len(files)
        if files and (told := refused(files, folder)):
            said[name] = told
    print(f"{count} kernels")
    assert said == {}
    assert count > 150


def test_what_the_published_headers_refuse_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "kernel.cpp"
    file.write_text("#include <hls_stream.h>\nvoid f(hls::stream<int>& s) { s << 1 << 2; }\n")
    assert "invalid operands" in refused([file], tmp_path)
