// Iterators over memory, by elements and by vectors, linear and circular; tensor buffer streams [aie_api reference,
// Memory].
#pragma once

#include <compare>
#include <array>  // with the categories of iterators; <iterator> brings streams along

#include "aie_api/detail/memory.h"

namespace aie {

namespace detail {

/// The first element of an array, or of a kernel's buffer argument.
template <typename P>
[[nodiscard]] constexpr P* start_of(P* p) {
  return p;
}
template <typename B>
  requires requires(B& b) { b.data(); }
[[nodiscard]] auto start_of(B& b) {
  return b.data();
}
template <typename S>
using start_t = std::remove_pointer_t<decltype(start_of(std::declval<S&>()))>;

/// A kernel's buffer goes round over its margin and its elements.
template <typename B>
concept KernelBuffer = requires(const std::remove_cvref_t<B>& b) { b.margin_size(); };
template <KernelBuffer B>
[[nodiscard]] unsigned round_of(const B& b) {
  return b.size() + b.margin_size();
}

template <unsigned N, typename P>
using vector_at = std::conditional_t<std::is_const_v<P>, const vector<pointee<P>, N>, vector<pointee<P>, N>>;

/// The vector that lies at p; p must be aligned for it.
template <unsigned N, typename P>
[[nodiscard]] inline auto& vector_ref(P* p, const char* what) {
  using V = vector_at<N, P>;
  check_alignment(p, alignof(V), what);
  aieloom::count_load(memory_words<N, pointee<P>>);
  return *reinterpret_cast<V*>(p);
}

}  // namespace detail

/// Forward and backward, vector by vector. `*it` is the vector in memory itself.
template <typename P, unsigned N>
class vector_iterator {
 public:
  using value_type = vector<detail::pointee<P>, N>;
  using reference = detail::vector_at<N, P>&;
  using pointer = detail::vector_at<N, P>*;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  vector_iterator() = default;
  explicit vector_iterator(P* p) : p_(p) {}

  [[nodiscard]] reference operator*() const { return detail::vector_ref<N>(p_, "aie::begin_vector"); }
  [[nodiscard]] pointer operator->() const { return &**this; }
  [[nodiscard]] reference operator[](std::ptrdiff_t i) const { return *(*this + i); }
  vector_iterator& operator+=(std::ptrdiff_t n) {
    p_ = detail::advance(p_, n * static_cast<std::ptrdiff_t>(N));
    return *this;
  }
  vector_iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
  vector_iterator& operator++() { return *this += 1; }
  vector_iterator& operator--() { return *this += -1; }
  vector_iterator operator++(int) {
    const vector_iterator before = *this;
    ++*this;
    return before;
  }
  vector_iterator operator--(int) {
    const vector_iterator before = *this;
    --*this;
    return before;
  }
  friend vector_iterator operator+(vector_iterator it, std::ptrdiff_t n) { return it += n; }
  friend vector_iterator operator+(std::ptrdiff_t n, vector_iterator it) { return it += n; }
  friend vector_iterator operator-(vector_iterator it, std::ptrdiff_t n) { return it -= n; }
  friend bool operator==(const vector_iterator& a, const vector_iterator& b) = default;
  // A pointer to the elements, as the end of a loop over an array [AMD's Vitis Vision, absdiff].
  friend bool operator==(const vector_iterator& a, const P* b) { return a.p_ == b; }

 private:
  P* p_ = nullptr;
};

/// Elements per round of a circular iterator: a constant, or given at run time when it is 0.
template <typename P, unsigned Step, unsigned Elems, bool Random>
class circular_iterator {
  static_assert(Elems % Step == 0, "circular iterators: the number of elements must be a multiple of the vector's");

 public:
  using difference_type = std::ptrdiff_t;
  circular_iterator() = default;
  explicit circular_iterator(P* base)
    requires(Elems != 0)
      : circular_iterator(base, Elems) {}
  circular_iterator(P* base, unsigned elems, unsigned at = 0) : base_(base), count_(elems / Step), at_(at % count_) {
    if (elems == 0 || elems % Step != 0) [[unlikely]] {
      aieloom::refuse("aie-iterator", "a circular iterator's number of elements must be a multiple of the vector's",
                      "give whole vectors");
    }
  }

  [[nodiscard]] auto& operator*() const { return at(at_); }
  circular_iterator& operator++() { return step(1); }
  circular_iterator operator++(int) {
    const circular_iterator before = *this;
    ++*this;
    return before;
  }
  circular_iterator& operator--()
    requires Random
  {
    return step(-1);
  }
  circular_iterator operator--(int)
    requires Random
  {
    const circular_iterator before = *this;
    --*this;
    return before;
  }
  circular_iterator& operator+=(std::ptrdiff_t n)
    requires Random
  {
    return step(n);
  }
  circular_iterator& operator-=(std::ptrdiff_t n)
    requires Random
  {
    return step(-n);
  }
  friend circular_iterator operator+(circular_iterator it, std::ptrdiff_t n)
    requires Random
  {
    return it.step(n);
  }
  friend circular_iterator operator-(circular_iterator it, std::ptrdiff_t n)
    requires Random
  {
    return it.step(-n);
  }
  [[nodiscard]] auto& operator[](std::ptrdiff_t n) const
    requires Random
  {
    circular_iterator other = *this;
    return *other.step(n);
  }
  friend bool operator==(const circular_iterator& a, const circular_iterator& b) {
    return a.base_ == b.base_ && a.at_ == b.at_;
  }

 private:
  circular_iterator& step(std::ptrdiff_t n) {
    const auto count = static_cast<std::ptrdiff_t>(count_);
    at_ = static_cast<unsigned>(((static_cast<std::ptrdiff_t>(at_) + n) % count + count) % count);
    return *this;
  }
  [[nodiscard]] auto& at(unsigned i) const {
    if constexpr (Step == 1) {
      return base_[i];
    } else {
      return detail::vector_ref<Step>(detail::advance(base_, static_cast<std::ptrdiff_t>(i * Step)),
                                      "aie::begin_vector_circular");
    }
  }
  P* base_ = nullptr;
  unsigned count_ = 1;
  unsigned at_ = 0;
};

/// The names of AMD's guide for what begin_random_circular, begin_vector_circular and begin_vector_random_circular give.
template <typename T, std::size_t Size>
using random_circular_iterator = circular_iterator<T, 1, Size, true>;
template <typename T, unsigned Elems, std::size_t Size>
using vector_circular_iterator = circular_iterator<T, Elems, Size, false>;
template <typename T, unsigned Elems, std::size_t Size>
using vector_random_circular_iterator = circular_iterator<T, Elems, Size, true>;

/// Forward, at any multiple of `aligned_elems` elements. `*it` reads, `*it = v` writes.
template <typename P, unsigned N>
class unaligned_vector_iterator {
 public:
  using V = vector<detail::pointee<P>, N>;

  /// What `*it` is where memory can be written.
  class Place {
   public:
    Place(P* p, unsigned aligned) : p_(p), aligned_(aligned) {}
    operator V() const { return load_unaligned_v<N>(p_, aligned_); }
    const Place& operator=(const V& v) const {
      store_unaligned_v(p_, v, aligned_);
      return *this;
    }

   private:
    P* p_;
    unsigned aligned_;
  };

  unaligned_vector_iterator(P* p, unsigned aligned_elems) : p_(p), aligned_(aligned_elems) {}
  [[nodiscard]] auto operator*() const {
    if constexpr (std::is_const_v<P>) {
      return load_unaligned_v<N>(p_, aligned_);
    } else {
      return Place(p_, aligned_);
    }
  }
  unaligned_vector_iterator& operator++() {
    p_ = detail::advance(p_, N);
    return *this;
  }
  unaligned_vector_iterator operator++(int) {
    const unaligned_vector_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const unaligned_vector_iterator& a, const unaligned_vector_iterator& b) {
    return a.p_ == b.p_;
  }

 private:
  P* p_;
  unsigned aligned_;
};

// Each function exists for arrays and for kernels' buffers, and with a `c` in front for reading only.
#define AIELOOM_ITERATORS(PREFIX, POINTER)                                                               \
  template <aie_dm_resource Resource = aie_dm_resource::none, typename S>                                \
  [[nodiscard]] inline auto PREFIX##begin(S&& s) {                                                       \
    return static_cast<POINTER*>(detail::start_of(s));                                                   \
  }                                                                                                      \
  template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename S>                    \
  [[nodiscard]] inline auto PREFIX##begin_vector(S&& s) {                                                \
    return vector_iterator<POINTER, N>(detail::start_of(s));                                             \
  }                                                                                                      \
  template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename S>                    \
  [[nodiscard]] inline auto PREFIX##begin_restrict_vector(S&& s) {                                       \
    return vector_iterator<POINTER, N>(detail::start_of(s));                                             \
  }                                                                                                      \
  template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename S>                    \
  [[nodiscard]] inline auto PREFIX##begin_unaligned_vector(S&& s, unsigned aligned_elems = 1) {          \
    return unaligned_vector_iterator<POINTER, N>(detail::start_of(s), aligned_elems);                    \
  }                                                                                                      \
  template <unsigned Elems, aie_dm_resource Resource = aie_dm_resource::none, typename S>                \
  [[nodiscard]] inline auto PREFIX##begin_circular(S&& s) {                                              \
    return circular_iterator<POINTER, 1, Elems, false>(detail::start_of(s), Elems);                      \
  }                                                                                                      \
  template <unsigned Elems, aie_dm_resource Resource = aie_dm_resource::none, typename S>                \
  [[nodiscard]] inline auto PREFIX##begin_random_circular(S&& s) {                                       \
    return circular_iterator<POINTER, 1, Elems, true>(detail::start_of(s), Elems);                       \
  }                                                                                                      \
  template <unsigned N, unsigned Elems, aie_dm_resource Resource = aie_dm_resource::none, typename S>    \
  [[nodiscard]] inline auto PREFIX##begin_vector_circular(S&& s) {                                       \
    return circular_iterator<POINTER, N, Elems, false>(detail::start_of(s), Elems);                      \
  }                                                                                                      \
  template <unsigned N, unsigned Elems, aie_dm_resource Resource = aie_dm_resource::none, typename S>    \
  [[nodiscard]] inline auto PREFIX##begin_vector_random_circular(S&& s) {                                \
    return circular_iterator<POINTER, N, Elems, true>(detail::start_of(s), Elems);                       \
  }                                                                                                      \
  template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename S>                    \
  [[nodiscard]] inline auto PREFIX##begin_vector_circular(S&& s, unsigned elems) {                       \
    return circular_iterator<POINTER, N, 0, false>(detail::start_of(s), elems);                          \
  }                                                                                                      \
  template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename S>                    \
  [[nodiscard]] inline auto PREFIX##begin_vector_random_circular(S&& s, unsigned elems) {                \
    return circular_iterator<POINTER, N, 0, true>(detail::start_of(s), elems);                           \
  }                                                                                                      \
  template <aie_dm_resource Resource = aie_dm_resource::none, detail::KernelBuffer S>                    \
  [[nodiscard]] inline auto PREFIX##begin_circular(S&& s) {                                              \
    return circular_iterator<POINTER, 1, 0, false>(detail::start_of(s), detail::round_of(s));            \
  }                                                                                                      \
  template <aie_dm_resource Resource = aie_dm_resource::none, detail::KernelBuffer S>                    \
  [[nodiscard]] inline auto PREFIX##begin_random_circular(S&& s) {                                       \
    return circular_iterator<POINTER, 1, 0, true>(detail::start_of(s), detail::round_of(s));             \
  }                                                                                                      \
  template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, detail::KernelBuffer S>        \
  [[nodiscard]] inline auto PREFIX##begin_vector_circular(S&& s) {                                       \
    return circular_iterator<POINTER, N, 0, false>(detail::start_of(s), detail::round_of(s));            \
  }                                                                                                      \
  template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, detail::KernelBuffer S>        \
  [[nodiscard]] inline auto PREFIX##begin_vector_random_circular(S&& s) {                                \
    return circular_iterator<POINTER, N, 0, true>(detail::start_of(s), detail::round_of(s));             \
  }
AIELOOM_ITERATORS(, detail::start_t<S>)
AIELOOM_ITERATORS(c, const detail::start_t<S>)
#undef AIELOOM_ITERATORS

/// Behind the last of n elements, or of an array; begin's counterpart.
template <aie_dm_resource Resource = aie_dm_resource::none, typename T>
[[nodiscard]] constexpr T* end(T* base, std::size_t n) {
  return base + n;
}
template <aie_dm_resource Resource = aie_dm_resource::none, typename T, unsigned Elems>
[[nodiscard]] constexpr T* end(T (&base)[Elems]) {
  return base + Elems;
}
template <aie_dm_resource Resource = aie_dm_resource::none, typename T>
[[nodiscard]] constexpr const T* cend(const T* base, std::size_t n) {
  return base + n;
}

// -- tensor buffer streams (AIE-ML) ------------------------------------------------------------------------------

/// `num` steps of `step` vectors.
struct tensor_dim {
  constexpr tensor_dim(unsigned num_steps, int step_vectors) : num(num_steps), step(step_vectors) {}
  unsigned num;
  int step;
};

/// A walk over memory in vectors of N elements, the last dimension fastest.
template <typename T, unsigned N, unsigned Dims>
struct tensor_descriptor {
  tensor_dim dims[Dims];
};

template <typename T, unsigned N, typename... Dims>
  requires(std::is_same_v<Dims, tensor_dim> && ...)
[[nodiscard]] constexpr auto make_tensor_descriptor(const Dims&... dims) {
  static_assert(!detail::kFirstFor<T>,
                "aie::make_tensor_descriptor: AIE has no tensor addressing [aie-tensor]; use iterators");
  static_assert(sizeof...(Dims) >= 1, "aie::make_tensor_descriptor: at least one dimension [aie-tensor]");
  return tensor_descriptor<T, N, sizeof...(Dims)>{{dims...}};
}

/// Reads or writes the vectors of a descriptor, one after another. Three dimensions are one stream; with more, pop()
/// gives the stream of the inner three.
template <typename P, unsigned N, unsigned Dims>
class tensor_buffer_stream {
  using T = detail::pointee<P>;
  static constexpr unsigned kOuter = Dims > 3 ? Dims - 3 : 0;
  static constexpr unsigned kWalk = kOuter > 0 ? kOuter : Dims;  // dimensions that this stream itself steps through

 public:
  tensor_buffer_stream(P* p, const tensor_descriptor<T, N, Dims>& descriptor) : p_(p), descriptor_(descriptor) {}

  [[nodiscard]] auto pop() {
    P* at = next();
    if constexpr (kOuter > 0) {
      tensor_descriptor<T, N, 3> inner{
          {descriptor_.dims[Dims - 3], descriptor_.dims[Dims - 2], descriptor_.dims[Dims - 1]}};
      return tensor_buffer_stream<P, N, 3>(at, inner);
    } else {
      return load_v<N>(at);
    }
  }
  void push(const vector<T, N>& v)
    requires(kOuter == 0 && !std::is_const_v<P>)
  {
    store_v(next(), v);
  }
  template <typename V>
  tensor_buffer_stream& operator>>(V& v) {
    v = pop();
    return *this;
  }
  tensor_buffer_stream& operator<<(const vector<T, N>& v) {
    push(v);
    return *this;
  }

 private:
  P* next() {
    if (index_[0] >= descriptor_.dims[0].num) [[unlikely]] {
      aieloom::refuse("aie-tensor", "a tensor buffer stream is read or written beyond its last vector",
                      "compare the number of pop() and << with the product of the dimensions");
    }
    std::ptrdiff_t vectors = 0;
    for (unsigned d = 0; d < kWalk; ++d) {
      vectors += static_cast<std::ptrdiff_t>(index_[d]) * descriptor_.dims[d].step;
    }
    for (unsigned d = kWalk; d-- > 0;) {
      if (++index_[d] < descriptor_.dims[d].num || d == 0) {
        break;
      }
      index_[d] = 0;
    }
    return detail::advance(p_, vectors * static_cast<std::ptrdiff_t>(N));
  }
  P* p_;
  tensor_descriptor<T, N, Dims> descriptor_;
  unsigned index_[kWalk] = {};
};

template <typename P, typename T, unsigned N, unsigned Dims>
[[nodiscard]] inline auto make_tensor_buffer_stream(P* p, const tensor_descriptor<T, N, Dims>& descriptor) {
  static_assert(std::is_same_v<std::remove_cv_t<P>, T>,
                "aie::make_tensor_buffer_stream: the memory holds another type [aie-tensor]");
  return tensor_buffer_stream<P, N, Dims>(p, descriptor);
}
template <typename P, typename T, unsigned N, unsigned Dims>
[[nodiscard]] inline auto make_restrict_tensor_buffer_stream(P* p, const tensor_descriptor<T, N, Dims>& descriptor) {
  return make_tensor_buffer_stream(p, descriptor);
}

/// Iterators of patterns exist in the vendor's headers (pattern_iterator<T, Steps>), but no public document says how
/// their steps follow each other.
template <typename... Given>
void begin_pattern(Given&&...) {
  static_assert(sizeof(void (*)(Given...)) == 0,
                "aie::begin_pattern: no public document says which elements it visits [aie-iterator]; use aie::begin, "
                "begin_random_circular, or a tensor buffer stream on AIE-ML");
}
template <auto Step, auto... Steps, typename... Given>
void begin_pattern(Given&&... given) {
  begin_pattern<Given...>(static_cast<Given&&>(given)...);
}

}  // namespace aie
