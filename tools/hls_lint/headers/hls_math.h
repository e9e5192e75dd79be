// Roots and functions of floats: a core each, of which nothing but its operands is known.
#pragma once
extern "C" float lint_math(float) __attribute__((const));
namespace hls {
inline float sqrt(float x) { return lint_math(x); }
inline float exp(float x) { return lint_math(x); }
inline float log(float x) { return lint_math(x); }
}  // namespace hls
