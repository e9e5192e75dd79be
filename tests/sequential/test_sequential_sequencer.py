"""The sequencer: layers go to their units in order; what is no program ends with a status; the last one ends all units."""

from __future__ import annotations

from pathlib import Path

from aieloom.emulator.hls.config import read_config
from aieloom.emulator.hls.csim import csim
from aieloom.sequential.array import ArrayEngine
from aieloom.sequential.emit_array import NUMBERS, sequencer
from aieloom.spec.device import Device, load_board
from tests.emit.instances import written

# Runs programs on queues in which the units' tokens lie already; prints status and layer, the opcodes that each unit was sent,
# and the tokens that are left.
BENCH = """
#include <ap_axi_sdata.h>
#include <hls_stream.h>
#include <cstdio>
#include <vector>
using Control = ap_axiu<32, 0, 0, 0>;
extern "C" void sequencer(const int*, int*, int, int, hls::stream<Control>*, hls::stream<Control>*);
void run(const std::vector<int>& opcodes, int count, int last) {
  std::vector<int> program(opcodes.size() * NUMBERS + 1);
  for (std::size_t i = 0; i < opcodes.size(); ++i) program[i * NUMBERS] = opcodes[i];
  static hls::stream<Control> to[UNITS];
  static hls::stream<Control> done[DONE];
  for (auto& d : done) for (int i = 0; i < 4; ++i) d.write(Control());
  int status[2] = {-1, -1};
  sequencer(program.data(), status, count, last, to, done);
  std::printf("%d %d:", status[0], status[1]);
  for (auto& t : to) {
    std::printf(" ");
    while (!t.empty()) {
      std::printf("%d", t.read().data.to_int());
      for (int i = 1; i < NUMBERS; ++i) t.read();
    }
  }
  std::printf(" left");
  for (auto& d : done) {
    std::printf(" %d", int(d.size()));
    while (!d.empty()) d.read();
  }
  std::printf("\\n");
}
int main() {
  run({1, 2, 3, 1}, 4, 0);
  run({1}, 1, 1);
  run({}, 0, 1);
  run({1, 9, 1}, 3, 1);
  run({0}, 1, 0);
  run({1}, -1, 1);
  run({1}, 1 << 20, 0);
}
"""
# Two rows and two columns of chains have six movers; rows, the vector unit and both row units tell when they are done.
TOLD = """\
0 4: 11 11 11 11 11 11 2 3 3 left 2 2 3 3 3
0 1: 10 10 10 10 10 10 0 0 0 left 3 3 4 4 4
0 0: 0 0 0 0 0 0 0 0 0 left 4 4 4 4 4
2 1: 10 10 10 10 10 10 0 0 0 left 3 3 4 4 4
2 0:          left 4 4 4 4 4
1 0: 0 0 0 0 0 0 0 0 0 left 4 4 4 4 4
1 0:          left 4 4 4 4 4
"""


def test_a_program_is_sent_layer_by_layer_and_what_is_none_is_refused(tmp_path: Path) -> None:
    device = load_board("vck190")
    assert isinstance(device, Device)
    engine = ArrayEngine(
        element="int8", device=device, grid=(2, 2, 2), depth=64, line_words=64, cache_words=64, mmul=(2, 8, 8)
    )
    source = written(sequencer(engine, row_units=2, vectors=1), tmp_path)
    (tmp_path / "bench.cpp").write_text(BENCH)
    (tmp_path / "hls_config.cfg").write_text(
        f"[hls]\nsyn.file={source}\nsyn.top=sequencer\ntb.file=bench.cpp\n"
        f"tb.cflags=-DNUMBERS={NUMBERS} -DUNITS={engine.units + 3} -DDONE={engine.rows + 3}\n"
    )
    component = read_config(tmp_path / "hls_config.cfg")
    done = csim(component, out=tmp_path / "out")
    assert (done.code, done.stdout) == (0, TOLD), done.stderr
