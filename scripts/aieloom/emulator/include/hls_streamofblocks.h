// hls::stream_of_blocks: a queue of whole arrays between processes [UG1399 stream of blocks].
//
// As in C simulation, where processes run one after another, the queue holds whatever it is given.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "aieloom/report.h"
#include "aieloom/scheduler.h"

namespace hls {

template <typename B_>
class read_lock;
template <typename B_>
class write_lock;

/// Blocks of the array type B, e.g. int[16]; DEPTH steers synthesis, and every queue can be passed where its depth is not named.
template <typename B_, int DEPTH_ = 2>
class stream_of_blocks;

template <typename B_>
class stream_of_blocks<B_, 2> {
  static_assert(std::is_array<B_>::value, "hls::stream_of_blocks: the block is an array type, e.g. hls::stream_of_blocks<int[16]>");

 public:
  explicit stream_of_blocks(int depth = 2, const char* name = "hls::stream_of_blocks") : name_(name) {
    if (depth < 1) {
      aieloom::refuse("hls-blocks", "a stream of blocks of depth " + std::to_string(depth), "its depth is at least 1");
    }
  }
  stream_of_blocks(const stream_of_blocks&) = delete;
  stream_of_blocks& operator=(const stream_of_blocks&) = delete;

  [[nodiscard]] bool empty() { return blocks_.empty(); }
  [[nodiscard]] bool full() { return false; }  // NOLINT(readability-convert-member-functions-to-static): as AMD's

 private:
  friend class read_lock<B_>;
  friend class write_lock<B_>;

  struct Arrival final : aieloom::Waitable {
    explicit Arrival(const stream_of_blocks& s) : owner(s) {}
    [[nodiscard]] std::string describe() const override { return "stream of blocks '" + owner.name_ + "' is empty"; }
    const stream_of_blocks& owner;
  };
  struct Block {
    B_ data;
  };

  std::string name_;
  std::deque<std::unique_ptr<Block>> blocks_;
  Arrival arrival_{*this};
};

template <typename B_, int DEPTH_>
class stream_of_blocks : public stream_of_blocks<B_, 2> {
  static_assert(DEPTH_ >= 1, "hls::stream_of_blocks: the depth is at least 1");

 public:
  stream_of_blocks() : stream_of_blocks<B_, 2>(DEPTH_) {}
};

/// A block to fill, which is the block itself for whoever takes an array or a pointer; it is sent when the lock ends.
template <typename B_>
class write_lock {
  using Stream = stream_of_blocks<B_>;

 public:
  write_lock(Stream& stream) : stream_(stream), block_(std::make_unique<typename Stream::Block>()) {}  // NOLINT(google-explicit-constructor)
  write_lock(const write_lock&) = delete;  // a second lock would send the block twice
  write_lock& operator=(const write_lock&) = delete;
  ~write_lock() {
    stream_.blocks_.push_back(std::move(block_));
    aieloom::wake(stream_.arrival_);
  }

  operator B_&() { return block_->data; }

 private:
  Stream& stream_;
  std::unique_ptr<typename Stream::Block> block_;
};

/// The oldest block to read, and to change in place; it is released when the lock ends.
template <typename B_>
class read_lock {
  using Stream = stream_of_blocks<B_>;

 public:
  read_lock(Stream& stream) {  // NOLINT(google-explicit-constructor)
    while (stream.blocks_.empty()) {
      aieloom::block(stream.arrival_, "to read");
    }
    block_ = std::move(stream.blocks_.front());
    stream.blocks_.pop_front();
  }
  read_lock(const read_lock&) = delete;
  read_lock& operator=(const read_lock&) = delete;

  operator B_&() { return block_->data; }

 private:
  std::unique_ptr<typename Stream::Block> block_;
};

}  // namespace hls
