// Counters, a quiet pipeline, and beats that count kSettle steps after they came.
#include "flow.h"

#include <cstdio>
#include <deque>

using namespace aieloom::pl;

int counters() {
  Counter<3> three;
  Counter<1> one;
  for (int i = 0; i < 9; ++i) {
    if (three != i % 3 || three.is_last() != (i % 3 == 2) || three.step() != (i % 3 == 2) || !one.step()) {
      return 1;
    }
  }
  Quiet<4> quiet;
  if (!quiet.enough()) {
    return 2;  // nothing is under way when a task begins
  }
  quiet.step(true);
  for (int i = 0; i < 4; ++i) {
    if (quiet.enough()) {
      return 3;
    }
    quiet.step(false);
  }
  return quiet.enough() && in_ring<6>(4, 1) == 5 && in_ring<6>(4, 2) == 0 && in_ring<6>(5, 5) == 4 ? 0 : 4;
}

int main() {
  constexpr int kImage = 5, kMost = 12, kTurn = 7, kDepth = 10;
  Flow<kImage, kMost, kTurn, kDepth> flow;
  std::deque<int> came;  // the steps in which beats came
  unsigned seed = 7;
  int sent = 0, images = 0, all = 0;
  for (int step = 0; step < 4000; ++step) {
    seed = seed * 1664525U + 1013904223U;
    int whole = 0;
    for (int at : came) {
      whole += step - at > kSettle ? 1 : 0;
    }
    if (flow.whole != whole - sent || flow.taken != static_cast<int>(came.size()) - sent) {
      return 10;
    }
    if (flow.reads != images * kTurn % kDepth || flow.writes != all / kImage * kTurn % kDepth) {
      return 11;
    }
    const bool takes = flow.taken < kMost && (seed >> 16) % 3 == 0;
    const bool ends = flow.whole >= kImage && (seed >> 20) % 4 == 0;
    flow.step(takes, ends);
    if (takes) {
      came.push_back(step);
      ++all;
    }
    sent += ends ? kImage : 0;
    images += ends ? 1 : 0;
  }
  return images > 20 ? counters() : 12;
}
