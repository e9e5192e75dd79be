@@ sha256: 1ec884106ebfeb59816a53e25e6841dd017aca1cf1b8545f77d3f87e47efe3ad
// pl_first_to_output.cpp: no layer on programmable logic, 4x4x4 float32 to 4x4x4 float32.
@@ same: 164
extern "C" void pl_first_to_output(
@@ same: 11
  float map_out[4][64];  // one image for s2mm; a copy for each value of an output word
@@ same: 9
