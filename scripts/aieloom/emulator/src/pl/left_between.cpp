// Words that are left on the ways of system.cfg when nobody is to take them: a run that follows would begin with them.
#include <string>

#include "aieloom/report.h"
#include "dma.h"
#include "runtime.h"
#include "system.h"

namespace aieloom {

namespace {

/// The compute unit of "unit.port"; null for a PLIO.
const ComputeUnit* unit_of(const std::string& end) {
  for (const auto& unit : System::instance().units()) {
    if (end.substr(0, end.find('.')) == unit->name) {
      return unit.get();
    }
  }
  return nullptr;
}

/// Whether the kernels of the array have done all that was asked of them.
bool array_is_done() {
  bool was_asked = false;
  for (const Core& core : Runtime::instance().cores()) {
    if (!core.idle() || core.for_ever()) {
      return false;
    }
    was_asked = was_asked || core.was_asked();
  }
  return was_asked;
}

/// Whether nobody takes what comes to an end, unless the host starts something: a free-running unit always may.
bool is_done(const std::string& end) {
  const ComputeUnit* unit = unit_of(end);
  return unit == nullptr ? array_is_done() : !unit->kernel.free_running && unit->load() == 0 && unit->runs() > 0;
}

/// Bytes on a way that nobody has taken.
std::uint64_t left_on(const Way& way) {
  if (unit_of(way.to) == nullptr) {
    return bytes_left(*way.stream);
  }
  const std::uint64_t given = bytes_given(*way.stream), taken = way.stream->bytes_read(way.reader);
  return given > taken ? given - taken : 0;
}

}  // namespace

void note_left(const ComputeUnit& unit, std::size_t run) {
  if (run == 1 || unit.load() != 0) {
    return;
  }
  for (Way& way : System::instance().ways()) {
    if (way.run == 0 && unit_of(way.from) == &unit && is_done(way.to)) {
      way.left_before_run = left_on(way);
      way.run = way.left_before_run != 0 ? run : 0;
    }
  }
}

void report_left() {
  if (array_is_done()) {
    report_leftovers();
  }
  for (const Way& way : System::instance().ways()) {
    const std::uint64_t left = left_on(way);
    if (left == 0 || !is_done(way.to) || (unit_of(way.from) == nullptr ? !array_is_done() : unit_of(way.from)->load() != 0)) {
      continue;
    }
    std::string text = words(left) + " of " + words(bytes_given(*way.stream)) + " that " + way.from + " gave are left: " + way.to + " did not take them";
    if (way.run != 0 && left >= way.left_before_run) {
      text += "; " + words(way.left_before_run) + " lay there when run " + std::to_string(way.run) + " of " + way.from.substr(0, way.from.find('.')) +
              " was started, and came before what it sent";
    }
    warn("left-over", text);
  }
}

}  // namespace aieloom
