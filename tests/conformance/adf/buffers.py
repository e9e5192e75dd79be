"""A project with every way in which a kernel takes and gives whole buffers, on AIE."""

from __future__ import annotations

KERNELS_H = """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>

// Windows of the old API: forward, backward, around the end.
void windows(input_window<int32>* in, output_window<int32>* out);
void typed_windows(input_window_int16* in, output_window_int16* out);
// Margins, in buffers and windows; circular buffers.
void margins(adf::input_buffer<int16, adf::extents<32>, adf::margin<8>>& in, adf::output_buffer<int16>& out);
void one_dimension(adf::input_buffer_1d<int32, 16, 4>& in, adf::output_buffer_1d<int32, 16>& out);
void circular(adf::input_circular_buffer<int32, adf::extents<adf::inherited_extent>>& in,
              adf::output_circular_buffer<int32>& out);
// The kernel takes and gives its buffers itself.
void asynchronous(adf::input_async_buffer<int32>& in, adf::output_async_buffer<int32>& out);
// One call gives what four calls take.
void produce(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
void consume(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
// Run-time parameters.
void affine(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 gain, const int32 (&offset)[4], int32& sum);
// A template that its source instantiates nowhere, a class with data, an initialisation function.
template <typename T, int N>
void plus(adf::input_buffer<T>& in, adf::output_buffer<T>& out);
void counted(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);

class Table {
 public:
  Table(const int32 (&table)[4], int shift);
  void run(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
  static void registerKernelClass() {
    REGISTER_FUNCTION(Table::run);
    REGISTER_PARAMETER(table_);
  }

 private:
  const int32 (&table_)[4];
  int shift_;
  int calls_ = 0;
};

template <int N>
class Scaled {
 public:
  Scaled();
  void run(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
  static void registerKernelClass() { REGISTER_FUNCTION(Scaled::run); }

 private:
  int factor_;
};
#endif
"""

KERNELS = {
    "kernels.h": KERNELS_H,
    "windows.cc": """
#include "kernels.h"
static int helper(int x) { return x + 1; }  // another source has one too
void windows(input_window<int32>* in, output_window<int32>* out) {
  for (unsigned i = 0; i < window_size(in); ++i) window_writeincr(out, window_readincr(in));  // copy: back at the start
  window_decr(in, 2);                                  // around the start: the last two
  int32 last = 0;
  window_readincr(in, last);
  window_decr(out, 4);
  window_write(out, helper(last));                     // replaces the last but three
  window_incr(out, 1);
  window_write(out, window_read(in) * 10);             // the last: 10 times the last
  window_incr(out, 2);
  window_writeincr(out, window_readdecr(in));
}
void typed_windows(input_window_int16* in, output_window_int16* out) {
  window_incr_v4(in, 2);
  for (unsigned i = 0; i < window_size(in); ++i) {
    int16 x;
    window_readincr(in, x);
    window_writeincr(out, x);
  }
}
""",
    "buffers.cc": """
#include "kernels.h"
static int helper(int x) { return x * 2; }
int calls = 0;  // every core has its own
void margins(adf::input_buffer<int16, adf::extents<32>, adf::margin<8>>& in, adf::output_buffer<int16>& out) {
  const int16* p = in.data();  // at the margin
  for (unsigned i = 0; i < in.size(); ++i) {
    int sum = 0;
    for (int t = 0; t <= 8; ++t) sum += p[i + t];
    out.data()[i] = static_cast<int16>(sum);
  }
}
void one_dimension(adf::input_buffer_1d<int32, 16, 4>& in, adf::output_buffer_1d<int32, 16>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] + 7;  // four places back
}
void circular(adf::input_circular_buffer<int32, adf::extents<adf::inherited_extent>>& in,
              adf::output_circular_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[in.size() - 1 - i];
}
void asynchronous(adf::input_async_buffer<int32>& in, adf::output_async_buffer<int32>& out) {
  out.acquire();
  for (int half = 0; half < 2; ++half) {  // two inputs make one output
    in.acquire();
    for (unsigned i = 0; i < in.size(); ++i) out.data()[half * in.size() + i] = in.data()[i] - 1;
    in.release();
  }
  out.release();
}
void produce(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] + 100;
}
void consume(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  int sum = 0;
  for (unsigned i = 0; i < in.size(); ++i) sum += in.data()[i];
  out.data()[0] = sum;
}
void affine(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out, int32 gain, const int32 (&offset)[4], int32& sum) {
  sum += reinterpret_cast<std::uintptr_t>(&offset) % 32;  // vectors may be loaded from it
  for (unsigned i = 0; i < in.size(); ++i) {
    out.data()[i] = in.data()[i] * gain + offset[i % 4];
    sum += in.data()[i];
  }
}
void start_counting() { calls = 1000; }
void counted(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  ++calls;
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = helper(in.data()[i]) + calls;
}
""",
    "templates.cc": """
#include "kernels.h"
static const int32 kWeights[3] = {7, 11, 13};
template <typename T, int N>
void plus(adf::input_buffer<T>& in, adf::output_buffer<T>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] + N + static_cast<T>(kWeights[i % 3]);
}
template <int N>
Scaled<N>::Scaled() : factor_(N) {}
template <int N>
void Scaled<N>::run(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] * factor_;
}
""",
    "table.cc": """
#include "kernels.h"
Table::Table(const int32 (&table)[4], int shift) : table_(table), shift_(shift) {}
void Table::run(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  ++calls_;
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = (table_[in.data()[i] & 3] << shift_) + calls_;
}
""",
}

# One line a lane: name, kernel expression, source, elements in, elements out, type of its files' numbers.
LANES = (
    ("windows", "adf::kernel::create(windows)", "windows.cc"),
    ("typed", "adf::kernel::create(typed_windows)", "windows.cc"),
    ("margins", "adf::kernel::create(margins)", "buffers.cc"),
    ("one_dimension", "adf::kernel::create(one_dimension)", "buffers.cc"),
    ("circular", "adf::kernel::create(circular)", "buffers.cc"),
    ("async", "adf::kernel::create(asynchronous)", "buffers.cc"),
    ("counted", "adf::kernel::create(counted)", "buffers.cc"),
    ("counted2", "adf::kernel::create(counted)", "buffers.cc"),
    ("plus", "adf::kernel::create(plus<int32, 5>)", "templates.cc"),
    ("scaled", "adf::kernel::create_object<Scaled<3>>()", "templates.cc"),
    ("table", "adf::kernel::create_object<Table>(std::vector<int32>{4, 9, 16, 25}, 2)", "table.cc"),
)

_SIZES = {  # connect kind of the input and output, sizes in elements
    "windows": ("<adf::window<64>>", "<adf::window<64>>", "", ""),
    "typed": ("<adf::window<64, 16>>", "<adf::window<64>>", "", ""),
    "margins": ("<>", "<>", "", "{32}"),
    "one_dimension": ("<>", "<>", "", ""),
    "circular": ("<>", "<>", "{4, 4}", "{16}"),
    "async": ("<>", "<>", "{8}", "{16}"),
}


def graph() -> str:
    """Return the graph's source: every lane between two PLIOs, then multirate, broadcast and parameters."""
    lanes = []
    for name, create, source in LANES:
        kind_in, kind_out, size_in, size_out = _SIZES.get(name, ("<>", "<>", "{16}", "{16}"))
        bits = 64 if name == "circular" else 32
        lanes.append(f"""
    adf::kernel& k_{name} = add("{name}", {create}, "{source}", adf::plio_{bits}_bits);
    adf::connect{kind_in}(in.back().out[0], k_{name}.in[0]);
    adf::connect{kind_out}(k_{name}.out[0], out.back().in[0]);""")
        lanes += [f"    adf::dimensions(k_{name}.in[0]) = {size_in};"] if size_in else []
        lanes += [f"    adf::dimensions(k_{name}.out[0]) = {size_out};"] if size_out else []
    body = "\n".join(lanes)
    return f"""
#include <deque>
#include <string>
#include <vector>
#include "kernels.h"

template <int Ways>
class Fan : public adf::graph {{
 public:
  adf::input_port in;
  adf::output_port out[Ways];
  adf::kernel producer;
  std::vector<adf::kernel> consumers;
  Fan() : consumers(Ways) {{
    producer = adf::kernel::create(produce);
    adf::source(producer) = "buffers.cc";
    adf::runtime<adf::ratio>(producer) = 0.5;
    adf::connect<>(in, producer.in[0]);
    adf::dimensions(producer.in[0]) = {{16}};
    adf::dimensions(producer.out[0]) = {{16}};
    for (int i = 0; i < Ways; ++i) {{  // consumers run 1, 2 and 4 times an iteration
      consumers[i] = adf::kernel::create(consume);
      adf::source(consumers[i]) = "buffers.cc";
      adf::runtime<adf::ratio>(consumers[i]) = 0.5;
      adf::connect<>(producer.out[0], consumers[i].in[0]);
      adf::connect<>(consumers[i].out[0], out[i]);
      adf::dimensions(consumers[i].in[0]) = {{16U >> i}};
      adf::dimensions(consumers[i].out[0]) = {{1}};
    }}
  }}
}};

class Top : public adf::graph {{
 public:
  std::deque<adf::input_plio> in;
  std::deque<adf::output_plio> out;
  std::deque<adf::kernel> kernels;
  Fan<3> fan;
  adf::input_port gain, offset;
  adf::output_port sum;
  adf::kernel rtp;

  adf::kernel& add(const std::string& name, const adf::kernel& made, const char* file, adf::plio_type bits) {{
    in.push_back(adf::input_plio::create(name + "_in", bits, "data/" + name + ".txt"));
    out.push_back(adf::output_plio::create(name + "_out", bits, name + ".txt"));
    kernels.emplace_back();
    kernels.back() = made;
    adf::source(kernels.back()) = file;
    adf::runtime<adf::ratio>(kernels.back()) = 0.6;
    return kernels.back();
  }}

  Top() {{
{body}
    adf::initialization_function(k_counted2) = "start_counting";
    in.push_back(adf::input_plio::create("fan_in", adf::plio_128_bits, "data/fan.txt"));
    adf::connect<>(in.back().out[0], fan.in);
    for (int i = 0; i < 3; ++i) {{
      const std::string n = std::to_string(i);
      out.push_back(adf::output_plio::create("fan_out" + n, adf::plio_32_bits, "fan" + n + ".txt"));
      adf::connect<>(fan.out[i], out.back().in[0]);
    }}
    adf::kernel& rtp_ = add("rtp", adf::kernel::create(affine), "buffers.cc", adf::plio_32_bits);
    rtp = rtp_;
    adf::connect<>(in.back().out[0], rtp.in[0]);
    adf::connect<>(rtp.out[0], out.back().in[0]);
    adf::dimensions(rtp.in[0]) = {{16}};
    adf::dimensions(rtp.out[0]) = {{16}};
    adf::connect<adf::parameter>(gain, rtp.in[1]);
    adf::connect<adf::parameter>(offset, async(rtp.in[2]));
    adf::connect<adf::parameter>(rtp.inout[0], sum);
  }}
}};

Top top;

int main() {{
  if (top.init() != adf::return_code::ok) return 1;
  const int32 first[4] = {{1, 2, 3, 4}}, second[4] = {{-1, -2, -3, -4}};
  top.update(top.offset, first, 4);
  top.run(2);
  top.update(top.gain, 10);
  top.update(top.gain, 20);
  top.wait();
  int32 sum = 0;
  top.read(top.sum, sum);
  top.update(top.offset, second, 4);
  top.run(1);
  top.update(top.gain, -1);
  top.end();
  int32 total = 0;
  top.read(top.sum, total);
  std::printf("%d %d\\n", sum, total);
  return 7;
}}
""".replace("#include <deque>", "#include <cstdio>\n#include <deque>")
