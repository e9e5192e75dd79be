// $AIELOOM_PORTS: a folder for what the ports of each kernel carry, from which a test bench of the kernel alone is made.
//
// A file `<compute unit>.ports` is records, each a line of words and the bytes of its last number: what a started kernel finds in
// its memories, takes from its streams, sends and leaves in its memories in its first run; of a free-running kernel all words.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "aieloom/report.h"
#include "system.h"

namespace aieloom {

namespace {

/// What is kept of a compute unit.
struct Kept {
  const ComputeUnit* unit = nullptr;
  std::deque<std::vector<char>> words;  // of each stream, in the arguments' order
  std::vector<std::string> before;      // a record of each argument that is no stream
  std::vector<std::string> after;       // and of each memory that the kernel has written
};

std::deque<Kept>& all_kept() {
  static auto* all = new std::deque<Kept>;  // read at the program's end
  return *all;
}

std::string record(const std::string& what, const std::string& name, std::size_t bits, const char* bytes, std::size_t size) {
  return what + " " + name + " " + std::to_string(bits) + " " + std::to_string(size) + "\n" + std::string(bytes, size);
}

/// What a memory argument reaches: to the end of its buffer; nothing where the host has given it back.
std::string memory(const std::string& what, const PlArgument& argument) {
  auto* buffer = static_cast<DeviceBuffer*>(argument.storage.get());
  const bool is_there = argument.memory != nullptr && buffer != nullptr && !buffer->whole().is_gone;
  const std::size_t size = is_there ? buffer->bytes : 0;
  return record(what, argument.name, argument.bits, static_cast<const char*>(argument.memory), size);
}

/// Whether another unit has an argument's buffer too: what lies there in the end may be its work.
bool is_shared(const ComputeUnit& unit, const PlArgument& argument) {
  const auto buffer_of = [](const PlArgument& a) -> const void* {
    const bool is_memory = a.kind == PlArgument::Kind::kMemory && a.storage != nullptr;
    return is_memory ? &static_cast<DeviceBuffer*>(a.storage.get())->whole() : nullptr;
  };
  return std::ranges::any_of(System::instance().units(), [&](const auto& other) {
    return other.get() != &unit && std::ranges::any_of(other->arguments, [&](const PlArgument& a) {
      return buffer_of(a) != nullptr && buffer_of(a) == buffer_of(argument);
    });
  });
}

/// Whether a unit was only told to end: it has streams to send to, sent nothing, and no memory is its alone.
bool was_idle(const Kept& kept) {
  std::size_t stream = 0, sends = 0, sent = 0;
  for (const PlArgument& argument : kept.unit->arguments) {
    for (const StreamPort* port : argument.streams) {
      const std::size_t bytes = kept.words[stream++].size();
      sends += port->is_input() ? 0 : 1;
      sent += port->is_input() ? 0 : bytes;
    }
  }
  return sends > 0 && sent == 0 && std::ranges::none_of(kept.after, [](const std::string& text) { return text.starts_with("after "); });
}

void write_kept() {
  const std::string folder = std::getenv("AIELOOM_PORTS");
  for (const Kept& kept : all_kept()) {
    if (was_idle(kept)) {
      continue;
    }
    const std::string path = folder + "/" + kept.unit->name + ".ports";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) {
      std::fprintf(stderr, "%s cannot be written\n", path.c_str());
      std::_Exit(kRefused);
    }
    std::size_t stream = 0, other = 0;
    for (const PlArgument& argument : kept.unit->arguments) {
      if (argument.kind != PlArgument::Kind::kStream) {
        const std::string& text = kept.before[other++];
        std::fwrite(text.data(), 1, text.size(), file);
        continue;
      }
      for (std::size_t i = 0; i < argument.streams.size(); ++i) {
        const std::vector<char>& words = kept.words[stream++];
        const std::string text = record(argument.streams[i]->is_input() ? "in" : "out", argument.name, argument.bits, words.data(), words.size());
        std::fwrite(text.data(), 1, text.size(), file);
      }
    }
    for (const std::string& text : kept.after) {
      std::fwrite(text.data(), 1, text.size(), file);
    }
    std::fclose(file);
  }
}

}  // namespace

void keep_ports(ComputeUnit& unit) {
  if (std::getenv("AIELOOM_PORTS") == nullptr) {
    return;
  }
  if (all_kept().empty()) {
    std::atexit(write_kept);
  }
  Kept& kept = all_kept().emplace_back();
  kept.unit = &unit;
  for (const PlArgument& argument : unit.arguments) {
    for (StreamPort* port : argument.streams) {
      port->keep_in(&kept.words.emplace_back());
    }
    if (argument.kind == PlArgument::Kind::kMemory) {
      kept.before.push_back(memory("memory", argument));
    } else if (argument.kind != PlArgument::Kind::kStream) {
      kept.before.push_back(record("scalar", argument.name, argument.bits, reinterpret_cast<const char*>(argument.scalar), argument.bits / 8));
    }
  }
}

void ports_are_kept(ComputeUnit& unit) {
  if (all_kept().empty()) {
    return;
  }
  Kept& kept = *std::ranges::find(all_kept(), &unit, &Kept::unit);
  for (const PlArgument& argument : unit.arguments) {
    for (StreamPort* port : argument.streams) {
      port->keep_in(nullptr);
    }
    if (argument.kind == PlArgument::Kind::kMemory) {
      kept.after.push_back(memory(is_shared(unit, argument) ? "shared" : "after", argument));
    }
  }
}

}  // namespace aieloom
