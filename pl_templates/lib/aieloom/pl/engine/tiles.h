// Tiles of sums from chains of cores, and the elements that become of them.
//
//   in, a stream for each chain --> receive --> mmul after mmul: kTileM x kTileN sums --> word_of: kLanes channels of a pixel
//
// II: four sums a cycle of each chain; a word a cycle. Cost: kBanks memories for each chain; what makes kLanes elements (finish.h).
#pragma once

#include "../words.h"
#include "finish.h"

namespace aieloom {
namespace pl {

using TilePacket = Axis<128>;  // four sums

/// What follows from the traits: Values, Finished; kColumns of chains, kTileM x kTileN of a core's tile in mmuls of kBlockM x kBlockN,
/// kMostTogether tiles that share loads.
template <class T>
struct TilesOf {
  using Sum = typename T::Values::Sum;
  using Tiles = Sum[T::kColumns][T::kTileM * T::kTileN];
  static constexpr int kChannels = T::kColumns * T::kTileN;  // of a tile
  static constexpr int kWords = kChannels / kLanes;          // of a pixel of it
  static constexpr int kBanks = kLanes * T::kBlockM;         // 16 neighbouring channels lie in as many
  using Channels = Channel<Sum>[T::kMostTogether * kChannels];
  static_assert(T::kTileN % kLanes == 0, "a tile has whole words of channels");
  static_assert(T::kTileM % T::kBlockM == 0 && T::kTileN % T::kBlockN == 0, "a tile has whole mmuls");
};

/// Takes a tile of sums from each chain.
template <class T>
void receive(hls::stream<TilePacket> in[T::kColumns], typename TilesOf<T>::Tiles& tiles) {
  for (int i = 0; i < T::kTileM * T::kTileN; i += 4) {
#pragma HLS pipeline II=1
    for (int z = 0; z < T::kColumns; ++z) {
#pragma HLS unroll
      const ap_uint<128> four = in[z].read().data;
      for (int j = 0; j < 4; ++j) {
#pragma HLS unroll
        tiles[z][i + j] = T::Values::number_of(four.range(32 * j + 31, 32 * j).to_int());
      }
    }
  }
}

/// Elements of a word of a pixel. Numbers without a sign, so that it is seen which banks the lanes mean.
template <class T>
Word<typename T::Values::Element> word_of(const typename TilesOf<T>::Tiles& tiles, const Channel<typename T::Values::Sum>* channels,
                                          const Finish<typename T::Values::Sum>& f, unsigned p, unsigned word) {
#pragma HLS inline
  constexpr unsigned kTileN = T::kTileN;
  constexpr unsigned kBlockM = T::kBlockM;
  constexpr unsigned kBlockN = T::kBlockN;
  const unsigned z = word / (kTileN / kLanes);
  const unsigned first = word % (kTileN / kLanes) * kLanes;
  Word<typename T::Values::Element> result;
  for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
    const unsigned n = first + q;
    const unsigned at = ((p / kBlockM * (kTileN / kBlockN) + n / kBlockN) * kBlockM + p % kBlockM) * kBlockN + n % kBlockN;
    result.lane[q] = T::Finished::of(tiles[z][at], channels[word * kLanes + q], f);
  }
  return result;
}

}  // namespace pl
}  // namespace aieloom
