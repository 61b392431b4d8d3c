"""What `diff`, `lint` and `layout` print for every fixture and every revision of a corpus, to be compared over time."""
