// Switching stacks: 64-bit x86 and Arm in a few instructions, ucontext everywhere else.
//
// swapcontext() enters the kernel for the signal mask on every switch; a design switches some thousand times an
// image. Only what the calling conventions ask a callee to keep is saved (System V AMD64 ABI 3.2.1; AAPCS64 6.1).
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace aieloom::detail {

struct Context {
#if defined(__x86_64__) || defined(__aarch64__)
  void* stack_pointer = nullptr;
#else
  ucontext_t machine{};
#endif
  const void* bottom = nullptr;  // of the stack, for the address sanitizer
  std::size_t size = 0;
  void* fake_stack = nullptr;
};

/// Make `context` start at `entry` on the given stack.
void prepare(Context& context, void* stack, std::size_t bytes, void (*entry)());

/// Make `context` stand for the program's own stack.
void adopt(Context& context);

/// Save the present state in `from` and continue `to`.
void switch_to(Context& from, Context& to);

/// To be called first on a new stack.
void arrived(Context& context);

}  // namespace aieloom::detail
