// Names of OpenCL that hosts by its C++ bindings use (cl2.hpp); the functions of the C API are not emulated.
#pragma once

#include <cstdint>

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_bool = cl_uint;
using cl_mem_flags = cl_ulong;
using cl_map_flags = cl_ulong;
using cl_device_type = cl_ulong;
using cl_command_queue_properties = cl_ulong;
using cl_mem_migration_flags = cl_ulong;

// Values of the OpenCL specification; programs use them with #ifdef.
#define CL_SUCCESS 0
#define CL_FALSE 0
#define CL_TRUE 1
#define CL_PLATFORM_NAME 0x0902
#define CL_PLATFORM_VENDOR 0x0903
#define CL_DEVICE_TYPE_ACCELERATOR 8
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFF
#define CL_DEVICE_NAME 0x102B
#define CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE 1
#define CL_QUEUE_PROFILING_ENABLE 2
#define CL_MEM_READ_WRITE 1
#define CL_MEM_WRITE_ONLY 2
#define CL_MEM_READ_ONLY 4
#define CL_MEM_USE_HOST_PTR 8
#define CL_MEM_ALLOC_HOST_PTR 16
#define CL_MEM_COPY_HOST_PTR 32
#define CL_MAP_READ 1
#define CL_MAP_WRITE 2
#define CL_MAP_WRITE_INVALIDATE_REGION 4
#define CL_MIGRATE_MEM_OBJECT_HOST 1
#define CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED 2
#define CL_PROFILING_COMMAND_START 0x1282
#define CL_PROFILING_COMMAND_END 0x1283
#define CL_DEVICE_HANDLE 0x1320  // of Xilinx's extension: the device as XRT knows it
