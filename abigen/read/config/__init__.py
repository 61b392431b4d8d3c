"""What a project has decided, from `abigen.toml` or `[tool.abigen]` in pyproject.toml."""
