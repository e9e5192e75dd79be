// xclbin.h by the path that some programs use.
#include "../xclbin.h"
