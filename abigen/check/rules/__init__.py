"""The rules, by what they are about; each module is imported by `abigen.check.compare.registry`."""
