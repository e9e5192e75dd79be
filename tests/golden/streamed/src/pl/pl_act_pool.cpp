@@ sha256: c9a3fbe9a98a10bef3253d204f7aa6636829ffcfa2f084578129bc7cf82d5c0c
// pl_act_pool.cpp: act, pool on programmable logic, 8x8x16 float32 to 8x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// relu: negative values become 0
// max_pool: 256 outputs x 4 taps, one tap in 2 cycles = 2048 cycles
// Why these numbers: aieloom explain pl_act_pool, in the project's folder
@@ same: 2
#include "../include/aieloom/pl/folds.h"
#include "../include/aieloom/pl/functions.h"
#include "../include/aieloom/pl/inputs.h"
#include "../include/aieloom/pl/join.h"
#include "../include/aieloom/pl/outputs.h"
#include "../include/aieloom/pl/windows.h"
@@ same: 5 in instance.cpp.j2
/// What pool sees.
struct From0Stage0 : Elements<Float, Relu>, WindowTraits {
  static constexpr int kChannels = 8, kHeight = 8, kWidth = 16, kSetChannels = 8, kBeat = 2, kInBits = 64,
      kInRounds = 1, kInGroups = 1, kInShare = 1, kInTileM = 8, kInTileRows = 1, kInSteps = 16,
      kInBlockRows = 1, kInBlockCols = 8;
  static constexpr int kRows = 16, kBanks = 2;  // memories of 512 values
  using Storage = Bram;
  static constexpr int kKernelY = 2, kKernelX = 2, kStrideY = 2, kStrideX = 2;
  static constexpr int kOutHeight = 4, kOutBeats = 8, kPipeline = 40;
@@ same: 2
/// Brings what first sends in order of rows.
struct From0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 8, kHeight = 4, kWidth = 8, kSetChannels = 8, kBeat = 1;
  static constexpr int kRows = 2, kBanks = 4;  // memories of 32 values
  static constexpr int kOutBits = 128, kPixels = 4;
@@ same: 2
/// Keeps the lines that second reads.
struct To0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 8, kHeight = 4, kWidth = 8, kSetChannels = 8, kBeat = 2, kInBits = 128;
  static constexpr int kRows = 6, kBanks = 2;  // memories of 192 values
  static constexpr bool kOwnRows = true;
  static constexpr int kOutBits = 64, kPixels = 2, kPaddingX = 1, kWriters = 4;
  static constexpr int kOutRounds = 1, kOutPasses = 1, kOutTileK = 72, kOutTileN = 8, kOutBlockRows = 2,
      kOutBlockCols = 4, kOutHeight = 4, kOutWidth = 8, kKernelY = 3, kKernelX = 3, kPaddingY = 1;
@@ same: 4 in instance.cpp.j2
extern "C" void pl_act_pool(
    hls::stream<Axis<64>>& in, hls::stream<Axis<64>> out0[4], hls::stream<Axis<128>>& out1) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out0
#pragma HLS interface axis port=out1
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<Row<128>, 32> joined;  // what leaves, or is worked on
  hls_thread_local hls::stream<Row<128>, 64> forked_0;  // an image for second, whatever the others do
#pragma HLS bind_storage variable=forked_0 type=fifo impl=lutram
  hls_thread_local hls::stream<Row<128>, 64> forked_1;  // an image for pl_sum, whatever the others do
#pragma HLS bind_storage variable=forked_1 type=fifo impl=lutram
  hls_thread_local hls::stream<Beat<From0Stage0>, 32> from0_to_pool;
  hls_thread_local hls::stream<Beat<From0>, 32> from0_beats;
  hls_thread_local hls::stream<Beat<To0>, 32> to0_beats;
  hls_thread_local hls::stream<Beat<To0>> to0_shared[4];
#pragma HLS stream variable=to0_shared depth=32
  hls_thread_local hls::task from0_read_0(TileReader<From0Stage0, PixelTiles<From0Stage0>>::run, in,
      from0_to_pool);
  hls_thread_local hls::task from0_do_pool(fold_windows<From0Stage0, PixelTiles<From0Stage0>, LargestFloat, From0>,
      from0_to_pool, from0_beats);
  hls_thread_local hls::task from0_write(write_rows<From0, RowBands<From0>>, from0_beats, joined);
  hls_thread_local hls::task to0_read(read_rows<To0>, forked_0, to0_beats);
  hls_thread_local hls::task to0_share(share_beats<To0, RowBands<To0>>, to0_beats, to0_shared);
  hls_thread_local hls::task to0_write_0(write_columns<To0, RowBands<To0>>, to0_shared[0], out0[0]);
  hls_thread_local hls::task to0_write_1(write_columns<To0, RowBands<To0>, 1>, to0_shared[1], out0[1]);
  hls_thread_local hls::task to0_write_2(write_columns<To0, RowBands<To0>, 2>, to0_shared[2], out0[2]);
  hls_thread_local hls::task to0_write_3(write_columns<To0, RowBands<To0>, 3>, to0_shared[3], out0[3]);
  hls_thread_local hls::task task_fork(ForkRows<128, 64, 2>::run, joined, forked_0, forked_1);
  hls_thread_local hls::task task_send_1(send_rows<128, 64>, forked_1, out1);
}
