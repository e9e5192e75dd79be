// Ports, subgraphs, arrays and parameters that exist only for some template arguments.
#include <stdlib.h>

#include "adf.h"
#include "kernels.h"

using namespace adf;

template <bool HAS_CASCADE_IN, bool HAS_CASCADE_OUT>
struct SubGraph : public graph {
  input_port strmIn;
  typename std::conditional<!HAS_CASCADE_OUT, output_port, int>::type strmOut;
  typename std::conditional<HAS_CASCADE_IN, input_port, int>::type cascIn;
  typename std::conditional<HAS_CASCADE_OUT, output_port, int>::type cascOut;
  kernel k1;

  SubGraph() {
    if constexpr (HAS_CASCADE_IN && HAS_CASCADE_OUT) {
      k1 = kernel::create(k0_cascin_cascout);
      connect(cascIn, k1.in[1]);
      connect(k1.out[0], cascOut);
    } else if constexpr (HAS_CASCADE_IN) {
      k1 = kernel::create(k0_cascin);
      connect(cascIn, k1.in[1]);
      connect(k1.out[0], strmOut);
    } else if constexpr (HAS_CASCADE_OUT) {
      k1 = kernel::create(k0_cascout);
      connect(k1.out[0], cascOut);
    } else {
      k1 = kernel::create(k0);
      connect(k1.out[0], strmOut);
    }
    connect(strmIn, k1.in[0]);
    source(k1) = "kernels.cpp";
    runtime<ratio>(k1) = 0.6;
  }
};

/// A subgraph whose output was declared as an input: the direction of a graph's own port binds nobody.
template <int ID>
struct Tagged : public graph {
  input_port _in;
  input_port _out;
  kernel _k;
  Tagged() {
    _k = kernel::create(tagged<ID>);
    runtime<ratio>(_k) = 0.5;
    source(_k) = "kernels.cpp";
    connect(_in, _k.in[0]);
    connect(_k.out[0], _out);
  }
};

std::string nextOutputFilename() {
  static int ind = -1;
  ++ind;
  std::string result = std::string("data/o") + std::to_string(ind) + ".txt";
  return result;
}

template <bool HAS_RTPS>
struct Sub0 : public graph {
  input_port _in0;
  output_port _out0;
  typename std::conditional<HAS_RTPS, input_port, std::tuple<>>::type _in1;
  typename std::conditional<HAS_RTPS, inout_port, std::tuple<>>::type _inout0;
  std::array<input_port, HAS_RTPS ? 1 : 0> _unused_when_absent;
  kernel _k;
  Sub0() {
    if constexpr (HAS_RTPS) {
      _k = kernel::create(f1);
    } else {
      _k = kernel::create(f0);
    }
    runtime<ratio>(_k) = 0.9;
    source(_k) = "kernels.cpp";
    connect(_in0, _k.in[0]);
    connect(_k.out[0], _out0);
    if constexpr (HAS_RTPS) {
      connect(_in1, _k.in[1]);
      connect(_k.inout[0], _inout0);
    }
  }
};

template <bool HAS_RTPS>
struct MyGraph : public graph {
  input_plio _plioI0;
  output_plio _plioO0;
  Sub0<HAS_RTPS> _sub;

  MyGraph() {
    {
      _plioI0 = input_plio::create(adf::plio_32_bits, "data/i0.txt");
      _plioO0 = output_plio::create(adf::plio_32_bits, nextOutputFilename().c_str());
      connect(_plioI0.out[0], _sub._in0);
      connect(_sub._out0, _plioO0.in[0]);
    }
  }
};

constexpr int getNum(int id) { return id == 1 ? 2 : 3; }

template <int ID>
struct Arrays : public graph {
  std::array<input_plio, getNum(ID)> _plioIs;
  std::array<output_plio, getNum(ID)> _plioOs;
  constexpr static bool hasSub(int i) { return (ID >> i) & 0x1; }
  typename std::conditional<ID == 1, std::array<Tagged<1>, 2>, std::array<Tagged<2>, 3>>::type _subs;
  typename std::conditional<hasSub(1), Tagged<7>, int>::type _extra;

  Arrays() {
    for (int ind = 0; ind < getNum(ID); ++ind) {
      char iName[40];
      char oName[40];
      sprintf(iName, "data/i_%d_%d.txt", ID, ind);
      sprintf(oName, "data/o_%d_%d.txt", ID, ind);
      _plioIs[ind] = input_plio::create(adf::plio_32_bits, iName);
      _plioOs[ind] = output_plio::create(adf::plio_32_bits, oName);
      connect(_plioIs[ind].out[0], _subs[ind]._in);
      if constexpr (hasSub(1)) {
        if (ind == 2) {
          connect(_subs[ind]._out, _extra._in);
          connect(_extra._out, _plioOs[ind].in[0]);
          continue;
        }
      }
      connect(_subs[ind]._out, _plioOs[ind].in[0]);
    }
  }
};

struct Cascades : public graph {
  SubGraph<false, false> sub0;
  SubGraph<false, true> sub1;
  SubGraph<true, true> sub2;
  SubGraph<true, false> sub3;
  input_plio plioIns[4];
  output_plio plioOuts[2];

  Cascades() {
    for (int i = 0; i < 4; i++)
      plioIns[i] = input_plio::create("plio_ins" + std::to_string(i), plio_32_bits,
                                      "data/input" + std::to_string(i) + ".txt", 100, true);
    plioOuts[0] = output_plio::create("plio_outs0", plio_64_bits, "data/output0.txt", 125.5);
    plioOuts[1] = output_plio::create("plio_outs1", plio_64_bits, "data/output1.txt", 125.5);

    connect(plioIns[0].out[0], sub0.strmIn);
    connect(plioIns[1].out[0], sub1.strmIn);
    connect net2(plioIns[2].out[0], sub2.strmIn);
    connect net3(plioIns[3].out[0], sub3.strmIn);
    fifo_depth(net2) = 32;
    fifo_depth(net3) = 128;
    connect(sub1.cascOut, sub2.cascIn);
    connect(sub2.cascOut, sub3.cascIn);
    connect(sub0.strmOut, plioOuts[0].in[0]);
    connect(sub3.strmOut, plioOuts[1].in[0]);
  }
};
