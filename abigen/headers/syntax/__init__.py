"""Parses declarations: takes them apart, hands them to pycparser, and explains errors."""
