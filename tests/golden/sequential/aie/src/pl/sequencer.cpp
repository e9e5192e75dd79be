@@ sha256: 8e16f0c6703b816eb856c138782520441260c790d0590776d58bb6c56d130527
// sequencer.cpp: the engine on the array.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// Reads a program from device memory and has its layers computed one after another: 4 + 2 + 4 movers of the array, and 1 vector unit.
@@ same: 6
constexpr int kNumbers = 48;  // words of a layer
constexpr int kMostLayers = 65536;  // of a program
constexpr int kRows = 4;  // movers that tell when a product is done
constexpr int kArrayUnits = 10;  // movers
constexpr int kVectorUnits = 1;  // vector units
constexpr int kRowUnits = 0;  // row units
constexpr int kUnits = 11;  // that take layers
constexpr int kDoneUnits = 5;  // that tell when one is done
@@ same: 3
enum Opcode { kEnd = 0, kProduct = 1, kVector = 2, kRow = 3 };

/// What the status says when the program has ended.
enum Status { kDone = 0, kTooLong = 1, kUnknown = 2 };

void send(int number, hls::stream<Control>& to) {
  Control word;
  word.data = number;
  word.keep = -1;
  word.last = 0;
  to.write(word);
@@ same: 4
/// A program is `count` layers of kNumbers words. One that is none is refused: its number and why stand in `status`, and nothing behind
/// it is computed. The movers end with the program in any case.
extern "C" void sequencer(const int* program, int* status, int count, hls::stream<Control> to[kUnits], hls::stream<Control> done[kDoneUnits]) {
#pragma HLS interface m_axi port=program offset=slave bundle=program max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=program bundle=control
#pragma HLS interface m_axi port=status offset=slave bundle=program max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=status bundle=control
#pragma HLS interface s_axilite port=count bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=to
#pragma HLS interface axis port=done
  int result = count < 0 || count > kMostLayers ? kTooLong : kDone;
  int at = 0;
  for (; result == kDone && at < count; ++at) {
    int layer[kNumbers];
    for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
      layer[i] = program[at * kNumbers + i];
    }
    const bool vector = layer[0] == kVector && kVectorUnits > 0;
    const bool row = layer[0] == kRow && kRowUnits > 0;
    if (layer[0] != kProduct && !vector && !row) {
      result = kUnknown;
      break;
    }
    const int first = row ? kArrayUnits + kVectorUnits : vector ? kArrayUnits : 0;
    const int last = row ? kUnits : vector ? kArrayUnits + kVectorUnits : kArrayUnits;
    const int first_done = row ? kRows + kVectorUnits : vector ? kRows : 0;
    const int last_done = row ? kDoneUnits : vector ? kRows + kVectorUnits : kRows;
    for (int i = 0; i < kNumbers; ++i) {
      for (int unit = first; unit < last; ++unit) {
#pragma HLS pipeline II=1
        send(layer[i], to[unit]);
      }
    }
    for (int unit = first_done; unit < last_done; ++unit) {
      done[unit].read();
    }
  }
  for (int i = 0; i < kNumbers; ++i) {
    for (int unit = 0; unit < kUnits; ++unit) {
#pragma HLS pipeline II=1
      send(kEnd, to[unit]);
    }
  }
  status[0] = result;
  status[1] = at;
}
