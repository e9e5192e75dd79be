"""Memory tiles, DDR buffers and tiled kernel ports on AIE-ML, against the traversal's definition [UG1603]."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from aieloom.emulator.program import Program, build, run
from aieloom.spec.architecture import Architecture
from tests.conformance.adf.project import Ran, run_project, write_numbers, write_project

Ints = NDArray[np.int64]
ROUNDS = 3

KERNELS = {
    "kernels.h": """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
void copy(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
#endif
""",
    "copy.cc": """
#include "kernels.h"
void copy(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i];
}
""",
}

GRAPH = """
#include <cstdio>
#include <string>
#include "kernels.h"
using namespace adf;

class Tiles : public graph {
 public:
  input_plio in[2], pad_in, k_in;
  output_plio out[3], pad_out, k_out;
  shared_buffer<int32> matrix, padded;
  kernel k;
  Tiles() {
    // Two writers side by side, three readers: by halves, in two pieces, and everything twice.
    matrix = shared_buffer<int32>::create({12, 8}, 2, 3);
    num_buffers(matrix) = 2;
    write_access(matrix.in[0]) = tiling({.buffer_dimension = {12, 8}, .tiling_dimension = {4, 2}, .offset = {0, 0},
        .tile_traversal = {{.dimension = 0, .stride = 4, .wrap = 2}, {.dimension = 1, .stride = 2, .wrap = 4}}});
    write_access(matrix.in[1]) = tiling({.buffer_dimension = {12, 8}, .tiling_dimension = {2, 4}, .offset = {8, 0},
        .tile_traversal = {{.dimension = 1, .stride = 4, .wrap = 2}, {.dimension = 0, .stride = 2, .wrap = 2}}});
    read_access(matrix.out[0]) = tiling({.buffer_dimension = {12, 8}, .tiling_dimension = {6, 4}, .offset = {0, 0},
        .tile_traversal = {{.dimension = 1, .stride = 4, .wrap = 2}, {.dimension = 0, .stride = 6, .wrap = 2}}});
    read_access(matrix.out[1]) = {
        tiling_parameters{.buffer_dimension = {12, 8}, .tiling_dimension = {3, 2}, .offset = {5, 3}},
        tiling_parameters{.buffer_dimension = {12, 8}, .tiling_dimension = {1, 8}, .offset = {11, 0}}};
    read_access(matrix.out[2]) = tiling({.buffer_dimension = {12, 8}, .tiling_dimension = {12, 8}, .offset = {0, 0},
        .repetition = 2});
    for (int i = 0; i < 2; ++i) {
      in[i] = input_plio::create("in" + std::to_string(i), plio_64_bits, "data/in" + std::to_string(i) + ".txt");
      connect<>(in[i].out[0], matrix.in[i]);
    }
    for (int i = 0; i < 3; ++i) {
      out[i] = output_plio::create("out" + std::to_string(i), plio_32_bits, "out" + std::to_string(i) + ".txt");
      connect<>(matrix.out[i], out[i].in[0]);
    }
    // Zeros around: a frame of one element, and a boundary before the buffer's end.
    padded = shared_buffer<int32>::create({12, 3, 2}, 1, 1);
    read_access(padded.out[0]) = tiling({.buffer_dimension = {12, 3, 2}, .tiling_dimension = {14, 5, 2}, .offset = {-1, -1, 0},
        .boundary_dimension = {11, 3, 2}});
    pad_in = input_plio::create("pad_in", plio_32_bits, "data/pad.txt");
    pad_out = output_plio::create("pad_out", plio_128_bits, "pad.txt");
    connect<>(pad_in.out[0], padded.in[0]);
    connect<>(padded.out[0], pad_out.in[0]);
    // Kernel ports: transposed on the way in, every other row on the way out.
    k = kernel::create(copy);
    source(k) = "copy.cc";
    runtime<ratio>(k) = 0.9;
    k_in = input_plio::create("k_in", plio_32_bits, "data/k.txt");
    k_out = output_plio::create("k_out", plio_32_bits, "k.txt");
    connect<>(k_in.out[0], k.in[0]);
    connect<>(k.out[0], k_out.in[0]);
    dimensions(k.in[0]) = {4, 6};
    dimensions(k.out[0]) = {4, 6};
    write_access(k.in[0]) = tiling({.buffer_dimension = {4, 6}, .tiling_dimension = {1, 6}, .offset = {0, 0},
        .tile_traversal = {{.dimension = 0, .stride = 1, .wrap = 4}}});
    read_access(k.out[0]) = tiling({.buffer_dimension = {4, 6}, .tiling_dimension = {4, 1}, .offset = {0, 0},
        .tile_traversal = {{.dimension = 1, .stride = 2, .wrap = 3}}});
  }
};

class Ddr : public graph {
 public:
  external_buffer<int32> from, to;
  kernel k;
  Ddr() {
    from = external_buffer<int32>::create({8, 4}, 0, 1);
    to = external_buffer<int32>::create({8, 4}, 1, 0);
    k = kernel::create(copy);
    source(k) = "copy.cc";
    runtime<ratio>(k) = 0.9;
    dimensions(k.in[0]) = {16};
    dimensions(k.out[0]) = {16};
    read_access(from.out[0]) = tiling({.buffer_dimension = {8, 4}, .tiling_dimension = {4, 4}, .offset = {0, 0},
        .tile_traversal = {{.dimension = 0, .stride = 4, .wrap = 2}}});
    write_access(to.in[0]) = tiling({.buffer_dimension = {8, 4}, .tiling_dimension = {8, 4}, .offset = {0, 0}});
    connect<>(from.out[0], k.in[0]);
    connect<>(k.out[0], to.in[0]);
  }
};

Tiles tiles;
Ddr ddr;

int main() {
  tiles.init();
  ddr.init();
  auto* source = static_cast<int32*>(GMIO::malloc(128));
  auto* target = static_cast<int32*>(GMIO::malloc(128));
  for (int i = 0; i < 32; ++i) source[i] = 7 * i, target[i] = -1;
  ddr.from.setAddress(source);
  ddr.to.setAddress(target);
  ddr.from.gm2aie_nb(ddr.from.out[0]);
  ddr.to.aie2gm_nb(ddr.to.in[0]);
  ddr.run(1);
  ddr.to.wait(ddr.to.in[0]);
  ddr.end();
  for (int i = 0; i < 32; ++i) std::printf("%d ", target[i]);
  GMIO::free(source);
  GMIO::free(target);
  tiles.run();
  tiles.end();
}
"""


def traverse(
    buffer: Sequence[int],
    tile: Sequence[int],
    offset: Sequence[int],
    loops: Sequence[tuple[int, int, int]] = (),
    repetition: int = 1,
) -> list[tuple[int, ...]]:
    """Return the touched indices in order: the definition of the facts, word for word."""
    touched = []
    for _ in range(repetition):
        for steps in itertools.product(*(range(wrap) for _, _, wrap in reversed(loops))):
            at = dict.fromkeys(range(len(buffer)), 0)
            for (dimension, stride, _), step in zip(reversed(loops), steps, strict=True):
                at[dimension] += step * stride
            for e in itertools.product(*(range(n) for n in reversed(tile))):
                inner = tuple(reversed(e))
                touched.append(tuple(offset[d] + at[d] + inner[d] for d in range(len(buffer))))
    return touched


def data(name: str, count: int) -> Ints:
    rng = np.random.default_rng(sum(map(ord, name)))
    return rng.integers(-1000, 1000, (ROUNDS, count))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("tiles")
    write_project(folder, {**KERNELS, "graph.cpp": GRAPH})
    write_numbers(folder / "data/in0.txt", data("in0", 64), 2)
    write_numbers(folder / "data/in1.txt", data("in1", 32), 2)
    write_numbers(folder / "data/pad.txt", data("pad", 72))
    write_numbers(folder / "data/k.txt", data("k", 24))
    done = run_project(folder, arch="aie-ml")
    assert (done.result.code, done.result.stderr) == (0, "")
    return done


def matrices() -> list[Ints]:
    """Return the 12 x 8 buffers, indexed [i0, i1], as the two writers fill them."""
    made = []
    first = traverse((12, 8), (4, 2), (0, 0), ((0, 4, 2), (1, 2, 4)))
    second = traverse((12, 8), (2, 4), (8, 0), ((1, 4, 2), (0, 2, 2)))
    assert sorted(first + second) == sorted(itertools.product(range(12), range(8)))
    for a, b in zip(data("in0", 64), data("in1", 32), strict=True):
        m = np.zeros((12, 8), dtype=np.int64)
        for at, value in zip(first + second, [*a, *b], strict=True):
            m[at] = value
        made.append(m)
    return made


READS = (
    [((6, 4), (0, 0), ((1, 4, 2), (0, 6, 2)), 1)],
    [((3, 2), (5, 3), (), 1), ((1, 8), (11, 0), (), 1)],
    [((12, 8), (0, 0), (), 2)],
)


@pytest.mark.parametrize("reader", range(3))
def test_shared_buffer_with_two_writers_and_three_readers(ran: Ran, reader: int) -> None:
    order = [
        at for tile, offset, loops, n in READS[reader] for at in traverse((12, 8), tile, offset, loops, n)
    ]
    want = [m[at] for m in matrices() for at in order]
    np.testing.assert_array_equal(ran.ints(f"out{reader}.txt"), want)


def test_zero_padding_and_boundary(ran: Ran) -> None:
    blocks = data("pad", 72).reshape(ROUNDS, 2, 3, 12).copy()
    blocks[..., 11] = 0  # beyond the boundary of 11
    want = np.pad(blocks, ((0, 0), (0, 0), (1, 1), (1, 1)))
    np.testing.assert_array_equal(ran.ints("pad.txt"), want.ravel())


def test_tiled_kernel_ports(ran: Ran) -> None:
    want = []
    for block in data("k", 24):
        buffer = block.reshape(4, 6).T  # element (i0, i1) at [i1, i0]: the writer goes down columns
        want.append(buffer[::2])
    np.testing.assert_array_equal(ran.ints("k.txt"), np.ravel(want))


def test_external_buffers(ran: Ran) -> None:
    source = (7 * np.arange(32)).reshape(4, 8)
    want = np.concatenate([source[:, :4].ravel(), source[:, 4:].ravel()])
    assert [int(v) for v in ran.result.stdout.split()] == list(want)


# What is placed where, and what the message says. UG1603: columns of the array, two rows on VE2802, 512 KB in 16 banks each.
PLACES = {
    "column": (
        "at(0, address(38, 0, 0));",
        "b[0] is placed in memory tile (38, 0), which VE2802 does not have",
    ),
    "row": ("at(0, address(6, 2, 0));", "b[0] is placed in memory tile (6, 2)"),
    "end": ("at(0, address(6, 0, 524228));", "b[0] (64 B) at byte 524228 of memory tile (6, 0)"),
    "word": ("at(0, address(6, 0, 2));", "b[0] (64 B) at byte 2"),
    "bank": ("at(0, bank(6, 0, 16));", "b[0] is placed in bank 16"),
    "overlap": (
        "at(0, address(6, 0, 0)); at(1, address(6, 0, 60));",
        "b[1] at byte 60 of memory tile (6, 0) overlaps b[0], which ends at 64",
    ),
    "copies": ("at(0, {address(6, 0, 0), address(6, 0, 64)});", "b[0] has 2 locations for 1 buffer"),
    "pair": (
        "num_buffers(b[0]) = 2; at(0, {address(6, 0, 0), address(6, 0, 32)});",
        "b[0] at byte 32 of memory tile (6, 0) overlaps b[0]",
    ),
    "channels": (
        "for (int i = 0; i < 7; ++i) at(i, address(6, 0, 64 * i));",
        "b[6] and the others in memory tile (6, 0) have 7 writers and 7 readers",
    ),
    "good": (
        "for (int i = 0; i < 6; ++i) at(i, address(6, 1, 64 * i)); at(6, bank(7, 0, 15)); num_buffers(b[7]) = 2;"
        "at(7, {address(7, 1, 0), address(8, 1, 0)});",
        "",
    ),
}
PLACED = """
#include <cstdlib>
#include <string>
#include "kernels.h"
using namespace adf;

class Placed : public graph {
 public:
  input_plio in[8];
  output_plio out[8];
  shared_buffer<int32> b[8];
  template <typename Where>
  void at(int i, const Where& where) { location<buffer>(b[i]) = where; }
  void at(int i, std::initializer_list<aieloom::Location> where) { location<buffer>(b[i]) = where; }
  Placed() {
    const std::string chosen = std::getenv("CASE");
    for (int i = 0; i < 8; ++i) {
      b[i] = shared_buffer<int32>::create({16}, 1, 1);
      in[i] = input_plio::create("i" + std::to_string(i), plio_32_bits, "data/in.txt");
      out[i] = output_plio::create("o" + std::to_string(i), plio_32_bits, "o" + std::to_string(i) + ".txt");
      connect<>(in[i].out[0], b[i].in[0]);
      connect<>(b[i].out[0], out[i].in[0]);
    }
    CASES
  }
};
Placed g;
int main() { g.init(); g.run(1); g.end(); return 0; }
"""


def test_places_in_memory_tiles_are_checked(tmp_path: Path) -> None:
    cases = "\n    ".join(f'if (chosen == "{name}") {{ {body} }}' for name, (body, _) in PLACES.items())
    write_project(tmp_path, {**KERNELS, "graph.cpp": PLACED.replace("CASES", cases)})
    write_numbers(tmp_path / "data" / "in.txt", np.arange(16))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASE", "good")
        program = build(
            Program(graph=tmp_path / "graph.cpp", architecture=Architecture.AIE_ML), tmp_path / "build"
        )
        for name, (_, pattern) in PLACES.items():
            patch.setenv("CASE", name)
            done = run(program, data=tmp_path, out=tmp_path / "out", timeout=60)
            assert done.code == (2 if pattern else 0), (name, done.stderr)
            assert pattern.replace("b[", "shared_buffer[") in done.stderr, (name, done.stderr)


@pytest.mark.slow
def test_places_are_those_of_the_device_that_a_graph_is_compiled_for(tmp_path: Path) -> None:
    """VE2302 has 17 columns with one row of memory tiles, and PL interfaces in columns 2 to 11."""
    body = 'if (chosen == "good") at(0, address(16, 0, 0)); if (chosen == "row") at(0, address(6, 1, 0));'
    write_project(tmp_path, {**KERNELS, "graph.cpp": PLACED.replace("CASES", body)})
    write_numbers(tmp_path / "data" / "in.txt", np.arange(16))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASE", "good")
        defines = ('AIELOOM_PART="VE2302",17,2,1,2,11',)
        graph = Program(graph=tmp_path / "graph.cpp", architecture=Architecture.AIE_ML, defines=defines)
        program = build(graph, tmp_path / "build")
        assert run(program, data=tmp_path, out=tmp_path / "out", timeout=60).code == 0
        patch.setenv("CASE", "row")
        done = run(program, data=tmp_path, out=tmp_path / "out", timeout=60)
        assert done.code == 2
        assert "memory tile (6, 1), which VE2302 does not have" in done.stderr
