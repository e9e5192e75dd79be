// Names from before namespaces and templates: windows and streams per type, and the global ones [UG1076].
#pragma once

#include "adf/stream.h"
#include "adf/window.h"
#include "aieloom/types.h"

// Kernels use these without adf::, as the vendor's headers allow.
using ::adf::get_ss;
using ::adf::getf_ss;
using ::adf::getPacketid;
using ::adf::input_cascade;
using ::adf::input_pktstream;
using ::adf::input_stream;
using ::adf::input_window;
using ::adf::output_cascade;
using ::adf::output_pktstream;
using ::adf::output_stream;
using ::adf::output_window;
using ::adf::put_ms;
using ::adf::readincr;
using ::adf::window_acquire;
using ::adf::window_decr;
using ::adf::window_decr_bytes;
using ::adf::window_incr;
using ::adf::window_incr_bytes;
using ::adf::window_read;
using ::adf::window_readdecr;
using ::adf::window_readincr;
using ::adf::window_release;
using ::adf::window_size;
using ::adf::window_write;
using ::adf::window_writedecr;
using ::adf::window_writeincr;
using ::adf::writeHeader;
using ::adf::writeincr;

#define AIELOOM_TYPED_IO(T)                \
  using input_window_##T = input_window<T>;   \
  using output_window_##T = output_window<T>; \
  using input_stream_##T = input_stream<T>;   \
  using output_stream_##T = output_stream<T>;
AIELOOM_TYPED_IO(int8)
AIELOOM_TYPED_IO(uint8)
AIELOOM_TYPED_IO(int16)
AIELOOM_TYPED_IO(uint16)
AIELOOM_TYPED_IO(int32)
AIELOOM_TYPED_IO(uint32)
AIELOOM_TYPED_IO(int64)
AIELOOM_TYPED_IO(uint64)
AIELOOM_TYPED_IO(float)
AIELOOM_TYPED_IO(cint16)
AIELOOM_TYPED_IO(cint32)
AIELOOM_TYPED_IO(cfloat)
#if !defined(__AIE_ARCH__) || __AIE_ARCH__ >= 20
AIELOOM_TYPED_IO(bfloat16)
AIELOOM_TYPED_IO(cbfloat16)
#endif
#undef AIELOOM_TYPED_IO

// Cascades, when they were streams of accumulators.
#define AIELOOM_CASCADE_NAMES(TAG)          \
  using input_stream_##TAG = input_stream<TAG>; \
  using output_stream_##TAG = output_stream<TAG>;
AIELOOM_CASCADE_NAMES(accfloat)
AIELOOM_CASCADE_NAMES(caccfloat)
// The widths that the architecture has: DSPLIB gives the other's names their meaning itself.
#if !defined(__AIE_ARCH__) || __AIE_ARCH__ == 10
AIELOOM_CASCADE_NAMES(acc48)
AIELOOM_CASCADE_NAMES(acc80)
AIELOOM_CASCADE_NAMES(cacc48)
AIELOOM_CASCADE_NAMES(cacc80)
#endif
#if !defined(__AIE_ARCH__) || __AIE_ARCH__ >= 20
AIELOOM_CASCADE_NAMES(acc32)
AIELOOM_CASCADE_NAMES(acc64)
AIELOOM_CASCADE_NAMES(cacc64)
#endif
#undef AIELOOM_CASCADE_NAMES

/// Elements of a window of a kernel's argument.
#define GET_NUM_SAMPLES(window) window_size(window)

// Reads and writes of whole words, of 32 and (W) of 128 bits, with (T) the end of a packet, whatever the stream's type. Which
// of the core's two stream ports they use, the schedule alone depends on.
#define READINCR(resource, stream) ::adf::detail::take<int>(stream)
#define READINCRT(resource, stream, tlast) ::adf::detail::take_ended<int>(stream, tlast)
#define READINCRW(resource, stream) ::adf::detail::take<::aie::vector<int32, 4>>(stream)
#define READINCRWT(resource, stream, tlast) ::adf::detail::take_ended<::aie::vector<int32, 4>>(stream, tlast)
#define WRITEINCR(resource, stream, value) ::adf::detail::give(stream, static_cast<int>(value), false)
#define WRITEINCRT(resource, stream, value, tlast) ::adf::detail::give(stream, static_cast<int>(value), (tlast) != 0)
#define WRITEINCRW(resource, stream, value) ::adf::detail::give(stream, ::aie::vector<int32, 4>(value), false)
#define WRITEINCRWT(resource, stream, value, tlast) ::adf::detail::give(stream, ::aie::vector<int32, 4>(value), (tlast) != 0)
