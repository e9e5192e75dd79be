// Time of PL kernels: loops, dataflow regions, ports to device memory.
#include "aieloom/logic.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "aieloom/queue_times.h"
#include "aieloom/scheduler.h"
#include "lanes.h"

namespace aieloom {

namespace {

/// Cycles of the logic from a pipeline's first stage to its last: read, compute, write (an estimate; what is computed decides).
constexpr double kDepth = 3;
/// From a request to its first data: what Vitis HLS plans for [UG1399 Options for Controlling AXI4 Burst Behavior: latency].
constexpr double kMemoryLatency = 64;
/// Requests on their way at a time [UG1399: num_read_outstanding, num_write_outstanding].
constexpr double kOutstanding = 16;
/// Bytes of a port in a cycle: bursts are widened to 512 bits [UG1399 Automatic Port Width Resizing].
constexpr double kPortBytes = 64;

constexpr double kWindow = 256;  // cycles of the array in which a bank's bytes are counted together

double cycles_of(double bytes, double mb_s) { return bytes * kArrayMhz / mb_s; }

/// A number of $AIELOOM_BOARD, "name=number;...".
double fact(const char* name) {
  const char* text = std::getenv("AIELOOM_BOARD");
  const std::string all = std::string(";") + (text != nullptr ? text : ""), wanted = std::string(";") + name + "=";
  const auto found = all.find(wanted);
  return found == std::string::npos ? 0 : std::atof(all.c_str() + found + wanted.size());
}

/// The first cycle that is not before a time.
AIELOOM_OFTEN std::uint64_t whole(double time) {
  const auto below = static_cast<std::uint64_t>(time);
  return below + (time > static_cast<double>(below) + 1e-6 ? 1 : 0);
}

}  // namespace

const BoardFacts& board_facts() {
  static const BoardFacts facts = {.read_mb_s = fact("read_mb_s"),
                                   .write_mb_s = fact("write_mb_s"),
                                   .bank_mb_s = fact("bank_mb_s"),
                                   .kernel_start_us = fact("kernel_start_us"),
                                   .sync_us = fact("sync_us"),
                                   .graph_start_us = fact("graph_start_us")};
  return facts;
}

std::uint64_t cycles_of_us(double us) { return whole(us * kArrayMhz); }

Bank& bank(std::size_t number) {
  static std::deque<Bank> all;
  while (all.size() <= number) {
    all.emplace_back();
  }
  return all[number];
}

double Bank::take(double time, std::size_t bytes) {
  const double rate = board_facts().bank_mb_s;
  if (rate <= 0) {
    return time;
  }
  const double room = kWindow * rate / kArrayMhz;
  auto window = static_cast<std::size_t>(time / kWindow);
  double left = static_cast<double>(bytes), done = time;
  while (left > 0) {
    if (used_.size() <= window) {
      used_.resize(window + 1024);
    }
    const double part = std::min(left, room - used_[window]);
    if (part > 0) {
      used_[window] += static_cast<float>(part);
      left -= part;
      done = std::max(done, static_cast<double>(window) * kWindow);
    }
    window += left > 0 ? 1 : 0;
  }
  return done;
}

void QueueTimes::put_timed(std::size_t places) {
  Clock& clock = running_clock();
  if (places != 0 && ++written_ > places) {
    clock.wait_until(left_.pop());
  }
  came_.push(clock.now() + (clock.logic() != nullptr ? whole(clock.logic()->cycle) : 0));
}

bool QueueTimes::is_later(std::uint64_t comes) const {
  constexpr int kPatience = 64;  // looks in one cycle: a loop that takes no time would never see the word
  Clock& clock = running_clock();
  if (comes <= clock.now()) {
    return false;
  }
  looks_ = looked_ == clock.now() ? looks_ + 1 : 0;
  looked_ = clock.now();
  if (looks_ > kPatience) {
    clock.wait_until(comes);
    return false;
  }
  return true;
}

bool QueueTimes::others_are_earlier() { return ready_before(running_clock().now()); }

void QueueTimes::take_timed() {
  Clock& clock = running_clock();
  const std::uint64_t came = came_.pop();
  clock.wait_until(came);
  logic::input_came(clock, static_cast<double>(came));
  if (written_ != 0) {
    left_.push(clock.now());
  }
}

namespace logic {

Loop::Loop(Kind kind, int interval, int factor, bool flattened)
    : clock_(running_clock()), logic_(clock_.logic()), outer_(clock_.loop()), kind_(kind), flattened_(flattened && outer_ != nullptr),
      factor_(static_cast<unsigned>(std::max(factor, 1))) {
  static std::uint64_t numbers = 0;
  number_ = ++numbers;
  clock_.loop() = this;
  const double cycle = logic_ != nullptr ? logic_->cycle : 0;
  in_pipeline_ = kind == Kind::kPipelined || kind == Kind::kFunction || (outer_ != nullptr && outer_->in_pipeline_);
  free_ = logic_ == nullptr || kind == Kind::kUnrolled || kind == Kind::kFunction || (outer_ != nullptr && outer_->in_pipeline_);
  interval_ = cycle * (kind == Kind::kOff ? kDepth : interval);
  if (!free_ && !flattened_) {
    clock_.wait_until(whole(static_cast<double>(clock_.now()) + cycle));  // into the loop [UG1399 loop_flatten]
  }
}

AIELOOM_OFTEN void Loop::begin() {
  const auto now = static_cast<double>(clock_.now());
  const double next = count_ == 1 ? begin_ : begin_ + interval_;
  begin_ = next > now ? next : now;
  inputs_ = begin_;
  if (next > now) {
    clock_.wait_until(whole(next));
  }
}

Loop::~Loop() {
  clock_.loop() = outer_;
  if (free_) {
    return;
  }
  const double cycle = logic_->cycle;
  if (count_ > 0 && flattened_) {
    outer_->drain_ = std::max({outer_->drain_, drain_, kDepth * cycle - interval_});
    clock_.wait_until(whole(std::max(begin_ + interval_, 0.0)));
    return;
  }
  const bool pipelined = kind_ == Kind::kPipelined || kind_ == Kind::kInnermost || kind_ == Kind::kOff;
  if (count_ > 0) {
    clock_.wait_until(whole(begin_ + (pipelined ? kDepth * cycle : cycle)));
  }
  if (!flattened_) {
    clock_.wait_until(whole(static_cast<double>(clock_.now()) + drain_ + cycle));  // and out of it
  }
}

AIELOOM_OFTEN Loop* Loop::pipeline() {
  Loop* loop = this;
  while (loop != nullptr && loop->free_) {
    loop = loop->outer_;
  }
  return loop != nullptr && loop->kind_ != Kind::kPlain ? loop : nullptr;
}

namespace {

/// The pipelined loop of the logic whose iteration runs.
Loop* pipeline_of(Clock& clock) { return clock.logic() != nullptr && clock.loop() != nullptr ? clock.loop()->pipeline() : nullptr; }

}  // namespace

AIELOOM_OFTEN double inputs_came(Clock& clock) {
  const Loop* loop = pipeline_of(clock);
  return loop != nullptr ? loop->inputs_ : static_cast<double>(clock.now());
}

AIELOOM_OFTEN double iteration_began(Clock& clock) {
  const Loop* loop = pipeline_of(clock);
  return loop != nullptr ? loop->begin_ : static_cast<double>(clock.now());
}

AIELOOM_OFTEN void input_came(Clock& clock, double time) {
  Loop* loop = pipeline_of(clock);
  if (loop != nullptr) {
    loop->inputs_ = std::max(loop->inputs_, time);
  }
}

Region::Region(std::size_t processes, bool restarts)
    : clock_(running_clock()), kept_(restarts ? clock_.logic() : nullptr), begin_(clock_.now()), latest_(clock_.now()), ends_(processes, 0),
      before_(processes, 0) {
  if (kept_ != nullptr && kept_->ended.size() == processes) {
    ends_ = kept_->ended;
    before_ = kept_->ended_before;
    begin_ = ends_.front();
    clock_.set(begin_);
  }
}

bool Region::next() {
  begin_ = std::max(begin_, ends_.empty() ? begin_ : ends_.front());
  clock_.set(begin_);
  return true;
}

void Region::begin(std::size_t number, std::uint64_t after, std::uint64_t takers) {
  join(after);
  std::uint64_t start = std::max(begin_, ends_[number]);
  for (std::size_t i = 0; i < number; ++i) {
    if ((after >> i & 1) != 0) {
      start = std::max(start, ends_[i]);
    }
  }
  for (std::size_t i = number + 1; i < ends_.size(); ++i) {
    if ((takers >> i & 1) != 0) {
      start = std::max(start, before_[i]);
    }
  }
  under_way_ |= std::uint64_t{1} << number;
  clock_.set(start);
}

void Region::ended(std::size_t number) {
  before_[number] = std::exchange(ends_[number], running_clock().now());
  latest_ = std::max(latest_, ends_[number]);
  under_way_ &= ~(std::uint64_t{1} << number);
  wake(at_end_);
}

void Region::let_go_on(std::size_t number) {
  while ((under_way_ >> number & 1) != 0 && block_unless_stuck(at_end_, "for")) {
  }
}

void Region::join(std::uint64_t which) {
  while ((under_way_ & which) != 0) {
    block(at_end_, "for");
  }
}

Region::~Region() {
  if (kept_ != nullptr) {
    kept_->ended = ends_;
    kept_->ended_before = before_;
  }
  clock_.set(latest_);
}

AIELOOM_OFTEN void access(const void* address, std::size_t bytes, bool writes) {
  Clock& clock = running_clock();
  Logic* logic = clock.logic();
  if (logic == nullptr) {
    return;
  }
  const auto* at = static_cast<const std::byte*>(address);
  Reach* reach = nullptr;
  for (Reach& r : logic->reaches) {
    if (at >= r.begin && at < r.end) {
      reach = &r;
    }
  }
  if (reach == nullptr) {
    return;
  }
  const Loop* loop = clock.loop();
  while (loop != nullptr && loop->free_) {
    loop = loop->outer_;  // unrolled copies share a burst
  }
  const bool pipelined = loop != nullptr && loop->kind_ != Kind::kPlain;
  const double iteration = pipelined ? loop->begin_ : 0;
  while (loop != nullptr && loop->flattened_) {
    loop = loop->outer_;  // and so does a nest that is one loop
  }
  const std::uint64_t number = loop != nullptr ? loop->number_ : 0;
  Reach::Burst& burst = reach->bursts[writes ? 1 : 0];
  double& free = logic->port_free[reach->port][writes ? 1 : 0];
  const bool goes_on = burst.next == at && burst.loop == number;
  const bool in_pipe = pipelined && burst.loop == number;
  // Ports of an iteration work side by side, whatever the order in which the source names them.
  double start = in_pipe ? iteration : static_cast<double>(clock.now());
  if (!goes_on && !in_pipe) {
    start += kMemoryLatency * logic->cycle;
  }
  const BoardFacts& facts = board_facts();
  const double rate = writes ? facts.write_mb_s : facts.read_mb_s;
  double takes = static_cast<double>(bytes) / kPortBytes * logic->cycle;
  if (!goes_on) {
    takes = std::max(takes, in_pipe ? kMemoryLatency / kOutstanding * logic->cycle : logic->cycle);
  }
  if (rate > 0) {
    takes = std::max(takes, cycles_of(static_cast<double>(bytes), rate));
  }
  start = std::max(start, free);
  free = std::max(start + takes, reach->bank != nullptr ? reach->bank->take(start, bytes) : 0.0);
  burst = {at + bytes, number};
  // Data of a cycle that is not over are there in it: a pipeline that keeps up with its port does not stand.
  const std::uint64_t there = whole(std::max(0.0, free - logic->cycle));
  clock.wait_until(there);
  if (!writes) {
    input_came(clock, static_cast<double>(there));
  }
}

}  // namespace logic

}  // namespace aieloom
