"""Answers editors: problems while typing, layouts below the pointer, fixes, and the keys of specs."""
