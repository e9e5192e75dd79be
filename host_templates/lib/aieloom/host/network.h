// network.h: a network with layers on the processor before, between and behind what the device computes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "clock.h"

namespace aieloom::host {

/// `Layers` has the layers on the processor of one image: `before(part, values)` returns what a part of the device is given, of the image or
/// of what the part before has given; `result(values)` returns the network's result. `Device` has the parts.
template <class Layers, class Device>
class Network {
 public:
  Network(const std::string& xclbin, std::size_t batch) : device_(xclbin, batch), layers_(batch) {}

  /// Runs `count` images batch by batch, `repeat` times; `results` receives a result's floats for each.
  void run(const float* images, std::size_t count, float* results, std::size_t repeat = 1) {
    for (std::size_t again = 0; again < repeat; ++again) {
      for (std::size_t i = 0; i < count; i += layers_.size()) {
        const Stopwatch watch(times_.device);
        run_batch(images + i * Layers::kImageValues, std::min(layers_.size(), count - i),
                  results + i * Layers::kResultValues);
      }
    }
  }

  /// What the runs took, the layers on the processor and the device one after another.
  const Times& times() const { return times_; }

 private:
  /// All images go through one part of the device, then through the next.
  void run_batch(const float* images, std::size_t count, float* results) {
    std::vector<std::vector<float>> received(Device::kCount);  // of the layers behind, which read it where it is
    const float* given = images;
    std::size_t values = Layers::kImageValues;
    device_.start(count);
    for (std::size_t part = 0; part < Device::kCount; ++part) {
      std::vector<float> sent(count * Device::kInValues[part]);
      for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(layers_[i].before(part, given + i * values), Device::kInValues[part],
                    &sent[i * Device::kInValues[part]]);
      }
      values = Device::kOutValues[part];
      received[part].resize(count * values);
      device_.run(part, sent.data(), count, received[part].data());
      given = received[part].data();
    }
    device_.wait();
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(layers_[i].result(given + i * values), Layers::kResultValues, results + i * Layers::kResultValues);
    }
  }

  Device device_;
  std::vector<Layers> layers_;  // of each image of a batch
  Times times_;
};

}  // namespace aieloom::host
