"""Scaffolds: whole projects of plugins, which their authors go on with."""
