// design.h: images through a design on the array: one part from memory to memory, in any number of copies.
#pragma once

#include "xrt.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "clock.h"
#include "device.h"
#include "part.h"
#include "run.h"

namespace aieloom::host {

/// The device with the design's copies, and buffers for two batches: one that the device works on, one that is taken and filled.
///
/// Copy c takes images c, c + kCopies, ... of a batch, or tiles where the movers cut images: then all copies read one buffer. All run equally
/// often, some the last image again: what that gives is dropped.
template <class Array, class Part>
class Design {
 public:
  using Element = typename Part::Values::Element;

  Design(const std::string& xclbin, std::size_t batch) : device_(xclbin), batch_(batch) {
    for (std::size_t copy = 0; copy < Array::kCopies; ++copy) {
      mm2s_.push_back(device_.open(Part::kMm2s, copy));
      s2mm_.push_back(device_.open(Part::kS2mm, copy));
    }
    for (std::size_t i = 0; i < kBuffers * kShares; ++i) {
      in_.push_back(device_.memory(shares_of(batch) * Part::kInBytes, mm2s_[i % kShares]));
      out_.push_back(device_.memory(shares_of(batch) * Part::kOutBytes, s2mm_[i % kShares]));
    }
  }

  /// Runs `count` images in batches, `repeat` times; `results` receives kOutValues elements for each.
  ///
  /// The graph starts once for all of them. While the device works on a batch, the results of the one before are taken and
  /// the next one's images brought; images that a buffer still holds from the last time stay there.
  void run(const Element* images, std::size_t count, Element* results, std::size_t repeat = 1) {
    const std::size_t batches = (count + batch_ - 1) / batch_;
    const std::size_t all = batches * repeat;
    const auto size = [&](std::size_t i) { return std::min(batch_, count - i % batches * batch_); };
    const auto fill = [&](std::size_t i) {
      if (i < all && held_[i % kBuffers] != i % batches) {
        const Stopwatch watch(times_.packing);
        bring(i % kBuffers, images + i % batches * batch_ * Part::kInValues, size(i));
        held_[i % kBuffers] = i % batches;
      }
    };
    const auto take_results = [&](std::size_t i) {
      const Stopwatch watch(times_.packing);
      take(i % kBuffers, results + i % batches * batch_ * Part::kOutValues, size(i));
    };
    held_.fill(batches);
    std::size_t iterations = 0;
    for (std::size_t i = 0; i < batches; ++i) {
      iterations += iterations_of(size(i));
    }
    fill(0);
    device_.start(iterations * repeat);
    for (std::size_t i = 0; i < all; ++i) {
      const Stopwatch watch(times_.device);
      start(i % kBuffers, size(i));
      if (i > 0 && i + batches > all) {
        take_results(i - 1);
      }
      fill(i + 1);
      for (xrt::run& each : runs_) {
        finish(each);
      }
    }
    take_results(all - 1);
    device_.wait();
  }

  /// What the runs took.
  const Times& times() const { return times_; }

 private:
  static constexpr std::size_t kBuffers = 2;  // batches in flight
  static constexpr bool kCuts = Array::kTiles != 0;
  static constexpr std::size_t kShares = kCuts ? 1 : Array::kCopies;  // of a buffer: a memory for each

  /// Images of a batch in each share.
  static std::size_t shares_of(std::size_t count) { return (count + kShares - 1) / kShares; }

  /// How often each copy runs for `count` images: for its share of them, or of their tiles.
  static std::size_t iterations_of(std::size_t count) {
    return ((kCuts ? count * Array::kTiles : count) + Array::kCopies - 1) / Array::kCopies;
  }

  /// Where image `i` of a batch lies.
  static Element* place(std::vector<xrt::bo>& memory, std::size_t buffer, std::size_t i, std::size_t bytes) {
    return memory[buffer * kShares + i % kShares].template map<Element*>() + i / kShares * (bytes / sizeof(Element));
  }

  void bring(std::size_t buffer, const Element* images, std::size_t count) {
    if constexpr (kShares == 1) {
      pack<Part>(images, count, place(in_, buffer, 0, Part::kInBytes));
    } else {
      for (std::size_t i = 0; i < shares_of(count) * kShares; ++i) {
        pack<Part>(images + std::min(i, count - 1) * Part::kInValues, 1, place(in_, buffer, i, Part::kInBytes));
      }
    }
    for (std::size_t share = 0; share < kShares; ++share) {
      in_[buffer * kShares + share].sync(XCL_BO_SYNC_BO_TO_DEVICE);
    }
  }

  void take(std::size_t buffer, Element* results, std::size_t count) {
    for (std::size_t share = 0; share < kShares; ++share) {
      out_[buffer * kShares + share].sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    }
    for (std::size_t i = 0; i < count; ++i) {
      unpack<Part>(place(out_, buffer, i, Part::kOutBytes), 1, results + i * Part::kOutValues);
    }
  }

  /// Starts the movers, those of results first: the streams between are connected in hardware.
  void start(std::size_t buffer, std::size_t count) {
    runs_.clear();
    for (std::size_t copy = 0; copy < Array::kCopies; ++copy) {
      xrt::bo& in = in_[buffer * kShares + copy % kShares];
      xrt::bo& out = out_[buffer * kShares + copy % kShares];
      if constexpr (kCuts) {
        const int images = static_cast<int>(count);
        runs_.push_back(s2mm_[copy](out, images, static_cast<int>(copy), static_cast<int>(Array::kCopies)));
        runs_.push_back(mm2s_[copy](in, images, static_cast<int>(copy), static_cast<int>(Array::kCopies)));
      } else {
        const int iterations = static_cast<int>(iterations_of(count));
        runs_.push_back(s2mm_[copy](out, Part::kOutWords, iterations));
        runs_.push_back(mm2s_[copy](in, Part::kInWords, iterations));
      }
    }
  }

  Device<Array> device_;
  std::vector<xrt::kernel> mm2s_;  // of each copy
  std::vector<xrt::kernel> s2mm_;
  std::vector<xrt::bo> in_;  // of each buffer one for each share
  std::vector<xrt::bo> out_;
  std::size_t batch_;                         // images
  std::array<std::size_t, kBuffers> held_{};  // by buffer: the batch whose images it holds
  Times times_;
  std::vector<xrt::run> runs_;
};

}  // namespace aieloom::host
