// What XRT's build writes: the version of the checkout, which the table names as DIFFER_XRT.
#pragma once
#define XRT_VERSION(major, minor) (((major) << 16) + (minor))
#define XRT_VERSION_CODE XRT_VERSION(2, DIFFER_XRT)
#define XRT_MAJOR(code) ((code) >> 16)
#define XRT_MINOR(code) ((code) & 0xffff)
