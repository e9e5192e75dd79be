// GMIO: transfers between DDR and the array that the host starts [UG1079 Programming Model with GMIO].
#include <algorithm>
#include <memory>
#include <vector>

#include "adf/plio.h"
#include "aieloom/guard.h"
#include "aieloom/logic.h"
#include "aieloom/report.h"
#include "dma.h"
#include "runtime.h"

namespace aieloom {

namespace {

/// What GMIO::malloc() has given.
std::vector<std::unique_ptr<GuardedMemory>>& allocated() {
  static auto& all = *new std::vector<std::unique_ptr<GuardedMemory>>;  // outlives what the host keeps in statics
  return all;
}

}  // namespace

struct GmioChannel final : Waitable {
  struct Transfer {
    std::byte* memory;
    std::size_t bytes;
    std::uint64_t asked_at;  // cycles
  };

  GmioChannel(const Gmio& g, ByteStream& s, int r) : gmio(g), stream(s), reader(r) {}

  [[nodiscard]] std::string describe() const override {
    return "GMIO '" + gmio.name + "' with " + std::to_string(queue.size()) + " transfers to do";
  }
  [[nodiscard]] Name waker() const override { return {"GMIO '" + gmio.name + "'"}; }

  void start() {
    spawn("GMIO '" + gmio.name + "'", Role::kServer, [this] {
      for (;;) {
        set_role(Role::kServer);
        while (queue.empty()) {
          block(*this, "for the host's next transfer:");
        }
        set_role(Role::kWorker);
        const Transfer next = queue.front();  // the host may queue more, and so move the queue, before it is done
        running_clock().wait_until(next.asked_at);
        move(next);
        done_at = running_clock().now();
        queue.erase(queue.begin());
        wake(*this);
      }
    });
  }

  void move(const Transfer& t) {
    for (std::size_t done = 0; done < t.bytes;) {
      const std::size_t part = t.bytes - done < stream.capacity() ? t.bytes - done : stream.capacity();
      if (is_timed()) {  // all GMIOs share what the memory behind the network on chip moves
        running_clock().wait_until(static_cast<std::uint64_t>(bank(0).take(static_cast<double>(running_clock().now()), part)));
      }
      if (gmio.is_input) {
        stream.write(t.memory + done, part);
      } else {
        stream.read(reader, t.memory + done, part);
      }
      done += part;
    }
  }

  const Gmio& gmio;
  ByteStream& stream;
  int reader;
  std::vector<Transfer> queue;
  std::uint64_t done_at = 0;
};

namespace {

Sequence<GmioChannel>& channels() {
  static Sequence<GmioChannel> all;
  return all;
}

}  // namespace

std::vector<PortTime> gmio_times() {
  std::vector<PortTime> found;
  for (const GmioChannel& c : channels()) {
    const bool in = c.gmio.is_input;
    found.push_back({c.gmio.name, in, in ? c.stream.bytes_written() : c.stream.bytes_read(c.reader),
                     in ? c.stream.span_written() : c.stream.span_read(c.reader)});
  }
  return found;
}

std::vector<std::string> gmio_leftovers() {
  std::vector<std::string> lines;
  for (const GmioChannel& c : channels()) {
    const std::uint64_t left = bytes_left(c.stream);
    if (!c.queue.empty()) {
      lines.push_back("GMIO '" + c.gmio.name + "' ends with " + std::to_string(c.queue.size()) + (c.queue.size() == 1 ? " transfer" : " transfers") +
                      " to do, the first of " + std::to_string(c.queue.front().bytes) + " B");
    }
    if (left != 0) {
      lines.push_back(std::to_string(left) + " of " + std::to_string(bytes_given(c.stream)) + " B that " +
                      (c.gmio.is_input ? "GMIO '" + c.gmio.name + "' brought are left: no kernel took them" : "kernels gave are left: GMIO '" + c.gmio.name + "' did not take them"));
    }
  }
  return lines;
}

GmioChannel& make_gmio(const Gmio& gmio, ByteStream& stream, int reader) {
  GmioChannel& made = channels().emplace_back(gmio, stream, reader);
  made.start();
  return made;
}

GmioChannel& Runtime::gmio(const Gmio& gmio) {
  const auto* found = gmios_.find(&gmio);
  if (found == nullptr) {
    refuse("graph-control", "GMIO '" + gmio.name + "' is used before the graph's init()", "call init() first");
  }
  return **found;
}

namespace {

void queue(const Gmio& gmio, bool into_array, const void* memory, std::size_t bytes) {
  if (gmio.is_input != into_array) {
    refuse("gmio-direction",
           "GMIO '" + gmio.name + "' is an " + (gmio.is_input ? "input" : "output") + " of the array",
           gmio.is_input ? "use gm2aie or gm2aie_nb" : "use aie2gm or aie2gm_nb");
  }
  if (bytes % 4 != 0 || bytes == 0) {
    refuse("gmio-size", "a transfer of " + std::to_string(bytes) + " B through GMIO '" + gmio.name + "'",
           "transfers are whole 32-bit words, at least one");
  }
  check_transfer(memory, bytes, "GMIO '" + gmio.name + "'");
  GmioChannel& channel = Runtime::instance().gmio(gmio);
  channel.queue.push_back({static_cast<std::byte*>(const_cast<void*>(memory)), bytes, running_clock().now()});
  wake(channel);
}

}  // namespace

void start_gmio(const Gmio& gmio, bool into_array, void* memory, std::size_t bytes) { queue(gmio, into_array, memory, bytes); }

const ByteStream& stream_of(const Gmio& gmio) { return Runtime::instance().gmio(gmio).stream; }

void check_allocated() {
  for (const auto& block : allocated()) {
    block->check("the host");
  }
}

void wait_gmio(const Gmio& gmio) {
  GmioChannel& channel = Runtime::instance().gmio(gmio);
  while (!channel.queue.empty()) {
    block(channel, "for the transfers of");
  }
  running_clock().wait_until(channel.done_at);
}

}  // namespace aieloom

namespace adf::detail {

void* gmio_base::malloc(std::size_t bytes) {
  constexpr std::size_t kGap = std::size_t{1} << 30;
  const std::size_t alignment = std::clamp<std::size_t>(bytes & (~bytes + 1), 4, 4096);  // its end is a page's then
  const auto name = [bytes] { return "a block of " + std::to_string(bytes) + " B of GMIO::malloc()"; };
  const aieloom::GuardedMemory::Layout layout = {bytes, alignment, kGap};
  return aieloom::allocated().emplace_back(std::make_unique<aieloom::GuardedMemory>(layout, name))->begin();
}

void gmio_base::free(void* memory) {
  for (const auto& block : aieloom::allocated()) {
    if (memory != nullptr && block->begin() == memory) {
      block->check("the host");
    }
  }
  if (memory != nullptr && std::erase_if(aieloom::allocated(), [&](const auto& block) { return block->begin() == memory; }) == 0) {
    aieloom::refuse("gmio-memory", "GMIO::free() of memory that GMIO::malloc() did not give, or twice", "free each block once");
  }
}

return_code gmio_base::gm2aie_nb(const void* memory, std::size_t bytes) const {
  aieloom::queue(node(), true, memory, bytes);
  return return_code::ok;
}

return_code gmio_base::aie2gm_nb(void* memory, std::size_t bytes) const {
  aieloom::queue(node(), false, memory, bytes);
  return return_code::ok;
}

return_code gmio_base::wait() const {
  aieloom::wait_gmio(node());
  return return_code::ok;
}

return_code gmio_base::gm2aie(const void* memory, std::size_t bytes) const {
  gm2aie_nb(memory, bytes);
  return wait();
}

return_code gmio_base::aie2gm(void* memory, std::size_t bytes) const {
  aie2gm_nb(memory, bytes);
  return wait();
}

}  // namespace adf::detail
