// One program for the elementwise, reshaping and reducing functions; the test names the case and sends the operands.
#include <aie_api/aie.hpp>
#include <aie_api/operators.hpp>

#include "cases.h"

namespace {

template <typename Acc>
void give_lanes(const Acc& acc) {
  for (unsigned i = 0; i < Acc::size(); ++i) {
    if constexpr (std::is_same_v<decltype(acc.at(i)), aie::detail::int128>) {
      give(static_cast<std::int64_t>(acc.at(i)));  // the test's products fit 64 bits
    } else {
      give(acc.at(i));
    }
  }
}
template <unsigned N>
void give_mask(const aie::mask<N>& m) {
  for (unsigned i = 0; i < N; ++i) {
    give(static_cast<std::uint8_t>(m.get(i)));
  }
}

template <typename T, unsigned N>
void sums() {
  const auto a = aie::load_v<N>(take<T>(N)), b = aie::load_v<N>(take<T>(N));
  const T s = *take<T>(1);
  give(aie::add(a, b));
  give(aie::add(a, s));
  give(aie::sub(a, b));
  give(aie::sub(s, b));
  give(aie::neg(a));
  give(aie::min(a, b));
  give(aie::max(a, b));
  give(aie::max(a, s));
  give(aie::maxdiff(a, b));
  give(aie::abs(a));
  give(aie::reduce_min(a));
  give(aie::reduce_max(a));
  using namespace aie::operators;
  give(a + b);
  give(a - b);
  give(-a);
}

template <typename T, unsigned N>
void bits() {
  const auto a = aie::load_v<N>(take<T>(N)), b = aie::load_v<N>(take<T>(N));
  give(aie::saturating_add(a, b));
  give(aie::saturating_sub(a, b));
  give(aie::clamp(a, T(3), T(100)));
  give(aie::bit_and(a, b));
  give(aie::bit_or(a, b));
  give(aie::bit_xor(a, b));
  give(aie::bit_not(a));
  give(aie::downshift(a, 3));
  give(aie::upshift(a, 3));
  give(aie::logical_downshift(a, 3));
  give(aie::reduce_add(a));
  give(aie::reduce_add_v(a, b, a).template extract<N>(0).get(1));
}

template <typename T, unsigned N>
void products() {
  const auto a = aie::load_v<N>(take<T>(N)), b = aie::load_v<N>(take<T>(N));
  const T s = b.get(1);
  const auto ab = aie::mul(a, b);
  give_lanes(ab);
  give_lanes(aie::mul(a, s));
  give_lanes(aie::negmul(a, b));
  give_lanes(aie::mac(ab, a, s));
  give_lanes(aie::msc(ab, b, b));
  give_lanes(aie::mul_square(a));
  give_lanes(aie::mac_square(ab, a));
  give_lanes(aie::mac(aie::op_zero(ab, true), a, b));
  give_lanes(aie::mac(aie::op_sub(ab), a, b));
  give_lanes(aie::mul(aie::op_neg(a), b));
#if __AIE_ARCH__ == 10  // which adds no accumulators
  give_lanes(aie::mac(ab, a, b));
#else
  give_lanes(aie::add(ab, ab));
#endif
  give_lanes(aie::accumulate<N>(b, 2, a, b, a));
  auto copy = b;
  give_lanes(aie::mac(ab, a, copy[3]));
}

template <typename T, unsigned N>
void compares() {
  const auto a = aie::load_v<N>(take<T>(N)), b = aie::load_v<N>(take<T>(N));
  give_mask(aie::lt(a, b));
  give_mask(aie::le(a, b));
  give_mask(aie::gt(a, b));
  give_mask(aie::ge(a, b));
  give_mask(aie::eq(a, b));
  give_mask(aie::neq(a, b));
  const auto [high, from_b] = aie::max_cmp(a, b);
  give(high);
  give(aie::select(a, b, from_b));
  const auto [low, low_from_b] = aie::min_cmp(a, b);
  give(low);
  give(aie::select(a, b, low_from_b));
  give(aie::select(a, b.get(0), aie::lt(a, b)));
}

template <typename T, unsigned N>
void moves() {
  const auto a = aie::load_v<N>(take<T>(N)), b = aie::load_v<N>(take<T>(N));
  give(aie::shuffle_up_fill(a, b, 3));
  give(aie::shuffle_down_fill(a, b, 3));
  give(aie::shuffle_up_rotate(a, 3));
  give(aie::shuffle_down_rotate(a, 3));
  give(aie::shuffle_up_replicate(a, 3));
  give(aie::shuffle_down_replicate(a, 3));
  give(aie::shuffle_up(a, 3).template extract<N>(0).get(5));
  give(aie::shuffle_down(a, 3).get(2));
  for (unsigned step = 1; step <= N / 2; step *= 2) {
    const auto zip = aie::interleave_zip(a, b, step);
    give(zip.first);
    give(zip.second);
    const auto unzip = aie::interleave_unzip(a, b, step);
    give(unzip.first);
    give(unzip.second);
    give(aie::filter_even(aie::concat(a, b), step));
    give(aie::filter_odd(aie::concat(a, b), step));
  }
  give(aie::transpose(a, 2, N / 2));
  give(aie::reverse(a));
  give(aie::concat(a, b));
  give(aie::broadcast<T, N>(b.get(2)));
  give(aie::zeros<T, N>());
  auto v = aie::concat(a, b);
  v.push(a.get(1));
  give(v);
  v.insert(1, a);
  give(v);
  v[2] = b[5];
  v.set(b.get(6), 3);
  give(v);
  give(v.template extract<N>(1));
  give(a.template grow_replicate<2 * N>());
  give(a.template grow<2 * N>(1).template extract<N>(1));
  give(a.template cast_to<std::int8_t>());
}

template <typename T, typename Small, unsigned N>
void packs() {
  const auto a = aie::load_v<N>(take<T>(N));
  for (const auto mode :
       {aie::saturation_mode::none, aie::saturation_mode::saturate, aie::saturation_mode::symmetric}) {
    aie::set_saturation(mode);
    give(a.template pack<Small>());
  }
  aie::set_saturation(aie::saturation_mode::none);
  const auto small = aie::pack<Small>(a);
  give(small.template unpack_sign<T>(true));
  give(small.template unpack_sign<T>(false));
}

void masks() {
  auto m = aie::mask<32>::from_uint32(*take<std::uint32_t>(1));
  const auto n = aie::mask<32>::from_uint32(*take<std::uint32_t>(1));
  for (const auto& x : {m & n, m | n, ~m, m << 3, m >> 5}) {
    give(x.to_uint32());
  }
  give(m.count());
  give(m.clz());
  give(static_cast<unsigned>(m.empty()) + 2U * static_cast<unsigned>((m | ~m).full()));
  m.set(3);
  m.clear(4);
  give(m.to_uint32());
  give(aie::mask<64>::from_uint64(0x123456789abcdef0U).extract<32>(1).to_uint32());
}

template <typename T, unsigned N>
void complex_numbers() {
  const auto a = aie::load_v<N>(take<T>(N)), b = aie::load_v<N>(take<T>(N));
  give(aie::add(a, b));
  give(aie::sub(a, b));
  give(aie::conj(a));
  give(aie::neg(a));
  give_lanes(aie::mul(a, b));
  give_lanes(aie::mul(aie::op_conj(a), b));
  give(aie::abs_square(a));
}

template <typename T, unsigned N>
void loads() {
  T* p = take<T>(8 * N);
  give(aie::load_unaligned_v<N>(p + 3));
  give(aie::load_floor_v<N>(p + N + 3, N));
  T* q = take<T>(8 * N);
  aie::store_unaligned_v(q + 1, aie::load_v<N>(p));
  give(q[1]);
  give(q[N]);
  auto it = aie::begin_vector<N>(p);
  it += 2;
  give(*it++);
  give(it[-1]);
  give(*--it);
  *it = aie::load_v<N>(p);
  give(*aie::cbegin_restrict_vector<N>(p + 2 * N));
  auto round = aie::begin_vector_circular<N, 4 * N>(p);
  for (unsigned i = 0; i < 6; ++i) {
    give(*round++);
  }
  aie::vector_random_circular_iterator<T, N, 4 * N> random = aie::begin_vector_random_circular<N, 4 * N>(p);
  random -= 1;
  give(*random);
  give(random[2]);
  auto one = aie::begin_circular<3>(p);
  static_assert(std::is_constructible_v<aie::random_circular_iterator<T, 3>, T*>);
  for (unsigned i = 0; i < 5; ++i) {
    give(*one++);
  }
  auto odd = aie::begin_unaligned_vector<N>(p + 5);
  const aie::vector<T, N> first = *odd++;
  give(first);
  *odd = first;
  give(p[N + 5]);
}

}  // namespace

#define FOR_TYPES(T, N)                                           \
  static const Case sums_##T{"sums " #T, sums<T, N>};             \
  static const Case compares_##T{"compares " #T, compares<T, N>}; \
  static const Case moves_##T{"moves " #T, moves<T, N>};          \
  static const Case products_##T{"products " #T, products<T, N>}; \
  static const Case loads_##T{"loads " #T, loads<T, N>};
#define FOR_INTEGERS(T, N) FOR_TYPES(T, N) static const Case bits_##T{"bits " #T, bits<T, N>};
FOR_INTEGERS(int8, 32)
FOR_INTEGERS(uint8, 32)
FOR_INTEGERS(int16, 16)
FOR_INTEGERS(int32, 8)
FOR_TYPES(float, 8)
static const Case complex_int16{"complex cint16", complex_numbers<cint16, 8>};
static const Case complex_float{"complex cfloat", complex_numbers<cfloat, 4>};
static const Case packs_int16{"packs int16 int8", packs<int16, int8, 16>};
static const Case packs_uint8{"packs int16 uint8", packs<int16, uint8, 16>};
static const Case masks_32{"masks", masks};
#if __AIE_ARCH__ == 20
FOR_INTEGERS(uint16, 16)
FOR_INTEGERS(uint32, 8)
static const Case packs_int32{"packs int32 int16", packs<int32, int16, 16>};
static const Case packs_uint32{"packs uint32 uint16", packs<uint32, uint16, 16>};
#endif

int main(int count, char** values) { return run_case(count, values); }
