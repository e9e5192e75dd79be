"""Sums that take turns: what loops say of their dependence holds when they run, and leaves memory and adder their time."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from aieloom.sequential.cost import ENGINE, READS, conv_cost
from aieloom.sequential.emit import render
from aieloom.sequential.engine import InLogic, solve_engines
from aieloom.sequential.plan import engines_of
from aieloom.spec.device import load_board
from tests.sequential.networks import conv_step, opened, quantised

DEPENDENCE = re.compile(r"#pragma HLS dependence variable=sums .*\n")
TRUE = re.compile(r"variable=sums type=inter direction=RAW distance=(\d+) true\n")
READ, WRITE = (
    1,
    1,
)  # cycles of a memory of LUTs: a value is there one after its address, and is read one after it was written
ADDER = {"int8": 1, "float32": 7}  # cycles (operators.yaml)

# A sum that notes how many iterations of its loop lie between two products, and calls with the least there is to do.
TRACED = """\
using Number = %s;
static int now = 0, least[2] = {1 << 30, 1 << 30}, loop = 0;
struct Sum {
  Number value;
  int last = -(1 << 30);
  Sum() = default;
  explicit Sum(int v) : value(Number(v)) {}
  void operator+=(Number v) {
    least[loop] = now - last < least[loop] ? now - last : least[loop];
    last = now;
    value += v;
  }
  operator Number() const { return value; }
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
  static Word x[4096], w[65536], y[4096];
  static Channel channels[256];
  for (int images : {1, 2, 37, 300}) {
    for (int depthwise : {0, 1}) {
      %s(x, w, channels, y, 0, 0, 0, 0, 1, images, 1, 1, 1, 1, 1, 1, 1, 0, 3, 3, 1, 1, 1, 1, 1, depthwise, 0, 0, 0, 0, 0);
    }
  }
  std::printf("%%d %%d\\n", least[0], least[1]);
}
"""


def traced(text: str, number: str) -> str:
    """Return a kernel's source with sums that are followed, and a program that runs it."""
    text = re.sub(r"using Sum = [\w:]+;\n", TRACED % number, text)
    text = text.replace("#include <hls_stream.h>\n", QUEUE, 1)
    one, two = DEPENDENCE.findall(text)
    text = text.replace(one, "loop = 0; ++now;\n", 1).replace(two, "loop = 1; ++now;\n", 1)
    return text + MAIN % "conv_engine"


@pytest.mark.parametrize(("element", "number"), [("float32", "float"), ("int8", "std::int32_t")])
def test_a_sum_s_next_product_comes_as_late_as_the_loop_says(
    element: str, number: str, tmp_path: Path
) -> None:
    network = quantised("multiplier") + "engine: pl\n" if element == "int8" else None
    project = opened(tmp_path, network) if network else opened(tmp_path)
    assert engines_of(project.plan).engine.element == element
    text = render(project.plan, project.parameters)["src/pl/conv_engine.cpp"]
    assert isinstance(text, str)
    said = [int(d) for d in TRUE.findall(text)]
    assert len(said) == len(DEPENDENCE.findall(text)) == 2, "no loop calls a dependence false"
    assert min(said) >= READ + ADDER[element] + WRITE
    (tmp_path / "traced.cpp").write_text(traced(text, number))
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-w", "-o", tmp_path / "traced", tmp_path / "traced.cpp"],
        check=True,
    )
    ran = subprocess.run([tmp_path / "traced"], check=True, capture_output=True, text=True)
    seen = [int(n) for n in ran.stdout.split()]
    assert seen == said, "iterations between two products of a sum, at the least"


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
