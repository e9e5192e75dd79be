@@ sha256: 449410bacb9aec2bc6a746c2593e60574eb38b32f792f04e1821ef33f7da5ff7
// pl_first_to_output.cpp: no layer on programmable logic, 4x4x4 float32 to 4x4x4 float32.
@@ same: 164
extern "C" void pl_first_to_output(
@@ same: 11
  float map_out[4][64];  // one image for s2mm; a copy for each value of an output word
@@ same: 9
