"""Buffer descriptors as the DMA has them, in 32-bit words, in place of tiling parameters [AM020 DMA; UG1603]."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conformance.adf.project import refusal, run_project, write_numbers, write_project

Ints = NDArray[np.int64]
ROUNDS = 2


def walked(
    length: int,
    offset: int,
    steps: Sequence[int],
    wraps: Sequence[int],
    padding: Sequence[tuple[int, int]] = (),
) -> list[int]:
    """Return the words that a descriptor names, dimension 0 innermost, -1 for a zero; the last dimension goes on until `length`."""
    words: list[int] = []
    before, after = ([p[i] for p in padding] + [0] * 4 for i in range(2))

    def dimension(d: int, at: int) -> list[int]:
        if d < 0:
            return [at]
        count = wraps[d] if d < len(wraps) else length
        rows: list[list[int]] = []
        for i in range(count):
            rows.append(dimension(d - 1, at + i * steps[d]))
            if sum(map(len, rows)) >= length:
                break
        zeros = [-1] * len(rows[0])
        return [w for row in [zeros] * before[d] + rows + [zeros] * after[d] for w in row]

    words = dimension(len(steps) - 1, offset)
    assert len(words) >= length
    return words[:length]


CASES: dict[str, tuple[Any, ...]] = {
    "whole": (64, 0, (1,), ()),
    "columns": (64, 0, (8, 1), (8,)),
    "tiles": (64, 0, (1, 8, 4, 32), (4, 4, 2)),
    "every third": (21, 1, (3,), ()),
    "border": (60, 0, (1, 8), (8, 4), ((1, 1), (1, 1))),
    "a row before, and cut": (37, 8, (1, 8), (6,), ((0, 2), (0, 0))),
}


def cpp(case: Sequence[Any]) -> str:
    length, offset, steps, wraps, *padding = case
    braces = "{" + ", ".join(map(str, steps)) + "}", "{" + ", ".join(map(str, wraps)) + "}"
    if not padding:
        return f"buffer_descriptor({length}, {offset}, {braces[0]}, {braces[1]})"
    pairs = ", ".join(f"{{{a}, {b}}}" for a, b in padding[0])
    return f"described({length}, {offset}, {braces[0]}, {braces[1]}, {{{pairs}}})"


HEAD = """
#include <adf.h>
using namespace adf;
buffer_descriptor described(uint32 length, uint32 offset, std::vector<uint32> steps, std::vector<uint32> wraps,
                            std::vector<std::pair<uint32, uint32>> padding) {
  buffer_descriptor_parameters p;
  p.length = length;
  p.offset = offset;
  p.stepsize = steps;
  p.wrap = wraps;
  p.padding = padding;
  return p;
}
"""


def graph(reads: Sequence[str], write: str = "buffer_descriptor(64, 0, {1}, {})") -> str:
    lines = [
        f'out[{i}] = output_plio::create("o{i}", plio_32_bits, "o{i}.txt"); connect(b.out[{i}], out[{i}].in[0]); read_access(b.out[{i}]) = {text};'
        for i, text in enumerate(reads)
    ]
    return f"""{HEAD}
struct Top : graph {{
  input_plio in;
  output_plio out[{len(reads)}];
  shared_buffer<int32> b;
  Top() {{
    in = input_plio::create("in", plio_32_bits, "in.txt");
    b = shared_buffer<int32>::create({{8, 8}}, 1, {len(reads)});
    num_buffers(b) = 2;
    repetition_count(b) = {ROUNDS};
    connect(in.out[0], b.in[0]);
    write_access(b.in[0]) = {write};
    {" ".join(lines)}
  }}
}} top;
int main() {{ top.init(); top.run(1); top.end(); }}
"""


def test_reads_go_by_their_descriptors(tmp_path: Path) -> None:
    data = np.arange(64 * ROUNDS) + 100
    write_project(tmp_path, {"graph.cpp": graph([cpp(c) for c in CASES.values()])})
    write_numbers(tmp_path / "in.txt", data)
    ran = run_project(tmp_path, arch="aie-ml")
    assert ran.result.code == 0, ran.result.stderr
    for i, (name, case) in enumerate(CASES.items()):
        words = np.array(walked(*case))
        want = [np.where(words < 0, 0, part[words]) for part in data.reshape(ROUNDS, 64)]
        assert (ran.ints(f"o{i}.txt") == np.concatenate(want)).all(), name


def test_a_write_goes_by_its_descriptor(tmp_path: Path) -> None:
    data = np.arange(64 * ROUNDS) + 100
    write_project(
        tmp_path, {"graph.cpp": graph([cpp(CASES["whole"])], write="buffer_descriptor(64, 0, {8, 1}, {8})")}
    )
    write_numbers(tmp_path / "in.txt", data)
    ran = run_project(tmp_path, arch="aie-ml")
    assert ran.result.code == 0, ran.result.stderr
    assert (ran.ints("o0.txt") == data.reshape(ROUNDS, 8, 8).transpose(0, 2, 1).ravel()).all()


@pytest.mark.parametrize(
    ("read", "write", "said"),
    [
        ("buffer_descriptor(8, 60, {1}, {})", "buffer_descriptor(64, 0, {1}, {})", "tiling-range"),
        ("buffer_descriptor(0, 0, {}, {})", "buffer_descriptor(64, 0, {1}, {})", "tiling-dimensions"),
        (
            "buffer_descriptor(64, 0, {1}, {})",
            "described(64, 0, {1, 8}, {6}, {{1, 1}})",
            "tiling-range",
        ),
        (
            "buffer_descriptor(64, 0, {1, 1, 1, 1, 1}, {1, 1, 1, 1})",
            "buffer_descriptor(64, 0, {1}, {})",
            "tiling-dimensions",
        ),
    ],
)
def test_a_descriptor_that_the_dma_cannot_have(tmp_path: Path, read: str, write: str, said: str) -> None:
    write_project(tmp_path, {"graph.cpp": graph([read], write)})
    write_numbers(tmp_path / "in.txt", np.arange(64 * ROUNDS))
    assert f"[{said}]" in refusal(tmp_path, arch="aie-ml")


def whole_tile(access: str) -> str:
    return f"""{HEAD}
struct Top : graph {{
  input_plio in;
  output_plio out;
  shared_buffer<int32> b;
  Top() {{
    in = input_plio::create("in", plio_32_bits, "in.txt");
    out = output_plio::create("out", plio_32_bits, "out.txt");
    b = shared_buffer<int32>::create({{131072}}, 1, 1);
    num_buffers(b) = 1;
    connect(in.out[0], b.in[0]);
    connect(b.out[0], out.in[0]);
    {access}
  }}
}} top;
int main() {{ top.init(); }}
"""


def test_a_memory_tile_in_one_run_is_longer_than_a_descriptor_holds(tmp_path: Path) -> None:
    """AM020: Buffer_Length has 17 bits, and a memory tile 131,072 words."""
    write_project(tmp_path, {"graph.cpp": whole_tile("")})
    write_numbers(tmp_path / "in.txt", np.arange(4))
    said = refusal(tmp_path, arch="aie-ml")
    assert "[tiling-length]" in said
    assert "moves 131072 words in one run; a descriptor of a memory tile holds 131071" in said
    halves = "tiling({.buffer_dimension = {131072}, .tiling_dimension = {65536}, .offset = {0}, "
    halves += ".tile_traversal = {{.dimension = 0, .stride = 65536, .wrap = 2}}})"
    write_project(
        tmp_path,
        {"graph.cpp": whole_tile(f"write_access(b.in[0]) = {halves}; read_access(b.out[0]) = {halves};")},
    )
    ran = run_project(tmp_path, arch="aie-ml")
    assert ran.result.code == 0, ran.result.stderr
