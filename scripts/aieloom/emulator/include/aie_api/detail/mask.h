// aie::mask: one bit for each lane [aie_api reference, Masks].
#pragma once

#include <array>
#include <concepts>

#include "aie_api/detail/vector.h"

namespace aie {

/// N bits, e.g. the result of a comparison. Bit i belongs to lane i.
template <unsigned N>
class mask {
  static_assert(detail::is_power_of_two(N) && N >= 2,
                "aie::mask: the number of bits must be a power of two, as vectors have");

 public:
  static constexpr unsigned size() { return N; }

  /// No bit is set.
  constexpr mask() = default;
  /// All bits, or none.
  constexpr explicit mask(bool on) {
    for (auto& word : words_) {
      word = on ? kLast : 0;
    }
  }
  /// Bits 0..31 (0..63) and on from words, lowest first.
  template <std::same_as<std::uint32_t> First, typename... Words>
  constexpr explicit mask(First first, Words... others) : mask(from_uint32(first, others...)) {}
  template <typename First, typename... Words>
    requires(std::unsigned_integral<First> && sizeof(First) == 8)
  constexpr explicit mask(First first, Words... others) : mask(from_uint64(first, others...)) {}

  /// Bits 0..31 and on from words, lowest first.
  template <typename... Words>
  static constexpr mask from_uint32(std::uint32_t first, Words... others) {
    static_assert(sizeof...(Words) < (N + 31) / 32, "aie::mask::from_uint32: more words than the mask has");
    const std::uint32_t words[] = {first, static_cast<std::uint32_t>(others)...};
    mask m;
    for (unsigned i = 0; i < N && i / 32 < sizeof...(Words) + 1; ++i) {
      m.put(i, (words[i / 32] >> (i % 32) & 1U) != 0);
    }
    return m;
  }
  template <typename... Words>
  static constexpr mask from_uint64(std::uint64_t first, Words... others) {
    const std::uint64_t words[] = {first, static_cast<std::uint64_t>(others)...};
    mask m;
    for (unsigned i = 0; i < N && i / 64 < sizeof...(Words) + 1; ++i) {
      m.put(i, (words[i / 64] >> (i % 64) & 1U) != 0);
    }
    return m;
  }

  [[nodiscard]] bool test(unsigned i) const { return get(i); }
  [[nodiscard]] bool get(unsigned i) const {
    detail::check_index(i, N, "aie::mask::get");
    return bit(i);
  }
  void set(unsigned i) {
    detail::check_index(i, N, "aie::mask::set");
    put(i, true);
  }
  void clear(unsigned i) {
    detail::check_index(i, N, "aie::mask::clear");
    put(i, false);
  }

  /// How many bits are set.
  [[nodiscard]] unsigned count() const {
    unsigned n = 0;
    for (const auto word : words_) {
      n += static_cast<unsigned>(__builtin_popcountll(word));
    }
    return n;
  }
  [[nodiscard]] bool empty() const { return count() == 0; }
  [[nodiscard]] bool full() const { return count() == N; }

  /// Zeros above the highest bit that is set; N when none is.
  [[nodiscard]] unsigned clz() const {
    for (unsigned i = N; i > 0; --i) {
      if (bit(i - 1)) {
        return N - i;
      }
    }
    return N;
  }

  [[nodiscard]] std::uint32_t to_uint32(unsigned i = 0) const {
    return static_cast<std::uint32_t>(words_[i / 2] >> (i % 2 * 32));
  }
  [[nodiscard]] std::uint64_t to_uint64(unsigned i) const
    requires(N >= 64)
  {
    return words_[i];
  }
  [[nodiscard]] std::uint64_t to_uint64() const
    requires(N == 64)
  {
    return words_[0];
  }

  /// The bits in words of 32.
  [[nodiscard]] auto data() const {
    std::array<unsigned, (N + 31) / 32> words;
    for (unsigned i = 0; i < words.size(); ++i) {
      words[i] = to_uint32(i);
    }
    return words;
  }
  template <unsigned M>
  [[nodiscard]] mask<M> get_submask(unsigned part) const {
    return extract<M>(part);
  }
  template <unsigned M>
  [[nodiscard]] mask<M> extract(unsigned part) const {
    static_assert(M <= N, "aie::mask::extract: the part is larger than the mask");
    detail::check_index(part, N / M, "aie::mask::extract");
    mask<M> out;
    for (unsigned i = 0; i < M; ++i) {
      out.put(i, bit(part * M + i));
    }
    return out;
  }
  template <unsigned M>
  mask& insert(unsigned part, const mask<M>& bits) {
    detail::check_index(part, N / M, "aie::mask::insert");
    for (unsigned i = 0; i < M; ++i) {
      put(part * M + i, bits.bit(i));
    }
    return *this;
  }

  friend mask operator&(mask a, const mask& b) { return a &= b; }
  friend mask operator|(mask a, const mask& b) { return a |= b; }
  mask& operator&=(const mask& b) {
    for (unsigned i = 0; i < kWords; ++i) {
      words_[i] &= b.words_[i];
    }
    return *this;
  }
  mask& operator|=(const mask& b) {
    for (unsigned i = 0; i < kWords; ++i) {
      words_[i] |= b.words_[i];
    }
    return *this;
  }
  mask operator~() const {
    mask out;
    for (unsigned i = 0; i < kWords; ++i) {
      out.words_[i] = ~words_[i] & kLast;
    }
    return out;
  }
  /// Towards higher lanes.
  mask operator<<(unsigned n) const {
    mask out;
    for (unsigned i = n; i < N; ++i) {
      out.put(i, bit(i - n));
    }
    return out;
  }
  mask operator>>(unsigned n) const {
    mask out;
    for (unsigned i = 0; i + n < N; ++i) {
      out.put(i, bit(i + n));
    }
    return out;
  }
  friend bool operator==(const mask& a, const mask& b) {
    for (unsigned i = 0; i < kWords; ++i) {
      if (a.words_[i] != b.words_[i]) {
        return false;
      }
    }
    return true;
  }

  // The emulator's own: without the check of the index; 64 bits at once.
  void put_word(unsigned word, std::uint64_t bits) { words_[word] = bits; }
  [[nodiscard]] constexpr bool bit(unsigned i) const { return (words_[i / 64] >> (i % 64) & 1U) != 0; }
  constexpr void put(unsigned i, bool on) {
    const std::uint64_t one = std::uint64_t{1} << (i % 64);
    words_[i / 64] = on ? words_[i / 64] | one : words_[i / 64] & ~one;
  }

 private:
  static constexpr unsigned kWords = (N + 63) / 64;
  static constexpr std::uint64_t kLast = N >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << N) - 1;
  std::uint64_t words_[kWords] = {};
};

}  // namespace aie
