// What a design's file says of itself: kernels and their arguments, compute units and the banks they are connected to.
#include "xrt/experimental/xrt_xclbin.h"

#include <algorithm>
#include <sstream>

#include "../pl/config.h"
#include "error.h"
#include "inside.h"
#include "system.h"

namespace xrt {

using aieloom::throw_error;

class xclbin::mem_impl {
 public:
  std::string tag;
  std::int32_t index;
};

class xclbin::arg_impl {
 public:
  aieloom::PlArgument argument;
  std::size_t index;
  std::uint32_t offset;
  std::vector<mem> mems;  // of a compute unit's
};

class xclbin::ip_impl {
 public:
  std::string name;  // <kernel>:<unit>
  bool free_running;
  std::vector<arg> args;
};

class xclbin::kernel_impl {
 public:
  std::string name;
  std::vector<arg> args;
  std::vector<ip> units;
};

namespace {

/// A handle, or a refusal of an empty one.
template <typename Impl>
const Impl& need(const std::shared_ptr<Impl>& handle) {
  if (handle == nullptr) {
    throw_error(EINVAL, "an empty object of xrt::xclbin");
  }
  return *handle;
}

template <typename One>
One at(const std::vector<One>& all, std::int32_t index, const std::string& of) {
  if (index < 0 || static_cast<std::size_t>(index) >= all.size()) {
    throw_error(EINVAL, of + " has no argument " + std::to_string(index) + ": it has " + std::to_string(all.size()) + ", counted from 0");
  }
  return all[static_cast<std::size_t>(index)];
}

template <typename One>
One named(const std::vector<One>& all, const std::string& name, const char* what) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const One& one) { return one.get_name() == name; });
  if (found == all.end()) {
    std::string names;
    for (const One& one : all) {
      names += (names.empty() ? "" : ", ") + one.get_name();
    }
    throw_error(ENOENT, "the xclbin has no " + std::string(what) + " '" + name + "'; it has: " + (names.empty() ? "none" : names));
  }
  return *found;
}

/// The units of "<kernel>:{<unit>,<unit>}", "<kernel>:<unit>" or "<kernel>"; all of an empty name.
std::vector<xclbin::ip> chosen(const std::vector<xclbin::ip>& all, const std::string& name) {
  std::string plain = name;
  std::erase_if(plain, [](char c) { return c == '{' || c == '}'; });
  const auto colon = plain.find(':');
  const auto units = aieloom::split(colon == std::string::npos ? "" : plain.substr(colon + 1), ',');
  std::vector<xclbin::ip> found;
  for (const xclbin::ip& one : all) {
    const std::string its = one.get_name();
    const auto at = its.find(':');
    const bool of_kernel = plain.empty() || its.substr(0, at) == plain.substr(0, colon);
    if (of_kernel && (units.empty() || std::ranges::find(units, its.substr(at + 1)) != units.end())) {
      found.push_back(one);
    }
  }
  return found;
}

}  // namespace

xclbin::xclbin(const std::string& file) : image_(std::make_shared<const std::string>(aieloom::read_xclbin(file))), uuid_(aieloom::xclbin_identity(*image_)) {}

xclbin::xclbin(const std::string_view& image) : image_(std::make_shared<const std::string>(image)), uuid_(aieloom::xclbin_identity(*image_)) {}

xclbin::xclbin(const axlf* image)
    : xclbin(image == nullptr ? std::string_view()
                              : std::string_view(reinterpret_cast<const char*>(image), std::max<std::size_t>(image->m_header.m_length, sizeof *image))) {}

std::string xclbin::mem::get_tag() const { return need(handle).tag; }
bool xclbin::mem::get_used() const { return handle != nullptr; }  // banks that no kernel has are not in system.cfg
std::int32_t xclbin::mem::get_index() const { return need(handle).index; }
xclbin::mem::memory_type xclbin::mem::get_type() const {
  const std::string& tag = need(handle).tag;
  return tag.starts_with("HBM") ? memory_type::hbm : tag.starts_with("HOST") ? memory_type::host : tag.starts_with("PLRAM") ? memory_type::bram : memory_type::ddr4;
}

std::string xclbin::arg::get_name() const { return need(handle).argument.name; }
std::vector<xclbin::mem> xclbin::arg::get_mems() const { return need(handle).mems; }
std::string xclbin::arg::get_port() const {
  const aieloom::PlArgument& argument = need(handle).argument;
  using Kind = aieloom::PlArgument::Kind;
  return argument.kind == Kind::kMemory ? "M_AXI_" + argument.bundle : argument.kind == Kind::kStream ? argument.name : "S_AXI_CONTROL";
}
std::uint64_t xclbin::arg::get_size() const {
  const aieloom::PlArgument& argument = need(handle).argument;
  return argument.kind == aieloom::PlArgument::Kind::kMemory ? sizeof(std::uint64_t) : argument.bits / 8;
}
std::uint64_t xclbin::arg::get_offset() const { return need(handle).offset; }
std::size_t xclbin::arg::get_index() const { return need(handle).index; }

std::string xclbin::ip::get_name() const { return need(handle).name; }
xclbin::ip::control_type xclbin::ip::get_control_type() const { return need(handle).free_running ? control_type::none : control_type::hs; }
std::vector<xclbin::arg> xclbin::ip::get_args() const { return need(handle).args; }
xclbin::arg xclbin::ip::get_arg(std::int32_t index) const { return at(need(handle).args, index, need(handle).name); }

std::string xclbin::kernel::get_name() const { return need(handle).name; }
std::vector<xclbin::ip> xclbin::kernel::get_cus() const { return need(handle).units; }
std::vector<xclbin::ip> xclbin::kernel::get_cus(const std::string& name) const { return chosen(need(handle).units, name); }
xclbin::ip xclbin::kernel::get_cu(const std::string& name) const { return named(need(handle).units, name, "compute unit"); }
std::vector<xclbin::arg> xclbin::kernel::get_args() const { return need(handle).args; }
xclbin::arg xclbin::kernel::get_arg(std::int32_t index) const { return at(need(handle).args, index, need(handle).name); }

namespace {

using Memories = std::vector<xclbin::mem>;

Memories memories_of(const aieloom::System& system) {
  Memories all;
  for (const std::string& tag : system.bank_names()) {
    all.emplace_back(std::make_shared<xclbin::mem_impl>(xclbin::mem_impl{tag, static_cast<std::int32_t>(all.size())}));
  }
  return all;
}

std::vector<xclbin::arg> arguments_of(const aieloom::ComputeUnit& unit, const Memories& memories, bool with_memory) {
  std::vector<xclbin::arg> all;
  for (std::size_t i = 0; i < unit.arguments.size(); ++i) {
    const bool has = with_memory && unit.arguments[i].kind == aieloom::PlArgument::Kind::kMemory;
    const auto bank = static_cast<std::size_t>(unit.groups[i]);
    all.emplace_back(std::make_shared<xclbin::arg_impl>(
        xclbin::arg_impl{unit.arguments[i], i, unit.offset(i), has ? Memories{memories[bank]} : Memories{}}));
  }
  return all;
}

/// The system as the linker makes it of the file, which refuses what is wrong with it.
const aieloom::System& linked(const std::shared_ptr<const std::string>& image) {
  auto& system = aieloom::System::instance();
  system.load(need(image));
  return system;
}

}  // namespace

std::vector<xclbin::mem> xclbin::get_mems() const { return memories_of(linked(image_)); }

std::vector<xclbin::ip> xclbin::get_ips() const {
  const aieloom::System& system = linked(image_);
  const Memories memories = memories_of(system);
  std::vector<ip> all;
  for (const auto& unit : system.units()) {
    all.emplace_back(std::make_shared<ip_impl>(
        ip_impl{unit->kernel.name + ":" + unit->name, unit->kernel.free_running, arguments_of(*unit, memories, true)}));
  }
  return all;
}

std::vector<xclbin::ip> xclbin::get_ips(const std::string& name) const { return chosen(get_ips(), name); }

xclbin::ip xclbin::get_ip(const std::string& name) const {
  const auto found = get_ips(name);
  return found.size() == 1 ? found.front() : named(get_ips(), name, "compute unit");
}

std::vector<xclbin::kernel> xclbin::get_kernels() const {
  const aieloom::System& system = linked(image_);
  std::vector<kernel> all;
  for (const auto& unit : system.units()) {
    const std::string& name = unit->kernel.name;
    if (std::none_of(all.begin(), all.end(), [&](const kernel& one) { return one.get_name() == name; })) {
      all.emplace_back(std::make_shared<kernel_impl>(kernel_impl{name, arguments_of(*unit, {}, false), get_ips(name)}));
    }
  }
  return all;
}

xclbin::kernel xclbin::get_kernel(const std::string& name) const { return named(get_kernels(), name, "kernel"); }

}  // namespace xrt

namespace {

const xrt::xclbin& design_of(xrtXclbinHandle handle) {
  if (handle == nullptr) {
    aieloom::throw_error(EINVAL, "a null handle");
  }
  return *static_cast<const xrt::xclbin*>(handle);
}

/// Copy to the program's memory as far as there is room; null asks for the size alone.
void give(const std::string& bytes, char* out, int room, int* written) {
  const auto count = std::min(bytes.size(), out == nullptr || room < 0 ? 0 : static_cast<std::size_t>(room));
  std::copy_n(bytes.data(), count, out);
  if (written != nullptr) {
    *written = static_cast<int>(bytes.size());
  }
}

}  // namespace

extern "C" {

xrtXclbinHandle xrtXclbinAllocFilename(const char* file) {
  return aieloom::guard<xrtXclbinHandle>(nullptr, [&] { return new xrt::xclbin(std::string(file)); });
}
xrtXclbinHandle xrtXclbinAllocAxlf(const axlf* image) {
  return aieloom::guard<xrtXclbinHandle>(nullptr, [&] { return new xrt::xclbin(image); });
}
xrtXclbinHandle xrtXclbinAllocRawData(const char* data, int bytes) {
  return aieloom::guard<xrtXclbinHandle>(nullptr, [&] { return new xrt::xclbin(std::string_view(data, static_cast<std::size_t>(bytes))); });
}
int xrtXclbinFreeHandle(xrtXclbinHandle design) {
  return aieloom::status([&] { delete &design_of(design); });
}
int xrtXclbinGetXSAName(xrtXclbinHandle design, char* name, int bytes, int* written) {
  return aieloom::status([&] { give(design_of(design).get_xsa_name() + '\0', name, bytes, written); });
}
int xrtXclbinGetUUID(xrtXclbinHandle design, xuid_t out) {
  return aieloom::status([&] { uuid_copy(out, design_of(design).get_uuid().get()); });
}
std::size_t xrtXclbinGetNumKernels(xrtXclbinHandle design) {
  return aieloom::guard(~std::size_t{0}, [&] { return design_of(design).get_kernels().size(); });
}
std::size_t xrtXclbinGetNumKernelComputeUnits(xrtXclbinHandle design) {
  return aieloom::guard(~std::size_t{0}, [&] { return design_of(design).get_ips().size(); });
}
int xrtXclbinGetData(xrtXclbinHandle design, char* data, int bytes, int* written) {
  return aieloom::status([&] { give(aieloom::XrtInside::image(design_of(design)), data, bytes, written); });
}
int xrtXclbinUUID(xclDeviceHandle device, xuid_t out) {
  return aieloom::status([&] { uuid_copy(out, xrt::device(device).get_xclbin_uuid().get()); });
}
}
