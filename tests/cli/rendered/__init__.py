"""The output of `diff`, `lint` and `layout` for every fixture and revision of a corpus, for comparison over time."""
