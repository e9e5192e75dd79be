// Products with a sparse B: mul, then mac with the next vector of the same stream.
#include <aie_api/aie.hpp>

#include "support.h"

template <unsigned M, unsigned K, unsigned N, typename TA, typename TB, typename Out>
void product() {
  const TA* a = take<TA>(2 * M * K);
  const int bytes = *take<int>(1);
  const auto* b = reinterpret_cast<const TB*>(take<char>(static_cast<std::size_t>(bytes)));
  auto stream = aie::sparse_vector_input_buffer_stream<TB, K * N>(b);
  aie::mmul<M, K, N, TA, TB> c;
  aie::sparse_vector<TB, K * N> first;
  stream >> first;
  c.mul(aie::load_v<M * K>(a), first);
  c.mac(aie::load_v<M * K>(a + M * K), stream.pop());
  give(c.template to_vector<Out>(0));
}

int main() {
  product<4, 16, 8, int8, int8, int32>();
  product<8, 16, 8, uint8, int8, int32>();
  product<4, 16, 16, int8, uint8, int32>();
  product<2, 16, 8, int16, int8, int32>();
  product<4, 16, 8, int16, uint8, int32>();
  product<2, 8, 8, int16, int16, int32>();
  product<4, 8, 8, int16, int16, int32>();
  product<2, 8, 16, int16, int16, int32>();
  product<4, 16, 4, bfloat16, bfloat16, float>();
  product<4, 16, 8, bfloat16, bfloat16, float>();
}
