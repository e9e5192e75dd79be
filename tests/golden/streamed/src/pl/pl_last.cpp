@@ sha256: 5f2352e40f9cff01c0fa550ef9c2d1bf8600f2d9de5f3b6d96a7b6c473d1e1e7
// pl_last.cpp: last on programmable logic, 4x4x8 float32 to 4x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// tanh by 16 entries over [-2, 2), one every 0.25
// Why these numbers: aieloom explain pl_last, in the project's folder
@@ same: 2
#include "../include/aieloom/pl/inputs.h"
#include "../include/aieloom/pl/outputs.h"
#include "../include/aieloom/pl/tables.h"
@@ same: 7 in instance.cpp.j2, kernel.cpp.j2
/// last: tanh.
const float last_value_table[] = {
    -0.9640276F, -0.94137555F, -0.90514827F, -0.84828365F, -0.7615942F, -0.63514894F, -0.46211717F,
@@ same: 2
};
struct last_value {
@@ same: 3 in pl_start.cpp
#pragma HLS bind_storage variable=last_value_table type=rom_np impl=bram
    return last_value_table[index];
@@ same: 5 in kernel.cpp.j2
/// From what third sends to what s2mm reads.
struct Work : Elements<Float, NearestEntry<layers::last_value>>, LineTraits {
  static constexpr int kChannels = 4, kHeight = 4, kWidth = 8, kSetChannels = 4, kBeat = 2, kInBits = 64,
      kInRounds = 1, kInGroups = 4, kInShare = 1, kInTileM = 4, kInTileRows = 1, kInSteps = 2,
      kInBlockRows = 4, kInBlockCols = 4;
  static constexpr int kRows = 8, kBanks = 2;  // memories of 128 values
  static constexpr int kOutBits = 128, kPixels = 1;
  static constexpr int kOutRounds = 1, kOutChannels = 4, kOutHeight = 4, kOutWidth = 8;
@@ same: 4 in instance.cpp.j2
extern "C" void pl_last(
    hls::stream<Axis<64>> in[4], hls::stream<Axis<128>>& out) {
@@ same: 2
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<Beat<Work>, 32> work_beats;
  hls_thread_local hls::task work_read_0(TileReader<Work, PixelTiles<Work>>::run, in[0], in[1], in[2],
      in[3], work_beats);
  hls_thread_local hls::task work_write(write_plain<Work, PixelTiles<Work>>, work_beats, out);
}
