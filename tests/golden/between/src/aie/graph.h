// graph.h: the graph of between.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#pragma once

#include <adf.h>

#include <string>

#include "first_graph.h"
#include "second_graph.h"

/// between: 2 kernels, 2 tiles in use.
class BetweenDesign : public adf::graph {
 public:
  adf::input_plio first_in[1];
  adf::output_plio first_out[1];
  adf::input_plio second_in[1];
  adf::output_plio second_out[1];

  BetweenDesign() {
    for (unsigned i = 0; i < 1; ++i) {
      const std::string name = "first_in_" + std::to_string(i);
      first_in[i] = adf::input_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(first_in[i].out[0], first_.in[i]);
      adf::location<adf::PLIO>(first_in[i]) = adf::shim(kFirst_inColumns[i]);
    }
    for (unsigned i = 0; i < 1; ++i) {
      const std::string name = "first_out_" + std::to_string(i);
      first_out[i] = adf::output_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(first_.out[i], first_out[i].in[0]);
      adf::location<adf::PLIO>(first_out[i]) = adf::shim(kFirst_outColumns[i]);
    }
    for (unsigned i = 0; i < 1; ++i) {
      const std::string name = "second_in_" + std::to_string(i);
      second_in[i] = adf::input_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(second_in[i].out[0], second_.in[i]);
      adf::location<adf::PLIO>(second_in[i]) = adf::shim(kSecond_inColumns[i]);
    }
    for (unsigned i = 0; i < 1; ++i) {
      const std::string name = "second_out_" + std::to_string(i);
      second_out[i] = adf::output_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(second_.out[i], second_out[i].in[0]);
      adf::location<adf::PLIO>(second_out[i]) = adf::shim(kSecond_outColumns[i]);
    }
  }

 private:
  // Interface columns of the PLIOs.
  static constexpr int kFirst_inColumns[1] = {
      6,
  };
  static constexpr int kFirst_outColumns[1] = {
      6,
  };
  static constexpr int kSecond_inColumns[1] = {
      7,
  };
  static constexpr int kSecond_outColumns[1] = {
      7,
  };

  FirstGraph first_;
  SecondGraph second_;
};
