// Nine taps: the margin is the end of the block before.
#include <adf.h>

#include "aie_api/aie.hpp"
#include "aie_api/aie_adf.hpp"
#include "kernel.h"

alignas(aie::vector_decl_align) const int32 weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};

void weighted_sum_with_margin(adf::input_buffer<int32, adf::extents<32>, adf::margin<8>>& in,
                              adf::output_buffer<int32, adf::extents<32>>& out) {
  auto inIter = aie::begin_vector<8>(in);
  auto outIter = aie::begin_vector<8>(out);
  auto coeff = aie::load_v<8>(weights);
  aie::vector<int32, 16> buff;
  buff.insert(0, *inIter++);
  for (unsigned i = 0; i < 32 / 8; i++)
    chess_prepare_for_pipelining {
      buff.insert(1, *inIter++);
      auto acc = aie::sliding_mul<8, 8>(coeff, 0, buff, 1);
      *outIter++ = acc.to_vector<int32>(0);
      buff.insert(0, buff.extract<8>(1));
    }
}

void old_scale(input_stream_int32* in, output_stream_int32* out) {
  for (unsigned i = 0; i < 16; i++) chess_prepare_for_pipelining {
      int32 x = READINCR(SS_rsrc1, in);
      WRITEINCR(MS_rsrc1, out, x * 3);
    }
}
