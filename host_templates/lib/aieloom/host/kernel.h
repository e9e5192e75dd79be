// kernel.h: a network that is one kernel in the logic: images in and results out of device memory, pixel after pixel.
#pragma once

#include "xrt.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "clock.h"
#include "run.h"

namespace aieloom::host {

/// `Kernel` names it, `kName`, and says what an image and a result have: kImageValues, kImagePixels, kResultValues, kResultPixels.
template <class Kernel>
class KernelDesign {
 public:
  using Element = typename Kernel::Values::Element;

  KernelDesign(const std::string& xclbin, std::size_t batch)
      : batch_(batch),
        device_(0),
        kernel_(device_, device_.load_xclbin(xclbin), Kernel::kName),
        in_(device_, in_words(batch_ * Kernel::kImageValues), kernel_.group_id(0)),
        out_(device_, in_words(batch_ * Kernel::kResultValues), kernel_.group_id(1)) {}

  /// Runs `count` images batch by batch, `repeat` times; `results` receives kResultValues elements for each.
  void run(const Element* images, std::size_t count, Element* results, std::size_t repeat = 1) {
    for (std::size_t again = 0; again < repeat; ++again) {
      for (std::size_t i = 0; i < count; i += batch_) {
        const std::size_t some = std::min(batch_, count - i);
        {
          const Stopwatch watch(times_.packing);
          turn(images + i * Kernel::kImageValues, some, Kernel::kImageValues / Kernel::kImagePixels,
               Kernel::kImagePixels, in_.map<Element*>());
        }
        {
          const Stopwatch watch(times_.device);
          in_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
          finish(kernel_(in_, out_, static_cast<int>(some)));
          out_.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
        }
        const Stopwatch watch(times_.packing);
        turn(out_.map<Element*>(), some, Kernel::kResultPixels, Kernel::kResultValues / Kernel::kResultPixels,
             results + i * Kernel::kResultValues);
      }
    }
  }

  /// Seconds of the kernel, and of laying out images and results.
  const Times& times() const { return times_; }

 private:
  static constexpr std::size_t kWord = 16;  // bytes of memory that the kernel reads and writes at a time

  /// Bytes of so many elements in whole words.
  static constexpr std::size_t in_words(std::size_t elements) {
    return (elements * sizeof(Element) + kWord - 1) / kWord * kWord;
  }

  /// Writes each image's rows as columns.
  static void turn(const Element* from, std::size_t count, std::size_t rows, std::size_t columns, Element* to) {
    for (std::size_t i = 0; i < count; ++i, from += rows * columns, to += rows * columns) {
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          to[c * rows + r] = from[r * columns + c];
        }
      }
    }
  }

  Times times_;
  std::size_t batch_;
  xrt::device device_;
  xrt::kernel kernel_;
  xrt::bo in_;
  xrt::bo out_;
};

}  // namespace aieloom::host
