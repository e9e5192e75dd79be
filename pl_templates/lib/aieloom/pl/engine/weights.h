// Weights for the columns of chains of an engine on the array, product after product.
//
//   w --> load_set --> one cache --.
//                                  + in turns: while a set of tiles is sent, the next one is loaded
//         the other cache --> send_set --> out, a stream for each part of K
//
// II: a word a cycle loaded, a word a cycle sent on each stream. Cost: two caches of kParts x kCacheWords words of 128 bits.
#pragma once

#include <cstdint>

#include "../storage.h"
#include "../words.h"
#include "control.h"

namespace aieloom {
namespace pl {
namespace weights {

using Bits = ap_uint<128>;  // 16 bytes of weights in the order in which a core takes them
using Packet = Axis<128>;

/// The traits say Layer, the sequencer's layers; kRows of chains, kParts of K, kColumns, kTileM pixels of a core's tile, kWeightWords of a core's tile of
/// weights, kCacheWords of a part of K, kAhead where the next product is told while one is computed.
template <class T>
using Cache = Bits[T::kParts][T::kCacheWords];  // weights of a set of tiles, part of K by part

/// A set of tiles of output channels of a layer, counted over all its groups.
template <class Layer>
int first_of(const Layer& l, int set) {
  return set / sets_of(l) * l.tiles + set % sets_of(l) * l.together;
}

template <class Layer>
int tiles_in(const Layer& l, int set) {
  return tiles_of(l, set % sets_of(l));
}

/// Reads a set's weights; nothing of what is no product.
template <class T>
void load_set(const Bits* w, const typename T::Layer& l, int set, int unit, Cache<T>& cache) {
#pragma HLS inline off
  if (l.opcode != kProduct) {
    return;
  }
  const int words = l.passes * T::kWeightWords;
  const int tiles = tiles_in(l, set);
  for (int tile = 0; tile < tiles; ++tile) {
    const std::int64_t from = l.w_at + (static_cast<std::int64_t>(first_of(l, set) + tile) * T::kColumns + unit) * T::kParts * words;
    for (int part = 0; part < T::kParts; ++part) {
      for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1
        cache[part][tile * words + i] = w[from + static_cast<std::int64_t>(part) * words + i];
      }
    }
  }
}

/// Sends a set for every block of pixels of all images: in each round one tile's for all blocks, then the next one's.
template <class T>
void send_set(const Cache<T>& cache, const typename T::Layer& l, int set, hls::stream<Packet> out[T::kParts]) {
#pragma HLS inline off
  if (l.opcode != kProduct) {
    return;
  }
  const int rounds = rounds_of(l, T::kRows);
  const int words = l.passes * T::kWeightWords;
  const int tiles = tiles_in(l, set);
  for (int round = 0; round < rounds; ++round) {
    const int blocks = blocks_of(l, round, T::kTileM);
    for (int tile = 0; tile < tiles; ++tile) {
      for (int block = 0; block < blocks; ++block) {
        int word = 0;  // of a pass
        for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1
          const bool last = word == T::kWeightWords - 1;
          for (int part = 0; part < T::kParts; ++part) {
#pragma HLS unroll
            out[part].write(axis_of(cache[part][tile * words + i], last));
          }
          word = last ? 0 : word + 1;
        }
      }
    }
  }
}

/// The weights of column `unit` of chains. While a set is sent the next one is loaded, the next layer's first too where that is told ahead. The two calls
/// share nothing, so they run side by side [UG1399, functions are scheduled in parallel].
template <class T>
void bring(const Bits* w, int unit, hls::stream<Control>& control, hls::stream<Packet> out[T::kParts]) {
#pragma HLS inline
  static Cache<T> even;
  static Cache<T> odd;
#pragma HLS array_partition variable=even type=complete dim=1
#pragma HLS array_partition variable=odd type=complete dim=1
  bind_storage(even, typename T::CacheStorage());
  bind_storage(odd, typename T::CacheStorage());
  typename T::Layer now = {};
  now.opcode = kRest;
  int set = 0;
  bool loads_even = true;
  while (now.opcode != kEnd) {
    typename T::Layer next = now;
    int next_set = set + 1;
    if (now.opcode == kRest || next_set == now.groups * sets_of(now)) {
      next_set = 0;
      if (T::kAhead != 0 || now.opcode == kRest) {
        take(control, next);
      } else {
        next.opcode = kRest;
      }
    }
    if (loads_even) {
      load_set<T>(w, next, next_set, unit, even);
      send_set<T>(odd, now, set, out);
    } else {
      load_set<T>(w, next, next_set, unit, odd);
      send_set<T>(even, now, set, out);
    }
    now = next;
    set = next_set;
    loads_even = !loads_even;
  }
}

}  // namespace weights
}  // namespace pl
}  // namespace aieloom
