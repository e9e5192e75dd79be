// Lookup tables: aie::lut, parallel_lookup, linear_approx [aie_api reference, Lookup Tables; UG1603]. AIE-ML only.
#pragma once

#include "aie_api/detail/convert.h"
#include "aie_api/detail/memory.h"

namespace aie {

/// What an index outside the table does: the nearest entry, or its low bits alone.
enum class lut_oor_policy { saturate, truncate };

/// A table in memory. For 2 and 4 parallel accesses each 128 bits of it stand twice, one after the other; for 4 there
/// is a second such array, in another bank. Lane i reads copy i modulo the number of accesses, as the hardware does:
/// a table whose copies differ gives different numbers here too.
template <unsigned ParallelAccesses, typename OffsetType, typename SlopeType = OffsetType>
class lut {
  static_assert(!detail::kFirstFor<OffsetType>,
                "aie::lut: AIE has no parallel table access; read the table element by element [aie-lookup]");
  static_assert(ParallelAccesses == 1 || ParallelAccesses == 2 || ParallelAccesses == 4,
                "aie::lut: 1, 2 or 4 parallel accesses [aie-lookup]");

 public:
  using offset_type = OffsetType;
  using slope_type = SlopeType;

  lut(unsigned LUT_elems, const void* LUT_a)
    requires(ParallelAccesses <= 2)
      : size_(LUT_elems), ab_(static_cast<const char*>(LUT_a)), cd_(ab_) {
    check();
  }
  lut(unsigned LUT_elems, const void* LUT_ab, const void* LUT_cd)
    requires(ParallelAccesses == 4)
      : size_(LUT_elems), ab_(static_cast<const char*>(LUT_ab)), cd_(static_cast<const char*>(LUT_cd)) {
    check();
  }

  [[nodiscard]] unsigned size() const { return size_; }

  /// `bytes` at byte `at` of the table as lane `lane` reads it.
  void read(unsigned lane, std::size_t at, std::size_t bytes, void* to) const {
    const unsigned copy = lane % ParallelAccesses;
    const char* base = copy < 2 ? ab_ : cd_;
    const std::size_t place = ParallelAccesses == 1 ? at : at / 16 * 32 + copy % 2 * 16 + at % 16;
    __builtin_memcpy(to, base + place, bytes);
  }

 private:
  void check() const {
    detail::check_alignment(ab_, 16, "aie::lut");
    detail::check_alignment(cd_, 16, "aie::lut");
  }
  unsigned size_;
  const char* ab_;
  const char* cd_;
};

namespace detail {

/// (x >> step_bits) + bias within a table of `size` entries.
template <lut_oor_policy Policy>
[[nodiscard]] inline unsigned table_index(std::int64_t x, bool is_signed, unsigned step_bits, int bias, unsigned size) {
  const std::int64_t at = (x >> step_bits) + bias;
  if constexpr (Policy == lut_oor_policy::saturate) {
    return static_cast<unsigned>(at < 0 ? 0 : at >= size ? size - 1 : at);
  } else {
    // low bits: unsigned inputs wrap in [0, size), signed ones in [-bias, size - bias) before the bias is added
    const std::int64_t n = size;
    const std::int64_t low = is_signed ? at : at - bias;
    const std::int64_t wrapped = ((low % n) + n) % n;
    return static_cast<unsigned>(is_signed ? wrapped : (wrapped + bias) % n);
  }
}

template <typename T>
[[nodiscard]] inline std::int64_t table_input(T x) {
  if constexpr (is_float<T>) {
    return static_cast<std::int64_t>(__builtin_floorf(static_cast<float>(x)));
  } else {
    return static_cast<std::int64_t>(plain(x));
  }
}

}  // namespace detail

/// Direct lookup of each lane.
template <typename T, typename MyLUT, lut_oor_policy Policy = lut_oor_policy::saturate>
class parallel_lookup {
  static_assert(detail::is_integer<T>, "aie::parallel_lookup: the index type is an integer [aie-lookup]");

 public:
  explicit parallel_lookup(const MyLUT& table, unsigned step_bits = 0, int bias = 0)
      : table_(table), step_bits_(step_bits), bias_(bias) {}

  template <typename U, unsigned N>
  [[nodiscard]] auto fetch(const vector<U, N>& v) const {
    static_assert(std::is_same_v<U, T>,
                  "aie::parallel_lookup::fetch: the vector's elements are not the index type [aie-lookup]");
    using V = typename MyLUT::offset_type;
    aieloom::count_load(N);
    vector<V, N> out;
    for (unsigned i = 0; i < N; ++i) {
      const unsigned at = detail::table_index<Policy>(detail::table_input(v.lanes_.get(i)),
                                                      detail::is_signed_element<T>, step_bits_, bias_, table_.size());
      V value;
      table_.read(i, std::size_t{at} * sizeof(V), sizeof(V), &value);
      out.lanes_.set(i, value);
    }
    return out;
  }

 private:
  MyLUT table_;
  unsigned step_bits_;
  int bias_;
};

/// slope * (x mod 2^step_bits) + (offset << shift_offset) with the pair of x's part of the range. The table holds
/// slope and offset in turn, each in the offset's width.
template <typename T, typename MyLUT>
class linear_approx {
  using Slope = typename MyLUT::slope_type;
  using Offset = typename MyLUT::offset_type;
#if __AIE_ARCH__ != 10
  static_assert(
      (detail::is_one_of<T, int8> && detail::is_one_of<Offset, int8> && detail::is_one_of<Slope, int8>) ||
          (detail::is_one_of<T, int16> && detail::is_one_of<Offset, int16, int32> && detail::is_one_of<Slope, int16>) ||
          (detail::is_one_of<T, int32> && detail::is_one_of<Offset, int32> && detail::is_one_of<Slope, int32>) ||
          (detail::is_bfloat16<T> && detail::is_one_of<Offset, float> && detail::is_bfloat16<Slope>),
      "aie::linear_approx: input, offset and slope int8 int8 int8, int16 int16 int16, int16 int32 int16, int32 int32 "
      "int32 or "
      "bfloat16 float bfloat16 [aie-lookup]");
#endif

 public:
  linear_approx(const MyLUT& table, unsigned step_bits, int bias = 0, int shift_offset = 0)
      : table_(table), step_bits_(step_bits), bias_(bias), shift_offset_(shift_offset) {}

  template <typename U, unsigned N>
  [[nodiscard]] auto compute(const vector<U, N>& v) const {
    static_assert(std::is_same_v<U, T>,
                  "aie::linear_approx::compute: the vector's elements are not the input type [aie-lookup]");
    using Tag = std::conditional_t<detail::is_float<T>, accfloat, std::conditional_t<sizeof(T) == 1, acc32, acc64>>;
    using L = detail::lane_type<Tag>;
    aieloom::count_load(N);
    accum<Tag, N> out;
    for (unsigned i = 0; i < N; ++i) {
      const T x = v.lanes_.get(i);
      const std::int64_t whole = detail::table_input(x);
      const unsigned at = detail::table_index<lut_oor_policy::saturate>(whole, true, step_bits_, bias_, table_.size());
      Slope slope;
      Offset offset;
      table_.read(i, std::size_t{at} * 2 * sizeof(Offset), sizeof(Slope), &slope);
      table_.read(i, std::size_t{at} * 2 * sizeof(Offset) + sizeof(Offset), sizeof(Offset), &offset);
      if constexpr (detail::is_float<T>) {
        // bfloat16: the remainder keeps its fraction
        const float step = static_cast<float>(std::int64_t{1} << step_bits_);
        const float rest = static_cast<float>(x) - __builtin_floorf(static_cast<float>(x) / step) * step;
        out.lanes_[i] = static_cast<float>(slope) * rest + static_cast<float>(offset);
      } else {
        const std::int64_t rest = whole & ((std::int64_t{1} << step_bits_) - 1);
        out.lanes_[i] = detail::lane_add(detail::lane_mul(static_cast<L>(slope), static_cast<L>(rest)),
                                         detail::scale_up(static_cast<L>(offset), shift_offset_));
      }
    }
    return out;
  }

 private:
  MyLUT table_;
  unsigned step_bits_;
  int bias_;
  int shift_offset_;
};

}  // namespace aie
