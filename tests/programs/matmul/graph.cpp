#include "kernels.h"

#include <string>
#include <vector>

using namespace adf;

/// One block of Y: a core for each block along K, and a tree of adders.
class Block : public graph {
 public:
  input_port a[kDepth], b[kDepth];
  output_port y;
  kernel product[kDepth], sum[kDepth - 1];
  Block() {
    for (unsigned k = 0; k < kDepth; ++k) {
      product[k] = kernel::create(multiply);
      source(product[k]) = "multiply.cc";
      runtime<ratio>(product[k]) = 0.9;
      connect<>(a[k], product[k].in[0]);
      connect<>(b[k], product[k].in[1]);
    }
    for (unsigned i = 0; i < kDepth - 1; ++i) {
      sum[i] = kernel::create(add);
      source(sum[i]) = "add.cc";
      runtime<ratio>(sum[i]) = 0.9;
    }
    // ((p0 + p1) + (p2 + p3))
    connect<>(product[0].out[0], sum[0].in[0]);
    connect<>(product[1].out[0], sum[0].in[1]);
    connect<>(product[2].out[0], sum[1].in[0]);
    connect<>(product[3].out[0], sum[1].in[1]);
    connect<>(sum[0].out[0], sum[2].in[0]);
    connect<>(sum[1].out[0], sum[2].in[1]);
    connect<>(sum[2].out[0], y);
  }
};

class MatMul : public graph {
 public:
  input_plio a[kRows][kDepth], b[kDepth][kCols];
  output_plio y[kRows][kCols];
  std::vector<Block> blocks;
  MatMul() : blocks(kRows * kCols) {
    for (unsigned k = 0; k < kDepth; ++k) {
      for (unsigned i = 0; i < kRows; ++i) {
        const std::string name = "a_" + std::to_string(i) + "_" + std::to_string(k);
        a[i][k] = input_plio::create(name, plio_128_bits, "data/" + name + ".txt", 312.5);
        for (unsigned j = 0; j < kCols; ++j) {
          connect<>(a[i][k].out[0], blocks[i * kCols + j].a[k]);
        }
      }
      for (unsigned j = 0; j < kCols; ++j) {
        const std::string name = "b_" + std::to_string(k) + "_" + std::to_string(j);
        b[k][j] = input_plio::create(name, plio_128_bits, "data/" + name + ".txt", 312.5);
        for (unsigned i = 0; i < kRows; ++i) {
          connect<>(b[k][j].out[0], blocks[i * kCols + j].b[k]);
        }
      }
    }
    for (unsigned i = 0; i < kRows; ++i) {
      for (unsigned j = 0; j < kCols; ++j) {
        const std::string name = "y_" + std::to_string(i) + "_" + std::to_string(j);
        y[i][j] = output_plio::create(name, plio_64_bits, name + ".txt", 312.5);
        connect<>(blocks[i * kCols + j].y, y[i][j].in[0]);
      }
    }
  }
};

MatMul matmul;

#if defined(__AIESIM__) || defined(__X86SIM__)
int main() {
  matmul.init();
  matmul.run();
  matmul.end();
  return 0;
}
#endif
