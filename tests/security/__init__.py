"""Attacks that a pull request, a header, a spec or a plugin may try, each run for real beside what has to work."""
