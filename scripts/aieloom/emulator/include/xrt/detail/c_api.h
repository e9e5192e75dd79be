// Handles of XRT's C API.
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

inline constexpr xrtBufferFlags XRT_BO_FLAGS_NONE = 0;
inline constexpr xrtBufferFlags XRT_BO_FLAGS_CACHEABLE = 1U << 24;
inline constexpr xrtBufferFlags XRT_BO_FLAGS_DEV_ONLY = 1U << 28;
inline constexpr xrtBufferFlags XRT_BO_FLAGS_HOST_ONLY = 1U << 29;
inline constexpr xrtBufferFlags XRT_BO_FLAGS_P2P = 1U << 30;
