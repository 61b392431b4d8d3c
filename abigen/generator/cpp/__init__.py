"""Target `cpp`: a C++17 layer on the C API, in headers alone."""
