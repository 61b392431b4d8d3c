"""Target `python`: packages on cffi."""
