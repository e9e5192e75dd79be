@@ sha256: dd56ce1d8da97ecd4a0e13637690c2c99f8753e0758d2281175fa63720c926f3
// pl_act_pool.cpp: act, pool on programmable logic, 10x13x11 float32 to 10x6x5 float32.
// Made by aieloom 0.1.0 from random's network.yaml; edit that and run: doit gen project=random
// 1 reader(s), 2 beats, each of a channel, of 2 value(s) a cycle each, 2 values side by side, on into the next row: 452 cycles an image
// pool: 2 task(s), 1 result(s) of 2x2 places a cycle each (II=1, for each row and column that they see has a memory): 432 cycles an image
// pool's line buffers: 28 rows in 2 x 2 memories (rows x columns) of 504 values in bram
// 1 writer(s), one word of 4 values a cycle each: 200 cycles an image
// each writer's line buffer: 16 rows in 2 x 2 x 2 memories (ways x copies x banks) of 288 values in bram
@@ same: 12 in kernel.cpp.j2, pl_last.cpp, pl_act_pool.cpp

/// leaky_relu: values that are not above 0 times -0.25F.
float act_value(float x) { return x > 0.0F ? x : x * -0.25F; }

@@ same: 9 in pl_act_pool.cpp, max_fold.h.j2
/// Each value that comes.
struct WorkStage0Value {
@@ same: 9 in pl_act_pool.cpp
struct WorkStage0 : Elements<Float, layers::WorkStage0Value>, WindowTraits {
  static constexpr int kChannels = 10, kHeight = 13, kWidth = 11, kTogether = 2, kSetChannels = 6, kBeat = 2;
  static constexpr int kInBits = 128, kInRounds = 1, kInGroups = 1, kInShare = 1, kInTileM = 12,
      kInTileRows = 1, kInSteps = 72, kInBlockRows = 4, kInBlockCols = 2;
  static constexpr int kRows = 28, kBanks = 2;  // memories of 504 values
  using Storage = Bram;
  static constexpr bool kWraps = true;
  static constexpr int kKernelY = 2, kKernelX = 2, kStrideY = 2, kStrideX = 2;
  static constexpr int kOutHeight = 6, kOutBeats = 5, kPipeline = 40;
@@ same: 2
/// From what c1 sends to what c2 reads.
struct Work : Elements<Float>, LineTraits {
  static constexpr int kChannels = 10, kHeight = 6, kWidth = 5, kTogether = 2, kSetChannels = 6, kBeat = 1;
  static constexpr int kRows = 16, kBanks = 2;  // memories of 288 values
  using Storage = Bram;
  static constexpr int kOutBits = 128, kPixels = 2;
  static constexpr int kOutRounds = 1, kOutPasses = 1, kOutTileK = 40, kOutTileN = 20, kOutBlockRows = 4,
      kOutBlockCols = 2, kOutHeight = 5, kOutWidth = 4, kKernelY = 2, kKernelX = 2;
@@ same: 4 in kernel.cpp.j2
extern "C" void pl_act_pool(
    hls::stream<ap_axiu<128, 0, 0, 0>> &in, hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 3 in pl_act.cpp, pl_sum.cpp
  hls_thread_local hls::stream<Beat<WorkStage0>, 32> work_to_pool;
  hls_thread_local hls::stream<Beat<Work>, 32> work_beats;
  hls_thread_local hls::task work_read_0(TileReader<WorkStage0, PixelTiles<WorkStage0>>::run, in, work_to_pool);
  hls_thread_local hls::task work_do_pool(fold_windows<WorkStage0, PixelTiles<WorkStage0>, layers::pool_fold, Work>,
      work_to_pool, work_beats);
  hls_thread_local hls::task work_write_0(write_columns<Work, RowBands<Work>>, work_beats, out);
}
