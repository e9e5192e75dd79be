"""PL kernels and C simulation are C++14, but for test benches and for constants of classes, which need no definition outside."""

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
QDMA = """#include <ap_axi_sdata.h>
int main() {
  qdma_axis<128, 0, 0, 0> a = ap_uint<128>("0x0001000200030004", 16);
  a.keep_all();
  const qdma_axis<64, 0, 0, 0> b(5, 7, 1);
  return !(a.data == 0x0001000200030004 && a.keep == 0xFFFF && a.last == 0 && b.data == 5 && b.get_keep() == 7 && b.get_last() == 1);
}
"""
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


def test_a_test_bench_may_be_of_cpp_17(tmp_path: Path) -> None:
    (tmp_path / "top.cpp").write_text("int called = 0;\nvoid top(int& n) { ++called; n += 2; }\n")
    newer = "#include <hls_task.h>\n#include <tuple>\nextern int called;\nvoid top(int&);\n"
    newer += "int main() { int n = 1; hls::autorestart run(3, top, n); auto [a, b] = std::tuple(called, n); return a != 3 || b != 7; }\n"
    (tmp_path / "bench.cpp").write_text(newer)
    files = [(File(path=tmp_path / name),) for name in ("top.cpp", "bench.cpp")]
    both = Component(name="c", folder=tmp_path, design=files[0], bench=files[1])
    assert csim(both, out=tmp_path / "out").code == 0
    (tmp_path / "bench.cpp").write_text(f"{newer}// synthesised\n")
    with pytest.raises(ToolError, match=r"bench.cpp:5.*template arguments"):
        csim(
            Component(name="d", folder=tmp_path, design=(*files[0], *files[1]), bench=files[1]),
            out=tmp_path / "out",
        )


@pytest.mark.parametrize("text", [FIR, QDMA], ids=["fir", "qdma"])
def test_what_amd_s_sources_take(text: str, tmp_path: Path) -> None:
    """The example DSP/fir/decimator has its coefficients so, the tutorial of GeMM makes its words so."""
    (tmp_path / "bench.cpp").write_text(text)
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
