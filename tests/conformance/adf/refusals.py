"""One program of many graphs; the environment says which of them is made. Every one breaks one rule.

The examples of docs/errors.md are graphs of it too.
"""

from __future__ import annotations

from collections.abc import Iterable

COMMON = """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
#include <cstdlib>
#include <string>
void copy(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
void to_stream(adf::input_buffer<int32>& in, output_stream<int32>* out);
void from_stream(input_stream<int32>* in, adf::output_buffer<int32>& out);
void two_streams(input_stream<int32>* a, input_stream<int32>* b, output_stream<int32>* out);
void to_cascade(adf::input_buffer<int32>& in, output_cascade<int32>* out);
void from_cascade(input_cascade<int32>* in, adf::output_buffer<int32>& out);
void from_floats(input_cascade<float>* in, adf::output_buffer<int32>& out);
void copy_window(input_window<int32>* in, output_window<int32>* out);
void with_gain(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 gain);
void packets(input_pktstream* in, output_pktstream* out);
void generate(adf::output_buffer<int32>& out);
void divide(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
void with_margin(adf::input_buffer<int32, adf::extents<16>, adf::margin<32>>& in, adf::output_buffer<int32>& out);
void unheld(adf::input_async_buffer<int32>& in, adf::output_buffer<int32>& out);
void halves(adf::input_buffer<int16>& in, adf::output_buffer<int16>& out);
void numbered(input_stream<int32>* in, adf::output_buffer<int32>& out);
#endif
"""

KERNELS = """
#include "kernels.h"
#include "aie_api/aie.hpp"
void copy(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < out.size(); ++i) out.data()[i] = in.data()[i % in.size()];
}
void to_stream(adf::input_buffer<int32>& in, output_stream<int32>* out) {
  for (unsigned i = 0; i < in.size(); ++i) writeincr(out, in.data()[i]);
}
void from_stream(input_stream<int32>* in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < out.size(); ++i) out.data()[i] = readincr(in);
}
void two_streams(input_stream<int32>* a, input_stream<int32>* b, output_stream<int32>* out) {
  writeincr(out, readincr(a) + readincr(b));
}
void to_cascade(adf::input_buffer<int32>& in, output_cascade<int32>* out) {
  for (unsigned i = 0; i < in.size(); i += 8) writeincr(out, aie::load_v<8>(in.data() + i));
}
void from_cascade(input_cascade<int32>* in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < out.size(); i += 8) aie::store_v(out.data() + i, readincr_v<8>(in));
}
void from_floats(input_cascade<float>* in, adf::output_buffer<int32>& out) {
  out.data()[0] = static_cast<int32>(readincr_v<8>(in).get(0));
}
void copy_window(input_window<int32>* in, output_window<int32>* out) {
  for (unsigned i = 0; i <= window_size(in); ++i) window_writeincr(out, window_readincr(in));  // one too many
}
void with_gain(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 gain) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] * gain;
}
void generate(adf::output_buffer<int32>& out) { out.data()[0] = 1; }
void divide(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  volatile int32 zero = 0;  // the compiler does not know
  out.data()[0] = in.data()[0] / zero;
}
void with_margin(adf::input_buffer<int32, adf::extents<16>, adf::margin<32>>& in, adf::output_buffer<int32>& out) {
  out.data()[0] = in.data()[0];
}
void unheld(adf::input_async_buffer<int32>& in, adf::output_buffer<int32>& out) { out.data()[0] = in.data()[0]; }
void halves(adf::input_buffer<int16>& in, adf::output_buffer<int16>& out) { out.data()[0] = in.data()[0]; }
void numbered(input_stream<int32>*, adf::output_buffer<int32>& out) { out.data()[0] = get_ss(2); }
void packets(input_pktstream* in, output_pktstream* out) {
  readincr(in);
  writeincr(out, 1, true);  // no header
}
"""

# name, body of the graph's constructor, pattern of the message. K: a kernel, io(): an input and an output PLIO.
CASES: tuple[tuple[str, str, str], ...] = (
    (
        "window on a stream",
        "auto& a = K(to_stream); auto& b = K(from_stream); io(a, b); connect<window<64>>(a.out[0], b.in[0]);",
        r"\[connection-kind\] from_stream\[0\]\.in\[0\] is a stream",
    ),
    (
        "stream on a buffer",
        "auto& a = K(copy); auto& b = K(copy); io(a, b); connect<stream>(a.out[0], b.in[0]);",
        r"\[connection-kind\] copy\[1\]\.in\[0\] is a buffer",
    ),
    (
        "cascade to a PLIO",
        "auto& a = K(to_cascade); connect<>(in().out[0], a.in[0]); connect<cascade>(a.out[0], out().in[0]);",
        r"\[connection-kind\] to_cascade\[0\]\.out\[0\] to PLIO 'o'",
    ),
    (
        "cascade of other type",
        "auto& a = K(to_cascade); auto& b = K(from_floats); io(a, b); connect<cascade>(a.out[0], b.in[0]);",
        r"\[cascade-type\] to_cascade\[0\]\.out\[0\] sends int, from_floats\[0\]\.in\[0\] takes float",
    ),
    (
        "cascade to the wrong tile",
        "auto& a = K(to_cascade); auto& b = K(from_cascade); io(a, b); connect<cascade>(a.out[0], b.in[0]);"
        "location<kernel>(a) = tile(10, 1); location<kernel>(b) = tile(11, 1);",
        r"\[cascade\] .*tile\(10, 1\) cannot cascade .*tile\(11, 1\).*\n.*\n?.*tile\(9, 1\)",
    ),
    (
        "three streams on a tile",
        "auto& a = K(two_streams); auto& b = K(from_stream); for (int i = 0; i < 2; ++i) connect<>(in(i).out[0], a.in[i]);"
        "connect<>(a.out[0], out().in[0]); connect<>(in(2).out[0], b.in[0]); connect<>(b.out[0], out(1).in[0]);"
        "location<kernel>(a) = tile(10, 1); location<kernel>(b) = tile(10, 1);",
        r"\[stream-ports\] .*3 stream inputs",
    ),
    (
        "sizes against each other",
        "auto& a = K(copy); io(a, a); dimensions(a.in[0]) = {16}; connect<window<128>>(in(1).out[0], a.in[0]);",
        r"\[two-writers\]",
    ),
    (
        "window of another size than dimensions",
        "auto& a = K(copy); connect<window<128>>(in().out[0], a.in[0]); connect<>(a.out[0], out().in[0]);",
        r"\[buffer-size\] copy\[0\]\.in\[0\] has 64 B by dimensions\(\) and 128 B by its connect<window>",
    ),
    (
        "window without a size",
        "auto& a = K(copy_window); connect<>(in().out[0], a.in[0]); connect<>(a.out[0], out().in[0]); nosize(a);",
        r"\[buffer-size\] nothing says how large the buffer copy_window\[0\]",
    ),
    (
        "window written past its end",
        "auto& a = K(copy_window); connect<window<64>>(in().out[0], a.in[0]); connect<window<64>>(a.out[0], out().in[0]);",
        r"\[buffer-overrun\] 4 B at byte 64 of copy_window\[0\]\.out\[0\], which has 64 B\n  in kernel copy_window\[0\] at .*kernels\.cc:\d+",
    ),
    (
        "rates of a fraction",
        "auto& a = K(copy); auto& b = K(copy); io(a, b); connect<>(a.out[0], b.in[0]); dimensions(b.in[0]) = {24}; repetition_count(a) = 2;",
        r"\[rate\] copy\[0\]\.out\[0\] gives 64 B a call, copy\[1\]\.in\[0\] takes 96 B a call: copy\[0\] runs a multiple of 3",
    ),
    (
        "negative depth",
        "auto& a = K(copy); connect<> n(in().out[0], a.in[0]); connect<>(a.out[0], out().in[0]); fifo_depth(n) = -1;",
        r"\[fifo-depth\] the connection from PLIO 'i' to copy\[0\]\.in\[0\]",
    ),
    (
        "negative clock",
        'auto& a = K(copy); io(a, a); ins.push_back(input_plio::create("slow", plio_32_bits, "data/in.txt", -5));',
        r"\[plio-clock\] PLIO 'slow' has a clock of -5",
    ),
    (
        "repetition counts that do not balance",
        "auto& a = K(copy); auto& b = K(copy); io(a, b); connect<>(a.out[0], b.in[0]); repetition_count(a) = 2; repetition_count(b) = 3;",
        r"\[rate\] copy\[0\]\.out\[0\] produces 128 B an iteration \(2 x 64\), copy\[1\]\.in\[0\] takes 192 \(3 x 64\)",
    ),
    (
        "kernel port that does not exist",
        "auto& a = K(copy); connect<>(in().out[0], a.in[1]);",
        r"\[port-number\] copy\[0\] has no in\[1\]: its function has 1 such parameter",
    ),
    ("kernel never created", "kernel k; connect<>(in().out[0], k.in[0]);", r"\[kernel-unset\]"),
    (
        "no runtime ratio",
        "auto& a = K(copy); io(a, a); runtime<ratio>(a) = 0;",
        r"\[kernel-ratio\] copy\[0\] has a runtime ratio of 0",
    ),
    (
        "parameter without a connection",
        "auto& a = K(with_gain); io(a, a);",
        r"\[deadlock\](.|\n)*with_gain\[0\] waits for an update of: run-time parameter with_gain\[0\]\.in\[1\]",
    ),
    (
        "parameter that is never updated",
        "auto& a = K(with_gain); io(a, a); connect<parameter>(gain, a.in[1]);",
        r"\[deadlock\](.|\n)*with_gain\[0\] waits for an update of: run-time parameter with_gain\[0\]\.in\[1\] \(synchronous",
    ),
    (
        "data to a parameter",
        "auto& a = K(with_gain); io(a, a); connect<>(in(1).out[0], a.in[1]);",
        r"\[connection-kind\] with_gain\[0\]\.in\[1\] is a run-time parameter",
    ),
    (
        "relation against a place",
        "auto& a = K(copy); auto& b = K(copy); io(a, b); connect<>(a.out[0], b.in[0]); location<kernel>(a) = tile(10, 0);"
        "location<kernel>(b) = tile(12, 0); location<kernel>(b) = location<kernel>(a) + relative_offset({.col_offset = 1});",
        r"\[location\] copy\[1\] is placed on tile\(12, 0\), its relation to copy\[0\] on tile\(10, 0\) wants tile\(11, 0\)",
    ),
    (
        "relation out of the array",
        "auto& a = K(copy); auto& b = K(copy); io(a, b); connect<>(a.out[0], b.in[0]); location<kernel>(a) = tile(10, 7);"
        "location<kernel>(b) = location<kernel>(a) + relative_offset({.row_offset = 1});",
        r"\[location\] copy\[1\] is placed on tile\(10, 8\), outside the array",
    ),
    (
        "not equal, but the same",
        "auto& a = K(copy); io(a, a); location<buffer>(a.in[0]) = {bank(10, 0, 1)}; location<buffer>(a.out[0]) = {address(10, 0, 8192)};"
        "location<kernel>(a) = tile(10, 0); not_equal(location<buffer>(a.in[0]), location<buffer>(a.out[0]));",
        r"\[location\] copy\[0\]\.in\[0\] and copy\[0\]\.out\[0\] are both in bank 1",
    ),
    (
        "a DMA channel that is not there",
        "auto& a = K(copy); io(a, a); location<dma>(a.in[0]) = dma_channel(aie_tile, 10, 0, 1);"
        "location<dma>(a.out[0]) = dma_channel(aie_tile, 10, 0, 2);",
        r"\[location\] there is no DMA channel 2 of this kind of tile",
    ),
    (
        "outside its bounding box",
        "auto& a = K(copy); io(a, a); location<kernel>(a) = tile(10, 0); location<graph>(*this) = bounding_box(0, 0, 9, 7);",
        r"\[area\] copy\[0\] is placed on tile\(10, 0\), outside of the area of its graph",
    ),
    (
        "bounding box outside the array",
        "auto& a = K(copy); io(a, a); location<graph>(*this) = bounding_box(45, 0, 60, 7);",
        r"\[area\] the bounding box tile\(45, 0\) to tile\(60, 7\)",
    ),
    (
        "memory out of reach",  # AM009: an even row reaches west, not east
        "auto& a = K(copy); io(a, a); location<kernel>(a) = tile(10, 2); location<buffer>(a.in[0]) = {bank(11, 2, 0)};",
        r"\[location\] copy\[0\]\.in\[0\] lies in tile\(11, 2\), which the core on tile\(10, 2\) does not reach",
    ),
    (
        "three places for two buffers",
        "auto& a = K(copy); io(a, a); location<buffer>(a.in[0]) = {bank(10, 2, 0), bank(10, 2, 1), bank(10, 2, 2)};",
        r"\[location\] copy\[0\]\.in\[0\] has 3 locations for 2 buffers",
    ),
    (
        "nine inputs in a column",
        "for (int i = 0; i < 9; ++i) { auto& a = K(copy); auto& p = in(i); connect<>(p.out[0], a.in[0]);"
        "connect<>(a.out[0], out(i).in[0]); location<PLIO>(p) = shim(20); }",
        r"\[plio-channels\] PLIO 'i8' is one too many in column 20",
    ),
    (
        "shared buffer on AIE",
        "auto b = shared_buffer<int32>::create({16}, 1, 1); connect<>(in().out[0], b.in[0]); connect<>(b.out[0], out().in[0]);",
        r"\[arch\] shared_buffer\[0\] is in a memory tile; AIE has none",
    ),
    (
        "pattern beyond a kernel's buffer",
        "auto& a = K(copy); io(a, a); write_access(a.in[0]) = tiling({.buffer_dimension = {16}, .tiling_dimension = {8}, .offset = {12}});",
        r"\[tiling-range\] the access pattern of copy\[0\]\.in\[0\] leaves the buffer \{16\}",
    ),
    (
        "pattern of other rank",
        "auto& a = K(copy); io(a, a); write_access(a.in[0]) = tiling({.buffer_dimension = {4, 4}, .tiling_dimension = {4}, .offset = {0}});",
        r"\[tiling-rank\]",
    ),
    (
        "pattern of another buffer",
        "auto& a = K(copy); io(a, a); write_access(a.in[0]) = tiling({.buffer_dimension = {4, 5}, .tiling_dimension = {4, 5}, .offset = {0, 0}});",
        r"\[tiling-buffer\]",
    ),
    (
        "packet without a header",
        "auto& a = K(packets); auto s = pktsplit<1>::create(); auto m = pktmerge<1>::create(); connect<pktstream>(in().out[0], s.in[0]);"
        "connect<pktstream>(s.out[0], a.in[0]); connect<pktstream>(a.out[0], m.in[0]); connect<pktstream>(m.out[0], out().in[0]);"
        "packet = true;",
        r"\[packet-header\] packets\[0\]\.out\[0\] gets data before a header",
    ),
    (
        "circle of kernels",
        "auto& a = K(copy); auto& b = K(copy); connect<>(a.out[0], b.in[0]); connect<>(b.out[0], a.in[0]);",
        r"\[deadlock\](.|\n)*a circle of waits: copy\[\d\] -> copy\[\d\] -> copy\[\d\]",
    ),
    (
        "circle of graph ports",
        "auto& a = K(copy); connect<>(gain, loop); connect<>(loop, gain); connect<>(loop, a.in[0]); connect<>(a.out[0], out().in[0]);",
        r"\[unconnected\] copy\[0\]\.in\[0\] is connected in a circle",
    ),
    (
        "GMIO in the wrong direction",
        'auto& a = K(copy); g = input_gmio::create("ddr", 64, 100); connect<>(g.out[0], a.in[0]); connect<>(a.out[0], out().in[0]); wrong_gmio = true;',
        r"\[gmio-direction\] GMIO 'ddr' is an input of the array",
    ),
    (
        "GMIO of a strange burst",
        'auto& a = K(copy); g = input_gmio::create("ddr", 32, 100); io(a, a);',
        r"\[gmio-burst\]",
    ),
    (
        "endless graph without inputs",
        "auto& a = K(generate); connect<>(a.out[0], out().in[0]); endless = true;",
        r"\[graph-control\] the graph runs for ever: generate\[0\] has no input",
    ),
)


def source(cases: Iterable[tuple[str, str, str]]) -> str:
    """Return the graph's source: CASE in the environment chooses."""
    branches = "\n".join(f'    if (chosen == "{name}") {{ {body} }}' for name, body, _ in cases)
    return f"""
#include "kernels.h"
#include <cstdio>
#include <deque>
#include <functional>
using namespace adf;

const std::string chosen = std::getenv("CASE") != nullptr ? std::getenv("CASE") : "";

class Case : public graph {{
 public:
  std::deque<input_plio> ins;
  std::deque<output_plio> outs;
  std::deque<kernel> kernels;
  input_gmio g;
  input_port gain, loop;
  bool packet = false, wrong_gmio = false, endless = false;

  input_plio& in(int number = 0) {{
    ins.push_back(input_plio::create(number == 0 ? "i" : "i" + std::to_string(number), plio_32_bits, "data/in.txt"));
    return ins.back();
  }}
  output_plio& out(int number = 0) {{
    const std::string name = number == 0 ? "o" : "o" + std::to_string(number);
    outs.push_back(output_plio::create(name, plio_32_bits, name + ".txt"));
    return outs.back();
  }}
  template <typename F>
  kernel& K(F* function) {{
    kernels.emplace_back();
    kernel& k = kernels.back();
    k = kernel::create(function);
    source(k) = "kernels.cc";
    runtime<ratio>(k) = 0.5;
    for (auto* list : {{&k.node().in, &k.node().out}}) {{
      for (aieloom::Port* p : *list) {{
        if (p->argument.kind == aieloom::PortKind::kBuffer && !p->argument.window) dimensions(port<input>(*p)) = {{16}};
      }}
    }}
    return k;
  }}
  void io(kernel& first, kernel& last) {{
    connect<>(in().out[0], first.in[0]);
    connect<>(last.out[0], out().in[0]);
  }}
  static void nosize(kernel&) {{}}
  std::function<void()> after;  // init(), in main()
  void then(std::function<void()> act) {{ after = std::move(act); }}

  Case() {{
{branches}
  }}
}};

Case c;

int main() {{
  c.init();
  if (c.after) c.after();
  if (c.wrong_gmio) c.g.aie2gm(GMIO::malloc(64), 64);
  if (c.endless) c.run();
  else c.run(1);
  c.end();
}}
"""
