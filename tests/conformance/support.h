// What the native test programs share: numbers in on standard input, results out on standard output.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

/// n numbers from standard input, aligned for any vector access.
template <typename T>
T* take(std::size_t n) {
  T* p = static_cast<T*>(std::aligned_alloc(64, (n * sizeof(T) + 127) / 64 * 64));
  if (std::fread(static_cast<void*>(p), sizeof(T), n, stdin) != n) {
    std::fputs("test program: standard input is too short\n", stderr);
    std::exit(2);
  }
  return p;
}

/// The bytes of an object to standard output.
template <typename T>
void give(const T& x) {
  std::fwrite(static_cast<const void*>(&x), sizeof(T), 1, stdout);
}
