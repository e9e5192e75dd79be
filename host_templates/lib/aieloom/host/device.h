// device.h: the device with a design loaded: its graph, the kernels that send weights, and those that keep whole images.
#pragma once

#include "xrt.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "run.h"
#include "unit.h"

namespace aieloom::host {

/// A kernel that sends the cores their weights, with the words of each of its streams.
struct Sent {
  const char* kernel;
  const std::uint64_t* table;
  std::size_t bytes;
  int words;
};

/// What an array has where its struct in the generated host program, which also names the graph `kGraph`, says nothing else.
struct ArrayDefaults {
  static constexpr std::size_t kCopies = 1;  // of the design, side by side
  static constexpr std::size_t kTiles = 0;   // of an image, where the movers cut it into tiles
  static std::vector<Sent> weights() { return {}; }
  static std::vector<const char*> frames() { return {}; }  // kernels that keep whole images: each run starts them
};

/// The graph, which begins with its cores reset; each copy of the design has its own kernels.
template <class Array>
class Device {
 public:
  explicit Device(const std::string& xclbin) : Device(xrt::device(0), xclbin) {}

  Device(const xrt::device& device, const xrt::uuid& uuid)
      : device_(device), uuid_(uuid), graph_(device_, uuid_, Array::kGraph) {
    graph_.reset();
    for (std::size_t copy = 0; copy < Array::kCopies; ++copy) {
      for (const char* kernel : Array::frames()) {
        frames_.emplace_back(open(kernel, copy));
      }
      for (const Sent& sent : Array::weights()) {
        send(sent, copy);
      }
    }
  }

  /// A kernel of a copy.
  xrt::kernel open(const char* kernel, std::size_t copy) const {
    return xrt::kernel(device_, uuid_, unit(kernel, copy));
  }

  /// Memory from which, or to which, a kernel's first argument points.
  xrt::bo memory(std::size_t bytes, const xrt::kernel& kernel) const {
    return xrt::bo(device_, bytes, kernel.group_id(0));
  }

  /// Has each copy run so often.
  void start(std::size_t iterations) {
    for (xrt::run& each : frames_) {
      each.set_arg(0, static_cast<int>(iterations));
      each.start();
    }
    graph_.run(static_cast<int>(iterations));
  }

  /// Waits until all have run so often.
  void wait() {
    graph_.wait();
    for (xrt::run& each : frames_) {
      finish(each);
    }
    for (Sending& sending : sendings_) {
      finish(sending.run);  // the cores have their weights
    }
    sendings_.clear();
  }

 private:
  /// Weights on their way, with the memory that holds them.
  struct Sending {
    xrt::bo memory;
    xrt::run run;
  };

  Device(xrt::device device, const std::string& xclbin) : Device(device, device.load_xclbin(xclbin)) {}

  void send(const Sent& sent, std::size_t copy) {
    xrt::kernel sender = open(sent.kernel, copy);
    xrt::bo table = memory(sent.bytes, sender);
    std::memcpy(table.map<std::uint64_t*>(), sent.table, sent.bytes);
    table.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    sendings_.push_back({table, sender(table, sent.words, 1)});
  }

  xrt::device device_;
  xrt::uuid uuid_;
  xrt::graph graph_;
  std::vector<xrt::run> frames_;
  std::vector<Sending> sendings_;
};

}  // namespace aieloom::host
