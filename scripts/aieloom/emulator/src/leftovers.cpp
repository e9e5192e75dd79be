// What streams and buffers of kernels still hold when a program ends, what kernels did not write, and which two kernels of
// a deadlock move different numbers of words.
#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "aieloom/report.h"
#include "runtime.h"

namespace aieloom {

std::string words(std::uint64_t bytes) {
  constexpr std::size_t kWordBytes = 4;
  const bool whole = bytes % kWordBytes == 0;
  const std::uint64_t count = whole ? bytes / kWordBytes : bytes;
  return std::to_string(count) + (whole ? " word" : " B") + (whole && count != 1 ? "s" : "");
}

namespace {

constexpr std::size_t kShown = 12;  // lines of one report

std::string calls(std::int64_t count) { return std::to_string(count) + (count == 1 ? " call" : " calls"); }

/// One end of a stream that a kernel has.
struct End {
  const Core* core = nullptr;
  std::size_t argument = 0;
};

std::vector<End> ends_of(const ByteStream& stream, Direction direction) {
  std::vector<End> found;
  for (const Core& core : Runtime::instance().cores()) {
    for (std::size_t i = 0; i < core.arguments.size(); ++i) {
      const StreamEnd* end = core.arguments[i].stream;
      if (end != nullptr && end->stream == &stream && core.kernel.arguments[i]->direction == direction) {
        found.push_back({&core, i});
      }
    }
  }
  return found;
}

/// What an end moves a call: "writes 64 words a call", or what it has done in the call that has not ended.
std::string pace(const End& end, const char* now, const char* so_far) {
  const Core& core = *end.core;
  const std::uint64_t whole = core.moved_in_calls(end.argument);
  const std::uint64_t current = core.moved(end.argument) - whole;
  std::string text = core.kernel.name;
  if (core.calls() > 0) {
    const auto count = static_cast<std::uint64_t>(core.calls());
    text += std::string(" ") + now + " " + (whole % count == 0 ? words(whole / count) + " a call" : words(whole) + " in " + calls(core.calls()));
    text += current != 0 ? " and" : "";
  }
  if (current != 0 || core.calls() == 0) {
    text += std::string(" has ") + so_far + " " + words(current) + " in call " + std::to_string(core.calls() + 1);
  }
  return text;
}

/// File and line of a kernel's function, where its library says; each function is looked up once, by a process of its own.
std::string place_of(const Core& core) {
  static std::map<const void*, std::string> known;
  const auto [at, is_new] = known.try_emplace(core.code);
  std::string& line = at->second;
  if (!is_new) {
    return line.empty() ? core.kernel.source : line;
  }
  Dl_info info{};
  if (core.code != nullptr && dladdr(core.code, &info) != 0 && info.dli_fname != nullptr) {
    line = source_line(info.dli_fname, reinterpret_cast<std::uintptr_t>(core.code) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  }
  return line.empty() ? core.kernel.source : line;
}

/// How often kernels are called in an iteration of the graph, where that is not once each: their buffers differ in size.
std::string calls_an_iteration() {
  std::string text;
  std::size_t shown = 0;
  bool differ = false;
  for (const Core& core : Runtime::instance().cores()) {
    differ = differ || core.kernel.repetition_count > 1;
    if (++shown <= kShown) {
      text += (shown == 1 ? "" : ", ") + calls(static_cast<std::int64_t>(core.kernel.repetition_count)) + " of " + core.kernel.name;
    }
  }
  return differ ? "\n    an iteration of the graph, by the sizes of its buffers: " + text + (shown > kShown ? ", ..." : "") : "";
}

}  // namespace

std::string compare_rates() {
  std::string text;
  std::size_t shown = 0;
  for (const ByteStream& stream : Runtime::instance().streams()) {
    const auto writers = ends_of(stream, Direction::kOut);
    const auto readers = ends_of(stream, Direction::kIn);
    if (writers.empty() || readers.empty() || shown == kShown || !stream.waited_for()) {
      continue;
    }
    for (const End& reader : readers) {
      ++shown;
      const bool hungry = stream.bytes_written() == reader.core->moved(reader.argument);
      text += "\n    " + pace(writers.front(), "writes", "written") + (hungry ? ", " : " and waits for room, ") +
              pace(reader, "reads", "read") + (hungry ? " and waits for more (" : " (") +
              name_of(*writers.front().core->kernel.arguments[writers.front().argument]) + " to " +
              name_of(*reader.core->kernel.arguments[reader.argument]) + ")";
    }
  }
  return text + calls_an_iteration();
}

void report_leftovers() {
  static bool done = false;
  const Runtime& runtime = Runtime::instance();
  for (const Core& core : runtime.cores()) {
    done = done || core.for_ever();  // such a graph is cut off where it stands
  }
  if (std::exchange(done, true)) {
    return;
  }
  std::vector<std::string> lines = gmio_leftovers();
  for (const ByteStream& stream : runtime.streams()) {
    const auto writers = ends_of(stream, Direction::kOut);
    if (writers.empty() || stream.unread() == 0) {
      continue;
    }
    const End& writer = writers.front();
    std::string line = words(stream.unread()) + " of " + words(stream.bytes_written()) + " are left of what " +
                       name_of(*writer.core->kernel.arguments[writer.argument]) + " wrote in " + calls(writer.core->calls());
    for (const End& reader : ends_of(stream, Direction::kIn)) {
      line += "; " + name_of(*reader.core->kernel.arguments[reader.argument]) + " read " + words(reader.core->moved(reader.argument)) +
              " in " + calls(reader.core->calls()) + " (" + place_of(*reader.core) + ")";
    }
    lines.push_back(line);
  }
  for (const Core& core : runtime.cores()) {
    for (const BufferPort& port : core.buffers) {
      if ((port.is_input() || port.pool().untaken() == 0) && port.unwritten_calls() == 0) {
        continue;
      }
      const std::string who = std::string(port.name()) + " (" + place_of(core) + ")";
      if (!port.is_input() && port.pool().untaken() > 0) {
        lines.push_back(std::to_string(port.pool().untaken()) + (port.pool().untaken() == 1 ? " buffer of " : " buffers of ") +
                        std::to_string(port.bytes()) + " B that " + who + " filled in " + calls(core.calls()) + ", never taken by " +
                        port.pool().consumer());
      }
      if (port.unwritten_calls() > 0) {
        lines.push_back(who + " wrote " + std::to_string(port.bytes() - port.unwritten()) + " of " + std::to_string(port.bytes()) +
                        " B in " + std::to_string(port.unwritten_calls()) + " of " + calls(core.calls()));
      }
    }
  }
  for (std::size_t i = 0; i < lines.size() && i < kShown; ++i) {
    warn("left-over", lines[i]);
  }
  if (lines.size() > kShown) {
    warn("left-over", "... and " + std::to_string(lines.size() - kShown) + " more");
  }
}

}  // namespace aieloom
