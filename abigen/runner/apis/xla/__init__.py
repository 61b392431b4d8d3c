"""XLA's plugin APIs, the specs of `spec/xla`."""
