// One number to a packet.
#include "kernels.h"
template <int ADD>
void add(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] + ADD;
}
void join(adf::input_buffer<int32>& in, output_stream<int32>* out) {
  for (unsigned i = 0; i < in.size(); ++i) writeincr(out, in.data()[i]);
}
