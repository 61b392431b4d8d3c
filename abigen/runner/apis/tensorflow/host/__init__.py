"""The host side of TensorFlow's API: loads plugins, runs kernels and graphs of ops, and checks kernels.

`core` is the host program that abigen is, `backend` the interface to the side of the API, `ops` tensors and attributes,
`bfc` an allocator, `kernel_checks` the checks of `abigen verify` that need a core.
"""
