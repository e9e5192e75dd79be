// Where the bits of an arbitrary precision number live: the smallest machine word that holds them, or limbs.
//
// Up to 64 bits a native integer, up to 128 the compiler's, beyond an array of 64-bit limbs in two's complement. Sizes and alignments
// are powers of two, as those of AMD's numbers: structures of them lie in memory alike.
// A stored value is always extended (by sign or zero) over its whole storage, so that reading costs nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "aieloom/traits.h"

namespace aieloom::ap {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

/// Zeros above the highest one of a number that is not 0; 64 of 0.
constexpr int leading_zeros(std::uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }

/// N limbs in two's complement; S says how it extends, shifts right and compares.
template <int N_, bool S_>
struct alignas(8 * N_) Wide {
  std::uint64_t limb[N_] = {};

  [[nodiscard]] constexpr bool negative() const { return S_ && static_cast<std::int64_t>(limb[N_ - 1]) < 0; }
  [[nodiscard]] constexpr std::uint64_t fill() const { return negative() ? ~std::uint64_t{0} : 0; }

  friend constexpr Wide operator+(const Wide& a, const Wide& b) {
    Wide r;
    std::uint64_t carry = 0;
    for (int i = 0; i < N_; ++i) {
      const Uint128 sum = Uint128{a.limb[i]} + b.limb[i] + carry;
      r.limb[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    return r;
  }
  friend constexpr Wide operator~(const Wide& a) {
    Wide r;
    for (int i = 0; i < N_; ++i) {
      r.limb[i] = ~a.limb[i];
    }
    return r;
  }
  friend constexpr Wide operator-(const Wide& a) {
    Wide one;
    one.limb[0] = 1;
    return ~a + one;
  }
  friend constexpr Wide operator-(const Wide& a, const Wide& b) {
    Wide r;
    std::uint64_t borrow = 0;
    for (int i = 0; i < N_; ++i) {
      const Uint128 difference = Uint128{a.limb[i]} - b.limb[i] - borrow;
      r.limb[i] = static_cast<std::uint64_t>(difference);
      borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    }
    return r;
  }
  friend constexpr Wide operator*(const Wide& a, const Wide& b) {
    Wide r;
    for (int i = 0; i < N_; ++i) {
      std::uint64_t carry = 0;
      for (int j = 0; i + j < N_; ++j) {
        const Uint128 sum = Uint128{a.limb[i]} * b.limb[j] + r.limb[i + j] + carry;
        r.limb[i + j] = static_cast<std::uint64_t>(sum);
        carry = static_cast<std::uint64_t>(sum >> 64);
      }
    }
    return r;
  }
  friend constexpr Wide operator&(const Wide& a, const Wide& b) {
    Wide r;
    for (int i = 0; i < N_; ++i) {
      r.limb[i] = a.limb[i] & b.limb[i];
    }
    return r;
  }
  friend constexpr Wide operator|(const Wide& a, const Wide& b) {
    Wide r;
    for (int i = 0; i < N_; ++i) {
      r.limb[i] = a.limb[i] | b.limb[i];
    }
    return r;
  }
  friend constexpr Wide operator^(const Wide& a, const Wide& b) {
    Wide r;
    for (int i = 0; i < N_; ++i) {
      r.limb[i] = a.limb[i] ^ b.limb[i];
    }
    return r;
  }
  friend constexpr Wide operator<<(const Wide& a, int n) {
    Wide r;
    const int whole = n / 64;
    const int part = n % 64;
    for (int i = N_ - 1; i >= whole; --i) {
      r.limb[i] = a.limb[i - whole] << part;
      if (part != 0 && i > whole) {
        r.limb[i] |= a.limb[i - whole - 1] >> (64 - part);
      }
    }
    return r;
  }
  friend constexpr Wide operator>>(const Wide& a, int n) {
    Wide r;
    const int whole = n / 64;
    const int part = n % 64;
    for (int i = 0; i < N_; ++i) {
      const std::uint64_t low = i + whole < N_ ? a.limb[i + whole] : a.fill();
      const std::uint64_t high = i + whole + 1 < N_ ? a.limb[i + whole + 1] : a.fill();
      r.limb[i] = part == 0 ? low : (low >> part) | (high << (64 - part));
    }
    return r;
  }
  friend constexpr bool operator==(const Wide& a, const Wide& b) {
    for (int i = 0; i < N_; ++i) {
      if (a.limb[i] != b.limb[i]) {
        return false;
      }
    }
    return true;
  }
  friend constexpr bool operator<(const Wide& a, const Wide& b) {
    if (a.negative() != b.negative()) {
      return a.negative();
    }
    for (int i = N_ - 1; i > 0; --i) {
      if (a.limb[i] != b.limb[i]) {
        return a.limb[i] < b.limb[i];
      }
    }
    return a.limb[0] < b.limb[0];
  }

  /// Divide a magnitude by one limb; returns the remainder.
  constexpr std::uint64_t shorten(std::uint64_t divisor) {
    Uint128 rest = 0;
    for (int i = N_ - 1; i >= 0; --i) {
      rest = (rest << 64) | limb[i];
      limb[i] = static_cast<std::uint64_t>(rest / divisor);
      rest %= divisor;
    }
    return static_cast<std::uint64_t>(rest);
  }

  /// Quotient of magnitudes; `rest` receives the remainder. One limb at a time where the divisor has one, else by bits.
  static constexpr Wide divide(const Wide& a, const Wide& b, Wide& rest) {
    rest = Wide{};
    Wide one_limb;
    one_limb.limb[0] = b.limb[0];
    if (b == one_limb) {
      Wide quotient = a;
      rest.limb[0] = quotient.shorten(b.limb[0]);
      return quotient;
    }
    Wide quotient;
    for (int i = N_ * 64 - 1; i >= 0; --i) {
      rest = rest << 1;
      rest.limb[0] |= (a.limb[i / 64] >> (i % 64)) & 1;
      if (!below(rest, b)) {
        rest = rest - b;
        quotient.limb[i / 64] |= std::uint64_t{1} << (i % 64);
      }
    }
    return quotient;
  }
  friend constexpr Wide operator/(const Wide& a, const Wide& b) {
    Wide rest;
    const Wide quotient = divide(a.negative() ? -a : a, b.negative() ? -b : b, rest);
    return a.negative() != b.negative() ? -quotient : quotient;
  }
  friend constexpr Wide operator%(const Wide& a, const Wide& b) {
    Wide rest;
    divide(a.negative() ? -a : a, b.negative() ? -b : b, rest);
    return a.negative() ? -rest : rest;
  }

 private:
  static constexpr bool below(const Wide& a, const Wide& b) {
    for (int i = N_ - 1; i >= 0; --i) {
      if (a.limb[i] != b.limb[i]) {
        return a.limb[i] < b.limb[i];
      }
    }
    return false;
  }
};

template <typename T_>
inline constexpr bool kIsWide = false;
template <int N_, bool S_>
inline constexpr bool kIsWide<Wide<N_, S_>> = true;

/// The next power of two from a count of limbs on.
constexpr int power_of_two(int limbs) {
  int power = 1;
  while (power < limbs) {
    power *= 2;
  }
  return power;
}

template <int W_, bool S_>
constexpr auto storage_of() {
  if constexpr (W_ <= 8) {
    return std::conditional_t<S_, std::int8_t, std::uint8_t>{};
  } else if constexpr (W_ <= 16) {
    return std::conditional_t<S_, std::int16_t, std::uint16_t>{};
  } else if constexpr (W_ <= 32) {
    return std::conditional_t<S_, std::int32_t, std::uint32_t>{};
  } else if constexpr (W_ <= 64) {
    return std::conditional_t<S_, std::int64_t, std::uint64_t>{};
  } else if constexpr (W_ <= 128) {
    return std::conditional_t<S_, Int128, Uint128>{};
  } else {
    return Wide<power_of_two((W_ + 63) / 64), S_>{};
  }
}

/// What holds W bits.
template <int W_, bool S_>
using Store = decltype(storage_of<W_, S_>());

/// What W bits are computed in, modulo its own size: unsigned, and no smaller than int so that nothing is promoted.
template <int W_>
using Bits = Store<(W_ < 32 ? 32 : W_), false>;

/// The signed companion of Bits, for division, comparison and shifts.
template <int W_>
using SignedBits = Store<(W_ < 32 ? 32 : W_), true>;

template <typename T_>
constexpr bool is_negative(const T_& value) {
  if constexpr (kIsWide<T_>) {
    return value.negative();
  } else if constexpr (static_cast<T_>(-1) > T_{}) {
    return false;
  } else {
    return value < 0;
  }
}

/// Change of storage, modulo the target's size; extends as the source's signedness says.
template <typename To, typename From>
constexpr To convert(const From& from) {
  if constexpr (std::is_same<To, From>::value) {
    return from;
  } else if constexpr (!kIsWide<To> && !kIsWide<From>) {
    return static_cast<To>(from);
  } else if constexpr (!kIsWide<To>) {
    return static_cast<To>((Uint128{from.limb[1]} << 64) | from.limb[0]);
  } else {
    To to;
    constexpr int kLimbs = static_cast<int>(sizeof(To) / 8);
    if constexpr (kIsWide<From>) {
      constexpr int kGiven = static_cast<int>(sizeof(From) / 8);
      for (int i = 0; i < kLimbs; ++i) {
        to.limb[i] = i < kGiven ? from.limb[i] : from.fill();
      }
    } else {
      const auto both = static_cast<Uint128>(from);
      to.limb[0] = static_cast<std::uint64_t>(both);
      to.limb[1] = static_cast<std::uint64_t>(both >> 64);
      for (int i = 2; i < kLimbs; ++i) {
        to.limb[i] = is_negative(from) ? ~std::uint64_t{0} : 0;
      }
    }
    return to;
  }
}

/// The low W bits of `bits`, extended over the storage.
template <int W_, bool S_, typename From>
constexpr Store<W_, S_> fit(const From& bits) {
  using To = Store<W_, S_>;
  constexpr int kUnused = static_cast<int>(sizeof(To) * 8) - W_;
  To to = convert<To>(bits);
  if constexpr (kIsWide<To>) {
    constexpr int kTop = (W_ - 1) / 64;  // the limb with the highest bit
    constexpr int kCut = 64 * (kTop + 1) - W_;
    std::uint64_t& top = to.limb[kTop];
    top = S_ ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top << kCut) >> kCut) : (top << kCut) >> kCut;
    for (int i = kTop + 1; i < static_cast<int>(sizeof(To) / 8); ++i) {
      to.limb[i] = S_ && static_cast<std::int64_t>(top) < 0 ? ~std::uint64_t{0} : 0;
    }
    return to;
  } else if constexpr (kUnused == 0) {
    return to;
  } else if constexpr (S_) {
    return static_cast<To>(static_cast<To>(convert<Bits<W_>>(to) << kUnused) >> kUnused);
  } else {
    return static_cast<To>(to & static_cast<To>(static_cast<To>(~To{0}) >> kUnused));
  }
}

/// `count` ones, 0 <= count <= the size of T.
template <typename T_>
constexpr T_ ones(int count) {
  constexpr int kSize = static_cast<int>(sizeof(T_) * 8);
  if (count <= 0) {
    return T_{};
  }
  if constexpr (kIsWide<T_>) {
    T_ all = ~T_{};
    for (int i = 0; i < kSize / 64; ++i) {
      const int here = count - 64 * i;
      all.limb[i] = here >= 64 ? ~std::uint64_t{0} : here <= 0 ? 0 : (std::uint64_t{1} << here) - 1;
    }
    return all;
  } else {
    return static_cast<T_>(static_cast<T_>(~T_{0}) >> (kSize - count));
  }
}

/// How many bits the magnitude of a value that is not negative takes.
template <typename T_>
constexpr int bit_length(const T_& value) {
  if constexpr (kIsWide<T_>) {
    for (int i = static_cast<int>(sizeof(T_) / 8) - 1; i >= 0; --i) {
      if (value.limb[i] != 0) {
        return 64 * i + 64 - leading_zeros(value.limb[i]);
      }
    }
    return 0;
  } else if constexpr (sizeof(T_) == 16) {
    const auto high = static_cast<std::uint64_t>(static_cast<Uint128>(value) >> 64);
    return high != 0 ? 128 - leading_zeros(high) : 64 - leading_zeros(static_cast<std::uint64_t>(value));
  } else {
    return 64 - leading_zeros(static_cast<std::uint64_t>(value));
  }
}

}  // namespace aieloom::ap
