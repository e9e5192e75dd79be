// Profiling of PLIO and GMIO ports: what a functional run can count [UG1076 Run-time event API].
#include <vector>

#include "adf/event.h"
#include "aieloom/report.h"
#include "runtime.h"

namespace aieloom {

namespace {

struct Watch {
  const Port* port;
  int option;
  std::uint64_t start;  // bytes that had passed
  bool running;
};

std::vector<Watch>& watches() {
  static std::vector<Watch> all;
  return all;
}

/// Bytes that have passed the port since the beginning.
std::uint64_t passed(const Port& port) {
  if (port.gmio != nullptr) {
    return stream_of(*port.gmio).bytes_written();
  }
  const PlioStream* found = Runtime::instance().find_plio(port.plio->name);
  return found != nullptr ? found->stream->bytes_written() : 0;
}

constexpr int kEventCount = adf::event::io_stream_running_event_count;

}  // namespace

int start_profile(const Port& port, const Port* second, int option) {
  if (!Runtime::instance().elaborated()) {
    refuse("graph-control", "event::start_profiling() before the graph's init()", "call init() first");
  }
  if ((second != nullptr) != (option == adf::event::io_stream_start_difference_cycles)) {
    refuse("event", second != nullptr ? "only io_stream_start_difference_cycles compares two ports"
                                      : "io_stream_start_difference_cycles compares two ports",
           "give as many PLIO or GMIO objects as the option takes");
  }
  watches().push_back({&port, option, passed(port), true});
  return static_cast<int>(watches().size()) - 1;
}

long long read_profile(int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= watches().size() || !watches()[static_cast<std::size_t>(number)].running) {
    return -1;
  }
  const Watch& watch = watches()[static_cast<std::size_t>(number)];
  if (watch.option == kEventCount) {
    return static_cast<long long>((passed(*watch.port) - watch.start) / 4);
  }
  static bool told = false;
  if (!told) {
    warn("event", "functional simulation has no time: event::read_profiling() of cycles gives 0");
    told = true;
  }
  return 0;
}

bool stop_profile(int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= watches().size()) {
    return false;
  }
  watches()[static_cast<std::size_t>(number)].running = false;
  return true;
}

}  // namespace aieloom
