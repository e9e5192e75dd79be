// A product of 24 x 16 by 16 x 40, in blocks of 4 x 8 by 8 x 8.
#pragma once
constexpr unsigned HEIGHT = 24, INNER = 16, WIDTH = 40;
constexpr unsigned BLOCK_H = 4, BLOCK_I = 8, BLOCK_W = 8;
constexpr unsigned BLOCKS_H = HEIGHT / BLOCK_H, BLOCKS_I = INNER / BLOCK_I, BLOCKS_W = WIDTH / BLOCK_W;
