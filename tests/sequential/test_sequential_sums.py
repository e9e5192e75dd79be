"""Sums that take turns: what loops say of their dependence holds when they run, and leaves memory and adder their time."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from aieloom.sequential.cost import ENGINE, READS, conv_cost
from aieloom.sequential.emit import render
from aieloom.sequential.engine import InLogic, solve_engines
from aieloom.sequential.plan import engines_of
from aieloom.spec.device import load_board
from tests.sequential.networks import conv_step, opened, quantised

DEPENDENCE = re.compile(r"#pragma HLS dependence variable=sums type=inter direction=RAW distance=(.+) true\n")
DISTANCES = ["T::kTurns", "Of<T>::kApart"]  # of the engine's two loops; kApart is kTurns * kPixels
READ, WRITE = (
    1,
    1,
)  # cycles of a memory of LUTs: a value is there one after its address, and is read one after it was written
ADDER = {"int8": 1, "float32": 7}  # cycles (operators.yaml)

# A sum that notes how many iterations of its loop lie between two products.
TRACED = """\
static int now = 0, least[2] = {1 << 30, 1 << 30}, loop = 0;
template <class Number>
struct Traced {
  Number value;
  int last = -(1 << 30);
  Traced() = default;
  explicit Traced(int v) : value(Number(v)) {}
  void operator+=(Number v) {
    least[loop] = now - last < least[loop] ? now - last : least[loop];
    last = now;
    value += v;
  }
};
#include "include/aieloom/pl/engine/conv_engine.h"
using namespace aieloom::pl;
struct Values {
  using Element = BASE::Element;
  using Factor = BASE::Factor;
  using Sum = Traced<BASE::Sum>;
};
struct Nothing {
  static BASE::Element of(const Values::Sum&, const Channel<Values::Sum>&, const Finish<Values::Sum>&) { return 0; }
};
"""
# Queues between processes that follow one another.
QUEUE = """\
#include <deque>
namespace hls {
template <class T, int kDepth = 0>
struct stream;
template <class T>
struct stream<T, 0> : std::deque<T> {
  void write(const T& value) { this->push_back(value); }
  T read() {
    const T value = this->front();
    this->pop_front();
    return value;
  }
};
template <class T, int kDepth>
struct stream : stream<T, 0> {};
}  // namespace hls
"""
MAIN = """
#include <cstdio>
#include <initializer_list>
int main() {
  static Word<Values::Element> x[4096], w[65536], y[4096];
  static Channel<Values::Sum> channels[256];
  const Values::Sum none(0);
  for (int images : {1, 2, 37, 300}) {
    for (int depthwise : {0, 1}) {
      conv::engine<Engine>(x, w, channels, y, 0, 0, 0, 0, 1, images, 1, 1, 1, 1, 1, 1, 1, 0, 3, 3, 1, 1, 1, 1, 1, depthwise, 0, 0, 0, none, none);
    }
  }
  std::printf("%d %d\\n", least[0], least[1]);
}
"""


def traced(tree: Mapping[str, object], values: str, folder: Path) -> Path:
    """Write the engine's headers, whose loops count, and a program that runs them with sums that are followed; return it."""
    for path in (path for path in tree if path.startswith("src/include/aieloom/pl")):
        header, text = folder / path.removeprefix("src/"), str(tree[path])
        if header.name == "conv_engine.h":
            assert DEPENDENCE.findall(text) == DISTANCES, "no loop calls a dependence false"
            for number in range(len(DISTANCES)):
                text = DEPENDENCE.sub(f"loop = {number}; ++now;\n", text, count=1)
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(text)
    (folder / "hls_stream.h").write_text(QUEUE)
    (engine,) = re.findall(r"struct Engine \{.*?^\};", str(tree["src/pl/conv_engine.cpp"]), re.M | re.S)
    engine = re.sub(r"using Values = .*;", "using Values = ::Values;", engine)
    engine = re.sub(r"using Finished = .*;", "using Finished = Nothing;", engine)
    program = folder / "traced.cpp"
    program.write_text(TRACED.replace("BASE", values) + engine + MAIN)
    return program


@pytest.mark.parametrize(("element", "values"), [("float32", "Floats"), ("int8", "Integers")])
def test_a_sum_s_next_product_comes_as_late_as_the_loop_says(
    element: str, values: str, tmp_path: Path
) -> None:
    network = quantised("multiplier") + "engine: pl\n" if element == "int8" else None
    project = opened(tmp_path, network) if network else opened(tmp_path)
    engine = engines_of(project.plan).engine
    assert engine.element == element
    assert engine.turns >= READ + ADDER[element] + WRITE
    program = traced(render(project.plan, project.parameters), values, tmp_path)
    made = program.with_suffix("")
    subprocess.run(["g++", "-std=c++17", "-O1", "-w", f"-I{tmp_path}", "-o", made, program], check=True)
    ran = subprocess.run([made], check=True, capture_output=True, text=True)
    seen = [int(n) for n in ran.stdout.split()]
    assert seen == [engine.turns, engine.turns * engine.pixels], (
        "iterations between two products of a sum, at the least"
    )


@pytest.mark.parametrize(("element", "least"), [("float32", READ + 7 + WRITE), ("int8", READ + 1 + WRITE)])
@pytest.mark.parametrize("seen", [1, 2, 18])
def test_the_model_counts_the_rounds_that_take_turns(element: InLogic, least: int, seen: int) -> None:
    """A row of weights is multiplied by the pixels of each round, a cycle each; by no fewer rounds than the loop has."""
    board = load_board("zcu104")
    memory = board.memory.model_copy(
        update={"read_mb_s": 1 << 24, "write_mb_s": 1 << 24, "bank_mb_s": 1 << 24}
    )
    board = board.model_copy(update={"memory": memory})  # words come a cycle each
    engine = solve_engines(board, element)[0]
    channels, rounds = 640, max(seen, least)
    if seen * engine.pixels > engine.block_pixels:
        pytest.skip("that many pixels do not share a load of weights")
    step = conv_step(channels, engine.out, (1, 1), 1)
    cost = conv_cost(step, engine, seen * engine.pixels)
    parts = -(-channels // 16 // engine.depth)
    products = channels * rounds + parts * 100  # the model's cycles of a part that fills its pipelines
    # words of weights, and beside them those of pixels, which fill the rounds up, a cycle each
    loads = max(channels * engine.out // 16, rounds * engine.pixels * channels // 16)
    # parts overlap; the first one is loaded alone, the last one multiplied alone
    assert cost.us.get(ENGINE, 0) + cost.us[READS] == pytest.approx(
        (max(products, loads) + min(products, loads) / parts) / engine.clock_mhz, rel=1e-3
    )
