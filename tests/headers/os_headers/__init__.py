"""Headers of a whole operating system, as the package `ziglang` carries them, compared as gcc sees them."""
