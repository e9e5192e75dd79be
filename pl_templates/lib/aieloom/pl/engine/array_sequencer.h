// Has layers of an engine on the array computed one after another: their numbers go to the units that compute them, whose tokens are waited for.
//
//   program in device memory, or registers --> issue --> to, a stream for each unit
//                                              '<------- done, a stream for each unit that makes results
//
// II: a number a cycle to all units. Cost: the registers of a layer.
#pragma once

#include "array_layer.h"

namespace aieloom {
namespace pl {
namespace array {

/// Sends a layer to the units that compute it, and waits for their tokens; the end goes to all, and has none. False where it is no layer. The traits say
/// kRows of chains, kArrayUnits movers, kVectorUnits and kRowUnits beside them.
template <class T>
bool issue(const int (&layer)[kNumbers], hls::stream<Control> to[T::kUnits], hls::stream<Control> done[T::kDoneUnits]) {
  static_assert(T::kUnits == T::kArrayUnits + T::kVectorUnits + T::kRowUnits, "all units take layers");
  const bool end = layer[0] == kEnd;
  const bool vector = layer[0] == kVector && T::kVectorUnits > 0;
  const bool row = layer[0] == kRow && T::kRowUnits > 0;
  if (layer[0] != kProduct && !vector && !row && !end) {
    return false;
  }
  constexpr int kBehindVectors = T::kArrayUnits + T::kVectorUnits;
  const int first = row ? kBehindVectors : vector ? T::kArrayUnits : 0;
  const int last = row || end ? T::kUnits : vector ? kBehindVectors : T::kArrayUnits;
  const int first_done = row ? T::kRows + T::kVectorUnits : vector ? T::kRows : 0;
  const int last_done = end ? 0 : row ? T::kDoneUnits : vector ? T::kRows + T::kVectorUnits : T::kRows;
  for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
    for (int unit = 0; unit < T::kUnits; ++unit) {
#pragma HLS unroll
      if (first <= unit && unit < last) {
        to[unit].write(control_of(layer[i]));
      }
    }
  }
  for (int unit = 0; unit < T::kDoneUnits; ++unit) {
#pragma HLS unroll
    if (first_done <= unit && unit < last_done) {
      done[unit].read();
    }
  }
  return true;
}

/// A program is `count` layers of kNumbers words. One that is none is refused: its number and why stand in `status`, and nothing behind
/// it is computed. `last` programs end the units.
template <class T>
void run(const int* program, int* status, int count, int last, hls::stream<Control> to[T::kUnits], hls::stream<Control> done[T::kDoneUnits]) {
#pragma HLS inline
  int result = count < 0 || count > T::kMostLayers ? kTooLong : kDone;
  int at = 0;
  int layer[kNumbers] = {};
  for (; result == kDone && at < count; ++at) {
    for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
      layer[i] = program[at * kNumbers + i];
    }
    if (layer[0] == kEnd || !issue<T>(layer, to, done)) {
      result = kUnknown;
      break;
    }
  }
  if (last != 0) {
    layer[0] = kEnd;
    issue<T>(layer, to, done);
  }
  status[0] = result;
  status[1] = at;
}

}  // namespace array
}  // namespace pl
}  // namespace aieloom
