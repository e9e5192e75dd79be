// hls::stream [UG1399 HLS Stream Library]: a queue inside a kernel, or one end of a connection outside it.
//
// Inside a kernel the processes of a dataflow region run one after another, as in C simulation, so a queue holds
// whatever it is given; DEPTH and `#pragma HLS stream` steer synthesis only. A stream argument of a kernel that
// system.cfg connects blocks as the wire does.
#ifndef HLS_STREAM_H
#define HLS_STREAM_H

#include <cstddef>
#include <string>
#include <utility>

#include "aieloom/report.h"
#include "aieloom/stream_port.h"
#include "aieloom/word_queue.h"

namespace hls {

template <typename T, int DEPTH = 0>
class stream : public aieloom::StreamPort {
 public:
  stream() = default;
  explicit stream(const char* name) { set_name(name); }
  explicit stream(const std::string& name) { set_name(name); }
  stream(const stream&) = delete;  // streams are passed by reference [UG1399]
  stream& operator=(const stream&) = delete;

  /// C simulation tells of words that nobody has read: the hardware would stop with a full queue.
  ~stream() {
    if (!queue_.empty()) {
      aieloom::warn("hls-leftover", "stream '" + name() + "' ends with " + std::to_string(queue_.size()) + " words that nobody has read");
    }
  }

  T read() {
    if (linked()) {
      return receive<T>();
    }
    if (queue_.empty()) {
      wait_for_word();
    }
    return queue_.pop();
  }

  void read(T& word) { word = read(); }

  void write(const T& word) {
    if (linked()) {
      send(word);
      return;
    }
    queue_.push(word);
    if (arrival_.has_waiters()) {
      aieloom::wake(arrival_);
    }
  }

  /// Take a word if there is one; returns whether there was.
  bool read_nb(T& word) {
    if (empty()) {
      return false;
    }
    word = read();
    return true;
  }

  /// Put a word if there is room; returns whether there was.
  bool write_nb(const T& word) {
    if (full()) {
      return false;
    }
    write(word);
    return true;
  }

  stream& operator<<(const T& word) {
    write(word);
    return *this;
  }

  stream& operator>>(T& word) {
    word = read();
    return *this;
  }

  [[nodiscard]] bool empty() const {
    if (size() == 0) {
      polled_in_vain();
      return size() == 0;
    }
    polled_with_success();
    return false;
  }

  [[nodiscard]] bool full() const {
    if (!linked()) {
      return false;
    }
    if (stream_->room() < kBytes) {
      polled_in_vain();
      return stream_->room() < kBytes;
    }
    polled_with_success();
    return false;
  }

  [[nodiscard]] std::size_t size() const { return linked() ? stream_->available(reader_) / kBytes : queue_.size(); }
  [[nodiscard]] std::size_t capacity() const { return linked() ? stream_->capacity() / kBytes : DEPTH; }

 private:
  static constexpr std::size_t kBytes = aieloom::kStreamBits<T> / 8;

  struct Arrival final : aieloom::Waitable {
    explicit Arrival(const stream& s) : owner(s) {}
    [[nodiscard]] std::string describe() const override { return "stream '" + owner.name() + "' is empty"; }
    const stream& owner;
  };

  void wait_for_word() {
    while (queue_.empty()) {
      aieloom::block(arrival_, "to read");
    }
  }

  aieloom::WordQueue<T> queue_;
  Arrival arrival_{*this};
};

}  // namespace hls

#endif  // HLS_STREAM_H
