@@ sha256: d4dae71e1e2d70974daff73418fef7d8c79127da814a33d91ffbb0e70c943847
// pl_act_pool.cpp: act, pool on programmable logic, 10x13x11 float32 to 10x6x5 float32.
// Made by aieloom 0.1.0 from random's network.yaml; edit that and run: doit gen project=random
// leaky_relu: negative values times -0.25
// max_pool: 300 outputs x 4 taps, one tap in 2 cycles = 2400 cycles
// Why these numbers: aieloom explain pl_act_pool, in the project's folder
@@ same: 14 in kernel.cpp.j2, pl_act_pool.cpp, pl_last.cpp, instance.cpp.j2
/// act: leaky_relu.
struct act_value {
  static constexpr float kAlpha = -0.25F;
@@ same: 4 in kernel.cpp.j2
/// What pool sees.
struct WorkStage0 : Elements<Float, LeakyRelu<layers::act_value>>, WindowTraits {
  static constexpr int kChannels = 10, kHeight = 13, kWidth = 11, kTogether = 2, kSetChannels = 6, kBeat = 2,
      kInBits = 128, kInRounds = 1, kInGroups = 1, kInShare = 1, kInTileM = 12, kInTileRows = 1,
      kInSteps = 72, kInBlockRows = 4, kInBlockCols = 2;
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
@@ same: 4 in instance.cpp.j2
extern "C" void pl_act_pool(
    hls::stream<Axis<128>>& in, hls::stream<Axis<128>>& out) {
@@ same: 3 in pl_act.cpp, pl_sum.cpp
  hls_thread_local hls::stream<Beat<WorkStage0>, 32> work_to_pool;
  hls_thread_local hls::stream<Beat<Work>, 32> work_beats;
  hls_thread_local hls::task work_read_0(TileReader<WorkStage0, PixelTiles<WorkStage0>>::run, in, work_to_pool);
  hls_thread_local hls::task work_do_pool(fold_windows<WorkStage0, PixelTiles<WorkStage0>, LargestFloat, Work>,
      work_to_pool, work_beats);
  hls_thread_local hls::task work_write_0(write_columns<Work, RowBands<Work>>, work_beats, out);
}
