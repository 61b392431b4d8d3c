"""The command line: a small file per command."""
