"""Headers: C to the model.

- `reader.read_headers`: reads headers for several targets;
- `preprocessor`: tokens with places, comments and macros; `syntax`: the adapter to pycparser; `entities`: structs,
  functions and constants; `types`: their types;
- `facts`: decides what follows from marks, names and conventions. No other module decides these facts.

It does not know specs, findings and git: files come from `abigen.workspace.files`.
"""
