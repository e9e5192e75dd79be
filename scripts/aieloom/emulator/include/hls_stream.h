// hls::stream [UG1399 HLS Stream Library]: a queue inside a kernel, or one end of a connection outside it.
//
// Inside a kernel the processes of a dataflow region run one after another, as in C simulation, so a queue holds
// whatever it is given; DEPTH and `#pragma HLS stream` steer synthesis only. Tasks (hls_task.h) run side by side: between
// them a queue holds as many words as its pragma says, 2 where none does, so that tasks that would wait for each other in
// hardware do so here. A stream argument of a kernel that system.cfg connects blocks as
// the wire does.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "aieloom/report.h"
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

  /// What tells the default constructor from others that take a line.
  struct Here {};

  stream(Here = {}, int line = __builtin_LINE()) : line_(line) {}  // NOLINT(google-explicit-constructor): the default one
  stream(const char* name, int line = __builtin_LINE()) : line_(line) { set_name(name); }  // NOLINT(google-explicit-constructor)
  stream(const stream&) = delete;  // streams are passed by reference [UG1399]
  stream& operator=(const stream&) = delete;

  /// C simulation tells of words that nobody has read: the hardware would stop with a full queue.
  ~stream() {
    if (!queue_.empty()) {
      aieloom::warn("hls-leftover", "stream '" + name() + "' ends with " + std::to_string(queue_.size()) + " words that nobody has read");
    }
  }

  T_ read() {
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

  /// From now on the queue holds `words` at most, DEPTH if that is more; 0: whatever it is given.
  void hold_at_most(std::size_t words) { most_ = words == 0 || words > depth_ ? words : depth_; }

  /// The line where it is declared: its pragma is found by that.
  [[nodiscard]] int line() const { return line_; }

  [[nodiscard]] std::size_t size() { return aieloom_waiting(); }
  [[nodiscard]] std::size_t capacity() { return linked() ? stream_->capacity() / kBytes : depth_; }

  /// How many words wait; size() of AMD's streams is not for constant ones.
  [[nodiscard]] std::size_t aieloom_waiting() const { return linked() ? stream_->available(reader_) / kBytes : queue_.size(); }

 protected:
  void set_depth(std::size_t words) { depth_ = words; }

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

  int line_ = 0;
  aieloom::WordQueue<T_> queue_;
  aieloom::QueueTimes times_;
  std::size_t most_ = 0;
  std::size_t depth_ = 0;
  Arrival arrival_{*this};
  Departure departure_{*this};
};

template <typename T_, int DEPTH_>
class stream : public stream<T_, 0> {
  static_assert(DEPTH_ > 0, "hls::stream<T, DEPTH>: a queue holds at least one word");
  using Base = stream<T_, 0>;

 public:
  stream(typename Base::Here = {}, int line = __builtin_LINE()) : Base(typename Base::Here{}, line) { this->set_depth(DEPTH_); }
  stream(const char* name, int line = __builtin_LINE()) : Base(name, line) { this->set_depth(DEPTH_); }  // NOLINT(google-explicit-constructor)
};

}  // namespace hls
