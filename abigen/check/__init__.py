"""The checks: OLD and NEW are paired once, rules look at pairs, the verdict folds their findings."""
