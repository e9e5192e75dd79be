// Kernels whose buffers take what size their graph says.
#pragma once
#include <adf.h>

template <typename ITYPE, typename OTYPE, int SHIFT_RESULT>
void ClassicMatMult(adf::input_buffer<ITYPE, adf::extents<adf::inherited_extent, adf::inherited_extent>>& __restrict inA,
                    adf::input_buffer<ITYPE, adf::extents<adf::inherited_extent, adf::inherited_extent>>& __restrict inB,
                    adf::output_buffer<OTYPE, adf::extents<adf::inherited_extent, adf::inherited_extent>>& __restrict outC);

template <int FRAME_LENGTH>
void passthrough(adf::input_buffer<int32, adf::extents<FRAME_LENGTH>>& __restrict in,
                 adf::output_buffer<int32, adf::extents<FRAME_LENGTH>>& __restrict out);

void cube_last(adf::input_buffer<cint16>& __restrict in, output_cascade<cacc64>* out);
void cube_first(adf::input_buffer<cint16>& __restrict in, input_cascade<cacc64>* sums, adf::output_buffer<cint16>& out);
