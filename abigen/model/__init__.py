"""The model: frozen descriptions of an API, its layout on each target, and findings about it. No input, no output."""

MODEL_VERSION = 1
"""The version of the model for who writes targets (docs/targets.md): it grows when what was there changes or goes."""
