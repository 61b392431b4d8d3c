"""Pairing OLD with NEW, once, before any rule looks: names, types, members, parameters."""
