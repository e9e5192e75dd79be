// A core at work: one fiber that calls its kernel once its buffers are there, as often as was asked for.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "runtime.h"

extern "C" {
extern void** aieloom_slots;
}

namespace aieloom {

namespace {

constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

/// The modes of a core's vector unit: kernels on one tile share them [UG1079].
CoreState* registers_of(const Kernel& kernel) {
  static FlatMap<std::pair<int, int>, CoreState*> tiles;
  const bool placed = kernel.tile.kind == Location::Kind::kTile;
  CoreState* own = nullptr;
  CoreState*& state = placed ? tiles[{kernel.tile.col, kernel.tile.row}] : own;
  if (state == nullptr) {
    state = new_core_state();
    state->placed = placed;
    state->column = static_cast<unsigned short>(placed ? kernel.tile.col : 0);
    state->row = static_cast<unsigned short>(placed ? kernel.tile.row : 0);
    state->rows_below = static_cast<unsigned short>(1 + design().part.memory_rows);
  }
  return state;
}

/// Add what happened between two readings of a core's counters; they stay 0 unless built with -DAIELOOM_COUNTED.
void add_difference(OperationCounts& sum, const OperationCounts& before, const OperationCounts& after) {
  sum.loads += after.loads - before.loads;
  sum.stores += after.stores - before.stores;
  sum.macs += after.macs - before.macs;
  sum.products += after.products - before.products;
  sum.shuffles += after.shuffles - before.shuffles;
  sum.stream_words += after.stream_words - before.stream_words;
  sum.cascades += after.cascades - before.cascades;
  sum.trips += after.trips - before.trips;
}

/// When the tile that a kernel shares with others is free again: they run one after another. Those without a place have one of their own.
std::uint64_t& tile_clock(const Kernel& kernel) {
  static FlatMap<std::pair<int, int>, std::uint64_t> of;
  if (kernel.tile.kind != Location::Kind::kTile) {
    return *new std::uint64_t(0);  // as long as the program runs
  }
  return of[{kernel.tile.col, kernel.tile.row}];
}

}  // namespace

Core::Core(Kernel& k) : kernel(k), arguments(k.arguments.size()), moved_(k.arguments.size()) {}

std::uint64_t Core::moved(std::size_t argument) const {
  const StreamEnd* end = arguments[argument].stream;
  if (end == nullptr || end->stream == nullptr) {
    return 0;
  }
  return kernel.arguments[argument]->direction == Direction::kIn ? end->stream->bytes_read(end->reader) : end->stream->bytes_written();
}

std::uint64_t Core::progress() const {
  std::uint64_t sum = static_cast<std::uint64_t>(calls_);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    sum += moved(i);
  }
  return sum;
}

void Core::start() {
  watch_kernels();
  spawn(kernel.name, Role::kServer, [this] { run(); });
}

bool Core::for_ever() const noexcept { return requested_ == kForEver; }

void Core::request(std::int64_t iterations) {
  requested_ = iterations < 0 ? kForEver : requested_ + iterations;
  requested_at_ = running_clock().now();
  wake(*this);
}

std::string Core::describe() const {
  return kernel.name + " has done " + std::to_string(done_) + " iterations" +
         (requested_ == kForEver ? "" : " of " + std::to_string(requested_));
}

void Core::run() {
  core_local() = this;
  if (is_timed()) {
    running_clock().attach(library != nullptr ? static_cast<std::uint64_t*>(dlsym(library, "aieloom_clock")) : nullptr, lane);
  }
  fiber_local() = registers_of(kernel);
  for (;;) {
    set_role(Role::kServer);
    while (idle()) {
      block(*this, "for the next run");
    }
    running_clock().wait_until(requested_at_);
    set_role(Role::kWorker);
    if (calls_ == 0) {
      tile_free_ = &tile_clock(kernel);
      aieloom_slots = slots;
      object_ = kernel.construct != nullptr ? kernel.construct(kernel.recipe) : nullptr;
      if (init != nullptr) {
        init(object_);
      }
    }
    for (std::size_t i = 0; i < kernel.repetition_count; ++i) {
      call();
    }
    ++done_;
    done_at_ = running_clock().now();
    if (idle()) {
      wake(*this);
    }
  }
}

/// Copy the input buffers to the output buffers, if the kernel is bypassed this time.
bool Core::passes_by() {
  if (kernel.bypass == nullptr) {
    return false;
  }
  const std::size_t at = index_of(kernel.arguments, kernel.bypass);
  std::int32_t value = 0;
  std::memcpy(&value, arguments[at].value, sizeof value);
  if (value == 0) {
    return false;
  }
  std::vector<BufferPort*> from, to;
  for (const CoreArgument& argument : arguments) {
    if (argument.buffer != nullptr) {
      (argument.buffer->is_input() ? from : to).push_back(argument.buffer);
    }
  }
  for (std::size_t i = 0; i < to.size() && i < from.size(); ++i) {
    const std::size_t bytes = std::min(to[i]->bytes(), from[i]->bytes());
    std::memcpy(to[i]->data() + to[i]->margin(), from[i]->data() + from[i]->margin(), bytes);
  }
  return true;
}

void Core::call() {
  Clock& clock = running_clock();
  std::uint64_t& tile_free = *tile_free_;
  clock.wait_until(tile_free);
  const std::uint64_t begin = clock.now(), waited = lane.waited;
  clock.advance(kCallCycles);
  for (Rtp* parameter : parameters) {
    parameter->before_call();
  }
  for (BufferPort* port : synchronous_in) {
    port->take();
  }
  for (BufferPort* port : synchronous_out) {
    port->take();
  }
  clock.advance(kBufferCycles * (synchronous_in.size() + synchronous_out.size()));
  aieloom_slots = slots;
  const OperationCounts before = core_state().counts;
  if (!passes_by()) {
    kernel.invoke(object_ != nullptr ? object_ : const_cast<void*>(code), arguments.data());
  }
  add_difference(counts_, before, core_state().counts);
  ++calls_;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    moved_[i] = moved(i);
  }
  for (BufferPort* port : synchronous_in) {
    port->release();
  }
  for (BufferPort* port : synchronous_out) {
    port->release();
  }
  for (Rtp* parameter : parameters) {
    parameter->after_call();
  }
  tile_free = clock.now();
  if (is_timed()) {
    lane.ended_call(begin, clock.now(), lane.waited - waited, calls_);
  }
}

std::string Core::counts() const {
  return kernel.name + ": calls " + std::to_string(calls_) + ", vector loads " + std::to_string(counts_.loads) + ", stores " +
         std::to_string(counts_.stores) + ", multiplications " + std::to_string(counts_.macs) + " (" +
         std::to_string(counts_.products) + " products), shuffles " + std::to_string(counts_.shuffles) +
         ", stream words " + std::to_string(counts_.stream_words) + ", cascade beats " +
         std::to_string(counts_.cascades) + ", pipelined trips " + std::to_string(counts_.trips);
}

bool Core::has_counted() const {
  return counts_.loads + counts_.stores + counts_.macs + counts_.shuffles + counts_.stream_words + counts_.cascades != 0;
}

void Core::write_blocks(std::FILE* out) const {
  const auto* size = static_cast<const std::int64_t*>(dlsym(library, "aieloom_block_counts_size"));
  const auto* blocks = static_cast<const std::uint64_t*>(dlsym(library, "aieloom_block_counts"));
  const std::string symbol = kernel.code != nullptr ? linker_name(kernel.code) : kernel.function;
  const bool placed = kernel.tile.kind == Location::Kind::kTile;
  std::fprintf(out, "%s\t%s\t%s\t%p\t%lld\t%d\t%d\t", kernel.name.c_str(), kernel.source.c_str(), symbol.c_str(), library,
               static_cast<long long>(calls_), placed ? kernel.tile.col : -1, placed ? kernel.tile.row : -1);
  for (std::int64_t i = 0; size != nullptr && blocks != nullptr && i < *size; ++i) {
    std::fprintf(out, "%s%llu", i == 0 ? "" : " ", static_cast<unsigned long long>(blocks[i]));
  }
  std::fputc('\n', out);
}

void tell_unplaced() {
  static std::vector<const void*> told;
  const Core* core = running_core();
  if (core != nullptr && index_of(told, static_cast<const void*>(core)) == told.size()) {
    told.push_back(core);
    warn("core-id", running_name() + " asks for its tile, and the graph gives it none: column and row 0 here, what the mapper chooses in the device; write "
                    "location<kernel>(k) = tile(column, row)");
  }
}

Core* running_core() { return static_cast<Core*>(core_local()); }

}  // namespace aieloom
