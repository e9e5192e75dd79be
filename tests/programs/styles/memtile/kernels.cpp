// C tile by tile: rows of tiles of A, columns of tiles of B.
#include "kernels.h"

#include <aie_api/aie.hpp>

#include "system_settings.h"

template <typename ITYPE, typename OTYPE, int SHIFT_RESULT>
void ClassicMatMult(adf::input_buffer<ITYPE, adf::extents<adf::inherited_extent, adf::inherited_extent>>& __restrict inA,
                    adf::input_buffer<ITYPE, adf::extents<adf::inherited_extent, adf::inherited_extent>>& __restrict inB,
                    adf::output_buffer<OTYPE, adf::extents<adf::inherited_extent, adf::inherited_extent>>& __restrict outC) {
  constexpr size_t sizeTileA = ATILES_ROWS * ATILES_COLS;
  constexpr size_t sizeTileB = BTILES_ROWS * BTILES_COLS;
  constexpr size_t NTilesPerRow_A = A_ROWS / ATILES_ROWS;
  constexpr size_t NTilesPerCol_A = A_COLS / ATILES_COLS;
  constexpr size_t NTilesPerCol_B = B_COLS / BTILES_COLS;
  using MMUL = aie::mmul<ATILES_ROWS, ATILES_COLS, BTILES_COLS, ITYPE, ITYPE, acc32>;
  auto pC = aie::begin_vector<MMUL::size_C>(outC);

  for (unsigned i = 0; i < NTilesPerRow_A; i++) {
    for (unsigned j = 0; j < NTilesPerCol_B; j++)
      chess_prepare_for_pipelining chess_loop_range(NTilesPerCol_B, ) {
        auto pA = aie::cbegin_vector<sizeTileA>(inA) + i * NTilesPerCol_A;
        auto pB = aie::cbegin_vector<sizeTileB>(inB) + j * NTilesPerCol_A;
        MMUL C;
        C.mul(*pA++, *pB++);
        for (unsigned k = 0; k < NTilesPerCol_A - 1; k++) chess_flatten_loop { C.mac(*pA++, *pB++); }
        *pC++ = C.template to_vector<OTYPE>(SHIFT_RESULT);
      }
  }
}

template <int FRAME_LENGTH>
void passthrough(adf::input_buffer<int32, adf::extents<FRAME_LENGTH>>& __restrict in,
                 adf::output_buffer<int32, adf::extents<FRAME_LENGTH>>& __restrict out) {
  auto pi = aie::begin_vector<4>(in);
  auto po = aie::begin_vector<4>(out);
  for (int i = 0; i < FRAME_LENGTH / 4; i++) *po++ = *pi++;
}

void cube_last(adf::input_buffer<cint16>& __restrict in, output_cascade<cacc64>* out) {
  auto it = aie::begin_vector<8>(in);
  for (unsigned i = 0; i < in.size() / 8; i++) {
    aie::accum<cacc64, 8> acc;
    acc.from_vector(*it++, 1);
    writeincr(out, acc);
  }
}

void cube_first(adf::input_buffer<cint16>& __restrict in, input_cascade<cacc64>* sums, adf::output_buffer<cint16>& out) {
  auto it = aie::begin_vector<8>(in);
  auto ot = aie::begin_vector<8>(out);
  for (unsigned i = 0; i < in.size() / 8; i++) {
    aie::accum<cacc64, 8> acc = readincr_v<8>(sums);
    *ot++ = aie::add(acc, *it++).to_vector<cint16>(0);
  }
}
