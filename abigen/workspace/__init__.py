"""Files, git, configuration and child processes: what abigen asks of the machine.

- `files`: looks at files and notes each answer; `result_cache`: stores results as long as these answers hold;
- `operand`: what the command line names; `git`, `git_repository`, `git_history`: what git knows; `git_process` starts
  git;
- `config`: `abigen.toml`; `document`: YAML and TOML with places, checked against a JSON Schema;
- `process`: a child process with limits; `python_children`: processes for abigen's own work; `libraries`: shared
  libraries.

It does not know C, specs and findings.
"""
