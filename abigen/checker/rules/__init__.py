"""The rules, by what they are about; each module is imported by `abigen.checker.compare.registry`."""
