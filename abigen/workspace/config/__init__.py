"""Configuration of a project, from `abigen.toml` or `[tool.abigen]` in pyproject.toml."""
