// Packet switching: splitters, mergers and the header word [UG1079 Packet Processing; XD100 packet switching].
#include <bit>

#include "adf/stream.h"
#include "aieloom/report.h"
#include "dma.h"
#include "runtime.h"

namespace aieloom {

namespace {

constexpr unsigned kIdBits = 5;
constexpr std::uint32_t kIdMask = (1U << kIdBits) - 1;

std::uint32_t read_word(const SwitchInput& from) {
  std::uint32_t word = 0;
  from.stream->read(from.reader, &word, sizeof word);
  return word;
}

/// Forward the rest of a packet, TLAST included.
void forward(const SwitchInput& from, ByteStream& to) {
  for (bool last = false; !last;) {
    const std::uint32_t word = read_word(from);
    last = from.stream->passed_last(from.reader);
    to.write(&word, sizeof word, last);
  }
}

/// Whose turn it is at a merger's output.
struct Turn final : Waitable {
  explicit Turn(std::string n) : name(std::move(n)) {}
  [[nodiscard]] std::string describe() const override { return name + (busy ? ", which passes another packet" : ""); }
  std::string name;
  bool busy = false;
  std::uint64_t free_at = 0;  // cycles
  std::size_t next = 0;
};

}  // namespace

std::uint32_t packet_header(unsigned type, unsigned id, int row, int col) {
  const std::uint32_t word = (id & kIdMask) | (type & 7U) << 12 | (static_cast<unsigned>(row) & 31U) << 16 |
                             (static_cast<unsigned>(col) & 127U) << 21;
  return word | (std::popcount(word) % 2 == 0 ? 1U << 31 : 0);  // odd parity of all 32 bits
}

void start_split(const PacketSwitch& node, SwitchInput from, const std::vector<SwitchOutput>& to) {
  spawn(node.name, Role::kServer, [&node, from, to] {
    for (;;) {
      const std::uint32_t header = read_word(from);
      const std::uint32_t id = header & kIdMask;
      if (std::popcount(header) % 2 == 0) {
        refuse("packet-header", node.name + " gets the header word " + std::to_string(header) + ", whose parity is not odd",
               "bit 31 makes the number of ones in the header odd; every packet ends with TLAST");
      }
      if (id >= to.size() || to[id].stream == nullptr) {
        refuse("packet-id", node.name + " gets a packet with id " + std::to_string(id) + ", it has ids 0.." + std::to_string(to.size() - 1),
               "write the output's number into bits 4..0 of the header");
      }
      if (from.stream->passed_last(from.reader)) {
        refuse("packet-header", node.name + " gets a packet of a header alone", "put TLAST on the last word of data");
      }
      if (!to[id].drops_header) {
        to[id].stream->write(&header, sizeof header);
      }
      forward(from, *to[id].stream);
    }
  });
}

void start_merge(const PacketSwitch& node, const std::vector<SwitchInput>& from, ByteStream* to) {
  static Sequence<Turn> turns;
  Turn* turn = &turns.emplace_back(node.name);
  const bool ordered = node.kind == PacketSwitch::Kind::kOrderedMerge;
  for (std::size_t i = 0; i < from.size(); ++i) {
    spawn(node.name + ".in[" + std::to_string(i) + "]", Role::kServer, [=, &node, ways = from.size(), input = from[i]] {
      for (;;) {
        const std::uint32_t header = read_word(input);
        while (turn->busy || (ordered && turn->next != i)) {
          block(*turn, "for its turn at");
        }
        turn->busy = true;
        running_clock().wait_until(turn->free_at);
        to->write(&header, sizeof header);
        if (input.stream->passed_last(input.reader)) {
          refuse("packet-header", node.name + ".in[" + std::to_string(i) + "] gets a packet of a header alone",
                 "put TLAST on the last word of data");
        }
        forward(input, *to);
        turn->busy = false;
        turn->free_at = running_clock().now();
        turn->next = (i + 1) % ways;
        wake(*turn);
      }
    });
  }
}

}  // namespace aieloom

namespace adf {

void writeincr(output_pktstream* s, std::int32_t value, bool tlast) {
  if (!s->end->in_packet) {
    aieloom::refuse("packet-header", std::string(s->end->name) + " gets data before a header", "call writeHeader() first in every packet");
  }
  s->end->stream->write(&value, sizeof value, tlast);
  s->end->in_packet = !tlast;
}

void writeHeader(output_pktstream* s, unsigned type, unsigned id) {
  if (s->end->in_packet) {
    aieloom::refuse("packet-header", std::string(s->end->name) + " gets a header inside a packet", "give tlast = true with the packet's last word");
  }
  const aieloom::Core* core = aieloom::running_core();
  const bool placed = core != nullptr && core->kernel.tile.kind == aieloom::Location::Kind::kTile;
  const std::uint32_t word =
      aieloom::packet_header(type, id, placed ? core->kernel.tile.row : 0, placed ? core->kernel.tile.col : 0);
  s->end->stream->write(&word, sizeof word);
  s->end->in_packet = true;
}

void writeHeader(output_pktstream* s, unsigned type, unsigned id, bool tlast) {
  if (tlast) {
    aieloom::refuse("packet-header", std::string(s->end->name) + " gets a packet of a header alone", "send data after it");
  }
  writeHeader(s, type, id);
}

namespace {

/// The number of the splitter's or merger's port at the other side of a kernel's stream.
std::uint32_t id_at(const aieloom::StreamEnd& end, int index, bool is_output) {
  const aieloom::Core* core = aieloom::running_core();
  for (const auto* port : core->kernel.arguments) {
    if (aieloom::name_of(*port) != end.name.c_str()) {
      continue;
    }
    for (const auto& c : aieloom::design().connections) {
      const aieloom::Port* other = is_output ? (c.from == port ? c.to : nullptr) : (c.to == port ? c.from : nullptr);
      if (other == nullptr || other->packet == nullptr) {
        continue;
      }
      const bool is_split = other->packet->kind == aieloom::PacketSwitch::Kind::kSplit;
      return static_cast<std::uint32_t>(is_output && is_split ? index : other->number);
    }
  }
  return static_cast<std::uint32_t>(index);
}

}  // namespace

std::uint32_t getPacketid(output_pktstream* s, int index) { return id_at(*s->end, index, true); }
std::uint32_t getPacketid(input_pktstream* s, int index) { return id_at(*s->end, index, false); }

namespace detail {

bool took_last(aieloom::StreamEnd& end) { return end.stream->passed_last(end.reader); }

aieloom::StreamEnd& core_stream(int number, bool is_input) {
  const aieloom::Core* core = aieloom::running_core();
  const auto& ends = is_input ? core->streams_in : core->streams_out;
  if (number < 0 || static_cast<std::size_t>(number) >= ends.size()) {
    aieloom::refuse("stream-port",
                    core->kernel.name + " uses " + (is_input ? "get_ss(" : "put_ms(") + std::to_string(number) + "), it has " +
                        std::to_string(ends.size()) + " stream " + (is_input ? "inputs" : "outputs"),
                    "streams are numbered from 0 in the order of the kernel's parameters");
  }
  return *ends[static_cast<std::size_t>(number)];
}

aieloom::StreamEnd& core_cascade(bool is_input) {
  const aieloom::Core* core = aieloom::running_core();
  for (std::size_t i = 0; i < core->arguments.size(); ++i) {
    const aieloom::Port& port = *core->kernel.arguments[i];
    const bool wanted = (port.direction == aieloom::Direction::kIn) == is_input;
    if (port.argument.kind == aieloom::PortKind::kCascade && wanted) {
      return *core->arguments[i].stream;
    }
  }
  aieloom::refuse("stream-port",
                  core->kernel.name + (is_input ? " reads a cascade with get_scd()" : " writes a cascade with put_mcd()") +
                      ", it has no cascade parameter",
                  std::string("give the kernel an ") + (is_input ? "input" : "output") + "_cascade parameter, and connect it");
}

}  // namespace detail

}  // namespace adf
