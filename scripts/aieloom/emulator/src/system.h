// The linked system: compute units as system.cfg makes and connects them, around the array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aieloom/byte_stream.h"
#include "aieloom/design.h"
#include "aieloom/guard.h"
#include "aieloom/logic.h"
#include "aieloom/pl_kernel.h"
#include "aieloom/scheduler.h"
#include "aieloom/source_place.h"
#include "lanes.h"

namespace aieloom {

class ComputeUnit;

/// One start of a kernel, with its arguments [XRT: xrt::run].
struct Run final : Waitable {
  enum class State { kNew, kQueued, kRunning, kCompleted };

  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] bool finished() const noexcept { return state == State::kCompleted; }

  std::vector<ComputeUnit*> units;  // those that may serve it, as far as its buffers' banks allow
  std::vector<PlArgument> arguments;
  std::size_t repetitions = 1;  // 0: for ever
  State state = State::kNew;
  std::vector<std::function<void()>> when_finished;
  std::uint64_t started_at = 0, finished_at = 0;  // cycles, in a timed run
};

/// One compute unit of a PL kernel.
class ComputeUnit final : public Waitable {
 public:
  ComputeUnit(std::string unit_name, const PlKernel& kernel);

  /// Queue a run; refuses when an argument is missing.
  void submit(const std::shared_ptr<Run>& run);
  [[nodiscard]] std::size_t load() const noexcept { return queue_.size(); }
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] Name waker() const override { return name; }
  [[nodiscard]] std::int64_t calls() const noexcept { return calls_; }
  [[nodiscard]] std::size_t runs() const noexcept { return started_; }

  /// Start a free-running unit: it begins again whenever it ends.
  void run_for_ever();

  /// The address of an argument's register in the unit's control interface, behind that of what the kernel returns
  /// [UG1399 S_AXILITE control register map].
  [[nodiscard]] std::uint32_t offset(std::size_t argument) const;

  /// The argument, or the result, whose register has this address; null when there is none.
  PlArgument* at_offset(std::uint32_t address, std::size_t& byte);

  std::string name;
  const PlKernel& kernel;
  std::vector<PlArgument> arguments;
  PlArgument result;        // what the last call has returned
  std::vector<int> groups;  // memory bank of each argument
  double mhz = kPlioMhz;    // of its clock
  Lane lane;                // what it did when, in a timed run

 private:
  void serve();
  void take(const Run& run);
  /// The running fiber is the unit's: it has its clock and its memory ports.
  void keep_time();
  void call();
  /// Refuse what the call has written beside its buffers.
  void check_memory() const;

  Logic logic_;
  std::int64_t calls_ = 0;
  std::size_t started_ = 0, served_ = 0;  // runs
  std::deque<std::shared_ptr<Run>> queue_;  // the first is running
};

/// What a line of system.cfg connects: a port of a compute unit or a PLIO of the array.
struct LinkEnd {
  StreamPort* port = nullptr;
  struct PlioStream* plio = nullptr;
  std::size_t bits = 0;
  std::string text;
};

/// A line of system.cfg: words from a compute unit, or to one, or both.
struct Way {
  ByteStream* stream = nullptr;
  int reader = 0;
  std::string from, to;              // unit.port
  std::uint64_t left_before_run = 0;  // bytes that lay there when a later run of who sends was started, and nobody was to take them
  std::size_t run = 0;
};

class System {
 public:
  static System& instance();

  /// Load what an xclbin's bytes say: compute units, connections; elaborates the array and starts free-running units.
  std::string load(const std::string& image);
  [[nodiscard]] const std::string& uuid() const { return uuid_; }

  /// Find compute units by "kernel" (all of its units) or "kernel:{unit,unit}"; empty when there are none.
  [[nodiscard]] std::vector<ComputeUnit*> find(const std::string& name) const;
  [[nodiscard]] std::string unit_names() const;
  [[nodiscard]] const std::vector<std::unique_ptr<ComputeUnit>>& units() const { return units_; }

  [[nodiscard]] std::vector<Way>& ways() { return ways_; }

  /// How many memory banks there are; group_id() is below.
  [[nodiscard]] std::size_t banks() const { return bank_names_.size(); }
  [[nodiscard]] const std::vector<std::string>& bank_names() const { return bank_names_; }

 private:
  friend class Linker;
  std::string uuid_;
  std::vector<std::string> bank_names_{"DDR"};  // as sp= has them; else all is in DDR
  std::vector<std::unique_ptr<ComputeUnit>> units_;
  std::vector<std::unique_ptr<ByteStream>> streams_;
  std::vector<Way> ways_;
};

/// A unit's next run is started: remember what the one before has left on its ways (left_between.cpp).
void note_left(const ComputeUnit& unit, std::size_t run);
/// The program ends: tell what is left on ways where nobody takes it.
void report_left();

/// Keep what a unit's ports carry, where $AIELOOM_PORTS asks for it: from now on, till its run has ended (kept_ports.cpp).
void keep_ports(ComputeUnit& unit);
void ports_are_kept(ComputeUnit& unit);


/// Memory as host and device see it.
///
/// What the host holds is a handle: when the last is gone, so is the memory, though runs that have it keep the object.
struct DeviceBuffer : std::enable_shared_from_this<DeviceBuffer> {
  std::optional<GuardedMemory> host;    // none: it is the device's, the program's own, or nobody's
  std::optional<GuardedMemory> device;  // none of a part
  std::byte* host_begin = nullptr;
  std::byte* device_begin = nullptr;
  std::size_t bytes = 0;
  unsigned group = 0;
  std::uint32_t flags = 0;
  std::shared_ptr<DeviceBuffer> parent;  // of a part
  bool is_gone = false;                  // the host holds it no longer

  /// Memory for the device, and for the host where it has a view of its own.
  void allocate(bool for_host);

  /// "the buffer object of 256 B made at host.cpp:17", behind the argument of what runs that it is.
  [[nodiscard]] std::string name() const;

  /// The host's last handle goes.
  void let_go();

  // What is known of its synchronisation; kept for the whole of a buffer's parts.
  std::string made_at;  // the host's line
  std::string user;     // the first that ran on it
  bool in_use_by_host = false;  // mapped, read or written
  bool was_synced = false;
  bool was_unsynced = false;  // the host had written when a kernel began, and nothing was ever synchronised
  std::size_t runs = 0;          // since the last synchronisation
  std::uint64_t before_run = 0;  // what the device held before the first of them, as a number

  [[nodiscard]] DeviceBuffer& whole() { return parent == nullptr ? *this : parent->whole(); }
};

// Views of one buffer that differ because the host did not synchronise them (unsynced.cpp).
void watch(const std::shared_ptr<DeviceBuffer>& buffer, const aieloom::SourcePlace& where);
void note_sync(DeviceBuffer& buffer);
void note_run(DeviceBuffer& buffer, const std::string& unit, const std::string& argument);
void note_gone(DeviceBuffer& buffer);

// Accesses beside buffers (beside.cpp): refused when the one who had it wrote there.
void check_host(const DeviceBuffer& buffer);
void check_device(const DeviceBuffer& buffer, const std::string& unit);

/// The bytes of a file that write_xclbin() made; throws std::system_error when it cannot be read.
[[nodiscard]] std::string read_xclbin(const std::string& file);

/// The identity of such bytes, as 32 hexadecimal digits; throws std::system_error when they are none.
[[nodiscard]] std::string xclbin_identity(const std::string& image);

const std::vector<PlKernel>& pl_kernels();

/// The port at a path of members, e.g. "g.gain" or "g.sub.k[1].in[0]", from the graph's own name on; null when there is none.
[[nodiscard]] Port* find_port(const void* graph, const std::string& path);

}  // namespace aieloom
