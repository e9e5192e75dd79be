#include "kernels.h"

#include <string>
#include <vector>

using namespace adf;

/// Weights by a formula that the test knows too: small, of both signs.
std::vector<int8> weights(unsigned count, unsigned step) {
  std::vector<int8> made(count);
  for (unsigned i = 0; i < count; ++i) {
    made[i] = static_cast<int8>(static_cast<int>(i * step % 61) - 30);
  }
  return made;
}

class LeNet : public graph {
 public:
  input_plio image;
  output_plio scores[2];
  kernel conv, pool, dense[2];
  LeNet() {
    image = input_plio::create("image", plio_128_bits, "data/image.txt");
    conv = kernel::create_object<Conv>(weights(kPatch * kChannels, 7));
    pool = kernel::create(maxpool);
    source(conv) = "conv.cc";
    source(pool) = "maxpool.cc";
    headers(conv) = {"kernels.h"};
    runtime<ratio>(conv) = 0.9;
    runtime<ratio>(pool) = 0.4;
    connect<>(image.out[0], conv.in[0]);
    connect<>(conv.out[0], pool.in[0]);
    for (unsigned i = 0; i < 2; ++i) {
      scores[i] = output_plio::create("scores" + std::to_string(i), plio_64_bits, "scores" + std::to_string(i) + ".txt");
      dense[i] = kernel::create_object<Dense>(weights(kFeatures * kClasses, 11 + 2 * i));
      source(dense[i]) = "dense.cc";
      runtime<ratio>(dense[i]) = 0.5;
      connect<>(pool.out[0], dense[i].in[0]);
      connect<>(dense[i].out[0], scores[i].in[0]);
      single_buffer(dense[i].in[0]);
    }
    location<kernel>(pool) = tile(8, 0);
    location<kernel>(dense[0]) = location<kernel>(pool);
    location<kernel>(conv) = location<kernel>(pool) + relative_offset({.col_offset = 0, .row_offset = 1});
    location<graph>(*this) = bounding_box(8, 0, 10, 3);
  }
};

LeNet lenet;

int main() {
  lenet.init();
  lenet.run(3);
  lenet.end();
  return 0;
}
