"""Checks of plugins for `spec/tensorflow/stream_executor.yaml`."""
