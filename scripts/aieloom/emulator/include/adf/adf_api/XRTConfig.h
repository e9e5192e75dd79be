// The ADF API on XRT: the graph's own methods control the design that the host has loaded [UG1079, UG1076].
#pragma once

#include <chrono>
#include <stdexcept>
#include <vector>

#include "aieloom/usual.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_graph.h"

namespace adf {

/// Tell the graphs which device holds them; before their init(). Refuses when no design is loaded.
void registerXRT(xrtDeviceHandle device, const xuid_t uuid);
void registerXRT(const xrt::device& device, const xrt::uuid& uuid);

}  // namespace adf
