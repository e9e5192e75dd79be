// DMA channels of tiles and memory tiles [UG1079, UG1603 Tiling Parameters], walked byte run by byte run.
#include "dma.h"

#include <algorithm>
#include <cstring>

#include "aieloom/report.h"
#include "runtime.h"

namespace aieloom {

namespace {

std::string list(const auto& numbers) {
  std::string text = "{";
  for (const auto n : numbers) {
    text += (text.size() > 1 ? "," : "") + std::to_string(n);
  }
  return text + "}";
}

constexpr std::size_t kMemoryTileLength = (1 << 17) - 1;  // words: Buffer_Length has 17 bits [AM020, AM025]

/// Loops that the address generator needs, steps and distance of each: neighbours that make one longer run count once.
std::vector<std::pair<std::int64_t, std::int64_t>> loops_of(const Tiling& t) {
  std::vector<std::pair<std::int64_t, std::int64_t>> loops;
  std::vector<std::int64_t> weight(t.buffer.size(), 1);
  for (std::size_t d = 1; d < t.buffer.size(); ++d) {
    weight[d] = weight[d - 1] * static_cast<std::int64_t>(t.buffer[d - 1]);
  }
  const auto add = [&](std::int64_t steps, std::int64_t distance) {
    if (steps <= 1) {
      return;
    }
    if (!loops.empty() && loops.back().first * loops.back().second == distance) {
      loops.back().first *= steps;
    } else {
      loops.emplace_back(steps, distance);
    }
  };
  for (std::size_t d = 0; d < t.tile.size(); ++d) {
    add(static_cast<std::int64_t>(t.tile[d]), weight[d]);
  }
  for (const Traversal& loop : t.traversal) {
    add(static_cast<std::int64_t>(loop.wrap), loop.stride * weight[loop.dimension]);
  }
  return loops;
}

[[noreturn]] void refuse_tiling(const std::string& rule, const std::string& what, const std::string& problem,
                                const std::string& remedy) {
  refuse(rule, "the access pattern of " + what + " " + problem, remedy);
}

Tiling completed(Tiling t, const std::vector<std::size_t>& dimensions, const std::string& what) {
  if (t.buffer.empty()) {
    t.buffer = dimensions;
  }
  if (t.tile.empty()) {
    t.tile = t.buffer;
  }
  if (t.offset.empty()) {
    t.offset.assign(t.buffer.size(), 0);
  }
  std::size_t product = 1, real = 1;
  for (const std::size_t n : t.buffer) {
    product *= n;
  }
  for (const std::size_t n : dimensions) {
    real *= n;
  }
  if (product != real) {
    refuse_tiling("tiling-buffer", what,
                  "has buffer_dimension " + list(t.buffer) + " (" + std::to_string(product) + " elements), the buffer has " +
                      list(dimensions) + " (" + std::to_string(real) + ")",
                  "let buffer_dimension cover the buffer");
  }
  const std::size_t rank = t.buffer.size();
  if (t.tile.size() != rank || t.offset.size() != rank || (!t.boundary.empty() && t.boundary.size() != rank)) {
    refuse_tiling("tiling-rank", what,
                  "has buffer_dimension " + list(t.buffer) + ", tiling_dimension " + list(t.tile) + ", offset " + list(t.offset) +
                      (t.boundary.empty() ? "" : ", boundary_dimension " + list(t.boundary)),
                  "give all of them the same number of dimensions");
  }
  for (const Traversal& loop : t.traversal) {
    if (loop.dimension >= rank || loop.wrap == 0) {
      refuse_tiling("tiling-traversal", what,
                    "walks dimension " + std::to_string(loop.dimension) + " in " + std::to_string(loop.wrap) + " steps; there are " +
                        std::to_string(rank) + " dimensions",
                    "dimensions count from 0, wrap is at least 1");
    }
  }
  for (const std::size_t n : t.tile) {
    if (n == 0) {
      refuse_tiling("tiling-rank", what, "has tiling_dimension " + list(t.tile), "every extent is at least 1");
    }
  }
  return t;
}

/// Refuse a pattern that the DMA's address generators cannot do.
void check_tiling(const Tiling& t, std::size_t element_bytes, Walk::Engine engine, const std::string& what) {
  // Addresses are 32-bit words [AM020]: what starts or ends inside one cannot be done.
  const auto word = [&](const char* field, std::int64_t elements) {
    const std::int64_t bytes = elements * static_cast<std::int64_t>(element_bytes);
    if (bytes % 4 != 0) {
      refuse_tiling("tiling-word", what,
                    std::string("has a ") + field + " of " + std::to_string(elements) + " elements in dimension 0, " +
                        std::to_string(bytes) + " B",
                    "the DMA moves 32-bit words: make it a multiple of 4 B");
    }
  };
  word("tile", static_cast<std::int64_t>(t.tile[0]));
  word("offset", t.offset[0]);
  for (const Traversal& loop : t.traversal) {
    if (loop.dimension == 0 && loop.wrap > 1) {
      word("stride", loop.stride);
    }
  }
  // Dimensions of address generation, plus the iteration offset [AM020; UG1079; UG1603].
  const bool tile = engine == Walk::Engine::kTile;
  const std::size_t limit = !tile ? 5 : design().architecture == kAie ? 3 : 4;
  const auto loops = loops_of(t);
  if (loops.size() > limit) {
    refuse_tiling("tiling-dimensions", what,
                  "needs " + std::to_string(loops.size()) + " nested loops; this DMA has " + std::to_string(limit),
                  "let tiles and traversal join into longer runs, or use fewer dimensions");
  }
  // A descriptor's length [AM020]: the outermost loop of several may be turns of the channel.
  std::size_t words = element_bytes, outer = 0;
  const auto loop = [&](std::size_t steps) {
    words *= outer == 0 ? 1 : outer;
    outer = steps;
  };
  for (const std::size_t n : t.tile) {
    loop(n);
  }
  for (const Traversal& l : t.traversal) {
    loop(l.wrap);
  }
  words = (t.tile.size() + t.traversal.size() > 1 ? words : words * outer) / 4;
  if ((engine == Walk::Engine::kMemoryTileRead || engine == Walk::Engine::kMemoryTileWrite) && words > kMemoryTileLength) {
    refuse_tiling("tiling-length", what,
                  "moves " + std::to_string(words) + " words in one run; a descriptor of a memory tile holds " + std::to_string(kMemoryTileLength),
                  "divide it: a tiling_dimension of half the buffer, traversed twice");
  }
}

}  // namespace

Walk::Walk(const std::vector<Tiling>& phases, const std::vector<std::size_t>& dimensions, std::size_t element_bytes, Engine engine,
           const std::string& what) {
  std::vector<Tiling> ordered;
  std::size_t words = element_bytes;
  for (const std::size_t n : dimensions) {
    words *= n;
  }
  for (const Tiling& t : phases) {
    if (t.described) {
      add(t.words, words / 4, engine, what);
      continue;
    }
    ordered.push_back(completed(t, dimensions, what));
    for (std::size_t at = ordered.size() - 1; at > 0 && ordered[at].phase < ordered[at - 1].phase; --at) {
      std::swap(ordered[at], ordered[at - 1]);
    }
  }
  for (const Tiling& t : ordered) {
    add(t, element_bytes, engine, what);
  }
}

void Walk::add(const Tiling& t, std::size_t element_bytes, Engine engine, const std::string& what) {
  check_tiling(t, element_bytes, engine, what);
  const bool pad = engine == Engine::kMemoryTileRead;
  const std::size_t rank = t.buffer.size();
  std::vector<std::int64_t> weight(rank, 1), edge(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    weight[d] = d == 0 ? 1 : weight[d - 1] * static_cast<std::int64_t>(t.buffer[d - 1]);
    edge[d] = static_cast<std::int64_t>(t.boundary.empty() ? t.buffer[d] : t.boundary[d]);
  }
  std::vector<std::size_t> loop(t.traversal.size(), 0);
  std::vector<std::int64_t> base(rank);
  std::vector<std::size_t> in_tile(rank, 0);
  const auto row = [&] {  // one run along dimension 0
    std::int64_t outer = 0;
    bool outside = false;
    for (std::size_t d = 1; d < rank; ++d) {
      const std::int64_t at = base[d] + static_cast<std::int64_t>(in_tile[d]);
      outside = outside || at < 0 || at >= edge[d];
      outer += at * weight[d];
    }
    const std::int64_t first = base[0], last = base[0] + static_cast<std::int64_t>(t.tile[0]);
    const std::int64_t from = outside ? last : std::clamp<std::int64_t>(0, first, last);
    const std::int64_t to = outside ? last : std::clamp(edge[0], from, last);
    if (!pad && (outside || from != first || to != last)) {
      refuse_tiling("tiling-range", what,
                    "leaves the buffer " + list(t.buffer) + ": a tile at " + list(base) + " of " + list(t.tile) + " elements",
                    "only reads of a memory tile may go beyond it, and read zeros there");
    }
    const auto width = [&](std::int64_t n) { return static_cast<std::size_t>(n) * element_bytes; };
    append(0, width(from - first), true);
    append(from < to ? width(from + outer) : 0, width(to - from), false);
    append(0, width(last - to), true);
  };
  const auto tile = [&] {
    for (std::size_t d = 0; d < rank; ++d) {
      base[d] = t.offset[d];
    }
    for (std::size_t i = 0; i < loop.size(); ++i) {
      base[t.traversal[i].dimension] += static_cast<std::int64_t>(loop[i]) * t.traversal[i].stride;
    }
    in_tile.assign(rank, 0);
    for (std::size_t d = 1; d <= rank;) {
      row();
      for (d = 1; d < rank && ++in_tile[d] == t.tile[d]; ++d) {
        in_tile[d] = 0;
      }
      if (d >= rank) {
        break;
      }
    }
  };
  for (std::size_t again = 0; again < t.repetition; ++again) {
    loop.assign(loop.size(), 0);
    for (;;) {
      tile();
      std::size_t i = 0;
      for (; i < loop.size() && ++loop[i] == t.traversal[i].wrap; ++i) {
        loop[i] = 0;
      }
      if (i == loop.size()) {
        break;
      }
    }
  }
}

void Walk::add(const Descriptor& d, std::size_t words, Engine engine, const std::string& what) {
  const std::size_t most = engine == Engine::kMemoryTileWrite || engine == Engine::kMemoryTileRead ? 4 : 3;
  const std::size_t rank = std::max<std::size_t>({d.steps.size(), d.wraps.size(), d.padding.size(), 1});
  if (rank > most || d.length == 0) {
    refuse_tiling("tiling-dimensions", what,
                  "is a buffer descriptor of " + std::to_string(d.length) + " words in " + std::to_string(rank) + " dimensions",
                  "give a length in 32-bit words and at most " + std::to_string(most) + " dimensions");
  }
  if (!d.padding.empty() && engine != Engine::kMemoryTileRead) {
    refuse_tiling("tiling-range", what, "has zeros around it", "only reads of a memory tile may add zeros");
  }
  const auto step = [&](std::size_t dim) { return dim < d.steps.size() ? d.steps[dim] : 1; };
  const auto wrap = [&](std::size_t dim) { return dim < d.wraps.size() && d.wraps[dim] != 0 ? d.wraps[dim] : d.length; };
  const auto zeros = [&](std::size_t dim) { return dim < d.padding.size() ? d.padding[dim] : std::pair<std::size_t, std::size_t>{}; };
  std::size_t left = d.length;
  const auto pad = [&](std::size_t count) {
    const std::size_t n = std::min(count, left);
    append(0, 4 * n, true);
    left -= n;
  };
  std::vector<std::size_t> width(rank, 1);  // words of one step of a dimension, on the stream
  for (std::size_t dim = 1; dim < rank; ++dim) {
    width[dim] = width[dim - 1] * wrap(dim - 1) + (zeros(dim - 1).first + zeros(dim - 1).second) * width[dim - 1];
  }
  const auto walk = [&](const auto& self, std::size_t dim, std::size_t at) -> void {
    pad(zeros(dim).first * width[dim]);
    for (std::size_t i = 0; i < wrap(dim) && left > 0; ++i) {
      const std::size_t place = at + i * step(dim);
      if (dim > 0) {
        self(self, dim - 1, place);
        continue;
      }
      if (place >= words) {
        refuse_tiling("tiling-range", what,
                      "reaches word " + std::to_string(place) + " of a buffer of " + std::to_string(words),
                      "offsets, steps and lengths count 32-bit words");
      }
      append(4 * place, 4, false);
      --left;
    }
    pad(zeros(dim).second * width[dim]);
  };
  walk(walk, rank - 1, d.offset);
}

void Walk::append(std::size_t at, std::size_t bytes, bool zero) {
  if (bytes == 0) {
    return;
  }
  bytes_ += bytes;
  if (!runs_.empty()) {
    Run& last = runs_.back();
    if (last.zero == zero && (zero || last.at + last.bytes == at)) {
      last.bytes += bytes;
      return;
    }
  }
  runs_.push_back({at, bytes, zero});
}

void Walk::gather(const std::byte* buffer, ByteStream& to) const {
  static constexpr std::byte kZeros[256] = {};
  for (const Run& run : runs_) {
    for (std::size_t done = 0; done < run.bytes;) {
      const std::size_t part = std::min(run.bytes - done, run.zero ? sizeof kZeros : to.capacity());
      to.write(run.zero ? kZeros : buffer + run.at + done, part);
      done += part;
    }
  }
}

void Walk::scatter(std::byte* buffer, ByteStream& from, int reader) const {
  for (const Run& run : runs_) {
    from.read(reader, buffer + run.at, run.bytes);
  }
}

namespace {

/// Read a packet's header and check that exactly one buffer follows.
void take_packet(const DmaChannel& c, std::byte* block, std::size_t bytes) {
  std::uint32_t header = 0;
  c.stream->read(c.reader, &header, sizeof header);
  for (std::size_t done = 0; done < bytes; done += 4) {
    if (c.stream->passed_last(c.reader)) {
      refuse("packet-size",
             "a packet for " + c.name + " ends after " + std::to_string(done) + " B, its buffer has " + std::to_string(bytes),
             "put TLAST on the last word of every buffer, and on no other");
    }
    c.stream->read(c.reader, block + done, 4);
  }
  if (!c.stream->passed_last(c.reader)) {
    refuse("packet-size", "a packet for " + c.name + " is longer than its buffer of " + std::to_string(bytes) + " B",
           "put TLAST on the last word of every buffer");
  }
}

std::vector<DmaChannel>& channels(bool from_memory) {
  static std::vector<DmaChannel> all[2];
  return all[from_memory ? 1 : 0];
}

const DmaChannel* channel_at(const ByteStream& stream, int reader, bool from_memory) {
  for (const DmaChannel& channel : channels(from_memory)) {
    if (channel.stream == &stream && channel.reader == reader) {
      return &channel;
    }
  }
  return nullptr;
}

/// Bytes that a block makes on the stream.
std::uint64_t block_bytes(const DmaChannel& channel) { return channel.walk != nullptr ? channel.walk->bytes() : channel.pool->bytes(); }

}  // namespace

std::uint64_t bytes_given(const ByteStream& stream) {
  const DmaChannel* before = channel_at(stream, 0, true);
  return before != nullptr && !before->packets ? before->pool->filled() * block_bytes(*before) : stream.bytes_written();
}

std::uint64_t bytes_taken(const ByteStream& stream, int reader) {
  const DmaChannel* behind = channel_at(stream, reader, false);
  return behind != nullptr && !behind->packets ? behind->pool->taken() * block_bytes(*behind) : stream.bytes_read(reader);
}

std::uint64_t bytes_left(const ByteStream& stream) {
  std::uint64_t least = ~std::uint64_t{0};
  for (int reader = 0; reader < stream.reader_count(); ++reader) {
    least = std::min(least, bytes_taken(stream, reader));
  }
  const std::uint64_t given = bytes_given(stream);
  return given > least ? given - least : 0;
}

void start_s2mm(const DmaChannel& channel) {
  channels(false).push_back(channel);
  spawn("S2MM of " + channel.name, Role::kServer, [c = channel] {
    for (;;) {
      std::byte* block = c.pool->acquire_empty();
      if (c.packets) {
        take_packet(c, block, c.pool->bytes());
      } else if (c.walk) {
        c.walk->scatter(block, *c.stream, c.reader);
      } else {
        c.stream->read(c.reader, block, c.pool->bytes());
      }
      c.stream->forget_lasts(c.reader);
      c.pool->commit();
    }
  }, Stack::kSmall);
}

void start_mm2s(const DmaChannel& channel) {
  channels(true).push_back(channel);
  spawn("MM2S of " + channel.name, Role::kServer, [c = channel] {
    for (;;) {
      const std::byte* block = c.pool->acquire_full();
      if (c.packets) {
        const std::uint32_t header = packet_header(0, c.packet_id, c.row, c.col);
        c.stream->write(&header, sizeof header);
      }
      if (c.walk) {
        c.walk->gather(block, *c.stream);
      } else {
        const std::size_t bytes = c.pool->bytes();
        for (std::size_t sent = 0; sent < bytes;) {
          const std::size_t part = std::min(bytes - sent, c.stream->capacity());
          sent += part;
          c.stream->write(block + sent - part, part, c.packets && sent == bytes);
        }
      }
      c.pool->release();
    }
  }, Stack::kSmall);
}

}  // namespace aieloom
