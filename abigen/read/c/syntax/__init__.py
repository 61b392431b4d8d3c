"""From tokens to pycparser's trees: declarations are taken apart, parsed, and their mistakes explained."""
