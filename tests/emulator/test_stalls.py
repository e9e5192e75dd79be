"""Streams that stall by a seed: what polls see, what waits does not, and what was shown stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom import cli
from aieloom.emulator.hls.component import Component, File
from aieloom.emulator.hls.csim import csim

BENCH = r"""
#include <hls_stream.h>
#include <cstdio>
int main() {
  hls::stream<int> s("s");
  for (int i = 0; i < 500; ++i) s.write(i);  // waits, and is done
  int next = 0;
  while (next < 500) {
    const bool hidden = s.empty();
    std::putchar(hidden ? '.' : '#');
    int word = -1;
    if (!hidden) {
      if (s.empty() || !s.read_nb(word) || word != next++) return 1;  // what was shown stays
    } else if (s.size() == 0) {
      return 2;
    }
    const bool closed = s.full();
    std::putchar(closed ? '-' : '+');
    if (!closed && !s.write_nb(0)) return 3;
  }
  return s.read() == 0 ? 0 : 4;
}
"""


def pattern(folder: Path, stalls: int | None) -> str:
    source = folder / "bench.cpp"
    source.write_text(BENCH)
    component = Component(name="bench", folder=folder, design=(File(source),), bench=(File(source),))
    done = csim(component, out=folder / "out", stalls=stalls)
    assert done.code == 0, done.stderr
    return done.stdout


def test_stalls_follow_from_the_seed(tmp_path: Path) -> None:
    assert set(pattern(tmp_path, None)) == {"#", "+"}
    seen = [pattern(tmp_path, seed) for seed in (0, 1, 2, 1)]
    assert seen[1] == seen[3]
    assert len(set(seen)) == 3
    for text in seen:
        assert set(text) == {"#", "+", ".", "-"}
        stalls = [len(run) for run in text[::2].split("#") if run]
        assert max(stalls) > 30, "as long as a row"
        assert stalls.count(1) > 3, "and as short as a step"


@pytest.mark.parametrize("command", [["csim", "--source", "x.cpp"], ["emulate", "g.cpp"]])
def test_a_seed_is_a_whole_number(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([*command, "--stalls", "-1"])
    assert ended.value.code == 2
    assert "is no whole number from 0 to 2^62 - 1" in capsys.readouterr().err
