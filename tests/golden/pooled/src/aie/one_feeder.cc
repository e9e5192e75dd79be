@@ sha256: e23ad5ac101aaec5081ea184bdfcf5a043a940e0bb6188601900b3ffa2fc6c92
// one_feeder.cc: one, 2x8x9 bfloat16 to 8x8x9 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
#include "one_feeder.h"
@@ same: 4 in feeder.cc.j2
void OneFeeder::run(input_stream<int32>* weights, adf::output_async_buffer<int32>& __restrict table) {
@@ same: 3 in feeder.cc.j2
  for (unsigned i = 0; i < 16; ++i)
    chess_prepare_for_pipelining chess_loop_range(16, 16) {
@@ same: 6 in feeder.cc.j2
