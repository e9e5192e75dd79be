// array_product.h: one matrix product on the array.
#pragma once

#include "xrt.h"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "run.h"

namespace aieloom::host {

/// The memory of a matrix: a buffer for each mover, with room for `share` streams, for `last` in the last one.
struct Side {
  std::size_t share;  // streams of a mover at most, whose words lie together in its memory
  std::size_t streams;
  std::size_t last;
  std::size_t tile;   // elements
  std::size_t lanes;  // of a stream word

  std::size_t room(std::size_t mover) const { return (mover + 1) * share < streams ? share : last; }

  /// Elements of a mover's buffer for so many tiles of each stream.
  std::size_t elements(std::size_t mover, std::size_t tiles) const { return tiles * room(mover) * tile; }

  /// Where element `e` of tile number `number` of stream `s` lies in its mover's buffer: word i of all its streams together.
  std::size_t place(std::size_t number, std::size_t e, std::size_t s) const {
    const std::size_t together = room(s / share);
    return number * together * tile + (e / lanes * together + s % share) * lanes + e % lanes;
  }
};

/// A matrix's movers, each with its buffer.
template <class T>
struct Movers {
  std::vector<xrt::kernel> kernels;
  std::vector<xrt::bo> buffers;
  std::vector<T*> memory;
  std::vector<xrt::run> runs;

  Movers(const xrt::device& device, const xrt::uuid& uuid, const std::vector<const char*>& names, const Side& side,
         std::size_t tiles) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t bytes = side.elements(i, tiles) * sizeof(T);
      kernels.emplace_back(device, uuid, names[i]);
      buffers.emplace_back(device, bytes, kernels.back().group_id(0));
      memory.push_back(buffers.back().template map<T*>());
      std::memset(static_cast<void*>(memory.back()), 0, bytes);
    }
  }

  void sync(xclBOSyncDirection direction) {
    for (xrt::bo& buffer : buffers) {
      buffer.sync(direction);
    }
  }

  void start() {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      runs.push_back(kernels[i](buffers[i]));
    }
  }

  void wait() {
    for (xrt::run& each : runs) {
      finish(each);
    }
  }
};

/// The product on the array: tiles A and B, runs the graph, puts C together. `Cut` has the types of elements, how the matrices are cut into
/// tiles and these spread over streams, and the movers of each matrix.
template <class Cut>
class ArrayProduct {
  using Element = typename Cut::Element;
  using Result = typename Cut::Result;

 public:
  explicit ArrayProduct(const std::string& xclbin) : device_(0), uuid_(device_.load_xclbin(xclbin)) {}

  void run(const std::vector<Element>& a, const std::vector<Element>& b, const std::vector<Result>&,
           std::vector<Result>& result) {
    Movers<Element> side_a(device_, uuid_, Cut::movers_a(), kSideA, Cut::kBlocksM * Cut::kPasses);
    Movers<Element> side_b(device_, uuid_, Cut::movers_b(), kSideB, Cut::kBlocksN * Cut::kPasses);
    Movers<Result> side_c(device_, uuid_, Cut::movers_c(), kSideC, Cut::kBlocksM * Cut::kBlocksN);
    xrt::graph graph(device_, uuid_, "gemm_graph");
    pack_a(a, side_a.memory);
    pack_b(b, side_b.memory);
    side_a.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    side_b.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    graph.reset();

    const auto begin = std::chrono::steady_clock::now();
    graph.run(static_cast<int>(Cut::kBlocksM * Cut::kBlocksN));
    side_c.start();  // the streams are connected in hardware
    side_a.start();
    side_b.start();
    side_a.wait();
    side_b.wait();
    side_c.wait();
    graph.wait();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    side_c.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    unpack_c(side_c.memory, result);
  }

  /// What the device took.
  double seconds() const { return seconds_; }

 private:
  static constexpr Side kSideA{Cut::kShare, Cut::kStreamsA, Cut::kLastA, Cut::kTileA, Cut::kLanes};
  static constexpr Side kSideB{Cut::kShare, Cut::kStreamsB, Cut::kLastB, Cut::kTileB, Cut::kLanes};
  static constexpr Side kSideC{Cut::kShare, Cut::kStreamsC, Cut::kLastC, Cut::kTileC, Cut::kLanesC};

  /// Tiles A: [mi][ki], streams [x][part], each tile [row block][k block][m][k]. What lies beyond the matrix is zero already.
  static void pack_a(const std::vector<Element>& a, const std::vector<Element*>& memory) {
    for (std::size_t row = 0; row < Cut::kM; ++row) {
      const std::size_t tile_row = row / Cut::kTileM, x = tile_row % Cut::kX, mi = tile_row / Cut::kX,
                        i = row % Cut::kTileM;
      for (std::size_t k = 0; k < Cut::kK; ++k) {
        const std::size_t tile_k = k / Cut::kTileK, part = tile_k % Cut::kY, ki = tile_k / Cut::kY, j = k % Cut::kTileK;
        const std::size_t block = i / Cut::kBlockM * (Cut::kTileK / Cut::kBlockK) + j / Cut::kBlockK;
        const std::size_t e = (block * Cut::kBlockM + i % Cut::kBlockM) * Cut::kBlockK + j % Cut::kBlockK;
        const std::size_t stream = x * Cut::kY + part;
        memory[stream / Cut::kShare][kSideA.place(mi * Cut::kPasses + ki, e, stream)] = a[row * Cut::kK + k];
      }
    }
  }

  /// Tiles B: [ni][ki], streams [z][part], each tile [column block][k block][k][n]. What lies beyond the matrix is zero already.
  static void pack_b(const std::vector<Element>& b, const std::vector<Element*>& memory) {
    for (std::size_t k = 0; k < Cut::kK; ++k) {
      const std::size_t tile_k = k / Cut::kTileK, part = tile_k % Cut::kY, ki = tile_k / Cut::kY, j = k % Cut::kTileK;
      for (std::size_t col = 0; col < Cut::kN; ++col) {
        const std::size_t tile_col = col / Cut::kTileN, z = tile_col % Cut::kZ, ni = tile_col / Cut::kZ,
                          i = col % Cut::kTileN;
        const std::size_t block = i / Cut::kBlockN * (Cut::kTileK / Cut::kBlockK) + j / Cut::kBlockK;
        const std::size_t e = (block * Cut::kBlockK + j % Cut::kBlockK) * Cut::kBlockN + i % Cut::kBlockN;
        const std::size_t stream = z * Cut::kY + part;
        memory[stream / Cut::kShare][kSideB.place(ni * Cut::kPasses + ki, e, stream)] = b[k * Cut::kN + col];
      }
    }
  }

  /// Puts C together: blocks [mi][ni], streams [x][z], each tile [row block][column block][m][n].
  static void unpack_c(const std::vector<Result*>& memory, std::vector<Result>& c) {
    for (std::size_t row = 0; row < Cut::kM; ++row) {
      const std::size_t tile_row = row / Cut::kTileM, x = tile_row % Cut::kX, mi = tile_row / Cut::kX,
                        i = row % Cut::kTileM;
      for (std::size_t col = 0; col < Cut::kN; ++col) {
        const std::size_t tile_col = col / Cut::kTileN, z = tile_col % Cut::kZ, ni = tile_col / Cut::kZ,
                          j = col % Cut::kTileN;
        const std::size_t block = i / Cut::kBlockM * (Cut::kTileN / Cut::kBlockN) + j / Cut::kBlockN;
        const std::size_t e = (block * Cut::kBlockM + i % Cut::kBlockM) * Cut::kBlockN + j % Cut::kBlockN;
        const std::size_t stream = x * Cut::kZ + z;
        c[row * Cut::kN + col] = memory[stream / Cut::kShare][kSideC.place(mi * Cut::kBlocksN + ni, e, stream)];
      }
    }
  }

  xrt::device device_;
  xrt::uuid uuid_;
  double seconds_ = 0;
};

}  // namespace aieloom::host
