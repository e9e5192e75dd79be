@@ sha256: 91beb656904be1ec753edfd52cb777b29d23d7767907eaf92e0493dd3461c962
// graph.h: the graph of pooled.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 6 in graph.h.j2
#include "one_graph.h"
#include "pool_graph.h"
@@ same: 2
/// pooled: 4 kernels, 4 tiles in use.
class PooledDesign : public adf::graph {
@@ same: 2
  adf::input_plio one_weights[1];
  adf::output_plio two_out[1];

  PooledDesign() {
    // PL to one: 2 x 1152 B in memory tile (11, 0)
    one_input_ = adf::shared_buffer<bfloat16>::create({72, 1, 8}, 1, 1);
    adf::num_buffers(one_input_) = 2;
    adf::location<adf::buffer>(one_input_) = {adf::address(11, 0, 0), adf::address(11, 0, 1152)};
    adf::write_access(one_input_.in[0]) = adf::tiling({
        .buffer_dimension = {72, 1, 8},
        .tiling_dimension = {72, 1, 8},
@@ same: 4 in graph.h
        .buffer_dimension = {72, 1, 8},
        .tiling_dimension = {96, 1, 8},
@@ same: 2
        .boundary_dimension = {72, 1, 8}});
    adf::connect<>(one_input_.out[0], one_.in[0]);

    // one to pool: 2 x 1536 B in memory tile (10, 0)
    pool_input_ = adf::shared_buffer<bfloat16>::create({96, 1, 8}, 1, 1);
    adf::num_buffers(pool_input_) = 2;
    adf::location<adf::buffer>(pool_input_) = {adf::address(10, 0, 0), adf::address(10, 0, 1536)};
    adf::write_access(pool_input_.in[0]) = adf::tiling({
        .buffer_dimension = {96, 1, 8},
        .tiling_dimension = {96, 1, 8},
@@ same: 3 in graph.h
    adf::connect<>(one_.out[0], pool_input_.in[0]);
    adf::read_access(pool_input_.out[0]) = adf::tiling({
        .buffer_dimension = {96, 1, 8},
        .tiling_dimension = {64, 1, 8},
@@ same: 2
        .boundary_dimension = {72, 1, 8}});
    adf::connect<>(pool_input_.out[0], pool_.in[0]);

    // pool to two: 2 x 256 B in memory tile (12, 0)
    two_input_ = adf::shared_buffer<bfloat16>::create({32, 1, 4}, 1, 1);
    adf::num_buffers(two_input_) = 2;
    adf::location<adf::buffer>(two_input_) = {adf::address(12, 0, 0), adf::address(12, 0, 256)};
    adf::write_access(two_input_.in[0]) = adf::tiling({
        .buffer_dimension = {32, 1, 4},
        .tiling_dimension = {32, 1, 4},
@@ same: 3 in graph.h
    adf::connect<>(pool_.out[0], two_input_.in[0]);
    adf::read_access(two_input_.out[0]) = adf::tiling({
        .buffer_dimension = {32, 1, 4},
        .tiling_dimension = {48, 1, 4},
@@ same: 2
        .boundary_dimension = {32, 1, 4}});
    adf::connect<>(two_input_.out[0], two_.in[0]);

    // two to PL: 2 x 256 B in memory tile (13, 0)
    two_output_ = adf::shared_buffer<bfloat16>::create({32, 1, 4}, 1, 1);
    adf::num_buffers(two_output_) = 2;
    adf::location<adf::buffer>(two_output_) = {adf::address(13, 0, 0), adf::address(13, 0, 256)};
    adf::write_access(two_output_.in[0]) = adf::tiling({
@@ same: 7 in graph.h
        .buffer_dimension = {32, 1, 4},
        .tiling_dimension = {24, 1, 1},
        .offset = {0, 0, 0},
        .tile_traversal = {{.dimension = 2, .stride = 1, .wrap = 4}, {.dimension = 1, .stride = 1, .wrap = 1}},
@@ same: 24 in graph.h, graph.h.j2
  static constexpr int kOne_inColumns[1] = {
      11,
  };
  static constexpr int kOne_weightsColumns[1] = {
@@ same: 3 in graph.h
      12,
@@ same: 2
  OneGraph one_;
  PoolGraph pool_;
@@ same: 2
  adf::shared_buffer<bfloat16> pool_input_;
  adf::shared_buffer<bfloat16> two_input_;
@@ same: 2
