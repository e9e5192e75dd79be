// The thresholds are the kernel's parameter, placed by the graph; what it has seen so far is its state.
#pragma once
#include <adf.h>
#include "ping.h"

class Grade {
 private:
  int32 (&thresholds)[THRESHOLDS];
  uint32 length;
  cint32 seen;

 public:
  Grade(int32 (&levels)[THRESHOLDS], uint32 samples);

  void weigh(input_window<cint32>* held, output_window<cint32>* graded);

  static void registerKernelClass() {
    REGISTER_FUNCTION(Grade::weigh);
    REGISTER_PARAMETER(thresholds);
  };
};
