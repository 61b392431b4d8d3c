"""Judgement: the comparison of two APIs, the flaws of one, and the reports about both.

- `compare`: pairs OLD with NEW, runs the rules below `rules`, and folds the findings to a verdict;
- `configuration`: what the project and the command line decide;
- `histories`: many comparisons; `library`: the shared library that ships with a header; `fixes`: edits that remove
  findings;
- `report`: findings as text, JSON, SARIF, HTML and other formats.

It generates no code and runs no plugin. A rule is a function in a module of `rules`, registered by its decorator.
"""
