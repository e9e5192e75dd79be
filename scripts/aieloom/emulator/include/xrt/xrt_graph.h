// Controlling an AI Engine graph from the host [XRT native API: xrt::graph].
#ifndef XRT_GRAPH_H
#define XRT_GRAPH_H

#include <chrono>
#include <cstdint>
#include <string>

#include "xrt/xrt_device.h"
#include "xrt/xrt_uuid.h"

namespace xrt {

class graph {
 public:
  enum class access_mode : std::uint8_t { exclusive = 0, primary = 1, shared = 2 };

  graph() = default;

  /// `name` is the graph object's name in the graph's source. Throws when there is none.
  graph(const device& device, const uuid& uuid, const std::string& name, access_mode mode = access_mode::primary);

  void reset() const;

  /// Start `iterations`; 0 runs for ever.
  void run(std::uint32_t iterations = 0);

  /// Wait for the iterations, or until the time is up or nothing can go on.
  void wait(const std::chrono::milliseconds& limit);
  void wait(std::uint64_t cycles = 0);
  void end(std::uint64_t cycles = 0);

 private:
  const void* graph_ = nullptr;
};

}  // namespace xrt

#endif  // XRT_GRAPH_H
