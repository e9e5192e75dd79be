#include "belt.h"

// Two halves from the stream make a pallet, four times their weight.
void load_up(input_stream<int32>* parts, output_cascade<acc48>* pallets) {
  for (int pallet = 0; pallet < PALLETS; ++pallet) {
    aie::vector<int32, 4> left, right;
    parts >> left >> right;
    aie::accum<acc48, 8> load;
    load.from_vector(aie::concat(left, right), 2);
    *pallets << load;
  }
}

// A parcel is the first four parts as a vector and the last as a scalar of its own; even pallets add a seal at the end.
void pack(input_cascade<acc48>* pallets, output_stream<int32>* parcels) {
  for (int pallet = 0; pallet < PALLETS; ++pallet) {
    aie::accum<acc48, 8> load;
    pallets >> load;
    const aie::vector<int32, 8> part = load.to_vector<int32>(0);
    *parcels << part[7];
    parcels << aie::tlast<aie::vector<int32, 4>, bool>{part.extract<4>(0), pallet % 2 == 1};
    if (pallet % 2 == 0) parcels << aie::tlast<int32, bool>{pallet, true};
  }
}

// A slip for every parcel: its words from the third lane on, in the first lane how many they are, in the second their sum.
void weigh(input_stream<int32>* parcels, adf::output_buffer<int32, adf::extents<8 * PALLETS>>& slips) {
  auto to = aie::begin_vector<8>(slips);
  for (int parcel = 0; parcel < PALLETS; ++parcel) {
    aie::vector<int32, 8> slip = aie::zeros<int32, 8>();
    aie::tlast<int32, bool> word{0, false};
    int32 count = 0, sum = 0;
    while (!word.t_last) {
      parcels >> word;
      slip[2 + count++] = word.value;
      sum += word.value;
    }
    slip[0] = count;
    slip[1] = sum;
    *to++ = slip;
  }
}

// Each slip less the one before it, the shift before included; then the margin again, and the first slip.
void spot(adf::input_circular_buffer<int32, adf::extents<8 * PALLETS>, adf::margin<8>>& slips,
          adf::output_buffer<int32, adf::extents<8 * PALLETS + 16>>& changes) {
  auto slip = aie::begin_vector_random_circular<8>(slips);
  auto to = aie::begin_vector<8>(changes);
  for (int parcel = 0; parcel < PALLETS; ++parcel) {
    const auto earlier = *slip++;
    *to++ = aie::sub(*slip, earlier);
  }
  slip += 1;  // past the last: where the margin begins
  *to++ = *slip++;
  *to = *slip;
}

// From the middle down to the first place, round to the last, and down to the middle; the first change comes last again.
void stow(adf::input_buffer<int32, adf::extents<8 * PALLETS + 16>>& changes,
          adf::output_buffer<int32, adf::extents<8 * PALLETS + 24>>& stowed) {
  auto change = aie::begin_vector_circular<8>(changes);
  auto place = aie::begin_vector_random_circular<8>(stowed);
  place += 4;
  for (int n = 0; n < PALLETS + 3; ++n) *place-- = *change++;
}
