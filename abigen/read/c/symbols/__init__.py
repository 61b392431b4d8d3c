"""The names of a translation unit: who declares them, and what they stand for."""
