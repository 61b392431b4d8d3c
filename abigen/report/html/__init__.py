"""The report as a page: what the template sees, and how two layouts are drawn side by side."""
