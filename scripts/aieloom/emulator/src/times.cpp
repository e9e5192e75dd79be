// Where a timed run's time went, as lines of words with tabs between them; aieloom/emulator/timed/times.py reads them.
#include <cstdio>

#include "nets.h"
#include "runtime.h"

namespace aieloom {

namespace {

/// The kernel's port at the other end of a port's connections, through the ports of graphs, whose buffers the graph places.
const Port* placed_end(const Port& port, Direction way) {
  for (const Connection& c : design().connections) {
    const Port* here = way == Direction::kIn ? c.to : c.from;
    const Port* there = way == Direction::kIn ? c.from : c.to;
    if (here != &port) {
      continue;
    }
    const Port* found = there->belongs_to_graph() ? placed_end(*there, way) : there;
    if (found != nullptr && found->kernel != nullptr && !found->locations.empty()) {
      return found;
    }
  }
  return nullptr;
}

/// Where the graph places a port's buffers: at this end, or at the other end of the connection that shares them.
const std::vector<Location>& locations_of(const Port& port) {
  const Port* other = port.locations.empty() ? placed_end(port, port.direction) : nullptr;
  return other != nullptr ? other->locations : port.locations;
}

/// A line for each place that the graph gives an argument's buffer; aieloom/emulator/timed/banks.py reads them.
void write_places(std::FILE* out, const Kernel& kernel) {
  std::size_t number = 0;
  for (const Port* port : kernel.arguments) {
    for (const Location& at : locations_of(*port)) {
      const bool is_bank = at.kind == Location::Kind::kBank;
      if (is_bank || at.kind == Location::Kind::kAddress) {
        std::fprintf(out, "place\t%s\t%zu\t%d\t%d\t%ld\t%ld\t%zu\n", kernel.name.c_str(), number, at.col, at.row,
                     static_cast<long>(is_bank ? at.value : -1), static_cast<long>(is_bank ? 0 : at.value), declared_bytes(*port));
      }
    }
    ++number;
  }
}

void write_core(std::FILE* out, const Core& core) {
  write_places(out, core.kernel);
  const Lane& lane = core.lane;
  const char* name = core.kernel.name.c_str();
  std::fprintf(out, "core\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\n", name, static_cast<unsigned long long>(lane.first),
               static_cast<unsigned long long>(lane.last), static_cast<unsigned long long>(lane.busy),
               static_cast<unsigned long long>(lane.shortest), static_cast<unsigned long long>(lane.longest));
  static const char* const kWords[] = {"lock", "stream", "cascade"};
  for (const Lane::Waited& w : lane.waits) {
    std::fprintf(out, "wait\t%s\t%s\t%s\t%llu\n", name, kWords[static_cast<std::size_t>(w.why)], w.on,
                 static_cast<unsigned long long>(w.cycles));
  }
  for (const Lane::Slice& s : lane.slices) {
    std::fprintf(out, "slice\t%s\t%s\t%llu\t%llu\n", name, s.what().c_str(), static_cast<unsigned long long>(s.begin),
                 static_cast<unsigned long long>(s.end));
  }
}

void write_port(std::FILE* out, const std::string& name, bool is_input, std::uint64_t bytes, ByteStream::Span span) {
  std::fprintf(out, "port\t%s\t%s\t%llu\t%llu\t%llu\n", name.c_str(), is_input ? "in" : "out", static_cast<unsigned long long>(bytes),
               static_cast<unsigned long long>(span.first), static_cast<unsigned long long>(span.last));
}

/// How full a stream was, in percent of what lies on the way to a reader.
void write_fills(std::FILE* out, const ByteStream& stream) {
  for (int reader = 0; reader < stream.reader_count(); ++reader) {
    const ByteStream::Fill* fill = stream.fill(reader);
    if (fill == nullptr || fill->cycles == 0) {
      continue;
    }
    std::fprintf(out, "fill\t%s\t%s\t%zu\t%.0f\t%g\t", stream.name().c_str(), stream.reader_name(reader).c_str(), fill->words,
                 fill->begin, fill->cycles);
    for (const float area : fill->area) {
      std::fprintf(out, "%d ", static_cast<int>(100 * area / (fill->cycles * static_cast<double>(fill->words)) + 0.5));
    }
    std::fprintf(out, "\n");
  }
}

}  // namespace

__attribute__((weak)) void write_logic(std::FILE*) {}  // designs of the array alone have none

void write_times(const std::string& file) {
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (out == nullptr) {
    return;
  }
  std::fprintf(out, "clock\t%g\n", kArrayMhz);
  Runtime& runtime = Runtime::instance();
  for (const Core& core : runtime.cores()) {
    write_core(out, core);
  }
  write_logic(out);
  for (const ByteStream& stream : runtime.streams()) {
    write_fills(out, stream);
  }
  for (const PlioStream& p : runtime.plios()) {
    const bool in = p.plio->is_input;
    write_port(out, p.plio->name, in, in ? p.stream->bytes_written() : p.stream->bytes_read(p.reader),
               in ? p.stream->span_written() : p.stream->span_read(p.reader));
  }
  for (const PortTime& p : gmio_times()) {
    write_port(out, p.name, p.is_input, p.bytes, p.span);
  }
  std::fclose(out);
}

}  // namespace aieloom
