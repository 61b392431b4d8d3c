"""Reports on the history of an API."""
