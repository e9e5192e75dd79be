// hls::ap_hs, ap_vld, ap_ack and ap_none: ports that are wires [UG1399 Using Direct I/O Streams].
//
// Wires are for IP that Vivado connects. A kernel that v++ links has AXI interfaces alone, and system.cfg cannot name
// anything else, so a design of this emulator can have nothing at their other end.
#error "hls_directio.h: wire ports belong to the Vivado IP flow; kernels of system.cfg take hls::stream, s_axilite or m_axi"
