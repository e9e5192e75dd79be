// Movers of matrices over the array: for each block [mi][ni] of C and each pass over K a tile for each stream.
//
//   memory   pass after pass the tiles of all streams, word i of all streams together, as movers.h has it
//   A        its blocks come again for every ni; B's again for every mi (kBlockOfM says whose they are)
//
// II: the memory words that a word of each stream takes (kBeats).
#pragma once

#include "movers.h"

namespace aieloom {
namespace pl {

/// Memory to streams. Traits besides a mover's: kWords of a tile, kBlocksM, kBlocksN, kPasses, kBlockOfM.
template <class T, class... Out>
void memory_to_blocks(const ap_uint<T::kMemoryBits>* memory, Out&... out) {
#pragma HLS inline
  for (int mi = 0; mi < T::kBlocksM; ++mi) {
    for (int ni = 0; ni < T::kBlocksN; ++ni) {
      for (int ki = 0; ki < T::kPasses; ++ki) {
        const int base = ((T::kBlockOfM ? mi : ni) * T::kPasses + ki) * T::kWords * Together<T>::kBeats;
        for (int i = 0; i < T::kWords; ++i) {
#pragma HLS pipeline II=Together<T>::kBeats
          send_together<T>(memory, base + i * Together<T>::kBeats, i == T::kWords - 1, out...);
        }
      }
    }
  }
}

/// Streams to memory: block after block a tile of C from each stream.
template <class T, class... In>
void blocks_to_memory(ap_uint<T::kMemoryBits>* memory, In&... in) {
#pragma HLS inline
  for (int i = 0; i < T::kBlocksM * T::kBlocksN * T::kWords; ++i) {
#pragma HLS pipeline II=Together<T>::kBeats
    take_together<T>(memory, i * Together<T>::kBeats, in...);
  }
}

}  // namespace pl
}  // namespace aieloom
