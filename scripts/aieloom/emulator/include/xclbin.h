// The file of a design as a program may read it itself: axlf, its header and sections [XRT xclbin format].
//
// The emulator's file has this header with the design's identity, one section of text: system.cfg (pl/link.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// What a section holds. The emulator's files have one section, of none of these kinds.
enum axlf_section_kind {
  BITSTREAM = 0,
  EMBEDDED_METADATA = 2,
  DEBUG_DATA = 4,
  MEM_TOPOLOGY = 6,
  CONNECTIVITY = 7,
  IP_LAYOUT = 8,
  DEBUG_IP_LAYOUT = 9,
  CLOCK_FREQ_TOPOLOGY = 11,
  BUILD_METADATA = 14,
  KEYVALUE_METADATA = 15,
  USER_METADATA = 16,
  PDI = 18,
  PARTITION_METADATA = 20,
  EMULATION_DATA = 21,
  SYSTEM_METADATA = 22,
  SOFT_KERNEL = 23,
  AIE_METADATA = 25,
  ASK_GROUP_TOPOLOGY = 26,
  ASK_GROUP_CONNECTIVITY = 27,
  AIE_PARTITION = 32,
  IP_METADATA = 33,
};

struct axlf_section_header {
  std::uint32_t m_sectionKind;
  char m_sectionName[16];
  std::uint64_t m_sectionOffset;
  std::uint64_t m_sectionSize;
};

struct axlf_header {
  std::uint64_t m_length;  // of the whole file
  std::uint64_t m_timeStamp;
  std::uint64_t m_featureRomTimeStamp;
  std::uint16_t m_versionPatch;
  std::uint8_t m_versionMajor;
  std::uint8_t m_versionMinor;
  std::uint16_t m_mode;
  std::uint16_t m_actionMask;
  unsigned char m_interface_uuid[16];
  unsigned char m_platformVBNV[64];
  union {
    char m_next_axlf[16];
    unsigned char uuid[16];
  };
  char m_debug_bin[16];
  std::uint32_t m_numSections;
};

struct axlf {
  char m_magic[8];  // "xclbin2"
  std::int32_t m_signature_length;
  unsigned char reserved[28];
  unsigned char m_keyBlock[256];
  std::uint64_t m_uniqueId;
  axlf_header m_header;
  axlf_section_header m_sections[1];
};

using xclBin = axlf;

namespace xclbin {

/// The header of the first section of a kind; null where there is none.
inline const axlf_section_header* get_axlf_section(const axlf* top, axlf_section_kind kind) {
  const axlf_section_header* end = top->m_sections + top->m_header.m_numSections;
  const auto* found = std::find_if(top->m_sections, end, [kind](const axlf_section_header& one) { return one.m_sectionKind == static_cast<std::uint32_t>(kind); });
  return found == end ? nullptr : found;
}

}  // namespace xclbin

static_assert(offsetof(axlf, m_header) == 304 && offsetof(axlf_header, uuid) == 112 && sizeof(axlf) == 496);
