#include "kernels.h"

#include <vector>

using namespace adf;

std::vector<bfloat16> weights() {
  std::vector<bfloat16> made(9 * kIn * kOut);
  for (unsigned i = 0; i < made.size(); ++i) {
    made[i] = static_cast<bfloat16>((static_cast<float>(i * 13 % 37) - 18.0F) / 64.0F);
  }
  return made;
}

class ConvGraph : public graph {
 public:
  input_plio image;
  output_plio result;
  shared_buffer<bfloat16> frame;
  kernel conv;
  ConvGraph() {
    image = input_plio::create("image", plio_64_bits, "data/image.txt");
    result = output_plio::create("result", plio_64_bits, "result.txt");
    frame = shared_buffer<bfloat16>::create({kIn, kWidth, kHeight}, 1, 1);
    num_buffers(frame) = 2;
    conv = kernel::create_object<Conv3x3>(weights());
    source(conv) = "conv.cc";
    runtime<ratio>(conv) = 0.9;
    write_access(frame.in[0]) = tiling({.buffer_dimension = {kIn, kWidth, kHeight}, .tiling_dimension = {kIn, kWidth, kHeight},
        .offset = {0, 0, 0}});
    // Strips of kStrip rows with one row and column more on every side; what lies outside the image is zero.
    read_access(frame.out[0]) = tiling({.buffer_dimension = {kIn, kWidth, kHeight}, .tiling_dimension = {kIn, kPadded, kStrip + 2},
        .offset = {0, -1, -1}, .tile_traversal = {{.dimension = 2, .stride = kStrip, .wrap = kHeight / kStrip}}});
    connect<>(image.out[0], frame.in[0]);
    connect<>(frame.out[0], conv.in[0]);
    connect<>(conv.out[0], result.in[0]);
  }
};

ConvGraph graph_;

int main() {
  graph_.init();
  graph_.run(2);
  graph_.end();
}
