// engine.h: the matrix engine in the logic: R = alpha A B + beta C of matrices of any size.
#pragma once

#include "xrt.h"

#include <chrono>
#include <cstddef>

#include "run.h"

namespace aieloom::host {

/// The engine with its buffers. `Traits` names the kernel, kName, and has the types of elements of A or B in device memory, `Memory`, and of
/// alpha, beta, C and R, `Scalar`; a block of C has kBlockM rows and kBlockN columns, one of A kBlockK columns.
template <class Traits>
class Engine {
 public:
  using Memory = typename Traits::Memory;
  using Scalar = typename Traits::Scalar;

  Engine(const xrt::device& device, const xrt::uuid& uuid) : device_(device), kernel_(device, uuid, Traits::kName) {}

  /// `a(i, k)`, `b(k, j)` and `c(i, j)` give elements; c is asked only where beta is not 0. `put(i, j, value)` takes results.
  template <typename A, typename B, typename C, typename Put>
  void multiply(std::size_t m, std::size_t n, std::size_t k, A a, B b, Scalar alpha, Scalar beta, C c, Put put) {
    const std::size_t blocks_m = blocks(m, kBlockM);
    const std::size_t blocks_n = blocks(n, kBlockN);
    const std::size_t blocks_k = blocks(k, kBlockK);
    room(a_, blocks_m * blocks_k * kBlockM * kBlockK * sizeof(Memory), 0);
    room(b_, blocks_n * blocks_k * kBlockK * kBlockN * sizeof(Memory), 1);
    room(c_, beta == 0 ? sizeof(Scalar) : blocks_m * blocks_n * kBlockM * kBlockN * sizeof(Scalar), 2);
    room(r_, blocks_m * blocks_n * kBlockM * kBlockN * sizeof(Scalar), 3);
    Memory* const to_a = a_.map<Memory*>();
    for (std::size_t mi = 0; mi < blocks_m; ++mi) {
      for (std::size_t ki = 0; ki < blocks_k; ++ki) {
        fill(to_a + (mi * blocks_k + ki) * kBlockM * kBlockK, {mi * kBlockM, ki * kBlockK, kBlockM, kBlockK, m, k}, a);
      }
    }
    Memory* const to_b = b_.map<Memory*>();
    for (std::size_t ni = 0; ni < blocks_n; ++ni) {
      for (std::size_t ki = 0; ki < blocks_k; ++ki) {
        fill(to_b + (ni * blocks_k + ki) * kBlockK * kBlockN, {ki * kBlockK, ni * kBlockN, kBlockK, kBlockN, k, n}, b);
      }
    }
    if (beta != 0) {
      Scalar* const to_c = c_.map<Scalar*>();
      for (std::size_t block = 0; block < blocks_m * blocks_n; ++block) {
        fill(to_c + block * kBlockM * kBlockN,
             {block / blocks_n * kBlockM, block % blocks_n * kBlockN, kBlockM, kBlockN, m, n}, c);
      }
      c_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    }
    a_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    b_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    const auto begin = std::chrono::steady_clock::now();
    xrt::run run = kernel_(a_, b_, c_, r_, static_cast<int>(blocks_m), static_cast<int>(blocks_n),
                           static_cast<int>(blocks_k), alpha, beta);
    finish(run);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    r_.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    const Scalar* const from = r_.map<const Scalar*>();
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t block = i / kBlockM * blocks_n + j / kBlockN;
        put(i, j, from[(block * kBlockM + i % kBlockM) * kBlockN + j % kBlockN]);
      }
    }
  }

  /// What the engine took, from start to wait.
  double seconds() const { return seconds_; }

 private:
  static constexpr std::size_t kBlockM = Traits::kBlockM;
  static constexpr std::size_t kBlockN = Traits::kBlockN;
  static constexpr std::size_t kBlockK = Traits::kBlockK;

  /// A block in a matrix: where it begins, its size, the matrix's size.
  struct Place {
    std::size_t row, column, rows, columns, all_rows, all_columns;
  };

  static std::size_t blocks(std::size_t length, std::size_t block) { return (length + block - 1) / block; }

  /// Writes a block row after row; what lies beyond the matrix is 0.
  template <typename T, typename At>
  static void fill(T* to, const Place& place, At at) {
    for (std::size_t i = place.row; i < place.row + place.rows; ++i) {
      for (std::size_t j = place.column; j < place.column + place.columns; ++j) {
        *to++ = i < place.all_rows && j < place.all_columns ? at(i, j) : T(0);
      }
    }
  }

  /// Makes a buffer of at least so many bytes for one of the engine's ports.
  void room(xrt::bo& buffer, std::size_t bytes, int port) {
    if (!buffer || buffer.size() < bytes) {
      buffer = xrt::bo(device_, bytes, kernel_.group_id(port));
    }
  }

  xrt::device device_;
  xrt::kernel kernel_;
  xrt::bo a_, b_, c_, r_;
  double seconds_ = 0;
};

}  // namespace aieloom::host
