// Files that hold designs, and what they say of them [XRT native API: xrt::xclbin].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "xclbin.h"
#include "xrt/detail/c_api.h"
#include "xrt/detail/pimpl.h"
#include "xrt/xrt_uuid.h"

namespace xrt {

/// A file that holds a design; not yet loaded.
class xclbin {
 public:
  enum class target_type { hw, sw_emu, hw_emu };

  class mem_impl;
  /// A bank of memory that some kernel is connected to.
  class mem : public detail::pimpl<mem_impl> {
   public:
    enum class memory_type : std::uint8_t {
      ddr3 = 0,
      ddr4 = 1,
      dram = 2,
      streaming = 3,
      preallocated_global = 4,
      are = 5,
      hbm = 6,
      bram = 7,
      uram = 8,
      streaming_connection = 9,
      host = 10,
    };
    using detail::pimpl<mem_impl>::pimpl;

    /// Its name in system.cfg.
    [[nodiscard]] std::string get_tag() const;
    [[nodiscard]] std::uint64_t get_base_address() const { aieloom::not_emulated("xrt::xclbin::mem::get_base_address()"); }
    [[nodiscard]] std::uint64_t get_size_kb() const { aieloom::not_emulated("xrt::xclbin::mem::get_size_kb()"); }
    [[nodiscard]] bool get_used() const;
    [[nodiscard]] memory_type get_type() const;
    [[nodiscard]] std::int32_t get_index() const;
  };

  class arg_impl;
  /// An argument of a kernel, or of one of its compute units, which has memory.
  class arg : public detail::pimpl<arg_impl> {
   public:
    using detail::pimpl<arg_impl>::pimpl;
    [[nodiscard]] std::string get_name() const;
    [[nodiscard]] std::vector<mem> get_mems() const;
    [[nodiscard]] std::string get_port() const;
    [[nodiscard]] std::uint64_t get_size() const;
    [[nodiscard]] std::uint64_t get_offset() const;
    [[nodiscard]] std::string get_host_type() const { aieloom::not_emulated("xrt::xclbin::arg::get_host_type()"); }
    [[nodiscard]] std::size_t get_index() const;
  };

  class ip_impl;
  /// A compute unit; its name is "<kernel>:<unit>".
  class ip : public detail::pimpl<ip_impl> {
   public:
    enum class control_type : std::uint8_t { hs = 0, chain = 1, none = 2, fa = 5 };
    enum class ip_type : std::uint8_t { pl = 1, ps = 7 };
    using detail::pimpl<ip_impl>::pimpl;
    [[nodiscard]] std::string get_name() const;
    [[nodiscard]] ip_type get_type() const { return ip_type::pl; }
    [[nodiscard]] control_type get_control_type() const;
    [[nodiscard]] std::size_t get_num_args() const { return get_args().size(); }
    [[nodiscard]] std::vector<arg> get_args() const;
    [[nodiscard]] arg get_arg(std::int32_t index) const;
    [[nodiscard]] std::uint64_t get_base_address() const { aieloom::not_emulated("xrt::xclbin::ip::get_base_address()"); }
    [[nodiscard]] std::size_t get_size() const { aieloom::not_emulated("xrt::xclbin::ip::get_size()"); }
  };

  class kernel_impl;
  class kernel : public detail::pimpl<kernel_impl> {
   public:
    enum class kernel_type : std::uint8_t { none = 0, pl = 1, ps = 2, dpu = 3 };
    using detail::pimpl<kernel_impl>::pimpl;
    [[nodiscard]] std::string get_name() const;
    [[nodiscard]] kernel_type get_type() const { return kernel_type::pl; }
    [[nodiscard]] std::vector<ip> get_cus() const;

    /// Those of a name, "<kernel>:{<unit>,<unit>}" or a unit's own.
    [[nodiscard]] std::vector<ip> get_cus(const std::string& name) const;
    [[nodiscard]] ip get_cu(const std::string& name) const;
    [[nodiscard]] std::size_t get_num_args() const { return get_args().size(); }
    [[nodiscard]] std::vector<arg> get_args() const;
    [[nodiscard]] arg get_arg(std::int32_t index) const;
  };

  xclbin() = default;

  /// Throws when the file is not one that the emulator made.
  explicit xclbin(const std::string& file);
  explicit xclbin(const char* file) = delete;  // since XRT 2.20 ambiguous: write xrt::xclbin(std::string("...")) or { }

  /// The same of a file that the program has read itself.
  explicit xclbin(const axlf* image);
  explicit xclbin(const std::vector<char>& image) : xclbin(std::string_view(image.data(), image.size())) {}
  explicit xclbin(const std::string_view& image);

  [[nodiscard]] std::vector<kernel> get_kernels() const;
  [[nodiscard]] kernel get_kernel(const std::string& name) const;
  [[nodiscard]] std::vector<ip> get_ips() const;
  [[nodiscard]] std::vector<ip> get_ips(const std::string& name) const;
  [[nodiscard]] ip get_ip(const std::string& name) const;
  [[nodiscard]] std::vector<mem> get_mems() const;
  [[nodiscard]] uuid get_uuid() const { return uuid_; }
  [[nodiscard]] uuid get_interface_uuid() const { aieloom::not_emulated("xrt::xclbin::get_interface_uuid()"); }
  [[nodiscard]] std::string get_xsa_name() const { return "aieloom_emulator"; }
  [[nodiscard]] std::string get_fpga_device_name() const { aieloom::not_emulated("xrt::xclbin::get_fpga_device_name()"); }
  [[nodiscard]] target_type get_target_type() const { return target_type::hw_emu; }
  [[nodiscard]] const axlf* get_axlf() const { return image_ == nullptr ? nullptr : reinterpret_cast<const axlf*>(image_->data()); }
  template <typename Section>
  [[nodiscard]] Section get_axlf_section(axlf_section_kind) const {
    aieloom::not_emulated("xrt::xclbin::get_axlf_section()");
  }
  [[nodiscard]] explicit operator bool() const { return image_ != nullptr; }

 private:
  friend struct aieloom::XrtInside;
  std::shared_ptr<const std::string> image_;
  uuid uuid_;
};

}  // namespace xrt

extern "C" {
xrtXclbinHandle xrtXclbinAllocFilename(const char* file);
xrtXclbinHandle xrtXclbinAllocAxlf(const axlf* image);
xrtXclbinHandle xrtXclbinAllocRawData(const char* data, int bytes);
int xrtXclbinFreeHandle(xrtXclbinHandle design);
int xrtXclbinGetXSAName(xrtXclbinHandle design, char* name, int bytes, int* written);
int xrtXclbinGetUUID(xrtXclbinHandle design, xuid_t out);
std::size_t xrtXclbinGetNumKernels(xrtXclbinHandle design);
std::size_t xrtXclbinGetNumKernelComputeUnits(xrtXclbinHandle design);
int xrtXclbinGetData(xrtXclbinHandle design, char* data, int bytes, int* written);
int xrtXclbinUUID(xclDeviceHandle device, xuid_t out);
}
