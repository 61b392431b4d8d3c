"""The model: frozen descriptions of an API, its layout on each target, and findings about it. No input, no output."""
