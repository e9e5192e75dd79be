// A kernel that does what its first words say: 1 writes beside its output, 2 reads beside its input, anything else only copies.
#pragma once

#include <adf.h>

void poke(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);

class Poked : public adf::graph {
 public:
  adf::kernel k;
  adf::input_gmio in;
  adf::output_gmio out;

  Poked() {
    k = adf::kernel::create(poke);
    adf::source(k) = "poke.cc";
    adf::runtime<adf::ratio>(k) = 0.5;
    in = adf::input_gmio::create("words_in", 64, 1000);
    out = adf::output_gmio::create("words_out", 64, 1000);
    adf::connect(in.out[0], k.in[0]);
    adf::connect(k.out[0], out.in[0]);
    adf::dimensions(k.in[0]) = {1024};
    adf::dimensions(k.out[0]) = {1024};
  }
};
