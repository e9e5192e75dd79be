@@ sha256: 4387d4774946b1eab18a53bbba549a47ce3d59302ff79f17d27b18eeb2b7dbda
// array_load.cpp: the engine on the array.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 4 x 2 chains of 3 cores on the array: 128 pixels x 64 output channels, 192 of K a pass; 7,680 GOP/s at 1250 MHz at most
// 10 movers in the logic: 960 DSP, 237200 LUT, 72 UltraRAM blocks, modelled
@@ same: 9 in array_load.cpp.j2
constexpr int kLanes = 16;  // channels of a word of device memory
constexpr int kRows = 4;  // rows of chains
constexpr int kParts = 3;  // cores of a chain: parts of K
constexpr int kColumns = 2;  // columns of chains
constexpr int kTileM = 32;  // pixels of a core's tile
constexpr int kTileN = 32;  // output channels of a core's tile
constexpr int kBlockM = 2;  // pixels of an mmul
constexpr int kBlockN = 8;  // output channels of an mmul
constexpr int kTileWords = 4;  // words of K of a core's tile
constexpr int kTailWords = 2;  // stream words that say whether a pass is the last
constexpr int kWeightWords = 128;  // stream words of a core's tile of weights
constexpr int kLineWords = 4096;  // words of the input that a band sees, at most
constexpr int kCacheWords = 4096;  // words of weights of a part of K, at most
constexpr int kMostTogether = 16;  // tiles of output channels that share loads, at most
constexpr int kAhead = 0;  // layers are told when those before are done: their weights may be results
constexpr int kSumInterval = 2;  // cycles of a word with a sum
constexpr int kBits = 8;  // of an element
constexpr int kRowBits = 64;  // of a pixel's channels in an mmul
constexpr int kRowsOfPacket = 2;  // pixels of an mmul in a stream word
constexpr int kPackets = 2;  // of a word of an mmul's pixels
constexpr int kBanks = 32;  // of a tile of sums: 16 neighbouring channels lie in as many
@@ same: 200 in array_load.cpp.j2
#pragma HLS bind_storage variable=lines type=ram_s2p impl=uram
@@ same: 8 in array_load.cpp.j2
extern "C" void array_load(const ap_uint<128>* x, int unit, hls::stream<Control>& control, hls::stream<Packet> out[kParts]) {
#pragma HLS interface m_axi port=x offset=slave bundle=x max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=x bundle=control
@@ same: 11 in array_load.cpp.j2
