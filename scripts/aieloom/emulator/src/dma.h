// What moves data between streams and memory: DMA channels, memory tiles, packet switches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aieloom/buffer_pool.h"
#include "aieloom/byte_stream.h"
#include "aieloom/design.h"
#include "aieloom/scheduler.h"

namespace aieloom {

/// An access pattern, checked and ready to walk: runs of bytes that lie together in the buffer.
class Walk {
 public:
  /// Whose DMA walks: a tile's, a memory tile's, or the array interface's; reads of memory tiles may pad with zeros.
  enum class Engine { kTile, kMemoryTileWrite, kMemoryTileRead, kInterface };

  /// `dimensions` are the buffer's; `what` names it in refusals.
  Walk(const std::vector<Tiling>& phases, const std::vector<std::size_t>& dimensions, std::size_t element_bytes, Engine engine,
       const std::string& what);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Copy between buffer and stream, in the pattern's order.
  void gather(const std::byte* buffer, ByteStream& to) const;
  void scatter(std::byte* buffer, ByteStream& from, int reader) const;

 private:
  struct Run {
    std::size_t at;     // byte in the buffer
    std::size_t bytes;
    bool zero;          // padding
  };
  void add(const Tiling& t, std::size_t element_bytes, Engine engine, const std::string& what);
  void add(const Descriptor& d, std::size_t words, Engine engine, const std::string& what);
  void append(std::size_t at, std::size_t bytes, bool zero);

  std::vector<Run> runs_;
  std::size_t bytes_ = 0;
};

/// Packets on the way out begin with this word [UG1079 Packet Processing].
std::uint32_t packet_header(unsigned type, unsigned id, int row, int col);

/// How a kernel's buffer travels through the stream switch.
struct DmaChannel {
  BufferPool* pool = nullptr;
  ByteStream* stream = nullptr;
  int reader = 0;
  bool packets = false;      // strip or write headers
  unsigned packet_id = 0;    // written
  int row = 0, col = 0;      // written
  const Walk* walk = nullptr;
  std::string name;          // of the kernel's port
};

/// Bytes that went into a stream, from the memory before it on; and those that who is behind a reader, and the memory before him,
/// has taken. Packets are not counted.
[[nodiscard]] std::uint64_t bytes_given(const ByteStream& stream);
[[nodiscard]] std::uint64_t bytes_taken(const ByteStream& stream, int reader);
/// Those that nobody has taken.
[[nodiscard]] std::uint64_t bytes_left(const ByteStream& stream);

/// Start a channel from a stream to memory, or back; they run for ever.
void start_s2mm(const DmaChannel& channel);
void start_mm2s(const DmaChannel& channel);

/// A memory tile's or DDR buffer at work.
class PlacedBuffer;
PlacedBuffer& make_placed_buffer(SharedBuffer& buffer);
void start_writer(PlacedBuffer& buffer, std::size_t port, ByteStream& stream, int reader);
void start_reader(PlacedBuffer& buffer, std::size_t port, ByteStream& stream);

/// Bytes that a port moves in one round.
std::size_t bytes_per_round(const SharedBuffer& buffer, const Port& port);

/// A packet switch at work. Null streams are ways that nothing is connected to.
struct SwitchInput {
  ByteStream* stream;
  int reader;
};
struct SwitchOutput {
  ByteStream* stream = nullptr;
  bool drops_header = false;  // a switch's port can [AM009, Stream_Switch_Master_Config: Drop_Header]
};
void start_split(const PacketSwitch& node, SwitchInput from, const std::vector<SwitchOutput>& to);
void start_merge(const PacketSwitch& node, const std::vector<SwitchInput>& from, ByteStream* to);

}  // namespace aieloom
