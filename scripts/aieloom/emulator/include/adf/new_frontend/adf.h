// A part of the vendor's adf.h that published sources include by itself: graphs. Here adf.h has all parts.
#ifndef ADF_NEW_FRONTEND_ADF_H
#define ADF_NEW_FRONTEND_ADF_H

#include "adf.h"

#endif  // ADF_NEW_FRONTEND_ADF_H
