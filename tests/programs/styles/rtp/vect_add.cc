// An array of parameters, and a count that goes back.
#include <aie_api/aie.hpp>

#include "kernels.h"

template <int SIZE>
void vect_add(input_buffer<int32>& in, output_buffer<int32>& out, const int32 (&value)[SIZE], int32& iter) {
  auto inIter = aie::begin(in);
  auto outIter = aie::begin(out);
  for (unsigned i = 0; i < in.size(); i++) chess_prepare_for_pipelining {
      *outIter++ = *inIter++ + value[i % SIZE];
    }
  iter++;
}
