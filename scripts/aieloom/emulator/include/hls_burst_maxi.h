// hls::burst_maxi: memory accessed by explicit bursts [UG1399 manual burst].
//
// Requests are served in order. A read without a request, a response without its words, or words beyond a request
// would stop the hardware; here they are refused.
#pragma once

#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>

#include "aieloom/logic.h"
#include "aieloom/report.h"
#include "aieloom/traits.h"
#include "ap_int.h"

namespace hls {

template <typename T_>
class burst_maxi {
  static_assert(!std::is_const<T_>::value, "hls::burst_maxi<T>: T is not const: a port that is only read makes no write_request()");

 public:
  burst_maxi(T_* memory) : state_(std::make_shared<State>()) { state_->memory = memory; }

  /// Ask for `count` elements from `offset` on.
  void read_request(std::size_t offset, std::size_t count) { ask(state_->reads, offset * sizeof(T_), count, sizeof(T_), "read_request"); }
  void write_request(std::size_t offset, std::size_t count) { ask(state_->writes, offset * sizeof(T_), count, sizeof(T_), "write_request"); }

  /// Ask for `count` elements of another type from a byte on, wherever in a word of the port it lies.
  template <typename E_>
  void read_request_unaligned(std::size_t byte, std::size_t count) {
    ask(state_->reads, byte, count, sizeof(E_), "read_request_unaligned");
  }
  template <typename E_>
  void write_request_unaligned(std::size_t byte, std::size_t count) {
    ask(state_->writes, byte, count, sizeof(E_), "write_request_unaligned");
  }

  /// The next element of the oldest request.
  template <typename E_ = T_>
  E_ read() {
    if (state_->reads.empty()) {
      refuse("read() without a read_request() that has elements left", "ask for as many elements as are read");
    }
    Burst& burst = state_->reads.front();
    E_ value;
    const aieloom::Byte* at = next(burst, sizeof(E_), "read");
    aieloom::logic::access(at, sizeof(E_), false);
    std::memcpy(static_cast<void*>(&value), at, sizeof(E_));
    if (burst.left == 0) {
      state_->reads.pop_front();
    }
    return value;
  }

  /// The next element of the oldest request that is not complete.
  template <typename E_ = T_>
  void write(const E_& value) {
    write_bytes(value, nullptr);
  }
  /// Only the bytes whose bit of `enable` is set.
  void write(const T_& value, ap_int<static_cast<int>(sizeof(T_))> enable) { write_bytes(value, &enable); }

  /// Wait until the oldest burst that was written is in memory.
  void write_response() {
    if (state_->finished == 0) {
      refuse("write_response() before all elements of its request are written", "write as many elements as were asked for");
    }
    --state_->finished;
  }

 private:
  template <typename E_>
  void write_bytes(const E_& value, const ap_int<static_cast<int>(sizeof(T_))>* enable) {
    if (state_->writes.empty()) {
      refuse("write() without a write_request() that has elements left", "ask for as many elements as are written");
    }
    Burst& burst = state_->writes.front();
    aieloom::Byte* at = next(burst, sizeof(E_), "write");
    aieloom::logic::access(at, sizeof(E_), true);
    const auto* from = reinterpret_cast<const aieloom::Byte*>(&value);
    for (std::size_t i = 0; i < sizeof(E_); ++i) {
      at[i] = enable == nullptr || enable->test(static_cast<int>(i)) ? from[i] : at[i];
    }
    if (burst.left == 0) {
      state_->writes.pop_front();
      ++state_->finished;
    }
  }

  struct Burst {
    std::size_t byte;
    std::size_t left;
    std::size_t bytes;  // of an element
  };
  struct State {
    T_* memory = nullptr;
    std::deque<Burst> reads;
    std::deque<Burst> writes;
    std::size_t finished = 0;
  };

  [[noreturn]] static void refuse(const std::string& problem, const std::string& remedy) {
    aieloom::refuse("hls-burst", "hls::burst_maxi: " + problem, remedy);
  }

  static void ask(std::deque<Burst>& bursts, std::size_t byte, std::size_t count, std::size_t bytes, const char* what) {
    if (count == 0) {
      refuse(std::string(what) + "() for 0 elements", "skip bursts that are empty");
    }
    bursts.push_back({byte, count, bytes});
  }

  /// Where a burst's next element lies.
  aieloom::Byte* next(Burst& burst, std::size_t bytes, const char* what) {
    if (bytes != burst.bytes) {
      refuse(std::string(what) + "() of " + std::to_string(bytes) + " bytes from a request for elements of " + std::to_string(burst.bytes),
             "ask for elements of the type that is moved");
    }
    aieloom::Byte* at = reinterpret_cast<aieloom::Byte*>(state_->memory) + burst.byte;
    burst.byte += bytes;
    --burst.left;
    return at;
  }

  std::shared_ptr<State> state_;  // copies are the same port
};

}  // namespace hls
