// A part of the vendor's adf.h that published sources include by itself: streams. Here adf.h has all parts.
#pragma once

#include "adf.h"
