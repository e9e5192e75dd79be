// How far each level lies from what the eight levels before it let expect, in centimetres.
#include <adf.h>

#include "aie_api/aie.hpp"
#include "aie_api/aie_adf.hpp"
#include "tide.h"

alignas(aie::vector_decl_align) const int32 eighths[PAST] = {5, -2, 0, 7, -11, 3, 10, -4};  // the oldest level's first

void forecast_error(adf::input_buffer<int32, adf::extents<DAY>, adf::margin<PAST>>& levels,
                    adf::output_buffer<int32, adf::extents<DAY>>& errors) {
  auto from = aie::begin_vector<8>(levels);
  auto to = aie::begin_vector<8>(errors);
  const auto trend = aie::load_v<8>(eighths);
  aie::vector<int32, 16> sea;
  sea.insert(0, *from++);  // the margin
  for (unsigned n = 0; n < DAY; n += 8)
    chess_prepare_for_pipelining {
      sea.insert(1, *from++);
      const auto now = sea.extract<8>(1);
      const auto expected = aie::sliding_mul<8, 8>(trend, 0, sea, 0).to_vector<int32>(3);
      *to++ = aie::sub(now, expected);
      sea.insert(0, now);
    }
}

void rise(input_stream_int32* levels, output_stream_int32* changes) {
  static int32 last = 50;
  for (unsigned n = 0; n < 24; n++) chess_prepare_for_pipelining {
      const int32 level = READINCR(SS_rsrc1, levels);
      WRITEINCR(MS_rsrc1, changes, level - last);
      last = level;
    }
}
