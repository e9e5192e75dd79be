// A part of the vendor's adf.h that published sources include by itself: graphs. Here adf.h has all parts.
#pragma once

#include "adf.h"
