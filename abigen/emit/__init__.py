"""Emitters: a view of the API per target language, and templates that print it."""
