// How a kernel class names its function and its parameters [UG1079 C++ Kernel Class Support].
//
// Graphs run registerKernelClass(); a kernel's own source only reads it, and needs no more than these declarations.
#ifndef ADF_REGISTRATION_H
#define ADF_REGISTRATION_H

namespace adf::detail {

template <auto Function>
void register_function(const char* name);

template <typename T>
void register_parameter(const char* name);

}  // namespace adf::detail

#define REGISTER_FUNCTION(function) ::adf::detail::register_function<&function>(#function)
#define REGISTER_PARAMETER(member) ::adf::detail::register_parameter<decltype(member)>(#member)

#endif  // ADF_REGISTRATION_H
