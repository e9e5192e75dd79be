"""Kernels of the C++ library: their words with and without stalls, the plan's schedules, mutants of traits."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from aieloom.emit.files import write_tree
from aieloom.emit.names import output_names
from aieloom.errors import ToolError
from aieloom.flow.sources import Sources
from aieloom.pl.line_store import LinePart
from aieloom.plan.wire import port_names
from aieloom.vitis.design import CompiledKernel
from tests.designs import ROOT
from tests.emit.compiling import INCLUDE, STRICT, compiler, complaints, together, written
from tests.ops.kernels import check
from tests.pl.lanes import KERNELS, LANES, design, kernel_of, run, simulated, sources
from tests.quantize.kernels import integer_design
from tests.toolchain.hls import read_ports, with_headers


def test_kernels_compile_together_with_others(tmp_path: Path) -> None:
    files = written(tmp_path, sources(), tuple(f"/{name}.cpp" for name in KERNELS))
    assert len(files) == len(KERNELS)
    unit = together(tmp_path, files)
    unit.write_text(unit.read_text().replace('extern "C" ', ""))
    assert complaints([[compiler("g++"), *STRICT, f"-I{INCLUDE}", str(unit)]]) == ""


def test_the_headers_that_kernels_include_are_among_the_files_that_hls_reads() -> None:
    headers = {path for path in sources() if path.startswith("src/include/aieloom/pl/")}
    assert headers == {n for n in output_names(design().plan) if n.startswith("src/include/aieloom/pl/")}
    kernel = CompiledKernel(name="k", source="src/pl/k.cpp", hz=1)
    (built,) = Sources(names=("src/pl/k.cpp", *sorted(headers)), kernels=(kernel,)).built
    assert set(built.headers) == headers


@pytest.mark.parametrize("name", KERNELS)
def test_the_stand_in_of_hls_sees_every_port_and_its_direction(name: str, tmp_path: Path) -> None:
    write_tree(tmp_path, sources(), owned=())
    kernel = kernel_of(name)
    wanted = {(port, "in") for i in kernel.inlets for port in port_names(i.port, i.streams.streams)}
    wanted |= {(port, "out") for o in kernel.outlets for port in port_names(o.port, o.streams.streams)}
    ports = read_ports(with_headers(tmp_path / kernel.output), name, default_axi=False)
    assert {(p.name, p.direction) for p in ports} == wanted


@cache
def words_of(name: str, folder: Path) -> str:
    """Return what a kernel sends."""
    return run(folder, sources(), kernel_of(name))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("words")


def test_these_kernels_send_what_numpy_says(tmp_path: Path) -> None:
    assert {k.name for k in design().plan.pl if k.lines} == set(KERNELS)
    check([LANES], tmp_path, integer_design)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_sends_the_same_words_whatever_stalls(name: str, folder: Path, tmp_path: Path) -> None:
    words = words_of(name, folder)
    assert len(set(words.splitlines())) > 10
    assert run(tmp_path, sources(), kernel_of(name), stalls=3) == words


def orders(part: LinePart, text: str) -> Iterator[str]:
    """Yield an assertion for each beat that the plan says must have come, or may come, before a round."""
    name = part.name.title()
    writes = re.search(rf"write_(\w+)<{name}, (\w+)<{name}>", text)
    assert writes
    order = {"lane_lines": "LaneOrder", "rows": "RowOrder", "columns": "ColumnOrder"}[writes[1]]
    order += f"<{name}, Row<{name}::kOutBits>>" if writes[1] == "rows" else f"<{name}>"
    yield f"constexpr auto {part.name} = schedule<{name}, {writes[2]}<{name}>, {order}>();"
    for which, beats in (("needs", part.tasks.needs), ("room", part.tasks.room)):
        yield from (
            f'static_assert({part.name}.{which}[{i}] == {n}, "{which}");' for i, n in enumerate(beats)
        )
    ring = f"Ring<{name}>"
    yield f'static_assert({ring}::kDepth == {part.tasks.depth} && {ring}::kCopies == {part.tasks.copies}, "memory");'
    yield f'static_assert({order}::kTurn == {part.tasks.turn}, "turn");'


@pytest.mark.parametrize(("cxx", "standard"), [("g++", "c++14"), ("clang++", "c++20")])
@pytest.mark.parametrize("name", KERNELS)
def test_schedules_and_memories_are_the_plans(name: str, cxx: str, standard: str, tmp_path: Path) -> None:
    """The library computes them from the traits, the plan from the tiles; both compilers have nothing to say."""
    source = tmp_path / "src" / "pl" / "kernel.cpp"
    text = sources()[f"src/pl/{name}.cpp"]
    store = kernel_of(name).lines
    assert store
    checks = "\n".join(line for part in store.parts for line in orders(part, text))
    write_tree(tmp_path, sources(), owned=())
    source.write_text(text.replace('extern "C"', f'namespace {{\n{checks}\n}}\n\nextern "C"', 1))
    extensions = ["-Wno-c++17-extensions", "-Wno-c++20-extensions"]  # of the emulator's headers
    command = [compiler(cxx), *STRICT, f"-std={standard}", *extensions, f"-I{INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# A trait of a kernel, another number, and what is said of it; "" where the words that leave are others.
MUTANTS = [
    ("pl_c1_to_c2", "kRows = 8, kBanks = 4", "kRows = 2, kBanks = 4", "too few rows"),
    ("pl_c1_to_c2", "kStep = 4;", "kStep = 1;", "lie in one bank"),
    ("pl_c1_to_c2", "kBeatApart = 4", "kBeatApart = 2", "two values of a beat lie in one bank"),
    ("pl_c1_to_c2", "kZero = -128", "kZero = 0", ""),
    ("pl_c1_to_c2", "kPaddingY = 1", "kPaddingY = 0", ""),
    ("pl_c1_to_c2", "kSetChannels = 2", "kSetChannels = 4", "kSetChannels"),
    ("pl_c1_to_c2", "kReaders = 2, kTogether = 4", "kReaders = 2, kTogether = 2", "kSetChannels"),
    ("pl_c0_to_c1_and_s2", "kStep = 4, kSkew = 4", "kStep = 4, kSkew = 0", "lie in one bank"),
    ("pl_s3_mean", "kSign = '-'", "kSign = '+'", ""),
    ("pl_s3_mean", "kCount = 64", "kCount = 32", ""),
    ("pl_s3_mean", "kLeft = 20", "kLeft = 19", ""),
    ("pl_s3_mean", "kLow = -128, kHigh = 127", "kLow = 127, kHigh = -128", "bounds leave values"),
    ("pl_input_to_c0", "kRows = 32, kBanks", "kRows = 8, kBanks", "the ring has all its rows"),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m[0]}-{m[2]}")
def test_no_mutant_of_a_trait_survives(
    mutant: tuple[str, str, str, str], folder: Path, tmp_path: Path
) -> None:
    name, trait, other, said = mutant
    tree = dict(sources())
    path = f"src/pl/{name}.cpp"
    assert trait in tree[path], tree[path]
    tree[path] = tree[path].replace(trait, other, 1)
    try:
        words = run(tmp_path, tree, kernel_of(name))
    except (ToolError, AssertionError) as e:
        assert said, e
        assert said in str(e)
    else:
        assert not said
        assert words != words_of(name, folder)


LIBRARY = ROOT / "pl_templates" / "lib" / "aieloom" / "pl"
BENCHES = Path(__file__).parent / "library"
HEADERS = sorted(BENCHES.rglob("*.cpp"))


@pytest.mark.parametrize("stalls", [None, 1, 2])
@pytest.mark.parametrize("file", HEADERS, ids=lambda f: f.stem)
def test_a_header_does_what_its_bench_expects(file: Path, stalls: int | None, tmp_path: Path) -> None:
    for header in LIBRARY.rglob("*.h"):
        copy = tmp_path / header.relative_to(LIBRARY)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(header.read_text())
    place = tmp_path / file.name
    place.write_text(file.read_text())
    simulated(place, place, stalls=stalls)


def test_every_header_has_a_bench() -> None:
    benches = {f.relative_to(BENCHES).with_suffix("") for f in HEADERS}
    assert benches == {f.relative_to(LIBRARY).with_suffix("") for f in LIBRARY.rglob("*.h")}
