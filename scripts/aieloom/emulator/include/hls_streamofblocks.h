// hls::stream_of_blocks: a queue of whole arrays between processes [UG1399 stream of blocks].
//
// As in C simulation, where processes run one after another, the queue holds whatever it is given.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>

#include "aieloom/report.h"
#include "aieloom/scheduler.h"

namespace hls {

/// Blocks of the array type B, e.g. int[16]; DEPTH steers synthesis.
template <typename B_, int DEPTH_ = 2>
class stream_of_blocks {
  static_assert(std::is_array_v<B_>, "hls::stream_of_blocks: the block is an array type, e.g. hls::stream_of_blocks<int[16]>");
  static_assert(DEPTH_ >= 1, "hls::stream_of_blocks: the depth is at least 1");

 public:
  using Element = std::remove_extent_t<B_>;

  stream_of_blocks() = default;
  explicit stream_of_blocks(const char* name) : name_(name) {}
  stream_of_blocks(const stream_of_blocks&) = delete;
  stream_of_blocks& operator=(const stream_of_blocks&) = delete;

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] static bool full() { return false; }

 private:
  template <typename>
  friend class read_lock;
  template <typename>
  friend class write_lock;

  struct Arrival final : aieloom::Waitable {
    explicit Arrival(const stream_of_blocks& s) : owner(s) {}
    [[nodiscard]] std::string describe() const override { return "stream of blocks '" + owner.name_ + "' is empty"; }
    const stream_of_blocks& owner;
  };
  struct Block {
    B_ data;
  };

  std::string name_ = "hls::stream_of_blocks";
  std::deque<std::unique_ptr<Block>> blocks_;
  Arrival arrival_{*this};
};

/// A block to fill; it is sent when the lock ends.
template <typename B_>
class write_lock {
 public:
  template <int D_>
  explicit write_lock(stream_of_blocks<B_, D_>& stream) : block_(std::make_unique<typename stream_of_blocks<B_>::Element[]>(kCount)) {
    send_ = [](void* to, void* elements) {
      auto& s = *static_cast<stream_of_blocks<B_, D_>*>(to);
      auto sent = std::make_unique<typename stream_of_blocks<B_, D_>::Block>();
      auto* from = static_cast<Element*>(elements);
      for (std::size_t i = 0; i < kCount; ++i) {
        copy(sent->data[i], from[i]);
      }
      s.blocks_.push_back(std::move(sent));
      aieloom::wake(s.arrival_);
    };
    stream_ = &stream;
  }
  write_lock(const write_lock&) = delete;
  write_lock& operator=(const write_lock&) = delete;
  ~write_lock() { send_(stream_, block_.get()); }

  using Element = typename stream_of_blocks<B_>::Element;
  Element& operator[](std::size_t i) { return block_[i]; }

 private:
  static constexpr std::size_t kCount = std::extent_v<B_>;

  template <typename T_>
  static void copy(T_& to, const T_& from) {
    if constexpr (std::is_array_v<T_>) {
      for (std::size_t i = 0; i < std::extent_v<T_>; ++i) {
        copy(to[i], from[i]);
      }
    } else {
      to = from;
    }
  }

  std::unique_ptr<Element[]> block_;
  void* stream_;
  void (*send_)(void*, void*);
};

/// The oldest block to read; it is released when the lock ends.
template <typename B_>
class read_lock {
 public:
  using Element = typename stream_of_blocks<B_>::Element;

  template <int D_>
  explicit read_lock(stream_of_blocks<B_, D_>& stream) {
    while (stream.blocks_.empty()) {
      aieloom::block(stream.arrival_, "to read");
    }
    block_ = std::shared_ptr<void>(stream.blocks_.front().release(), [](void* b) { delete static_cast<typename stream_of_blocks<B_, D_>::Block*>(b); });
    elements_ = static_cast<typename stream_of_blocks<B_, D_>::Block*>(block_.get())->data;
    stream.blocks_.pop_front();
  }
  read_lock(const read_lock&) = delete;
  read_lock& operator=(const read_lock&) = delete;

  const Element& operator[](std::size_t i) const { return elements_[i]; }

 private:
  std::shared_ptr<void> block_;
  const Element* elements_ = nullptr;
};

}  // namespace hls
