// digest.h: SHA-256 of several parts [FIPS 180-4].
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace aieloom::host {

/// What was added so far.
class Digest {
 public:
  void add(const std::uint8_t* data, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      block_[filled_++] = data[i];
      if (filled_ == block_.size()) {
        take();
      }
    }
    bits_ += std::uint64_t{count} * 8;
  }

  std::array<std::uint8_t, 32> finish() {
    const std::uint64_t bits = bits_;
    const std::uint8_t one = 0x80;
    const std::uint8_t none = 0;
    add(&one, 1);
    while (filled_ != 56) {
      add(&none, 1);
    }
    for (int i = 7; i >= 0; --i) {
      const auto byte = static_cast<std::uint8_t>(bits >> (8 * i));
      add(&byte, 1);
    }
    std::array<std::uint8_t, 32> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    }
    return made;
  }

 private:
  static std::uint32_t turned(std::uint32_t x, int by) { return (x >> by) | (x << (32 - by)); }

  /// The first 32 bits of the fractional part of a root of the primes, square or cubic.
  static std::array<std::uint32_t, 64> roots(bool cubic) {
    std::array<std::uint32_t, 64> made{};
    std::size_t count = 0;
    for (int n = 2; count < made.size(); ++n) {
      bool prime = true;
      for (int d = 2; d * d <= n; ++d) {
        prime = prime && n % d != 0;
      }
      if (prime) {
        const long double root =
            cubic ? std::cbrt(static_cast<long double>(n)) : std::sqrt(static_cast<long double>(n));
        made[count++] = static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
      }
    }
    return made;
  }

  void take() {
    static const std::array<std::uint32_t, 64> constants = roots(true);
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
      w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 |
             std::uint32_t{block_[4 * i + 2]} << 8 | block_[4 * i + 3];
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const std::uint32_t b = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    std::array<std::uint32_t, 8> s = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t e = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25);
      const std::uint32_t first = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
      const std::uint32_t a = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22);
      const std::uint32_t second = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < s.size(); ++i) {
      state_[i] += s[i];
    }
    filled_ = 0;
  }

  static std::array<std::uint32_t, 8> start() {
    const std::array<std::uint32_t, 64> all = roots(false);
    std::array<std::uint32_t, 8> made{};
    std::copy_n(all.begin(), made.size(), made.begin());
    return made;
  }

  std::array<std::uint32_t, 8> state_ = start();
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t bits_ = 0;
};

}  // namespace aieloom::host
