// Two antennas go to both cores of a beam.
#pragma once
#include <adf.h>

#include "array/beam.h"

using namespace adf;

// what the front gives to north and south now, then four instants ago; what the back gives to its four, in its order
std::vector<cint16> front_gains = std::vector<cint16>({{-275, 90}, {310, 45}, {5, 333}, {-47, -18}});
std::vector<cint16> gains[2] = {front_gains, {{-120, 200}, {0, 150}, {64, -64}, {500, 2}}};
constexpr int INSTANTS = 48;

class Beam : public adf::graph {
 private:
  kernel core[2][1];

 public:
  input_port antenna[2];
  output_port sum, own;
  Beam() {
    kernel &front = core[0][0], &back = core[1][0];
    front = kernel::create_object<beam::Front<INSTANTS>>(gains[0]);
    back = kernel::create_object<beam::Back<INSTANTS, 6>>(gains[1]);
    initialization_function(back) = "beam::shorten<4>";
    connect<cascade>(front.out[0], back.in[2]);
    connect<stream>(back.out[0], sum);
    connect<stream>(back.out[1], own);
    for (auto& row : core) {
      connect<stream>(antenna[0], row[0].in[0]);
      connect<stream>(antenna[1], row[0].in[1]);
      source(row[0]) = "array/beam.cpp";
      headers(row[0]) = {"array/beam.h"};
      runtime<ratio>(row[0]) = 0.85;
    }
    location<kernel>(front) = tile(12, 4);
  };
};

class Mast : public adf::graph {
 public:
  Beam only;
  input_port foot[2];
  output_port top[2];
  Mast() {
    connect<>(foot[0], only.antenna[0]);
    connect<>(foot[1], only.antenna[1]);
    connect<>(only.sum, top[0]);
    connect<>(only.own, top[1]);
  };
};
