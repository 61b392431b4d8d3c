"""Specs: YAML to the model.

- `load.load`: reads what an operand names, a header or a spec, from disk or from git;
- `spec_reader.read_spec`: reads a spec with the specs that it uses;
- `language.yaml`: every key of the language; `schema.json` is made of it.

Types are parsed by the reader of headers. It does not know what a finding is, and writes no file.
"""
