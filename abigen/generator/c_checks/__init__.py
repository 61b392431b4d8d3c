"""Target `c-checks`: what the core's side of an API checks, in C."""
