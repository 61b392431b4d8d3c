"""Owners of APIs of their own, from a spec to a plugin: every command, on every spec, for every release."""
