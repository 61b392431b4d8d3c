"""Reports: pure functions from findings and layouts to text."""
