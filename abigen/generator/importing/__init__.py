"""The engine of `abigen import`."""
