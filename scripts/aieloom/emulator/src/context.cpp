#include "context.h"

#include <cstdint>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define AIELOOM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AIELOOM_ASAN 1
#endif
#endif

#ifdef AIELOOM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)

// void aieloom_switch(void** save, void* load): rdi, rsi. Pushes what a callee keeps, swaps the stacks.
asm(R"(
.text
.globl aieloom_switch
.type aieloom_switch, @function
aieloom_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size aieloom_switch, .-aieloom_switch
)");

#elif defined(__aarch64__)

asm(R"(
.text
.globl aieloom_switch
.type aieloom_switch, %function
aieloom_switch:
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #176
  ret
.size aieloom_switch, .-aieloom_switch
)");

#endif

namespace aieloom::detail {

#if defined(__x86_64__)

extern "C" void aieloom_switch(void** save, void* load);

void prepare(Context& context, void* stack, std::size_t bytes, void (*entry)()) {
  context.bottom = stack;
  context.size = bytes;
  auto* top = reinterpret_cast<std::uintptr_t*>(static_cast<char*>(stack) + bytes);
  *--top = 0;  // keeps the stack 16-byte aligned at entry and ends a debugger's walk
  *--top = reinterpret_cast<std::uintptr_t>(entry);
  for (int i = 0; i < 6; ++i) {
    *--top = 0;  // rbp rbx r12 r13 r14 r15
  }
  std::uint32_t mxcsr = 0;
  std::uint16_t control = 0;
  asm volatile("stmxcsr %0\n fnstcw %1" : "=m"(mxcsr), "=m"(control));
  *--top = mxcsr | (static_cast<std::uintptr_t>(control) << 32);
  context.stack_pointer = top;
}

#elif defined(__aarch64__)

extern "C" void aieloom_switch(void** save, void* load);

void prepare(Context& context, void* stack, std::size_t bytes, void (*entry)()) {
  context.bottom = stack;
  context.size = bytes;
  auto* top = reinterpret_cast<std::uintptr_t*>(static_cast<char*>(stack) + bytes - 176);
  std::memset(top, 0, 176);
  top[11] = reinterpret_cast<std::uintptr_t>(entry);  // x30
  context.stack_pointer = top;
}

#else

void prepare(Context& context, void* stack, std::size_t bytes, void (*entry)()) {
  context.bottom = stack;
  context.size = bytes;
  getcontext(&context.machine);
  context.machine.uc_stack.ss_sp = stack;
  context.machine.uc_stack.ss_size = bytes;
  context.machine.uc_link = nullptr;
  makecontext(&context.machine, entry, 0);
}

#endif

void adopt(Context& context) {
  context.bottom = nullptr;  // known to the sanitizer after the first switch
}

#ifdef AIELOOM_ASAN
namespace {

Context* switched_from = nullptr;

/// Complete a switch; the program's own stack learns its bounds when it is left for the first time.
void finish_switch(void* fake_stack) {
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(fake_stack, &bottom, &size);
  if (switched_from->bottom == nullptr) {
    switched_from->bottom = bottom;
    switched_from->size = size;
  }
}

}  // namespace
#endif

void switch_to(Context& from, Context& to) {
#ifdef AIELOOM_ASAN
  switched_from = &from;
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.size);
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  aieloom_switch(&from.stack_pointer, to.stack_pointer);
#else
  swapcontext(&from.machine, &to.machine);
#endif
#ifdef AIELOOM_ASAN
  finish_switch(from.fake_stack);
#endif
}

void arrived([[maybe_unused]] Context& context) {
#ifdef AIELOOM_ASAN
  finish_switch(context.fake_stack);
#endif
}

}  // namespace aieloom::detail
