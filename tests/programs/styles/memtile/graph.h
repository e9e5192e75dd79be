// A matrix product between memory tiles, a padded frame, a cube that is turned, a transposition between DDR buffers.
#pragma once
#include <adf.h>
#include "kernels.h"
#include "system_settings.h"
#include "tiling_parameters.h"

using namespace adf;

template <typename ITYPE, typename OTYPE, int SHIFT_RESULT, int ARRAY_COL>
class MatrixMultiply : public graph {
 public:
  input_port inA, inB;
  output_port outC;
  kernel MatMult;
  shared_buffer<ITYPE> mtxA, mtxB;
  shared_buffer<OTYPE> mtxC;

  MatrixMultiply() {
    MatMult = kernel::create(ClassicMatMult<ITYPE, OTYPE, SHIFT_RESULT>);
    source(MatMult) = "kernels.cpp";
    runtime<ratio>(MatMult) = 0.9;
    location<kernel>(MatMult) = tile(ARRAY_COL, 0);

    mtxA = shared_buffer<ITYPE>::create({A_COLS, A_ROWS}, 1, 1);
    mtxB = shared_buffer<ITYPE>::create({B_COLS, B_ROWS}, 1, 1);
    mtxC = shared_buffer<OTYPE>::create({C_COLS, C_ROWS}, 1, 1);
    num_buffers(mtxA) = 2;
    num_buffers(mtxB) = 2;
    num_buffers(mtxC) = 2;

    connect(inA, mtxA.in[0]);
    write_access(mtxA.in[0]) = WriteA;
    connect(mtxA.out[0], MatMult.in[0]);
    dimensions(MatMult.in[0]) = DimAin;
    read_access(mtxA.out[0]) = ReadA;

    connect(inB, mtxB.in[0]);
    write_access(mtxB.in[0]) = WriteB;
    connect(mtxB.out[0], MatMult.in[1]);
    dimensions(MatMult.in[1]) = DimBin;
    read_access(mtxB.out[0]) = ReadB;

    connect(MatMult.out[0], mtxC.in[0]);
    write_access(mtxC.in[0]) = WriteC;
    dimensions(MatMult.out[0]) = DimCout;
    connect(mtxC.out[0], outC);
    read_access(mtxC.out[0]) = ReadC;
  };
};

template <int COL>
class Padded : public adf::graph {
 public:
  adf::kernel k1;
  adf::port<input> din[1];
  adf::port<output> dout[1];
  adf::shared_buffer<int32> mtxin;

  Padded() {
    mtxin = adf::shared_buffer<int32>::create({32, 4, 2}, 1, 1);
    num_buffers(mtxin) = 1;
    adf::location<adf::buffer>(mtxin) = {adf::address(COL, 0, 0)};
    adf::location<adf::dma>(mtxin.in[0]) = adf::dma_channel(adf::memory_tile, COL, 0, 0);
    adf::location<adf::dma>(mtxin.out[0]) = adf::dma_channel(adf::memory_tile, COL, 0, 5);
    k1 = adf::kernel::create(passthrough<34 * 6 * 2>);
    adf::source(k1) = "kernels.cpp";
    adf::runtime<ratio>(k1) = 0.9;
    adf::location<adf::kernel>(k1) = adf::tile(COL, 0);
    adf::location<adf::dma>(k1.in[0]) = adf::dma_channel(adf::aie_tile, COL, 0, 1);
    adf::connect(din[0], mtxin.in[0]);
    adf::write_access(mtxin.in[0]) =
        adf::tiling({.buffer_dimension = {32, 4, 2}, .tiling_dimension = {32, 4, 2}, .offset = {0, 0, 0}});
    adf::connect(mtxin.out[0], k1.in[0]);
    adf::read_access(mtxin.out[0]) = adf::tiling({.buffer_dimension = {32, 4, 2},
                                                  .tiling_dimension = {34, 6, 2},
                                                  .offset = {-1, -1, 0},
                                                  .tile_traversal = {}});
    adf::connect(k1.out[0], dout[0]);
  };
};

class Cube : public graph {  // 3 x 5 x 4 samples in a buffer of 4 x 8 x 4, dimension by dimension
 public:
  typedef cint16 TT_DATA;
  port<input> sig_i;
  port<output> sig_o;
  shared_buffer<TT_DATA> MT_buff;
  kernel k0, k1;

  Cube(void) {
    tiling_parameters write_bd = {.buffer_dimension = {4, 8, 4},
                                  .tiling_dimension = {1, 1, 1},
                                  .offset = {0, 0, 0},
                                  .tile_traversal = {{.dimension = 0, .stride = 1, .wrap = 3},
                                                     {.dimension = 1, .stride = 1, .wrap = 5},
                                                     {.dimension = 2, .stride = 1, .wrap = 4}}};
    tiling_parameters read_bd = {.buffer_dimension = {4, 8, 4},
                                 .tiling_dimension = {1, 1, 1},
                                 .offset = {0, 0, 0},
                                 .tile_traversal = {{.dimension = 1, .stride = 1, .wrap = 5},
                                                    {.dimension = 2, .stride = 1, .wrap = 4},
                                                    {.dimension = 0, .stride = 1, .wrap = 3}}};
    MT_buff = shared_buffer<TT_DATA>::create({4, 8, 4}, 1, 1);
    write_access(MT_buff.in[0]) = tiling(write_bd);
    read_access(MT_buff.out[0]) = tiling(read_bd);
    num_buffers(MT_buff) = 2;
    repetition_count(MT_buff) = 2;
    k0 = kernel::create(cube_last);
    k1 = kernel::create(cube_first);
    source(k0) = "kernels.cpp";
    source(k1) = "kernels.cpp";
    runtime<ratio>(k0) = 0.9;
    runtime<ratio>(k1) = 0.9;
    dimensions(k0.in[0]) = {120};
    dimensions(k1.in[0]) = {120};
    dimensions(k1.out[0]) = {120};
    connect<>(sig_i, MT_buff.in[0]);
    connect<> n0(MT_buff.out[0], k0.in[0]);
    connect<> n1(MT_buff.out[0], k1.in[0]);
    connect<cascade>(k0.out[0], k1.in[1]);
    connect<>(k1.out[0], sig_o);
    fifo_depth(n0) = 32;
    fifo_depth(n1) = 32;
    location<kernel>(k0) = tile(30, 0);
    location<kernel>(k1) = location<kernel>(k0) + relative_offset({.col_offset = 1});
  }
};

class Transposed : public adf::graph {
 public:
  adf::kernel k1;
  adf::external_buffer<int32> ddrin, ddrout;

  Transposed() {
    ddrin = adf::external_buffer<int32>::create({8, 4, 6}, 0, 1);
    ddrout = adf::external_buffer<int32>::create({4, 8, 6}, 1, 0);
    adf::read_access(ddrin.out[0]) = adf::tiling({.buffer_dimension = {8, 4, 6},
                                                  .tiling_dimension = {8, 4, 1},
                                                  .offset = {0, 0, 0},
                                                  .tile_traversal = {{.dimension = 2, .stride = 1, .wrap = 6}}});
    adf::write_access(ddrout.in[0]) = adf::tiling({.buffer_dimension = {4, 8, 6},
                                                   .tiling_dimension = {1, 8, 1},
                                                   .offset = {0, 0, 0},
                                                   .tile_traversal = {{.dimension = 0, .stride = 1, .wrap = 4},
                                                                      {.dimension = 2, .stride = 1, .wrap = 6}}});
    k1 = adf::kernel::create(passthrough<32>);
    adf::source(k1) = "kernels.cpp";
    adf::runtime<ratio>(k1) = 0.9;
    adf::connect(ddrin.out[0], k1.in[0]);
    adf::connect(k1.out[0], ddrout.in[0]);
  };
};

class Top : public graph {
 public:
  input_plio in[4];
  output_plio out[3];
  MatrixMultiply<int8, int32, 0, 10> MMult1;
  Padded<20> padded;
  Cube cube;

  Top() {
    for (int i = 0; i < 4; i++)
      in[i] = adf::input_plio::create("in" + std::to_string(i), i < 2 ? adf::plio_128_bits : adf::plio_64_bits,
                                      "data/in" + std::to_string(i) + ".txt", 250);
    for (int i = 0; i < 3; i++)
      out[i] = adf::output_plio::create("out" + std::to_string(i), adf::plio_128_bits, "data/out" + std::to_string(i) + ".txt", 250);
    adf::connect(in[0].out[0], MMult1.inA);
    adf::connect(in[1].out[0], MMult1.inB);
    adf::connect(MMult1.outC, out[0].in[0]);
    adf::connect(in[2].out[0], padded.din[0]);
    adf::connect(padded.dout[0], out[1].in[0]);
    adf::connect(in[3].out[0], cube.sig_i);
    adf::connect(cube.sig_o, out[2].in[0]);
  };
};
