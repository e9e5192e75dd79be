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

void Lane::add(const std::string& what, std::uint64_t begin, std::uint64_t end) {
  constexpr std::size_t kMostSlices = 400'000;  // of all lanes: about 20 MB
  if (end > begin && slices_kept()++ < kMostSlices) {
    slices.push_back({what, begin, end});
  }
}

void Lane::wait(Stall why, const char* on, std::uint64_t begin, std::uint64_t end) {
  Waited* found = nullptr;
  for (Waited& w : waits) {
    if (w.why == why && w.on == on) {
      found = &w;
    }
  }
  if (found == nullptr) {
    found = &waits.emplace_back(Waited{why, on, 0});
  }
  found->cycles += end - begin;
  waited += end - begin;
  static const char* const kWords[] = {"waits for the lock of ", "waits for ", "waits for "};
  add(kWords[static_cast<std::size_t>(why)] + std::string(on), begin, end);
}

void Lane::ended_call(std::uint64_t begin, std::uint64_t end, std::uint64_t stood, std::int64_t calls) {
  first = calls == 1 ? begin : first;
  last = end;
  const std::uint64_t own = end - begin - stood;
  shortest = calls == 1 ? own : std::min(shortest, own);
  longest = std::max(longest, own);
  busy += own;
  add("call " + std::to_string(calls), begin, end);
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
