// products.h: layers that are products on the matrix engine in the logic.
#pragma once

#include "xrt.h"

#include <array>
#include <cstddef>
#include <string>

#include "engine.h"

namespace aieloom::host {

/// Row k of column j of a layer's matrix: what output place j sees of the image, channel by channel; 0 outside it.
template <class Layer>
float seen(const float* image, std::size_t k, std::size_t j) {
  const int tap = static_cast<int>(k);
  const int place = static_cast<int>(j);
  const int y = place / Layer::kPlacesX * Layer::kStrideY +
                tap % (Layer::kKernelY * Layer::kKernelX) / Layer::kKernelX - Layer::kTop;
  const int x = place % Layer::kPlacesX * Layer::kStrideX + tap % Layer::kKernelX - Layer::kLeft;
  const int channel = tap / (Layer::kKernelY * Layer::kKernelX);
  return 0 <= y && y < Layer::kHeight && 0 <= x && x < Layer::kWidth
             ? image[(channel * Layer::kHeight + y) * Layer::kWidth + x]
             : 0.0F;
}

/// The layers that are products on the matrix engine: weights times what the windows of all images of a batch see, plus the bias.
///
/// A layer is a struct of the generated host program: kM output channels, kN places and kK inputs of an output, for an image of kInValues
/// values; the window's sizes; `weight()`, kM x kK, and `bias()`, nullptr where it has none.
template <class Traits, class... Layers>
class Products {
 public:
  static constexpr std::size_t kCount = sizeof...(Layers);
  static constexpr std::array<std::size_t, kCount> kInValues = {Layers::kInValues...};
  static constexpr std::array<std::size_t, kCount> kOutValues = {Layers::kM * Layers::kN...};

  Products(const std::string& xclbin, std::size_t /*batch*/)
      : device_(0), engine_(device_, device_.load_xclbin(xclbin)) {}

  void start(std::size_t /*count*/) {}
  void wait() {}

  /// Computes a layer for `count` images.
  void run(std::size_t layer, const float* images, std::size_t count, float* results) {
    using Run = void (Products::*)(const float*, std::size_t, float*);
    constexpr std::array<Run, kCount> kRuns = {&Products::template run_layer<Layers>...};
    (this->*kRuns[layer])(images, count, results);
  }

 private:
  template <class Layer>
  void run_layer(const float* images, std::size_t count, float* results) {
    constexpr std::size_t m = Layer::kM;
    constexpr std::size_t n = Layer::kN;
    constexpr std::size_t k = Layer::kK;
    const float* const weight = Layer::weight();
    const float* const bias = Layer::bias();
    engine_.multiply(
        m, count * n, k, [=](std::size_t i, std::size_t at) { return weight[i * k + at]; },
        [=](std::size_t at, std::size_t j) { return seen<Layer>(images + j / n * Layer::kInValues, at, j % n); }, 1.0F,
        bias ? 1.0F : 0.0F, [=](std::size_t i, std::size_t) { return bias[i]; },
        [=](std::size_t i, std::size_t j, float value) { results[(j / n * m + i) * n + j % n] = value; });
  }

  xrt::device device_;
  Engine<Traits> engine_;
};

}  // namespace aieloom::host
