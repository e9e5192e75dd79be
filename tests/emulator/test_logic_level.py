"""PL kernels and C simulation are C++14, but for constants of classes, which Vitis HLS reads where they are declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator.compiler import OF_LOGIC, Unit, compile_unit, is_compiled
from aieloom.emulator.hls.component import Component, File
from aieloom.emulator.hls.csim import csim
from aieloom.errors import ToolError
from aieloom.paths import package_folder

TABLE = """#include <ap_int.h>
template <typename Size> struct Filter { static constexpr int taps[5] = {3, -1, 4, -1, 5}; static constexpr Size count = 5; };
int top(int n) { return Filter<int>::taps[n]; }
const int& count() { return Filter<int>::count; }
"""
PLAIN = TABLE.replace("template <typename Size> struct Filter", "typedef int Size; struct Filter").replace(
    "Filter<int>", "Filter"
)
BENCH = """#include <iostream>
int top(int n);
const int& count();
int main() { std::cout << top(2) << ' ' << count() << std::endl; return top(4) != count(); }
"""
FIR = """#include <hls_fir.h>
struct Config : hls::ip_fir::params_t {
  static const unsigned input_length = 4, output_length = 4, num_coeffs = 3;
  static constexpr double coeff_vec[3] = {1, 2, 3};
};
int main() {
  static hls::FIR<Config> fir;
  ap_fixed<16, 16> in[4] = {1, 0, 0, 1};
  ap_fixed<24, 24> out[4];
  fir.run(in, out);
  const int wanted[4] = {1, 2, 3, 1};
  int errors = 0;
  for (int i = 0; i < 4; ++i) errors += out[i] != wanted[i];
  return errors;
}
"""


def unit(folder: Path, text: str) -> Unit:
    (folder / "top.cpp").write_text(text)
    return Unit(source=folder / "top.cpp", includes=(package_folder() / "include",), options=OF_LOGIC)


def test_a_class_s_constants_need_no_definition_outside(tmp_path: Path) -> None:
    (tmp_path / "top.cpp").write_text(PLAIN)
    (tmp_path / "bench.cpp").write_text(BENCH)
    files = [(File(path=tmp_path / name),) for name in ("top.cpp", "bench.cpp")]
    done = csim(Component(name="c", folder=tmp_path, design=files[0], bench=files[1]), out=tmp_path / "out")
    assert (done.code, done.stdout) == (0, "4 5\n"), done.stderr


def test_a_filter_s_coefficients_in_its_description(tmp_path: Path) -> None:
    """As AMD's example DSP/fir/decimator has them."""
    (tmp_path / "bench.cpp").write_text(FIR)
    bench = (File(path=tmp_path / "bench.cpp"),)
    assert (
        csim(Component(name="c", folder=tmp_path, design=bench, bench=bench), out=tmp_path / "out").code == 0
    )


@pytest.mark.parametrize("text", [PLAIN, TABLE], ids=["class", "template"])
def test_the_object_is_found_again(text: str, tmp_path: Path) -> None:
    source, made = unit(tmp_path, text), tmp_path / "top.o"
    compile_unit(source, made)
    assert is_compiled(source, made)
    made.unlink()
    assert not compile_unit(source, made)


def test_what_came_with_cpp_17_is_refused_beside_them(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"top.cpp:5.*is_same_v"):
        newer = 'static_assert(std::is_same_v<int, int>, "");\n'
        compile_unit(unit(tmp_path, PLAIN + newer), tmp_path / "top.o")
