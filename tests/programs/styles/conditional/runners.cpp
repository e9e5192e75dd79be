// A leg is eight words.
#include "runners.h"

#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

/// Two reads in this order, which the arguments of one call would not have.
static aie::vector<int32, LEG> leg(input_stream<int32>* start) {
  aie::vector<int32, LEG> steps;
  for (int half = 0; half < 2; ++half) steps.insert(half, readincr_v<4>(start));
  return steps;
}

void run_alone(input_stream<int32>* start, output_stream<int32>* finish) {
  for (int n = 0; n < LEG; ++n) {
    const int32 step = readincr(start);
    writeincr(finish, step * step);
  }
}

void run_first(input_stream<int32>* start, output_stream<acc48>* baton) {
  aie::accum<acc48, LEG> acc;
  acc.from_vector(leg(start), 1);
  writeincr(baton, acc);
}

void run_between(input_stream<int32>* start, input_stream<acc48>* taken, output_stream<acc48>* baton) {
  const aie::accum<acc48, LEG> acc = readincr_v<LEG>(taken);
  writeincr(baton, aie::add(acc, leg(start)));
}

void run_last(input_stream<int32>* start, input_stream<acc48>* taken, output_stream<int32>* finish) {
  const aie::accum<acc48, LEG> acc = readincr_v<LEG>(taken);
  const aie::vector<int32, LEG> far = aie::sub(acc, leg(start)).to_vector<int32>();
  for (int half = 0; half < 2; ++half) writeincr(finish, far.extract<4>(half));
}

template <int NUMBER>
void wear(input_stream<int32>* start, output_stream<int32>* finish) {
  for (int n = 0; n < LEG; ++n) writeincr(finish, 100 * readincr(start) + NUMBER);
}

void judge_silently(track_in& __restrict seen, track_out& __restrict noted) {
  auto from = aie::begin(seen);
  auto to = aie::begin(noted);
  for (int n = 0; n < LEG; ++n) *to++ = 1 - *from++;
}

void judge_by_factor(track_in& seen, track_out& noted, int32 factor, int32& report) {
  const aie::vector<int32, LEG> steps = *aie::begin_vector<LEG>(seen);
  auto to = aie::begin_vector<LEG>(noted);
  *to = aie::mul(steps, factor).to_vector<int32>();
  report = 7 - factor;
}
