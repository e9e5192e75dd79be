// The file of a design as a program may read it itself: axlf, its header and sections [XRT xclbin format].
//
// The emulator's file has this header with the design's identity, one section of text: system.cfg (pl/link.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

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

static_assert(offsetof(axlf, m_header) == 304 && offsetof(axlf_header, uuid) == 112 && sizeof(axlf) == 496);
