// Writes an xclbin of kernels by the structures of XRT's own xclbin.h: a memory argument and two scalars, or a scalar and a stream.
// usage: xclbin_writer FILE KERNEL|KERNEL:frames...
#include <xclbin.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Section {
  axlf_section_kind kind;
  std::string data;
};

template <typename T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string argument(const std::string& name, int id, bool memory) {
  return "<arg name=\"" + name + "\" addressQualifier=\"" + (memory ? "1" : "0") + "\" id=\"" + std::to_string(id) +
         "\" port=\"" + (memory ? "M_AXI_GMEM" : "S_AXI_CONTROL") + "\" size=\"" + (memory ? "0x8" : "0x4") +
         "\" offset=\"0x" + std::to_string(10 + 10 * id) + "\" hostOffset=\"0x0\" hostSize=\"" +
         (memory ? "0x8" : "0x4") + "\" type=\"" + (memory ? "void*" : "int") + "\" />";
}

/// A stream: XRT knows of it, and is given nothing for it.
std::string stream(const std::string& name, int id) {
  return "<arg name=\"" + name + "\" addressQualifier=\"4\" id=\"" + std::to_string(id) + "\" port=\"" + name +
         "\" size=\"0x4\" offset=\"0x0\" hostOffset=\"0x0\" hostSize=\"0x4\" type=\"stream\" />";
}

struct Kernel {
  std::string name;
  bool frames;  // it keeps whole images, and is told how many
};

std::string arguments(const Kernel& k) {
  return k.frames ? argument("frames", 0, false) + stream("in", 1)
                  : argument("memory", 0, true) + argument("size", 1, false) + argument("iterations", 2, false);
}

std::string metadata(const std::vector<Kernel>& kernels) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><project name=\"test\"><platform vendor=\"x\" boardid=\"b\" "
                     "name=\"n\"><device name=\"fpga0\"><core name=\"core\" target=\"hw\" type=\"clc_region\">";
  int base = 0;
  for (const auto& k : kernels) {
    char address[16];
    std::snprintf(address, sizeof address, "0x%x", 0x10000 * ++base);
    text += "<kernel name=\"" + k.name + "\" language=\"c\" type=\"pl\" hwControlProtocol=\"ap_ctrl_chain\">";
    text += "<port name=\"S_AXI_CONTROL\" mode=\"slave\" range=\"0x1000\" dataWidth=\"32\" portType=\"addressable\" base=\"0x0\"/>";
    text += "<port name=\"M_AXI_GMEM\" mode=\"master\" range=\"0xFFFFFFFF\" dataWidth=\"512\" portType=\"addressable\" base=\"0x0\"/>";
    text += arguments(k);
    text += "<instance name=\"" + k.name + "_1\"><addrRemap base=\"" + address + "\" range=\"0x1000\" port=\"S_AXI_CONTROL\"/></instance></kernel>";
  }
  return text + "</core></device></platform></project>";
}

std::string memory() {
  std::string out;
  append(out, std::int32_t{1});
  append(out, std::int32_t{0});  // the array is aligned to 8 bytes
  mem_data bank{};
  bank.m_type = MEM_DDR4;
  bank.m_used = 1;
  bank.m_size = 1 << 20;
  std::strcpy(reinterpret_cast<char*>(bank.m_tag), "DDR");
  append(out, bank);
  return out;
}

std::string layout(const std::vector<Kernel>& kernels) {
  std::string out;
  append(out, static_cast<std::int32_t>(kernels.size()));
  append(out, std::int32_t{0});
  std::uint64_t base = 0;
  for (const auto& k : kernels) {
    ip_data ip{};
    ip.m_type = IP_KERNEL;
    ip.m_base_address = base += 0x10000;
    std::strcpy(reinterpret_cast<char*>(ip.m_name), (k.name + ":" + k.name + "_1").c_str());
    append(out, ip);
  }
  return out;
}

/// Which kernel's memory argument is in the bank; those of frames have none.
std::string connections(const std::vector<Kernel>& kernels) {
  std::string joined;
  std::int32_t count = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i].frames) {
      append(joined, connection{0, static_cast<std::int32_t>(i), 0});
      ++count;
    }
  }
  std::string out;
  append(out, count);
  return out + joined;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Kernel> kernels;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    kernels.push_back({word.substr(0, word.find(':')), word.find(':') != std::string::npos});
  }
  const std::vector<Section> sections = {{EMBEDDED_METADATA, metadata(kernels)},
                                         {MEM_TOPOLOGY, memory()},
                                         {IP_LAYOUT, layout(kernels)},
                                         {CONNECTIVITY, connections(kernels)}};
  std::string file(sizeof(axlf) + (sections.size() - 1) * sizeof(axlf_section_header), '\0');
  std::vector<axlf_section_header> headers;
  for (const auto& section : sections) {
    file.resize((file.size() + 7) / 8 * 8);
    axlf_section_header header{};
    header.m_sectionKind = section.kind;
    header.m_sectionOffset = file.size();
    header.m_sectionSize = section.data.size();
    headers.push_back(header);
    file += section.data;
  }
  axlf top{};
  std::memcpy(top.m_magic, "xclbin2", 8);
  top.m_signature_length = -1;
  top.m_header.m_length = file.size();
  top.m_header.m_versionMajor = 2;
  top.m_header.m_mode = XCLBIN_FLAT;
  top.m_header.uuid[0] = 1;
  top.m_header.m_numSections = static_cast<std::uint32_t>(sections.size());
  std::memcpy(file.data(), &top, sizeof top);
  std::memcpy(file.data() + offsetof(axlf, m_sections), headers.data(), headers.size() * sizeof headers[0]);
  std::ofstream(argv[1], std::ios::binary).write(file.data(), static_cast<std::streamsize>(file.size()));
  return 0;
}
