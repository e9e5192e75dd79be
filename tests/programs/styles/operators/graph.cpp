// Streams and cascades by >> and <<, the ends of packets as objects, circular iterators over whole buffers.
#include "kernels.h"

using namespace adf;

class Chain : public graph {
 public:
  kernel k[5];
  input_plio in = input_plio::create("in", plio_32_bits, "data/in.txt");
  output_plio out = output_plio::create("out", plio_32_bits, "data/out.txt");
  Chain() {
    k[0] = kernel::create(widen);
    k[1] = kernel::create(frame);
    k[2] = kernel::create(measure);
    k[3] = kernel::create(overlap);
    k[4] = kernel::create(again);
    connect<stream>(in.out[0], k[0].in[0]);
    connect<cascade>(k[0].out[0], k[1].in[0]);
    connect<stream>(k[1].out[0], k[2].in[0]);
    connect<>(k[2].out[0], k[3].in[0]);
    connect<>(k[3].out[0], k[4].in[0]);
    connect<>(k[4].out[0], out.in[0]);
    for (auto& one : k) {
      source(one) = "kernels.cc";
      runtime<ratio>(one) = 0.9;
    }
  }
};

Chain g;

int main() {
  g.init();
  g.run(3);
  g.end();
  return 0;
}
