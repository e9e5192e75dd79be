@@ sha256: 195e61d0c88e60ac3365f842a3070e5a61dad94aa907ea2e193ab4dfe043be68
// graph.h: the graph of split.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 6 in graph.h.j2
#include "wide_graph.h"
#include "last_graph.h"

/// split: 5 kernels, 5 tiles in use.
class SplitDesign : public adf::graph {
 public:
  adf::input_plio wide_in[2];
  adf::output_plio wide_out[4];
  adf::input_plio last_in[1];
  adf::output_plio last_out[1];

  SplitDesign() {
    for (unsigned i = 0; i < 2; ++i) {
      const std::string name = "wide_in_" + std::to_string(i);
      wide_in[i] = adf::input_plio::create(name, adf::plio_32_bits, "data/" + name + ".txt", 250);
      adf::connect<>(wide_in[i].out[0], wide_.in[i]);
      adf::location<adf::PLIO>(wide_in[i]) = adf::shim(kWide_inColumns[i]);
    }
    for (unsigned i = 0; i < 4; ++i) {
      const std::string name = "wide_out_" + std::to_string(i);
      wide_out[i] = adf::output_plio::create(name, adf::plio_32_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(wide_.out[i], wide_out[i].in[0]);
      adf::location<adf::PLIO>(wide_out[i]) = adf::shim(kWide_outColumns[i]);
    }
    for (unsigned i = 0; i < 1; ++i) {
      const std::string name = "last_in_" + std::to_string(i);
      last_in[i] = adf::input_plio::create(name, adf::plio_128_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(last_in[i].out[0], last_.in[i]);
      adf::location<adf::PLIO>(last_in[i]) = adf::shim(kLast_inColumns[i]);
@@ same: 2
      const std::string name = "last_out_" + std::to_string(i);
      last_out[i] = adf::output_plio::create(name, adf::plio_128_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(last_.out[i], last_out[i].in[0]);
      adf::location<adf::PLIO>(last_out[i]) = adf::shim(kLast_outColumns[i]);
@@ same: 5 in graph.h.j2
  static constexpr int kWide_inColumns[2] = {
      6, 6,
  };
  static constexpr int kWide_outColumns[4] = {
      6, 6, 6, 6,
  };
  static constexpr int kLast_inColumns[1] = {
      7,
  };
  static constexpr int kLast_outColumns[1] = {
@@ same: 3 in graph.h
  WideGraph wide_;
  LastGraph last_;
};
