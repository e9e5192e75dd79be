// Another name of the bindings.
#include "CL/cl2.hpp"
