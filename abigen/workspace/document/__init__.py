"""Documents that users write, YAML and TOML: read with places, and checked against a JSON Schema."""
