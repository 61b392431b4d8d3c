"""Runs of binaries: plugins, hosts, and programs that are built from both sides of an interface.

- `verify`: tries out plugins (`abigen verify`) and hosts (`abigen verify --host`);
- `skew`: compiles OLD and NEW with their own headers, and runs them together (`abigen skew`);
- `reference`: starts the core of an API from its specs (`abigen run`, and from Python);
- `apis`: what concerns a single API: its core, and checks of its plugins. No other module knows an API by name.

It does not know the command line and the editor. Plugins run in child processes (`abigen.workspace.process`).
"""
