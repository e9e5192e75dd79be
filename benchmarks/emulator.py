"""The emulator: how long graphs build without a cache (8 kernels; 400 of 400 sources; 336 of 8), and how fast the last runs.

    python -m benchmarks.emulator

Works in a temporary folder with an empty object cache. An editable install has compiled the emulator's own runtime; where it
has not (a wheel, or other headers since), that is compiled too. Prints a table, writes nothing here.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np

import aieloom
from aieloom.emulator.program import Program, build, run
from aieloom.paths import package_folder

ROOT = Path(__file__).resolve().parents[1]
PREBUILT = package_folder() / "prebuilt"
MATMUL = ROOT / "tests" / "programs" / "matmul" / "graph.cpp"
ROWS, COLS, DEPTH, SIDE = 6, 8, 4, 16  # of tests/programs/matmul
FEW, MANY = 10, 110  # iterations; the difference is free of the start
KERNELS, SOURCES = 8, 400

SCALE = """\
// One of many: each is a source of its own, as in most designs.
#include <adf.h>
#include <aie_api/aie.hpp>

void scale{i}(adf::input_buffer<float>& in, adf::output_buffer<float>& out) {{
  auto from = aie::begin_vector<8>(in);
  auto to = aie::begin_vector<8>(out);
  for (unsigned n = 0; n < in.size() / 8; ++n) chess_prepare_for_pipelining {{
      *to++ = aie::mul(*from++, {i}.5f).to_vector<float>();
    }}
}}
"""
GRAPH = """\
// A chain of kernels.
#include <adf.h>
{declarations}
class Chain : public adf::graph {{
 public:
  adf::input_plio in = adf::input_plio::create("in", adf::plio_128_bits, "in.txt");
  adf::output_plio out = adf::output_plio::create("out", adf::plio_128_bits, "out.txt");
  adf::kernel k[{count}];
  Chain() {{
{kernels}
    for (int i = 0; i < {count}; ++i) {{
      adf::runtime<adf::ratio>(k[i]) = 0.9;
      adf::dimensions(k[i].in[0]) = {{64}};
      adf::dimensions(k[i].out[0]) = {{64}};
      if (i > 0) adf::connect<>(k[i - 1].out[0], k[i].in[0]);
    }}
    adf::connect<>(in.out[0], k[0].in[0]);
    adf::connect<>(k[{count} - 1].out[0], out.in[0]);
  }}
}};
Chain chain;
int main() {{
  chain.init();
  chain.run(1);
  chain.end();
}}
"""


def chain(folder: Path, count: int) -> Path:
    """Write a graph of kernels that each have a source; return it."""
    folder.mkdir()
    for i in range(count):
        (folder / f"scale{i}.cc").write_text(SCALE.format(i=i))
    signature = "(adf::input_buffer<float>& in, adf::output_buffer<float>& out);"
    kernels = "\n".join(
        f'    k[{i}] = adf::kernel::create(scale{i});\n    adf::source(k[{i}]) = "scale{i}.cc";'
        for i in range(count)
    )
    declarations = "\n".join(f"void scale{i}{signature}" for i in range(count))
    (folder / "graph.cpp").write_text(GRAPH.format(declarations=declarations, kernels=kernels, count=count))
    return folder / "graph.cpp"


def built(graph: Path, folder: Path) -> tuple[Path, float, float]:
    """Build a graph with an empty cache; return the program, the seconds it took, and those of processor."""
    os.environ["AIELOOM_CACHE"] = str(folder / "cache")
    began, before = time.perf_counter(), sum(os.times()[:4])
    program = build(Program(graph=graph), folder / "build")
    return program, time.perf_counter() - began, sum(os.times()[:4]) - before


def matmul_inputs() -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """Return seeded tiles for the iterations of the longest run, by PLIO."""
    rng = np.random.default_rng(1)
    names = [f"a_{i}_{k}" for i in range(ROWS) for k in range(DEPTH)]
    names += [f"b_{k}_{j}" for k in range(DEPTH) for j in range(COLS)]
    return {name: rng.standard_normal(MANY * SIDE * SIDE, dtype=np.float32) for name in names}


def seconds(program: Path, folder: Path, iterations: int) -> float:
    """Run the matrix product; return its seconds, the best of three."""
    inputs = matmul_inputs()
    found = []
    for _ in range(3):
        began = time.perf_counter()
        done = run(program, inputs=inputs, out=folder / "out", iterations=iterations)
        found.append(time.perf_counter() - began)
        if done.code:
            raise SystemExit(done.stderr)
    return min(found)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        _, small, _ = built(chain(place / "small", KERNELS), place / "small")
        _, many, many_cpu = built(chain(place / "many", SOURCES), place / "many")
        program, large, _ = built(MATMUL, place / "matmul")
        rate = (MANY - FEW) / (seconds(program, place, MANY) - seconds(program, place, FEW))
    runtime = "compiled by the installation" if PREBUILT.is_dir() else "compiled with the graphs"
    print(f"aieloom {aieloom.__version__}, {os.cpu_count()} cores, emulator's runtime {runtime}")
    print(f"8 kernels, cold build      {small:8.1f} s   (< 6)")
    each = 1000 * many_cpu / SOURCES
    print(
        f"400 sources, cold build    {many:8.1f} s   ({many_cpu:.1f} s of processor, {each:.0f} ms a source)"
    )
    print(f"336 kernels, cold build    {large:8.1f} s   (< 60)")
    print(f"336 kernels, iterations    {rate:8.1f} /s  (>= 20)")


if __name__ == "__main__":
    main()
