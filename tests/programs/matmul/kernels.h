// Y = A * B over the whole array: one core multiplies a block, adders sum along K two by two.
#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>

constexpr unsigned kM = 16, kK = 16, kN = 16;          // of one core
constexpr unsigned kRows = 6, kCols = 8, kDepth = 4;   // blocks of Y, blocks along K

void multiply(adf::input_buffer<float, adf::extents<kM * kK>>& a, adf::input_buffer<float, adf::extents<kK * kN>>& b,
              adf::output_buffer<float, adf::extents<kM * kN>>& y);
void add(adf::input_buffer<float, adf::extents<kM * kN>>& a, adf::input_buffer<float, adf::extents<kM * kN>>& b,
         adf::output_buffer<float, adf::extents<kM * kN>>& y);
