// How a kernel class names its function and its parameters [UG1079 C++ Kernel Class Support], where no graph is built:
// registerKernelClass() of a kernel's own source is never called, it must only be good C++.
#pragma once

#define REGISTER_FUNCTION(function) static_cast<void>(&function)
#define REGISTER_PARAMETER(member) static_cast<void>(sizeof(decltype(member)))
