// Two phases in a row of cascades: the second drops eight samples first.
#pragma once
#include <adf.h>

#include "aie_kernels/FirDoubleStream.h"

using namespace adf;

std::vector<cint16> taps = std::vector<cint16>({{-82, -253}, {0, -204}, {11, -35}, {-198, 273},
                                                {-642, 467}, {-1026, 333}, {-927, 0}, {-226, -73}});
#define PHASE(N) {taps[N], taps[N + 2], taps[N + 4], taps[N + 6]}
std::vector<cint16> taps2p[2] = {PHASE(0), PHASE(1)};
const int SHIFT = 4;
const int NUM_SAMPLES = 64;

class FIRGraph : public adf::graph {
 private:
  kernel k[1][2];

 public:
  input_port in[2];
  output_port out[2];
  FIRGraph() {
    k[0][0] = kernel::create_object<DoubleStream::FIR_cout<NUM_SAMPLES, SHIFT>>(taps2p[0]);
    k[0][1] = kernel::create_object<DoubleStream::FIR_cin<NUM_SAMPLES, SHIFT>>(taps2p[1]);
    initialization_function(k[0][1]) = "DoubleStream::FIRinit<8>";
    for (int i = 0; i < 2; i++) {
      runtime<ratio>(k[0][i]) = 0.9;
      source(k[0][i]) = "aie_kernels/FirDoubleStream.cpp";
      headers(k[0][i]) = {"aie_kernels/FirDoubleStream.h"};
    }
    location<kernel>(k[0][0]) = tile(25, 0);
    connect<cascade>(k[0][0].out[0], k[0][1].in[2]);
    for (int i = 0; i < 2; i++) {
      connect<stream>(in[i], k[0][0].in[i]);
      connect<stream>(in[i], k[0][1].in[i]);
      connect<stream>(k[0][1].out[i], out[i]);
    }
  };
};

class TopGraph : public adf::graph {
 public:
  FIRGraph G1;
  input_port in[2];
  output_port out[2];
  TopGraph() {
    for (int i = 0; i < 2; i++) {
      connect<>(in[i], G1.in[i]);
      connect<>(G1.out[i], out[i]);
    }
  }
};
