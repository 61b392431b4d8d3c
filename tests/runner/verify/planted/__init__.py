"""Faults that are planted in scaffolded plugins, by what they are about."""
