"""Timed runs of a cascade: a value a cycle, so that a wide one passes piece by piece, and two cores in step hardly wait.

AIE: 384 bits a cycle, 8 lanes of 48 bits; four values lie on the way [UG1079, AM009 Cascade].
"""

from __future__ import annotations

from pathlib import Path

import aieloom
from tests.clang_14 import need_clang

TRIPS, BEATS = 32, 4  # 32 lanes are four values
KERNELS = f"""
#include <adf.h>
#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>
using In = adf::input_buffer<int16, adf::extents<{32 * TRIPS}>>;
using Out = adf::output_buffer<int16, adf::extents<{64 * TRIPS}>>;
void sends(In& __restrict in, output_cascade<acc48>* to) {{
  const int16* __restrict p = in.data();
  for (unsigned i = 0; i < {TRIPS}; ++i) chess_prepare_for_pipelining chess_loop_range({TRIPS}, {TRIPS}) {{
    const aie::vector<int16, 32> v = aie::load_v<32>(p);
    writeincr(to, aie::mul<acc48>(v, v));  // its own tag is acc32, which AMD's headers refuse here
    writeincr<acc48, 32>((output_stream<acc48>*)to, aie::negmul(v, v));  // as DSPLib writes it
    p += 32;
  }}
}}
void takes(input_cascade<acc48>* from, Out& __restrict out) {{
  int16* __restrict p = out.data();
  for (unsigned i = 0; i < {TRIPS}; ++i) chess_prepare_for_pipelining chess_loop_range({TRIPS}, {TRIPS}) {{
    const aie::accum<acc48, 32> a = readincr_v<32>(from);
    const aie::accum<acc48, 32> b = readincr_v<32>(from);
    aie::store_v(p, a.to_vector<int16>(4));
    aie::store_v(p + 32, b.to_vector<int16>(4));
    p += 64;
  }}
}}
"""
GRAPH = f"""
#include <adf.h>
#include <aie_api/aie.hpp>
using namespace adf;
using In = input_buffer<int16, extents<{32 * TRIPS}>>;
using Out = output_buffer<int16, extents<{64 * TRIPS}>>;
void sends(In& __restrict in, output_cascade<acc48>* to);
void takes(input_cascade<acc48>* from, Out& __restrict out);
class Design : public graph {{
 public:
  input_plio in = input_plio::create("x", plio_128_bits, "x.txt");
  output_plio out = output_plio::create("y", plio_128_bits, "y.txt");
  kernel first = kernel::create(sends), last = kernel::create(takes);
  Design() {{
    for (kernel* k : {{&first, &last}}) {{
      source(*k) = "kernels.cc";
      runtime<ratio>(*k) = 0.9;
    }}
    connect(in.out[0], first.in[0]);
    connect<cascade>(first.out[0], last.in[0]);
    connect(last.out[0], out.in[0]);
  }}
}};
Design g;
int main() {{
  g.init();
  g.run(1);
  g.end();
}}
"""


def test_two_cores_in_step_hardly_wait(tmp_path: Path) -> None:
    need_clang()
    (tmp_path / "kernels.cc").write_text(KERNELS)
    (tmp_path / "graph.cpp").write_text(GRAPH)
    values = " ".join(["1", "2", "3", "4", "5", "6", "7", "8"])
    (tmp_path / "x.txt").write_text(f"{values}\n" * (4 * TRIPS))
    done = aieloom.emulate(
        tmp_path / "graph.cpp",
        data=tmp_path,
        folder=tmp_path / "build",
        out=tmp_path / "out",
        timed=True,
    )
    assert done.code == 0, done.stderr
    assert done.cycles is not None
    first, last = done.cycles.times.cores
    assert min(first.busy, last.busy) >= TRIPS * 2 * BEATS, "a value of 384 bits a cycle"
    waits = sum(w.cycles for w in first.waits if w.kind == "cascade")
    assert waits <= 1.5 * TRIPS, "the other core takes each value as it comes, not four at once"
