// What ties a PL kernel's stream argument to the outside: how its word type travels as bytes, and the link.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "aieloom/byte_stream.h"
#include "aieloom/report.h"
#include "aieloom/traits.h"

namespace aieloom {

/// Types with the side channels of AXI4-Stream: ap_axiu, ap_axis, qdma_axis, hls::axis.
template <typename T_, typename = void>
inline constexpr bool kHasSideChannels = false;
template <typename T_>
inline constexpr bool kHasSideChannels<T_, Void<decltype(T_::data), decltype(T_::last)>> = !std::is_empty<decltype(T_::data)>::value;

/// ap_int, ap_uint and whatever else names its width in bits.
template <typename T_, typename = void>
inline constexpr bool kHasWidth = false;
template <typename T_>
inline constexpr bool kHasWidth<T_, Void<std::enable_if_t<std::is_convertible<decltype(T_::width), int>::value>>> = true;

/// What can put its value right after foreign bytes came into it.
template <typename T_, typename = void>
inline constexpr bool kNormalises = false;
template <typename T_>
inline constexpr bool kNormalises<T_, Void<decltype(std::declval<T_&>().aieloom_normalise())>> = true;

/// A side channel that a word has: an absent one takes no value.
template <typename Channel_>
inline constexpr bool kIsThere = std::is_assignable<Channel_&, int>::value;

template <typename T_>
constexpr std::size_t payload_bits() {
  if constexpr (kHasSideChannels<T_>) {
    return payload_bits<Plain<decltype(T_::data)>>();
  } else if constexpr (kHasWidth<T_>) {
    return static_cast<std::size_t>(T_::width);
  } else {
    return sizeof(T_) * 8;
  }
}

/// Width of T's data on the wire, in bits; AXI4-Stream carries whole bytes.
template <typename T_>
inline constexpr std::size_t kStreamBits = (payload_bits<T_>() + 7) / 8 * 8;

/// Which way data goes through a kernel's stream argument; system.cfg decides, the first use is checked.
enum class Flow { kNone, kIn, kOut };

/// The running compute unit's call has started tasks (hls::task): it is not called again.
[[nodiscard]] std::size_t& tasks_started();

/// Words that kernels have sent and taken: a sign of progress too.
inline std::size_t words_moved = 0;

/// How often anybody has polled with success, or the host has done something: the sign that waiting may help.
[[nodiscard]] std::size_t& poll_progress();

/// Let those who have polled in vain for long look again: the host goes on after a wait with a time limit.
void wake_pollers();

/// The untyped part of hls::stream that the linker sees.
class StreamPort {
 public:
  /// Make this port the writer of `stream`, or its reader number `reader`.
  void link_output(ByteStream& stream) { link(stream, Flow::kOut, 0); }
  void link_input(ByteStream& stream, int reader) { link(stream, Flow::kIn, reader); }
  [[nodiscard]] bool linked() const noexcept { return stream_ != nullptr; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  [[nodiscard]] bool is_input() const noexcept { return flow_ == Flow::kIn; }
  /// Keep the words that pass, each as the wire's bytes and one for TLAST; nullptr: no longer.
  void keep_in(std::vector<char>* words) noexcept { kept_ = words; }

 protected:
  /// A kernel found no data, or no room, without waiting for it. The others run on; one that only polls sleeps
  /// until everything else has come to rest, and for good when that has not helped for long (src/pl_stream.cpp).
  void polled_in_vain() const;
  void polled_with_success() const {
    vain_polls_ = 0;
    ++poll_progress();
  }

  void check(Flow flow, const char* action) const {
    if (flow_ != flow) {
      refuse("stream-direction", "'" + name_ + "' is connected as an " + (flow == Flow::kIn ? "output" : "input") +
                                     ", but the kernel " + action + " it",
             "swap the two ends of its stream_connect in system.cfg");
    }
  }

  template <typename T_>
  void send(const T_& word) {
    constexpr std::size_t bytes = kStreamBits<T_> / 8;
    ++words_moved;
    if (flow_ != Flow::kOut) {
      check(Flow::kOut, "writes to");
    }
    if constexpr (kHasSideChannels<T_>) {
      bool last = false;
      if constexpr (kIsThere<decltype(word.last)>) {
        last = static_cast<bool>(word.last);
      }
      keep(&word.data, bytes, last);
      stream_->write(&word.data, bytes, last);
    } else {
      keep(&word, bytes, false);
      stream_->write(&word, bytes);
    }
  }

  template <typename T_>
  T_ receive() {
    static_assert(std::is_trivially_copyable<T_>::value, "a stream word must be plain data");
    constexpr std::size_t bytes = kStreamBits<T_> / 8;
    if (flow_ != Flow::kIn) {
      check(Flow::kIn, "reads from");
    }
    T_ word{};
    if constexpr (kHasSideChannels<T_>) {
      stream_->read(reader_, &word.data, bytes);
      normalise(word.data);
      const bool last = stream_->took_last(reader_);
      if constexpr (kIsThere<decltype(word.last)>) {
        word.last = last;
      }
      if constexpr (kIsThere<decltype(word.keep)>) {
        word.keep = -1;
      }
      keep(&word.data, bytes, last);
    } else {
      stream_->read(reader_, &word, bytes);
      normalise(word);
      keep(&word, bytes, false);
    }
    return word;
  }

  /// Numbers of odd widths keep their sign in the rest of their storage, which the wire does not carry.
  template <typename T_>
  static void normalise(T_& value) {
    if constexpr (kNormalises<T_>) {
      value.aieloom_normalise();
    }
  }

  ByteStream* stream_ = nullptr;
  int reader_ = 0;
  std::string name_ = "hls::stream";

 private:
  void keep(const void* word, std::size_t bytes, bool last) {
    if (__builtin_expect(kept_ != nullptr ? 1 : 0, 0) != 0) {
      keep_word(word, bytes, last);
    }
  }

  // Not where it is called: hardly any run keeps words, and every kernel's loops have the call.
  [[gnu::noinline, gnu::cold]] void keep_word(const void* word, std::size_t bytes, bool last) {
    const char* begin = static_cast<const char*>(word);
    kept_->insert(kept_->end(), begin, begin + bytes);
    kept_->push_back(last ? 1 : 0);
  }

  void link(ByteStream& stream, Flow flow, int reader) {
    stream_ = &stream;
    flow_ = flow;
    reader_ = reader;
  }

  Flow flow_ = Flow::kNone;
  std::vector<char>* kept_ = nullptr;
  mutable std::size_t vain_polls_ = 0;
  mutable std::size_t rests_ = 0;          // how often everything has come to rest since the last progress
  mutable std::size_t progress_seen_ = 0;  // of the whole system
};

}  // namespace aieloom
