// Three graphs: one on the PL's streams, one on memory by GMIO, one by external buffers.
#pragma once

#include "kernels.h"

class Scaling : public adf::graph {
 public:
  adf::input_plio in;
  adf::output_plio out;
  adf::port<adf::input> factor;
  adf::kernel k;

  Scaling() {
    k = adf::kernel::create(scale);
    adf::source(k) = "scale.cc";
    adf::runtime<adf::ratio>(k) = 0.5;
    in = adf::input_plio::create("words_in", adf::plio_32_bits, "data/in.txt");
    out = adf::output_plio::create("words_out", adf::plio_32_bits, "data/out.txt");
    adf::connect(in.out[0], k.in[0]);
    adf::connect(k.out[0], out.in[0]);
    adf::connect<adf::parameter>(factor, adf::async(k.in[1]));
  }
};

class Counting : public adf::graph {
 public:
  adf::input_gmio from_memory;
  adf::output_gmio to_memory;
  adf::kernel k;

  Counting() {
    k = adf::kernel::create(count);
    adf::source(k) = "count.cc";
    adf::runtime<adf::ratio>(k) = 0.5;
    from_memory = adf::input_gmio::create("from_memory", 64, 1000);
    to_memory = adf::output_gmio::create("to_memory", 64, 1000);
    adf::connect(from_memory.out[0], k.in[0]);
    adf::connect(k.out[0], to_memory.in[0]);
  }
};

class Turning : public adf::graph {  // 4 x 2 numbers are transposed on their way
 public:
  adf::external_buffer<int32> ddr_in, ddr_out;
  adf::kernel k;

  Turning() {
    k = adf::kernel::create(count);
    adf::source(k) = "count.cc";
    adf::runtime<adf::ratio>(k) = 0.5;
    ddr_in = adf::external_buffer<int32>::create({4, 2}, 0, 1);
    ddr_out = adf::external_buffer<int32>::create({2, 4}, 1, 0);
    adf::read_access(ddr_in.out[0]) = adf::tiling({.buffer_dimension = {4, 2}, .tiling_dimension = {4, 2}, .offset = {0, 0}});
    adf::write_access(ddr_out.in[0]) = adf::tiling({.buffer_dimension = {2, 4},
                                                    .tiling_dimension = {1, 4},
                                                    .offset = {0, 0},
                                                    .tile_traversal = {{.dimension = 0, .stride = 1, .wrap = 2}}});
    adf::connect(ddr_in.out[0], k.in[0]);
    adf::connect(k.out[0], ddr_out.in[0]);
  }
};
