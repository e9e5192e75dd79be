// A is 16 x 32, B is 32 x 16; tiles of 4 x 8, 8 x 8 and 4 x 8 for the int8 mmul.
#pragma once
#define A_ROWS 16
#define A_COLS 32
#define B_ROWS A_COLS
#define B_COLS 16
#define C_ROWS A_ROWS
#define C_COLS B_COLS
#define ATILES_ROWS 4
#define ATILES_COLS 8
#define BTILES_ROWS ATILES_COLS
#define BTILES_COLS 8
#define CTILES_ROWS ATILES_ROWS
#define CTILES_COLS BTILES_COLS
