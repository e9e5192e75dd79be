@@ sha256: 8fb58a7b07f086e0bef65ac8776ae887f53bf7b0e84a2fdb76d06dad023a0b54
// graph.h: the graph of ports.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 6 in graph.h.j2
#include "one_graph.h"
#include "two_graph.h"

/// ports: 9 kernels, 10 tiles in use.
class PortsDesign : public adf::graph {
 public:
  adf::input_plio one_in[1];
  adf::input_plio one_weights[2];
  adf::output_plio two_out[1];
  adf::input_plio two_weights[1];

  PortsDesign() {
    // PL to one: 2 x 864 B in memory tile (5, 0)
    one_input_ = adf::shared_buffer<bfloat16>::create({72, 1, 6}, 1, 4);
    adf::num_buffers(one_input_) = 2;
    adf::location<adf::buffer>(one_input_) = {adf::address(5, 0, 0), adf::address(5, 0, 864)};
    adf::write_access(one_input_.in[0]) = adf::tiling({
        .buffer_dimension = {72, 1, 6},
        .tiling_dimension = {72, 1, 6},
        .offset = {0, 0, 0},
        .tile_traversal = {},
        .boundary_dimension = {}});
    adf::read_access(one_input_.out[0]) = adf::tiling({
        .buffer_dimension = {72, 1, 6},
        .tiling_dimension = {112, 1, 4},
        .offset = {-8, 0, -1},
        .tile_traversal = {},
        .boundary_dimension = {72, 1, 6}});
    adf::connect<>(one_input_.out[0], one_.in[0]);
    adf::connect<>(one_input_.out[0], one_.in[1]);
    adf::read_access(one_input_.out[1]) = adf::tiling({
@@ same: 2
        .offset = {-8, 0, 1},
@@ same: 2
    adf::connect<>(one_input_.out[1], one_.in[2]);
    adf::connect<>(one_input_.out[1], one_.in[3]);
    adf::read_access(one_input_.out[2]) = adf::tiling({
@@ same: 2
        .offset = {-8, 0, 3},
@@ same: 2
    adf::connect<>(one_input_.out[2], one_.in[4]);
    adf::connect<>(one_input_.out[2], one_.in[5]);
    adf::read_access(one_input_.out[3]) = adf::tiling({
@@ same: 2
        .offset = {-8, 0, 5},
@@ same: 2
    adf::connect<>(one_input_.out[3], one_.in[6]);
    adf::connect<>(one_input_.out[3], one_.in[7]);

    // one to two: 2 x 1536 B in memory tile (6, 0)
    two_input_0_ = adf::shared_buffer<bfloat16>::create({96, 1, 8}, 4, 1);
    adf::num_buffers(two_input_0_) = 2;
    adf::location<adf::buffer>(two_input_0_) = {adf::address(6, 0, 0), adf::address(6, 0, 1536)};
    adf::write_access(two_input_0_.in[0]) = adf::tiling({
        .buffer_dimension = {96, 1, 8},
        .tiling_dimension = {96, 1, 2},
@@ same: 3 in graph.h
    adf::connect<>(one_.out[0], two_input_0_.in[0]);
    adf::write_access(two_input_0_.in[1]) = adf::tiling({
@@ same: 2
        .offset = {0, 0, 2},
@@ same: 2
    adf::connect<>(one_.out[2], two_input_0_.in[1]);
    adf::write_access(two_input_0_.in[2]) = adf::tiling({
@@ same: 2
        .offset = {0, 0, 4},
@@ same: 2
    adf::connect<>(one_.out[4], two_input_0_.in[2]);
    adf::write_access(two_input_0_.in[3]) = adf::tiling({
@@ same: 2
        .offset = {0, 0, 6},
@@ same: 2
    adf::connect<>(one_.out[6], two_input_0_.in[3]);
    adf::read_access(two_input_0_.out[0]) = adf::tiling({
        .buffer_dimension = {96, 1, 8},
        .tiling_dimension = {80, 1, 7},
@@ same: 3 in graph.h
    adf::connect<>(two_input_0_.out[0], two_.in[0]);

    // one to two: 2 x 1536 B in memory tile (7, 0)
    two_input_1_ = adf::shared_buffer<bfloat16>::create({96, 1, 8}, 4, 1);
    adf::num_buffers(two_input_1_) = 2;
    adf::location<adf::buffer>(two_input_1_) = {adf::address(7, 0, 0), adf::address(7, 0, 1536)};
    adf::write_access(two_input_1_.in[0]) = adf::tiling({
@@ same: 5 in graph.h
    adf::connect<>(one_.out[1], two_input_1_.in[0]);
    adf::write_access(two_input_1_.in[1]) = adf::tiling({
@@ same: 5 in graph.h
    adf::connect<>(one_.out[3], two_input_1_.in[1]);
    adf::write_access(two_input_1_.in[2]) = adf::tiling({
@@ same: 5 in graph.h
    adf::connect<>(one_.out[5], two_input_1_.in[2]);
    adf::write_access(two_input_1_.in[3]) = adf::tiling({
@@ same: 5 in graph.h
    adf::connect<>(one_.out[7], two_input_1_.in[3]);
    adf::read_access(two_input_1_.out[0]) = adf::tiling({
@@ same: 5 in graph.h
    adf::connect<>(two_input_1_.out[0], two_.in[1]);

    // two to PL: 2 x 768 B in memory tile (8, 0)
    two_output_ = adf::shared_buffer<bfloat16>::create({64, 1, 6}, 1, 1);
    adf::num_buffers(two_output_) = 2;
    adf::location<adf::buffer>(two_output_) = {adf::address(8, 0, 0), adf::address(8, 0, 768)};
    adf::write_access(two_output_.in[0]) = adf::tiling({
        .buffer_dimension = {64, 1, 6},
        .tiling_dimension = {64, 1, 6},
@@ same: 3 in graph.h
    adf::connect<>(two_.out[0], two_output_.in[0]);
    adf::read_access(two_output_.out[0]) = adf::tiling({
        .buffer_dimension = {64, 1, 6},
        .tiling_dimension = {56, 1, 1},
        .offset = {0, 0, 0},
        .tile_traversal = {{.dimension = 2, .stride = 1, .wrap = 5}, {.dimension = 1, .stride = 1, .wrap = 1}},
        .boundary_dimension = {}});

    for (unsigned i = 0; i < 1; ++i) {
      const std::string name = "one_in_" + std::to_string(i);
      one_in[i] = adf::input_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(one_in[i].out[0], one_input_.in[i]);
      adf::location<adf::PLIO>(one_in[i]) = adf::shim(kOne_inColumns[i]);
@@ same: 2
      const std::string name = "one_weights_" + std::to_string(i);
      one_weights[i] = adf::input_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(one_weights[i].out[0], one_.weights[i]);
      adf::location<adf::PLIO>(one_weights[i]) = adf::shim(kOne_weightsColumns[i]);
@@ same: 2
      const std::string name = "two_out_" + std::to_string(i);
      two_out[i] = adf::output_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(two_output_.out[i], two_out[i].in[0]);
      adf::location<adf::PLIO>(two_out[i]) = adf::shim(kTwo_outColumns[i]);
@@ same: 2
      const std::string name = "two_weights_" + std::to_string(i);
      two_weights[i] = adf::input_plio::create(name, adf::plio_64_bits, "data/" + name + ".txt", 312.5);
      adf::connect<>(two_weights[i].out[0], two_.weights[i]);
      adf::location<adf::PLIO>(two_weights[i]) = adf::shim(kTwo_weightsColumns[i]);
@@ same: 5 in graph.h.j2
  static constexpr int kOne_inColumns[1] = {
      5,
  };
  static constexpr int kOne_weightsColumns[2] = {
      5, 5,
  };
  static constexpr int kTwo_outColumns[1] = {
      8,
  };
  static constexpr int kTwo_weightsColumns[1] = {
@@ same: 3 in graph.h
  OneGraph one_;
  TwoGraph two_;
  adf::shared_buffer<bfloat16> one_input_;
  adf::shared_buffer<bfloat16> two_input_0_;
  adf::shared_buffer<bfloat16> two_input_1_;
  adf::shared_buffer<bfloat16> two_output_;
};
