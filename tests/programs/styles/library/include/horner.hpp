// Kernel classes of a library of polynomials: one base for the arithmetic, one class for each role of a kernel.
#ifndef MILL_HORNER_HPP
#define MILL_HORNER_HPP
#include <adf.h>

#include <algorithm>
#include <vector>

namespace mill::math::aie {

enum class Role { whole, told, lower, upper };

/// N factors, that of the lowest power first; what a division by 2^DOWN leaves is added to the next value.
template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
class horner_base {
  int64 rest = 0;

 protected:
  alignas(32) FACTOR factors[N];

  int64 at(VALUE x) const;
  VALUE settle(int64 sum);
  void learn(const FACTOR (&told)[N]);

 public:
  horner_base() = default;
  horner_base(const FACTOR (&given)[N]) { std::copy_n(given, N, factors); }
};

template <Role ROLE, typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
class horner;

/// All powers in one kernel.
template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
class horner<Role::whole, VALUE, FACTOR, N, DOWN> : public horner_base<VALUE, FACTOR, N, DOWN> {
 public:
  horner(const FACTOR (&given)[N]) : horner_base<VALUE, FACTOR, N, DOWN>(given) {}
  void evaluate(adf::input_buffer<VALUE>& x, adf::output_buffer<VALUE>& y);
  static void registerKernelClass() { REGISTER_FUNCTION(horner::evaluate); }
};

/// All powers, by factors that a run-time parameter tells.
template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
class horner<Role::told, VALUE, FACTOR, N, DOWN> : public horner_base<VALUE, FACTOR, N, DOWN> {
 public:
  horner() = default;
  void evaluate(adf::input_buffer<VALUE>& x, adf::output_buffer<VALUE>& y, const FACTOR (&told)[N]);
  static void registerKernelClass() { REGISTER_FUNCTION(horner::evaluate); }
};

/// The lower powers: their sum goes over the cascade, and the values themselves go on to the next kernel.
template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
class horner<Role::lower, VALUE, FACTOR, N, DOWN> : public horner_base<VALUE, FACTOR, N, DOWN> {
 public:
  horner(const FACTOR (&given)[N]) : horner_base<VALUE, FACTOR, N, DOWN>(given) {}
  void evaluate(adf::input_async_buffer<VALUE>& x, adf::output_buffer<VALUE>& same, output_cascade<acc80>* lower);
  static void registerKernelClass() { REGISTER_FUNCTION(horner::evaluate); }
};

/// The powers from x^N on.
template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
class horner<Role::upper, VALUE, FACTOR, N, DOWN> : public horner_base<VALUE, FACTOR, N, DOWN> {
 public:
  horner(const FACTOR (&given)[N]) : horner_base<VALUE, FACTOR, N, DOWN>(given) {}
  void evaluate(adf::input_buffer<VALUE>& x, input_cascade<acc80>* lower, adf::output_buffer<VALUE>& y);
  static void registerKernelClass() { REGISTER_FUNCTION(horner::evaluate); }
};

}  // namespace mill::math::aie

#endif  // MILL_HORNER_HPP
