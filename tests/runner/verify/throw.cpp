/* What a C++ plugin does when it forgets that its caller is C. */
#include <stdexcept>

extern "C" void throw_something() { throw std::runtime_error("nobody catches this"); }
