// A part of the vendor's adf.h that published sources include by itself: properties of the array. Here adf.h has all parts.
#pragma once

#include "adf.h"
