@@ sha256: 0cf2d28c1c2c24e8e33ce7278fe410e399c9dc43c887b81f10d6e72a3ecc15d4
// sequencer.cpp: the engine on the array.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// Layers go to 4 + 2 + 4 movers of the array and 1 vector unit, whose tokens are waited for.
#include "../include/aieloom/pl/engine/array_sequencer.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  static constexpr int kArrayUnits = 10, kVectorUnits = 1, kRowUnits = 0, kUnits = 11, kDoneUnits = 5, kRows = 4,
      kMostLayers = 65536;
@@ same: 4 in instance.cpp.j2
/// Has the layers of a program computed one after another; `last` programs end the units.
extern "C" void sequencer(
    const int* program, int* status, int count, int last, hls::stream<Control> to[11],
    hls::stream<Control> done[5]) {
#pragma HLS interface m_axi port=program offset=slave bundle=program max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=program bundle=control
#pragma HLS interface m_axi port=status offset=slave bundle=program max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=status bundle=control
#pragma HLS interface s_axilite port=count bundle=control
#pragma HLS interface s_axilite port=last bundle=control
#pragma HLS interface axis port=to
#pragma HLS interface axis port=done
#pragma HLS interface s_axilite port=return bundle=control
  array::run<Engine>(program, status, count, last, to, done);
}
