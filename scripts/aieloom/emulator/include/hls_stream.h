// hls::stream [UG1399 HLS Stream Library]: a queue inside a kernel, or one end of a connection outside it.
//
// In C simulation the processes of a dataflow region run one after another, so a queue holds whatever it is given; DEPTH and
// `#pragma HLS stream` steer synthesis only. Tasks (hls_task.h) run side by side, and in a system so do the processes of a region
// that may wait for each other in a circle (aieloom/dataflow.h): between them a queue holds as many words as its pragma says, 2 where
// none does, so that processes that would wait for each other in hardware do so here. A stream argument of a kernel that system.cfg
// connects blocks as the wire does.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "aieloom/dataflow.h"
#include "aieloom/report.h"
#include "aieloom/stall.h"
#include "aieloom/stream_port.h"
#include "aieloom/queue_times.h"
#include "aieloom/usual.h"
#include "aieloom/word_queue.h"

namespace hls {

/// A queue of words; DEPTH is what a pragma would say, and every queue can be passed where its depth is not named.
template <typename T_, int DEPTH_ = 0>
class stream;

template <typename T_>
class stream<T_, 0> : public aieloom::StreamPort {
 public:
  using value_type = T_;

  stream() = default;
  stream(const char* name) { set_name(name); }  // NOLINT(google-explicit-constructor)
  stream(const stream&) = delete;  // streams are passed by reference [UG1399]
  stream& operator=(const stream&) = delete;

  /// C simulation tells of words that nobody has read: the hardware would stop with a full queue.
  ~stream() {
    if (!queue_.empty()) {
      aieloom::warn("hls-leftover", "stream '" + name() + "' ends with " + std::to_string(queue_.size()) + " words that nobody has read");
    }
  }

  T_ read() {
    if (aieloom::stall_seed != 0) {
      while (data_.hides()) {
      }
      data_.passed();
    }
    if (linked()) {
      return receive<T_>();
    }
    if (queue_.empty()) {
      wait_for_word();
    }
    T_ word = queue_.pop();
    times_.took();
    if (departure_.has_waiters()) {
      aieloom::wake(departure_);
    }
    return word;
  }

  void read(T_& word) { word = read(); }

  void write(const T_& word) {
    if (aieloom::stall_seed != 0) {
      while (room_.hides()) {
      }
      room_.passed();
    }
    if (linked()) {
      send(word);
      return;
    }
    if (most_ != 0 && queue_.size() >= most_) {
      wait_for_room();
    }
    times_.put(most_);
    queue_.push(word);
    if (arrival_.has_waiters()) {
      aieloom::wake(arrival_);
    }
  }

  /// Take a word if there is one; returns whether there was.
  bool read_nb(T_& word) {
    if (empty()) {
      return false;
    }
    word = read();
    return true;
  }

  /// Put a word if there is room; returns whether there was.
  bool write_nb(const T_& word) {
    if (full()) {
      return false;
    }
    write(word);
    return true;
  }

  /// read() and write() after what `flag` comes from; the flag is passed on.
  bool read_dep(T_& word, bool flag) {
    word = read();
    return flag;
  }
  bool write_dep(const T_& word, bool flag) {
    write(word);
    return flag;
  }

  void operator<<(const T_& word) { write(word); }
  void operator>>(T_& word) { word = read(); }

  void set_name(const char* name) { aieloom::StreamPort::set_name(name); }

  [[nodiscard]] bool empty() {
    if (data_.hides()) {
      return true;
    }
    while (size() == 0 && times_.may_still_come()) {
      aieloom::yield();
    }
    if (size() == 0) {
      polled_in_vain();
      return size() == 0 || is_to_come();
    }
    if (is_to_come()) {
      return true;
    }
    polled_with_success();
    return false;
  }

  [[nodiscard]] bool full() const {
    if (room_.hides()) {
      return true;
    }
    if (!linked() && most_ == 0) {
      return false;
    }
    if (is_full()) {
      polled_in_vain();
      return is_full();
    }
    polled_with_success();
    return false;
  }

  /// What DEPTH or a pragma says: the most of them.
  void set_depth(std::size_t words) {
    depth_ = words > depth_ ? words : depth_;
    most_ = most_ == 0 ? 0 : depth_;
  }

  /// From now on the queue holds at most as many words as in hardware.
  void hold_as_hardware() {
    constexpr std::size_t kShortest = 2;  // where nothing says how many [UG1399 pragma HLS stream]
    most_ = depth_ != 0 ? depth_ : kShortest;
  }

  /// The queue is one of the kernel, not of who calls it.
  void belongs_inside() { is_inside_ = true; }
  [[nodiscard]] bool is_inside() const { return is_inside_; }

  [[nodiscard]] std::size_t size() { return aieloom_waiting(); }
  [[nodiscard]] std::size_t capacity() { return linked() ? stream_->capacity() / kBytes : depth_; }

  /// How many words wait; size() of AMD's streams is not for constant ones.
  [[nodiscard]] std::size_t aieloom_waiting() const { return linked() ? stream_->available(reader_) / kBytes : queue_.size(); }

 private:
  // What only the emulator asks of a stream.
  using aieloom::StreamPort::link_input;
  using aieloom::StreamPort::link_output;
  using aieloom::StreamPort::linked;
  using aieloom::StreamPort::name;

  static constexpr std::size_t kBytes = aieloom::kStreamBits<T_> / 8;

  [[nodiscard]] bool is_to_come() const {
    return linked() ? times_.is_to_come(stream_->arrival(reader_, kBytes)) : times_.is_to_come();
  }

  struct Arrival final : aieloom::Waitable {
    explicit Arrival(const stream& s) : owner(s) {}
    [[nodiscard]] std::string describe() const override { return "stream '" + owner.name() + "' is empty"; }
    const stream& owner;
  };

  struct Departure final : aieloom::Waitable {
    explicit Departure(const stream& s) : owner(s) {}
    [[nodiscard]] std::string describe() const override {
      return "stream '" + owner.name() + "' is full (" + std::to_string(owner.most_) + " words)";
    }
    const stream& owner;
  };

  [[nodiscard]] bool is_full() const { return linked() ? stream_->room() < kBytes : queue_.size() >= most_; }

  void wait_for_room() {
    while (queue_.size() >= most_) {
      aieloom::block(departure_, "to write");
    }
  }

  void wait_for_word() {
    while (queue_.empty()) {
      aieloom::block(arrival_, "to read");
    }
  }

  aieloom::WordQueue<T_> queue_;
  aieloom::QueueTimes times_;
  std::size_t most_ = 0;
  std::size_t depth_ = 0;
  bool is_inside_ = false;
  mutable aieloom::Hiding data_, room_;
  Arrival arrival_{*this};
  Departure departure_{*this};
};

template <typename T_, int DEPTH_>
class stream : public stream<T_, 0> {
  static_assert(DEPTH_ > 0, "hls::stream<T, DEPTH>: a queue holds at least one word");

 public:
  stream() { this->set_depth(DEPTH_); }
  stream(const char* name) : stream<T_, 0>(name) { this->set_depth(DEPTH_); }  // NOLINT(google-explicit-constructor)
};

}  // namespace hls
