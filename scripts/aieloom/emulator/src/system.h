// The linked system: compute units as system.cfg makes and connects them, around the array.
#ifndef AIELOOM_SYSTEM_H
#define AIELOOM_SYSTEM_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "aieloom/byte_stream.h"
#include "aieloom/pl_kernel.h"
#include "aieloom/scheduler.h"

namespace aieloom {

/// One compute unit of a PL kernel.
class ComputeUnit final : public Waitable {
 public:
  ComputeUnit(std::string unit_name, const PlKernel& kernel);

  /// Run the kernel's function once; waits while the unit is busy.
  void start();
  [[nodiscard]] bool busy() const noexcept { return busy_; }
  [[nodiscard]] std::string describe() const override;

  /// Start a free-running unit: it begins again whenever it ends.
  void run_for_ever();

  std::string name;
  const PlKernel& kernel;
  std::vector<PlArgument> arguments;
  std::vector<int> groups;  // memory bank of each argument

 private:
  bool busy_ = false;
};

/// What a line of system.cfg connects: a port of a compute unit or a PLIO of the array.
struct LinkEnd {
  StreamPort* port = nullptr;
  struct PlioStream* plio = nullptr;
  std::size_t bits = 0;
  std::string text;
};

class System {
 public:
  static System& instance();

  /// Load what `file` says: compute units, connections; elaborates the array and starts free-running units.
  std::string load(const std::string& file);
  [[nodiscard]] const std::string& uuid() const { return uuid_; }

  /// Find a compute unit by "kernel" or "kernel:{unit}"; null when there is none.
  [[nodiscard]] ComputeUnit* find(const std::string& name) const;
  [[nodiscard]] std::string unit_names() const;

 private:
  friend class Linker;
  std::string uuid_;
  std::vector<std::unique_ptr<ComputeUnit>> units_;
  std::vector<std::unique_ptr<ByteStream>> streams_;
};

/// Memory as host and device see it.
struct DeviceBuffer {
  std::vector<std::byte> host;
  std::vector<std::byte> device;
  std::byte* host_begin = nullptr;  // both views begin on 4 KiB boundaries
  std::byte* device_begin = nullptr;
  std::size_t bytes = 0;
  unsigned group = 0;
};

const std::vector<PlKernel>& pl_kernels();

}  // namespace aieloom

#endif  // AIELOOM_SYSTEM_H
