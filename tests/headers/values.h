// Prints values of both sides alike: bits of arbitrary precision numbers, elements of vectors, numbers, texts.
#pragma once
#include <csetjmp>
#include <type_traits>
#include <csignal>
namespace differ {
template <class T> auto bits(const T& v, int n) { for (int i = n - 1; i >= 0; --i) std::putchar(bool(v[i]) ? '1' : '0'); }
template <int W, bool S> void show(const ap_int_base<W, S>* v, int) { std::printf("%c%d:", S ? 's' : 'u', W); bits(*v, W); }
template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O, int N> void show(const ap_fixed_base<W, I, S, Q, O, N>* v, int) { std::printf("%cfix%d,%d:", S ? 's' : 'u', W, I); bits(*v, W); }
template <class T, std::size_t N> void show(const hls::vector<T, N>* v, int);
inline void show(const std::string* v, int) { std::printf("\"%s\"", v->c_str()); }
inline void show(const char* const* v, int) { std::printf("\"%s\"", *v); }
inline void show(char* const* v, int) { std::printf("\"%s\"", *v); }
inline void show(const half* v, int) { std::printf("half %a", double(float(*v))); }
inline void show(const float* v, int) { std::printf("%a", double(*v)); }
inline void show(const double* v, int) { std::printf("%a", *v); }
inline void show(const bool* v, int) { std::printf("%d", int(*v)); }
template <int W, bool S> char is_number(const ap_int_base<W, S>*);
template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O, int N> char is_number(const ap_fixed_base<W, I, S, Q, O, N>*);
long is_number(...);
template <class T> struct part { enum { value = sizeof(is_number((const T*)nullptr)) != 1 }; };
template <class T> auto show(const T* v, int) -> typename std::enable_if<part<T>::value, decltype(v->to_uint64(), v->length(), void())>::type { std::printf("%llu", (unsigned long long)v->to_uint64()); }
template <class T> auto show(const T* v, long) -> typename std::enable_if<part<T>::value, decltype((long long)(*v), void())>::type { std::printf("%lld", (long long)(*v)); }
template <class T> void show(T* const*, int) { std::printf("-"); }
template <class T> typename std::enable_if<part<T>::value>::type show(const T*, ...) { std::printf("-"); }
template <class T, std::size_t N> void show(const hls::vector<T, N>* v, int) { for (std::size_t i = 0; i < N; ++i) { T x = (*v)[i]; show(&x, 0); std::putchar(' '); } }
}  // namespace differ
template <class T> void differ_value(int n, const T& v) { std::printf("\n@%d ", n); differ::show(&v, 0); std::printf("\n"); std::fflush(stdout); }
