// A test bench around three instances of the library's graph, all kinds of places.
#include "include/fir_graph.hpp"

#include <cstdio>

using namespace adf;
namespace dsplib = lib::dsp::aie;

std::vector<int16> taps = {3, -1, 4, 1, -5, 9, 2, -6};

class test_graph : public graph {
 public:
  std::array<input_plio, 3> in;
  std::array<output_plio, 3> out;
  dsplib::fir_graph<int16, int16, 8, 2, 32> single;
  dsplib::fir_graph<int16, int16, 8, 1, 32, 2> casc;
  dsplib::fir_graph<int16, int16, 4, 0, 16, 1, 1> reload;
  port<input> coeff;

  test_graph() : single(taps), casc(taps) {
    for (int i = 0; i < 3; ++i) {
      std::string n = std::to_string(i);
      in[i] = input_plio::create("PLIO_in_" + n, plio_32_bits, "data/in" + n + ".txt");
      out[i] = output_plio::create("PLIO_out_" + n, plio_32_bits, "data/out" + n + ".txt");
    }
    connect<>(in[0].out[0], single.in[0]);
    connect<>(single.out[0], out[0].in[0]);
    connect<>(in[1].out[0], casc.in[0]);
    connect<>(casc.out[0], out[1].in[0]);
    connect<>(in[2].out[0], reload.in[0]);
    connect<>(reload.out[0], out[2].in[0]);
    connect<parameter>(coeff, reload.coeff[0]);

    kernel* k = single.getKernels();
    location<kernel>(k[0]) = tile(20, 1);
    location<stack>(k[0]) = bank(20, 1, 0);
    location<buffer>(k[0].in[0]) = {address(20, 1, 0x2000), address(20, 1, 0x4000)};
    location<buffer>(k[0].out[0]) = {offset(0x6000), offset(0x7000)};
    single_buffer(casc.getKernels()[1].out[0]);
    location<kernel>(casc.getKernels()[0]) = bounding_box(24, 2, 26, 2);
    num_buffers(reload.getKernels()->in[0]) = 1;
    stack_size(*reload.getKernels()) = 3000;
    location<PLIO>(in[0]) = shim(20);
    location<PLIO>(out[0]) = shim(20, 1);
    location<graph>(reload) = bounding_box(30, 0, 35, 3);
  }
};

test_graph filter;

#if defined(__AIESIM__) || defined(__X86SIM__)
int main(void) {
  filter.init();
  static int16 first[4] = {1, 2, 3, 4}, second[4] = {-1, 0, 0, 0};
  filter.update(filter.coeff, first, 4);
  filter.run(2);
  filter.wait();
  filter.update(filter.coeff, second, 4);
  filter.run(2);
  filter.end();
  return 0;
}
#endif
