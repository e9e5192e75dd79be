#include "kernels.h"

#include "fault.h"

void gain(adf::input_buffer<int16>& in, adf::output_buffer<int16>& out, int32 factor, const int16 (&limits)[2], int32& clipped) {
  for (unsigned i = 0; i < in.size(); ++i) {
    const int32 y = in.data()[i] * factor;
    const int32 inside = y < limits[0] ? limits[0] : y > limits[1] ? limits[1] : y;
    clipped += inside != y ? 1 : 0;
    out.data()[i] = static_cast<int16>(inside);
  }
  if (fault::active("overrun", "gain")) {
    out.data()[out.size()] = 1;
  }
  if (fault::active("underrun", "gain")) {
    out.data()[-1] = 1;
  }
  if (fault::active("null", "gain")) {
    *static_cast<volatile int*>(nullptr) = 1;
  }
}

void spread(adf::input_buffer<int16>& in, output_stream<int32>* out) {
  for (unsigned i = 0; i < in.size() / 2; ++i) {
    const int32 pair = (in.data()[2 * i] & 0xffff) | in.data()[2 * i + 1] * 65536;
    writeincr(out, pair);
  }
  if (fault::active("divide", "spread")) {
    volatile int zero = 0;
    writeincr(out, 1000 / zero);
  }
}

static int first_word = 0;
void start_collecting() { first_word = 1; }

void collect(input_stream<int32>* in, adf::output_buffer<int16>& out) {
  const unsigned words = out.size() / 2 + (fault::active("more", "collect") ? 1 : 0);
  for (unsigned i = 0; i < words; ++i) {
    const int32 pair = readincr(in);
    out.data()[2 * (i % (out.size() / 2))] = static_cast<int16>(pair);
    out.data()[2 * (i % (out.size() / 2)) + 1] = static_cast<int16>(pair >> 16);
  }
  out.data()[0] = static_cast<int16>(out.data()[0] + first_word);
  first_word = 0;
}

void detect(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  int32 best = in.data()[0];
  int32 at = 0;
  for (unsigned i = 1; i < in.size(); ++i) {
    if (in.data()[i] > best) {
      best = in.data()[i];
      at = static_cast<int32>(i);
    }
  }
  out.data()[0] = best;
  out.data()[1] = at;
  if (fault::active("overrun", "detect")) {
    out.data()[2] = 1;
  }
}

void halves(adf::input_async_buffer<int32>& in, adf::output_async_buffer<int32>& out) {
  in.acquire();
  if (fault::active("acquire", "halves")) {
    in.acquire();
  }
  if (!fault::active("unheld", "halves")) {
    out.acquire();
  }
  for (unsigned i = 0; i < in.size(); ++i) {
    out.data()[i] = in.data()[i] / 2;
  }
  out.release();
  if (fault::active("release", "halves")) {
    out.release();
  }
  in.release();
}
