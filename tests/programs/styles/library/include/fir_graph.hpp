// The library's graph class: a cascade of TP_CASC_LEN kernels whose taps are divided at compile time.
#ifndef FIR_GRAPH_HPP
#define FIR_GRAPH_HPP
#include <adf.h>

#include <array>
#include <vector>

#include "fir_ref.hpp"

namespace lib::dsp::aie {

using namespace adf;

struct no_port {};
template <class dir>
using port_array_1 = std::array<port<dir>, 1>;
template <class dir, bool when, unsigned N>
using port_conditional_array = std::conditional_t<when, std::array<port<dir>, N>, no_port>;

template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT, unsigned TP_INPUT_WINDOW_VSIZE,
          unsigned TP_CASC_LEN = 1, unsigned TP_USE_COEFF_RELOAD = 0>
class fir_graph : public graph {
 private:
  static_assert(TP_CASC_LEN <= 2, "the library cuts filters in two at most");
  static constexpr unsigned PART = TP_FIR_LEN / TP_CASC_LEN;

 public:
  port_array_1<input> in;
  port_array_1<output> out;
  port_conditional_array<input, (TP_USE_COEFF_RELOAD == 1), 1> coeff;
  kernel m_firKernels[TP_CASC_LEN];

  kernel* getKernels() { return m_firKernels; };

  static std::vector<TT_COEFF> part(const std::vector<TT_COEFF>& taps, unsigned n) {
    return std::vector<TT_COEFF>(taps.begin() + n * PART, taps.begin() + (n + 1) * PART);
  }

  template <unsigned RELOAD = TP_USE_COEFF_RELOAD, typename std::enable_if<(RELOAD == 1)>::type* = nullptr>
  fir_graph() {
    m_firKernels[0] = kernel::create_object<fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, false, false, 1>>();
    connect<parameter>(coeff[0], async(m_firKernels[0].in[1]));
    connect_ends();
  }

  fir_graph(const std::vector<TT_COEFF>& taps) {
    if constexpr (TP_CASC_LEN == 1) {
      m_firKernels[0] = kernel::create_object<fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, false, false, 0>>(taps);
    } else {
      // both halves see the same samples: the sum is a filter of half the length with both halves' taps added
      m_firKernels[0] = kernel::create_object<fir<TT_DATA, TT_COEFF, PART, TP_SHIFT, false, true, 0>>(part(taps, 0));
      m_firKernels[1] = kernel::create_object<fir<TT_DATA, TT_COEFF, PART, TP_SHIFT, true, false, 0>>(part(taps, 1));
      connect<cascade>(m_firKernels[0].out[1], m_firKernels[1].in[1]);
      connect<>(m_firKernels[0].out[0], m_firKernels[1].in[0]);
      dimensions(m_firKernels[0].out[0]) = {TP_INPUT_WINDOW_VSIZE};
      dimensions(m_firKernels[1].in[0]) = {TP_INPUT_WINDOW_VSIZE};
      location<kernel>(m_firKernels[1]) = location<kernel>(m_firKernels[0]) + relative_offset({.col_offset = 1, .row_offset = 0});
    }
    connect_ends();
  }

 private:
  void connect_ends() {
    connect<>(in[0], m_firKernels[0].in[0]);
    connect<>(m_firKernels[TP_CASC_LEN - 1].out[0], out[0]);
    dimensions(m_firKernels[0].in[0]) = {TP_INPUT_WINDOW_VSIZE};
    dimensions(m_firKernels[TP_CASC_LEN - 1].out[0]) = {TP_INPUT_WINDOW_VSIZE};
    for (unsigned i = 0; i < TP_CASC_LEN; ++i) {
      runtime<ratio>(m_firKernels[i]) = 0.8;
      source(m_firKernels[i]) = "fir_ref.cpp";
      headers(m_firKernels[i]) = {"fir_ref.hpp"};
    }
  }
};

}  // namespace lib::dsp::aie

#endif  // FIR_GRAPH_HPP
