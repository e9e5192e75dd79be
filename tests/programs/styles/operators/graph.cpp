// Words, sums, packets and buffers move by the operators >> and <<, and by iterators that go round.
#include "belt.h"

using namespace adf;

class Belt : public graph {
  input_plio parts = input_plio::create("parts", plio_32_bits, "data/parts.txt");
  output_plio store = output_plio::create("store", plio_32_bits, "data/store.txt");
  kernel loader = kernel::create(load_up), packer = kernel::create(pack), scales = kernel::create(weigh),
         spotter = kernel::create(spot), stower = kernel::create(stow);

 public:
  Belt() {
    for (kernel* station : {&loader, &packer, &scales, &spotter, &stower}) {
      runtime<ratio>(*station) = 0.7;
      source(*station) = "belt.cc";
    }
    connect<stream>(parts.out[0], loader.in[0]);
    connect<cascade>(loader.out[0], packer.in[0]);
    connect<stream>(packer.out[0], scales.in[0]);
    connect<>(scales.out[0], spotter.in[0]);
    connect<>(spotter.out[0], stower.in[0]);
    connect<>(stower.out[0], store.in[0]);
  }
};

Belt belt;

int main() {
  belt.init();
  belt.run(3);
  belt.end();
  return 0;
}
