"""Reads the shared library that ships with a header: symbols, layouts and signatures."""
