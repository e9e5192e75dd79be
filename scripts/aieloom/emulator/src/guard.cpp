// Guarded memory: pages without access around it, and guard words in what is left of its own pages.
#include "aieloom/guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "aieloom/report.h"
#include "aieloom/scheduler.h"
#include "aieloom/sequence.h"

#if defined(__SANITIZE_ADDRESS__)
#define AIELOOM_ASAN 1
#endif
#ifdef AIELOOM_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace aieloom {

/// A reservation of addresses: it is kept when its memory is gone, so that who uses it then is told.
struct GuardedRegion {
  std::byte* reserved;
  std::size_t reserved_bytes;
  std::byte* begin;  // of the memory
  GuardedMemory::Layout layout;
  GuardedMemory::Name name;
  std::string gone;  // the name of what was given back

  [[nodiscard]] std::string described() const { return gone.empty() ? name() : gone; }
  [[nodiscard]] bool holds(const void* address) const { return address >= reserved && address < reserved + reserved_bytes; }
};

namespace {

constexpr std::size_t kKept = 1024;  // reservations of memory that is gone

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + page() - 1) / page() * page(); }

/// Outlive what the host keeps in statics.
std::vector<GuardedRegion*>& regions() {
  static auto* all = new std::vector<GuardedRegion*>;
  return *all;
}

constexpr std::size_t kPlaces = 16384, kMemories = 4096;  // guard words

const std::uint64_t* guard_words() {
  static const auto* words = [] {
    auto* made = new std::array<std::uint64_t, kMemories + 2 * kPlaces>;
    std::uint64_t state = 0x9e3779b97f4a7c15;
    for (std::uint64_t& word : *made) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      word = state;
    }
    return made->data();
  }();
  return words;
}

/// "byte 256, behind the end of".
std::string place(long long at) { return "byte " + std::to_string(at) + (at < 0 ? ", before the begin of " : ", behind the end of "); }

std::string who_runs() { return running_name() == "host" ? "the host" : running_name(); }

GuardedRegion* region_at(const void* address) {
  for (GuardedRegion* region : regions()) {
    if (region->holds(address)) {
      return region;
    }
  }
  return nullptr;
}

/// A page was touched that nobody may touch: true when the program may go on.
bool stopped_at(const void* address, bool writes) {
  GuardedRegion* region = region_at(address);
  if (region == nullptr) {
    return false;
  }
  const long long at = static_cast<const std::byte*>(address) - region->begin;
  const std::string does = writes ? " writes " : " reads ";
  if (!region->gone.empty()) {
    refuse("memory-freed", who_runs() + does + "byte " + std::to_string(at) + " of " + region->gone + ", which was given back" + place_of_fault(),
           "keep a buffer until what uses it has ended: wait() first");
  }
  const std::string text = who_runs() + does + place(at) + region->name();
  if (writes || !region->layout.reads_go_on) {
    refuse(region->layout.rule, text + place_of_fault(), "stay inside, or give it the size that is used");
  }
  static auto& told = *new std::vector<std::string>;
  if (!holds(told, text)) {  // a buffer's other blocks are read in the same way
    told.push_back(text);
    warn("buffer-overread", text + ": on the device it gets what lies there" + place_in_kernel());
  }
  auto* touched = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) / page() * page());
  mprotect(touched, page(), PROT_READ | PROT_WRITE);
  std::memcpy(touched, guard_words(), page());
  mprotect(touched, page(), PROT_READ);
  return true;
}

}  // namespace

GuardWords::GuardWords() {
  static std::size_t count = 0;
  words_ = reinterpret_cast<const std::byte*>(guard_words() + count++ * 37 % kMemories);
}

void GuardWords::paint(std::byte* guard, std::size_t bytes, std::size_t place) const {
  std::memcpy(guard, words_ + place % (kPlaces * sizeof(std::uint64_t)), bytes);
}

std::size_t GuardWords::whole(const std::byte* guard, std::size_t bytes, std::size_t place) const {
  const std::byte* words = words_ + place % (kPlaces * sizeof(std::uint64_t));
  return std::memcmp(guard, words, bytes) == 0 ? bytes : static_cast<std::size_t>(std::mismatch(guard, guard + bytes, words).first - guard);
}

GuardedMemory::GuardedMemory(const Layout& layout, Name name) : layout_(layout), page_bytes_(whole_pages(std::max<std::size_t>(layout.bytes, 1))) {
  std::size_t gap = whole_pages(layout.gap);
  const auto reserve = [&] { return mmap(nullptr, page_bytes_ + 2 * gap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); };
  void* reserved = reserve();
  if (reserved == MAP_FAILED) {  // addresses are limited (ulimit -v)
    gap = page();
    reserved = reserve();
  }
  pages_ = static_cast<std::byte*>(reserved) + gap;
  if (reserved == MAP_FAILED || mprotect(pages_, page_bytes_, PROT_READ | PROT_WRITE) != 0) {
    refuse("memory", "there are no " + std::to_string(layout.bytes) + " B for " + name(), "make the buffers smaller, or run on a larger machine");
  }
  begin_ = pages_ + page_bytes_ - (layout.bytes + layout.alignment - 1) / layout.alignment * layout.alignment;
  for (const Rest& rest : rests()) {
#ifdef AIELOOM_ASAN
    ASAN_POISON_MEMORY_REGION(rest.begin, rest.bytes);
#else
    words_.paint(rest.begin, rest.bytes, rest.place);
#endif
  }
  region_ = new GuardedRegion{static_cast<std::byte*>(reserved), page_bytes_ + 2 * gap, begin_, layout, std::move(name), {}};
  regions().push_back(region_);
  on_forbidden_access(stopped_at);
}

GuardedMemory::~GuardedMemory() {
  forbid();
  if (regions().size() > kKept) {  // the oldest that is gone makes room
    const auto old = std::find_if(regions().begin(), regions().end(), [](const GuardedRegion* r) { return !r->gone.empty(); });
    munmap((*old)->reserved, (*old)->reserved_bytes);
    delete *old;
    regions().erase(old);
  }
}

bool GuardedMemory::is_gone() const { return !region_->gone.empty(); }

void GuardedMemory::forbid() {
  if (is_gone()) {
    return;
  }
  region_->gone = region_->name();
  region_->name = nullptr;
#ifdef AIELOOM_ASAN
  ASAN_UNPOISON_MEMORY_REGION(pages_, page_bytes_);
#endif
  // New pages in place of the old ones, which go back to the system.
  mmap(pages_, page_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

std::array<GuardedMemory::Rest, 2> GuardedMemory::rests() const {
  std::byte* end = begin_ + layout_.bytes;
  return {Rest{pages_, static_cast<std::size_t>(begin_ - pages_), 0},
          Rest{end, static_cast<std::size_t>(pages_ + page_bytes_ - end), static_cast<std::size_t>(end - pages_)}};
}

bool GuardedMemory::is_damaged([[maybe_unused]] long long& at) const {
#ifndef AIELOOM_ASAN
  if (is_gone()) {
    return false;
  }
  for (const Rest& rest : rests()) {
    const std::size_t whole = words_.whole(rest.begin, rest.bytes, rest.place);
    if (whole != rest.bytes) {
      at = rest.begin + whole - begin_;
      return true;
    }
  }
#endif
  return false;
}

void GuardedMemory::check(const std::string& who) const {
  long long at = 0;
  if (is_damaged(at)) {
    refuse(layout_.rule, who + " wrote " + place(at) + region_->name(), "stay inside, or give it the size that is used");
  }
}

void check_transfer(const void* memory, std::size_t bytes, const std::string& what) {
  const GuardedRegion* region = region_at(memory);
  const std::string moves = what + " moves " + std::to_string(bytes) + " B";
  if (region == nullptr) {
    refuse("memory-foreign", moves + " of memory that is none of the device's", "take memory from GMIO::malloc() or from a buffer object");
  }
  const long long at = static_cast<const std::byte*>(memory) - region->begin;
  if (!region->gone.empty()) {
    refuse("memory-freed", moves + " of " + region->gone + ", which was given back", "free it when its transfers have ended: wait() first");
  }
  const auto size = static_cast<long long>(region->layout.bytes);
  if (at < 0 || at + static_cast<long long>(bytes) > size) {
    refuse("memory-overrun", moves + " from byte " + std::to_string(at) + " of " + region->name(), "transfer what was allocated");
  }
}

}  // namespace aieloom
