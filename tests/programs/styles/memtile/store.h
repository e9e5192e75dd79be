// What stands between the files and the array: matrices cut into blocks, a picture with its mount, crates restacked, a
// ledger in DDR memory whose pages are turned.
#pragma once
#include <adf.h>
#include "cuts.h"
#include "kernels.h"

using namespace adf;

template <typename NARROW, typename WIDE, int DOWN, int COLUMN>
class Product : public graph {
  kernel multiply;
  shared_buffer<NARROW> left_store, right_store;
  shared_buffer<WIDE> product_store;

 public:
  input_port left, right;
  output_port product;

  Product() {
    multiply = kernel::create(multiply_blocks<NARROW, WIDE, DOWN>);
    source(multiply) = "kernels.cpp";
    runtime<ratio>(multiply) = 0.75;
    location<kernel>(multiply) = tile(COLUMN, 1);
    dimensions(multiply.in[0]) = left_seen;
    dimensions(multiply.in[1]) = right_seen;
    dimensions(multiply.out[0]) = product_seen;

    left_store = shared_buffer<NARROW>::create({INNER, HEIGHT}, 1, 1);
    right_store = shared_buffer<NARROW>::create({WIDTH, INNER}, 1, 1);
    product_store = shared_buffer<WIDE>::create({WIDTH, HEIGHT}, 1, 1);
    num_buffers(left_store) = num_buffers(right_store) = num_buffers(product_store) = 2;
    write_access(left_store.in[0]) = rows_of_left;
    read_access(left_store.out[0]) = blocks_of_left;
    write_access(right_store.in[0]) = rows_of_right;
    read_access(right_store.out[0]) = blocks_of_right;
    write_access(product_store.in[0]) = blocks_of_product;
    read_access(product_store.out[0]) = rows_of_product;

    connect(left, left_store.in[0]);
    connect(right, right_store.in[0]);
    connect(left_store.out[0], multiply.in[0]);
    connect(right_store.out[0], multiply.in[1]);
    connect(multiply.out[0], product_store.in[0]);
    connect(product_store.out[0], product);
  };
};

/// Two pictures of 24 x 5, read with a mount of zeros: two at each side, one above and below.
template <int COLUMN>
class Mount : public adf::graph {
  adf::kernel hand;
  adf::shared_buffer<int32> wall;

 public:
  adf::port<input> bare[1];
  adf::port<output> mounted[1];

  Mount() {
    hand = adf::kernel::create(copy_words<28 * 7 * 2>);
    adf::source(hand) = "kernels.cpp";
    adf::runtime<ratio>(hand) = 0.5;
    adf::location<adf::kernel>(hand) = adf::tile(COLUMN, 2);
    wall = adf::shared_buffer<int32>::create({24, 5, 2}, 1, 1);
    adf::location<adf::buffer>(wall) = {adf::address(COLUMN, 0, 0x400)};
    num_buffers(wall) = 1;
    adf::location<adf::dma>(wall.in[0]) = adf::dma_channel(adf::memory_tile, COLUMN, 0, 3);
    adf::location<adf::dma>(wall.out[0]) = adf::dma_channel(adf::memory_tile, COLUMN, 0, 2);
    adf::location<adf::dma>(hand.in[0]) = adf::dma_channel(adf::aie_tile, COLUMN, 2, 1);
    adf::write_access(wall.in[0]) =
        adf::tiling({.buffer_dimension = {24, 5, 2}, .tiling_dimension = {24, 5, 2}, .offset = {0, 0, 0}});
    adf::read_access(wall.out[0]) = adf::tiling({.buffer_dimension = {24, 5, 2},
                                                 .tiling_dimension = {28, 7, 2},
                                                 .offset = {-2, -1, 0},
                                                 .tile_traversal = {}});
    adf::connect(bare[0], wall.in[0]);
    adf::connect(wall.out[0], hand.in[0]);
    adf::connect(hand.out[0], mounted[0]);
  };
};

/// Crates of 6 x 4 x 5 in a store of 8 x 4 x 6, taken out by height, then length, then depth; three to a run.
class Restack : public graph {
  using Bottle = cint16;
  shared_buffer<Bottle> cellar;
  kernel porter, waiter;

 public:
  port<input> crates;
  port<output> served;

  Restack(void) {
    tiling_parameters stacked = {.buffer_dimension = {8, 4, 6},
                                 .tiling_dimension = {1, 1, 1},
                                 .offset = {0, 0, 0},
                                 .tile_traversal = {{.dimension = 0, .stride = 1, .wrap = 6},
                                                    {.dimension = 1, .stride = 1, .wrap = 4},
                                                    {.dimension = 2, .stride = 1, .wrap = 5}}};
    tiling_parameters taken = stacked;
    taken.tile_traversal = {{.dimension = 2, .stride = 1, .wrap = 5},
                            {.dimension = 0, .stride = 1, .wrap = 6},
                            {.dimension = 1, .stride = 1, .wrap = 4}};
    cellar = shared_buffer<Bottle>::create({8, 4, 6}, 1, 1);
    repetition_count(cellar) = 3;
    num_buffers(cellar) = 2;
    write_access(cellar.in[0]) = tiling(stacked);
    read_access(cellar.out[0]) = tiling(taken);

    porter = kernel::create(send_quadruple);
    waiter = kernel::create(add_to_quadruple);
    for (kernel* one : {&porter, &waiter}) {
      source(*one) = "kernels.cpp";
      runtime<ratio>(*one) = 0.65;
      dimensions(one->in[0]) = {6 * 4 * 5};
    }
    dimensions(waiter.out[0]) = {6 * 4 * 5};
    connect<>(crates, cellar.in[0]);
    connect<> stairs(cellar.out[0], porter.in[0]);
    connect<> lift(cellar.out[0], waiter.in[0]);
    fifo_depth(stairs) = 48;
    fifo_depth(lift) = 48;
    connect<cascade>(porter.out[0], waiter.in[1]);
    connect<>(waiter.out[0], served);
    location<kernel>(porter) = tile(22, 3);
    location<kernel>(waiter) = location<kernel>(porter) + relative_offset({.col_offset = 1});
  }
};

/// Three pages of 8 lines of 6 entries in DDR memory; each column of entries becomes a line.
class Ledger : public adf::graph {
  adf::kernel clerk;

 public:
  adf::external_buffer<int32> by_line, by_column;

  Ledger() {
    clerk = adf::kernel::create(copy_words<6 * 8>);
    adf::source(clerk) = "kernels.cpp";
    adf::runtime<ratio>(clerk) = 0.2;
    by_line = adf::external_buffer<int32>::create({6, 8, 3}, 0, 1);
    by_column = adf::external_buffer<int32>::create({8, 6, 3}, 1, 0);
    adf::read_access(by_line.out[0]) = adf::tiling({.buffer_dimension = {6, 8, 3},
                                                    .tiling_dimension = {6, 8, 1},
                                                    .offset = {0, 0, 0},
                                                    .tile_traversal = {{.dimension = 2, .stride = 1, .wrap = 3}}});
    adf::write_access(by_column.in[0]) = adf::tiling({.buffer_dimension = {8, 6, 3},
                                                      .tiling_dimension = {1, 6, 1},
                                                      .offset = {0, 0, 0},
                                                      .tile_traversal = {{.dimension = 0, .stride = 1, .wrap = 8},
                                                                         {.dimension = 2, .stride = 1, .wrap = 3}}});
    adf::connect(by_line.out[0], clerk.in[0]);
    adf::connect(clerk.out[0], by_column.in[0]);
  };
};

class Store : public graph {
  Product<int8, int16, 4, 13> product;
  Mount<17> mount;
  Restack restack;

  static input_plio arriving(const std::string& name, plio_type width) {
    return input_plio::create(name, width, "data/" + name + ".txt", 200);
  }
  static output_plio leaving(const std::string& name) {
    return output_plio::create(name, plio_128_bits, "data/" + name + ".txt", 200);
  }

 public:
  input_plio left = arriving("left", plio_128_bits), right = arriving("right", plio_128_bits),
             pictures = arriving("pictures", plio_64_bits), crates = arriving("crates", plio_64_bits);
  output_plio products = leaving("products"), mounted = leaving("mounted"), served = leaving("served");

  Store() {
    adf::connect(left.out[0], product.left);
    adf::connect(right.out[0], product.right);
    adf::connect(product.product, products.in[0]);
    adf::connect(pictures.out[0], mount.bare[0]);
    adf::connect(mount.mounted[0], mounted.in[0]);
    adf::connect(crates.out[0], restack.crates);
    adf::connect(restack.served, served.in[0]);
  };
};
