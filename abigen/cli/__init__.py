"""The command line: a thin file for each command.

A command parses its arguments with click, calls a function of a package below, and chooses a report. `abigen.cli.main`
finds the commands: each module here with a click command named `command`.

Entry points: `main.run_command_line`, `options` (options that commands share), `reports` (how an answer is written).

It decides nothing about an API. No other package imports it.
"""
