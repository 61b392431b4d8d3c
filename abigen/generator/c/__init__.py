"""Target `c`: the C header of an API."""
