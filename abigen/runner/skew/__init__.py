"""Proof by execution: both sides of an interface are compiled from their own headers, and run together."""
