// What each architecture's file in spec/architectures/ says. Written by: python -m tools.traits
#pragma once

#ifndef __AIE_ARCH__
#error "aie_api is for AI Engine code: compile with -D__AIE_ARCH__=10 (AIE), -D__AIE_ARCH__=20 (AIE-ML)"
#endif

namespace aie::detail {

/// A legal shape of aie::mmul.
struct Shape {
  unsigned m, k, n;
  unsigned bits;   // of the accumulator when AccumTag is accauto; 4880: 48 or 80 as asked
  unsigned issue;  // least issue cycles of one mac()
};

#if __AIE_ARCH__ == 10
inline constexpr const char* kArchitecture = "AIE";
inline constexpr unsigned kStreams = 2;
inline constexpr unsigned kAlignment = 16;
inline constexpr unsigned kCoefficientBits = 256;
inline constexpr bool kNarrowComplex = true;
inline constexpr unsigned kFloatSumLanes = 32;
inline constexpr unsigned kMacs = 16;
inline constexpr unsigned kFloatMacs = 8;
inline constexpr unsigned kNarrowBits = 48;
inline constexpr unsigned kWideBits = 80;
inline constexpr bool kFloatSumsInVectors = true;
inline constexpr Shape kMmul_8_8[] = {{4, 8, 4, 48, 1}, {4, 16, 4, 48, 2}, {8, 8, 4, 48, 2}, {2, 8, 8, 48, 1},
    {4, 8, 8, 48, 2}, {1, 16, 8, 48, 1}, {2, 16, 8, 48, 2}, {4, 16, 8, 48, 4}};
inline constexpr Shape kMmul_16_8[] = {{4, 4, 4, 48, 1}, {8, 4, 4, 48, 2}, {4, 8, 4, 48, 2}, {4, 4, 8, 48, 2}};
inline constexpr Shape kMmul_8_16[] = {{4, 4, 4, 48, 2}, {4, 4, 8, 48, 4}, {8, 8, 1, 48, 2}};
inline constexpr Shape kMmul_16_16[] = {{4, 4, 4, 48, 2}, {2, 4, 8, 48, 2}, {4, 4, 8, 48, 4}, {4, 2, 8, 48, 2},
    {8, 8, 1, 48, 2}};
inline constexpr Shape kMmul_32_16[] = {{2, 2, 4, 4880, 1}, {2, 4, 4, 4880, 2}, {4, 2, 4, 4880, 2}, {4, 4, 2, 4880, 2},
    {4, 4, 4, 4880, 4}, {2, 2, 8, 4880, 2}, {2, 4, 8, 4880, 4}};
inline constexpr Shape kMmul_16_32[] = {{4, 2, 2, 4880, 1}, {2, 4, 8, 4880, 4}, {4, 4, 4, 4880, 4}};
inline constexpr Shape kMmul_32_32[] = {{2, 2, 2, 80, 1}, {2, 4, 2, 80, 2}, {2, 8, 2, 80, 4}, {4, 2, 2, 80, 2},
    {4, 4, 2, 80, 4}, {4, 2, 4, 80, 4}, {2, 4, 4, 80, 4}, {4, 4, 1, 80, 2}};
inline constexpr Shape kMmul_132_132[] = {{4, 2, 4, 32, 4}, {2, 2, 2, 32, 2}, {2, 4, 2, 32, 4}, {2, 8, 2, 32, 8},
    {4, 2, 2, 32, 2}, {4, 4, 2, 32, 4}, {2, 4, 4, 32, 4}, {4, 4, 1, 32, 4}};
inline constexpr Shape kMmul_16_1016[] = {{4, 2, 2, 48, 1}, {4, 4, 4, 48, 4}, {4, 4, 1, 48, 1}};
inline constexpr Shape kMmul_16_1032[] = {{2, 4, 2, 4880, 2}, {2, 4, 4, 4880, 4}, {2, 8, 2, 4880, 4},
    {4, 4, 2, 4880, 4}, {4, 4, 1, 4880, 2}};
inline constexpr Shape kMmul_1016_16[] = {{2, 2, 4, 48, 1}, {2, 2, 8, 48, 2}, {2, 4, 4, 48, 2}, {2, 4, 8, 48, 4},
    {4, 2, 4, 48, 2}, {4, 4, 2, 48, 2}, {4, 4, 4, 48, 4}};
inline constexpr Shape kMmul_1016_1016[] = {{2, 2, 2, 48, 1}, {2, 4, 2, 48, 2}, {2, 8, 2, 48, 4}, {2, 4, 4, 48, 4},
    {4, 2, 2, 48, 2}, {4, 4, 2, 48, 4}, {4, 2, 4, 48, 4}, {4, 4, 1, 48, 2}};
inline constexpr Shape kMmul_1016_32[] = {{2, 2, 2, 4880, 1}, {2, 4, 2, 4880, 2}, {2, 8, 2, 4880, 4},
    {2, 4, 4, 4880, 4}, {4, 2, 2, 4880, 2}, {4, 4, 2, 4880, 4}, {4, 2, 4, 4880, 4}, {4, 4, 1, 4880, 2}};
inline constexpr Shape kMmul_1016_1032[] = {{2, 2, 2, 4880, 2}, {2, 4, 2, 4880, 4}, {4, 2, 1, 4880, 2}};
inline constexpr Shape kMmul_32_1016[] = {{2, 2, 2, 4880, 1}, {2, 4, 2, 4880, 2}, {2, 8, 2, 4880, 4},
    {2, 4, 4, 4880, 4}, {4, 2, 2, 4880, 2}, {4, 4, 2, 4880, 4}, {4, 2, 4, 4880, 4}, {4, 4, 1, 4880, 2}};
inline constexpr Shape kMmul_32_1032[] = {{2, 2, 2, 80, 2}, {2, 4, 2, 80, 4}, {4, 2, 1, 80, 2}};
inline constexpr Shape kMmul_1032_16[] = {{2, 4, 2, 4880, 2}, {2, 8, 2, 4880, 4}, {2, 4, 4, 4880, 4},
    {4, 4, 2, 4880, 4}};
inline constexpr Shape kMmul_1032_1016[] = {{2, 2, 2, 4880, 2}, {2, 4, 2, 4880, 4}, {4, 4, 1, 4880, 4}};
inline constexpr Shape kMmul_1032_32[] = {{1, 2, 2, 80, 1}, {2, 2, 2, 80, 2}, {2, 4, 2, 80, 4}, {4, 4, 1, 80, 4}};
inline constexpr Shape kMmul_1032_1032[] = {{1, 2, 2, 80, 2}, {2, 2, 1, 80, 2}, {2, 2, 2, 80, 4}};
inline constexpr Shape kMmul_132_1132[] = {{2, 2, 2, 32, 2}, {2, 4, 2, 32, 4}, {4, 2, 1, 32, 2}};
inline constexpr Shape kMmul_1132_132[] = {{2, 2, 2, 32, 2}, {2, 4, 2, 32, 4}, {4, 4, 1, 32, 4}, {2, 4, 1, 32, 2}};
inline constexpr Shape kMmul_1132_1132[] = {{2, 2, 2, 32, 4}, {2, 2, 4, 32, 8}, {2, 4, 2, 32, 8}, {4, 2, 2, 32, 8},
    {4, 2, 1, 32, 4}};
#define AIELOOM_PAIRS(X) \
  X(8, 8, "4x8x4 4x16x4 8x8x4 2x8x8 4x8x8 1x16x8 2x16x8 4x16x8") \
  X(16, 8, "4x4x4 8x4x4 4x8x4 4x4x8") \
  X(8, 16, "4x4x4 4x4x8 8x8x1") \
  X(16, 16, "4x4x4 2x4x8 4x4x8 4x2x8 8x8x1") \
  X(32, 16, "2x2x4 2x4x4 4x2x4 4x4x2 4x4x4 2x2x8 2x4x8") \
  X(16, 32, "4x2x2 2x4x8 4x4x4") \
  X(32, 32, "2x2x2 2x4x2 2x8x2 4x2x2 4x4x2 4x2x4 2x4x4 4x4x1") \
  X(132, 132, "4x2x4 2x2x2 2x4x2 2x8x2 4x2x2 4x4x2 2x4x4 4x4x1") \
  X(16, 1016, "4x2x2 4x4x4 4x4x1") \
  X(16, 1032, "2x4x2 2x4x4 2x8x2 4x4x2 4x4x1") \
  X(1016, 16, "2x2x4 2x2x8 2x4x4 2x4x8 4x2x4 4x4x2 4x4x4") \
  X(1016, 1016, "2x2x2 2x4x2 2x8x2 2x4x4 4x2x2 4x4x2 4x2x4 4x4x1") \
  X(1016, 32, "2x2x2 2x4x2 2x8x2 2x4x4 4x2x2 4x4x2 4x2x4 4x4x1") \
  X(1016, 1032, "2x2x2 2x4x2 4x2x1") \
  X(32, 1016, "2x2x2 2x4x2 2x8x2 2x4x4 4x2x2 4x4x2 4x2x4 4x4x1") \
  X(32, 1032, "2x2x2 2x4x2 4x2x1") \
  X(1032, 16, "2x4x2 2x8x2 2x4x4 4x4x2") \
  X(1032, 1016, "2x2x2 2x4x2 4x4x1") \
  X(1032, 32, "1x2x2 2x2x2 2x4x2 4x4x1") \
  X(1032, 1032, "1x2x2 2x2x1 2x2x2") \
  X(132, 1132, "2x2x2 2x4x2 4x2x1") \
  X(1132, 132, "2x2x2 2x4x2 4x4x1 2x4x1") \
  X(1132, 1132, "2x2x2 2x2x4 2x4x2 4x2x2 4x2x1")
#define AIELOOM_SPARSE_PAIRS(X)
#elif __AIE_ARCH__ == 20
inline constexpr const char* kArchitecture = "AIE-ML";
inline constexpr unsigned kStreams = 1;
inline constexpr unsigned kAlignment = 32;
inline constexpr unsigned kCoefficientBits = 512;
inline constexpr bool kNarrowComplex = false;
inline constexpr unsigned kFloatSumLanes = 128;
inline constexpr unsigned kMacs = 32;
inline constexpr unsigned kFloatMacs = 4;
inline constexpr unsigned kNarrowBits = 32;
inline constexpr unsigned kWideBits = 64;
inline constexpr bool kFloatSumsInVectors = false;
inline constexpr Shape kMmul_8_4[] = {{4, 16, 8, 32, 1}, {8, 16, 8, 32, 2}, {4, 32, 8, 32, 2}};
inline constexpr Shape kMmul_8_8[] = {{4, 8, 4, 32, 1}, {4, 16, 4, 32, 2}, {8, 8, 4, 32, 2}, {2, 8, 8, 32, 1},
    {4, 8, 8, 32, 1}, {8, 8, 8, 32, 2}, {1, 16, 8, 32, 2}, {2, 16, 8, 32, 2}, {4, 16, 8, 32, 2}};
inline constexpr Shape kMmul_16_8[] = {{4, 8, 4, 64, 1}, {2, 8, 8, 64, 1}, {4, 4, 8, 32, 1}, {8, 4, 8, 32, 2},
    {4, 4, 4, 32, 1}, {8, 4, 4, 32, 1}};
inline constexpr Shape kMmul_8_16[] = {{4, 4, 4, 64, 1}, {4, 4, 8, 64, 2}};
inline constexpr Shape kMmul_16_16[] = {{4, 4, 4, 64, 1}, {2, 4, 8, 64, 1}, {4, 4, 8, 64, 2}, {4, 2, 8, 32, 1},
    {8, 2, 8, 32, 2}, {8, 1, 8, 32, 2}};
inline constexpr Shape kMmul_32_16[] = {{2, 4, 8, 64, 2}, {4, 4, 4, 64, 2}, {4, 2, 4, 64, 1}, {4, 4, 8, 64, 4},
    {4, 1, 8, 64, 2}};
inline constexpr Shape kMmul_16_32[] = {{2, 4, 8, 64, 2}, {4, 4, 4, 64, 2}};
inline constexpr Shape kMmul_32_32[] = {{4, 2, 4, 64, 2}, {4, 4, 4, 64, 4}, {8, 2, 4, 64, 4}, {4, 1, 8, 64, 4}};
inline constexpr Shape kMmul_116_116[] = {{4, 8, 4, 32, 1}, {8, 8, 4, 32, 2}, {4, 8, 8, 32, 2}, {8, 8, 8, 32, 4},
    {8, 1, 8, 32, 4}};
inline constexpr Shape kMmul_132_132[] = {{4, 8, 4, 32, 7}, {4, 1, 4, 32, 6}, {4, 1, 8, 32, 12}};
inline constexpr Shape kMmul_1016_16[] = {{2, 4, 8, 64, 2}, {4, 4, 4, 64, 2}};
inline constexpr Shape kMmul_1016_1016[] = {{1, 4, 8, 64, 2}, {2, 4, 8, 64, 4}};
inline constexpr Shape kMmul_1032_1016[] = {{1, 2, 4, 64, 1}, {1, 2, 8, 64, 2}, {2, 2, 8, 64, 4}, {1, 4, 8, 64, 4},
    {2, 4, 8, 64, 8}};
inline constexpr Shape kMmul_1032_1032[] = {{1, 2, 8, 64, 4}};
inline constexpr Shape kMmul_116_1116[] = {{2, 8, 2, 32, 1}};
inline constexpr Shape kMmul_1116_116[] = {{2, 8, 2, 32, 1}};
inline constexpr Shape kMmul_1116_1116[] = {{2, 8, 2, 32, 1}};
#define AIELOOM_PAIRS(X) \
  X(8, 4, "4x16x8 8x16x8 4x32x8") \
  X(8, 8, "4x8x4 4x16x4 8x8x4 2x8x8 4x8x8 8x8x8 1x16x8 2x16x8 4x16x8") \
  X(16, 8, "4x8x4 2x8x8 4x4x8 8x4x8 4x4x4 8x4x4") \
  X(8, 16, "4x4x4 4x4x8") \
  X(16, 16, "4x4x4 2x4x8 4x4x8 4x2x8 8x2x8 8x1x8") \
  X(32, 16, "2x4x8 4x4x4 4x2x4 4x4x8 4x1x8") \
  X(16, 32, "2x4x8 4x4x4") \
  X(32, 32, "4x2x4 4x4x4 8x2x4 4x1x8") \
  X(116, 116, "4x8x4 8x8x4 4x8x8 8x8x8 8x1x8") \
  X(132, 132, "4x8x4 4x1x4 4x1x8") \
  X(1016, 16, "2x4x8 4x4x4") \
  X(1016, 1016, "1x4x8 2x4x8") \
  X(1032, 1016, "1x2x4 1x2x8 2x2x8 1x4x8 2x4x8") \
  X(1032, 1032, "1x2x8") \
  X(116, 1116, "2x8x2") \
  X(1116, 116, "2x8x2") \
  X(1116, 1116, "2x8x2")
inline constexpr Shape kSparse_8_8[] = {{4, 16, 8, 32, 1}, {8, 16, 8, 32, 2}, {4, 16, 16, 32, 2}};
inline constexpr Shape kSparse_16_8[] = {{2, 16, 8, 64, 1}, {4, 16, 8, 64, 2}};
inline constexpr Shape kSparse_16_16[] = {{2, 8, 8, 64, 1}, {4, 8, 8, 64, 2}, {2, 8, 16, 64, 2}};
inline constexpr Shape kSparse_116_116[] = {{4, 16, 4, 32, 1}, {4, 16, 8, 32, 2}};
#define AIELOOM_SPARSE_PAIRS(X) \
  X(8, 8, "4x16x8 8x16x8 4x16x16") \
  X(16, 8, "2x16x8 4x16x8") \
  X(16, 16, "2x8x8 4x8x8 2x8x16") \
  X(116, 116, "4x16x4 4x16x8")
#else
#error "this emulator knows -D__AIE_ARCH__=10 (AIE), -D__AIE_ARCH__=20 (AIE-ML)"
#endif

}  // namespace aie::detail
