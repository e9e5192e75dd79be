// hls::burst_maxi: memory accessed by explicit bursts [UG1399 manual burst].
//
// Requests are served in order. A read without a request, a response without its words, or words beyond a request
// would stop the hardware; here they are refused.
#ifndef HLS_BURST_MAXI_H
#define HLS_BURST_MAXI_H

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "aieloom/report.h"

namespace hls {

template <typename T>
class burst_maxi {
 public:
  burst_maxi(T* memory) : state_(std::make_shared<State>()) { state_->memory = memory; }

  /// Ask for `count` elements from `offset` on.
  void read_request(std::size_t offset, std::size_t count) { state_->reads.push_back({offset, check(count, "read_request")}); }

  /// The next element of the oldest request.
  T read() {
    if (state_->reads.empty()) {
      refuse("read() without a read_request() that has elements left", "ask for as many elements as are read");
    }
    Burst& burst = state_->reads.front();
    const T value = state_->memory[burst.offset++];
    if (--burst.left == 0) {
      state_->reads.pop_front();
    }
    return value;
  }

  void write_request(std::size_t offset, std::size_t count) { state_->writes.push_back({offset, check(count, "write_request")}); }

  /// The next element of the oldest request that is not complete.
  void write(const T& value) {
    if (state_->writes.empty()) {
      refuse("write() without a write_request() that has elements left", "ask for as many elements as are written");
    }
    Burst& burst = state_->writes.front();
    state_->memory[burst.offset++] = value;
    if (--burst.left == 0) {
      state_->writes.pop_front();
      ++state_->finished;
    }
  }

  /// Wait until the oldest burst that was written is in memory.
  void write_response() {
    if (state_->finished == 0) {
      refuse("write_response() before all elements of its request are written", "write as many elements as were asked for");
    }
    --state_->finished;
  }

 private:
  struct Burst {
    std::size_t offset;
    std::size_t left;
  };
  struct State {
    T* memory = nullptr;
    std::deque<Burst> reads;
    std::deque<Burst> writes;
    std::size_t finished = 0;
  };

  [[noreturn]] static void refuse(const std::string& problem, const std::string& remedy) {
    aieloom::refuse("hls-burst", "hls::burst_maxi: " + problem, remedy);
  }

  static std::size_t check(std::size_t count, const char* what) {
    if (count == 0) {
      refuse(std::string(what) + "() for 0 elements", "skip bursts that are empty");
    }
    return count;
  }

  std::shared_ptr<State> state_;  // copies are the same port
};

}  // namespace hls

#endif  // HLS_BURST_MAXI_H
