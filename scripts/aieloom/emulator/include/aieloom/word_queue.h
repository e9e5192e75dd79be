// The words that wait inside an hls::stream: a queue that costs a load, a store and a comparison a word.
//
// A dataflow region's processes run one after another, so a queue may hold an image's every word before its first is
// read. Its memory goes from one queue to the next of the same type instead of back to the system: fresh pages for
// every image took a fifth of an emulated ESPCN's time (benchmarks/espcn.py).
#pragma once

#include <cstddef>
#include <utility>

namespace aieloom {

template <typename T_>
class WordQueue {
 public:
  WordQueue() = default;
  WordQueue(const WordQueue&) = delete;
  WordQueue& operator=(const WordQueue&) = delete;
  ~WordQueue() {
    Spare& spare = spare_places();
    if (places_.count != 0 && spare.used < kSpare) {
      spare.kept[spare.used++] = places_;
    } else {
      delete[] places_.first;
    }
  }

  [[nodiscard]] bool empty() const noexcept { return first_ == last_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(last_ - first_); }

  void push(const T_& word) {
    if (last_ == end_) {
      make_room();
    }
    *last_++ = word;
  }

  [[nodiscard]] const T_& operator[](std::size_t i) const noexcept { return first_[i]; }

  /// The first word; there must be one.
  T_ pop() { return *first_++; }

 private:
  static constexpr std::size_t kSpare = 8;
  static constexpr std::size_t kFirst = 64;

  struct Places {
    T_* first = nullptr;
    std::size_t count = 0;
  };
  struct Spare {
    Places kept[kSpare];
    std::size_t used = 0;
  };

  /// Memory of queues that are gone; never destroyed, for streams may have static storage.
  static Spare& spare_places() {
    static Spare& spare = *new Spare;
    return spare;
  }

  static void move_words(T_* from, std::size_t count, T_* to) {
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = std::move(from[i]);
    }
  }

  /// Words that were read leave their places to new ones, unless most places are in use: then there come more.
  void make_room() {
    const std::size_t count = size();
    if (places_.count == 0 && spare_places().used != 0) {
      places_ = spare_places().kept[--spare_places().used];
    } else if (places_.count == 0 || count > places_.count / 2) {
      const std::size_t wanted = places_.count == 0 ? kFirst : 2 * places_.count;
      T_* more = new T_[wanted]();
      move_words(first_, count, more);
      delete[] places_.first;
      places_ = {more, wanted};
    } else {
      move_words(first_, count, places_.first);
    }
    first_ = places_.first;
    last_ = first_ + count;
    end_ = first_ + places_.count;
  }

  Places places_;
  T_* first_ = nullptr;
  T_* last_ = nullptr;
  T_* end_ = nullptr;
};

}  // namespace aieloom
