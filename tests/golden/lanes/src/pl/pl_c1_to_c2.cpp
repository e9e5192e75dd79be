@@ sha256: f2f3fdcad0145ea137c42dfcaaaa263943236608b5d9284a37490aac510b70d4
// pl_c1_to_c2.cpp: no layer on programmable logic, 16x16x16 int8 to 16x16x16 int8.
// Made by aieloom 0.1.0 from lanes's network.yaml; edit that and run: doit gen project=lanes
// 2 reader(s), 4 beats, each of a channel, of 4 value(s) a cycle each, 4 values side by side: 164 cycles an image
// 8 writer(s), one word of 16 values a cycle each: 144 cycles an image
// each writer's line buffer: 8 rows in 8 x 4 x 4 memories (ways x copies x banks) of 64 values in lutram, rows that its own tiles see
@@ same: 2
#include "../include/aieloom/pl/inputs.h"
#include "../include/aieloom/pl/outputs.h"
@@ same: 5 in kernel.cpp.j2
/// From what c1 sends to what c2 reads.
struct Work {
@@ same: 4 in pl_c0_to_c1_and_s2.cpp
  static constexpr int kInBits = 128, kInRounds = 2, kInGroups = 3, kInShare = 1, kInTileM = 8,
      kInTileRows = 3, kInBlockRows = 4;
  static constexpr int kReaders = 2, kTogether = 4, kSetChannels = 2, kBeat = 4, kBeatApart = 4;
  static constexpr int kRows = 8, kBanks = 4, kStep = 4, kSkew = 0;  // memories of 64 values
  static constexpr int kOutBits = 128, kPixels = 4, kWordApart = 4, kZero = -128, kOutGroups = 8;
  static constexpr int kOutRounds = 1, kOutRows = 2, kOutHeight = 16, kOutPasses = 1, kOutLines = 4,
@@ same: 6 in pl_c0_to_c1_and_s2.cpp, kernel.cpp.j2
extern "C" void pl_c1_to_c2(
    hls::stream<ap_axiu<128, 0, 0, 0>> in[6], hls::stream<ap_axiu<128, 0, 0, 0>> out[8]) {
@@ same: 3 in pl_act.cpp, pl_last.cpp
  hls_thread_local hls::stream<Beat<Work, Work::kTogether>> work_came[2];
#pragma HLS stream variable=work_came depth=32
  hls_thread_local hls::stream<Beat<Work>> work_beats[8];
#pragma HLS stream variable=work_beats depth=32
  hls_thread_local hls::task task_work_read_0(LaneTileReader<Work, 0>::run, in[0], in[2], in[4],
      work_came[0]);
  hls_thread_local hls::task task_work_read_1(LaneTileReader<Work, 1>::run, in[1], in[3], in[5],
      work_came[1]);
  hls_thread_local hls::task task_work_gather(gather_beats<Work>, work_came, work_beats);
  hls_thread_local hls::task task_work_write_0(write_lane_lines<Work, LaneTiles<Work>>, work_beats[0],
      out[0]);
  hls_thread_local hls::task task_work_write_1(write_lane_lines<Work, LaneTiles<Work>, 1>, work_beats[1],
      out[1]);
  hls_thread_local hls::task task_work_write_2(write_lane_lines<Work, LaneTiles<Work>, 2>, work_beats[2],
      out[2]);
  hls_thread_local hls::task task_work_write_3(write_lane_lines<Work, LaneTiles<Work>, 3>, work_beats[3],
      out[3]);
  hls_thread_local hls::task task_work_write_4(write_lane_lines<Work, LaneTiles<Work>, 4>, work_beats[4],
      out[4]);
  hls_thread_local hls::task task_work_write_5(write_lane_lines<Work, LaneTiles<Work>, 5>, work_beats[5],
      out[5]);
  hls_thread_local hls::task task_work_write_6(write_lane_lines<Work, LaneTiles<Work>, 6>, work_beats[6],
      out[6]);
  hls_thread_local hls::task task_work_write_7(write_lane_lines<Work, LaneTiles<Work>, 7>, work_beats[7],
      out[7]);
}
