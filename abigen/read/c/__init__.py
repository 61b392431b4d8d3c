"""The reader of C headers."""
