// Run-time parameters [UG1079 Run-Time Graph Control; Run-Time Parameter Support Summary].
//
// Synchronous: every call of the kernel takes one update, two may be on their way (the ping-pong pair). Asynchronous:
// the first update starts the kernel, then the newest value counts. Inputs are synchronous, outputs asynchronous,
// unless the graph says otherwise.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "aieloom/report.h"
#include "runtime.h"

namespace aieloom {

namespace {

constexpr std::size_t kOnTheirWay = 2;

}  // namespace

Rtp::Rtp(Port& p)
    : port(p),
      bytes(p.argument.extent * p.argument.element.size()),
      storage(bytes / sizeof(Word) + 1),
      latest_(bytes) {}

bool Rtp::asynchronous() const { return port.direction == Direction::kIn ? port.async : !port.sync; }

void Rtp::before_call() {
  if (port.direction != Direction::kIn) {
    return;
  }
  if (asynchronous()) {
    while (!has_value_) {
      block(*this, "for the first update of");
    }
    std::memcpy(storage.data(), latest_.data(), bytes);
    return;
  }
  while (pending_.empty()) {
    block(*this, "for an update of");
  }
  std::memcpy(storage.data(), pending_.front().data(), bytes);
  pending_.erase(pending_.begin());
  wake(*this);
}

void Rtp::after_call() {
  if (port.direction == Direction::kIn) {
    return;
  }
  for (Rtp* target : targets) {
    target->update(storage.data());
  }
  const auto* values = reinterpret_cast<const std::byte*>(storage.data());
  latest_.assign(values, values + bytes);
  has_value_ = true;
  if (!asynchronous() && targets.empty()) {
    while (pending_.size() >= kOnTheirWay) {
      block(*this, "for the host to read");
    }
    pending_.push_back(latest_);
  }
  wake(*this);
}

void Rtp::update(const void* values) {
  const auto* from = static_cast<const std::byte*>(values);
  if (port.direction != Direction::kIn) {  // an inout parameter: the kernel goes on from the new value
    std::memcpy(storage.data(), values, bytes);
    return;
  }
  if (asynchronous()) {
    latest_.assign(from, from + bytes);
    has_value_ = true;
  } else {
    while (pending_.size() >= kOnTheirWay) {
      block(*this, "for the kernel to take the last update of");
    }
    pending_.emplace_back(from, from + bytes);
  }
  wake(*this);
}

void Rtp::read(void* values) {
  if (!asynchronous()) {
    while (pending_.empty()) {
      block(*this, "for a new value of");
    }
    std::memcpy(values, pending_.front().data(), bytes);
    pending_.erase(pending_.begin());
    wake(*this);
    return;
  }
  while (!has_value_) {
    block(*this, "for the first value of");
  }
  std::memcpy(values, latest_.data(), bytes);
}

std::string Rtp::describe() const {
  return "run-time parameter " + name_of(port) + " (" + (asynchronous() ? "asynchronous" : "synchronous") + ", " +
         std::to_string(pending_.size()) + " update" + (pending_.size() == 1 ? "" : "s") + " not taken yet)";
}

std::vector<Rtp*> Runtime::parameters_of(Port& port, bool to_update) {
  std::vector<Rtp*> found;
  std::vector<const Port*> open{&port};
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (Rtp* const* own = rtp_of_.find(open[i])) {
      found.push_back(*own);
      continue;
    }
    for (const Connection& c : design().connections) {
      const Port* next = to_update ? (c.from == open[i] ? c.to : nullptr) : (c.to == open[i] ? c.from : nullptr);
      if (next != nullptr && !holds(open, next)) {
        open.push_back(next);
      }
    }
  }
  return found;
}

std::vector<Rtp*> Runtime::parameters_of_beyond(const Port& port) {
  std::vector<Rtp*> found;
  for (const Connection& c : design().connections) {
    if (c.from == &port) {
      const auto beyond = parameters_of(*c.to, true);
      found.insert(found.end(), beyond.begin(), beyond.end());
    }
  }
  return found;
}

}  // namespace aieloom
