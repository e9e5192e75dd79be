// Sparse vectors of AIE-ML and the stream that reads them from memory [UG1583 Sparse Vector Types, Compressed Sparse Load
// Operations; UG1529 Sparse Vector Input Buffer Streams].
//
// Memory holds, for each 512 bits of the vector, a mask of 64 bits, then the bytes whose mask bit is set, lowest first,
// then up to three bytes that bring the next mask to a 32-bit boundary. Of four consecutive elements (of 8 bits, or 16;
// two of 4 bits count as one) at most two may be non-zero. (UG1603 of 2025.1 and later speaks of 256 bits and masks of
// 32 on AIE-ML; the two guides above, and UG1603 until 2024.2, of 512 and 64.)
#pragma once

#include <cstdint>

#include "aie_api/detail/memory.h"

namespace aie {

/// N elements of which at least half are zero: two of four. Elements of a matrix lie column by column.
template <typename T, unsigned N>
class sparse_vector {
  static_assert(!detail::kFirstFor<T>, "aie::sparse_vector: AIE has no sparse vectors [aie-sparse]");
  static_assert(N * detail::element_bits<T> % 1024 == 0 && N * detail::element_bits<T> <= 2048,
                "aie::sparse_vector: 1024 or 2048 bits, e.g. 128 int8 or 64 int16 [aie-sparse]");

 public:
  using value_type = T;
  static constexpr unsigned size() { return N; }

  sparse_vector() = default;
  explicit sparse_vector(const vector<T, N>& whole) : whole_(whole) {}

  /// All elements, zeros included.
  [[nodiscard]] const vector<T, N>& whole() const { return whole_; }

 private:
  vector<T, N> whole_;
};

/// Reads sparse vectors one after another.
template <typename T, unsigned N, aie_dm_resource Resource = aie_dm_resource::none>
class sparse_vector_input_buffer_stream {
  using Element = std::remove_const_t<T>;
  static constexpr unsigned kGroup = detail::element_bits<Element> == 16 ? 2 : 1;  // bytes of an element, 4 bits in pairs
  static constexpr unsigned kChunk = 64;                                          // bytes

  static_assert(!detail::kFirstFor<T>, "aie::sparse_vector_input_buffer_stream: AIE has no sparse vectors");

 public:
  using vector_type = sparse_vector<Element, N>;

  explicit sparse_vector_input_buffer_stream(const Element* p) : at_(reinterpret_cast<const unsigned char*>(p)) {
    detail::check_alignment(p, 4, "aie::sparse_vector_input_buffer_stream");
  }

  [[nodiscard]] vector_type pop() {
    constexpr unsigned kBytes = N * detail::element_bits<Element> / 8;
    alignas(64) unsigned char bytes[kBytes] = {};
    for (unsigned chunk = 0; chunk < kBytes; chunk += kChunk) {
      expand(bytes + chunk);
    }
    aieloom::count_load(kBytes / 2 * 8 / 256);
    return vector_type(detail::read_lanes<N, Element>(bytes));
  }
  sparse_vector_input_buffer_stream& operator>>(vector_type& v) {
    v = pop();
    return *this;
  }

 private:
  void expand(unsigned char* to) {
    std::uint64_t mask = 0;
    __builtin_memcpy(&mask, at_, sizeof mask);
    check_density(mask);
    const unsigned char* from = at_ + sizeof mask;
    for (unsigned i = 0; i < kChunk; ++i) {
      if ((mask >> i & 1U) != 0) {
        to[i] = *from++;
      }
    }
    at_ += (static_cast<unsigned>(from - at_) + 3U) / 4U * 4U;
  }

  static void check_density(std::uint64_t mask) {
    for (unsigned i = 0; i < kChunk; i += 4 * kGroup) {
      unsigned filled = 0;
      for (unsigned e = 0; e < 4; ++e) {
        filled += (mask >> (i + e * kGroup) & ((1U << kGroup) - 1)) != 0 ? 1U : 0U;
      }
      if (filled > 2) [[unlikely]] {
        aieloom::refuse("aie-sparse", "a sparse vector has more than two non-zero elements among four consecutive ones",
                        "make two of every four zero, and compress the data again");
      }
    }
  }

  const unsigned char* at_;
};

namespace detail {

template <typename X>
inline constexpr bool is_sparse = false;
template <typename T, unsigned N>
inline constexpr bool is_sparse<sparse_vector<T, N>> = true;

}  // namespace detail

}  // namespace aie
