// Rates that are no whole multiples of each other: the compiler finds how often each kernel runs.
#include "kernels.h"

template <bool UpFirst>
class Pair_Buffer : public adf::graph {
 public:
  adf::kernel up, down;
  adf::port<input> din;
  adf::port<output> dout;

  Pair_Buffer() {
    up = adf::kernel::create(UpConv_7_5_iobuf);
    adf::source(up) = "kernels.cpp";
    adf::runtime<ratio>(up) = 0.9;
    adf::dimensions(up.in[0]) = {InputSize};
    adf::dimensions(up.out[0]) = {InputSize * 7 / 5};
    down = adf::kernel::create(DownConv_5_7_iobuf);
    adf::source(down) = "kernels.cpp";
    adf::runtime<ratio>(down) = 0.9;
    adf::dimensions(down.in[0]) = {InputSize};
    adf::dimensions(down.out[0]) = {InputSize * 5 / 7};
    auto& first = UpFirst ? up : down;
    auto& second = UpFirst ? down : up;
    adf::connect G1_1(din, first.in[0]);
    adf::connect G1_2(first.out[0], second.in[0]);
    adf::connect G1_3(second.out[0], dout);
  };
};

class Branches : public adf::graph {
 private:
  Pair_Buffer<true> G1;
  Pair_Buffer<false> G2;
  adf::kernel k1;

 public:
  adf::port<input> din;
  adf::port<output> dout;

  Branches() {
    k1 = adf::kernel::create(Subtract_iobuf);
    adf::source(k1) = "kernels.cpp";
    adf::runtime<ratio>(k1) = 0.9;
    adf::dimensions(k1.in[0]) = {InputSize};
    adf::dimensions(k1.in[1]) = {InputSize};
    adf::dimensions(k1.out[0]) = {InputSize};
    adf::connect Branch1(din, G1.din);
    adf::connect Branch2(din, G2.din);
    adf::connect(G1.dout, k1.in[0]);
    adf::connect(G2.dout, k1.in[1]);
    adf::connect(k1.out[0], dout);
    fifo_depth(Branch1) = 16300;
    fifo_depth(Branch2) = 16300;
    adf::location<adf::kernel>(G1.up) = adf::tile(20, 0);
    adf::location<adf::kernel>(G1.down) = adf::tile(21, 0);
    adf::location<adf::kernel>(G2.up) = adf::tile(20, 2);
    adf::location<adf::kernel>(G2.down) = adf::tile(21, 2);
    adf::location<adf::kernel>(k1) = adf::tile(23, 1);
  };
};

template <int R1 = 1, int R2 = 1>
class G1_Stream : public adf::graph {
 public:
  adf::kernel k1, k2;
  adf::port<input> din;
  adf::port<output> dout;
  G1_Stream() {
    k1 = adf::kernel::create(UpConv_7_5_stream<InputSize>);
    adf::source(k1) = "kernels.cpp";
    adf::runtime<ratio>(k1) = 0.9;
    k2 = adf::kernel::create(DownConv_5_7_stream<InputSize>);
    adf::source(k2) = "kernels.cpp";
    adf::runtime<ratio>(k2) = 0.9;
    adf::connect G1_1(din, k1.in[0]);
    adf::connect G1_2(k1.out[0], k2.in[0]);
    adf::connect G1_3(k2.out[0], dout);
    if (R1 > 1) repetition_count(k1) = R1;
    if (R2 > 1) repetition_count(k2) = R2;
  };
};

class Maker : public adf::graph {  // one makes two blocks, its takers take one and three
 public:
  adf::kernel mk, tk1, tk2;
  adf::port<input> in;
  adf::port<output> out[2];
  Maker() {
    mk = adf::kernel::create(DownConv_5_7_iobuf);
    tk1 = adf::kernel::create(DownConv_5_7_iobuf);
    tk2 = adf::kernel::create(DownConv_5_7_iobuf);
    adf::source(mk) = "kernels.cpp";
    adf::source(tk1) = "kernels.cpp";
    adf::source(tk2) = "kernels.cpp";
    adf::runtime<ratio>(mk) = 0.1;
    adf::runtime<ratio>(tk1) = 0.1;
    adf::runtime<ratio>(tk2) = 0.1;
    adf::connect(in, mk.in[0]);
    dimensions(mk.in[0]) = {2 * VECTOR_LENGTH};
    dimensions(mk.out[0]) = {2 * VECTOR_LENGTH};
    adf::connect(mk.out[0], tk1.in[0]);
    adf::connect(tk1.out[0], out[0]);
    dimensions(tk1.in[0]) = {VECTOR_LENGTH};
    dimensions(tk1.out[0]) = {VECTOR_LENGTH};
    adf::connect(mk.out[0], tk2.in[0]);
    adf::connect(tk2.out[0], out[1]);
    dimensions(tk2.in[0]) = {3 * VECTOR_LENGTH};
    dimensions(tk2.out[0]) = {3 * VECTOR_LENGTH};
  };
};

class MultiRateGraph : public adf::graph {
 public:
  adf::input_plio in[4];
  adf::output_plio out[5];
  typename std::conditional<true, Pair_Buffer<true>, int>::type G1;
  typename std::conditional<false, Pair_Buffer<false>, int>::type G2;
  Branches G3;
  G1_Stream<5, 7> G4;
  Maker G5;

  MultiRateGraph() {
    for (int i = 0; i < 4; i++)
      in[i] = adf::input_plio::create("in" + std::to_string(i), adf::plio_64_bits, "data/in" + std::to_string(i) + ".txt", 625);
    for (int i = 0; i < 5; i++)
      out[i] = adf::output_plio::create("out" + std::to_string(i), adf::plio_64_bits, "data/out" + std::to_string(i) + ".txt", 625);
    adf::connect(in[0].out[0], G1.din);
    adf::connect(G1.dout, out[0].in[0]);
    adf::connect(in[1].out[0], G3.din);
    adf::connect(G3.dout, out[1].in[0]);
    adf::connect(in[2].out[0], G4.din);
    adf::connect(G4.dout, out[2].in[0]);
    adf::connect(in[3].out[0], G5.in);
    for (int i = 0; i < 2; i++) adf::connect<>(G5.out[i], out[3 + i].in[0]);
  };
};
