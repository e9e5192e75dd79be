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


@pytest.mark.slow
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


def beside_the_headers(bench: Path, folder: Path) -> Path:
    """Return a copy of a bench beside copies of all headers."""
    for header in LIBRARY.rglob("*.h"):
        copy = folder / header.relative_to(LIBRARY)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(header.read_text())
    place = folder / bench.name
    place.write_text(bench.read_text())
    return place


@pytest.mark.parametrize("file", HEADERS, ids=lambda f: f.stem)
def test_a_header_does_what_its_bench_expects_whatever_stalls(file: Path, tmp_path: Path) -> None:
    place = beside_the_headers(file, tmp_path)
    for stalls in (None, 1, 2):
        simulated(place, place, stalls=stalls)


# Of an engine a trait in its bench, another number, and what the header says of it.
ENGINE_TRAITS = [
    ("conv_engine", "kOut = 32", "kOut = 24", "whole words of output channels"),
    ("conv_engine", "kRounds = 4", "kRounds = 2", "as many rounds as take turns"),
    ("tiles", "kTileN = 32", "kTileN = 8", "whole words of channels"),
    ("tiles", "kTileM = 8", "kTileM = 6", "whole mmuls"),
    ("array_load", "kTileM = 8", "kTileM = 6", "whole mmuls of pixels"),
    ("array_load", "kTailWords = 2", "kTailWords = 5", "room for what tells"),
    ("row_load", "kTailWords = 2", "kTailWords = 5", "as many words as an mmul has pixels"),
    ("array_sequencer", "kUnits = 7", "kUnits = 8", "all units take layers"),
    ("recurrent_unit", "kMostHidden = 32", "kMostHidden = 24", "fill whole words"),
    ("matrix_engine", "Range<2, 3, ", "Range<1, 3, ", "each place of K once"),
    ("row_heads", "kTileN = 16, kDepth", "kTileN = 12, kDepth", "whole words of columns"),
    ("vector_unit", "kApart = 4", "kApart = 0", "its fold is back"),
]


@pytest.mark.parametrize(("name", "trait", "other", "said"), ENGINE_TRAITS)
def test_a_wrong_trait_of_an_engine_is_named(
    name: str, trait: str, other: str, said: str, tmp_path: Path
) -> None:
    place = beside_the_headers(BENCHES / "engine" / f"{name}.cpp", tmp_path)
    text = place.read_text()
    assert trait in text
    place.write_text(text.replace(trait, other, 1))
    with pytest.raises(ToolError, match=said):
        simulated(place, place)


# Of a header something that its bench has to notice: what it has now, and a fault.
FAULTS = [
    ("conv_engine", "x_first + l.stride_x", "x_first + 1"),
    ("conv_engine", "k = pixel == rounds * T::kPixels - 1", "k = pixel == rounds * T::kPixels - 2"),
    ("vector_unit", "x = last_column ? -l.left", "x = last_column ? 0"),
    ("row_floats", "0.2548296F", "0.2648296F"),
    ("row_integers", "quotient_of(steps, total)", "quotient_of(steps, total + (total >> 6))"),
    ("row_heads", "(transposed ? place : across) / kLanes", "(transposed ? across : place) / kLanes"),
    ("row_heads", "token == 0 ? 0 : before", "before"),
    ("control", "left > 0 ? left : 0", "each"),
    ("recurrent_unit", "sum_of<T>(sums, n, hidden + j)", "sum_of<T>(sums, n, j)"),
    ("recurrent_unit", "reverse != 0 ?", "reverse == 0 ?"),
    ("array_load", "wraps ? corners[i].column - back", "wraps ? corners[i].column"),
    ("array_store", "l.sum == 1 ?", "l.sum == 2 ?"),
    ("row_store", "l.sum == 1 ? product", "l.sum == 2 ? product"),
    ("row_load", "pair = i % (kBlockM / 2) * 2", "pair = i % (kBlockM / 2)"),
    ("row_fold", "dx[part] - room", "dx[part]"),
    ("tiles", "p % kBlockM", "p / kBlockM"),
    ("sums", "wide(l.b_low, l.b_high)", "wide(l.a_low, l.b_high)"),
    ("fold", "sum > 0 ? count / 2", "sum > 0 ? 0"),
    ("places", "dy < l.kernel_y ? dy : kOutside", "dy"),
    ("weights", "set % sets_of(l) * l.together", "set % sets_of(l)"),
    ("values", "2 * at + 1]) << 16", "2 * at]) << 16"),
    ("finish", "15 - channel.shift", "14 - channel.shift"),
    ("array_sequencer", "first_done <= unit", "unit"),
    ("row_sequencer", "(opcode == kFold && loads)", "(opcode == kFold)"),
    ("row_tables", "kLanes + l.kernel_y", "l.kernel_y"),
    ("rows", "r.step * r.words + j] = ", "r.words + j] = "),
    ("matrix_engine", "first ? Sum(0) : sums[i][j]", "sums[i][j]"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "was", "becomes"), FAULTS)
def test_a_bench_notices_a_fault_in_its_header(name: str, was: str, becomes: str, tmp_path: Path) -> None:
    place = beside_the_headers(BENCHES / "engine" / f"{name}.cpp", tmp_path)
    header = tmp_path / "engine" / f"{name}.h"
    text = header.read_text()
    assert was in text
    header.write_text(text.replace(was, becomes))
    with pytest.raises((AssertionError, ToolError)):
        simulated(place, place)


def test_every_header_has_a_bench() -> None:
    benches = {f.relative_to(BENCHES).with_suffix("") for f in HEADERS}
    assert benches == {f.relative_to(LIBRARY).with_suffix("") for f in LIBRARY.rglob("*.h")}
