#include "kernels.h"

#include <aie_api/aie.hpp>

#include "shapes.h"

template <typename NARROW, typename WIDE, int DOWN>
void multiply_blocks(blocks_in<NARROW>& __restrict left, blocks_in<NARROW>& __restrict right,
                     blocks_out<WIDE>& __restrict product) {
  using Block = aie::mmul<BLOCK_H, BLOCK_I, BLOCK_W, NARROW, NARROW, acc32>;
  auto to = aie::begin_vector<Block::size_C>(product);
  for (unsigned w = 0; w < BLOCKS_W; w++)
    for (unsigned h = 0; h < BLOCKS_H; h++)
      chess_prepare_for_pipelining chess_loop_range(BLOCKS_H, ) {
        auto l = aie::cbegin_vector<Block::size_A>(left) + h;
        auto r = aie::cbegin_vector<Block::size_B>(right) + w;
        Block block;
        block.mul(*l, *r);
        for (unsigned i = 1; i < BLOCKS_I; i++) chess_flatten_loop {
            l += BLOCKS_H;
            r += BLOCKS_W;
            block.mac(*l, *r);
          }
        *to++ = block.template to_vector<WIDE>(DOWN);
      }
}

template <int WORDS>
void copy_words(adf::input_buffer<int32, adf::extents<WORDS>>& __restrict from,
                adf::output_buffer<int32, adf::extents<WORDS>>& __restrict to) {
  auto read = aie::begin_vector<8>(from);
  auto written = aie::begin_vector<8>(to);
  for (int n = 0; n < WORDS; n += 8) *written++ = *read++;
}

void send_quadruple(adf::input_buffer<cint16>& __restrict crate, output_cascade<cacc64>* four) {
  auto read = aie::begin_vector<8>(crate);
  for (unsigned n = 0; n < crate.size(); n += 8) {
    aie::accum<cacc64, 8> acc;
    acc.from_vector(*read++, 2);
    writeincr(four, acc);
  }
}

void add_to_quadruple(adf::input_buffer<cint16>& __restrict crate, input_cascade<cacc64>* four,
                      adf::output_buffer<cint16>& five) {
  auto read = aie::begin_vector<8>(crate);
  auto written = aie::begin_vector<8>(five);
  for (unsigned n = 0; n < crate.size(); n += 8) {
    const aie::accum<cacc64, 8> acc = readincr_v<8>(four);
    *written++ = aie::add(acc, *read++).to_vector<cint16>(0);
  }
}
