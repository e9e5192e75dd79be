// The registers of a core that its kernels share: rounding and saturation mode, and the timed build's counters.
//
// They belong to the tile and persist from call to call and from kernel to kernel [UG1079 Rounding and Saturation
// Modes]. The running fiber's fiber_local() points at the CoreState of its tile: the runtime may set it (kernels
// of one tile then share one), a fiber without one gets its own at first use.
#pragma once

#include <cstdint>

namespace aieloom {

[[nodiscard]] void*& fiber_local();

/// Rounding modes by what they do; aie::rounding_mode gives them the architecture's codes.
enum class Rounding : unsigned char {
  kFloor,
  kCeil,
  kPositiveInf,
  kNegativeInf,
  kSymmetricInf,
  kSymmetricZero,
  kConvEven,
  kConvOdd,
  kSymmetricFloor,
  kSymmetricCeil,
};

/// Saturation modes with the codes of the register.
enum class Saturation : unsigned char { kNone = 0, kSaturate = 1, kSymmetric = 3 };

/// What a kernel did, for the cost model; only a build with -DAIELOOM_COUNTED counts.
struct OperationCounts {
  std::uint64_t loads = 0;     // vector loads, in the load units' 256 bits
  std::uint64_t stores = 0;    // vector stores, in 256 bits
  std::uint64_t macs = 0;      // vector multiplications and multiply-accumulates, by issue slots
  std::uint64_t products = 0;  // scalar products in them
  std::uint64_t shuffles = 0;  // permutations of lanes
  std::uint64_t stream_words = 0;  // 32-bit words read from and written to streams
  std::uint64_t cascades = 0;      // beats read from and written to the cascade, 384 bits on AIE, 512 on AIE-ML
  std::uint64_t trips = 0;         // of the loops that chess_prepare_for_pipelining marks
};

struct CoreState {
  Rounding rounding = Rounding::kFloor;
  Saturation saturation = Saturation::kNone;
  OperationCounts counts;
  bool placed = false;        // the graph says on which tile
  unsigned short column = 0;  // of the tile
  unsigned short row = 0;     // of the tile; 0 is the lowest row with cores, as in adf::tile
  unsigned short rows_below = 1;  // of the interface and of memory tiles
  std::uint64_t cycles = 0;   // what tile::cycles() last returned
  CoreState* next = nullptr;  // all states live as long as the program
};

/// A state for a fiber whose tile has none yet.
inline CoreState* new_core_state() {
  static CoreState* all = nullptr;
  CoreState* made = new CoreState;
  made->next = all;
  all = made;
  return made;
}

/// The registers of the core that is running.
[[nodiscard]] inline CoreState& core_state() {
  void*& own = fiber_local();
  if (own == nullptr) {
    own = new_core_state();
  }
  return *static_cast<CoreState*>(own);
}

#if defined(AIELOOM_OPERATIONS)
// For `aieloom emulate --timed`: what an operation counts is read from the compiled headers, not at run time.
extern "C" {
void aieloom_count_load(unsigned n);
void aieloom_count_store(unsigned n);
void aieloom_count_shuffle(unsigned n);
void aieloom_count_stream(unsigned bytes);
void aieloom_count_cascade(unsigned beats);
void aieloom_count_mac(unsigned issues, unsigned products);
bool aieloom_mark_pipeline(unsigned n);
bool aieloom_mark_range(unsigned least);
bool aieloom_mark_unroll(unsigned n);
bool aieloom_mark_flatten(unsigned n);
}
inline void count_load(unsigned n = 1) { aieloom_count_load(n); }
inline void count_store(unsigned n = 1) { aieloom_count_store(n); }
inline void count_shuffle(unsigned n = 1) { aieloom_count_shuffle(n); }
inline void count_stream(unsigned bytes) { aieloom_count_stream(bytes); }
inline void count_cascade(unsigned beats) { aieloom_count_cascade(beats); }
inline void count_mac(unsigned issues, unsigned products) { aieloom_count_mac(issues, products); }
#elif defined(AIELOOM_COUNTED)
inline void count_load(unsigned n = 1) { core_state().counts.loads += n; }
inline void count_store(unsigned n = 1) { core_state().counts.stores += n; }
inline void count_shuffle(unsigned n = 1) { core_state().counts.shuffles += n; }
inline void count_stream(unsigned bytes) { core_state().counts.stream_words += (bytes + 3) / 4; }
inline void count_cascade(unsigned beats) { core_state().counts.cascades += beats; }
inline bool count_trip() {
  ++core_state().counts.trips;
  return true;
}
inline void count_mac(unsigned issues, unsigned products) {
  auto& counts = core_state().counts;
  counts.macs += issues;
  counts.products += products;
}
#else
constexpr void count_load(unsigned = 1) {}
constexpr void count_store(unsigned = 1) {}
constexpr void count_shuffle(unsigned = 1) {}
constexpr void count_stream(unsigned) {}
constexpr void count_cascade(unsigned) {}
constexpr void count_mac(unsigned, unsigned) {}
#endif

}  // namespace aieloom
