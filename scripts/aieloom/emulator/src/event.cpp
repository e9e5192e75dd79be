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
  const Port* second;   // that is compared with it
  std::uint64_t bytes;  // up to which is counted
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

/// When the first and the last word passed, in cycles of a timed run.
ByteStream::Span span_of(const Port& port) {
  if (port.gmio != nullptr) {
    for (const PortTime& p : gmio_times()) {
      if (p.name == port.gmio->name) {
        return p.span;
      }
    }
    return {};
  }
  const PlioStream* found = Runtime::instance().find_plio(port.plio->name);
  if (found == nullptr) {
    return {};
  }
  return port.plio->is_input ? found->stream->span_written() : found->stream->span_read(found->reader);
}

/// Cycles that an option counts: from the first word to the last of those that were asked for, or to the first of another port.
long long cycles_of(const Watch& watch) {
  const ByteStream::Span span = span_of(*watch.port);
  if (watch.second != nullptr) {
    return static_cast<long long>(span_of(*watch.second).first) - static_cast<long long>(span.first);
  }
  const std::uint64_t all = passed(*watch.port);
  const double share = watch.bytes != 0 && watch.bytes < all ? static_cast<double>(watch.bytes) / static_cast<double>(all) : 1;
  return static_cast<long long>(share * static_cast<double>(span.last - span.first));
}

constexpr int kEventCount = adf::event::io_stream_running_event_count;

}  // namespace

int start_profile(const Port& port, const Port* second, int option, std::uint32_t bytes) {
  if (!Runtime::instance().elaborated()) {
    refuse("graph-control", "event::start_profiling() before the graph's init()", "call init() first");
  }
  if ((second != nullptr) != (option == adf::event::io_stream_start_difference_cycles)) {
    refuse("event", second != nullptr ? "only io_stream_start_difference_cycles compares two ports"
                                      : "io_stream_start_difference_cycles compares two ports",
           "give as many PLIO or GMIO objects as the option takes");
  }
  watches().push_back({&port, option, second, bytes, passed(port), true});
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
  if (is_timed()) {
    return cycles_of(watch);
  }
  static bool told = false;
  if (!told) {
    warn("event", "functional simulation has no time: event::read_profiling() of cycles gives 0 (--timed has one)");
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
