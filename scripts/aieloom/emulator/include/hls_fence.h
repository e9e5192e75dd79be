// hls::fence: keeps accesses in order [UG1399 hls::fence]. Here one process runs at a time: they are.
#ifndef HLS_FENCE_H
#define HLS_FENCE_H

namespace hls {

template <typename... T_>
void fence(const T_&...) {}

}  // namespace hls

#endif  // HLS_FENCE_H
