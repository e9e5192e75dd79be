"""A kernel that never comes back is named, after a time of one turn that can be set."""

from __future__ import annotations

from pathlib import Path

import pytest

import aieloom
from aieloom import cli
from aieloom.emulator.program import Result

GRAPH = """
#include <adf.h>
void busy(input_stream<int32>* in, output_stream<int32>* out);
class Graph : public adf::graph {
 public:
  adf::kernel k[2];
  adf::input_plio in[2];
  adf::output_plio out[2];
  Graph() {
    for (int i = 0; i < 2; ++i) {
      k[i] = adf::kernel::create(busy);
      adf::source(k[i]) = "busy.cc";
      adf::runtime<adf::ratio>(k[i]) = 0.9;
      in[i] = adf::input_plio::create(adf::plio_32_bits, "in" + std::to_string(i) + ".txt");
      out[i] = adf::output_plio::create(adf::plio_32_bits, "out" + std::to_string(i) + ".txt");
      adf::connect<adf::stream>(in[i].out[0], k[i].in[0]);
      adf::connect<adf::stream>(k[i].out[0], out[i].in[0]);
    }
  }
};
Graph graph;
int main() {
  graph.init();
  graph.run(8);
  graph.end();
}
"""
# So many hundredths of a second of processor time for each word; for ever where it is negative.
KERNEL = """
#include <adf.h>
#include <ctime>
void busy(input_stream<int32>* in, output_stream<int32>* out) {
  const int32 hundredths = readincr(in);
  const clock_t begun = clock();
  while (hundredths < 0 || clock() - begun < hundredths * (CLOCKS_PER_SEC / 100)) {
  }
  writeincr(out, hundredths);
}
"""


def run(folder: Path, first: int, second: int, seconds: float) -> Result:
    (folder / "g.cpp").write_text(GRAPH)
    (folder / "busy.cc").write_text(KERNEL)
    for i, hundredths in enumerate((first, second)):
        (folder / f"in{i}.txt").write_text(f"{hundredths}\n" * 8)
    return aieloom.emulate(
        folder / "g.cpp", includes=[folder], data=folder, out=folder, kernel_timeout=seconds
    )


def test_a_kernel_that_never_comes_back_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, 1, -1, 0.4)
    assert done.code == 2
    assert "error: [endless-kernel] busy[1] has computed for 0.4 s of processor time" in done.stderr
    assert "in kernel busy[1] at " in done.stderr
    assert "busy.cc:" in done.stderr


def test_one_that_comes_back_has_its_time_anew(tmp_path: Path) -> None:
    done = run(tmp_path, 10, 0, 0.6)  # 0.8 s in all
    assert (done.code, done.stderr) == (0, "")
    assert (tmp_path / "out0.txt").read_text().split() == ["10"] * 8


@pytest.mark.parametrize("seconds", ["-1", "inf", "nan", "soon"])
def test_the_time_is_a_number_of_seconds(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["emulate", "g.cpp", f"--kernel-timeout={seconds}"])
    assert ended.value.code == 2
    assert "is no number of seconds" in capsys.readouterr().err
