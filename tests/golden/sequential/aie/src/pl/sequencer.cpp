@@ sha256: 9ad5370d84831e1f2e96e40787f9ea82140fe457d7f144366327477c8abde02e
// sequencer.cpp: the engine on the array.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// Reads a program from device memory and has its layers computed one after another: 4 + 2 + 4 movers of the array, and 1 vector unit.
@@ same: 6 in sequencer.cpp.j2
constexpr int kNumbers = 48;  // words of a layer
constexpr int kMostLayers = 65536;  // of a program
constexpr int kRows = 4;  // movers that tell when a product is done
constexpr int kArrayUnits = 10;  // movers
constexpr int kVectorUnits = 1;  // vector units
constexpr int kRowUnits = 0;  // row units
constexpr int kUnits = 11;  // that take layers
constexpr int kDoneUnits = 5;  // that tell when one is done
@@ same: 50 in array_issue.j2, sequencer.cpp.j2
extern "C" void sequencer(const int* program, int* status, int count, int last, hls::stream<Control> to[kUnits], hls::stream<Control> done[kDoneUnits]) {
#pragma HLS interface m_axi port=program offset=slave bundle=program max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=program bundle=control
#pragma HLS interface m_axi port=status offset=slave bundle=program max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=status bundle=control
@@ same: 25 in sequencer.cpp.j2
