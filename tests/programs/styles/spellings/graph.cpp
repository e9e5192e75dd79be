// Statements about places, sizes, depths and parameters as graphs of all years spell them.
#include "kernels.h"

#include <vector>

using namespace adf;

class Inner : public adf::graph {
 public:
  adf::kernel k;
  adf::port<adf::input> in;
  adf::port<adf::output> out;
  Inner() {
    k = adf::kernel::create(bufs);
    adf::source(k) = "kernels.cc";
    adf::headers(k) = {"kernels.h"};
    adf::runtime<adf::ratio>(k) = 0.5;
    adf::connect(in, k.in[0]);
    adf::connect(k.out[0], out);
  }
};

class G : public adf::graph {
 public:
  std::vector<adf::input_plio> in;
  std::vector<adf::output_plio> out;
  Inner a, b;
  adf::kernel w, o16;
  std::vector<adf::kernel> ks;
  adf::input_port rtp[6];
  G() : in(4), out(4), ks(1) {
    for (int i = 0; i < 4; i++) {
      const std::string n = std::to_string(i);
      in[i] = adf::input_plio::create("in" + n, adf::plio_32_bits, "data/in" + n + ".txt", 250.0f);
      out[i] = adf::output_plio::create("out" + n, adf::plio_32_bits, "data/out" + n + ".txt", 250);
    }
    w = adf::kernel::create(&copyw);
    adf::source(w) = "kernels.cc";
    adf::runtime<adf::ratio>(w) = 0.25;
    adf::connect<adf::window<64>> netA(in[0].out[0], w.in[0]);
    adf::connect<adf::window<64>>(w.out[0], out[0].in[0]);
    adf::connect n(in[1].out[0], a.in);
    adf::connect m(a.out, b.in);
    adf::connect(b.out, out[1].in[0]);
    ks[0] = adf::kernel::create(bufs2);
    adf::source(ks[0]) = "kernels.cc";
    adf::runtime<adf::ratio>(ks[0]) = 0.25;
    adf::dimensions(ks[0].in[0]) = {4, 4};
    adf::dimensions(ks[0].out[0]) = {16};
    adf::connect(in[2].out[0], ks[0].in[0]);
    adf::connect(ks[0].out[0], out[2].in[0]);
    for (int i = 0; i < 6; i++) adf::connect<adf::parameter>(rtp[i], adf::async(ks[0].in[1 + i]));
    o16 = adf::kernel::create(static_cast<void (*)(adf::input_buffer<int16>&, adf::output_buffer<int16>&)>(over));
    adf::source(o16) = "kernels.cc";
    adf::runtime<adf::ratio>(o16) = 0.25;
    adf::connect(in[3].out[0], o16.in[0]);
    adf::connect(o16.out[0], out[3].in[0]);
    adf::dimensions(o16.in[0]) = {16};
    adf::dimensions(o16.out[0]) = {16};
    adf::fifo_depth(n) = 64;
    adf::location<adf::fifo>(n) = {adf::dma_fifo(adf::aie_tile, 20, 0, 0x1000, 256), adf::ss_fifo(adf::aie_tile, 20, 0, 0)};
    adf::location<adf::graph>(a) = adf::bounding_box(20, 0, 21, 1);
    adf::location<adf::graph>(b) = adf::stamp(a);
    adf::location<adf::kernel>(a.k) = adf::tile(20, 0);
    adf::location<adf::buffer>(a.k.out[0]) = {adf::bank(20, 0, 0), adf::bank(20, 0, 1)};
    adf::location<adf::buffer>(b.k.in[0]) = adf::location<adf::buffer>(a.k.out[0]);
    adf::location<adf::graph>(*this) =
        adf::area_group({{adf::aie_tile, 6, 0, 40, 7}, {adf::shim_tile, 6, 0, 40, 0}}, true, true);
    adf::location<adf::stack>(w) = adf::location<adf::kernel>(w) + adf::relative_offset({.col_offset = 0, .row_offset = 1});
    adf::not_equal(adf::location<adf::kernel>(w), adf::location<adf::kernel>(o16));
  }
};

G g;

int main(int argc, char** argv) {
  adf::return_code ret = g.init();
  if (ret != adf::return_code::ok) {
    printf("init failed\n");
    return 1;
  }
  int8 p0 = 1;
  uint16 p1 = 2;
  float p2 = 3.5;
  int16 p3[4] = {0, 1, 2, 3};
  cint16 p4 = {1, 1};
  uint64 p5 = 1;
  g.update(g.rtp[0], p0);
  g.update(g.rtp[1], p1);
  g.update(g.rtp[2], p2);
  g.update(g.rtp[3], p3, 4);
  g.update(g.rtp[4], p4);
  g.update(g.rtp[5], p5);
  ret = g.run(2);
  ret = g.wait();
  if (ret != adf::ok) return 1;
  g.end();
  return 0;
}
