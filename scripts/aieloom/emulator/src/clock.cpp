#include "aieloom/clock.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lanes.h"

namespace aieloom {

namespace {

std::size_t& slices_kept() {
  static std::size_t count = 0;
  return count;
}

}  // namespace

bool is_timed() {
  static const bool timed = std::getenv("AIELOOM_TIMED") != nullptr;
  return timed;
}

void Lane::add(const Slice& slice) {
  constexpr std::size_t kMostSlices = 400'000;  // of all lanes: about 16 MB
  if (slice.end > slice.begin && slices_kept()++ < kMostSlices) {
    slices.push_back(slice);
  }
}

std::string Lane::Slice::what() const {
  static const char* const kWords[] = {"waits for the lock of ", "waits for ", "waits for "};
  return on != nullptr ? kWords[static_cast<std::size_t>(why)] + std::string(on) : "call " + std::to_string(call);
}

void Lane::wait(Stall why, const char* on, std::uint64_t begin, std::uint64_t end) {
  Waited* found = nullptr;
  for (Waited& w : waits) {
    if (w.on == on && w.why == why) {  // names live as long as the design
      found = &w;
      break;
    }
  }
  if (found == nullptr) {
    found = &waits.emplace_back(Waited{why, on, 0});
  }
  found->cycles += end - begin;
  waited += end - begin;
  add({begin, end, on, 0, why});
}

void Lane::ended_call(std::uint64_t begin, std::uint64_t end, std::uint64_t stood, std::int64_t calls) {
  first = calls == 1 ? begin : first;
  last = end;
  const std::uint64_t own = end - begin - stood;
  shortest = calls == 1 ? own : std::min(shortest, own);
  longest = std::max(longest, own);
  busy += own;
  add({begin, end, nullptr, calls, Stall::kLock});
}

void Clock::wait_until(double time, Stall why, const char* on) {
  const auto until = static_cast<std::uint64_t>(std::ceil(time));
  if (until <= *counter_) {
    return;
  }
  if (lane_ != nullptr) {
    lane_->wait(why, on, *counter_, until);
  }
  *counter_ = until;
}

}  // namespace aieloom
