// Parts of ap_int numbers as things to read and to assign: a bit, a range of bits, numbers side by side.
#pragma once

#include <concepts>
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
template <typename R_>
  requires kIsRef<R_>
constexpr auto as_value(const R_& ref) {
  return ref.get();
}
template <Builtin T_>
constexpr auto as_value(T_ value) {
  if constexpr (std::is_same_v<T_, bool>) {
    return ap_int_base<1, false>(value);
  } else {
    return ap_int_base<static_cast<int>(sizeof(T_) * 8), (static_cast<T_>(-1) < T_{})>(value);
  }
}

template <typename T_>
concept IntLike = kIsRef<std::remove_cvref_t<T_>> || requires(const T_& t) { []<int W_, bool S_>(const ap_int_base<W_, S_>&) {}(t); };

/// Two operands of which at least one is ours.
template <typename A_, typename B_>
concept Operands = (IntLike<A_> && (IntLike<B_> || Builtin<std::remove_cvref_t<B_>>)) || (Builtin<std::remove_cvref_t<A_>> && IntLike<B_>);

/// What all parts can do by reading their value.
template <typename Self>
struct PartBase {
  [[nodiscard]] constexpr int to_int() const { return self().get().to_int(); }
  [[nodiscard]] constexpr unsigned to_uint() const { return self().get().to_uint(); }
  [[nodiscard]] constexpr long to_long() const { return self().get().to_long(); }
  [[nodiscard]] constexpr unsigned long to_ulong() const { return self().get().to_ulong(); }
  [[nodiscard]] constexpr long long to_int64() const { return self().get().to_int64(); }
  [[nodiscard]] constexpr unsigned long long to_uint64() const { return self().get().to_uint64(); }
  [[nodiscard]] constexpr bool to_bool() const { return self().get().to_bool(); }
  [[nodiscard]] double to_double() const { return self().get().to_double(); }
  [[nodiscard]] std::string to_string(int radix = 16, bool is_signed = false) const { return self().get().to_string(radix, is_signed); }
  [[nodiscard]] constexpr bool or_reduce() const { return self().get().to_bool(); }
  [[nodiscard]] constexpr bool xor_reduce() const { return self().get().xor_reduce(); }
  [[nodiscard]] constexpr bool and_reduce() const {
    for (int i = 0; i < self().length(); ++i) {
      if (!self().get().test(i)) {
        return false;
      }
    }
    return true;
  }
  constexpr auto operator~() const { return ~self().get(); }
  constexpr auto operator-() const { return -self().get(); }
  constexpr bool operator!() const { return !self().get().to_bool(); }

 private:
  [[nodiscard]] constexpr const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace aieloom::ap

/// Bits high..low; with high < low they come in reverse order [UG1399 range selection].
template <int W_, bool S_, bool Constant>
class ap_range_ref : public aieloom::ap::PartBase<ap_range_ref<W_, S_, Constant>> {
  using Number = std::conditional_t<Constant, const ap_int_base<W_, S_>, ap_int_base<W_, S_>>;
  using Word = aieloom::ap::Bits<W_>;

 public:
  static constexpr int width = W_;

  constexpr ap_range_ref(Number& number, int high, int low) : number_(&number), high_(high), low_(low) {}
  constexpr ap_range_ref(const ap_range_ref&) = default;

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
    if constexpr (aieloom::ap::kIsWide<Word>) {
      if (length() <= 64) {
        return Result::from_raw(word() & aieloom::ap::ones<std::uint64_t>(length()));
      }
    }
    const Word all = aieloom::ap::convert<Word>(number_->raw());
    return Result::from_raw((all >> low_) & aieloom::ap::ones<Word>(length()));
  }

  constexpr operator unsigned long long() const { return get().to_uint64(); }

  template <typename T_>
    requires(!Constant && (aieloom::ap::IntLike<T_> || aieloom::ap::Builtin<T_>))
  constexpr ap_range_ref& operator=(const T_& value) {
    put(aieloom::ap::as_value(value).raw());
    return *this;
  }
  constexpr ap_range_ref& operator=(const ap_range_ref& other)
    requires(!Constant)
  {
    put(other.get().raw());
    return *this;
  }
  /// A float is converted to a whole number: its bits are not taken.
  template <std::floating_point T_>
    requires(!Constant)
  constexpr ap_range_ref& operator=(const T_& value) {
    return *this = static_cast<unsigned long long>(static_cast<long long>(value));
  }
  template <aieloom::ap::FixedLike F_>
    requires(!Constant)
  constexpr ap_range_ref& operator=(const F_& fixed) {
    return *this = ap_int_base<F_::width, false>::from_raw(fixed.raw());  // the bits, as they are
  }

  template <typename T_>
  constexpr ap_range_ref& operator+=(const T_& value) { return *this = get() + value; }
  template <typename T_>
  constexpr ap_range_ref& operator-=(const T_& value) { return *this = get() - value; }
  template <typename T_>
  constexpr ap_range_ref& operator&=(const T_& value) { return *this = get() & value; }
  template <typename T_>
  constexpr ap_range_ref& operator|=(const T_& value) { return *this = get() | value; }
  template <typename T_>
  constexpr ap_range_ref& operator^=(const T_& value) { return *this = get() ^ value; }

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

  template <typename T_>
  constexpr void put(const T_& value) {
    const Word bits = aieloom::ap::convert<Word>(value);
    if (high_ < low_) {
      const auto given = ap_int_base<W_, false>::from_raw(bits);
      for (int i = 0; i < length(); ++i) {
        number_->set_bit(low_ - i, given.test(i));
      }
      return;
    }
    const Word mask = aieloom::ap::ones<Word>(length());
    const Word kept = aieloom::ap::convert<Word>(number_->raw()) & ~(mask << low_);
    *number_ = ap_int_base<W_, S_>::from_raw(kept | ((bits & mask) << low_));
  }

  Number* number_;
  int high_;
  int low_;
};

/// One bit of a number.
template <int W_, bool S_>
class ap_bit_ref : public aieloom::ap::PartBase<ap_bit_ref<W_, S_>> {
 public:
  static constexpr int width = 1;

  constexpr ap_bit_ref(ap_int_base<W_, S_>& number, int index) : number_(&number), index_(index) {}
  constexpr ap_bit_ref(const ap_bit_ref&) = default;

  [[nodiscard]] constexpr ap_int_base<1, false> get() const { return number_->test(index_); }
  constexpr operator bool() const { return number_->test(index_); }
  constexpr bool operator~() const { return !number_->test(index_); }
  [[nodiscard]] static constexpr int length() { return 1; }

  template <typename T_>
    requires(aieloom::ap::IntLike<T_> || aieloom::ap::Builtin<T_>)
  constexpr ap_bit_ref& operator=(const T_& value) {
    number_->set_bit(index_, aieloom::ap::as_value(value).to_bool());
    return *this;
  }
  constexpr ap_bit_ref& operator=(const ap_bit_ref& other) { return *this = static_cast<bool>(other); }

 private:
  ap_int_base<W_, S_>* number_;
  int index_;
};

/// Two numbers side by side, the first on top: (a, b), a.concat(b) [UG1399 concatenation].
template <typename A_, typename B_>
class ap_concat_ref : public aieloom::ap::PartBase<ap_concat_ref<A_, B_>> {
  template <typename T_>
  static constexpr int kWidth = std::remove_cvref_t<T_>::width;

 public:
  static constexpr int width = kWidth<A_> + kWidth<B_>;

  constexpr ap_concat_ref(A_ first, B_ second) : first_(std::forward<A_>(first)), second_(std::forward<B_>(second)) {}
  constexpr ap_concat_ref(const ap_concat_ref&) = default;

  [[nodiscard]] constexpr int length() const { return first_.length() + second_.length(); }
  [[nodiscard]] constexpr ap_int_base<width, false> get() const {
    using Result = ap_int_base<width, false>;
    return Result::from_raw((part(first_) << second_.length()) | part(second_));
  }
  constexpr operator unsigned long long() const { return get().to_uint64(); }

  template <typename T_>
    requires(aieloom::ap::IntLike<T_> || aieloom::ap::Builtin<T_>)
  constexpr ap_concat_ref& operator=(const T_& value) {
    const ap_int_base<width, false> all = aieloom::ap::as_value(value);
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
template <typename T_>
constexpr decltype(auto) hold(T_&& operand) {
  using Plain = std::remove_cvref_t<T_>;
  if constexpr (kIsRef<Plain>) {
    return Plain(operand);
  } else if constexpr (Builtin<Plain>) {
    return as_value(operand);
  } else if constexpr (std::is_lvalue_reference_v<T_> && !std::is_const_v<std::remove_reference_t<T_>>) {
    return static_cast<ap_int_base<Plain::width, Plain::sign_flag>&>(operand);
  } else {
    return ap_int_base<Plain::width, Plain::sign_flag>(operand);
  }
}

}  // namespace aieloom::ap

template <typename A_, typename B_>
  requires aieloom::ap::Operands<A_, B_>
constexpr auto operator,(A_&& a, B_&& b) {
  using First = decltype(aieloom::ap::hold(std::forward<A_>(a)));
  using Second = decltype(aieloom::ap::hold(std::forward<B_>(b)));
  return ap_concat_ref<First, Second>(aieloom::ap::hold(std::forward<A_>(a)), aieloom::ap::hold(std::forward<B_>(b)));
}

template <typename R_>
  requires aieloom::ap::kIsRef<R_>
std::ostream& operator<<(std::ostream& out, const R_& ref) {
  return out << ref.get();
}
