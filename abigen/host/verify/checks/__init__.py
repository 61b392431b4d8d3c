"""Checks that follow from a spec alone, whatever the API; see `abigen.host.verify.check` for how to write one."""
