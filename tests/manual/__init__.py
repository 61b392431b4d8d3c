"""Writes the pages of the manual and the JSON Schemas that are made of the code."""
