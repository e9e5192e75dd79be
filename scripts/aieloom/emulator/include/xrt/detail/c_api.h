// Handles of XRT's C API, and flags of buffer objects.
#pragma once

#include <cstddef>
#include <cstdint>

using xrtDeviceHandle = void*;
using xclDeviceHandle = void*;
using xrtKernelHandle = void*;
using xrtRunHandle = void*;
using xrtBufferHandle = void*;
using xrtGraphHandle = void*;
using xrtXclbinHandle = void*;
using xrtMemoryGroup = std::uint32_t;
using xrtBufferFlags = std::uint64_t;
using xclBufferExportHandle = std::int32_t;

// Macros, as programs ask for them with #ifdef.
#define XCL_BO_FLAGS_NONE (0)
#define XCL_BO_FLAGS_CACHEABLE (1U << 24)
#define XCL_BO_FLAGS_SVM (1U << 27)
#define XCL_BO_FLAGS_DEV_ONLY (1U << 28)
#define XCL_BO_FLAGS_HOST_ONLY (1U << 29)
#define XCL_BO_FLAGS_P2P (1U << 30)
#define XCL_BO_FLAGS_KERNBUF (1U << 25)
#define XRT_BO_FLAGS_NONE XCL_BO_FLAGS_NONE
#define XRT_BO_FLAGS_CACHEABLE XCL_BO_FLAGS_CACHEABLE
#define XRT_BO_FLAGS_SVM XCL_BO_FLAGS_SVM
#define XRT_BO_FLAGS_DEV_ONLY XCL_BO_FLAGS_DEV_ONLY
#define XRT_BO_FLAGS_HOST_ONLY XCL_BO_FLAGS_HOST_ONLY
#define XRT_BO_FLAGS_P2P XCL_BO_FLAGS_P2P
#define XRT_BO_FLAGS_CARVEOUT XCL_BO_FLAGS_KERNBUF

namespace aieloom {

/// Throws std::system_error (ENOTSUP): XRT has `name`, the emulator does not.
[[noreturn]] void not_emulated(const char* name);

/// The emulator's own way to what hosts do not reach.
struct XrtInside;

}  // namespace aieloom
