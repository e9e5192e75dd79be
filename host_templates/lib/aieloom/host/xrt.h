// xrt.h: what host programs use of the Xilinx Runtime; all begin with it, so that a compiler can keep it precompiled.
#pragma once

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_graph.h>
#include <xrt/xrt_kernel.h>
