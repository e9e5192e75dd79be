// Shared buffers in memory tiles and external buffers in DDR [UG1603 Memory Tile Access, External Memory Access].
//
// A round: every writer runs its pattern, then every reader; with num_buffers copies, writers are ahead by as many.
#include <algorithm>
#include <cstring>

#include "aieloom/report.h"
#include "dma.h"
#include "runtime.h"

namespace aieloom {

namespace {

std::vector<Tiling> patterns(const Port& port) { return port.tiled ? port.access : std::vector<Tiling>(1); }

Walk walk_of(const SharedBuffer& buffer, const Port& port) {
  const auto engine = buffer.external                      ? Walk::Engine::kInterface
                      : port.direction == Direction::kIn ? Walk::Engine::kMemoryTileWrite
                                                         : Walk::Engine::kMemoryTileRead;
  return {patterns(port), buffer.dimensions, buffer.element.size(), engine, name_of(port)};
}

}  // namespace

class PlacedBuffer final : public Waitable {
 public:
  explicit PlacedBuffer(SharedBuffer& n)
      : node(n), writes_(n.in.size(), 0), reads_(n.out.size(), 0), written_at_(n.in.size()), read_at_(n.out.size()), asked_writes_(n.in.size(), 0), asked_reads_(n.out.size(), 0) {
    if (!n.external) {
      copies_.assign(n.buffers, std::vector<std::byte>(n.elements() * n.element.size()));
    }
  }

  void write(std::size_t port, const Walk& walk, ByteStream& stream, int reader) {
    std::uint64_t& round = writes_[port];
    while (node.external ? round >= asked_writes_[port] : !may_write(round)) {
      block(*this, node.external ? "for the host's aie2gm_nb() to" : "for space to write in", port);
    }
    for (const auto& done : read_at_) {  // the copy that is written now was read so many rounds ago
      running_clock().wait_until(round >= copies_.size() && !node.external ? done[round - copies_.size()] : 0);
    }
    walk.scatter(memory(round), stream, reader);
    stream.forget_lasts(reader);
    written_at_[port].push_back(running_clock().now() + kHandOverCycles);
    ++round;
    wake(*this);
  }

  void read(std::size_t port, const Walk& walk, ByteStream& stream) {
    std::uint64_t& round = reads_[port];
    while (node.external ? round >= asked_reads_[port] : !may_read(round)) {
      block(*this, node.external ? "for the host's gm2aie_nb() from" : "for data to read from", port);
    }
    for (const auto& done : written_at_) {
      running_clock().wait_until(node.external ? 0 : done[round]);
    }
    walk.gather(memory(round), stream);
    read_at_[port].push_back(running_clock().now() + kHandOverCycles);
    ++round;
    wake(*this);
  }

  /// The host asks an external buffer's port for one more round of its pattern, or waits until all are done.
  void ask(const Port& port) {
    if (node.address == nullptr) {
      refuse("external-buffer", node.name + " has no memory", "call setAddress() with memory from GMIO::malloc first");
    }
    check_transfer(node.address, node.elements() * node.element.size(), node.name);
    const auto number = static_cast<std::size_t>(port.number);
    ++(port.direction == Direction::kIn ? asked_writes_ : asked_reads_)[number];
    wake(*this);
  }
  void wait(const Port& port) {
    const auto number = static_cast<std::size_t>(port.number);
    const bool is_input = port.direction == Direction::kIn;
    while ((is_input ? writes_ : reads_)[number] < (is_input ? asked_writes_ : asked_reads_)[number]) {
      block(*this, "for the transfers of");
    }
  }

  [[nodiscard]] std::string describe() const override {
    std::string text = node.name + " (rounds written:";
    for (const auto n : writes_) {
      text += " " + std::to_string(n);
    }
    text += "; read:";
    for (const auto n : reads_) {
      text += " " + std::to_string(n);
    }
    return text + ")";
  }

  SharedBuffer& node;

 private:
  [[nodiscard]] bool may_write(std::uint64_t round) const {
    return reads_.empty() || round < *std::min_element(reads_.begin(), reads_.end()) + copies_.size();
  }
  [[nodiscard]] bool may_read(std::uint64_t round) const {
    return !writes_.empty() && round < *std::min_element(writes_.begin(), writes_.end());
  }
  [[nodiscard]] std::byte* memory(std::uint64_t round) {
    return node.external ? node.address : copies_[round % copies_.size()].data();
  }

  std::vector<std::vector<std::byte>> copies_;
  std::vector<std::uint64_t> writes_, reads_;  // rounds done by each port
  std::vector<std::vector<std::uint64_t>> written_at_, read_at_;  // cycles in which each port's rounds were done
  std::vector<std::uint64_t> asked_writes_, asked_reads_;  // rounds that the host has started, of an external buffer
};

namespace {

Sequence<PlacedBuffer>& placed() {
  static Sequence<PlacedBuffer> all;
  return all;
}

void check(const SharedBuffer& b) {
  if (design().architecture == kAie && !b.external) {
    refuse("arch", b.name + " is in a memory tile; AIE has none", "build with --arch aie-ml, or keep the buffer in a tile");
  }
  if (b.buffers == 0) {
    refuse("shared-buffer", b.name + " has num_buffers 0", "use 1, or 2 for a ping-pong pair");
  }
  constexpr std::size_t kMemoryTile = std::size_t{512} << 10;
  const std::size_t bytes = b.elements() * b.element.size();
  if (!b.external && bytes > kMemoryTile) {
    refuse("memory", b.name + " has " + std::to_string(bytes) + " B, a memory tile " + std::to_string(kMemoryTile),
           "divide it among several shared buffers");
  }
  constexpr std::size_t kChannels = 6;  // of a memory tile each way [AM020]
  const std::size_t limit = b.external ? 2 : kChannels;
  if (b.in.size() > limit || b.out.size() > limit) {
    refuse("dma-channels",
           b.name + " has " + std::to_string(b.in.size()) + " writers and " + std::to_string(b.out.size()) + " readers; there are " +
               std::to_string(limit) + " DMA channels each way",
           "divide the buffer");
  }
}

}  // namespace

PlacedBuffer& make_placed_buffer(SharedBuffer& buffer) {
  check(buffer);
  return placed().emplace_back(buffer);
}

std::size_t bytes_per_round(const SharedBuffer& buffer, const Port& port) { return walk_of(buffer, port).bytes(); }

void start_writer(PlacedBuffer& buffer, std::size_t port, ByteStream& stream, int reader) {
  const Port& p = buffer.node.in[port];
  spawn("S2MM of " + name_of(p), Role::kServer, [port, reader, &buffer, &stream, walk = walk_of(buffer.node, p)] {
    for (;;) {
      buffer.write(port, walk, stream, reader);
    }
  });
}

void start_reader(PlacedBuffer& buffer, std::size_t port, ByteStream& stream) {
  const Port& p = buffer.node.out[port];
  spawn("MM2S of " + name_of(p), Role::kServer, [port, &buffer, &stream, walk = walk_of(buffer.node, p)] {
    for (;;) {
      buffer.read(port, walk, stream);
    }
  });
}

namespace {

PlacedBuffer& external_of(const Port& port) {
  for (PlacedBuffer& buffer : placed()) {
    if (buffer.node.external && &buffer.node == port.shared) {
      return buffer;
    }
  }
  refuse("graph-control", name_of(port) + " is used before the graph's init(), or is no port of an external buffer",
         "call init() first, then name one of the buffer's own ports");
}

}  // namespace

void start_external(const Port& port) { external_of(port).ask(port); }

void wait_external(const Port& port) { external_of(port).wait(port); }

}  // namespace aieloom
