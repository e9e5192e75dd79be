// Compute units: how runs of a PL kernel are queued and served.
#include <algorithm>
#include <cstring>

#include "aieloom/report.h"
#include "system.h"

namespace aieloom {

std::string Run::describe() const {
  static constexpr const char* kWords[] = {"is not started", "is queued", "is running", "has ended"};
  return "a run of kernel " + units.front()->kernel.name + ", which " + kWords[static_cast<int>(state)];
}

ComputeUnit::ComputeUnit(std::string unit_name, const PlKernel& k)
    : name(std::move(unit_name)), kernel(k), arguments(k.make_arguments()), groups(arguments.size(), 0) {}

void ComputeUnit::submit(const std::shared_ptr<Run>& run) {
  for (const PlArgument& argument : run->arguments) {
    const bool wanted = argument.kind == PlArgument::Kind::kMemory || argument.kind == PlArgument::Kind::kScalar;
    if (wanted && !argument.is_set) {
      refuse("pl-argument", "compute unit " + name + " is started without its argument '" + argument.name + "'",
             "set every argument that is not a stream, by its position in the kernel's signature");
    }
  }
  run->state = Run::State::kQueued;
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
    std::memcpy(arguments[i].scalar, given.scalar, sizeof given.scalar);
  }
}

void ComputeUnit::serve() {
  queue_depths() = kernel.depths;
  while (!queue_.empty()) {
    const std::shared_ptr<Run> run = queue_.front();
    run->state = Run::State::kRunning;
    take(*run);
    for (std::size_t i = 0; run->repetitions == 0 || i < run->repetitions; ++i) {
      kernel.call(arguments);
      if (run->repetitions != 1) {
        yield();
      }
    }
    run->state = Run::State::kCompleted;
    for (const auto& callback : run->when_finished) {
      callback();
    }
    queue_.pop_front();
    wake(*run);
    wake(*this);
  }
}

void ComputeUnit::run_for_ever() {
  spawn(name, Role::kServer, [this] {
    queue_depths() = kernel.depths;
    const std::size_t tasks = tasks_started();
    bool again = true;
    while (again) {
      kernel.call(arguments);
      yield();
      again = tasks == tasks_started() && std::ranges::any_of(arguments, [](const PlArgument& a) { return !a.streams.empty(); });
    }
  });
}

namespace {

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
  constexpr std::uint32_t kFirst = 0x10;  // after control, interrupt enable and status
  std::uint32_t at = kFirst;
  for (std::size_t i = 0; i < argument; ++i) {
    at += register_bytes(arguments[i]);
  }
  return at;
}

PlArgument* ComputeUnit::at_offset(std::uint32_t address, std::size_t& byte) {
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

}  // namespace aieloom
