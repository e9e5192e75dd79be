// subgraphs.h: parts of the device between layers that other units compute: each is given float32 values and gives some.
#pragma once

#include "xrt.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "device.h"
#include "part.h"
#include "run.h"

namespace aieloom::host {

/// A part's movers, and their buffers for one batch, on each copy of the design.
template <class Array, class Part>
class Subgraph {
  static_assert(Array::kTiles == 0, "images are cut into tiles only where the array computes all layers");

 public:
  Subgraph(const Device<Array>& device, std::size_t batch) {
    for (std::size_t copy = 0; copy < Array::kCopies; ++copy) {
      mm2s_.push_back(device.open(Part::kMm2s, copy));
      s2mm_.push_back(device.open(Part::kS2mm, copy));
      in_.push_back(device.memory(turns(batch) * Part::kInBytes, mm2s_.back()));
      out_.push_back(device.memory(turns(batch) * Part::kOutBytes, s2mm_.back()));
    }
  }

  /// How often each copy runs for `count` images.
  static std::size_t turns(std::size_t count) { return (count + Array::kCopies - 1) / Array::kCopies; }

  /// Takes `count` images through; `results` receives kOutValues floats for each. Copy c takes images c, c + kCopies, ...;
  /// all copies run equally often, some the last image again: what that gives is dropped.
  void run(const float* images, std::size_t count, float* results) {
    const int iterations = static_cast<int>(turns(count));
    std::vector<Element> image(Part::kInValues);
    for (std::size_t i = 0; i < turns(count) * Array::kCopies; ++i) {
      Part::Values::to_elements(images + std::min(i, count - 1) * image.size(), image.size(), image.data());
      pack<Part>(image.data(), 1, place(in_, i, Part::kInBytes));
    }
    std::vector<xrt::run> runs;
    for (std::size_t copy = 0; copy < Array::kCopies; ++copy) {
      in_[copy].sync(XCL_BO_SYNC_BO_TO_DEVICE);
      runs.push_back(s2mm_[copy](out_[copy], Part::kOutWords, iterations));  // the streams are connected in hardware
      runs.push_back(mm2s_[copy](in_[copy], Part::kInWords, iterations));
    }
    for (xrt::run& each : runs) {
      finish(each);
    }
    for (xrt::bo& out : out_) {
      out.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    }
    std::vector<Element> result(Part::kOutValues);
    for (std::size_t i = 0; i < count; ++i) {
      unpack<Part>(place(out_, i, Part::kOutBytes), 1, result.data());
      Part::Values::to_values(result.data(), result.size(), results + i * result.size());
    }
  }

 private:
  using Element = typename Part::Values::Element;

  /// Where image `i` of `bytes` lies.
  static Element* place(std::vector<xrt::bo>& memory, std::size_t i, std::size_t bytes) {
    return memory[i % Array::kCopies].template map<Element*>() + i / Array::kCopies * (bytes / sizeof(Element));
  }

  std::vector<xrt::kernel> mm2s_;
  std::vector<xrt::kernel> s2mm_;
  std::vector<xrt::bo> in_;
  std::vector<xrt::bo> out_;
};

/// The device with the design loaded, and its parts in order.
template <class Array, class... Parts>
class Subgraphs {
 public:
  static constexpr std::size_t kCount = sizeof...(Parts);
  static constexpr std::array<std::size_t, kCount> kInValues = {Parts::kInValues...};
  static constexpr std::array<std::size_t, kCount> kOutValues = {Parts::kOutValues...};

  Subgraphs(const std::string& xclbin, std::size_t batch)
      : device_(xclbin), parts_(Subgraph<Array, Parts>(device_, batch)...) {}
  Subgraphs(const xrt::device& device, const xrt::uuid& uuid, std::size_t batch)
      : device_(device, uuid), parts_(Subgraph<Array, Parts>(device_, batch)...) {}

  /// Lets the cores begin to work on `count` images: those of each part wait for what it is given.
  void start(std::size_t count) { device_.start((count + Array::kCopies - 1) / Array::kCopies); }

  /// Waits until the images have gone through all parts.
  void wait() { device_.wait(); }

  /// Takes `count` images, the values of `images`, through a part; `results` receives the values of what it gives.
  void run(std::size_t part, const float* images, std::size_t count, float* results) {
    run_one(part, images, count, results, std::index_sequence_for<Parts...>());
  }

 private:
  template <std::size_t... kPlaces>
  void run_one(std::size_t part, const float* images, std::size_t count, float* results,
               std::index_sequence<kPlaces...>) {
    ((kPlaces == part ? std::get<kPlaces>(parts_).run(images, count, results) : void()), ...);
  }

  Device<Array> device_;
  std::tuple<Subgraph<Array, Parts>...> parts_;
};

}  // namespace aieloom::host
