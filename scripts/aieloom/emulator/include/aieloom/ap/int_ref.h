// Parts of ap_int numbers as things to read and to assign: a bit, a range of bits, numbers side by side.
#pragma once

#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "aieloom/ap/int_base.h"

namespace aieloom::ap {

template <int W_, bool S_>
constexpr const ap_int_base<W_, S_>& as_value(const ap_int_base<W_, S_>& value) {
  return value;
}
template <typename R_, If<kIsPart<R_> || kIsFixedPart<R_>> = 0>
constexpr auto as_value(const R_& ref) {
  return ap_int_base<R_::width, false>(ref.get());
}
template <typename C_, If<kIsWhole<C_>> = 0>
constexpr NumberOf<C_> as_value(C_ value) {
  return value;
}

/// What has the value of whole bits.
template <typename T_>
inline constexpr bool kHasBits = kIsInt<T_> || kIsPart<T_> || kIsFixedPart<T_> || kIsWhole<T_>;

/// What a range of bits does: bits high..low; with high < low they come in reverse order [UG1399 range selection].
template <typename Self_, int W_, bool S_, bool Constant_>
class Range {
  using Number = std::conditional_t<Constant_, const ap_int_base<W_, S_>, ap_int_base<W_, S_>>;
  using Word = Bits<W_>;

 public:
  inline static constexpr int width = W_;

  constexpr Range(Number& number, int high, int low) : number_(&number), high_(high), low_(low) {}
  constexpr Range(const Range&) = default;

  [[nodiscard]] constexpr int length() const { return high_ >= low_ ? high_ - low_ + 1 : low_ - high_ + 1; }

  /// The bits as a number without sign.
  [[nodiscard]] constexpr ap_int_base<W_, false> get() const {
    using Result = ap_int_base<W_, false>;
    if (high_ < low_) {
      Result turned;
      for (int i = 0; i < length(); ++i) {
        turned.set_bit(i, number_->test(low_ - i));
      }
      return turned;
    }
    if constexpr (kIsWide<Word>) {
      if (length() <= 64) {
        return Result::from_raw(word() & ones<std::uint64_t>(length()));
      }
    }
    const Word all = convert<Word>(number_->raw());
    return Result::from_raw((all >> low_) & ones<Word>(length()));
  }

  constexpr operator unsigned long long() const { return get().to_uint64(); }
  [[nodiscard]] constexpr int to_int() const { return get().to_int(); }
  [[nodiscard]] constexpr unsigned to_uint() const { return get().to_uint(); }
  [[nodiscard]] constexpr long to_long() const { return get().to_long(); }
  [[nodiscard]] constexpr unsigned long to_ulong() const { return get().to_ulong(); }
  [[nodiscard]] constexpr long long to_int64() const { return get().to_int64(); }
  [[nodiscard]] constexpr unsigned long long to_uint64() const { return get().to_uint64(); }
  [[nodiscard]] std::string to_string(signed char radix = 2) const { return get().to_string(radix); }
  [[nodiscard]] constexpr bool or_reduce() const { return get().to_bool(); }
  [[nodiscard]] constexpr bool xor_reduce() const { return get().xor_reduce(); }
  [[nodiscard]] constexpr bool and_reduce() const { return get().low() == ones<Word>(length()); }
  constexpr ap_int_base<W_, false> operator~() const { return ~get(); }

 protected:
  template <typename T_>
  constexpr Self_& put(const T_& value) {
    const Word bits = convert<Word>(value);
    if (high_ < low_) {
      const auto given = ap_int_base<W_, false>::from_raw(bits);
      for (int i = 0; i < length(); ++i) {
        number_->set_bit(low_ - i, given.test(i));
      }
    } else {
      const Word mask = ones<Word>(length());
      const Word kept = convert<Word>(number_->raw()) & ~(mask << low_);
      *number_ = ap_int_base<W_, S_>::from_raw(kept | ((bits & mask) << low_));
    }
    return static_cast<Self_&>(*this);
  }

  /// Of anything that has a whole value: a float is converted to a whole number, a fixed-point one gives its whole part.
  template <typename T_>
  constexpr Self_& assign(const T_& value) {
    if constexpr (kIsReal<T_> || kIsFixed<T_> || std::is_same<T_, half>::value || std::is_convertible<T_, const char*>::value) {
      return put(ap_int_base<W_, false>(value).raw());
    } else {
      return put(as_value(value).raw());
    }
  }

 private:
  /// 64 bits from low_ on, for wide numbers.
  [[nodiscard]] constexpr std::uint64_t word() const {
    const auto& limbs = number_->raw().limb;
    const int at = low_ / 64;
    const int part = low_ % 64;
    std::uint64_t bits = limbs[at] >> part;
    if (part != 0 && (at + 1) * 64 < W_) {
      bits |= limbs[at + 1] << (64 - part);
    }
    return bits;
  }

  Number* number_;
  int high_;
  int low_;
};

/// What can be assigned to bits.
template <typename T_>
inline constexpr bool kFillsBits =
    kHasBits<T_> || kIsReal<T_> || kIsFixed<T_> || std::is_same<T_, half>::value || std::is_convertible<T_, const char*>::value;

}  // namespace aieloom::ap

/// Bits high..low of a whole number.
template <int W_, bool S_, bool Constant_>
class ap_range_ref : public aieloom::ap::Range<ap_range_ref<W_, S_, Constant_>, W_, S_, Constant_> {
  using Base = aieloom::ap::Range<ap_range_ref<W_, S_, Constant_>, W_, S_, Constant_>;

 public:
  inline static constexpr bool sign_flag = S_;

  using Base::Base;
  constexpr ap_range_ref(const ap_range_ref&) = default;

  template <typename T_, aieloom::If<!Constant_ && aieloom::ap::kFillsBits<T_>> = 0>
  constexpr ap_range_ref& operator=(const T_& value) {
    return this->assign(value);
  }
  constexpr ap_range_ref& operator=(const ap_range_ref& other) {
    static_assert(!Constant_, "bits of a constant number are not assigned to");
    return this->put(other.get().raw());
  }

  constexpr ap_int_base<W_, false> operator+() const { return this->get(); }
  constexpr ap_int_base<W_, false> operator-() const { return -this->get(); }
  constexpr ap_int_base<W_, false> operator!() const { return !this->get(); }
};

/// One bit of a number.
template <int W_, bool S_>
class ap_bit_ref {
 public:
  inline static constexpr int width = 1;

  constexpr ap_bit_ref(ap_int_base<W_, S_>& number, int index) : number_(&number), index_(index) {}
  constexpr ap_bit_ref(const ap_bit_ref&) = default;

  [[nodiscard]] constexpr bool get() const { return number_->test(index_); }
  [[nodiscard]] constexpr bool to_bool() const { return get(); }
  [[nodiscard]] std::string to_string() const { return get() ? "1" : "0"; }
  constexpr operator bool() const { return get(); }
  constexpr bool operator~() const { return !get(); }
  [[nodiscard]] constexpr int length() const { return 1; }  // NOLINT(readability-convert-member-functions-to-static)

  template <typename T_, aieloom::If<aieloom::ap::kHasBits<T_> || aieloom::ap::kIsReal<T_> || std::is_same<T_, half>::value> = 0>
  constexpr ap_bit_ref& operator=(const T_& value) {
    if constexpr (aieloom::ap::kHasBits<T_>) {
      number_->set_bit(index_, aieloom::ap::as_value(value).to_bool());
    } else {
      number_->set_bit(index_, static_cast<bool>(value));
    }
    return *this;
  }
  constexpr ap_bit_ref& operator=(const ap_bit_ref& other) { return *this = other.get(); }

  template <typename T_>
  constexpr ap_bit_ref& operator&=(const T_& value) {
    return *this = get() && ap_int_base<1, false>(value).to_bool();
  }
  template <typename T_>
  constexpr ap_bit_ref& operator|=(const T_& value) {
    return *this = get() || ap_int_base<1, false>(value).to_bool();
  }
  template <typename T_>
  constexpr ap_bit_ref& operator^=(const T_& value) {
    return *this = get() != ap_int_base<1, false>(value).to_bool();
  }

 private:
  ap_int_base<W_, S_>* number_;
  int index_;
};

/// Two numbers side by side, the first on top: (a, b), a.concat(b) [UG1399 concatenation].
template <typename A_, typename B_>
class ap_concat_ref {
  template <typename T_>
  static constexpr int width_of() {
    return aieloom::Plain<T_>::width;
  }

 public:
  inline static constexpr int width = width_of<A_>() + width_of<B_>();

  constexpr ap_concat_ref(A_ first, B_ second) : first_(std::forward<A_>(first)), second_(std::forward<B_>(second)) {}
  constexpr ap_concat_ref(const ap_concat_ref&) = default;

  [[nodiscard]] constexpr int length() const { return first_.length() + second_.length(); }
  [[nodiscard]] constexpr ap_int_base<width, false> get() const {
    using Result = ap_int_base<width, false>;
    return Result::from_raw((part(first_) << second_.length()) | part(second_));
  }
  constexpr operator ap_int_base<width, false>() const { return get(); }
  constexpr operator unsigned long long() const { return get().to_uint64(); }

  template <typename T_, aieloom::If<aieloom::ap::kFillsBits<T_>> = 0>
  constexpr ap_concat_ref& operator=(const T_& value) {
    const ap_int_base<width, false> all(value);
    second_ = ap_int_base<width, false>::from_raw(all.low() & aieloom::ap::ones<aieloom::ap::Bits<width>>(second_.length()));
    first_ = ap_int_base<width, false>::from_raw(all.low() >> second_.length());
    return *this;
  }
  constexpr ap_concat_ref& operator=(const ap_concat_ref& other) { return *this = other.get(); }

 private:
  /// A part's bits without those of its sign's extension.
  template <typename T_>
  static constexpr aieloom::ap::Bits<width> part(const T_& from) {
    const auto& value = aieloom::ap::as_value(from);
    return aieloom::ap::convert<aieloom::ap::Bits<width>>(value.low());
  }

  A_ first_;
  B_ second_;
};

namespace aieloom::ap {

/// Numbers that have a name are referred to, everything else is kept by value.
template <typename T_, bool IsPart_ = kIsPart<Plain<T_>> || kIsFixedPart<Plain<T_>>>
struct Held {
  using type = Plain<T_>;
};
template <typename T_>
struct Held<T_, false> {
  using Value = ap_int_base<Plain<T_>::width, Plain<T_>::sign_flag>;
  using type = std::conditional_t<std::is_lvalue_reference<T_>::value && !std::is_const<std::remove_reference_t<T_>>::value, Value&, Value>;
};

template <typename T_>
inline constexpr bool kStandsBeside = kIsInt<T_> || kIsPart<Plain<T_>>;

}  // namespace aieloom::ap

template <typename A_, typename B_,
          aieloom::If<aieloom::ap::kStandsBeside<A_> && (aieloom::ap::kStandsBeside<B_> || aieloom::ap::kIsFixedPart<aieloom::Plain<B_>>)> = 0>
constexpr auto operator,(A_&& a, B_&& b) {
  return ap_concat_ref<typename aieloom::ap::Held<A_>::type, typename aieloom::ap::Held<B_>::type>(a, b);
}

// With a C++ number the bits are a number by themselves.
template <typename A_, typename C_, aieloom::If<aieloom::ap::kStandsBeside<A_> && aieloom::ap::kIsWhole<C_>> = 0>
constexpr auto operator,(const A_& a, C_ b) {
  constexpr int kWidth = aieloom::ap::NumberOf<C_>::width;
  using Word = aieloom::ap::Bits<A_::width + kWidth>;
  const Word left = aieloom::ap::convert<Word>(aieloom::ap::as_value(a).low());
  return ap_int_base<A_::width + kWidth, false>::from_raw((left << kWidth) | aieloom::ap::convert<Word>(aieloom::ap::as_value(b).low()));
}
template <typename C_, typename B_, aieloom::If<aieloom::ap::kIsWhole<C_> && aieloom::ap::kStandsBeside<B_>> = 0>
constexpr auto operator,(C_ a, const B_& b) {
  constexpr int kWidth = aieloom::ap::NumberOf<C_>::width;
  using Word = aieloom::ap::Bits<B_::width + kWidth>;
  const Word left = aieloom::ap::convert<Word>(aieloom::ap::as_value(a).low());
  return ap_int_base<B_::width + kWidth, false>::from_raw((left << b.length()) | aieloom::ap::convert<Word>(aieloom::ap::as_value(b).low()));
}

template <typename R_, aieloom::If<aieloom::ap::kIsPart<R_> || aieloom::ap::kIsFixedPart<R_>> = 0>
std::ostream& operator<<(std::ostream& out, const R_& ref) {
  return out << ap_int_base<R_::width, false>(ref.get());
}
