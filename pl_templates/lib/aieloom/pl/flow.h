// When an endless task may send and take: counters of an image's beats, and of a quiet pipeline.
//
//            taken                  beats that have come
//   |--------whole---|..fresh..|    those of the last kSettle steps may still be in the pipeline: they are not read yet
//   ^ first beat of the image that is sent
//
// Such a task never waits for input with anything in its pipeline, where a stall would hold it [UG1399, Flushing
// Pipelines].
// One step a cycle (II=1): each counter is an addition and a choice. Some 3 x bits of a counter in LUTs.
#pragma once

#include "words.h"

namespace aieloom {
namespace pl {

constexpr int kSettle = 32;  // steps from a beat's coming until it may be read: more than a pipeline may be deep

/// A counter below `kLimit`; `step` says whether it begins again.
template <int kLimit>
struct Counter {
  static_assert(kLimit > 0, "a counter has a value at least: give its loop a trip");
  ap_uint<bits_for(kLimit)> at = 0;

  operator int() const { return static_cast<int>(at.to_uint()); }
  bool is_last() const { return at == kLimit - 1; }
  bool step() {
#pragma HLS inline
    const bool ends = is_last();
    at = ends ? 0 : static_cast<int>(at) + 1;
    return ends;
  }
};

/// Whether a task has done nothing for so many steps: more than its pipeline is deep.
template <int kDepth>
struct Quiet {
  ap_uint<bits_for(kDepth)> steps = kDepth;

  bool enough() const { return steps == kDepth; }
  void step(bool busy) {
#pragma HLS inline
    steps = busy ? 0 : enough() ? kDepth : static_cast<int>(steps) + 1;
  }
};

/// `place + more` in a ring of `kSize` places; both below it.
template <int kSize>
int in_ring(int place, int more) {
#pragma HLS inline
  const int next = place + more;
  return next < kSize ? next : next - kSize;
}

/// What a task with a ring of rows knows of the beats that have come, and where images begin in the ring.
template <int kImage, int kMost, int kTurn, int kDepth>
struct Flow {
  static_assert(kImage <= kMost, "an image has room: give the ring more rows");
  static_assert(0 <= kTurn && kTurn < kDepth, "images begin in the ring");
  ap_uint<kSettle> fresh = 0;            // in which of the last steps beats came
  ap_uint<bits_for(kMost)> taken = 0;    // beats since the first one of the image that is sent
  ap_uint<bits_for(kMost)> whole = 0;    // of these, which may be read
  ap_uint<bits_for(kImage)> came = 0;    // of the image that comes
  ap_uint<bits_for(kDepth)> reads = 0;   // the ring's place for the image that is sent
  ap_uint<bits_for(kDepth)> writes = 0;  // and for the one that comes

  void step(bool takes, bool ends) {
#pragma HLS inline
    const int gone = ends ? kImage : 0;
    taken = static_cast<int>(taken) + (takes ? 1 : 0) - gone;
    whole = static_cast<int>(whole) + (fresh[kSettle - 1] ? 1 : 0) - gone;
    fresh = (fresh << 1) | ap_uint<kSettle>(takes ? 1 : 0);
    const bool last = takes && came == kImage - 1;
    came = last ? 0 : static_cast<int>(came) + (takes ? 1 : 0);
    writes = last ? in_ring<kDepth>(writes, kTurn) : static_cast<int>(writes);
    reads = ends ? in_ring<kDepth>(reads, kTurn) : static_cast<int>(reads);
  }
};

}  // namespace pl
}  // namespace aieloom
