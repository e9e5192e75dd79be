// The words that wait inside an hls::stream: a queue that costs a load, a store and a comparison a word.
//
// A dataflow region's processes run one after another, so a queue may hold an image's every word before its first is
// read. Its memory goes from one queue to the next of the same type instead of back to the system: fresh pages for
// every image took a fifth of an emulated ESPCN's time (benchmarks/espcn.py).
#ifndef AIELOOM_WORD_QUEUE_H
#define AIELOOM_WORD_QUEUE_H

#include <cstddef>
#include <utility>
#include <vector>

namespace aieloom {

template <typename T>
class WordQueue {
 public:
  WordQueue() = default;
  WordQueue(const WordQueue&) = delete;
  WordQueue& operator=(const WordQueue&) = delete;
  ~WordQueue() {
    if (!words_.empty() && spare().size() < kSpare) {
      spare().push_back(std::move(words_));
    }
  }

  [[nodiscard]] bool empty() const noexcept { return first_ == last_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(last_ - first_); }

  void push(const T& word) {
    if (last_ == end_) {
      make_room();
    }
    *last_++ = word;
  }

  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return first_[i]; }

  /// The first word; there must be one.
  T pop() { return *first_++; }

 private:
  static constexpr std::size_t kSpare = 8;
  static constexpr std::size_t kFirst = 64;

  /// Memory of queues that are gone; never destroyed, for streams may have static storage.
  static std::vector<std::vector<T>>& spare() {
    static auto& kept = *new std::vector<std::vector<T>>();
    return kept;
  }

  /// Words that were read leave their places to new ones, unless most places are in use: then there come more.
  void make_room() {
    const std::size_t count = size();
    if (words_.empty() && !spare().empty()) {
      words_ = std::move(spare().back());
      spare().pop_back();
    } else if (words_.empty() || count > words_.size() / 2) {
      std::vector<T> more(words_.empty() ? kFirst : 2 * words_.size());
      std::move(first_, last_, more.data());
      words_ = std::move(more);
    } else {
      std::move(first_, last_, words_.data());
    }
    first_ = words_.data();
    last_ = first_ + count;
    end_ = first_ + words_.size();
  }

  std::vector<T> words_;  // as many as there are places
  T* first_ = nullptr;
  T* last_ = nullptr;
  T* end_ = nullptr;
};

}  // namespace aieloom

#endif  // AIELOOM_WORD_QUEUE_H
