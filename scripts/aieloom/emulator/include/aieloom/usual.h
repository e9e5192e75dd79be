// What sources of HLS use without including it: the vendor's ap_int.h and hls_stream.h bring it along.
#ifndef AIELOOM_USUAL_H
#define AIELOOM_USUAL_H

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

#endif  // AIELOOM_USUAL_H
