@@ sha256: 9931330b3dfc6de282694b5d4320ace584cd1b03892628f1beb87bbcf7077349
// graph.h: the graph of small.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 6 in graph.h.j2
#include "first_graph.h"
#include "second_graph.h"

/// small: 5 kernels, 5 tiles in use.
class SmallDesign : public adf::graph {
 public:
  adf::input_plio first_in[3];
  adf::output_plio first_out[3];
  adf::input_plio second_in[2];
  adf::output_plio second_out[2];

  SmallDesign() {
    for (unsigned i = 0; i < 3; ++i) {
      const std::string name = "first_in_" + std::to_string(i);
      first_in[i] = adf::input_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(first_in[i].out[0], first_.in[i]);
      adf::location<adf::PLIO>(first_in[i]) = adf::shim(kFirst_inColumns[i]);
    }
    for (unsigned i = 0; i < 3; ++i) {
      const std::string name = "first_out_" + std::to_string(i);
      first_out[i] = adf::output_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(first_.out[i], first_out[i].in[0]);
      adf::location<adf::PLIO>(first_out[i]) = adf::shim(kFirst_outColumns[i]);
    }
    for (unsigned i = 0; i < 2; ++i) {
      const std::string name = "second_in_" + std::to_string(i);
      second_in[i] = adf::input_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(second_in[i].out[0], second_.in[i]);
      adf::location<adf::PLIO>(second_in[i]) = adf::shim(kSecond_inColumns[i]);
@@ same: 2
      const std::string name = "second_out_" + std::to_string(i);
      second_out[i] = adf::output_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(second_.out[i], second_out[i].in[0]);
      adf::location<adf::PLIO>(second_out[i]) = adf::shim(kSecond_outColumns[i]);
@@ same: 5 in graph.h.j2
  static constexpr int kFirst_inColumns[3] = {
      6, 6, 6,
  };
  static constexpr int kFirst_outColumns[3] = {
@@ same: 2
  static constexpr int kSecond_inColumns[2] = {
      7, 7,
  };
  static constexpr int kSecond_outColumns[2] = {
@@ same: 3 in graph.h
  FirstGraph first_;
  SecondGraph second_;
};
