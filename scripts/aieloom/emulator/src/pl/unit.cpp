// Compute units: how runs of a PL kernel are queued and served.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "aieloom/report.h"
#include "system.h"

namespace aieloom {

std::string Run::describe() const {
  static constexpr const char* kWords[] = {"is not started", "is queued", "is running", "has ended"};
  return "a run of kernel " + units.front()->kernel.name + ", which " + kWords[static_cast<int>(state)];
}

ComputeUnit::ComputeUnit(std::string unit_name, const PlKernel& k)
    : name(std::move(unit_name)), kernel(k), arguments(k.make_arguments()), groups(arguments.size(), 0) {
  result.bits = k.result_bits;
}

void ComputeUnit::submit(const std::shared_ptr<Run>& run) {
  for (const PlArgument& argument : run->arguments) {
    const bool wanted = argument.kind == PlArgument::Kind::kMemory || argument.kind == PlArgument::Kind::kScalar;
    if (wanted && !argument.is_set) {
      refuse("pl-argument", "compute unit " + name + " is started without its argument '" + argument.name + "'",
             "set every argument that is not a stream, by its position in the kernel's signature");
    }
  }
  run->state = Run::State::kQueued;
  if (is_timed()) {
    running_clock().advance(cycles_of_us(board_facts().kernel_start_us));
    run->started_at = running_clock().now();
  }
  note_left(*this, ++started_);
  queue_.push_back(run);
  if (queue_.size() == 1) {
    spawn(name, run->repetitions == 0 ? Role::kServer : Role::kWorker, [this] { serve(); });
  }
}

void ComputeUnit::take(const Run& run) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const PlArgument& given = run.arguments[i];
    if (given.kind == PlArgument::Kind::kStream || !given.is_set) {
      continue;
    }
    arguments[i].memory = given.memory;
    arguments[i].storage = given.storage;
    if (given.kind == PlArgument::Kind::kMemory && given.storage != nullptr) {
      DeviceBuffer& buffer = static_cast<DeviceBuffer*>(given.storage.get())->whole();
      if (buffer.is_gone) {
        refuse("memory-freed", "compute unit " + name + " begins with " + buffer.name() + ", which the host has given back",
               "keep the xrt::bo until the run has ended");
      }
      check_host(buffer);
      note_run(buffer, name, given.name);
    }
    std::memcpy(arguments[i].scalar, given.scalar, sizeof given.scalar);
  }
}

void ComputeUnit::keep_time() {
  logic_.cycle = kArrayMhz / mhz;
  running_clock().attach(logic_);
  std::vector<std::string> ports;
  logic_.reaches.clear();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const PlArgument& argument = arguments[i];
    const auto* buffer = static_cast<const DeviceBuffer*>(argument.storage.get());
    if (argument.kind != PlArgument::Kind::kMemory || buffer == nullptr) {
      continue;
    }
    const auto found = std::ranges::find(ports, argument.bundle);
    Reach& reach = logic_.reaches.emplace_back();
    reach.begin = static_cast<const std::byte*>(argument.memory);
    reach.end = reach.begin + buffer->bytes;
    reach.port = static_cast<std::size_t>(found - ports.begin());
    reach.bank = &bank(static_cast<std::size_t>(groups[i]));
    if (found == ports.end()) {
      ports.push_back(argument.bundle);
    }
  }
  logic_.port_free.resize(std::max(ports.size(), logic_.port_free.size()));
}

void ComputeUnit::call() {
  Clock& clock = running_clock();
  const std::uint64_t begin = clock.now();
  kernel.call(arguments, result);
  if (is_timed()) {
    clock.wait_until(begin + static_cast<std::uint64_t>(logic_.cycle));  // a call that only polls takes a cycle
    lane.ended_call(begin, clock.now(), 0, ++calls_);
  }
}

void ComputeUnit::check_memory() const {
  for (const PlArgument& argument : arguments) {
    if (argument.kind == PlArgument::Kind::kMemory && argument.storage != nullptr) {
      check_device(static_cast<DeviceBuffer*>(argument.storage.get())->whole(), name);
    }
  }
}

void ComputeUnit::serve() {
  while (!queue_.empty()) {
    const std::shared_ptr<Run> run = queue_.front();
    run->state = Run::State::kRunning;
    take(*run);
    if (is_timed()) {
      keep_time();
      running_clock().wait_until(run->started_at);
    }
    const bool is_first = ++served_ == 1;
    if (is_first) {
      keep_ports(*this);
    }
    for (std::size_t i = 0; run->repetitions == 0 || i < run->repetitions; ++i) {
      call();
      check_memory();
      if (run->repetitions != 1) {
        yield();
      }
    }
    if (is_first) {
      ports_are_kept(*this);
    }
    run->state = Run::State::kCompleted;
    run->finished_at = running_clock().now();
    for (const auto& callback : run->when_finished) {
      callback();
    }
    queue_.pop_front();
    wake(*run);
    wake(*this);
  }
}

void ComputeUnit::run_for_ever() {
  keep_ports(*this);
  spawn(name, Role::kServer, [this] {
      const std::size_t tasks = tasks_started();
    bool again = true;
    keep_time();
    while (again) {
      call();
      yield();
      again = tasks == tasks_started() && std::ranges::any_of(arguments, [](const PlArgument& a) { return !a.streams.empty(); });
    }
  });
}

namespace {

constexpr std::uint32_t kFirst = 0x10;  // after control, interrupt enable and status

/// Bytes of an argument's registers: whole words, of which a 64-bit address has two, and one reserved or for control.
std::uint32_t register_bytes(const PlArgument& argument) {
  if (argument.kind == PlArgument::Kind::kStream) {
    return 0;
  }
  const std::size_t bits = argument.kind == PlArgument::Kind::kMemory ? 64 : argument.bits;
  return static_cast<std::uint32_t>((bits + 31) / 32 * 4 + 4 + (argument.kind == PlArgument::Kind::kRegister ? 8 : 0));
}

}  // namespace

std::uint32_t ComputeUnit::offset(std::size_t argument) const {
  std::uint32_t at = kFirst + (kernel.result_bits > 0 ? register_bytes(result) : 0);
  for (std::size_t i = 0; i < argument; ++i) {
    at += register_bytes(arguments[i]);
  }
  return at;
}

PlArgument* ComputeUnit::at_offset(std::uint32_t address, std::size_t& byte) {
  if (kernel.result_bits > 0 && address >= kFirst && address < kFirst + register_bytes(result) - 4) {
    byte = address - kFirst;
    return &result;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::uint32_t begin = offset(i);
    const std::size_t bytes = (arguments[i].bits + 31) / 32 * 4;
    const bool plain = arguments[i].kind == PlArgument::Kind::kScalar || arguments[i].kind == PlArgument::Kind::kRegister;
    if (plain && address >= begin && address < begin + bytes) {
      byte = address - begin;
      return &arguments[i];
    }
  }
  return nullptr;
}

std::string ComputeUnit::describe() const { return "compute unit " + name + (queue_.empty() ? " is idle" : " is running"); }

/// Each unit's calls, and how long the host was at work: lines of times.cpp.
void write_logic(std::FILE* out) {
  for (const auto& unit : System::instance().units()) {
    const Lane& lane = unit->lane;
    std::fprintf(out, "unit\t%s\t%g\t%lld\t%llu\t%llu\t%llu\t%llu\n", unit->name.c_str(), unit->mhz, static_cast<long long>(unit->calls()),
                 static_cast<unsigned long long>(lane.first), static_cast<unsigned long long>(lane.last),
                 static_cast<unsigned long long>(lane.shortest), static_cast<unsigned long long>(lane.longest));
    for (const Lane::Slice& s : lane.slices) {
      std::fprintf(out, "slice\t%s\t%s\t%llu\t%llu\n", unit->name.c_str(), s.what().c_str(), static_cast<unsigned long long>(s.begin),
                   static_cast<unsigned long long>(s.end));
    }
  }
  std::fprintf(out, "host\t%llu\n", static_cast<unsigned long long>(running_clock().now()));
}

}  // namespace aieloom
