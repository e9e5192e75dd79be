#include "kernels.h"

#include "fault.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

using namespace adf;
using fault::join;
using fault::size;

/// Taps of core `part`: the window of a low-pass, fixed by formula so that the test can make them too.
std::vector<int16> taps_of(int part) {
  std::vector<int16> taps;
  for (int t = 8 * part; t < 8 * part + 8; ++t) {
    taps.push_back(static_cast<int16>((t + 1) * (kTaps - t) / 4 - 20));
  }
  return taps;
}

class Filter : public graph {
 public:
  port<input> in;
  port<output> out;
  std::array<kernel, 4> core;
  Filter() {
    core[0] = kernel::create_object<Fir<0>>(taps_of(0));
    core[1] = kernel::create_object<Fir<1>>(taps_of(1));
    core[2] = kernel::create_object<Fir<2>>(taps_of(2));
    core[3] = kernel::create_object<Fir<3>>(taps_of(3));
    for (int i = 0; i < 4; ++i) {
      const std::string name = "fir" + std::to_string(i);
      fault::attributes(core[i], name, "fir.cc", 20 + i, 2);
      join(name + ".in", in, core[i].in[0]);
      if (i > 0) {
        join<cascade>(name + ".cascade", core[i - 1].out[0], core[i].in[1]);
      }
      location<parameter>(core[i].param[0]) = bank(20 + i, 2, static_cast<int>(fault::number("bank", name, i)));
    }
    join("fir3.out", core[3].out[0], out);
    dimensions(core[3].out[0]) = {size("fir3.out", kBlock)};
  }
};

class Top : public graph {
 public:
  input_plio samples, packets;
  output_plio filtered, found;
  port<input> factor, limits;
  port<output> clipped;
  kernel amplify, send, receive, half;
  kernel detector[2];
  Filter filter;
  pktsplit<2> split;
  pktmerge<2> merge;

  Top() {
    samples = fault::plio<input_plio>("samples", 64, "data/samples.txt");
    filtered = fault::plio<output_plio>("filtered", 32, "filtered.txt");
    packets = fault::plio<input_plio>("packets", 32, "data/packets.txt");
    found = fault::plio<output_plio>("found", 32, "found.txt");
    front();
    detectors();
  }

 private:
  void front() {
    amplify = kernel::create(gain);
    send = kernel::create(spread);
    receive = kernel::create(collect);
    fault::attributes(amplify, "gain", "kernels.cc", 10, 0);
    fault::attributes(send, "spread", "kernels.cc", 11, 0);
    fault::attributes(receive, "collect", "kernels.cc", 12, 0);
    initialization_function(receive) = fault::text("init", "collect", "start_collecting");
    join("gain.in", samples.out[0], amplify.in[0]);
    join("gain.out", amplify.out[0], send.in[0]);
    join<stream>("stream", send.out[0], receive.in[0]);
    join("collect.out", receive.out[0], filter.in);
    join("filter.out", filter.out, filtered.in[0]);
    join<parameter>("factor", factor, amplify.in[1]);
    join<parameter>("limits", limits, async(amplify.in[2]));
    join<parameter>("clipped", amplify.inout[0], clipped);
    dimensions(amplify.in[0]) = {size("gain.in", kBlock)};
    dimensions(amplify.out[0]) = {size("gain.out", kBlock)};
    dimensions(send.in[0]) = {size("spread.in", kBlock / 2)};
    dimensions(receive.out[0]) = {size("collect.out", kBlock)};
    repetition_count(amplify) = static_cast<unsigned>(fault::number("repeat", "gain", 1));
    location<buffer>(amplify.out[0]) = {address(10, 0, static_cast<int>(fault::number("address", "gain.out", 0))),
                                        address(static_cast<int>(fault::number("memory", "gain.out", 10)), 0, 8192)};
  }

  void detectors() {
    split = pktsplit<2>::create();
    merge = pktmerge<2>::create();
    join<pktstream>("split.in", packets.out[0], split.in[0]);
    for (int i = 0; i < 2; ++i) {
      const std::string name = "detect" + std::to_string(i);
      detector[i] = kernel::create(detect);
      fault::attributes(detector[i], name, "kernels.cc", 30 + i, 1);
      join<pktstream>(name + ".in", split.out[i], detector[i].in[0]);
      dimensions(detector[i].in[0]) = {size(name + ".in", kPeak)};
      dimensions(detector[i].out[0]) = {size(name + ".out", 2)};
    }
    half = kernel::create(halves);
    fault::attributes(half, "halves", "kernels.cc", 32, 1);
    join("halves.in", detector[1].out[0], half.in[0]);
    dimensions(half.in[0]) = {size("halves.in", 2)};
    dimensions(half.out[0]) = {size("halves.out", 2)};
    join<pktstream>("detect0.out", detector[0].out[0], merge.in[0]);
    join<pktstream>("halves.out", half.out[0], merge.in[1]);
    join<pktstream>("merge.out", merge.out[0], found.in[0]);
    location<PLIO>(packets) = shim(static_cast<int>(fault::number("shim", "packets", 30)));
  }
};

Top top;

int main() {
  if (!fault::active("control", "init")) {
    top.init();
  }
  const int16 limits[2] = {-3000, 3000};
  top.update(top.limits, limits, static_cast<std::size_t>(fault::number("count", "limits", 2)));
  top.run(2);
  top.update(top.factor, 3);
  top.update(top.factor, 5);
  if (fault::active("control", "wrong type")) {
    top.update(top.factor, std::int64_t{5});
  }
  if (fault::active("control", "too many updates")) {
    for (int i = 0; i < 4; ++i) {
      top.update(top.factor, 1);
    }
  }
  top.wait();
  int32 clipped = 0;
  top.read(top.clipped, clipped);
  std::printf("clipped %d\n", clipped);
  if (fault::active("control", "one run too many")) {
    top.run(1);
    top.wait();
  }
  top.end();
  if (fault::active("control", "run after end")) {
    top.run(1);
  }
  if (fault::active("control", "end twice")) {
    top.end();
  }
}
