// Declarations of MPFR's names that AMD's HLS headers write; no test computes with them.
#pragma once
typedef struct {
  long _mpfr_prec;
  int _mpfr_sign;
  long _mpfr_exp;
  unsigned long* _mpfr_d;
} mpfr_struct;
typedef mpfr_struct mpfr_t[1];
typedef mpfr_struct* mpfr_ptr;
typedef const mpfr_struct* mpfr_srcptr;
typedef long mpfr_exp_t;
typedef long mpfr_prec_t;
typedef int mpfr_rnd_t;
extern "C" {
int mpfr_zero_p(mpfr_srcptr);
int mpfr_inf_p(mpfr_srcptr);
int mpfr_nan_p(mpfr_srcptr);
}
