"""The rules, a file per subject. A rule exists by being defined here; it is registered nowhere else."""
