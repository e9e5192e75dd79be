// OpenCL by another of its names.
#pragma once
#include "CL/cl.h"
