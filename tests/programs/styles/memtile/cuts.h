// The ways into and out of memory tiles. Matrices come and go by rows; blocks of the left one and of the product pass by
// columns of blocks, those of the right one by rows.
#pragma once
#include "adf.h"
#include "shapes.h"

adf::tiling_parameters rows_of_left = {.buffer_dimension = {INNER, HEIGHT},
                                       .tiling_dimension = {INNER, 1},
                                       .offset = {0, 0},
                                       .tile_traversal = {{.dimension = 1, .stride = 1, .wrap = HEIGHT}}};
adf::tiling_parameters blocks_of_left = {
    .buffer_dimension = {INNER, HEIGHT},
    .tiling_dimension = {BLOCK_I, BLOCK_H},
    .offset = {0, 0},
    .tile_traversal = {{.dimension = 1, .stride = BLOCK_H, .wrap = BLOCKS_H},
                       {.dimension = 0, .stride = BLOCK_I, .wrap = BLOCKS_I}}};

adf::tiling_parameters rows_of_right = {.buffer_dimension = {WIDTH, INNER},
                                        .tiling_dimension = {WIDTH, 1},
                                        .offset = {0, 0},
                                        .tile_traversal = {{.dimension = 1, .stride = 1, .wrap = INNER}}};
adf::tiling_parameters blocks_of_right = {
    .buffer_dimension = {WIDTH, INNER},
    .tiling_dimension = {BLOCK_W, BLOCK_I},
    .offset = {0, 0},
    .tile_traversal = {{.dimension = 0, .stride = BLOCK_W, .wrap = BLOCKS_W},
                       {.dimension = 1, .stride = BLOCK_I, .wrap = BLOCKS_I}}};

adf::tiling_parameters blocks_of_product = {
    .buffer_dimension = {WIDTH, HEIGHT},
    .tiling_dimension = {BLOCK_W, BLOCK_H},
    .offset = {0, 0},
    .tile_traversal = {{.dimension = 1, .stride = BLOCK_H, .wrap = BLOCKS_H},
                       {.dimension = 0, .stride = BLOCK_W, .wrap = BLOCKS_W}}};
adf::tiling_parameters rows_of_product = {.buffer_dimension = {WIDTH, HEIGHT},
                                          .tiling_dimension = {WIDTH, 1},
                                          .offset = {0, 0},
                                          .tile_traversal = {{.dimension = 1, .stride = 1, .wrap = HEIGHT}}};

// what a kernel sees: blocks one after the other
std::vector<uint32> left_seen = {BLOCK_H * BLOCK_I, BLOCKS_H* BLOCKS_I};
std::vector<uint32> right_seen = {BLOCK_I * BLOCK_W, BLOCKS_I* BLOCKS_W};
std::vector<uint32> product_seen = {BLOCK_H * BLOCK_W, BLOCKS_H* BLOCKS_W};
