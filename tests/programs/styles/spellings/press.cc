// A window by its pointer and by its iterators, vectors by plain pointers, one name for two machines.
#include "press.h"
#include "aie_api/aie.hpp"

// The first 16 words backwards, the other 8 as they are.
void proof(input_window<int32>* restrict type, output_window<int32>* restrict sheet) {
  int32* set = (int32*)type->ptr;
  int32* printed = (int32*)sheet->ptr;
  for (int n = 0; n < 16; ++n) chess_prepare_for_pipelining { printed[n] = set[15 - n]; }
  window_incr(type, 16);
  window_incr(sheet, 16);
  window_writeincr(sheet, window_readincr_v8(type));
}

// Each eight words less their own mirror image.
void fold(adf::input_buffer<int32, adf::extents<32>>& __restrict flat,
          adf::output_buffer<int32, adf::extents<32>>& __restrict folded) {
  constexpr unsigned eights = adf::extents<32>::elements / 8;
  const int32* __restrict plain = flat.data();
  int32* __restrict crease = (int32*)folded.data();
  auto mirrored = aie::begin_vector<8>(flat);
  for (auto n = 0u; n < eights; n++) chess_loop_range(4, 4) chess_flatten_loop {
      aie::store_v(crease, aie::sub(aie::load_v<8>(plain), aie::reverse(*mirrored++)));
      crease += 8;
      plain += 8;
    }
}

void mix(adf::input_buffer<int16, adf::extents<adf::inherited_extent>>& paper,
         adf::output_buffer<int16, adf::extents<adf::inherited_extent>>& tinted, const int16 (&inks)[4], float gloss,
         int8 strength, uint64 edition, cint16 shade, uint16 weight) {
  const int base = (int)(4 * gloss) + (int)(edition >> 40) + shade.real * shade.imag - weight;
  for (unsigned n = 0; n < paper.size(); n++) tinted.data()[n] = strength * paper.data()[n] + inks[n % 4] + base;
}

void trim(adf::input_buffer<int16>& rough, adf::output_buffer<int16>& neat) {
  for (unsigned n = 0; n < rough.size(); n++) neat.data()[n] = rough.data()[n] & ~7;
}

void trim(adf::input_buffer<int32>& rough, adf::output_buffer<int32>& neat) {
  for (unsigned n = 0; n < rough.size(); n++) neat.data()[n] = rough.data()[n] & ~31;
}
