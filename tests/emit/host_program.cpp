// A host program without a device: its runner gives the elements of images back as those of results.
#include "aieloom/host/main.h"

namespace {

namespace host = aieloom::host;

struct Scales {
  using Element = std::int8_t;
  static constexpr float kInScale = 0.5F;
  static constexpr int kInZero = 3;
  static constexpr float kOutScale = 0.25F;
  static constexpr int kOutZero = -1;
};

struct Echo {
  Echo(const std::string& xclbin, std::size_t batch) { std::printf("%s in batches of %zu\n", xclbin.c_str(), batch); }

  void run(const std::int8_t* images, std::size_t count, std::int8_t* results, std::size_t repeat = 1) {
    std::copy_n(images, 4 * count, results);
    std::printf("%zu times\n", repeat);
  }

  const host::Times& times() const { return times_; }
  host::Times times_;
};

struct Net {
  using Values = host::Affine<Scales>;
  using Runner = Echo;

  static host::Interface interface() {
    host::Interface net;
    net.program = "echo_host";
    net.image = "1 x 2 x 2";
    net.result = "1 x 2 x 2";
    net.image_values = 4;
    net.result_values = 4;
    net.batch = 7;
    net.tolerance = 0.125;
    return net;
  }
};

}  // namespace

int main(int argc, char** argv) { return host::main_of<Net>(argc, argv); }
